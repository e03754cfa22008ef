//! The content that the result would have if nobody else wrote there.

use std::collections::{BTreeMap, HashMap};

use content::{
    objects::{Missing, Objects},
    pages::{Change, Page, PageContent, Pages, Snapshot},
};
use openapi::{
    error::ApiError,
    models::{ContentRef, texts::PAGE_TITLE},
};
use translation::{MemoryKey, Segment, document::retarget};

use super::{
    context::{RunContext, Work},
    memory::Memory,
    rest::Rest,
    texts::{self, TranslatedTexts},
};

use crate::areas::authoring::editor::{PageFields, invalid_members};

/// What a run made.
pub struct Made {
    work: Work,
    pages: Vec<Page>,
    texts: TranslatedTexts,
    /// Segments that stay in the source language.
    pub untranslated: usize,
    /// Where they are.
    pub rest: Rest,
    pub has_engine: bool,
}

pub async fn make(run: &RunContext<'_>, work: Work, memory: &Memory<'_>) -> Result<Made, ApiError> {
    let texts = texts::make(run, &work, memory).await?;
    let titles = titles(run, &work, memory).await?;
    let mut untranslated = texts.untranslated;
    let mut pages = Vec::with_capacity(work.pages.len());
    let mut rest = Rest::default();
    for page in &work.pages {
        let mut page = page.clone();
        let in_titles = translate_titles(run, &mut page, &titles);
        untranslated += in_titles;
        if in_titles > 0 || page.document().is_some_and(|text| texts.incomplete.contains(&text)) {
            rest.pages.push(page.id);
        }
        set_content(run, &mut page, &texts)?;
        pages.push(page);
    }
    let contents = work.reusable_contents.iter();
    let incomplete = contents.filter(|content| content.document.is_some_and(|text| texts.incomplete.contains(&text)));
    rest.reusable_contents.extend(incomplete.map(|content| content.id));
    if !memory.has_engine() {
        // Nothing was to be translated.
        (untranslated, rest) = (0, Rest::default());
    }
    Ok(Made {
        work,
        pages,
        texts,
        untranslated,
        rest,
        has_engine: memory.has_engine(),
    })
}

/// The translations of the titles and descriptions of all pages.
async fn titles(
    run: &RunContext<'_>,
    work: &Work,
    memory: &Memory<'_>,
) -> Result<HashMap<MemoryKey, String>, ApiError> {
    let all = work.pages.iter().flat_map(texts::titles);
    let keys: Vec<MemoryKey> = all.map(|text| run.key(&Segment::plain(text))).collect();
    Ok(memory.lookup(&keys).await?)
}

/// Returns how many of them stay in the source language.
fn translate_titles(run: &RunContext<'_>, page: &mut Page, known: &HashMap<MemoryKey, String>) -> usize {
    let mut untranslated = 0;
    let mut translated = |text: &str, fitting: &dyn Fn(String) -> Option<String>| {
        let segment = Segment::plain(text);
        let found = known
            .get(&run.key(&segment))
            .and_then(|text| segment.plain_translation(text));
        let found = found.and_then(fitting);
        untranslated += usize::from(found.is_none() && segment.has_words());
        found
    };
    // Engines put characters into translations that no title may have, such as spaces without width between words.
    let title = |text: String| match PAGE_TITLE.accepts(&text) {
        true => Some(text),
        false => PAGE_TITLE.clean(&text),
    };
    let description = |text: String| {
        let fields = PageFields {
            description: Some(text),
            ..PageFields::default()
        };
        invalid_members(&fields).is_empty().then_some(fields.description)?
    };
    if let Some(title) = translated(&page.title, &title) {
        page.title = title;
    }
    if let Some(title) = page.link_title.as_deref().and_then(|text| translated(text, &title)) {
        page.link_title = Some(title);
    }
    let source = page.description.as_deref();
    if let Some(description) = source.and_then(|text| translated(text, &description)) {
        page.description = Some(description);
    }
    untranslated
}

fn set_content(run: &RunContext<'_>, page: &mut Page, texts: &TranslatedTexts) -> Result<(), ApiError> {
    match &mut page.content {
        PageContent::Document { document, .. } => {
            *document = document.and_then(|hash| texts.texts.get(&hash).copied());
        }
        PageContent::Link { target } => {
            let mut value = serde_json::to_value(&*target)?;
            retarget(&mut value, &run.spaces);
            *target = serde_json::from_value::<ContentRef>(value)?;
        }
        PageContent::Group | PageContent::Computed { .. } => {}
    }
    Ok(())
}

impl Made {
    /// The content of the result as the run makes it.
    pub fn snapshot(&self, objects: &Objects, written: &Snapshot) -> Result<Snapshot, Missing> {
        let structure = &self.work.structure;
        let mut pages = Pages::of(objects, *written);
        // Old places become free before new ones are taken.
        for page in removed(&structure.pages) {
            pages.remove(page);
        }
        for page in &self.pages {
            pages.put(page.clone())?;
        }
        for (id, change) in &structure.files {
            match &change.after {
                Some(file) => pages.put_file(file.clone()),
                None => pages.remove_file(*id),
            }
        }
        for (id, change) in &structure.reusable_contents {
            if change.after.is_none() {
                pages.remove_reusable_content(*id);
            }
        }
        for content in &self.work.reusable_contents {
            let mut content = content.clone();
            content.document = content.document.and_then(|hash| self.texts.texts.get(&hash).copied());
            pages.put_reusable_content(content);
        }
        for (name, change) in &structure.variables {
            match &change.after {
                Some(variable) => pages.put_variable(variable.clone()),
                None => pages.remove_variable(name),
            }
        }
        pages.finish()
    }
}

/// The pages before their changes. Slugs of the result are those of the source.
fn removed<Id>(changes: &BTreeMap<Id, Change<Page>>) -> impl Iterator<Item = &Page> {
    changes.values().filter_map(|change| change.before.as_ref())
}
