//! References to pages and spaces that the visitor of a site is not shown. They lead to none, as those to deleted ones do, so that
//! visitors do not learn the ids of hidden pages and spaces.

use std::collections::BTreeSet;

use content::objects;
use entity::ids::{NodeId, PageId};
use openapi::{error::ApiError, models::ContentRef};
use rich_text::{IdPathResolver, LinkChange, LinkResolver, rewrite_links};
use uuid::Uuid;

use super::RevisionReader;

use crate::areas::authoring::{
    located_pages::conditions,
    page_links::{MAX_TARGETS, anchor, named_pages, named_pages_with_spaces, named_spaces, page_of},
};

/// Ids that no page and no space has.
const NO_PAGE: PageId = PageId::from_uuid(Uuid::nil());
const NO_SPACE: NodeId = NodeId::from_uuid(Uuid::nil());

impl RevisionReader<'_> {
    /// The text, in which references to hidden pages and spaces lead to none.
    pub(super) async fn without_hidden_targets(&mut self, markdown: String) -> Result<String, ApiError> {
        if self.visitor.is_none() {
            return Ok(markdown);
        }
        let own = self.revision.space;
        let hidden = self.hidden(named_pages(&markdown)).await?;
        let mut elsewhere = named_pages_with_spaces(&markdown);
        elsewhere.remove(&own);
        let mut hidden_spaces = named_spaces(&markdown);
        hidden_spaces.retain(|space| *space != own && !self.linked_spaces.contains_key(space));
        if hidden.is_empty() && elsewhere.is_empty() && hidden_spaces.is_empty() {
            return Ok(markdown);
        }
        let seen_elsewhere = self.select_linked_pages(elsewhere).await?;
        let length = markdown.len();
        let rewrite = move || {
            let is_hidden = |(space, page): (Option<NodeId>, PageId)| match space.filter(|space| *space != own) {
                Some(space) => !seen_elsewhere.contains(&(space, page)),
                None => hidden.contains(&page),
            };
            let mut change = |target: &str, role| {
                let reference = IdPathResolver.parse_target(role, target);
                let is_hidden_space = match &reference {
                    ContentRef::ContentRefSpace(it) => it
                        .space
                        .parse::<NodeId>()
                        .is_ok_and(|space| hidden_spaces.contains(&space)),
                    _ => false,
                };
                let nothing = if is_hidden_space {
                    format!("/spaces/{NO_SPACE}")
                } else if page_of(&reference).is_some_and(is_hidden) {
                    format!("/pages/{NO_PAGE}{}", anchor(target))
                } else {
                    return LinkChange::Keep;
                };
                LinkChange::ReplaceNamed {
                    target: nothing.clone(),
                    from: target.to_owned(),
                    to: nothing,
                }
            };
            rewrite_links(&markdown, &mut change)
        };
        let rewritten = self.authoring.kernel.work.run(length, rewrite).await?;
        rewritten.map_err(ApiError::internal)
    }

    /// Selects the hidden pages of the space. Pages beyond the limit of lookups count as hidden.
    async fn hidden(&mut self, mut pages: BTreeSet<PageId>) -> Result<BTreeSet<PageId>, ApiError> {
        if pages.is_empty() {
            return Ok(pages);
        }
        let looked_up: Vec<PageId> = pages.iter().copied().take(MAX_TARGETS).collect();
        let found = self.compute(|pages| {
            let found = looked_up.iter().map(|id| match pages.page(*id)? {
                Some(page) => conditions(pages, &page),
                None => Ok(BTreeSet::new()),
            });
            objects::all(found)
        });
        let found = found.await?;
        let all = found.iter().flatten().cloned().collect();
        let holding = self.holding(&all).await?;
        for (page, conditions) in looked_up.iter().zip(&found) {
            if conditions.is_subset(&holding) {
                pages.remove(page);
            }
        }
        Ok(pages)
    }
}
