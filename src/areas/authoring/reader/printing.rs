//! Reads of a whole revision for print.

use content::pages::{File, Forest, Page};
use entity::ids::ReusableContentId;
use openapi::{error::ApiError, work::WorkLimits};
use rich_text::{DocumentLimits, DocumentStream, ExpressionValues, IdPathResolver};
use serde_json::Value;

use super::{RevisionReader, evaluation::ReadText, nodes::evaluate, texts::TextName};

impl RevisionReader<'_> {
    /// The pages that the reader sees, and all files.
    pub async fn pages_and_files(&mut self) -> Result<(Forest, Vec<File>), ApiError> {
        let content = self.compute(|pages| {
            let (forest, files) = (pages.forest(), pages.files_after(None, usize::MAX));
            Ok((forest?, files?))
        });
        let (forest, files) = content.await?;
        let forest = self.retain_visible(forest).await?;
        // Printing takes long, and reads the texts one after the other.
        self.content.unload_all();
        Ok((forest, files))
    }

    /// The text of a page as readers see it.
    pub async fn printed_page(&mut self, page: &Page) -> Result<ReadText, ApiError> {
        let text = self.text(TextName::OfPage(page)).await?;
        self.evaluate_for_print(text.unwrap_or_default()).await
    }

    /// The text of a reusable content, if it exists.
    pub async fn printed_reusable_content(&mut self, id: ReusableContentId) -> Result<Option<ReadText>, ApiError> {
        let Some(content) = self.compute(|pages| pages.reusable_content(id)).await? else {
            return Ok(None);
        };
        let text = self.text(TextName::Stored(content.document)).await?;
        Ok(Some(self.evaluate_for_print(text.unwrap_or_default()).await?))
    }
}

impl ReadText {
    /// Gives the nodes of the text to `sink`.
    pub async fn for_each_node(
        &mut self,
        work: &WorkLimits,
        sink: &mut (dyn FnMut(Value) + Send),
    ) -> Result<(), ApiError> {
        let Self { source, values, .. } = self;
        for_each_node(work, source, values, sink).await
    }

    /// The same for the nodes as they are stored, also those that readers do not see.
    pub async fn for_each_stored_node(
        &self,
        work: &WorkLimits,
        sink: &mut (dyn FnMut(Value) + Send),
    ) -> Result<(), ApiError> {
        for_each_node(work, &self.source, &mut None, sink).await
    }
}

/// Gives the nodes to `sink` where that keeps no request waiting.
async fn for_each_node(
    work: &WorkLimits,
    source: &str,
    values: &mut Option<ExpressionValues>,
    sink: &mut (dyn FnMut(Value) + Send),
) -> Result<(), ApiError> {
    let computation = work.start(source.len()).await?;
    computation.run(|| {
        let mut failed = None;
        let mut push = |block| match serde_json::to_value(block) {
            Ok(node) => sink(node),
            Err(error) => failed = Some(error),
        };
        let stream = DocumentStream::new(source, &DocumentLimits::default(), &IdPathResolver);
        let read = stream.and_then(|mut stream| stream.for_each(&mut |block| evaluate(block, values, &mut push)));
        read.map_err(ApiError::internal)?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    })
}
