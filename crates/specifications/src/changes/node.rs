//! Values of a document with their places, and what references lead to.

use std::{collections::HashMap, ptr, rc::Rc};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::budget::{self, Budget};
use crate::references::push;

/// References that lead from one to the next.
const MAX_REFERENCES: usize = 100;

/// A place in a document, written out only for what is told.
#[derive(Debug, Clone, Default)]
pub struct Place<'d>(Option<Rc<Step<'d>>>);

#[derive(Debug)]
struct Step<'d> {
    parent: Place<'d>,
    segment: Segment<'d>,
}

#[derive(Debug)]
enum Segment<'d> {
    Name(&'d str),
    Index(usize),
    /// Where a reference leads to.
    Pointer(Rc<str>),
}

impl<'d> Place<'d> {
    fn below(&self, segment: Segment<'d>) -> Self {
        let parent = self.clone();
        Self(Some(Rc::new(Step { parent, segment })))
    }

    pub fn pointer(&self) -> String {
        let mut segments = Vec::new();
        let mut place = self;
        while let Some(step) = &place.0 {
            segments.push(&step.segment);
            place = &step.parent;
        }
        let mut pointer = String::new();
        for segment in segments.into_iter().rev() {
            match segment {
                Segment::Name(name) => push(&mut pointer, name),
                Segment::Index(index) => push(&mut pointer, &index.to_string()),
                Segment::Pointer(start) => pointer.push_str(start),
            }
        }
        pointer
    }

    /// The bytes of the pointer, or somewhat fewer.
    pub fn length(&self) -> usize {
        let mut length = 0;
        let mut place = self;
        while let Some(step) = &place.0 {
            length += match &step.segment {
                Segment::Name(name) => name.len(),
                Segment::Index(_) => 1,
                Segment::Pointer(start) => start.len(),
            };
            place = &step.parent;
        }
        length
    }
}

/// A value of a document.
#[derive(Debug, Clone)]
pub struct Node<'d> {
    pub value: &'d Value,
    pub place: Place<'d>,
    /// Whether a reference led here, so that the way to it may be a circle.
    pub is_referred: bool,
}

impl<'d> Node<'d> {
    /// A member; `null` counts as absent.
    pub fn get(&self, name: &'d str) -> Option<Self> {
        self.member(name).filter(|member| !member.value.is_null())
    }

    pub fn member(&self, name: &'d str) -> Option<Self> {
        Some(self.child(self.value.get(name)?, Segment::Name(name)))
    }

    fn child(&self, value: &'d Value, segment: Segment<'d>) -> Self {
        Self {
            value,
            place: self.place.below(segment),
            is_referred: self.is_referred,
        }
    }

    pub fn members(&self) -> impl Iterator<Item = (&'d str, Self)> + use<'d> {
        let parent = self.clone();
        let members = self.value.as_object().into_iter().flatten();
        members.map(move |(name, value)| (name.as_str(), parent.child(value, Segment::Name(name))))
    }

    pub fn items(&self) -> impl Iterator<Item = Self> + use<'d> {
        let parent = self.clone();
        let items = self.value.as_array().into_iter().flatten();
        items
            .enumerate()
            .map(move |(index, value)| parent.child(value, Segment::Index(index)))
    }

    pub fn text(&self, name: &str) -> Option<&'d str> {
        self.value.get(name)?.as_str()
    }

    pub fn is_true(&self, name: &str) -> bool {
        self.value.get(name) == Some(&Value::Bool(true))
    }

    /// What tells the values of both documents apart.
    pub fn address(&self) -> usize {
        ptr::from_ref(self.value).addr()
    }
}

/// The reference of a value.
pub fn reference(value: &Value) -> Option<&str> {
    let member = value.get("$ref").or_else(|| value.get("$dynamicRef"));
    member?.as_str()
}

/// A document with the names that its schemas declare.
pub struct Document<'d> {
    pub root: Node<'d>,
    anchors: HashMap<&'d str, Node<'d>>,
    pub weight: usize,
}

impl<'d> Document<'d> {
    pub fn new(value: &'d Value) -> Self {
        let root = Node {
            value,
            place: Place::default(),
            is_referred: false,
        };
        let mut document = Self {
            root: root.clone(),
            anchors: HashMap::new(),
            weight: 0,
        };
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            document.weight += budget::of_value(node.value);
            for name in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = node.text(name) {
                    document.anchors.entry(anchor).or_insert_with(|| node.clone());
                }
            }
            // Values without members have no names.
            let is_parent = |node: &Node<'_>| node.value.is_object() || node.value.is_array();
            for (_, member) in node.members() {
                match is_parent(&member) {
                    true => open.push(member),
                    false => document.weight += budget::of_value(member.value),
                }
            }
            for item in node.items() {
                match is_parent(&item) {
                    true => open.push(item),
                    false => document.weight += budget::of_value(item.value),
                }
            }
        }
        document
    }

    /// What a reference leads to; `None` if that is not in the document.
    pub fn target(&self, budget: &mut Budget, text: &str) -> Option<Node<'d>> {
        if !budget.take(1 + text.len() / 16) {
            return None;
        }
        let fragment = text.strip_prefix('#')?;
        let pointer = percent_decode_str(fragment).decode_utf8().ok()?;
        if !(pointer.is_empty() || pointer.starts_with('/')) {
            let found = self.anchors.get(pointer.as_ref())?;
            return Some(Node {
                is_referred: true,
                ..found.clone()
            });
        }
        Some(Node {
            value: self.root.value.pointer(&pointer)?,
            place: Place::default().below(Segment::Pointer(pointer.as_ref().into())),
            is_referred: true,
        })
    }

    /// Follows the references of a value whose other members have no meaning.
    pub fn resolve(&self, budget: &mut Budget, node: Node<'d>) -> Option<Node<'d>> {
        let mut node = node;
        for _ in 0..MAX_REFERENCES {
            let Some(text) = reference(node.value) else {
                return Some(node);
            };
            match self.target(budget, text) {
                Some(target) => node = target,
                None => break,
            }
        }
        budget.miss();
        None
    }
}
