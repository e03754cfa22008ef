//! What a run could not translate in all its parts, which the next one makes again.

use entity::ids::{PageId, ReusableContentId};
use openapi::error::ApiError;
use sea_orm::JsonValue;
use serde::{Deserialize, Serialize};

/// The most pages and reusable contents that are remembered; with more, the next run goes through all.
const MAX_REMEMBERED: usize = 1_000;

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Rest {
    pub pages: Vec<PageId>,
    pub reusable_contents: Vec<ReusableContentId>,
}

impl Rest {
    pub fn of(stored: Option<&JsonValue>) -> Result<Self, ApiError> {
        Ok(match stored {
            Some(stored) => serde_json::from_value(stored.clone())?,
            None => Self::default(),
        })
    }

    /// What the next run knows of this one: on what its translations depended, and what is missing.
    pub fn stored(self, fingerprint: &str) -> Result<(Option<String>, Option<JsonValue>), ApiError> {
        let length = self.pages.len() + self.reusable_contents.len();
        Ok(match length {
            0 => (Some(fingerprint.to_owned()), None),
            1..=MAX_REMEMBERED => (Some(fingerprint.to_owned()), Some(serde_json::to_value(self)?)),
            _ => (None, None),
        })
    }
}
