//! Translations of segments by an engine, with checks of its answers.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{
    engine::{Batch, Engine, EngineError, one_each},
    glossary::{self, Glossary, Term},
    segment::Segment,
};

/// What all segments of a run have in common.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub source: &'a str,
    pub target: &'a str,
    pub instructions: &'a str,
    pub glossary: &'a Glossary,
    pub rejections: &'a Rejections,
}

/// The single segments that an engine has rejected in all batches of a run, since it last took a request. Their number tells
/// an engine that rejects everything, such as one at a wrong address, from an engine that rejects some segments.
#[derive(Debug, Default)]
pub struct Rejections(AtomicU32);

/// The rejected single segments in a row after which the engine gets no more requests.
const MAX_REJECTIONS: u32 = 20;

impl Rejections {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    fn are_too_many(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= MAX_REJECTIONS
    }
}

/// What became of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Translated {
        text: String,
        /// Whether the translation has the translations of all glossary terms.
        follows_glossary: bool,
    },
    /// The engine gave no translation that can be put in place of the segment.
    Failed,
    /// The engine rejects the segment, also without others.
    Rejected,
}

/// The translations of a batch. All of them are paid for, also those before a failure.
#[derive(Debug)]
pub struct Translations {
    /// One for each segment, in the same order.
    pub outcomes: Vec<Outcome>,
    /// The words of all requests together: those of a segment count as often as it was sent. Repeats of a request that got no
    /// usable response, which the protocols send by themselves, do not count.
    pub sent_words: u64,
    /// Why the engine was not asked for the rest.
    pub failure: Option<EngineError>,
}

/// How often a batch with an unusable answer is halved. The answers of large batches may be truncated.
const MAX_HALVINGS: u32 = 4;

/// Translates segments together. A segment whose translation breaks it, or ignores the glossary, is sent a second time.
pub async fn translate(engine: &dyn Engine, task: Task<'_>, segments: &[&Segment]) -> Translations {
    let mut requests = Requests {
        engine,
        task,
        sent_words: 0,
    };
    let Answers { answers, mut failure } = requests.ask(segments).await;
    let mut outcomes = judge_all(task, segments, answers);
    if failure.is_none() {
        failure = requests.improve(segments, &mut outcomes).await;
    }
    Translations {
        outcomes,
        sent_words: requests.sent_words,
        failure,
    }
}

fn needs_second(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Translated { follows_glossary, .. } => !follows_glossary,
        Outcome::Failed => true,
        Outcome::Rejected => false,
    }
}

fn is_better(second: &Outcome, first: &Outcome) -> bool {
    let rank = |outcome: &Outcome| match outcome {
        Outcome::Failed | Outcome::Rejected => 0,
        Outcome::Translated { follows_glossary, .. } => 1 + u8::from(*follows_glossary),
    };
    rank(second) > rank(first)
}

fn judge_all(task: Task<'_>, segments: &[&Segment], answers: Vec<Answer>) -> Vec<Outcome> {
    let judged = segments.iter().zip(answers);
    judged.map(|(segment, answer)| judge(task, segment, answer)).collect()
}

fn judge(task: Task<'_>, segment: &Segment, answer: Answer) -> Outcome {
    let text = match answer {
        Answer::Text(text) if segment.accepts(&text) => text,
        Answer::Text(_) | Answer::Unusable => return Outcome::Failed,
        Answer::Rejected => return Outcome::Rejected,
    };
    let terms = task.glossary.occurring(segment.text());
    Outcome::Translated {
        follows_glossary: glossary::is_followed(&terms, &text),
        text,
    }
}

/// The answer of the engine to a segment.
#[derive(Clone)]
enum Answer {
    Text(String),
    /// No answer with the segment can be used, or none was asked for because of a failure.
    Unusable,
    Rejected,
}

/// An answer for each segment that was asked for.
struct Answers {
    answers: Vec<Answer>,
    failure: Option<EngineError>,
}

/// The requests of a batch.
struct Requests<'a> {
    engine: &'a dyn Engine,
    task: Task<'a>,
    sent_words: u64,
}

impl Requests<'_> {
    /// Asks for translations. A batch whose answer cannot be used is asked for once more, then in halves; a batch that is
    /// rejected is asked for in halves down to single segments. Answers before a failure stay.
    async fn ask(&mut self, segments: &[&Segment]) -> Answers {
        let mut answers = Vec::with_capacity(segments.len());
        let mut failure = None;
        // The last one is next.
        let mut parts = vec![(segments, 0_u32)];
        let mut asked_again = false;
        while let Some((part, halvings)) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let (refused, max_halvings) = match self.send(part).await {
                Ok(translations) => {
                    answers.extend(translations.into_iter().map(Answer::Text));
                    continue;
                }
                Err(EngineError::Malformed(_)) if !asked_again => {
                    asked_again = true;
                    parts.push((part, halvings));
                    continue;
                }
                Err(EngineError::Malformed(_)) => (Answer::Unusable, MAX_HALVINGS),
                Err(EngineError::Rejected(_)) => (Answer::Rejected, u32::MAX),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            if part.len() > 1 && halvings < max_halvings {
                let (left, right) = part.split_at(part.len() / 2);
                parts.extend([(right, halvings + 1), (left, halvings + 1)]);
            } else {
                answers.extend(part.iter().map(|_| refused.clone()));
            }
        }
        answers.resize(segments.len(), Answer::Unusable);
        Answers { answers, failure }
    }

    /// Asks once more for segments whose translation breaks them or ignores the glossary, and puts better outcomes in place
    /// of the first ones. Returns the failure that ended it.
    async fn improve(&mut self, segments: &[&Segment], outcomes: &mut [Outcome]) -> Option<EngineError> {
        let unsettled = segments
            .iter()
            .copied()
            .zip(outcomes)
            .filter(|(_, first)| needs_second(first));
        let (again, firsts): (Vec<&Segment>, Vec<&mut Outcome>) = unsettled.unzip();
        let Answers { answers, failure } = self.ask(&again).await;
        let seconds = judge_all(self.task, &again, answers);
        for (first, second) in firsts.into_iter().zip(seconds) {
            if is_better(&second, first) {
                *first = second;
            }
        }
        failure
    }

    async fn send(&mut self, segments: &[&Segment]) -> Result<Vec<String>, EngineError> {
        let task = self.task;
        let texts: Vec<&str> = segments.iter().map(|segment| segment.text()).collect();
        let mut terms: Vec<&Term> = texts.iter().flat_map(|text| task.glossary.occurring(text)).collect();
        terms.sort();
        terms.dedup();
        let batch = Batch {
            source: task.source,
            target: task.target,
            instructions: task.instructions,
            terms: &terms,
            texts: &texts,
        };
        self.sent_words += count_words(segments);
        let translations = self.engine.translate(&batch).await;
        let translations = translations.and_then(|translations| one_each(&texts, translations));
        match translations {
            Err(EngineError::Rejected(message)) => {
                if segments.len() == 1 {
                    task.rejections.add();
                }
                Err(match task.rejections.are_too_many() {
                    true => EngineError::Refused(message),
                    false => EngineError::Rejected(message),
                })
            }
            Ok(_) | Err(EngineError::Malformed(_)) => {
                task.rejections.reset();
                translations
            }
            Err(_) => translations,
        }
    }
}

fn count_words(segments: &[&Segment]) -> u64 {
    let words: usize = segments.iter().map(|segment| segment.words()).sum();
    u64::try_from(words).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
