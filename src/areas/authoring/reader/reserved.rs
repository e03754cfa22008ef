//! Texts and pages for whose answers memory is reserved.

use std::borrow::Cow;

use content::{
    objects::Hash,
    pages::{Forest, Page},
};
use openapi::{
    error::ApiError,
    models::{Dereferencing, ExpressionEvaluation, TextFormat},
    work::{reserve_answer, try_reserve_answer},
};

use super::{
    RevisionReader, document_json,
    evaluation::{SourceText, page_variables},
};

/// Memory of an answer with a text, in bytes for each byte of the text: its members, its JSON and its compressed form.
const ANSWER_FACTOR: usize = 4;

/// Memory of an answer with pages, in bytes for each page, file or reusable content, and for each byte of the words of a page.
const PAGE_BYTES: usize = 2_000;
const WORDS_FACTOR: usize = 4;

/// A text of a revision, to be read.
#[derive(Clone, Copy)]
pub enum TextName<'a> {
    OfPage(&'a Page),
    /// Without a page.
    Stored(Option<Hash>),
}

impl RevisionReader<'_> {
    /// A text, if there is one, with memory for the answer. `included`: the texts that it includes stand in the places of their tags,
    /// evaluated in this way.
    pub(super) async fn reserved_text(
        &mut self,
        name: TextName<'_>,
        format: TextFormat,
        included: Option<ExpressionEvaluation>,
    ) -> Result<Option<SourceText>, ApiError> {
        let text = self.text_with_included(name, included).await?;
        let bytes = text.as_ref().map_or(0, |text| memory(&text.markdown, format));
        match self.reserve(text, bytes).await? {
            Some(text) => Ok(text),
            None => self.text_with_included(name, included).await,
        }
    }

    async fn text_with_included(
        &mut self,
        name: TextName<'_>,
        included: Option<ExpressionEvaluation>,
    ) -> Result<Option<SourceText>, ApiError> {
        let text = self.text(name).await?;
        match (text, included) {
            (Some(text), Some(evaluated)) => Ok(Some(self.include_texts(text, evaluated).await?)),
            (text, _) => Ok(text),
        }
    }

    /// The pages that the reader sees, with memory for an answer with all of them and as many other items.
    pub(super) async fn reserved_forest(&mut self, others: u32) -> Result<Forest, ApiError> {
        let forest = self.forest().await?;
        let others = usize::try_from(others).unwrap_or(usize::MAX);
        let bytes = memory_of_pages(&forest).saturating_add(others.saturating_mul(PAGE_BYTES));
        match self.reserve(forest, bytes).await? {
            Some(forest) => Ok(forest),
            None => self.forest().await,
        }
    }

    /// Like [`reserve`], and drops the loaded content before it waits.
    async fn reserve<T>(&mut self, text: T, bytes: usize) -> Result<Option<T>, ApiError> {
        if try_reserve_answer(bytes) {
            return Ok(Some(text));
        }
        drop(text);
        self.content.release();
        reserve_answer(bytes).await?;
        Ok(None)
    }

    async fn forest(&mut self) -> Result<Forest, ApiError> {
        let forest = self.compute(|pages| pages.forest()).await?;
        self.retain_visible(forest).await
    }

    /// The text of a page, if it has one.
    pub(super) async fn text_of(&mut self, page: &Page) -> Result<Option<SourceText>, ApiError> {
        let variables = page_variables(page);
        if let Some(markdown) = self.computed().and_then(|computed| computed.markdown(page.id)) {
            let text = SourceText {
                markdown,
                variables,
                is_computed: true,
            };
            return Ok(Some(text).filter(|text| !text.markdown.is_empty()));
        }
        let markdown = self.stored_text(page.document()).await?;
        Ok(markdown.map(|markdown| SourceText {
            markdown,
            variables,
            is_computed: false,
        }))
    }

    /// A text, if there is one.
    pub(super) async fn text(&mut self, name: TextName<'_>) -> Result<Option<SourceText>, ApiError> {
        match name {
            TextName::OfPage(page) => self.text_of(page).await,
            TextName::Stored(hash) => {
                let markdown = self.stored_text(hash).await?;
                Ok(markdown.map(|markdown| SourceText {
                    markdown,
                    ..SourceText::default()
                }))
            }
        }
    }
}

fn memory_of_pages(forest: &Forest) -> usize {
    let (mut total, mut waiting) = (0_usize, vec![(None, 0)]);
    while let Some((parent, length_of_path)) = waiting.pop() {
        for page in forest.below(parent) {
            let path: usize = length_of_path + page.slug.len() + 1;
            let words = path + page.title.len() + page.description.as_deref().unwrap_or_default().len();
            total = total.saturating_add(PAGE_BYTES + words * WORDS_FACTOR);
            waiting.push((Some(page.id), path));
        }
    }
    total
}

/// Reserves memory for the answer with a text. Whoever has to wait holds no text meanwhile: `None`, and it is to be read again.
pub async fn reserve<T>(text: T, bytes: usize) -> Result<Option<T>, ApiError> {
    if try_reserve_answer(bytes) {
        return Ok(Some(text));
    }
    drop(text);
    reserve_answer(bytes).await?;
    Ok(None)
}

/// The most memory of an answer with a text, besides the computations.
fn memory(markdown: &str, format: TextFormat) -> usize {
    match format {
        TextFormat::Markdown => markdown.len().saturating_mul(ANSWER_FACTOR),
        TextFormat::Document => document_json::memory(markdown),
    }
}

/// The evaluation of the texts that stand in the places of their tags. `None`: the tags stay.
pub fn included(dereferenced: Dereferencing, evaluated: ExpressionEvaluation) -> Option<ExpressionEvaluation> {
    match dereferenced {
        Dereferencing::False => None,
        Dereferencing::True | Dereferencing::ReusableContents => Some(evaluated),
    }
}

/// The name of a part of a revision in tags, with or without the texts that it includes.
pub fn part_with_included(part: &str, dereferenced: Dereferencing) -> Cow<'_, str> {
    match dereferenced {
        Dereferencing::False => part.into(),
        Dereferencing::True | Dereferencing::ReusableContents => format!("{part}.included").into(),
    }
}
