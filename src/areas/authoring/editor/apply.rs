//! Applying changes in order, all or none.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use content::{
    draft::Draft,
    initial::UNTITLED,
    objects::{Content, Hash, Missing, Objects},
    pages::{ComputedPages, Page, PageContent, Pages, Snapshot},
};
use entity::{
    ids::{PageId, RevisionId},
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule},
    values::Maybe,
    work::WorkLimits,
};
use rich_text::{DocumentLimits, ExpressionSources};
use sea_orm::ConnectionTrait;

use super::{
    anchors::PageAnchors,
    fields::{self, PageFields},
    links,
    parse::{ParsedChanges, unknown},
    parsed::{PageText, ParsedChange},
    placement, revert,
    view::{AffectedPage, PageEffect},
    writer::{ApplyError, ContentWriter, EditBase},
};

use crate::areas::{authoring::page_links::PagePaths, content::slugs};

/// The result of applying changes.
pub struct AppliedChanges {
    pub draft: Draft,
    pub affected: Vec<AffectedPage>,
}

/// Applies the changes, unless one of them is refused.
pub async fn apply<C: ConnectionTrait>(
    work: &WorkLimits,
    content: &mut Content<'_, C>,
    base: &EditBase,
    parsed: &Arc<ParsedChanges>,
    now: Timestamp,
) -> Result<AppliedChanges, ApiError> {
    let made = content.run_heavy((work, parsed.text_bytes()), |objects| {
        match apply_all(objects, base, parsed, now) {
            Ok(made) => Ok(Ok(made)),
            Err(ApplyError::Refused(refused)) => Ok(Err(refused)),
            Err(ApplyError::Missing) => Err(Missing),
        }
    });
    let (snapshot, affected) = match made.await? {
        Ok(made) => made,
        Err(refused) => return Err(*refused),
    };
    let draft = Draft::of(content, &base.snapshot, snapshot).await?;
    Ok(AppliedChanges { draft, affected })
}

fn apply_all(
    objects: &Objects,
    base: &EditBase,
    parsed: &ParsedChanges,
    now: Timestamp,
) -> Result<(Snapshot, Vec<AffectedPage>), ApplyError> {
    let mut writer = ContentWriter {
        pages: Pages::of(objects, base.snapshot),
        base,
        parsed,
        now,
        texts: HashMap::new(),
        affected: Vec::new(),
    };
    for (index, change) in parsed.changes.iter().enumerate() {
        writer.apply_change(&format!("/body/changes/{index}"), change)?;
    }
    writer.write_texts()?;
    Ok((writer.pages.finish()?, writer.affected))
}

impl<'w> ContentWriter<'w> {
    fn apply_change(&mut self, at: &str, change: &'w ParsedChange) -> Result<(), ApplyError> {
        match change {
            ParsedChange::Insert {
                id,
                fields,
                text,
                into,
                at: index,
                name,
            } => {
                self.insert(at, *id, fields, text, into.as_deref(), *index)?;
                self.record(*id, PageEffect::Inserted(name.clone()));
            }
            ParsedChange::InsertComputed {
                id,
                fields,
                source,
                into,
                at: index,
                name,
            } => {
                self.insert_computed(at, (*id, source), fields, into.as_deref(), *index)?;
                self.record(*id, PageEffect::Inserted(name.clone()));
            }
            ParsedChange::Edit {
                page,
                fields,
                text,
                source,
                into,
                at: index,
            } => {
                let mut page = placement::load_page(&self.pages, &format!("{at}/page"), page)?;
                let before = page.clone();
                let id = page.id;
                if let Some(source) = source {
                    set_source(at, &mut page, source)?;
                }
                self.edit(at, (before, page), fields, text.as_ref(), into, *index)?;
                self.record(id, PageEffect::Edited);
            }
            ParsedChange::Delete { page } => {
                let page = placement::load_page(&self.pages, &format!("{at}/page"), page)?;
                self.delete(&page)?;
            }
            ParsedChange::Revert { page, revision, blocks } => self.revert(at, page, *revision, blocks.as_deref())?,
            ParsedChange::Files(files) => files.iter().for_each(|file| self.pages.put_file(file.clone())),
        }
        Ok(())
    }

    fn insert(
        &mut self,
        at: &str,
        id: PageId,
        fields: &PageFields,
        text: &'w PageText,
        into: Option<&str>,
        index: Option<usize>,
    ) -> Result<(), ApplyError> {
        let parent = into
            .map(|into| placement::load_parent(&self.pages, at, into))
            .transpose()?;
        let title = fields.title.as_ref().or(text.title()).cloned();
        let title = title.unwrap_or_else(|| UNTITLED.to_owned());
        let mut page = Page {
            parent: parent.as_ref().map(|parent| parent.id),
            created_at: Some(self.now),
            updated_at: Some(self.now),
            ..Page::empty(id, Default::default(), title, String::new())
        };
        placement::require_valid_parent(&self.pages, at, &page, parent.as_ref())?;
        fields.apply_to(&mut page);
        fields::apply_front_matter(&mut page, &text.front);
        page.slug = self.slug(at, &page, fields.slug.as_deref())?;
        page.order = self.pages.order_at(page.parent, index, None)?;
        self.texts.insert(id, text);
        Ok(self.pages.put(page)?)
    }

    fn insert_computed(
        &mut self,
        at: &str,
        (id, source): (PageId, &ComputedPages),
        fields: &PageFields,
        into: Option<&str>,
        index: Option<usize>,
    ) -> Result<(), ApplyError> {
        let parent = into
            .map(|into| placement::load_parent(&self.pages, at, into))
            .transpose()?;
        let title = fields.title.clone().unwrap_or_else(|| UNTITLED.to_owned());
        let mut page = Page {
            parent: parent.as_ref().map(|parent| parent.id),
            created_at: Some(self.now),
            updated_at: Some(self.now),
            content: PageContent::Computed {
                source: Box::new(source.clone()),
            },
            ..Page::empty(id, Default::default(), title, String::new())
        };
        placement::require_valid_parent(&self.pages, at, &page, parent.as_ref())?;
        page.slug = self.slug(at, &page, fields.slug.as_deref())?;
        page.order = self.pages.order_at(page.parent, index, None)?;
        Ok(self.pages.put(page)?)
    }

    /// The requested slug, or one derived from the title.
    fn slug(&self, at: &str, page: &Page, requested: Option<&str>) -> Result<String, ApplyError> {
        match requested.filter(|slug| !slug.is_empty()) {
            Some(slug) => {
                let slug = slugs::reachable(slug);
                placement::require_unique_slug(&self.pages, at, &slug, page.parent, page.id)?;
                Ok(slug.into_owned())
            }
            None => Ok(slugs::unique_slug(&self.pages, page.parent, &page.title, page.id)?),
        }
    }

    fn edit(
        &mut self,
        at: &str,
        (before, mut page): (Page, Page),
        fields: &PageFields,
        text: Option<&'w PageText>,
        into: &Maybe<String>,
        index: Option<usize>,
    ) -> Result<(), ApplyError> {
        if let Some(text) = text {
            if !matches!(page.content, PageContent::Document { .. }) {
                let message = "`document` is only allowed for a page of the type `document`.";
                return Err(ApiError::invalid_member(format!("{at}/document"), ErrorRule::PageType, message).into());
            }
            if let (None, Some(title)) = (&fields.title, text.title()) {
                page.title.clone_from(title);
            }
            fields::apply_front_matter(&mut page, &text.front);
            self.texts.insert(page.id, text);
        }
        fields.apply_to(&mut page);
        self.relocate(at, &mut page, into, index)?;
        let moved = page.parent != before.parent;
        match fields.slug.as_deref() {
            Some(slug) if !matches!(page.content, PageContent::Link { .. }) => {
                page.slug = self.slug(at, &page, Some(slug))?;
            }
            _ if moved => placement::require_unique_slug(&self.pages, at, &page.slug, page.parent, page.id)?,
            _ => {}
        }
        self.replace(before, page)
    }

    fn relocate(
        &mut self,
        at: &str,
        page: &mut Page,
        into: &Maybe<String>,
        index: Option<usize>,
    ) -> Result<(), ApplyError> {
        let parent = match into {
            Maybe::Absent => page.parent,
            Maybe::Null => None,
            Maybe::Value(into) => {
                let parent = placement::load_parent(&self.pages, at, into)?;
                placement::require_valid_parent(&self.pages, at, page, Some(&parent))?;
                Some(parent.id)
            }
        };
        let moves = match index {
            _ if parent != page.parent => true,
            Some(index) => !self.is_at_index(page, index)?,
            None => false,
        };
        if moves {
            page.order = self.pages.order_at(parent, index, Some(page.id))?;
            page.parent = parent;
        }
        Ok(())
    }

    /// Returns whether the page is at this index among its siblings. An index behind the last one means the last.
    fn is_at_index(&self, page: &Page, index: usize) -> Result<bool, Missing> {
        let siblings = self.pages.children(page.parent)?;
        let last = siblings.len().saturating_sub(1);
        let present = siblings.get(index.min(last));
        Ok(present.is_some_and(|present| present.id == page.id))
    }

    /// Replaces a page by its changed version. An unchanged page keeps its times.
    pub(super) fn replace(&mut self, before: Page, mut page: Page) -> Result<(), ApplyError> {
        if page != before || self.texts.contains_key(&page.id) {
            page.created_at = page.created_at.or(Some(self.now));
            page.updated_at = Some(self.now);
            self.keep_times(&mut page)?;
            self.pages.put(page)?;
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, page: &Page) -> Result<(), ApplyError> {
        for gone in self.pages.remove_subtree(page)? {
            self.texts.remove(&gone.id);
        }
        self.record(page.id, PageEffect::Deleted);
        Ok(())
    }

    fn revert(
        &mut self,
        at: &str,
        page: &str,
        revision: Option<RevisionId>,
        blocks: Option<&[String]>,
    ) -> Result<(), ApplyError> {
        let id: PageId = page.parse().map_err(|_| unknown(&format!("{at}/page"), "page"))?;
        let snapshot = match revision {
            None => self.base.origin,
            Some(id) => {
                let named = self.base.named.get(&id).copied();
                named.ok_or_else(|| unknown(&format!("{at}/revision"), "revision"))?
            }
        };
        self.texts.remove(&id);
        match blocks {
            None => revert::revert_page(self, at, id, &snapshot),
            Some(keys) => revert::revert_blocks(self, at, id, &snapshot, keys),
        }
    }

    /// Records the effect on a page. The first effect decides the position in the answer, the last one the kind.
    pub(super) fn record(&mut self, page: PageId, effect: PageEffect) {
        match self.affected.iter_mut().find(|affected| affected.page == page) {
            Some(affected) => affected.update(effect),
            None => self.affected.push(AffectedPage { page, effect }),
        }
    }

    pub(super) fn put_text(&self, markdown: &str) -> Option<Hash> {
        (!markdown.is_empty()).then(|| self.pages.objects().put_text(markdown))
    }

    /// Writes the new texts with links resolved to ids. An unchanged text changes nothing.
    fn write_texts(&mut self) -> Result<(), ApplyError> {
        let texts = std::mem::take(&mut self.texts);
        let mut anchors = PageAnchors::new(&texts);
        for (id, text) in &texts {
            let id = *id;
            let Some(mut page) = self.pages.page(id)? else { continue };
            let targets = links::Targets {
                paths: PagePaths {
                    pages: &self.pages,
                    computed: self.base.computed.as_deref(),
                },
                names: &self.parsed.refs,
            };
            let pages = Pages::of(self.pages.objects(), self.base.snapshot);
            let before = pages.page(id)?;
            let before = before.as_ref().map(|before| (&pages, before));
            require_known_conditions(text, before)?;
            let markdown = links::resolve_links(&targets, &page, text, before, &mut anchors)?;
            let new = self.put_text(&markdown);
            if let PageContent::Document { document, cover, .. } = &mut page.content {
                *document = new;
                if let Some(picture) = links::cover_of_front_matter(&text.front, &self.parsed.refs) {
                    *cover = Some(picture);
                }
            }
            self.keep_times(&mut page)?;
            self.pages.put(page)?;
        }
        Ok(())
    }

    /// A page that equals the one before the request keeps its times.
    fn keep_times(&self, page: &mut Page) -> Result<(), Missing> {
        let before = Pages::of(self.pages.objects(), self.base.snapshot).page(page.id)?;
        if let Some(before) = before {
            let mut same = page.clone();
            (same.created_at, same.updated_at) = (before.created_at, before.updated_at);
            if same == before {
                *page = before;
            }
        }
        Ok(())
    }
}

/// Refuses conditions that cannot be parsed, unless the page had them before the request.
fn require_known_conditions(text: &PageText, before: Option<(&Pages<'_>, &Page)>) -> Result<(), ApplyError> {
    if text.invalid.is_empty() {
        return Ok(());
    }
    let mut known = BTreeSet::new();
    if let Some((pages, page)) = before {
        if let Some(document) = page.document() {
            let present = pages.objects().text(&document)?;
            // A stored text can be parsed.
            let sources = ExpressionSources::of(&present, &DocumentLimits::default()).unwrap_or_default();
            known = sources.conditions;
        }
        known.extend(page.condition.clone());
    }
    match text.invalid.iter().find(|invalid| !known.contains(&invalid.expression)) {
        Some(it) => Err(ApiError::invalid_member(&it.pointer, it.rule, it.message.clone()).into()),
        None => Ok(()),
    }
}

/// Sets the source of a placeholder for computed pages.
fn set_source(at: &str, page: &mut Page, source: &ComputedPages) -> Result<(), ApplyError> {
    match &mut page.content {
        PageContent::Computed { source: present } => {
            **present = source.clone();
            Ok(())
        }
        PageContent::Document { .. } | PageContent::Group | PageContent::Link { .. } => {
            let message = "`computed` is only allowed for a page of the type `computed`.";
            Err(ApiError::invalid_member(format!("{at}/computed"), ErrorRule::PageType, message).into())
        }
    }
}
