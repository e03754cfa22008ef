//! About the memory of generated types, where it decides how they are laid out.

use crate::model::{Api, Field, Kind, Shape, Struct};

/// The most bytes of a node that stands in a list of nodes as it is. Paragraphs and texts have fewer.
const MAX_NODE_BYTES: usize = 64;

/// A text, a list, or a sorted list of members.
const LIST_BYTES: usize = 24;
const NUMBER_BYTES: usize = 8;
const ANY_BYTES: usize = 32;

/// Returns whether a shape is a node of a document that has much more data than most nodes.
pub fn is_large_node(api: &Api, shape: &Shape) -> bool {
    let Shape::Named(name) = shape else {
        return false;
    };
    match api.types.get(name).map(|t| &t.kind) {
        Some(Kind::Struct(object)) => is_node(object) && struct_bytes(api, object) > MAX_NODE_BYTES,
        _ => false,
    }
}

fn is_node(object: &Struct) -> bool {
    let has = |name: &str| object.fields.iter().any(|field| field.name == name);
    has("object") && has("key")
}

fn struct_bytes(api: &Api, object: &Struct) -> usize {
    let bytes: usize = object.fields.iter().map(|field| field_bytes(api, field)).sum();
    bytes.next_multiple_of(NUMBER_BYTES)
}

fn field_bytes(api: &Api, field: &Field) -> usize {
    let shape = field.shape.inner();
    match shape {
        Shape::Integer(_) | Shape::Number(_) if !field.required => 2 * NUMBER_BYTES,
        _ => shape_bytes(api, shape),
    }
}

fn shape_bytes(api: &Api, shape: &Shape) -> usize {
    match shape {
        Shape::String(_) | Shape::Array(..) | Shape::Map(..) => LIST_BYTES,
        Shape::Integer(_) | Shape::Number(_) => NUMBER_BYTES,
        Shape::Boolean => 1,
        Shape::Constant(_) => 0,
        Shape::Any => ANY_BYTES,
        Shape::Nullable(inner) => shape_bytes(api, inner),
        Shape::Named(name) => match api.types.get(name).map(|t| &t.kind) {
            Some(Kind::Struct(object)) => struct_bytes(api, object),
            Some(Kind::Union(union)) => {
                let variants = union.variants.iter().map(|variant| shape_bytes(api, &variant.shape));
                variants.max().unwrap_or_default()
            }
            Some(Kind::Enum(values)) => usize::from(values.len() > 1),
            None => 0,
        },
    }
}
