//! Pages as the Markdown files that readers get.

use std::collections::BTreeMap;

use content::{
    objects,
    pages::{Page, front_matter},
};
use entity::ids::{PageId, ReusableContentId};
use openapi::{
    error::ApiError,
    models::{ExpressionEvaluation, MarkdownRefs},
};
use rich_text::page_source::title_line;

use super::{RevisionReader, evaluation::SourceText, texts::TextName};

use crate::areas::authoring::{
    located_pages::{LocatedPage, PageName},
    page_links::{NamedTargets, PagePaths, ReadableLinks, may_have_targets, with_included},
};

impl RevisionReader<'_> {
    /// The Markdown file of a page: front matter, title and text.
    pub(super) async fn markdown_file(
        &mut self,
        page: &Page,
        path: &str,
        text: Option<SourceText>,
        (refs, evaluated): (MarkdownRefs, ExpressionEvaluation),
    ) -> Result<String, ApiError> {
        let mut file = front_matter(page).render() + &title_line(&page.title);
        let text = match text {
            Some(text) => self.evaluated_markdown(text, evaluated).await?,
            None => return Ok(file),
        };
        let text = match refs {
            MarkdownRefs::Relative => self.with_readable_links(Some(path), text, evaluated).await?,
            MarkdownRefs::Stable => self.with_readable_links(None, text, evaluated).await?,
        };
        if !text.is_empty() {
            file.extend(["\n\n", &text]);
        }
        Ok(file)
    }

    async fn evaluated_markdown(
        &mut self,
        text: SourceText,
        evaluated: ExpressionEvaluation,
    ) -> Result<String, ApiError> {
        let text = self.evaluate(text, evaluated).await?;
        text.into_markdown(&self.authoring.kernel.work).await
    }

    /// The text with words instead of ids, and from the page at `path` also with relative links and included texts.
    async fn with_readable_links(
        &mut self,
        path: Option<&str>,
        text: String,
        evaluated: ExpressionEvaluation,
    ) -> Result<String, ApiError> {
        if !may_have_targets(&text) {
            return Ok(text);
        }
        let mut named = NamedTargets::default();
        named.add(&text);
        let included = match path {
            Some(_) => self.included_texts(&named, evaluated).await?,
            None => BTreeMap::new(),
        };
        included.values().for_each(|markdown| named.add(markdown));
        let linked: Vec<PageId> = named.pages.into_iter().collect();
        self.compute(|pages| objects::all(linked.iter().map(|id| LocatedPage::find(pages, &PageName::Id(*id)))))
            .await?;
        let mut found = Vec::with_capacity(linked.len());
        for id in linked {
            found.extend(self.find_page(PageName::Id(id)).await?);
        }
        let files = self.compute(|pages| objects::all(named.files.iter().map(|id| pages.file(*id))));
        let files = files.await?.into_iter().flatten();
        let mut links = ReadableLinks::new(found.iter().map(|found| &found.page), files);
        if let Some(path) = path {
            let computed = self.computed.clone();
            let paths = self.compute(|pages| {
                let computed = computed.as_deref();
                PagePaths { pages, computed }.readable_paths(path, found.iter().map(|found| &found.page))
            });
            links.paths = paths.await?;
        }
        links.include(included, &text);
        Ok(links.rewrite(&text))
    }

    /// The text with the reusable contents of the space in the places of their tags.
    pub(super) async fn include_texts(
        &mut self,
        text: SourceText,
        evaluated: ExpressionEvaluation,
    ) -> Result<SourceText, ApiError> {
        let mut named = NamedTargets::default();
        named.add(&text.markdown);
        let included = self.included_texts(&named, evaluated).await?;
        let markdown = with_included(&text.markdown, included);
        Ok(SourceText { markdown, ..text })
    }

    async fn included_texts(
        &mut self,
        named: &NamedTargets,
        evaluated: ExpressionEvaluation,
    ) -> Result<BTreeMap<ReusableContentId, String>, ApiError> {
        let mut included = BTreeMap::new();
        for id in &named.contents {
            if let Some(markdown) = self.included_text(*id, evaluated).await? {
                included.insert(*id, markdown);
            }
        }
        Ok(included)
    }

    /// The text of a reusable content, whose expressions have no page.
    async fn included_text(
        &mut self,
        id: ReusableContentId,
        evaluated: ExpressionEvaluation,
    ) -> Result<Option<String>, ApiError> {
        let Some(content) = self.compute(|pages| pages.reusable_content(id)).await? else {
            return Ok(None);
        };
        let Some(text) = self.text(TextName::Stored(content.document)).await? else {
            return Ok(None);
        };
        Ok(Some(self.evaluated_markdown(text, evaluated).await?))
    }
}
