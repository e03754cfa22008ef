//! What the published document says beyond the files: who may call, examples of errors and bodies, and links.

mod access;
mod errors;
mod exclusive;
mod links;
mod minimal;
mod reserved;
mod source;
mod style;

use serde_json::{Map, Value};

use crate::{compose, errors::Catalog};

pub use exclusive::KEYWORD as AT_MOST_ONE;
pub use links::KEYWORD as ID_OF;
pub use minimal::KEYWORD as MINIMAL;
pub use source::Source;

/// Completes the bundle.
pub fn complete(bundle: &mut Value, catalog: &Catalog) {
    let source = bundle.clone();
    let source = Source::of(&source);
    exclusive::complete(bundle, source);
    errors::complete(bundle, source, catalog);
    access::complete(bundle, source);
    links::complete(bundle, source);
    minimal::complete(bundle);
    compose::complete(bundle);
    reserved::complete(bundle);
    style::complete(bundle);
}

/// The operations of a bundle, with the path and the method of each.
fn operations(bundle: &mut Value) -> impl Iterator<Item = (&String, &String, &mut Map<String, Value>)> {
    let paths = bundle.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.into_iter().flatten();
    items.flat_map(|(path, item)| {
        let members = item.as_object_mut().into_iter().flatten();
        members.filter_map(move |(method, operation)| {
            let operation = operation.as_object_mut()?;
            Some((path, method, operation))
        })
    })
}
