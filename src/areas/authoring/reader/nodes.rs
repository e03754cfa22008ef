//! Texts as nodes.

use openapi::{
    error::ApiError,
    models::{Document, DocumentBlock, DocumentData},
    work::{WorkLimits, acquire_large_for_text},
};
use rich_text::{DocumentLimits, DocumentStream, ExpressionValues, IdPathResolver, evaluate_block};

use super::evaluation::ReadText;

/// Parses a text, of which a long one makes the request large.
pub async fn document(work: &WorkLimits, text: ReadText) -> Result<Document, ApiError> {
    acquire_large_for_text(text.source.len()).await?;
    work.run(text.source.len(), move || parse(text)).await?
}

fn parse(text: ReadText) -> Result<Document, ApiError> {
    let ReadText {
        source,
        mut values,
        languages,
    } = text;
    let mut nodes = Vec::new();
    let stream = DocumentStream::new(source, &DocumentLimits::default(), &IdPathResolver);
    let mut stream = stream.map_err(ApiError::internal)?;
    let parsed = stream.for_each(&mut |mut block| {
        languages.read_in(&mut block);
        evaluate(block, &mut values, &mut |block| nodes.push(block));
    });
    parsed.map_err(ApiError::internal)?;
    Ok(Document {
        object: Default::default(),
        data: DocumentData {
            schema_version: None,
            additional: Default::default(),
        },
        nodes,
        meta: None,
    })
}

pub(super) fn evaluate(
    block: DocumentBlock,
    values: &mut Option<ExpressionValues>,
    sink: &mut dyn FnMut(DocumentBlock),
) {
    match values {
        Some(values) => evaluate_block(block, values, sink),
        None => sink(block),
    }
}
