//! Texts of a revision.

use std::borrow::Cow;

use content::{
    objects::Hash,
    pages::{Forest, Page},
};
use openapi::{
    error::ApiError,
    models::{Dereferencing, ExpressionEvaluation},
    work::acquire_large_for_text,
};

use super::{
    RevisionReader,
    evaluation::{SourceText, page_variables},
};

/// A text of a revision, to be read.
#[derive(Clone, Copy)]
pub enum TextName<'a> {
    OfPage(&'a Page),
    /// Without a page.
    Stored(Option<Hash>),
}

impl RevisionReader<'_> {
    /// A text, if there is one, of which a long one makes the request large. `included`: the texts that it includes stand in the places of
    /// their tags, evaluated in this way.
    pub(super) async fn text_with_included(
        &mut self,
        name: TextName<'_>,
        included: Option<ExpressionEvaluation>,
    ) -> Result<Option<SourceText>, ApiError> {
        let text = match (self.text(name).await?, included) {
            (Some(text), Some(evaluated)) => Some(self.include_texts(text, evaluated).await?),
            (text, _) => text,
        };
        acquire_large_for_text(text.as_ref().map_or(0, |text| text.markdown.len())).await?;
        Ok(text)
    }

    /// The pages that the reader sees.
    pub(super) async fn visible_forest(&mut self) -> Result<Forest, ApiError> {
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
