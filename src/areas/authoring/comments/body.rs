//! Texts of comments: stored as Markdown, sent and received as Markdown or nodes.

use openapi::{
    error::ApiError,
    models::{CommentFormat, CommentText},
};
use rich_text::{DocumentError, DocumentLimits, IdPathResolver};
use validator::Validate;

/// The Markdown of a text. `pointer` is the location of the text in the request body.
pub async fn to_markdown(pointer: &str, text: CommentText) -> Result<String, ApiError> {
    // Parsing a long text would block a thread that serves requests.
    let read = tokio::task::spawn_blocking(move || markdown(text));
    let read = read.await?;
    read.map_err(|(member, refusal)| {
        let pointer = format!("{pointer}/{member}{}", refusal.pointer);
        ApiError::invalid_member(pointer, refusal.code, refusal.message)
    })
}

fn markdown(text: CommentText) -> Result<String, (&'static str, DocumentError)> {
    match (text.markdown, text.document) {
        (None, None) => Ok(String::new()),
        (Some(markdown), None) => {
            let markdown = markdown.replace("\r\n", "\n");
            // A text that cannot be parsed could not be returned as nodes later.
            let parsed = rich_text::parse_with(&markdown, &DocumentLimits::default(), &IdPathResolver);
            parsed.map_err(|refusal| ("markdown", refusal))?;
            Ok(markdown)
        }
        (None, Some(document)) => {
            let rendered = rich_text::render_with(&document, &DocumentLimits::default(), &IdPathResolver);
            let rendered = rendered.map_err(|refusal| ("document", refusal))?;
            require_max_length(rendered.trim_end_matches('\n'))
        }
        (Some(_), Some(_)) => {
            let message = "`markdown` cannot be sent together with `document`.";
            Err(("markdown", DocumentError::new("", "exclusive", message)))
        }
    }
}

/// The limit of the contract for Markdown also applies to the Markdown of nodes.
fn require_max_length(markdown: &str) -> Result<String, (&'static str, DocumentError)> {
    let text = CommentText {
        markdown: Some(markdown.to_owned()),
        document: None,
    };
    match text.validate() {
        Ok(()) => Ok(markdown.to_owned()),
        Err(_) => {
            let message = "`document` is too long: its Markdown exceeds the limit.";
            Err(("document", DocumentError::new("", "max-length", message)))
        }
    }
}

/// Stored texts in the requested format.
pub async fn from_markdown(texts: Vec<String>, format: CommentFormat) -> Result<Vec<CommentText>, ApiError> {
    match format {
        CommentFormat::Markdown => Ok(texts.into_iter().map(in_markdown).collect()),
        CommentFormat::Document => {
            let parse = move || texts.iter().map(|text| as_document(text)).collect();
            tokio::task::spawn_blocking(parse).await?
        }
    }
}

fn in_markdown(text: String) -> CommentText {
    CommentText {
        markdown: Some(text),
        document: None,
    }
}

fn as_document(text: &str) -> Result<CommentText, ApiError> {
    let document =
        rich_text::parse_with(text, &DocumentLimits::default(), &IdPathResolver).map_err(ApiError::internal)?;
    Ok(CommentText {
        markdown: None,
        document: Some(document),
    })
}
