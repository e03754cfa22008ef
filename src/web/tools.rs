//! The tools of a site for agents: searching its pages, and reading one.

use openapi::error::ApiError;
use serde_json::{Value, json};
use web::{Found, Href};

use super::{markdown, search, site::Site};

use crate::{app::App, areas::publishing::published_content::Located};

/// Why a call of a tool has no result.
pub enum CallError {
    /// The call names no tool, or has other arguments.
    Invalid(String),
    Server(ApiError),
}

impl From<ApiError> for CallError {
    fn from(error: ApiError) -> Self {
        Self::Server(error)
    }
}

const SEARCH: &str = "searchDocumentation";
const PAGE: &str = "getPage";

pub fn list() -> Value {
    let input = |name: &str, description: &str| {
        json!({ "type": "object", "required": [name], "additionalProperties": false,
            "properties": { name: { "type": "string", "description": description } } })
    };
    let reading = json!({ "readOnlyHint": true, "openWorldHint": false });
    json!([
        { "name": SEARCH, "title": "Search the documentation", "annotations": reading,
          "description": "Finds pages of the documentation by words. Returns titles, addresses and excerpts.",
          "inputSchema": input("query", "The words to look for.") },
        { "name": PAGE, "title": "Read a page", "annotations": reading,
          "description": "Returns a page of the documentation as Markdown.",
          "inputSchema": input("url", "The address of the page, or its path in the site.") },
    ])
}

pub async fn call(app: &App, site: &Site, params: &Value) -> Result<Value, CallError> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let argument = |name: &str| {
        let value = params
            .get("arguments")
            .and_then(|arguments| arguments.get(name)?.as_str());
        value.ok_or_else(|| CallError::Invalid(format!("`arguments.{name}` is required and must be a string.")))
    };
    match name {
        SEARCH => Ok(found(site, &search::all(app, site, argument("query")?).await?)),
        PAGE => Ok(match read(app, site, argument("url")?).await? {
            Some(markdown) => text(&markdown),
            None => json!({ "isError": true, "content": [{ "type": "text", "text": "There is no such page." }] }),
        }),
        _ => Err(CallError::Invalid(format!("`{name}` is not a tool of this server."))),
    }
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn found(site: &Site, found: &[Found]) -> Value {
    let mut all = String::new();
    for page in found {
        let address = page.link.href.as_ref().map(Href::as_str).unwrap_or_default();
        all.push_str(&format!("## {}\n{}\n", page.link.title, site.absolute(address)));
        let sections = page.sections.iter().filter_map(|(_, text)| text.as_ref());
        for excerpt in page.text.iter().chain(sections) {
            all.push_str(&format!("{excerpt}\n"));
        }
        all.push('\n');
    }
    text(if all.is_empty() {
        "No page has these words."
    } else {
        &all
    })
}

/// The Markdown of the page at an address or a path of the site.
async fn read(app: &App, site: &Site, address: &str) -> Result<Option<String>, ApiError> {
    let local = site.local(address);
    let path = local.strip_prefix(&site.base).unwrap_or(&local).trim_start_matches('/');
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = path.strip_suffix(".md").unwrap_or(path);
    let mut located = site.locate(app, path).await?;
    if let Some(Located::Elsewhere(path)) = &located {
        located = site.locate(app, path).await?;
    }
    match located {
        Some(Located::Here(here)) => markdown::at(app, site, &here).await,
        Some(Located::Elsewhere(_)) | None => Ok(None),
    }
}
