//! What a PDF depends on, besides the revision.

use entity::{
    authoring::change_requests,
    ids::{PageId, RevisionId},
    library::spaces::Language,
};
use expressions::VisitorClaims;
use openapi::error::{ApiError, ErrorRule};
use platform::hash::Hash;
use sea_orm::ActiveEnum;
use serde::{Deserialize, Serialize};

use crate::access::rows::SpaceRow;

/// The longest name of a file, without its suffix, in characters.
const MAX_NAME: usize = 100;

/// A part of the content of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    All,
    /// A page with all pages below it.
    Below(PageId),
    Only(PageId),
}

impl Part {
    pub fn page(self) -> Option<PageId> {
        match self {
            Self::All => None,
            Self::Below(page) | Self::Only(page) => Some(page),
        }
    }
}

/// The part that a query asks for.
pub fn part(only: Option<bool>, page: Option<PageId>) -> Result<Part, ApiError> {
    match (page, only.unwrap_or_default()) {
        (Some(page), true) => Ok(Part::Only(page)),
        (Some(page), false) => Ok(Part::Below(page)),
        (None, false) => Ok(Part::All),
        (None, true) => {
            let message = "Is required together with `only`.";
            Err(ApiError::invalid_member("/query/page", ErrorRule::Required, message))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    pub title: String,
    /// The number and the subject of the change request.
    pub change_request: Option<(i32, String)>,
    pub language: String,
    pub part: Part,
    /// The claims of a visitor of a site. `None`: a user.
    pub claims: Option<VisitorClaims>,
    /// The hash of all that computed pages are made from.
    #[serde(default)]
    pub computed: Option<Hash>,
}

impl Parameters {
    pub fn of(row: &SpaceRow, part: Part, claims: Option<VisitorClaims>) -> Self {
        Self {
            title: row.node.title.clone(),
            change_request: None,
            language: row.space.language.unwrap_or(Language::En).to_value(),
            part,
            claims,
            computed: None,
        }
    }

    pub fn in_change_request(self, request: &change_requests::Model) -> Self {
        Self {
            change_request: Some((request.number, request.subject.clone())),
            ..self
        }
    }

    /// The hash of everything that the PDF depends on.
    pub fn fingerprint(&self, revision: RevisionId) -> Result<Hash, ApiError> {
        Ok(Hash::of(&serde_json::to_vec(&(print::FORM_VERSION, revision, self))?))
    }

    pub fn file_name(&self) -> String {
        let name: String = slug::slugify(&self.title).chars().take(MAX_NAME).collect();
        let name = if name.is_empty() { "document" } else { &name };
        match &self.change_request {
            Some((number, _)) => format!("{name}-change-request-{number}.pdf"),
            None => format!("{name}.pdf"),
        }
    }
}
