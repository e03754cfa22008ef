//! Texts in several languages, by the values of `TranslationLanguage`.

use std::collections::BTreeMap;

use openapi::{
    error::{ApiError, ErrorRule},
    models::{ErrorDetail, TranslationLanguage},
};
use serde_json::Value;

/// Refuses names that are no languages. `members`: those of the body, each with its texts.
pub fn check(members: &[(&str, &Option<BTreeMap<String, String>>)]) -> Result<(), ApiError> {
    let members = members.iter().filter_map(|(name, texts)| Some((name, texts.as_ref()?)));
    let unknown = members.flat_map(|(name, texts)| unknown_languages(texts.keys(), &format!("/body/{name}")));
    ApiError::refuse(unknown.collect())
}

/// The names that are no languages, in the object at `pointer` of a request.
pub fn unknown_languages<'a>(languages: impl Iterator<Item = &'a String>, pointer: &str) -> Vec<ErrorDetail> {
    let unknown = languages.filter(|language| !is_language(language));
    let detail = |language: &String| ErrorDetail {
        pointer: format!("{pointer}/{}", escape(language)),
        code: ErrorRule::Language,
        message: "Is not one of the values of `TranslationLanguage`.".to_owned(),
    };
    unknown.map(detail).collect()
}

fn is_language(text: &str) -> bool {
    serde_json::from_value::<TranslationLanguage>(Value::String(text.to_owned())).is_ok()
}

/// As a part of a JSON pointer.
fn escape(member: &str) -> String {
    member.replace('~', "~0").replace('/', "~1")
}
