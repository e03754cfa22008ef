//! Answers with the nodes of a text. The JSON of a long text is made while it is sent, because it takes many times the bytes
//! of the text.

use std::{future::ready, io};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
    models::{Document, DocumentBlock, DocumentData},
    work::WorkBudget,
};
use poem::Body;
use rich_text::{
    BlockReader, DocumentLimits, DocumentStream, ExpressionValues, IdPathResolver, PartWriter, evaluate_block,
    opening_memory, stream_memory,
};
use serde::Serialize;

use super::evaluation::{ReadText, SHORT_BYTES};

/// The most memory of an answer with the nodes of a text, besides the computations.
pub fn memory(markdown: &str) -> usize {
    // The nodes of a short text take no more than the requests of many clients.
    match markdown.len() {
        0..=SHORT_BYTES => 0,
        _ => stream_memory(markdown),
    }
}

/// Answers with a text as nodes.
pub async fn nodes(work: &WorkBudget, tag: EntityTag, text: ReadText) -> Result<Conditional<Document>, ApiError> {
    if text.is_short() {
        let body = parse(text)?;
        return Ok(Conditional::Fresh(Tagged { tag, body }));
    }
    answer(work, tag, &without_nodes(), text).await
}

/// Parses a short text.
pub fn parse(text: ReadText) -> Result<Document, ApiError> {
    let ReadText {
        source,
        mut values,
        languages,
    } = text;
    let mut document = without_nodes();
    let stream = DocumentStream::new(source, &DocumentLimits::default(), &IdPathResolver);
    let mut stream = stream.map_err(ApiError::internal)?;
    let mut push = |block| document.nodes.push(block);
    let parsed = stream.for_each(&mut |mut block| {
        languages.read_in(&mut block);
        evaluate(block, &mut values, &mut push);
    });
    parsed.map_err(ApiError::internal)?;
    Ok(document)
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

/// The document in an answer, before the nodes are inserted.
pub fn without_nodes() -> Document {
    Document {
        object: Default::default(),
        data: DocumentData {
            schema_version: None,
            additional: Default::default(),
        },
        nodes: Vec::new(),
        meta: None,
    }
}

/// Answers with `value`, in which the nodes of `text` take the place of those of the document without nodes. The memory for it is
/// reserved.
pub async fn answer<T>(
    work: &WorkBudget,
    tag: EntityTag,
    value: &impl Serialize,
    text: ReadText,
) -> Result<Conditional<T>, ApiError> {
    let (before, after) = split(value)?;
    let ReadText {
        source,
        values,
        languages,
    } = text;
    let opening = opening_memory(&source, &DocumentLimits::default());
    let open = move || {
        let document = DocumentStream::new(source, &DocumentLimits::default(), &IdPathResolver);
        Ok::<_, ApiError>(JsonWriter {
            document: document.map_err(ApiError::internal)?,
            blocks: BlockReader::new(languages),
            values,
            after,
            nodes: PartWriter::default(),
            is_complete: false,
        })
    };
    let mut writer = work.run(opening, open).await??;
    // The first step fails with a status if the server has no memory left.
    let step = writer.document.next_memory();
    let (writer, first) = work.run(step, move || writer.write_next(before)).await??;
    let body = if writer.is_complete {
        Body::from_vec(first)
    } else {
        let work = work.clone();
        let rest = stream::try_unfold(writer, move |writer| next(work.clone(), writer));
        let first = stream::once(ready(Ok(Bytes::from(first))));
        Body::from_bytes_stream(first.chain(rest))
    };
    Ok(Conditional::Written(Tagged { tag, body }))
}

/// Returns the JSON of a value before and after the nodes of the document without nodes in it.
fn split(value: &impl Serialize) -> Result<(Vec<u8>, Vec<u8>), ApiError> {
    const EMPTY_LIST: usize = "]}".len();
    let mut before = serde_json::to_vec(value)?;
    // Within a text of the value, its quotes would have backslashes before them.
    let empty = serde_json::to_vec(&without_nodes())?;
    let at = before.windows(empty.len()).position(|window| window == empty);
    let at = at.ok_or_else(|| ApiError::internal("an answer has no document"))?;
    let after = before.split_off(at + empty.len() - EMPTY_LIST);
    Ok((before, after))
}

/// Writes the JSON of an answer step by step.
struct JsonWriter {
    document: DocumentStream<'static>,
    blocks: BlockReader,
    values: Option<ExpressionValues>,
    /// The JSON after the nodes.
    after: Vec<u8>,
    nodes: PartWriter,
    is_complete: bool,
}

impl JsonWriter {
    /// Appends the next nodes to `json`.
    fn write_next(mut self, mut json: Vec<u8>) -> Result<(Self, Vec<u8>), ApiError> {
        let mut failed = None;
        let Self {
            document,
            blocks,
            values,
            nodes,
            ..
        } = &mut self;
        let mut write = |part| {
            if let Err(error) = nodes.write(&part, &mut json) {
                failed = Some(error);
            }
        };
        let has_more = document.next_piece(&mut |part| match blocks.read(part) {
            Some(part) if part.is_first && part.is_last => {
                evaluate(part.block, values, &mut |block| write(block.into()));
            }
            // Code between fences has no expressions.
            Some(part) => write(part),
            None => {}
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        if !has_more.map_err(ApiError::internal)? {
            json.append(&mut self.after);
            self.is_complete = true;
        }
        Ok((self, json))
    }
}

async fn next(work: WorkBudget, mut writer: JsonWriter) -> io::Result<Option<(Bytes, JsonWriter)>> {
    if writer.is_complete {
        return Ok(None);
    }
    let step = writer.document.next_memory();
    let written = work.resume(step, move || writer.write_next(Vec::new())).await;
    match written.map_err(ApiError::from).flatten() {
        Ok((writer, json)) => Ok(Some((Bytes::from(json), writer))),
        Err(error) => {
            tracing::error!(
                cause = std::error::Error::source(&error).map(tracing::field::display),
                "an answer broke off"
            );
            Err(io::Error::other(error))
        }
    }
}
