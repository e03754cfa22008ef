//! From Markdown to nodes.
//!
//! Blocks are read from the syntax tree from top to bottom. What may not stand where it was written comes right after
//! what it was written in (`hoist`), so that everything is kept; what is not understood becomes text.

mod attribute_values;
mod code;
mod containers;
mod figures;
mod frames;
mod headings;
mod hoist;
mod html_blocks;
mod html_slice;
mod inlines;
mod items;
mod leaves;
mod lists;
mod operations;
mod output;
mod pipe_tables;
mod table_builder;
mod tables;
mod tags;

use std::collections::HashMap;

use comrak::{
    Arena, Node,
    nodes::{NodeMath, NodeValue},
};
use openapi::models::{
    BlockBlockquote, BlockquoteBlock, ContentRef, Document, DocumentBlock, DocumentData, InlineNode,
};

use super::{
    limits::Limits,
    nodes::{make, unions::Whole as _},
    references::{ID_LENGTH, Resolver, Role, URL_LENGTH, url},
    refusal::Refusal,
    syntax::{
        ast,
        link_definitions::Definitions,
        prepare::{Prepared, Stand},
    },
};
use frames::Frames;

/// Where blocks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Document,
    Item,
    Quote,
    Hint,
    Panel,
    Column,
    Expandable,
    Annotation,
}

impl Place {
    /// Whether a picture on its own becomes a block of pictures.
    fn takes_images(self) -> bool {
        matches!(self, Self::Document | Self::Panel | Self::Column | Self::Expandable)
    }
}

/// The document of a text, without keys.
pub fn document(markdown: &str, limits: &Limits, resolver: &dyn Resolver) -> Result<Document, Refusal> {
    if markdown.len() > limits.bytes {
        let message = format!("The text is longer than {} bytes.", limits.bytes);
        return Err(Refusal::new("", "too-long", message));
    }
    let source = Prepared::new(markdown);
    let arena = Arena::new();
    let root = ast::parse(&arena, &source.text)?;
    let mut reader = Reader {
        source: &source,
        limits,
        resolver,
        notes: HashMap::new(),
        definitions: Definitions::default(),
        spilled: Vec::new(),
        refusal: None,
    };
    reader.collect(root);
    let mut nodes = reader.blocks(root, Place::Document, 0);
    nodes.append(&mut reader.spilled);
    reader.leftovers(root, &mut nodes);
    if let Some(refusal) = reader.refusal {
        return Err(refusal);
    }
    Ok(Document {
        object: Default::default(),
        data: DocumentData {
            schema_version: None,
            additional: Default::default(),
        },
        nodes,
    })
}

struct Reader<'a, 'r> {
    source: &'r Prepared,
    limits: &'r Limits,
    resolver: &'r dyn Resolver,
    /// The definitions of footnotes that nothing refers to so far.
    notes: HashMap<String, Node<'a>>,
    definitions: Definitions,
    /// What found no place in an annotation.
    spilled: Vec<DocumentBlock>,
    /// Why the whole text is refused.
    refusal: Option<Refusal>,
}

impl<'a> Reader<'a, '_> {
    fn collect(&mut self, root: Node<'a>) {
        for node in root.descendants() {
            self.definitions.note(node, self.source);
            if let NodeValue::FootnoteDefinition(definition) = &node.data().value {
                self.notes.entry(definition.name.clone()).or_insert(node);
            }
        }
        self.definitions.note_lone(self.source);
    }

    /// Definitions that nothing refers to are text at the end.
    fn leftovers(&mut self, root: Node<'a>, nodes: &mut Vec<DocumentBlock>) {
        for node in root.descendants() {
            let name = match &node.data().value {
                NodeValue::FootnoteDefinition(definition) => definition.name.clone(),
                _ => continue,
            };
            let first = self.notes.get(&name).is_some_and(|first| first.same_node(node));
            if first || self.definitions.is_again(node) {
                self.notes.remove(&name);
                nodes.push(paragraph_of(&format!("[^{name}]:")));
                nodes.extend(self.blocks(node, Place::Document, 0));
                nodes.append(&mut self.spilled);
            }
        }
        nodes.extend(self.definitions.unused().iter().map(|text| paragraph_of(text)));
    }

    fn blocks(&mut self, parent: Node<'a>, place: Place, depth: usize) -> Vec<DocumentBlock> {
        let mut frames = Frames::new(place, depth);
        // Containers that lie too deep are opened up: their content stands where they stood. Without recursion.
        let mut waiting: Vec<Node<'a>> = parent.reverse_children().collect();
        while let Some(node) = waiting.pop() {
            let depth = frames.depth();
            let value = &node.data().value;
            let levels = match value {
                NodeValue::List(_) => 2,
                NodeValue::BlockQuote => 1,
                NodeValue::Item(_) | NodeValue::TaskItem(_) => usize::MAX,
                _ => 0,
            };
            match levels > 0 && depth.saturating_add(levels) > self.limits.depth {
                true => waiting.extend(node.reverse_children()),
                false => self.block(node, value, &mut frames),
            }
        }
        frames.finish(self)
    }

    fn block(&mut self, node: Node<'a>, value: &NodeValue, frames: &mut Frames) {
        let (place, depth) = (frames.place(), frames.depth());
        match value {
            NodeValue::Paragraph => {
                let block = self.paragraph(node, place, depth);
                frames.push(block);
            }
            NodeValue::Heading(heading) => {
                let block = self.heading(node, heading.level, depth);
                frames.push(block);
            }
            NodeValue::ThematicBreak => frames.push(make::divider().whole()),
            NodeValue::List(_) => frames.extend(self.list(node, depth)),
            NodeValue::BlockQuote => {
                let blocks = self.blocks(node, Place::Quote, depth + 1);
                frames.extend(hoist::around(blocks, quote));
            }
            NodeValue::CodeBlock(code) => frames.push(self.code_block(code)),
            NodeValue::HtmlBlock(html) => match self.source.stand_in(&html.literal) {
                Some(Stand::Tag(tag)) => self.tag(tag, frames),
                Some(Stand::Formula(formula)) => frames.push(self.formula(formula)),
                None => {
                    let html = self.source.restore(&html.literal).into_owned();
                    self.html_block(&html, frames);
                }
            },
            NodeValue::Table(table) => {
                let block = self.pipe_table(node, table, depth);
                frames.push(block);
            }
            // These are read where they are referred to.
            NodeValue::FootnoteDefinition(_) => {}
            // The parser makes no other blocks with the extensions that are on.
            _ => {}
        }
    }

    fn paragraph(&mut self, node: Node<'a>, place: Place, depth: usize) -> DocumentBlock {
        let mut children = node.children();
        if let (Some(only), None) = (children.next(), children.next())
            && place.takes_images()
            && let NodeValue::Image(image) = &only.data().value
            && let Some(block) = self.lone_image(only, image)
        {
            return block;
        }
        make::paragraph(self.inlines(node, depth)).whole()
    }

    /// What a target points to, unless it is too long for that.
    fn reference(&mut self, role: Role, target: &str) -> Option<ContentRef> {
        let most = match role {
            Role::Link | Role::Media => URL_LENGTH,
            Role::File | Role::Reusable | Role::Specification => ID_LENGTH,
        };
        self.definitions.used(target);
        (target.chars().count() <= most).then(|| {
            let reference = self.resolver.reference(role, target);
            // A resolver may know better than the place allows.
            let fits = matches!(
                (role, &reference),
                (Role::Link, _)
                    | (
                        Role::Media,
                        ContentRef::ContentRefFile(_) | ContentRef::ContentRefUrl(_)
                    )
                    | (Role::File, ContentRef::ContentRefFile(_))
                    | (Role::Reusable, ContentRef::ContentRefReusableContent(_))
                    | (Role::Specification, ContentRef::ContentRefOpenApi(_))
            );
            match (fits, role) {
                (true, _) => reference,
                (false, Role::Media) => url(target),
                (false, _) => super::references::Addresses.reference(role, target),
            }
        })
    }
}

fn quote(nodes: Vec<BlockquoteBlock>) -> DocumentBlock {
    BlockBlockquote {
        object: Default::default(),
        r#type: Default::default(),
        key: None,
        is_void: None,
        data: None,
        nodes: Some(nodes),
    }
    .whole()
}

/// Text as it is.
fn paragraph_of(text: &str) -> DocumentBlock {
    let text = InlineNode::Text(make::plain(text));
    make::paragraph(vec![text]).whole()
}

/// The formula of a node, if it stands between two signs: one sign is no more than money.
fn is_formula(math: &NodeMath) -> bool {
    math.display_math
}
