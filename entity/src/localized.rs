//! Texts in several languages.

use std::collections::BTreeMap;

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

/// A text for each language, by its BCP 47 tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct Localized(pub BTreeMap<String, String>);

impl Localized {
    /// `None`: there are no texts.
    pub fn of(texts: BTreeMap<String, String>) -> Option<Self> {
        (!texts.is_empty()).then_some(Self(texts))
    }

    pub fn bytes(&self) -> usize {
        let bytes = self.0.iter().map(|(language, text)| language.len() + text.len());
        bytes.sum()
    }
}
