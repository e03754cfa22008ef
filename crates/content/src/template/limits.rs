//! Limits of templates: a template is in memory as a whole, and is written in one transaction.

use crate::pages::Snapshot;

const MAX_PAGES: u32 = 500;
const MAX_FILES: u32 = 500;
const MAX_REUSABLE_CONTENTS: u32 = 500;
const MAX_VARIABLES: u32 = 500;
const MAX_TEXT_BYTES: usize = 2 * 1024 * 1024;
const MAX_PARAMETERS: usize = 100;

/// The reason why content cannot be a template, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable(pub String);

/// Checks everything but the texts.
pub fn check_counts(snapshot: &Snapshot) -> Result<(), Unusable> {
    let counts = [
        (snapshot.pages.len(), MAX_PAGES, "pages"),
        (snapshot.files.len(), MAX_FILES, "files"),
        (
            snapshot.reusable_contents.len(),
            MAX_REUSABLE_CONTENTS,
            "reusable contents",
        ),
        (snapshot.variables.len(), MAX_VARIABLES, "variables"),
    ];
    let exceeded = counts.into_iter().find(|(count, limit, _)| count > limit);
    match exceeded {
        Some((count, limit, what)) => Err(Unusable(format!(
            "A template has at most {limit} {what}, and the space has {count}."
        ))),
        None => Ok(()),
    }
}

pub fn check_parameters(count: usize) -> Result<(), Unusable> {
    if count > MAX_PARAMETERS {
        let message = format!("A template has at most {MAX_PARAMETERS} parameters, and the space has {count}.");
        return Err(Unusable(message));
    }
    Ok(())
}

/// The size of the texts that were read.
#[derive(Default)]
pub struct TextSizes(usize);

impl TextSizes {
    pub fn add(&mut self, text: &str) -> Result<(), Unusable> {
        self.0 += text.len();
        if self.0 > MAX_TEXT_BYTES {
            let message = format!("A template has at most {MAX_TEXT_BYTES} bytes of text, and the space has more.");
            return Err(Unusable(message));
        }
        Ok(())
    }
}
