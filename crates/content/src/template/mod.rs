//! Templates: content from which other content is made.

mod copy;
mod limits;
mod parameters;
mod retarget;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::Arc};

use entity::ids::NodeId;
use openapi::error::ApiError;
use rich_text::{LinkChange, ReferenceRole, rewrite_links};
use sea_orm::ConnectionTrait;

pub use self::copy::{CopyTarget, TemplateCopy};
use self::limits::TextSizes;
pub use self::limits::Unusable;
pub use self::parameters::{Kind, Parameter};
use crate::{
    objects::{Content, Hash, Missing, Object, Objects},
    pages::{File, Forest, Page, Pages, ReusableContent, Snapshot, Variable},
};

/// Texts that are loaded at once.
const TEXTS_AT_ONCE: usize = 16;

/// The content of a template, with all its texts.
#[derive(Default)]
pub struct Template {
    /// `None`: the template comes with the server.
    space: Option<NodeId>,
    /// Each after its parent, siblings in their order.
    pages: Vec<Page>,
    reusable_contents: Vec<ReusableContent>,
    files: Vec<File>,
    variables: Vec<Variable>,
    texts: HashMap<Hash, Arc<Object>>,
}

impl Template {
    /// Loads the content of a space, unless it exceeds the limits of templates.
    pub async fn load<C: ConnectionTrait>(
        content: &mut Content<'_, C>,
        space: NodeId,
        snapshot: Snapshot,
    ) -> Result<Result<Self, Unusable>, ApiError> {
        if let Err(unusable) = limits::check_counts(&snapshot) {
            return Ok(Err(unusable));
        }
        let mut template = content.run(|objects| Self::without_texts(objects, snapshot)).await?;
        template.space = Some(space);
        let mut sizes = TextSizes::default();
        for batch in template.documents().chunks(TEXTS_AT_ONCE) {
            let texts = content.run(|objects| objects.all(batch)).await?;
            if let Err(unusable) = texts.values().try_for_each(|text| sizes.add(text.text())) {
                return Ok(Err(unusable));
            }
            content.unload(batch);
            template.texts.extend(texts);
        }
        Ok(Ok(template))
    }

    fn without_texts(objects: &Objects, snapshot: Snapshot) -> Result<Self, Missing> {
        let pages = Pages::of(objects, snapshot);
        let (forest, files) = (pages.forest(), pages.files_after(None, usize::MAX));
        let (reusable_contents, variables) = (pages.all_reusable_contents(), pages.stored_variables());
        Ok(Self {
            pages: from_the_top(&forest?),
            files: files?,
            reusable_contents: reusable_contents?,
            variables: variables?,
            ..Self::default()
        })
    }

    /// A template that comes with the server: its pages, each after its parent and with its text, and its variables.
    pub fn built_in(pages: Vec<(Page, String)>, variables: Vec<Variable>) -> Result<Self, Missing> {
        let objects = Objects::default();
        let with_text = |(mut page, text): (Page, String)| {
            page.set_document((!text.is_empty()).then(|| objects.put_text(&text)));
            page
        };
        let mut template = Self {
            pages: pages.into_iter().map(with_text).collect(),
            variables,
            ..Self::default()
        };
        template.texts = objects.all(&template.documents())?;
        Ok(template)
    }

    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// The bytes of its texts.
    pub fn text_bytes(&self) -> usize {
        self.texts.values().map(|text| text.text().len()).sum()
    }

    /// The texts of pages and shared contents, each once.
    fn documents(&self) -> Vec<Hash> {
        let pages = self.pages.iter().filter_map(Page::document);
        let contents = self.reusable_contents.iter().filter_map(|content| content.document);
        let mut all: Vec<Hash> = pages.chain(contents).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Each page after its parent, siblings in their order.
fn from_the_top(forest: &Forest) -> Vec<Page> {
    let mut pages = forest.below(None).to_vec();
    let mut next = 0;
    while let Some(page) = pages.get(next) {
        let below = forest.below(Some(page.id));
        pages.extend_from_slice(below);
        next += 1;
    }
    pages
}

/// Rewrites the links of a text, which was checked when it was written.
fn rewrite(text: &str, change: &mut dyn FnMut(&str, ReferenceRole) -> LinkChange) -> Result<String, ApiError> {
    rewrite_links(text, change).map_err(ApiError::internal)
}
