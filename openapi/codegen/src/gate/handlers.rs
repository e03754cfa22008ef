//! Operations without a handler and handlers without an operation.

use std::{collections::BTreeMap, path::Path};

use heck::{ToPascalCase, ToSnakeCase};

use crate::{
    finding::{Findings, Place},
    model::{Api, Area},
};

use super::Source;

/// Compares the operations of the contract with the methods of `impl <Area>Api for …` below a folder.
pub fn check(api: &Api, folder: &Path, sources: &[Source], findings: &mut Findings) {
    for area in &api.areas {
        let handlers = handlers(sources, &trait_name(area));
        for operation in &area.operations {
            let method = operation.id.to_snake_case();
            if !handlers.contains_key(&method) {
                findings.add(
                    &operation.place,
                    format!("operation `{}` has no handler", operation.id),
                    format!(
                        "Write `async fn {method}(…)` in `impl {} for {}` in {}/areas/{}/{}/mod.rs.",
                        trait_name(area),
                        area.context.to_pascal_case(),
                        folder.display(),
                        area.context,
                        area.name
                    ),
                );
            }
        }
        for (method, place) in handlers {
            let known = area
                .operations
                .iter()
                .any(|operation| operation.id.to_snake_case() == method);
            if !known {
                findings.add(
                    &place,
                    format!("handler `{method}` of {} has no operation", trait_name(area)),
                    "Add the operation to the contract, or remove the handler.",
                );
            }
        }
    }
}

fn trait_name(area: &Area) -> String {
    format!("{}Api", area.name.to_pascal_case())
}

/// The methods of the implementations of a trait.
fn handlers(sources: &[Source], wanted: &str) -> BTreeMap<String, Place> {
    let mut found = BTreeMap::new();
    for source in sources {
        for item in &source.file.items {
            let syn::Item::Impl(block) = item else {
                continue;
            };
            let implemented = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            if implemented.is_none_or(|segment| segment.ident != wanted) {
                continue;
            }
            for member in &block.items {
                if let syn::ImplItem::Fn(method) = member {
                    let ident = &method.sig.ident;
                    found.insert(ident.to_string(), source.place(ident.span()));
                }
            }
        }
    }
    found
}
