//! References to pages of other spaces. A visitor of a site is told those of pages that the site shows them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use content::{
    objects::{self, Content},
    pages::Pages,
};
use entity::ids::{NodeId, PageId, ReusableContentId, RevisionId};
use openapi::{
    conditional::EntityTag,
    error::ApiError,
    models::{Dereferencing, ExpressionEvaluation},
};
use serde_json::Map;

use super::{
    RevisionReader, digest,
    evaluation::space_variables,
    parts::published,
    texts::{TextName, part_with_included},
    visibility::holding,
};

use crate::areas::authoring::{
    located_pages::conditions,
    named_spaces::NamedSpaces,
    page_links::{NamedTargets, named_spaces},
};

/// The most other spaces whose pages the references of one text lead to.
const MAX_SPACES: usize = 100;

impl RevisionReader<'_> {
    /// The tag of a text in this form, which changes for visitors with the other spaces that the text leads to.
    pub(super) async fn text_tag(
        &mut self,
        part: &str,
        text: TextName<'_>,
        (evaluated, dereferenced): (ExpressionEvaluation, Dereferencing),
    ) -> Result<EntityTag, ApiError> {
        let linked_spaces = self.find_linked_spaces(text).await?;
        let part = part_with_included(part, dereferenced) + linked_spaces.as_str();
        self.evaluated_tag(&part, evaluated)
    }

    /// Finds the other spaces that the site of the visitor shows, of those that a text names. Returns the end of the tag of the text,
    /// which changes with their revisions; empty for most texts, which name no other space.
    pub(super) async fn find_linked_spaces(&mut self, text: TextName<'_>) -> Result<String, ApiError> {
        let Some(site) = self.site.clone().filter(|_| self.visitor.is_some()) else {
            return Ok(String::new());
        };
        let named = self.named_spaces(text).await?;
        if named.0.is_empty() {
            return Ok(String::new());
        }
        let shown = published(self.authoring, site.as_ref(), named.0.clone(), MAX_SPACES).await?;
        self.linked_spaces = shown.into_iter().collect();
        let revisions = self.linked_spaces.values().map(RevisionId::to_string);
        Ok(format!(".{}", digest(&revisions.collect::<Vec<_>>())?))
    }

    /// The other spaces that a text and the texts that it includes name. None of a computed text: who writes a specification is to
    /// learn nothing about visitors.
    async fn named_spaces(&mut self, text: TextName<'_>) -> Result<Arc<NamedSpaces>, ApiError> {
        let hash = match text {
            TextName::OfPage(page) => page.document(),
            TextName::Stored(hash) => hash,
        };
        let Some(hash) = hash else {
            return Ok(Arc::default());
        };
        let (authoring, key) = (self.authoring, (self.revision.id, hash));
        if let Some(cached) = authoring.named_spaces.get(&key) {
            return Ok(cached);
        }
        let markdown = self.stored_text(Some(hash)).await?.unwrap_or_default();
        let mut targets = NamedTargets::default();
        targets.add(&markdown);
        let included: Vec<ReusableContentId> = targets.contents.into_iter().collect();
        let included = self.compute(|pages| objects::all(included.iter().map(|id| pages.reusable_content(*id))));
        let included = included.await?;
        let mut spaces = named_spaces(&markdown);
        for content in included.into_iter().flatten() {
            let markdown = self.stored_text(content.document).await?;
            spaces.extend(named_spaces(&markdown.unwrap_or_default()));
        }
        spaces.remove(&self.revision.space);
        let named = Arc::new(NamedSpaces(spaces.into_iter().take(MAX_SPACES).collect()));
        authoring.named_spaces.insert(key, Arc::clone(&named));
        Ok(named)
    }

    /// Selects the pages of other spaces that the visitor sees, and those that do not exist, of the spaces that were found.
    pub(super) async fn select_linked_pages(
        &mut self,
        mut pages: HashMap<NodeId, HashSet<PageId>>,
    ) -> Result<HashSet<(NodeId, PageId)>, ApiError> {
        pages.retain(|space, _| self.linked_spaces.contains_key(space));
        let Some(claims) = self.visitor.clone().filter(|_| !pages.is_empty()) else {
            return Ok(HashSet::new());
        };
        let authoring = self.authoring;
        let contents = &authoring.contents;
        let revisions = pages.keys().filter_map(|space| self.linked_spaces.get(space));
        let revisions: Vec<RevisionId> = revisions.copied().collect();
        let revisions = contents.state.revisions(&authoring.kernel.db, revisions).await?;
        let computed = contents.computed_parts(&revisions, &pages).await?;
        let spaces = revisions.iter().map(|revision| revision.space).collect();
        let mut content = Content::of_spaces(authoring.kernel.db.read(), &contents.state.objects, spaces);
        let found = content.run(|objects| {
            objects::all(revisions.iter().map(|revision| {
                let of_revision = match computed.get(&revision.space) {
                    Some(computed) => Pages::with_computed(objects, revision.snapshot, &computed.overlay),
                    None => Pages::of(objects, revision.snapshot),
                };
                let ids = pages.get(&revision.space).into_iter().flatten();
                let conditions = objects::all(ids.map(|id| match of_revision.page(*id)? {
                    Some(page) => Ok((*id, conditions(&of_revision, &page)?)),
                    None => Ok((*id, BTreeSet::new())),
                }));
                let variables = of_revision.stored_variables();
                Ok((revision.space, conditions?, variables?))
            }))
        });
        let found = found.await?;
        drop(content);
        let mut seen = HashSet::new();
        for (space, conditions, variables) in found {
            let all = conditions
                .iter()
                .flat_map(|(_, conditions)| conditions)
                .cloned()
                .collect();
            let data = claims.data(&space_variables(variables), &Map::new());
            let holding = holding(authoring, &all, &data).await?;
            let visible = conditions
                .iter()
                .filter(|(_, conditions)| conditions.is_subset(&holding));
            seen.extend(visible.map(|(page, _)| (space, *page)));
        }
        Ok(seen)
    }
}

/// The revisions of other spaces, which a site shows.
pub type LinkedSpaces = BTreeMap<NodeId, RevisionId>;
