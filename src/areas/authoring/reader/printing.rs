//! Reads of a whole revision for print.

use std::collections::HashMap;

use content::pages::{File, Forest, Page};
use entity::ids::ReusableContentId;
use openapi::error::ApiError;
use rich_text::{DocumentLimits, DocumentStream, IdPathResolver, document_memory, evaluate_block};
use serde_json::Value;

use super::{RevisionReader, evaluation::SourceText};

/// The memory of nodes as values of JSON, in halves of the memory of the nodes with their JSON.
const VALUES_FACTOR: usize = 5;

impl RevisionReader<'_> {
    /// The pages that the reader sees, and all files.
    pub async fn pages_and_files(&mut self) -> Result<(Forest, Vec<File>), ApiError> {
        let content = self.compute(|pages| {
            let (forest, files) = (pages.forest(), pages.files_after(None, usize::MAX));
            Ok((forest?, files?))
        });
        let (forest, files) = content.await?;
        Ok((self.retain_visible(forest).await?, files))
    }

    /// The nodes of a page as readers see them.
    pub async fn printed_page(&mut self, page: &Page) -> Result<Vec<Value>, ApiError> {
        let text = self.text_of(page).await?;
        self.printed_nodes(text).await
    }

    /// The nodes of reusable contents; those that do not exist are left out.
    pub async fn printed_reusable_contents(
        &mut self,
        ids: Vec<ReusableContentId>,
    ) -> Result<HashMap<ReusableContentId, Vec<Value>>, ApiError> {
        let mut found = HashMap::new();
        for id in ids {
            if let Some(content) = self.compute(|pages| pages.reusable_content(id)).await? {
                let text = self.stored_text(content.document).await?;
                let text = text.map(|markdown| SourceText {
                    markdown,
                    ..SourceText::default()
                });
                found.insert(id, self.printed_nodes(text).await?);
            }
        }
        Ok(found)
    }

    async fn printed_nodes(&mut self, text: Option<SourceText>) -> Result<Vec<Value>, ApiError> {
        let Some(text) = text else {
            return Ok(Vec::new());
        };
        let text = self.evaluate_for_print(text).await?;
        let memory = document_memory(&text.source).saturating_mul(VALUES_FACTOR) / 2;
        let parse = move || {
            let (mut nodes, mut failed) = (Vec::new(), None);
            let mut values = text.values.unwrap_or_default();
            let mut stream = DocumentStream::new(text.source, &DocumentLimits::default(), &IdPathResolver)?;
            let mut push = |block| match serde_json::to_value(block) {
                Ok(node) => nodes.push(node),
                Err(error) => failed = Some(error),
            };
            stream.for_each(&mut |block| evaluate_block(block, &mut values, &mut push))?;
            Ok::<_, rich_text::DocumentError>((nodes, failed))
        };
        let (nodes, failed) = self.app.work.run(memory, parse).await?.map_err(ApiError::internal)?;
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(nodes),
        }
    }
}
