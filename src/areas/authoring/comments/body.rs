//! Texts of comments: stored as Markdown, sent and received as Markdown or nodes.

use content::reading::read_stored;
use openapi::{
    error::{ApiError, ErrorRule},
    models::{CommentFormat, CommentText, Document, DocumentComment, MarkdownComment},
};
use rich_text::{DocumentError, DocumentLimits, IdPathResolver, LinkChange};
use validator::Validate;

use crate::kernel::Kernel;

/// The most bytes of the texts of one answer with nodes.
const MAX_DOCUMENT_BYTES: usize = DocumentLimits::MAX_BYTES;

/// The Markdown of a text. `pointer` is the location of the text in the request body.
pub async fn to_markdown(kernel: &Kernel, pointer: &str, text: CommentText) -> Result<String, ApiError> {
    let read = match text {
        CommentText::EmptyText(_) => return Ok(String::new()),
        CommentText::MarkdownComment(text) => {
            let markdown = text.markdown.replace("\r\n", "\n");
            let checked = read_stored(&kernel.work, &markdown, |limits| checked(&markdown, limits)).await?;
            checked.map_err(|refusal| ("markdown", refusal))
        }
        CommentText::DocumentComment(text) => {
            let bytes = rich_text::text_bytes(&text.document);
            kernel.work.run(bytes, move || rendered(&text.document)).await?
        }
    };
    read.map_err(|(member, refusal)| {
        let pointer = format!("{pointer}/{member}{}", refusal.pointer);
        ApiError::invalid_member(pointer, refusal.code, refusal.message)
    })
}

fn checked(markdown: &str, limits: &DocumentLimits) -> Result<String, DocumentError> {
    // A text that cannot be parsed could not be returned as nodes later.
    rich_text::check(markdown, limits)?;
    // Removes targets that could run in a browser.
    rich_text::rewrite_links(markdown, &mut |_, _| LinkChange::Keep)
}

fn rendered(document: &Document) -> Result<String, (&'static str, DocumentError)> {
    let rendered = rich_text::render_with(document, &DocumentLimits::default(), &IdPathResolver);
    let rendered = rendered.map_err(|refusal| ("document", refusal))?;
    require_max_length(rendered.trim_end_matches('\n'))
}

/// The limit of the contract for Markdown also applies to the Markdown of nodes.
fn require_max_length(markdown: &str) -> Result<String, (&'static str, DocumentError)> {
    let text = MarkdownComment {
        markdown: markdown.to_owned(),
    };
    match text.validate() {
        Ok(()) => Ok(markdown.to_owned()),
        Err(_) => {
            let message = "`document` is too long: its Markdown exceeds the limit.";
            Err(("document", DocumentError::new("", ErrorRule::MaxLength, message)))
        }
    }
}

/// Stored texts in the requested format.
pub async fn from_markdown(
    kernel: &Kernel,
    texts: Vec<String>,
    format: CommentFormat,
) -> Result<Vec<CommentText>, ApiError> {
    match format {
        CommentFormat::Markdown => Ok(texts.into_iter().map(in_markdown).collect()),
        CommentFormat::Document => {
            let bytes: usize = texts.iter().map(String::len).sum();
            if bytes > MAX_DOCUMENT_BYTES {
                let message =
                    "The comments are too long for so many of them as `document`. Ask for fewer, or for `markdown`.";
                return Err(ApiError::invalid_member("/query/limit", ErrorRule::TooLarge, message));
            }
            let parse = move || texts.iter().map(|text| as_document(text)).collect();
            kernel.work.run(bytes, parse).await?
        }
    }
}

fn in_markdown(text: String) -> CommentText {
    CommentText::MarkdownComment(MarkdownComment { markdown: text })
}

fn as_document(text: &str) -> Result<CommentText, ApiError> {
    let document =
        rich_text::parse_with(text, &DocumentLimits::default(), &IdPathResolver).map_err(ApiError::internal)?;
    Ok(CommentText::DocumentComment(DocumentComment { document }))
}
