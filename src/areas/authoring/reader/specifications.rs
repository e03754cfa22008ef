//! OpenAPI specifications that visitors of sites read: those that pages use which the visitor sees.

use std::sync::Arc;

use content::{objects::Content, revisions::Revision};
use entity::ids::PageId;
use openapi::error::ApiError;
use uuid::Uuid;

use super::{RevisionReader, git_metadata::GitMetadata, linked_spaces::LinkedSpaces};

use crate::{access::SiteReader, areas::authoring::Authoring};

impl<'a> RevisionReader<'a> {
    /// Reads a revision of a space of a site, without its computed pages, as the visitor of the site.
    pub fn of_site(authoring: &'a Authoring, revision: &Arc<Revision>, site: Arc<dyn SiteReader>) -> Self {
        Self {
            authoring,
            content: Content::new(
                authoring.kernel.db.read(),
                &authoring.contents.state.objects,
                revision.space,
            ),
            revision: Arc::clone(revision),
            if_none_match: None,
            visitor: Some(site.claims().clone()),
            site: Some(site),
            linked_spaces: LinkedSpaces::new(),
            git: GitMetadata::default(),
            computed: None,
        }
    }

    /// Returns whether the reader sees one of these placeholders for computed pages of the space.
    pub async fn sees_placeholder(&mut self, placeholders: &[PageId]) -> Result<bool, ApiError> {
        if placeholders.is_empty() {
            return Ok(false);
        }
        let seen = self
            .seen(|shown| shown.conditions_of_placeholders(placeholders))
            .await?;
        Ok(seen.is_none_or(|seen| placeholders.iter().any(|page| seen.has_placeholder(*page))))
    }

    /// Returns whether the reader sees a block of a specification with one of these keys. `has_block`: whether the pages of the
    /// space have one in their texts, which is not looked up where everybody sees all of the space.
    pub async fn sees_specification(&mut self, keys: &[Uuid], has_block: bool) -> Result<bool, ApiError> {
        let keys = || keys.iter().copied();
        let Some(seen) = self.seen(|shown| shown.conditions_of_parts(keys())).await? else {
            return Ok(has_block);
        };
        if has_block && seen.has_all_parts() || keys().any(|key| seen.has_specification(key)) {
            return Ok(true);
        }
        let mut contents = seen.with_holders(keys());
        contents.retain(|id| keys().all(|key| key != *id));
        Ok(!contents.is_empty() && self.is_shown_elsewhere(contents).await?)
    }
}
