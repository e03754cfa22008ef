//! Texts, files and reusable contents that visitors of sites read: those that pages show which the visitor sees.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use content::{
    index::links::{self, LinkElsewhere, LinkedTarget, sources},
    objects::{self, Hash},
    pages::{File, Page, ReusableContent},
    shown_parts::{Conditions, SeenParts, ShownParts},
};
use entity::{
    ids::{FileId, NodeId, PageId, RevisionId},
    library::nodes,
};
use openapi::{answer::Conditional, conditional::EntityTag, error::ApiError, models::Document};
use platform::db::positional;
use sea_orm::{ColumnTrait, QueryFilter, QueryTrait};
use serde_json::Map;
use uuid::Uuid;

use super::{
    RevisionReader, digest,
    documents::part_with_blocks,
    evaluation::{self, ReadText, TextForm, page_variables},
    fresh, nodes as text_nodes,
    texts::TextName,
};

use crate::{
    access::{
        SiteReader, SpaceAccess,
        rows::{NodeRow, SpaceRow},
    },
    areas::{authoring::Authoring, library::spaces},
};

/// Links of pages of other spaces of a site that are looked at, those of the present and of the past.
const MAX_LINKS_ELSEWHERE: u64 = 1_000;

/// The other spaces of a site that are looked at, of those with links.
const MAX_SPACES_ELSEWHERE: usize = 8;

/// A text of a space by its own id, in whichever revision it is, for visitors in the content that they see; without a page, and
/// without the variables of one.
pub async fn document(
    authoring: &Authoring,
    access: &SpaceAccess,
    id: &str,
    if_none_match: Option<&str>,
) -> Result<Conditional<Document>, ApiError> {
    let unknown = || ApiError::not_found("document");
    let hash: Hash = id.parse().map_err(|_| unknown())?;
    let mut reader = match &access.site {
        Some(site) => Some(
            reader_of_text(authoring, (access, site.as_ref()), hash)
                .await?
                .ok_or_else(unknown)?,
        ),
        None => None,
    };
    let text = objects::stored_text(authoring.kernel.db.read(), access.row.node.id, hash).await?;
    let text = text.ok_or_else(unknown)?;
    let languages = authoring.contents.integrations.languages(access.row.node.id).await?;
    let part = part_with_blocks(hash.to_string(), &languages)?;
    let tag = match (&mut reader, access.claims()) {
        (Some(reader), Some(claims)) => {
            let linked_spaces = reader.find_linked_spaces(TextName::Stored(Some(hash))).await?;
            let (revision, claims) = (reader.revision.id, digest(claims)?);
            EntityTag::new(format_args!("{part}.{revision}.conditions.{claims}{linked_spaces}"))
        }
        _ => EntityTag::new(part),
    };
    if tag.is_kept(if_none_match) {
        return Ok(Conditional::NotModified(tag));
    }
    let text = match (&mut reader, access.claims()) {
        (Some(reader), Some(claims)) => {
            let text = reader.without_hidden_targets(text).await?;
            let data = claims.data(&Map::new(), &Map::new());
            evaluation::for_visitor(authoring, text, &data, TextForm::Conditions).await?
        }
        _ => ReadText::from(text),
    };
    fresh(
        tag,
        text_nodes::document(&authoring.kernel.work, text.with_languages(languages)).await?,
    )
}

/// The content in which a page shows the visitor of a site a text of a space.
async fn reader_of_text<'a>(
    authoring: &'a Authoring,
    (access, site): (&SpaceAccess, &dyn SiteReader),
    text: Hash,
) -> Result<Option<RevisionReader<'a>>, ApiError> {
    let current = access.row.space.revision_id;
    // Previews show other content, and what was published when the token was issued stays readable.
    let shown = site.shown_revision(access.row.node.id);
    let further = shown.filter(|shown| *shown != current);
    for revision in [Some(current), further].into_iter().flatten() {
        let mut reader = RevisionReader::open_for(authoring, access, revision, None).await?;
        if reader.shows_text(text).await? {
            return Ok(Some(reader));
        }
    }
    Ok(None)
}

impl RevisionReader<'_> {
    /// What the visitor sees of all parts. `None`: a user reads, who sees everything.
    pub(super) async fn seen_parts(&mut self) -> Result<Option<SeenParts>, ApiError> {
        self.seen(ShownParts::all_conditions).await
    }

    /// What the visitor sees of the parts that depend on the conditions that `of_wanted` gives.
    pub(super) async fn seen(
        &mut self,
        of_wanted: impl FnOnce(&ShownParts) -> Conditions,
    ) -> Result<Option<SeenParts>, ApiError> {
        if self.visitor.is_none() {
            return Ok(None);
        }
        let shown = self.shown_parts().await?;
        let wanted = of_wanted(&shown);
        let mut holding = Conditions {
            of_space: self.holding(&wanted.of_space).await?.as_ref().clone(),
            ..Conditions::default()
        };
        for (page, conditions) in wanted.of_pages {
            let variables = shown.variables(page).map(evaluation::variables).unwrap_or_default();
            let holds = self.holding_on(&variables, &conditions).await?;
            holding.of_pages.insert(page, holds.as_ref().clone());
        }
        Ok(Some(SeenParts::of(shown, holding)))
    }

    async fn shown_parts(&mut self) -> Result<Arc<ShownParts>, ApiError> {
        let (authoring, id) = (self.authoring, self.revision.id);
        if let Some(cached) = authoring.contents.state.shown_parts.get(&id) {
            return Ok(cached);
        }
        let db = authoring.kernel.db.read();
        let references = &authoring.contents.state.content_references;
        let shown = ShownParts::load(
            (db, &authoring.kernel.work),
            &mut self.content,
            &self.revision,
            references,
        );
        let shown = Arc::new(shown.await?);
        authoring.contents.state.shown_parts.insert(id, Arc::clone(&shown));
        Ok(shown)
    }

    /// At most `limit` files after one, and the number of all, of those that the reader sees.
    pub(super) async fn files_after(
        &mut self,
        after: Option<FileId>,
        limit: usize,
    ) -> Result<(Vec<File>, u64), ApiError> {
        let seen = self.seen_parts().await?.filter(|seen| !seen.has_all_parts());
        let Some(seen) = seen else {
            let found = self.compute(|pages| Ok((pages.files_after(after, limit)?, pages.file_count())));
            let (files, count) = found.await?;
            return Ok((files, u64::from(count)));
        };
        let mut files = self.compute(|pages| pages.files_after(None, usize::MAX)).await?;
        files.retain(|file| seen.has_part(*file.id.as_uuid()));
        let count = u64::try_from(files.len()).unwrap_or(u64::MAX);
        files.retain(|file| after.is_none_or(|after| file.id > after));
        files.truncate(limit);
        Ok((files, count))
    }

    /// The reusable content, or 404 if no page shows it to the visitor.
    pub(super) async fn require_content(
        &mut self,
        content: Option<ReusableContent>,
    ) -> Result<ReusableContent, ApiError> {
        let unknown = || ApiError::not_found("reusable content");
        let content = content.ok_or_else(unknown)?;
        match self.is_shown(*content.id.as_uuid()).await? {
            true => Ok(content),
            false => Err(unknown()),
        }
    }

    /// The file, or 404 if neither a page nor the site shows it to the visitor.
    pub(super) async fn require_file(&mut self, file: Option<File>) -> Result<File, ApiError> {
        let unknown = || ApiError::not_found("file");
        let file = file.ok_or_else(unknown)?;
        match self.is_shown(*file.id.as_uuid()).await? || self.is_of_site(file.id).await? {
            true => Ok(file),
            false => Err(unknown()),
        }
    }

    async fn is_shown(&mut self, id: Uuid) -> Result<bool, ApiError> {
        match self.seen(|shown| shown.conditions_of_parts([id])).await? {
            Some(seen) => Ok(seen.has_part(id) || self.is_shown_elsewhere(seen.with_holders([id])).await?),
            None => Ok(true),
        }
    }

    /// Returns whether the header or the footer of the site leads to a file.
    async fn is_of_site(&mut self, file: FileId) -> Result<bool, ApiError> {
        match &self.site {
            Some(site) => site.leads_to(file).await,
            None => Ok(false),
        }
    }

    async fn shows_text(&mut self, text: Hash) -> Result<bool, ApiError> {
        let Some(seen) = self.seen(|shown| shown.conditions_of_text(text)).await? else {
            return Ok(true);
        };
        if seen.has_text(text) {
            return Ok(true);
        }
        let parts = seen.holders_of_text(text);
        Ok(!parts.is_empty() && self.is_shown_elsewhere(parts).await?)
    }

    /// Returns whether a page of another space of the site shows the visitor one of these parts of this one.
    pub(super) async fn is_shown_elsewhere(&mut self, parts: HashSet<Uuid>) -> Result<bool, ApiError> {
        let Some(site) = self.site.clone() else {
            return Ok(false);
        };
        let (db, own) = (self.authoring.kernel.db.read(), self.revision.space);
        let others = site.spaces().await?.into_iter();
        let others: BTreeSet<NodeId> = others.filter(|space| *space != own).collect();
        if others.is_empty() {
            return Ok(false);
        }
        let links = links::links_elsewhere(db, &others, (own, &parts), MAX_LINKS_ELSEWHERE).await?;
        let linking: BTreeSet<NodeId> = links.iter().map(|link| link.space).collect();
        for (space, revision) in published(self.authoring, site.as_ref(), linking, MAX_SPACES_ELSEWHERE).await? {
            let links: Vec<&LinkElsewhere> = links.iter().filter(|link| link.space == space).collect();
            let reader = RevisionReader::open(self.authoring, space, revision, None).await?;
            let mut reader = reader.seen_by(self.visitor.clone());
            if reader.sees_one_of(&links, (own, &parts)).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the visitor sees one of these links now, which lead to parts of another space.
    async fn sees_one_of(
        &mut self,
        links: &[&LinkElsewhere],
        (space, parts): (NodeId, &HashSet<Uuid>),
    ) -> Result<bool, ApiError> {
        let pages = self.compute(|pages| objects::all(links.iter().map(|link| pages.page(link.page))));
        let mut visible: HashMap<PageId, bool> = HashMap::new();
        for (page, link) in pages.await?.into_iter().zip(links) {
            let Some(page) = page.filter(|page| sources(page).contains(&link.source)) else {
                continue;
            };
            let is_visible = match visible.get(&page.id) {
                Some(known) => *known,
                None => self.sees(page.id).await?,
            };
            visible.insert(page.id, is_visible);
            if is_visible && self.shows_link(&page, link, (space, parts)).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the conditions of the blocks around a link of a page hold.
    async fn shows_link(
        &mut self,
        page: &Page,
        link: &LinkElsewhere,
        (space, parts): (NodeId, &HashSet<Uuid>),
    ) -> Result<bool, ApiError> {
        let of_links = match &link.conditions {
            Some(conditions) => vec![conditions.clone()],
            None => {
                let text = self.compute(|pages| pages.objects().text(&link.source)).await?;
                let found = links::targets_of_text(&self.authoring.kernel.work, self.revision.space, &text).await?;
                let is_wanted = |target| matches!(target, LinkedTarget::Part(id) if parts.contains(&id));
                let wanted = found
                    .into_iter()
                    .filter(|(of, target, _)| *of == space && is_wanted(*target));
                wanted.map(|(_, _, conditions)| conditions).collect()
            }
        };
        let variables = page_variables(page);
        for conditions in of_links {
            if *self.holding_on(&variables, &conditions).await? == conditions {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Selects the spaces that the site shows to the visitor, at most `limit`, with their published revisions.
pub(super) async fn published(
    authoring: &Authoring,
    site: &dyn SiteReader,
    spaces: BTreeSet<NodeId>,
    limit: usize,
) -> Result<Vec<(NodeId, RevisionId)>, ApiError> {
    let mut shown = Vec::new();
    for space in spaces {
        if shown.len() < limit && site.shows(space).await? {
            shown.push(space);
        }
    }
    if shown.is_empty() {
        return Ok(Vec::new());
    }
    let organization = site.organization();
    let these = spaces::store::not_deleted(organization).filter(nodes::Column::Id.is_in(shown));
    let these = spaces::shown_to_visitor(&authoring.kernel, organization, site.preview_of(), these).await?;
    let rows: Vec<SpaceRow> = positional::rows(authoring.kernel.db.read(), SpaceRow::of(these).as_query()).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.space.id, row.space.revision_id))
        .collect())
}
