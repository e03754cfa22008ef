//! Issues of a conversation, as sentences of the user.
//!
//! The sentences of the user are compared by their stems. One that says what the others say as well is typical: its vector
//! is near the sum of all. That is one step of TextRank, in time linear in the text. Questions, complaints and what
//! comes first count more; courtesies, and lines that are not written by people, are left out. The best sentence and those that
//! belong to it are an issue.
//!
//! There are other issues only if the text says so, because people describe one problem in different words: in another
//! paragraph of what they wrote first, announced by words such as "also", or asked after thanks for an answer.

use std::collections::{BTreeSet, HashMap};

use crate::{
    FoundIssue, MAX_ISSUES, MAX_SUMMARY, MAX_TITLE, Part, Role,
    clean::{is_hidden, one_line, visible},
    cues::{Kind, without_salutation},
    language::Language,
    mask::mask,
    sentences::sentences,
};

/// The most sentences of a conversation that are read. What comes later repeats it.
const MAX_SENTENCES: usize = 1000;

/// The most characters of a subject that are read.
const MAX_SUBJECT: usize = 512;

/// Sentences of a summary.
const SUMMARY_SENTENCES: usize = 4;

/// The least different stems of a sentence that stands for an issue, and of one that begins another issue.
const MIN_STEMS: usize = 2;
const MIN_STEMS_OF_ANOTHER: usize = 3;

/// The least score of another issue, as a share of the best score.
const MIN_SCORE_OF_ANOTHER: f32 = 0.25;

/// A sentence of the user.
struct Candidate {
    text: String,
    /// The number of its paragraph; parts have different ones.
    paragraph: usize,
    kind: Kind,
    /// `true`: it stands where another issue may begin.
    may_begin: bool,
    stems: BTreeSet<usize>,
    score: f32,
}

/// Finds what the user of a conversation could not do, did not find or did not understand.
pub fn extract(subject: Option<&str>, parts: &[Part<'_>]) -> Vec<FoundIssue> {
    let subject = subject.map(without_prefixes).unwrap_or_default();
    let subject = one_line(&mask(&subject), MAX_SUBJECT);
    let mut candidates = read(&subject, parts);
    rate(&mut candidates);
    let has_subject = candidates.first().is_some_and(|first| first.text == subject);
    let groups = group(&candidates);
    let issues = groups.iter().map(|group| issue(group, &candidates, has_subject));
    issues.filter(|issue| !issue.title.is_empty()).collect()
}

/// Returns a subject without "Re:", "Fwd:" and numbers of tickets.
fn without_prefixes(subject: &str) -> String {
    let visible: String = subject.chars().filter(|c| !is_hidden(*c)).take(MAX_SUBJECT).collect();
    let mut rest = visible.trim();
    loop {
        let lower = rest.get(..4).unwrap_or_default().to_ascii_lowercase();
        let prefix = ["re:", "aw:", "wg:", "tr:", "rv:", "fw:", "fwd:"]
            .iter()
            .find(|prefix| lower.starts_with(*prefix));
        if let Some(after) = prefix.and_then(|prefix| rest.get(prefix.len()..)) {
            rest = after.trim_start();
        } else if let Some((_, after)) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']'))
            && !after.trim().is_empty()
        {
            rest = after.trim_start();
        } else {
            return rest.to_owned();
        }
    }
}

/// Reads the subject, which is the first candidate if it says something, and the sentences of the user.
fn read(subject: &str, parts: &[Part<'_>]) -> Vec<Candidate> {
    let of_user = parts.iter().filter(|part| part.role == Role::User);
    let texts: Vec<String> = of_user.map(|part| mask(&visible(part.text, usize::MAX))).collect();
    let mut sample = subject.to_owned();
    for text in &texts {
        sample.push('\n');
        sample.extend(text.chars().take(2000));
        if sample.len() > 2000 {
            break;
        }
    }
    let mut reader = Reader {
        language: Language::detect(&sample),
        numbers: HashMap::new(),
        candidates: Vec::new(),
    };
    if !subject.is_empty() {
        reader.add(subject, 0, |_| false);
    }
    let subjects = reader.candidates.len();
    reader.add_parts(texts.iter().map(String::as_str));
    // The subject is about what stands first.
    let mut first = reader.candidates.iter().skip(subjects);
    if let Some(paragraph) = first.next().map(|first| first.paragraph) {
        let subject = reader.candidates.iter_mut().take(subjects);
        subject.for_each(|subject| subject.paragraph = paragraph);
    }
    reader.candidates
}

struct Reader {
    language: Language,
    /// Numbers of stems.
    numbers: HashMap<String, usize>,
    candidates: Vec<Candidate>,
}

impl Reader {
    fn add_parts<'t>(&mut self, parts: impl Iterator<Item = &'t str>) {
        let mut read = 0;
        let mut first_paragraph = 0;
        for (number, part) in parts.enumerate() {
            let mut last = 0;
            let mut is_after_thanks = false;
            for sentence in sentences(part) {
                if read >= MAX_SENTENCES {
                    return;
                }
                read += 1;
                last = sentence.paragraph;
                let text = without_salutation(sentence.text);
                let may_begin = |kind: Kind| number == 0 || is_after_thanks && kind.is_question;
                let kind = self.add(text, first_paragraph + last, may_begin);
                is_after_thanks |= kind.is_courtesy && !kind.is_problem();
            }
            first_paragraph += last + 1;
        }
    }

    fn add(&mut self, sentence: &str, paragraph: usize, may_begin: impl Fn(Kind) -> bool) -> Kind {
        let text = one_line(sentence, MAX_SUMMARY);
        let kind = Kind::of(&text);
        let is_alike = || self.candidates.iter().rev().take(20).any(|known| known.text == text);
        if kind.is_courtesy && !kind.is_problem() || !is_written(&text) || is_alike() {
            return kind;
        }
        let mut stems = BTreeSet::new();
        let numbers = &mut self.numbers;
        self.language.for_each_stem(&text, |stem| {
            let next = numbers.len();
            stems.insert(*numbers.entry(stem.to_owned()).or_insert(next));
        });
        if !stems.is_empty() {
            self.candidates.push(Candidate {
                text,
                paragraph,
                kind,
                may_begin: may_begin(kind) || kind.is_addition,
                stems,
                score: 0.0,
            });
        }
        kind
    }
}

/// Returns whether a text is a sentence of a person: logs, tables and code have more digits and signs.
fn is_written(text: &str) -> bool {
    let (mut letters, mut others) = (0, 0);
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        if character.is_alphabetic() {
            letters += 1;
        } else {
            others += 1;
        }
    }
    letters > others
}

/// Gives each candidate its score.
fn rate(candidates: &mut [Candidate]) {
    let mut sum: HashMap<usize, f32> = HashMap::new();
    for candidate in &*candidates {
        for stem in &candidate.stems {
            *sum.entry(*stem).or_default() += 1.0 / length(candidate);
        }
    }
    let first = candidates.first().map_or(0, |first| first.paragraph);
    for candidate in candidates {
        let common: f32 = candidate.stems.iter().filter_map(|stem| sum.get(stem)).sum();
        let mut score = common / length(candidate);
        if candidate.kind.is_question {
            score *= 1.6;
        }
        if candidate.kind.is_complaint {
            score *= 1.6;
        }
        // A sentence about something additional is rarely the main question.
        if candidate.kind.is_addition {
            score *= 0.5;
        }
        if candidate.stems.len() < MIN_STEMS {
            score *= 0.3;
        }
        let distance = (candidate.paragraph - first) as f32;
        candidate.score = score / (1.0 + 0.1 * distance);
    }
}

fn length(candidate: &Candidate) -> f32 {
    let stems = candidate.stems.len() as f32;
    stems.sqrt()
}

/// The sentences of an issue, as places among the candidates, the best one first.
struct Group {
    places: Vec<usize>,
    stems: BTreeSet<usize>,
    paragraphs: BTreeSet<usize>,
}

/// Distributes the candidates to issues.
fn group(candidates: &[Candidate]) -> Vec<Group> {
    let mut by_score: Vec<(usize, &Candidate)> = candidates.iter().enumerate().collect();
    by_score.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    let Some((_, best)) = by_score.first() else {
        return Vec::new();
    };
    let mut groups: Vec<Group> = Vec::new();
    for (number, (place, candidate)) in by_score.iter().enumerate() {
        let near = groups
            .iter()
            .enumerate()
            .filter_map(|(number, group)| Some((number, group.nearness(candidate)?)));
        // Of groups that are as near, the one with the better sentence: the first.
        let nearest = near.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let is_of_another = candidate.may_begin
            && candidate.kind.is_problem()
            && candidate.stems.len() >= MIN_STEMS_OF_ANOTHER
            && candidate.score >= best.score * MIN_SCORE_OF_ANOTHER;
        let is_full = groups.len() >= MAX_ISSUES;
        match nearest.and_then(|(number, _)| groups.get_mut(number)) {
            Some(group) if !(is_of_another && candidate.kind.is_addition && group.common(candidate) < 2) => {
                group.add(*place, candidate);
            }
            None if number == 0 => groups.push(Group::of(*place, candidate)),
            _ if is_of_another && !is_full => groups.push(Group::of(*place, candidate)),
            _ => {}
        }
    }
    groups
}

impl Group {
    fn of(place: usize, candidate: &Candidate) -> Self {
        Self {
            places: vec![place],
            stems: candidate.stems.clone(),
            paragraphs: BTreeSet::from([candidate.paragraph]),
        }
    }

    fn common(&self, candidate: &Candidate) -> usize {
        self.stems.intersection(&candidate.stems).count()
    }

    /// Returns how near a candidate is. `None`: it has nothing in common with the group.
    fn nearness(&self, candidate: &Candidate) -> Option<f32> {
        let is_beside = self.paragraphs.contains(&candidate.paragraph);
        let common = self.common(candidate);
        let nearness = common as f32 / length(candidate) + if is_beside { 0.5 } else { 0.0 };
        (common > 0 || is_beside).then_some(nearness)
    }

    fn add(&mut self, place: usize, candidate: &Candidate) {
        // Words of the best sentences tell what the issue is about.
        if self.places.len() < SUMMARY_SENTENCES {
            self.places.push(place);
            self.stems.extend(&candidate.stems);
            self.paragraphs.insert(candidate.paragraph);
        }
    }
}

/// Makes an issue of a group: the title is the subject or the best sentence, the summary all sentences in their order.
fn issue(group: &Group, candidates: &[Candidate], has_subject: bool) -> FoundIssue {
    let mut places = group.places.clone();
    places.sort_unstable();
    let sentences: Vec<&Candidate> = places.iter().filter_map(|place| candidates.get(*place)).collect();
    let (subject, written) = match sentences.split_first() {
        Some((subject, written)) if has_subject && places.first() == Some(&0) => (Some(*subject), written),
        _ => (None, sentences.as_slice()),
    };
    let subject = subject.filter(|subject| subject.stems.len() >= MIN_STEMS || written.is_empty());
    let best = group.places.iter().filter_map(|place| candidates.get(*place)).next();
    let title = subject
        .or(best)
        .map(|best| one_line(&best.text, MAX_TITLE))
        .unwrap_or_default();
    let summary = if written.is_empty() { &sentences } else { written };
    let summary = summary
        .iter()
        .map(|sentence| sentence.text.as_str())
        .collect::<Vec<&str>>()
        .join(" ");
    FoundIssue {
        title,
        summary: one_line(&summary, MAX_SUMMARY),
    }
}
