//! Names that client generators give to inline schemas.

use crate::{
    finding::Place,
    model::{Shape, StringRules},
    node::Node,
};

use super::Lowering;

/// An inline schema for which client generators create a type.
pub struct Inline {
    name: String,
    place: Place,
    /// The generator creates a type as well. `define` compares the names of these types.
    is_type: bool,
}

impl Lowering<'_> {
    /// The shape of an inline schema. `name` is the name of the type in generated clients.
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

    /// Refuses components whose name client generators also give to an inline schema.
    pub(super) fn check_names(&mut self) {
        for Inline { name, place, is_type } in std::mem::take(&mut self.inline) {
            if is_type && !self.plain.contains(&name) {
                continue;
            }
            let target = self.homes.get(&name);
            if let Some(component) = target.and_then(|target| self.documents.find(target)) {
                self.findings.add(
                    &component.place,
                    format!("client generators give the inline schema at {place} the same name `{name}`"),
                    "Rename the component.",
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
