//! From nodes of rich text, as JSON, to nodes of a book.
//!
//! Nodes of a book have their kind in `k`. Text is in `t` nodes, `m` names the marks. Every other member that the template
//! reads is always there, `null` if need be.

mod blocks;
mod code;
mod inlines;
mod tables;
mod text;

use serde_json::{Value, json};

/// Containers in containers: deeper ones are printed on the level of the last. The typesetter has limits on its own
/// recursion.
const MAX_NESTING: usize = 7;

/// The target of a reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    pub url: Option<String>,
    /// The id of a page of the book.
    pub page: Option<String>,
    pub anchor: Option<String>,
    pub title: Option<String>,
}

impl Target {
    /// The words for a reference that is no link with words of its own: the title of a page of the book, as on its site, or what is
    /// written.
    fn words(self, written: &str) -> String {
        let is_page = self.page.is_some() && self.anchor.is_none();
        let written = Some(written).filter(|words| !words.is_empty()).map(str::to_owned);
        let words = match is_page {
            true => self.title.or(written),
            false => written.or(self.title),
        };
        words.or(self.url).unwrap_or_default()
    }
}

/// Resolves the references of texts.
pub trait Resolver {
    fn target(&self, reference: &Value) -> Target;
    /// The name of an image of the book.
    fn image(&mut self, reference: &Value) -> Option<String>;
    /// The nodes of a reusable content.
    fn reusable_content(&self, reference: &Value) -> Option<&[Value]>;
}

/// The book has more nodes than fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Converts the pages of one book.
pub struct Converter<'a, R> {
    resolver: &'a mut R,
    /// Nodes that still fit.
    nodes_left: usize,
    /// The id of the current page.
    page: String,
    /// Added to the levels of headings.
    level: u32,
    nesting: usize,
    /// Reusable contents within each other.
    included: usize,
    /// Characters after which a long word may be broken.
    word: usize,
}

impl<'a, R: Resolver> Converter<'a, R> {
    pub fn new(resolver: &'a mut R, max_nodes: usize) -> Self {
        Self {
            resolver,
            nodes_left: max_nodes,
            page: String::new(),
            level: 0,
            nesting: 0,
            included: 0,
            word: text::LINE_WORD,
        }
    }

    /// Nodes that still fit after the pages so far.
    pub fn nodes_left(&self) -> usize {
        self.nodes_left
    }

    /// Converts the text of a page whose title is a heading of this level.
    pub fn page(&mut self, id: &str, level: u32, nodes: &[Value]) -> Result<Vec<Value>, TooLarge> {
        id.clone_into(&mut self.page);
        self.level = level;
        self.blocks(nodes)
    }

    fn count(&mut self) -> Result<(), TooLarge> {
        self.nodes_left = self.nodes_left.checked_sub(1).ok_or(TooLarge)?;
        Ok(())
    }

    fn anchor(&self, anchor: &Value) -> Value {
        match anchor.as_str() {
            Some(anchor) if !anchor.is_empty() => json!(format!("page {} {anchor}", self.page)),
            _ => Value::Null,
        }
    }

    /// The members of a node that links.
    fn link(&self, reference: &Value) -> (Value, Target) {
        let target = self.resolver.target(reference);
        let page = target.page.clone().unwrap_or_else(|| self.page.clone());
        let is_inside = target.page.is_some() || target.anchor.is_some();
        let anchor = target.anchor.as_ref().map(|anchor| format!("page {page} {anchor}"));
        let page = is_inside.then(|| page_label(&page));
        // The typesetter refuses an empty address.
        let url = target
            .url
            .as_deref()
            .filter(|url| !url.trim().is_empty() && url.len() <= 8000);
        (json!({ "to": url, "page": page, "anchor": anchor }), target)
    }
}

/// The label of a page of the book.
pub fn page_label(page: &str) -> String {
    format!("page {page}")
}

/// The node with the members of another.
fn with(mut node: Value, members: Value) -> Value {
    if let (Some(node), Value::Object(members)) = (node.as_object_mut(), members) {
        node.extend(members);
    }
    node
}

fn nodes(node: &Value) -> &[Value] {
    list(node, "/nodes")
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    let found = value.pointer(pointer).and_then(Value::as_array);
    found.map(Vec::as_slice).unwrap_or_default()
}

fn string<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn member<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}
