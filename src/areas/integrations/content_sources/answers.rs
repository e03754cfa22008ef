//! The answers of scripts that compute pages and their texts.

use std::collections::{BTreeMap, BTreeSet};

use openapi::models::Document;
use rich_text::{DocumentLimits, IdPathResolver};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use validator::Validate;

use crate::areas::integrations::running::ScriptAnswer;

/// The most pages of a content source. Each text is an event of its own.
const MAX_PAGES: usize = 200;

/// Pages above a page of a content source.
const MAX_DEPTH: usize = 8;

/// The longest keys, titles and descriptions, in characters.
const MAX_KEY: usize = 200;
const MAX_TITLE: usize = 300;
const MAX_DESCRIPTION: usize = 1_000;

/// The longest answer, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The pages of a content source, as a script computes them.
#[derive(Deserialize)]
pub struct ComputedRevision {
    #[serde(default)]
    pub pages: Vec<ScriptPage>,
    #[serde(default)]
    files: Vec<Value>,
}

#[derive(Deserialize)]
pub struct ScriptPage {
    /// Absent: the path of the page by its titles.
    id: Option<String>,
    pub title: String,
    pub slug: Option<String>,
    pub description: Option<String>,
    /// Absent: the page has no text.
    pub computed: Option<TextSource>,
    #[serde(default)]
    pub pages: Vec<ScriptPage>,
}

/// The source of the text of a page.
#[derive(Deserialize)]
pub struct TextSource {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub props: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct ComputedDocument {
    document: Option<Document>,
}

impl ScriptPage {
    pub fn key(&self, parent: &str) -> String {
        match &self.id {
            Some(id) => id.clone(),
            None => format!("{parent}/{}", self.slug.as_ref().unwrap_or(&self.title)),
        }
    }
}

/// Reads the pages of a source of a kind. An error is the reason why the answer has none.
pub fn pages(answer: &ScriptAnswer, kind: &str) -> Result<Vec<ScriptPage>, String> {
    let ComputedRevision { pages, files } = read(answer, "content_compute_revision")?;
    if !files.is_empty() {
        return Err("Content sources have no files.".to_owned());
    }
    let mut keys = BTreeSet::new();
    check(&pages, kind, ("", 0), &mut keys)?;
    Ok(pages)
}

fn check(
    pages: &[ScriptPage],
    kind: &str,
    (parent, depth): (&str, usize),
    keys: &mut BTreeSet<String>,
) -> Result<(), String> {
    if depth > MAX_DEPTH && !pages.is_empty() {
        return Err(format!("A page has more than {MAX_DEPTH} pages above it."));
    }
    for page in pages {
        let key = page.key(parent);
        let fits = |text: &str, most: usize| text.chars().count() <= most && !text.chars().any(char::is_control);
        let description = page.description.as_deref().unwrap_or_default();
        if page.title.trim().is_empty() || !fits(&page.title, MAX_TITLE) || !fits(description, MAX_DESCRIPTION) {
            return Err(
                "The title or the description of a page is empty, too long or has control characters.".to_owned(),
            );
        }
        if !fits(&key, MAX_KEY) || !fits(page.slug.as_deref().unwrap_or_default(), MAX_KEY) {
            return Err("The id or the slug of a page is too long or has control characters.".to_owned());
        }
        if !keys.insert(key.clone()) {
            return Err(format!("Several pages have the id {key}."));
        }
        if keys.len() > MAX_PAGES {
            return Err(format!("The source has more than {MAX_PAGES} pages."));
        }
        if let Some(other) = page.computed.as_ref().filter(|computed| computed.kind != kind) {
            return Err(format!("The text of a page has another source: {}.", other.kind));
        }
        check(&page.pages, kind, (&key, depth + 1), keys)?;
    }
    Ok(())
}

/// Reads the text of a page. `None`: it is empty.
pub fn document(answer: &ScriptAnswer) -> Result<Option<Document>, String> {
    let ComputedDocument { document } = read(answer, "content_compute_document")?;
    if document.as_ref().is_some_and(|document| document.validate().is_err()) {
        return Err("The document breaks a rule of documents that are written.".to_owned());
    }
    Ok(document)
}

/// Renders the text of a page as Markdown.
pub fn markdown(document: &Document) -> Result<String, String> {
    let markdown = rich_text::render_with(document, &DocumentLimits::of_new_texts(), &IdPathResolver);
    let markdown =
        markdown.map_err(|refusal| format!("The document is refused at {}: {}", refusal.pointer, refusal.message))?;
    Ok(markdown.trim_end_matches('\n').to_owned())
}

fn read<T: DeserializeOwned>(answer: &ScriptAnswer, event: &str) -> Result<T, String> {
    if answer.status != 200 {
        return Err(format!(
            "The script responded to {event} with the status {}.",
            answer.status
        ));
    }
    if answer.body.len() > MAX_BYTES {
        return Err(format!("The answer to {event} has more than {MAX_BYTES} bytes."));
    }
    serde_json::from_slice(&answer.body).map_err(|error| format!("The answer to {event} has another form: {error}."))
}
