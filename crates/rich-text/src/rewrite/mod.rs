//! Markdown with other targets in its links and pictures. All other bytes stay as they are.
//!
//! The parser says where links and tags stand; what it found is looked up in the text and compared before it is
//! replaced. What cannot be found again stays as it is.

mod blocks;
mod edits;
mod elements;
mod inline;
mod lines;

use std::collections::{HashMap, HashSet};

use comrak::{Arena, Node, nodes::NodeValue};

use super::{
    references::Role,
    refusal::Refusal,
    syntax::{
        ast, entities,
        escape::{self, Around, Mode},
        link_definitions::Definitions,
        prepare::{Prepared, Stand},
    },
};
use edits::Edits;
use lines::Reference;

/// What becomes of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Keep,
    To(String),
    /// The words of the link or the description of the picture take its place.
    PlainText,
}

/// Asks once for every target in every role. Refused is only what is refused as a document too.
pub fn retarget(markdown: &str, change: &mut dyn FnMut(&str, Role) -> Change) -> Result<String, Refusal> {
    let source = Prepared::new(markdown);
    let arena = Arena::new();
    let root = ast::parse(&arena, &source.text)?;
    let mut definitions = Definitions::default();
    for node in root.descendants() {
        definitions.note(node, &source);
    }
    definitions.note_lone(&source);
    let mut work = Work {
        source: &source,
        definitions,
        change,
        answers: HashMap::new(),
        edits: Edits::new(markdown),
        found: HashSet::new(),
        references: Vec::new(),
        repeating: None,
        effort: source.text.len().saturating_mul(EFFORT),
    };
    for node in root.descendants() {
        work.node(node);
    }
    work.define();
    Ok(work.edits.apply())
}

/// So many bytes may be looked at for each byte of the text where positions are not exact.
const EFFORT: usize = 16;

struct Work<'a, 'w> {
    source: &'w Prepared,
    definitions: Definitions,
    change: &'w mut dyn FnMut(&str, Role) -> Change,
    answers: HashMap<(String, Role), Change>,
    edits: Edits<'w>,
    /// Where the targets stand that were found.
    found: HashSet<usize>,
    /// The links whose targets stand in definitions.
    references: Vec<Reference>,
    /// The paragraph that repeats the target of the tag before it, and whether it follows it.
    repeating: Option<(Node<'a>, bool)>,
    effort: usize,
}

impl<'a> Work<'a, '_> {
    fn node(&mut self, node: Node<'a>) {
        match &node.data().value {
            NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::TableCell => self.line(node),
            NodeValue::HtmlBlock(html) => match self.source.stand_in(&html.literal) {
                Some(Stand::Tag(tag)) => self.tag(node, tag),
                Some(Stand::Formula(_)) => {}
                None => self.html_block(node, &html.literal),
            },
            _ => {}
        }
    }

    fn ask(&mut self, target: &str, role: Role) -> Change {
        // A footnote is no target; neither is nothing.
        if target.is_empty() || target.starts_with("#user-content-fn-") {
            return Change::Keep;
        }
        let key = (target.to_owned(), role);
        if let Some(answer) = self.answers.get(&key) {
            return answer.clone();
        }
        let answer = match (self.change)(target, role) {
            Change::To(new) if new == target => Change::Keep,
            answer => answer,
        };
        self.answers.insert(key, answer.clone());
        answer
    }
}

/// Words as Markdown.
fn words(text: &str) -> String {
    let mut written = String::new();
    let around = Around {
        mode: Mode::Cell,
        ends: false,
    };
    escape::text(text, around, &mut written);
    written
}

fn destination(target: &str) -> String {
    let mut written = String::new();
    escape::destination(target, &mut written);
    written
}

/// The value of an attribute, with quotes.
fn quoted(value: &str) -> String {
    let mut written = String::from("\"");
    entities::encode(value, &mut written);
    written.push('"');
    // In a tag a backslash would make the quote after it a part of the value.
    written.replace('\\', "&#92;")
}
