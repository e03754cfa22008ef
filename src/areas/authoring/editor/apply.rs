//! Making changes, one after the other, all or none.

use std::{collections::HashMap, sync::Arc};

use content::{
    draft::Draft,
    initial::UNTITLED,
    objects::{Content, Hash, Missing, Objects},
    pages::{Page, PageContent, Pages, Snapshot},
};
use entity::{
    ids::{PageId, RevisionId},
    timestamp::Timestamp,
};
use openapi::{error::ApiError, values::Maybe};
use sea_orm::{ConnectionTrait, DbErr};

use super::{
    answer::{Touch, Touched},
    fields::{self, Fields},
    links,
    prepare::{Prepared, unknown},
    reverting, slugs,
    steps::{Step, Text},
    structure,
    writer::{Base, Stop, Writer},
};

/// What changes led to.
pub struct Applied {
    pub draft: Draft,
    pub touched: Vec<Touched>,
}

/// Makes the changes, unless one of them is refused.
pub async fn apply<C: ConnectionTrait>(
    content: &mut Content<'_, C>,
    base: &Base,
    prepared: &Arc<Prepared>,
    now: Timestamp,
) -> Result<Result<Applied, ApiError>, DbErr> {
    let made = content.run(|objects| match changed(objects, base, prepared, now) {
        Ok(made) => Ok(Ok(made)),
        Err(Stop::Refused(refused)) => Ok(Err(refused)),
        Err(Stop::Missing) => Err(Missing),
    });
    let (snapshot, touched) = match made.await? {
        Ok(made) => made,
        Err(refused) => return Ok(Err(*refused)),
    };
    let draft = Draft::of(content, &base.snapshot, snapshot).await?;
    Ok(Ok(Applied { draft, touched }))
}

fn changed(
    objects: &Objects,
    base: &Base,
    prepared: &Prepared,
    now: Timestamp,
) -> Result<(Snapshot, Vec<Touched>), Stop> {
    let mut writer = Writer {
        pages: Pages::of(objects, base.snapshot),
        base,
        prepared,
        now,
        texts: HashMap::new(),
        touched: Vec::new(),
    };
    for (index, step) in prepared.steps.iter().enumerate() {
        writer.step(&format!("/body/changes/{index}"), step)?;
    }
    writer.write_texts()?;
    Ok((writer.pages.finish()?, writer.touched))
}

impl<'w> Writer<'w> {
    fn step(&mut self, at: &str, step: &'w Step) -> Result<(), Stop> {
        match step {
            Step::Insert {
                id,
                fields,
                text,
                into,
                at: index,
                name,
            } => {
                self.insert(at, *id, fields, text, into.as_deref(), *index)?;
                self.touch(*id, Touch::Inserted(name.clone()));
            }
            Step::Edit {
                page,
                fields,
                text,
                into,
                at: index,
            } => {
                let page = structure::page(&self.pages, &format!("{at}/page"), page)?;
                let id = page.id;
                self.edit(at, page, fields, text.as_ref(), into, *index)?;
                self.touch(id, Touch::Edited);
            }
            Step::Delete { page } => {
                let page = structure::page(&self.pages, &format!("{at}/page"), page)?;
                self.delete(&page)?;
            }
            Step::Revert { page, revision, blocks } => self.revert(at, page, *revision, blocks.as_deref())?,
            Step::Files(files) => files.iter().for_each(|file| self.pages.put_file(file.clone())),
        }
        Ok(())
    }

    fn insert(
        &mut self,
        at: &str,
        id: PageId,
        fields: &Fields,
        text: &'w Text,
        into: Option<&str>,
        index: Option<usize>,
    ) -> Result<(), Stop> {
        let parent = into.map(|into| structure::parent(&self.pages, at, into)).transpose()?;
        let title = fields.title.as_ref().or(text.title()).cloned();
        let title = title.unwrap_or_else(|| UNTITLED.to_owned());
        let mut page = Page {
            parent: parent.as_ref().map(|parent| parent.id),
            created_at: Some(self.now),
            updated_at: Some(self.now),
            ..Page::empty(id, Default::default(), title, String::new())
        };
        structure::require_place(&self.pages, at, &page, parent.as_ref())?;
        fields.write(&mut page);
        fields::write_front_matter(&mut page, &text.front);
        page.slug = self.slug(at, &page, fields.slug.as_deref())?;
        page.order = self.pages.order_at(page.parent, index, None)?;
        self.texts.insert(id, text);
        Ok(self.pages.put(page)?)
    }

    /// The slug that was asked for, or one made of the title.
    fn slug(&self, at: &str, page: &Page, wanted: Option<&str>) -> Result<String, Stop> {
        match wanted.filter(|slug| !slug.is_empty()) {
            Some(slug) => {
                structure::require_free(&self.pages, at, slug, page.parent, page.id)?;
                Ok(slug.to_owned())
            }
            None => Ok(slugs::free(&self.pages, page.parent, &page.title, page.id)?),
        }
    }

    fn edit(
        &mut self,
        at: &str,
        before: Page,
        fields: &Fields,
        text: Option<&'w Text>,
        into: &Maybe<String>,
        index: Option<usize>,
    ) -> Result<(), Stop> {
        let mut page = before.clone();
        if let Some(text) = text {
            if !matches!(page.content, PageContent::Document { .. }) {
                let message = "Only a page of the type `document` has a text.";
                return Err(ApiError::invalid_member(format!("{at}/document"), "page-type", message).into());
            }
            if let (None, Some(title)) = (&fields.title, text.title()) {
                page.title.clone_from(title);
            }
            fields::write_front_matter(&mut page, &text.front);
            self.texts.insert(page.id, text);
        }
        fields.write(&mut page);
        self.relocate(at, &mut page, into, index)?;
        let moved = page.parent != before.parent;
        match fields.slug.as_deref() {
            Some(slug) if !matches!(page.content, PageContent::Link { .. }) => {
                page.slug = self.slug(at, &page, Some(slug))?;
            }
            _ if moved => structure::require_free(&self.pages, at, &page.slug, page.parent, page.id)?,
            _ => {}
        }
        self.replace(before, page)
    }

    fn relocate(&mut self, at: &str, page: &mut Page, into: &Maybe<String>, index: Option<usize>) -> Result<(), Stop> {
        let parent = match into {
            Maybe::Absent => page.parent,
            Maybe::Null => None,
            Maybe::Value(into) => {
                let parent = structure::parent(&self.pages, at, into)?;
                structure::require_place(&self.pages, at, page, Some(&parent))?;
                Some(parent.id)
            }
        };
        let moves = match index {
            _ if parent != page.parent => true,
            Some(index) => !self.stands_at(page, index)?,
            None => false,
        };
        if moves {
            page.order = self.pages.order_at(parent, index, Some(page.id))?;
            page.parent = parent;
        }
        Ok(())
    }

    /// Whether so many siblings stand in front of a page, or all of them.
    fn stands_at(&self, page: &Page, index: usize) -> Result<bool, Missing> {
        let siblings = self.pages.children(page.parent)?;
        let last = siblings.len().saturating_sub(1);
        let present = siblings.get(index.min(last));
        Ok(present.is_some_and(|present| present.id == page.id))
    }

    /// Puts a changed page in the place of what it was. One that is as before keeps its times.
    pub(super) fn replace(&mut self, before: Page, mut page: Page) -> Result<(), Stop> {
        if page != before || self.texts.contains_key(&page.id) {
            page.created_at = page.created_at.or(Some(self.now));
            page.updated_at = Some(self.now);
            self.keep_times(&mut page)?;
            self.pages.put(page)?;
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, page: &Page) -> Result<(), Stop> {
        for gone in self.pages.remove_subtree(page)? {
            self.texts.remove(&gone.id);
        }
        self.touch(page.id, Touch::Deleted);
        Ok(())
    }

    fn revert(
        &mut self,
        at: &str,
        page: &str,
        revision: Option<RevisionId>,
        blocks: Option<&[String]>,
    ) -> Result<(), Stop> {
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
            None => reverting::page(self, at, id, &snapshot),
            Some(keys) => reverting::blocks(self, at, id, &snapshot, keys),
        }
    }

    /// Notes what was done to a page: what was first done says where it stands in the answer, what was last done how.
    pub(super) fn touch(&mut self, page: PageId, touch: Touch) {
        match self.touched.iter_mut().find(|touched| touched.page == page) {
            Some(touched) => touched.again(touch),
            None => self.touched.push(Touched { page, touch }),
        }
    }

    pub(super) fn put_text(&self, markdown: &str) -> Option<Hash> {
        (!markdown.is_empty()).then(|| self.pages.objects().put_text(markdown))
    }

    /// Gives pages their new texts, with links that hold wherever the pages go. A text that stays the same changes nothing.
    fn write_texts(&mut self) -> Result<(), Stop> {
        let texts = std::mem::take(&mut self.texts);
        for (id, text) in texts {
            let Some(mut page) = self.pages.page(id)? else { continue };
            let markdown = links::resolved(&self.pages, &page, text, &self.prepared.names)?;
            let new = self.put_text(&markdown);
            if let PageContent::Document { document, cover, .. } = &mut page.content {
                *document = new;
                if let Some(picture) = links::named_cover(&text.front, &self.prepared.names) {
                    *cover = Some(picture);
                }
            }
            self.keep_times(&mut page)?;
            self.pages.put(page)?;
        }
        Ok(())
    }

    /// A page that is as it was before the request keeps its times.
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
