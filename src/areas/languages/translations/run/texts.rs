//! Texts of the source, and their translations.

use std::collections::{HashMap, HashSet};

use content::{
    objects::{Hash, Object},
    pages::Page,
};
use openapi::{error::ApiError, models::Document};
use platform::db::Tx;
use rich_text::{DocumentLimits, IdPathResolver};
use translation::{MemoryKey, Segment, TranslatedDocument, segments_of, translate_document};

use super::{
    context::{RunContext, Work},
    memory::{Memory, MemoryError},
};

/// Texts in memory at once.
const TEXTS_AT_ONCE: usize = 4;

/// Has the segments of the work translated that the memory does not know.
pub async fn translate(run: &RunContext<'_>, work: &Work, memory: &mut Memory<'_>) -> Result<(), MemoryError> {
    if !memory.has_engine() {
        return Ok(());
    }
    for page in &work.pages {
        memory.add(titles(page).into_iter().map(Segment::plain));
        memory.settle().await?;
    }
    let documents = documents(work);
    let mut content = run.source_content();
    for batch in documents.chunks(TEXTS_AT_ONCE) {
        let texts = content.run(|objects| objects.all(batch)).await?;
        let mut segments = Vec::with_capacity(texts.len());
        for text in texts.values() {
            let computation = run.languages.kernel.work.start(text.text().len()).await?;
            segments.push(computation.run(|| parse(text).and_then(|document| Ok(segments_of(&document)?)))?);
        }
        // The engine takes minutes.
        drop(texts);
        content.unload(batch);
        for of_text in segments {
            memory.add(of_text);
            memory.settle().await?;
        }
    }
    memory.finish().await
}

/// The titles and the description of a page.
pub fn titles(page: &Page) -> Vec<&str> {
    let members = [Some(&page.title), page.link_title.as_ref(), page.description.as_ref()];
    members.into_iter().flatten().map(String::as_str).collect()
}

/// The texts of the work, each once.
fn documents(work: &Work) -> Vec<Hash> {
    let pages = work.pages.iter().filter_map(Page::document);
    let contents = work.reusable_contents.iter().filter_map(|content| content.document);
    let all: HashSet<Hash> = pages.chain(contents).collect();
    all.into_iter().collect()
}

fn parse(text: &Object) -> Result<Document, ApiError> {
    rich_text::parse_with(text.text(), &DocumentLimits::default(), &IdPathResolver).map_err(ApiError::internal)
}

/// The texts of the result by those of the source.
#[derive(Default)]
pub struct TranslatedTexts {
    pub texts: HashMap<Hash, Hash>,
    /// Segments that stay in the source language.
    pub untranslated: usize,
    /// The texts of the source that have such segments.
    pub incomplete: HashSet<Hash>,
}

/// Makes the texts of the result from the memory, and stores them. They have no effect before a revision refers to them.
pub async fn make(run: &RunContext<'_>, work: &Work, memory: &Memory<'_>) -> Result<TranslatedTexts, ApiError> {
    let mut made = TranslatedTexts::default();
    let documents = documents(work);
    let mut content = run.source_content();
    for batch in documents.chunks(TEXTS_AT_ONCE) {
        let texts = content.run(|objects| objects.all(batch)).await?;
        let mut written = Vec::with_capacity(texts.len());
        for (hash, text) in &texts {
            let (markdown, untranslated) = make_one(run, text, memory).await?;
            made.untranslated += untranslated;
            if untranslated > 0 {
                made.incomplete.insert(*hash);
            }
            written.push((*hash, markdown));
        }
        content.unload(batch);
        // Nothing is loaded into this one, so that it stores each text, also one that the source has.
        let target = run.result_content();
        let stored: Vec<Hash> = written.iter().map(|(_, markdown)| target.put_text(markdown)).collect();
        made.texts
            .extend(written.iter().map(|(source, _)| *source).zip(stored.iter().copied()));
        let (mut fresh, space) = (target.fresh(stored), run.result_id());
        fresh.store_ahead(&run.languages.kernel.db, space).await?;
        let work = move |tx: Tx| async move { fresh.store(&tx, space).await };
        run.languages.kernel.db.write(work).await?;
    }
    Ok(made)
}

/// Returns the text of the result, and the number of its segments in the source language.
async fn make_one(run: &RunContext<'_>, text: &Object, memory: &Memory<'_>) -> Result<(String, usize), ApiError> {
    let source = text.text();
    let has_references = source.contains(&run.spaces.from);
    let computation = run.languages.kernel.work.start(source.len()).await?;
    let (document, keys) = computation.run(|| {
        let document = parse(text)?;
        let segments = segments_of(&document)?;
        let keys: Vec<MemoryKey> = segments.iter().map(|segment| run.key(segment)).collect();
        Ok::<_, ApiError>((document, keys))
    })?;
    drop(computation);
    let known = memory.lookup(&keys).await?;
    if known.is_empty() && !has_references {
        return Ok((source.to_owned(), keys.len()));
    }
    let computation = run.languages.kernel.work.start(source.len()).await?;
    let rendered = computation.run(|| {
        let translate = |translation: &mut dyn FnMut(&Segment) -> Option<String>| {
            let TranslatedDocument { document, untranslated } =
                translate_document(&document, &run.spaces, translation).ok()?;
            let markdown = rich_text::render_with(&document, &DocumentLimits::default(), &IdPathResolver).ok()?;
            Some((markdown, untranslated))
        };
        // A text in which the translations have no form in Markdown stays in the words of the source.
        let translated = translate(&mut |segment| known.get(&run.key(segment)).cloned());
        translated.or_else(|| translate(&mut |_| None))
    });
    Ok(rendered.unwrap_or_else(|| (source.to_owned(), keys.len())))
}
