//! Translations of segments by an engine, with checks of its answers.

use crate::{
    engine::{Batch, Engine, EngineError},
    glossary::{self, Term},
    segment::Segment,
};

/// What all segments of a run have in common.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub source: &'a str,
    pub target: &'a str,
    pub instructions: &'a str,
    pub terms: &'a [Term],
}

/// What became of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Translated {
        text: String,
        /// Whether the translation has the translations of all glossary terms.
        follows_glossary: bool,
    },
    /// The engine has no translation that can be put in place of the segment.
    Failed,
}

/// How often a batch with an unusable answer is halved. The answers of large batches may be truncated.
const MAX_HALVINGS: u32 = 4;

/// Translates segments together. A segment whose translation breaks it, or ignores the glossary, is sent a second time.
pub async fn translate(
    engine: &dyn Engine,
    task: Task<'_>,
    segments: &[&Segment],
) -> Result<Vec<Outcome>, EngineError> {
    let first = ask(engine, task, segments).await?;
    let mut outcomes: Vec<Outcome> = judge_all(task, segments, first);
    let unsettled: Vec<usize> = (0..segments.len())
        .filter(|index| needs_second(outcomes.get(*index)))
        .collect();
    if unsettled.is_empty() {
        return Ok(outcomes);
    }
    let again: Vec<&Segment> = unsettled
        .iter()
        .filter_map(|index| segments.get(*index).copied())
        .collect();
    let second = judge_all(task, &again, ask(engine, task, &again).await?);
    for (index, second) in unsettled.into_iter().zip(second) {
        if let Some(outcome) = outcomes.get_mut(index).filter(|first| is_better(&second, first)) {
            *outcome = second;
        }
    }
    Ok(outcomes)
}

fn needs_second(outcome: Option<&Outcome>) -> bool {
    !matches!(
        outcome,
        Some(Outcome::Translated {
            follows_glossary: true,
            ..
        })
    )
}

fn is_better(second: &Outcome, first: &Outcome) -> bool {
    let rank = |outcome: &Outcome| match outcome {
        Outcome::Failed => 0,
        Outcome::Translated { follows_glossary, .. } => 1 + u8::from(*follows_glossary),
    };
    rank(second) > rank(first)
}

fn judge_all(task: Task<'_>, segments: &[&Segment], answers: Vec<Option<String>>) -> Vec<Outcome> {
    let judged = segments.iter().zip(answers);
    judged.map(|(segment, answer)| judge(task, segment, answer)).collect()
}

fn judge(task: Task<'_>, segment: &Segment, answer: Option<String>) -> Outcome {
    let Some(text) = answer.filter(|answer| segment.accepts(answer)) else {
        return Outcome::Failed;
    };
    let terms = glossary::occurring(task.terms, segment.text());
    Outcome::Translated {
        follows_glossary: glossary::is_followed(&terms, &text),
        text,
    }
}

/// Asks for translations. A batch whose answer cannot be used is asked for once more, then in halves; `None` for texts of
/// which no answer can be used.
async fn ask(engine: &dyn Engine, task: Task<'_>, segments: &[&Segment]) -> Result<Vec<Option<String>>, EngineError> {
    let mut answers = Vec::with_capacity(segments.len());
    // The last one is next.
    let mut parts = vec![(segments, 0_u32)];
    let mut asked_again = false;
    while let Some((part, halvings)) = parts.pop() {
        if part.is_empty() {
            continue;
        }
        match send(engine, task, part).await {
            Ok(translations) => answers.extend(translations.into_iter().map(Some)),
            Err(EngineError::Malformed(_)) if !asked_again => {
                asked_again = true;
                parts.push((part, halvings));
            }
            Err(EngineError::Malformed(_)) if part.len() > 1 && halvings < MAX_HALVINGS => {
                let (left, right) = part.split_at(part.len() / 2);
                parts.push((right, halvings + 1));
                parts.push((left, halvings + 1));
            }
            Err(EngineError::Malformed(_)) => answers.extend(part.iter().map(|_| None)),
            Err(error) => return Err(error),
        }
    }
    Ok(answers)
}

async fn send(engine: &dyn Engine, task: Task<'_>, segments: &[&Segment]) -> Result<Vec<String>, EngineError> {
    let texts: Vec<&str> = segments.iter().map(|segment| segment.text()).collect();
    let mut terms: Vec<&Term> = texts
        .iter()
        .flat_map(|text| glossary::occurring(task.terms, text))
        .collect();
    terms.sort();
    terms.dedup();
    let batch = Batch {
        source: task.source,
        target: task.target,
        instructions: task.instructions,
        terms: &terms,
        texts: &texts,
    };
    let translations = engine.translate(&batch).await?;
    super::engine::one_each(&texts, translations)
}
