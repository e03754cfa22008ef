//! The table of contents: lists of links, optionally under headings.

mod repair;

use std::collections::BTreeMap;

use anyhow::{anyhow, ensure};
use comrak::{Arena, Node, nodes::NodeValue};
use openapi::models::texts::PAGE_TITLE;
use serde::Deserialize;
use serde_json::Value;

use crate::pages::ComputedPages;

pub use repair::visible;

/// The deepest nesting of lists.
const MAX_DEPTH: usize = 64;
/// The type of computed pages that is known.
const OPENAPI: &str = "builtin:openapi";
/// The most syntax nodes, several for each entry.
const MAX_NODES: usize = 1_000_000;

/// A table of contents.
#[derive(Debug, Default, PartialEq)]
pub struct Summary {
    pub entries: Vec<SummaryEntry>,
    /// The lines in which invisible characters were ignored.
    pub repaired: Vec<usize>,
}

#[derive(Debug, Default, PartialEq)]
pub struct SummaryEntry {
    /// From 1.
    pub line: usize,
    pub title: String,
    /// The title of the link, which is the label in the table of contents; may be empty.
    pub label: String,
    /// The id of a heading, which is the path of its group; may be empty.
    pub slug: String,
    pub to: EntryTarget,
    pub children: Vec<SummaryEntry>,
}

#[derive(Debug, Default, PartialEq)]
pub enum EntryTarget {
    /// A heading over other entries.
    Heading,
    /// An entry without a link.
    #[default]
    None,
    Target(String),
    /// A placeholder for pages that are computed.
    Computed(Box<ComputedPages>),
    /// Lines that are neither a link nor a known description of computed pages.
    Unknown,
}

pub fn read(markdown: &str) -> anyhow::Result<Summary> {
    let (markdown, repaired) = repair::repair(markdown);
    let arena = Arena::new();
    let root =
        rich_text::parse_syntax(&arena, &markdown, MAX_NODES).map_err(|refusal| anyhow!("{}", refusal.message))?;
    let mut entries: Vec<SummaryEntry> = Vec::new();
    // Whether the next entries belong to the last heading.
    let mut in_group = false;
    for (number, node) in root.children().enumerate() {
        let found = match &node.data().value {
            // The first heading is the title of the table of contents.
            NodeValue::Heading(heading) if number > 0 || heading.level > 1 => {
                in_group = true;
                entries.push(SummaryEntry {
                    line: line(node),
                    title: words(node),
                    slug: id(node),
                    to: EntryTarget::Heading,
                    ..SummaryEntry::default()
                });
                continue;
            }
            NodeValue::Heading(_) => continue,
            NodeValue::ThematicBreak => {
                in_group = false;
                continue;
            }
            NodeValue::List(_) => items(node, 0)?,
            NodeValue::Paragraph => links(node),
            _ => unknown(node).into_iter().collect(),
        };
        match entries.last_mut().filter(|_| in_group) {
            Some(group) => group.children.extend(found),
            None => entries.extend(found),
        }
    }
    Ok(Summary { entries, repaired })
}

/// Returns the links outside of lists, which are entries too.
fn links(paragraph: Node<'_>) -> Vec<SummaryEntry> {
    let links = paragraph.children().filter_map(|node| {
        let (target, label) = target(node)?;
        Some(SummaryEntry {
            line: line(node),
            title: words(node),
            label,
            to: EntryTarget::Target(target),
            ..SummaryEntry::default()
        })
    });
    links.collect()
}

fn items(list: Node<'_>, depth: usize) -> anyhow::Result<Vec<SummaryEntry>> {
    ensure!(depth < MAX_DEPTH, "lists are nested more than {MAX_DEPTH} levels deep");
    list.children().map(|item| of_item(item, depth)).collect()
}

fn of_item(item: Node<'_>, depth: usize) -> anyhow::Result<SummaryEntry> {
    let mut entry = SummaryEntry {
        line: line(item),
        ..SummaryEntry::default()
    };
    for node in item.children() {
        match &node.data().value {
            NodeValue::List(_) => entry.children.extend(items(node, depth + 1)?),
            NodeValue::Paragraph | NodeValue::Heading(_) if entry.title.is_empty() => {
                let link = node.descendants().find_map(|node| Some((node, target(node)?)));
                let (titled, to) = match link {
                    Some((link, (target, _))) if target.is_empty() => (link, EntryTarget::None),
                    Some((link, (target, label))) => {
                        entry.label = label;
                        (link, EntryTarget::Target(target))
                    }
                    None => (node, EntryTarget::None),
                };
                (entry.title, entry.to) = (words(titled), to);
            }
            NodeValue::CodeBlock(code) if entry.title.is_empty() => {
                (entry.title, entry.to) = match computed(&code.literal) {
                    Some((title, source)) => (title, EntryTarget::Computed(Box::new(source))),
                    None => (String::new(), EntryTarget::Unknown),
                };
            }
            _ => entry.children.extend(unknown(node)),
        }
    }
    Ok(entry)
}

/// Returns an entry for lines that are none but have a link.
fn unknown(block: Node<'_>) -> Option<SummaryEntry> {
    let has_link = block.descendants().any(|node| match &node.data().value {
        NodeValue::Link(_) => true,
        NodeValue::CodeBlock(code) => code.literal.contains("]("),
        NodeValue::HtmlBlock(html) => html.literal.contains("<a ") && !html.literal.starts_with("<!--"),
        _ => false,
    });
    has_link.then(|| SummaryEntry {
        line: line(block),
        to: EntryTarget::Unknown,
        ..SummaryEntry::default()
    })
}

fn line(node: Node<'_>) -> usize {
    node.data().sourcepos.start.line
}

/// Returns the target and the title of a link.
fn target(node: Node<'_>) -> Option<(String, String)> {
    match &node.data().value {
        NodeValue::Link(link) => Some((link.url.clone(), link.title.clone())),
        _ => None,
    }
}

/// Returns the id of a heading that ends with `<a id="…"></a>`; empty if it has none.
fn id(heading: Node<'_>) -> String {
    let ids = heading.descendants().find_map(|node| match &node.data().value {
        NodeValue::HtmlInline(html) if html.starts_with("<a ") => {
            let (_, rest) = html.split_once(" id=\"")?;
            let (id, _) = rest.split_once('"')?;
            Some(id.to_owned())
        }
        _ => None,
    });
    ids.unwrap_or_default()
}

/// The description of computed pages in a table of contents.
#[derive(Deserialize)]
struct ComputedEntry {
    #[serde(rename = "type")]
    kind: String,
    title: Option<String>,
    #[serde(default)]
    props: BTreeMap<String, Value>,
    #[serde(default)]
    dependencies: BTreeMap<String, Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    r#ref: DependencyRef,
}

#[derive(Deserialize)]
struct DependencyRef {
    spec: Option<String>,
}

/// Parses the description of pages that are computed from OpenAPI specifications. Returns their title and source.
fn computed(yaml: &str) -> Option<(String, ComputedPages)> {
    let entry: ComputedEntry = yaml_serde::from_str(yaml).ok()?;
    let specifications = entry.dependencies.into_iter();
    let specifications: BTreeMap<String, String> = specifications
        .filter_map(|(name, dependency)| Some((name, dependency.r#ref.spec?)))
        .collect();
    let title = entry.title.or_else(|| specifications.values().next().cloned())?;
    let source = ComputedPages {
        kind: entry.kind,
        props: entry.props,
        specifications,
        versions: BTreeMap::new(),
    };
    (source.kind == OPENAPI).then_some((normalize_title(&title), source))
}

fn words(node: Node<'_>) -> String {
    let mut words = String::new();
    for node in node.descendants() {
        match &node.data().value {
            NodeValue::Text(text) => words.push_str(text),
            NodeValue::Code(code) => words.push_str(&code.literal),
            NodeValue::ShortCode(code) => words.push_str(&code.emoji),
            NodeValue::SoftBreak | NodeValue::LineBreak => words.push(' '),
            _ => {}
        }
    }
    normalize_title(&words)
}

/// Makes the title of a page keep the rules of the contract. Empty if nothing is left that keeps them.
pub fn normalize_title(text: &str) -> String {
    PAGE_TITLE.clean(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(entries: &[SummaryEntry]) -> String {
        let each = entries.iter().map(|entry| {
            let to = match &entry.to {
                EntryTarget::Heading => "#".to_owned(),
                EntryTarget::None => "-".to_owned(),
                EntryTarget::Target(target) => target.clone(),
                EntryTarget::Computed(source) => source.kind.clone(),
                EntryTarget::Unknown => "?".to_owned(),
            };
            let below = if entry.children.is_empty() {
                String::new()
            } else {
                format!(" ({})", shown(&entry.children))
            };
            format!("{} {to}{below}", entry.title)
        });
        each.collect::<Vec<String>>().join(", ")
    }

    #[test]
    fn lists_and_headings_become_entries() {
        for (markdown, entries) in [
            (
                "# Contents\n\n* [A](a.md)\n  * [**B** `b`](<b c.md>)\n    1. [C](c.md#x)\n* [D](d.md)\n",
                "A a.md (B b b c.md (C c.md#x)), D d.md",
            ),
            (
                "# Contents\n\n[Intro](README.md)\n\n# One\n\n- [A](a.md)\n\n## Two\n\n- [B](b.md)\n---\n[C](c.md)\n[D](d.md)",
                "Intro README.md, One # (A a.md), Two # (B b.md), C c.md, D d.md",
            ),
            (
                "## One\n\n* words\n  * [A](a.md)\n* [Draft]()\n",
                "One # (words - (A a.md), Draft -)",
            ),
            ("* [A](https://example.com/a) and more\n", "A https://example.com/a"),
            ("* [A](a b.md)\n  * [C](c (1).md)\n", "A a%20b.md (C c%20(1).md)"),
            ("# Contents\n\n    * [A](a.md)\n", " ?"),
            (
                "> * [A](a.md)\n\n<!-- <a href=\"c.md\"> -->\n\n<a href=\"b.md\">B</a>\n",
                " ?",
            ),
            ("* [A](a.md)\n\n  [B](b.md)\n", "A a.md ( ?)"),
            ("", ""),
        ] {
            assert_eq!(shown(&read(markdown).unwrap().entries), entries, "{markdown}");
        }
    }

    #[test]
    fn too_deep_nesting_is_refused() {
        let deep: String = (0..100)
            .map(|depth| format!("{}* [A](a.md)\n", "  ".repeat(depth)))
            .collect();
        assert!(read(&deep).is_err());
        assert!(read(&format!("{}a", "1. ".repeat(1_000))).is_err());
    }
}
