//! Conversion of the document into the model.

mod access;
mod contexts;
mod keywords;
mod names;
mod objects;
mod operations;
mod parameters;
mod responses;
mod schemas;
mod unions;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    bundle,
    compose::Schemas,
    document::{Documents, Target},
    errors::Catalog,
    finding::Findings,
    model::{Api, Kind, Operation, Resource, Shape, StringRules, Type},
    publish,
};

use names::Inline;
pub use responses::ERROR;

/// The state of the conversion.
pub struct Lowering<'a> {
    documents: &'a Documents,
    findings: &'a mut Findings,
    /// The schemas of the bundle, for composing examples.
    schemas: Schemas<'a>,
    types: BTreeMap<String, Type>,
    /// Components by name, for detecting duplicate names.
    homes: BTreeMap<String, Target>,
    /// The components without their own Rust type.
    plain: BTreeSet<String>,
    /// The rules of those among them that are strings.
    texts: BTreeMap<String, StringRules>,
    /// Inline schemas, for the names that client generators give to inline schemas.
    inline: Vec<Inline>,
    /// Components that are being converted, for detecting recursion.
    open: Vec<Target>,
    resources: BTreeMap<String, Resource>,
    /// The modifiers of each resource.
    modifiers: BTreeMap<String, Vec<String>>,
}

pub fn lower(documents: &Documents, errors: Catalog, findings: &mut Findings) -> Api {
    let mut bundle = bundle::bundle(documents, findings);
    let mut lowering = Lowering {
        documents,
        findings,
        schemas: Schemas::of(&bundle),
        types: BTreeMap::new(),
        homes: BTreeMap::new(),
        plain: BTreeSet::new(),
        texts: BTreeMap::new(),
        inline: Vec::new(),
        open: Vec::new(),
        resources: BTreeMap::new(),
        modifiers: BTreeMap::new(),
    };
    let Some(entry) = documents.entry() else {
        return Api::default();
    };
    lowering.read_resources(entry);
    let tags = lowering.read_tags(entry);
    let contexts = lowering.read_contexts(entry, &tags);
    let areas = lowering.read_areas(entry, &contexts);
    lowering.check_names();
    let (types, texts, resources) = (lowering.types, lowering.texts, lowering.resources);
    publish::complete(&mut bundle, &errors);
    let mut api = Api {
        tags,
        contexts,
        areas,
        types,
        texts,
        resources,
        errors,
        bundle,
    };
    mark_directions(&mut api);
    mark_maps_within_maps(&mut api.types);
    api
}

/// Marks the maps of objects that are the values of maps.
fn mark_maps_within_maps(types: &mut BTreeMap<String, Type>) {
    let shapes = types.values().flat_map(Type::shapes);
    let values = shapes.filter_map(|shape| match shape.inner() {
        Shape::Map(value, _) => Some(&**value),
        _ => None,
    });
    let mut names = Vec::new();
    values.for_each(|value| value.names(&mut names));
    let names: BTreeSet<String> = names.into_iter().map(str::to_owned).collect();
    for name in names {
        let Some(Kind::Struct(object)) = types.get_mut(&name).map(|t| &mut t.kind) else {
            continue;
        };
        for field in &mut object.fields {
            if let Shape::Map(_, rules) = &mut field.shape {
                rules.is_within_map = true;
            }
        }
    }
}

/// Marks the types of requests and the types of responses. Code is only generated for these directions.
fn mark_directions(api: &mut Api) {
    let operations = || api.areas.iter().flat_map(|area| &area.operations);
    let mut requests: Vec<String> = operations()
        .filter_map(|o| o.body.as_ref())
        .map(|body| body.type_name.clone())
        .collect();
    let mut parameters = Vec::new();
    for field in operations().flat_map(Operation::parameters) {
        field.shape.names(&mut parameters);
    }
    requests.extend(parameters.into_iter().map(str::to_owned));
    let mut responses: Vec<String> = operations().filter_map(|o| o.success.type_name.clone()).collect();
    responses.push(ERROR.to_owned());
    mark(&mut api.types, requests, |t| &mut t.request);
    mark(&mut api.types, responses, |t| &mut t.response);
}

fn mark(types: &mut BTreeMap<String, Type>, mut pending: Vec<String>, flag: fn(&mut Type) -> &mut bool) {
    while let Some(name) = pending.pop() {
        let Some(found) = types.get_mut(&name) else {
            continue;
        };
        if std::mem::replace(flag(found), true) {
            continue;
        }
        let mut names = Vec::new();
        found.shapes().into_iter().for_each(|shape| shape.names(&mut names));
        pending.extend(names.into_iter().map(str::to_owned));
    }
}
