//! Ratings of events, as what is counted of them.

use super::local::Local;
use crate::event::Field;

/// A kind that is not counted.
const NO_KIND: u8 = u8::MAX;

/// For each event the index of its rating among ok, good and bad; `None` if no event has one.
pub(super) fn feedback(local: &Local) -> Option<Vec<u8>> {
    let (types, ratings) = (local.texts(Field::Type)?, local.texts(Field::PageFeedbackRating)?);
    let feedback = types.iter().position(|text| text == "page_post_feedback")? as u32 + 1;
    let kinds = kinds(ratings.iter(), ["ok", "good", "bad"]);
    let kind_of = |(of_type, rating): (&u32, &u32)| match kinds.get(*rating as usize) {
        Some(kind) if *of_type == feedback => *kind,
        _ => NO_KIND,
    };
    Some(types.codes.iter().zip(&ratings.codes).map(kind_of).collect())
}

pub(super) fn ratings(local: &Local) -> Option<Vec<u8>> {
    let ratings = local.texts(Field::AskRating)?;
    let kinds = kinds(ratings.iter(), ["1", "-1"]);
    Some(
        ratings
            .codes
            .iter()
            .map(|code| kinds.get(*code as usize).copied().unwrap_or(NO_KIND))
            .collect(),
    )
}

/// For each code the index of its text among the names.
fn kinds<'a, const N: usize>(texts: impl Iterator<Item = &'a str>, names: [&str; N]) -> Vec<u8> {
    let kind_of = |text: &str| {
        names
            .iter()
            .position(|name| *name == text)
            .map_or(NO_KIND, |index| index as u8)
    };
    std::iter::once(NO_KIND).chain(texts.map(kind_of)).collect()
}
