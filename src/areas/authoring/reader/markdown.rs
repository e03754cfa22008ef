//! Pages as the Markdown files that readers get.

use std::collections::BTreeMap;

use content::pages::{Page, front_matter};
use entity::ids::{PageId, ReusableContentId};
use openapi::{
    error::ApiError,
    models::{ExpressionEvaluation, MarkdownRefs},
};
use rich_text::page_source::title_line;

use super::{RevisionReader, evaluation::SourceText, reserved::TextName};

use crate::areas::authoring::{
    located_pages::PageName,
    page_links::{NamedTargets, PagePaths, ReadableLinks, may_name_ids},
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
            MarkdownRefs::Relative => self.with_readable_links(path, text, evaluated).await?,
            MarkdownRefs::Stable => text,
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

    async fn with_readable_links(
        &mut self,
        path: &str,
        text: String,
        evaluated: ExpressionEvaluation,
    ) -> Result<String, ApiError> {
        if !may_name_ids(&text) {
            return Ok(text);
        }
        let mut named = NamedTargets::default();
        named.add(&text);
        let mut included = BTreeMap::new();
        for id in std::mem::take(&mut named.contents) {
            if let Some(markdown) = self.included_text(id, evaluated).await? {
                named.add(&markdown);
                included.insert(id, markdown);
            }
        }
        let urls = &self.authoring.kernel.urls;
        let mut links = ReadableLinks::new(urls, self.revision.space);
        let linked: Vec<PageId> = named.pages.into_iter().collect();
        self.compute(|pages| {
            // All that is missing is asked for before it is loaded together.
            let found: Vec<_> = linked.iter().map(|id| pages.page(*id)).collect();
            found.into_iter().collect::<Result<Vec<_>, _>>()
        })
        .await?;
        for id in linked {
            let Some(found) = self.find_page(PageName::Id(id)).await? else {
                continue;
            };
            let computed = self.computed.clone();
            let readable = self.compute(|pages| {
                let computed = computed.as_deref();
                PagePaths { pages, computed }.readable(path, &found.page)
            });
            links.paths.extend(readable.await?.map(|path| (id, path)));
        }
        for id in named.files {
            if let Some(file) = self.compute(|pages| pages.file(id)).await? {
                links.files.insert(id, urls.file(self.revision.space, &file));
            }
        }
        links.include(included);
        Ok(links.rewrite(&text))
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
