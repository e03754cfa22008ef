//! A table of contents: lists of links, under headings or not.

use anyhow::{anyhow, ensure};
use comrak::{Arena, Node, nodes::NodeValue};

/// Lists in each other.
const MAX_DEPTH: usize = 64;

#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    pub title: String,
    pub to: To,
    pub children: Vec<Entry>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum To {
    /// It is a heading over others.
    Heading,
    /// It has no link.
    Nothing,
    Target(String),
}

pub fn read(markdown: &str) -> anyhow::Result<Vec<Entry>> {
    let arena = Arena::new();
    let root = rich_text::parse_syntax(&arena, markdown).map_err(|refusal| anyhow!("{}", refusal.message))?;
    let mut entries: Vec<Entry> = Vec::new();
    // Whether what comes next belongs to the heading at the end.
    let mut in_group = false;
    for (number, node) in root.children().enumerate() {
        let found = match &node.data().value {
            // The first one is the title of the table.
            NodeValue::Heading(heading) if number > 0 || heading.level > 1 => {
                in_group = true;
                entries.push(Entry {
                    title: words(node),
                    to: To::Heading,
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

/// Links that stand outside of lists are entries too.
fn links(paragraph: Node<'_>) -> Vec<Entry> {
    let links = paragraph.children().filter_map(|node| {
        Some(Entry {
            title: words(node),
            to: To::Target(target(node)?),
            children: Vec::new(),
        })
    });
    links.collect()
}

fn items(list: Node<'_>, depth: usize) -> anyhow::Result<Vec<Entry>> {
    ensure!(depth < MAX_DEPTH, "lists are nested more than {MAX_DEPTH} deep");
    list.children().map(|item| of_item(item, depth)).collect()
}

fn of_item(item: Node<'_>, depth: usize) -> anyhow::Result<Entry> {
    let mut entry = Entry {
        title: String::new(),
        to: To::Nothing,
        children: Vec::new(),
    };
    for node in item.children() {
        match &node.data().value {
            NodeValue::List(_) => entry.children.extend(items(node, depth + 1)?),
            NodeValue::Paragraph | NodeValue::Heading(_) if entry.title.is_empty() => {
                let link = node.descendants().find_map(|node| Some((node, target(node)?)));
                let (titled, to) = match link {
                    Some((link, target)) if target.is_empty() => (link, To::Nothing),
                    Some((link, target)) => (link, To::Target(target)),
                    None => (node, To::Nothing),
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
    super::names::title(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(entries: &[Entry]) -> String {
        let each = entries.iter().map(|entry| {
            let to = match &entry.to {
                To::Heading => "#".to_owned(),
                To::Nothing => "-".to_owned(),
                To::Target(target) => target.clone(),
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
    fn what_is_nested_too_deep_is_refused() {
        let deep: String = (0..100)
            .map(|depth| format!("{}* [A](a.md)\n", "  ".repeat(depth)))
            .collect();
        assert!(read(&deep).is_err());
        assert!(read(&format!("{}a", "1. ".repeat(1_000))).is_err());
    }
}
