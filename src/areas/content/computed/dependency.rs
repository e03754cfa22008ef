//! What computed content depends on.

use std::sync::Arc;

use entity::ids::PageId;
use openapi::{
    models::{ComputedDependencyValue, OpenApiDependencyState},
    values::Maybe,
};
use platform::hash::Hash;
use specifications::Outline;

use super::{Specification, WantedSpecification};

use crate::kernel::urls::Urls;

/// A specification that computed content depends on.
#[derive(Debug, Clone)]
pub struct Dependency {
    /// As the source names it.
    pub wanted: WantedSpecification,
    /// `None`: the organization has no such specification.
    pub specification: Option<Specification>,
    /// Of the version; empty without one.
    pub outline: Arc<Outline>,
}

impl Dependency {
    /// The address of the document that the content is computed from. It works without a token.
    pub fn document(&self, urls: &Urls) -> Option<String> {
        let version = self.specification.as_ref()?.version?;
        Some(urls.openapi_document(version))
    }
}

/// The id of the page with a key among the pages of a placeholder: the same one in all versions of the specification.
pub fn page_id(placeholder: PageId, key: &str) -> PageId {
    let mut bytes = placeholder.as_uuid().as_bytes().to_vec();
    bytes.extend(key.as_bytes());
    PageId::from_uuid(Hash::of(&bytes).to_uuid())
}

/// The version of the UUIDs that [`page_id`] makes, and nobody else.
const COMPUTED_VERSION: usize = 8;

/// Returns whether an id is one of a computed page below a placeholder.
pub fn is_computed(page: PageId) -> bool {
    page.as_uuid().get_version_num() == COMPUTED_VERSION
}

/// The state of a specification at the time of a computation.
pub fn dependency_value(specification: Option<&Specification>) -> Maybe<ComputedDependencyValue> {
    let Some(found) = specification else {
        return Maybe::Null;
    };
    Maybe::Value(ComputedDependencyValue::OpenApiDependencyState(
        OpenApiDependencyState {
            object: Default::default(),
            id: found.id.to_string(),
            slug: found.slug.clone(),
            last_version: found.version.map(|version| version.to_string()),
        },
    ))
}
