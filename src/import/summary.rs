//! The table of contents: lists of links, optionally under headings.

use anyhow::{anyhow, ensure};
use comrak::{Arena, Node, nodes::NodeValue};

/// The deepest nesting of lists.
const MAX_DEPTH: usize = 64;
/// The most syntax nodes, several for each entry.
const MAX_NODES: usize = 1_000_000;

#[derive(Debug, PartialEq, Eq)]
pub struct SummaryEntry {
    pub title: String,
    pub to: EntryTarget,
    pub children: Vec<SummaryEntry>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum EntryTarget {
    /// A heading over other entries.
    Heading,
    /// An entry without a link.
    None,
    Target(String),
}

pub fn read(markdown: &str) -> anyhow::Result<Vec<SummaryEntry>> {
    let arena = Arena::new();
    let root =
        rich_text::parse_syntax(&arena, markdown, MAX_NODES).map_err(|refusal| anyhow!("{}", refusal.message))?;
    let mut entries: Vec<SummaryEntry> = Vec::new();
    // Whether the next entries belong to the last heading.
    let mut in_group = false;
    for (number, node) in root.children().enumerate() {
        let found = match &node.data().value {
            // The first heading is the title of the table of contents.
            NodeValue::Heading(heading) if number > 0 || heading.level > 1 => {
                in_group = true;
                entries.push(SummaryEntry {
                    title: words(node),
                    to: EntryTarget::Heading,
                    children: Vec::new(),
                });
                continue;
            }
            NodeValue::ThematicBreak => {
                in_group = false;
                continue;
            }
            NodeValue::List(_) => items(node, 0)?,
            NodeValue::Paragraph => links(node),
            _ => continue,
        };
        match entries.last_mut().filter(|_| in_group) {
            Some(group) => group.children.extend(found),
            None => entries.extend(found),
        }
    }
    Ok(entries)
}

/// Returns the links outside of lists, which are entries too.
fn links(paragraph: Node<'_>) -> Vec<SummaryEntry> {
    let links = paragraph.children().filter_map(|node| {
        Some(SummaryEntry {
            title: words(node),
            to: EntryTarget::Target(target(node)?),
            children: Vec::new(),
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
        title: String::new(),
        to: EntryTarget::None,
        children: Vec::new(),
    };
    for node in item.children() {
        match &node.data().value {
            NodeValue::List(_) => entry.children.extend(items(node, depth + 1)?),
            NodeValue::Paragraph | NodeValue::Heading(_) if entry.title.is_empty() => {
                let link = node.descendants().find_map(|node| Some((node, target(node)?)));
                let (titled, to) = match link {
                    Some((link, target)) if target.is_empty() => (link, EntryTarget::None),
                    Some((link, target)) => (link, EntryTarget::Target(target)),
                    None => (node, EntryTarget::None),
                };
                (entry.title, entry.to) = (words(titled), to);
            }
            _ => {}
        }
    }
    Ok(entry)
}

fn target(node: Node<'_>) -> Option<String> {
    match &node.data().value {
        NodeValue::Link(link) => Some(link.url.clone()),
        _ => None,
    }
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
    super::names::normalize_title(&words)
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
            ("", ""),
        ] {
            assert_eq!(shown(&read(markdown).unwrap()), entries, "{markdown}");
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
