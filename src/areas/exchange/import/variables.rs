//! The variables of the space, which stand in a file of their own.

use std::collections::BTreeMap;

use rich_text::front_matter::parse_variables;

use super::{
    Report,
    repository::{Listing, Repository},
};

const VARIABLES: &str = ".gitbook/vars.yaml";
/// The labels and icons of tags.
const TAGS: &str = ".gitbook/tags.yaml";
const MAX_BYTES: u64 = 64 * 1024;
/// The longest value in characters, as in the contract.
const MAX_VALUE: usize = 256;

pub fn read(repository: &Repository, listing: &Listing, report: &mut Report) -> BTreeMap<String, String> {
    if listing.contains_key(TAGS) {
        report.note(
            TAGS,
            "Labels and icons of tags are not imported; pages keep the names of their tags.",
        );
    }
    if !listing.contains_key(VARIABLES) {
        return BTreeMap::new();
    }
    let text = repository
        .read(VARIABLES, MAX_BYTES)
        .map_err(anyhow::Error::from)
        .and_then(|bytes| Ok(String::from_utf8(bytes)?));
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            report.error(VARIABLES, format!("The file cannot be read: {error}."));
            return BTreeMap::new();
        }
    };
    let (mut variables, errors) = parse_variables(&text);
    for error in errors {
        report.error_at(VARIABLES, Some(error.line), error.message);
    }
    variables.retain(|name, value| {
        let fits = value.chars().count() <= MAX_VALUE;
        if !fits {
            let message = format!("The variable `{name}` has more than {MAX_VALUE} characters and is not imported.");
            report.error(VARIABLES, message);
        }
        fits
    });
    variables
}
