//! Texts as nodes, with the blocks of integrations in them.

use std::{borrow::Cow, sync::Arc};

use entity::ids::{PageId, ReusableContentId};
use openapi::{
    answer::Conditional,
    error::ApiError,
    models::{Dereferencing, Document, ExpressionEvaluation},
};
use rich_text::BlockLanguages;

use super::{
    RevisionReader, digest, fresh, nodes,
    texts::{TextName, included},
};

use crate::areas::authoring::located_pages::PageName;

impl<'a> RevisionReader<'a> {
    /// The text of a page as nodes.
    pub async fn page_document(
        mut self,
        id: PageId,
        evaluated: ExpressionEvaluation,
        dereferenced: Dereferencing,
    ) -> Result<Conditional<Document>, ApiError> {
        let found = self.require_page(PageName::Id(id)).await?;
        let name = TextName::OfPage(&found.page);
        self.nodes(name, "page-document", evaluated, dereferenced).await
    }

    /// The text of reusable content as nodes. Its expressions have no page.
    pub async fn reusable_content_document(
        mut self,
        id: ReusableContentId,
        evaluated: ExpressionEvaluation,
        dereferenced: Dereferencing,
    ) -> Result<Conditional<Document>, ApiError> {
        let content = self.load_reusable_content(id).await?;
        let name = TextName::Stored(content.document);
        let part = "reusable-content-document";
        self.nodes(name, part, evaluated, dereferenced).await
    }

    async fn nodes(
        self,
        name: TextName<'_>,
        part: &str,
        evaluated: ExpressionEvaluation,
        dereferenced: Dereferencing,
    ) -> Result<Conditional<Document>, ApiError> {
        let mut reader = self;
        let languages = reader.code_languages().await?;
        let part = part_with_blocks(part, &languages)?;
        let tag = reader.text_tag(&part, name, (evaluated, dereferenced)).await?;
        if tag.is_kept(reader.if_none_match.as_deref()) {
            return Ok(Conditional::NotModified(tag));
        }
        let included = included(dereferenced, evaluated);
        let text = reader.text_with_included(name, included).await?;
        let text = reader.evaluate(text.unwrap_or_default(), evaluated).await?;
        let text = text.with_languages(languages);
        fresh(tag, nodes::document(&reader.authoring.kernel.work, text).await?)
    }

    /// The languages of code that are blocks of integrations in answers with nodes.
    pub(super) fn code_languages(&self) -> impl Future<Output = Result<Arc<BlockLanguages>, ApiError>> + use<'a> {
        let (integrations, space) = (&self.authoring.contents.integrations, self.revision.space);
        async move { integrations.languages(space).await }
    }
}

/// The name of a part with nodes in tags, which changes with the integrations that have blocks in it.
pub(super) fn part_with_blocks<'a>(
    part: impl Into<Cow<'a, str>>,
    languages: &BlockLanguages,
) -> Result<Cow<'a, str>, ApiError> {
    let part = part.into();
    match languages.is_empty() {
        true => Ok(part),
        false => Ok(format!("{part}.{}", digest(languages)?).into()),
    }
}
