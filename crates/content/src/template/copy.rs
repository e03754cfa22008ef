//! Copies of the content of templates.

use std::collections::{BTreeMap, HashMap, HashSet};

use entity::{
    ids::{NodeId, PageId},
    timestamp::Timestamp,
};
use openapi::{error::ApiError, models::ContentRef};
use platform::db::IdSource;

use super::{Template, parameters, retarget::References, rewrite};
use crate::{
    objects::{Hash, Missing},
    pages::{File, Order, Page, PageContent, Pages, ReusableContent, Variable},
};

/// The target of a copy.
pub struct CopyTarget<'a> {
    pub space: NodeId,
    /// The values of parameters by their names.
    pub values: &'a BTreeMap<String, ContentRef>,
    pub ids: &'a IdSource,
    pub now: Timestamp,
    pub computed: ComputedIds<'a>,
}

/// Gives the ids of the computed pages below copies of placeholders, by those in the template, from the ids of the copies.
pub type ComputedIds<'a> = &'a (dyn Fn(&HashMap<PageId, PageId>) -> HashMap<PageId, PageId> + Sync);

/// A copy of the content of a template with new ids, ready to be added to content.
pub struct TemplateCopy {
    /// Each after its parent. Their texts are those of the template.
    pages: Vec<Page>,
    reusable_contents: Vec<ReusableContent>,
    files: Vec<File>,
    variables: Vec<Variable>,
    /// The new texts by those of the template.
    texts: HashMap<Hash, String>,
}

impl Template {
    /// Makes a copy: references within the template lead to what is copied, parameters to their values.
    pub fn copy(&self, into: &CopyTarget<'_>) -> Result<TemplateCopy, ApiError> {
        let ids = into.ids;
        let mut pages: HashMap<PageId, PageId> = self.pages.iter().map(|page| (page.id, ids.next())).collect();
        pages.extend((into.computed)(&pages));
        let references = References {
            spaces: (self.space, into.space),
            pages,
            files: self.files.iter().map(|file| (file.id, ids.next())).collect(),
            reusable_contents: self.reusable_contents.iter().map(|it| (it.id, ids.next())).collect(),
            values: into.values,
        };
        let mut texts = HashMap::with_capacity(self.texts.len());
        for (hash, text) in &self.texts {
            let mut change = |target: &str, role| references.change(target, role);
            texts.insert(*hash, rewrite(text.text(), &mut change)?);
        }
        let new = |id: &PageId| references.pages.get(id).copied().unwrap_or(*id);
        let files = self.files.iter().cloned().map(|mut file| {
            file.id = references.files.get(&file.id).copied().unwrap_or(file.id);
            file
        });
        let reusable_contents = self.reusable_contents.iter().cloned().map(|mut content| {
            let id = references.reusable_contents.get(&content.id).copied();
            content.id = id.unwrap_or(content.id);
            content
        });
        let pages = self.pages.iter().map(|page| Page {
            id: new(&page.id),
            parent: page.parent.as_ref().map(new),
            slug: slug(page, new(&page.id)),
            created_at: Some(into.now),
            updated_at: Some(into.now),
            content: content(&page.content, &references),
            ..page.clone()
        });
        Ok(TemplateCopy {
            pages: pages.collect(),
            reusable_contents: reusable_contents.collect(),
            files: files.collect(),
            variables: self.variables.clone(),
            texts,
        })
    }
}

/// The slug of a copy. Pages that show no slug have their id as theirs.
fn slug(page: &Page, id: PageId) -> String {
    match page.slug == page.id.to_string() {
        true => id.to_string(),
        false => page.slug.clone(),
    }
}

fn content(content: &PageContent, references: &References<'_>) -> PageContent {
    let mut content = content.clone();
    match &mut content {
        PageContent::Document { cover, other, .. } => {
            parameters::remove_descriptions(other);
            if let Some(cover) = cover
                && let Some(picture) = references.picture(&cover.picture)
            {
                cover.picture = picture;
            }
        }
        PageContent::Link { target } => {
            if let Some(changed) = references.changed(target) {
                *target = changed;
            }
        }
        PageContent::Computed { source } => {
            for specification in source.specifications.values_mut() {
                if let Some(value) = references.specification(specification) {
                    *specification = value;
                }
            }
        }
        PageContent::Group => {}
    }
    content
}

impl TemplateCopy {
    /// Adds the copy to content: its pages after those at the top level, with slugs that are free there. A variable that the
    /// content has keeps its value.
    pub fn add_to(&self, pages: &mut Pages<'_>) -> Result<(), Missing> {
        let siblings = pages.children(None)?;
        let variables = pages.stored_variables()?;
        let mut last = siblings.last().map(|page| page.order.clone());
        for page in &self.pages {
            let mut page = page.clone();
            page.set_document(page.document().map(|text| self.put_text(pages, text)));
            if page.parent.is_none() {
                page.order = Order::between(last.as_ref(), None).unwrap_or_default();
                last = Some(page.order.clone());
                if pages.page_at(None, &page.slug)?.is_some() {
                    page.slug = pages.free_slug(None, &page.slug, 2)?.0;
                }
            }
            pages.put(page)?;
        }
        for content in &self.reusable_contents {
            let mut content = content.clone();
            content.document = content.document.map(|text| self.put_text(pages, text));
            pages.put_reusable_content(content);
        }
        for file in &self.files {
            pages.put_file(file.clone());
        }
        let known: HashSet<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
        for variable in self.variables.iter().filter(|it| !known.contains(it.name.as_str())) {
            pages.put_variable(variable.clone());
        }
        Ok(())
    }

    fn put_text(&self, pages: &Pages<'_>, text: Hash) -> Hash {
        match self.texts.get(&text) {
            Some(new) => pages.objects().put_text(new),
            None => text,
        }
    }
}
