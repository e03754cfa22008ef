//! Names that client generators give to what has none of its own.

use crate::{
    finding::Place,
    model::{Shape, StringRules},
    node::Node,
};

use super::Lowering;

/// A schema within another one, of which client generators make a type.
pub struct Inline {
    name: String,
    place: Place,
    /// The schema is a type here too; `define` compares these with each other.
    is_type: bool,
}

impl Lowering<'_> {
    /// The shape of a schema within another one; `name` is what client generators call a type made from it.
    pub(super) fn inline_shape(&mut self, node: &Node, name: &str) -> Shape {
        let shape = self.shape(node, name);
        let is_type = match shape.inner() {
            _ if is_reference(node) => return shape,
            Shape::Named(_) => true,
            Shape::String(rules) if is_constrained(rules) => false,
            _ => return shape,
        };
        self.inline.push(Inline {
            name: name.to_owned(),
            place: node.place.clone(),
            is_type,
        });
        shape
    }

    /// Refuses components that client generators cannot tell from what they make of a member.
    pub(super) fn check_names(&mut self) {
        for Inline { name, place, is_type } in std::mem::take(&mut self.inline) {
            if is_type && !self.plain.contains(&name) {
                continue;
            }
            let target = self.homes.get(&name);
            if let Some(component) = target.and_then(|target| self.documents.find(target)) {
                self.findings.add(
                    &component.place,
                    format!("client generators also call what is at {place} `{name}`"),
                    "Give it another name.",
                );
            }
        }
    }
}

fn is_constrained(rules: &StringRules) -> bool {
    rules.pattern.is_some() || rules.min.is_some() || rules.max.is_some()
}

/// Returns whether a schema, apart from `null`, is a reference.
fn is_reference(node: &Node) -> bool {
    let choices = node.get("oneOf").map(Node::list).unwrap_or_default();
    let mut others = choices.iter().filter(|choice| choice.str("type") != Some("null"));
    let single = others.next().filter(|_| others.next().is_none());
    single.unwrap_or(node).get("$ref").is_some()
}
