//! The error responses that follow from the form of an operation: the document declares them once, in
//! `x-implied-responses`, instead of in every operation.

use indexmap::IndexMap;

use crate::{
    document::{Documents, ENTRY, Target, target},
    finding::{Findings, Place},
    node::{Data, Entry, Node},
};

pub const KEYWORD: &str = "x-implied-responses";

pub const METHODS: &[&str] = &["get", "put", "post", "delete", "patch"];

/// Returns whether an operation has the responses of a rule.
type Rule = fn(&Form) -> bool;

/// The members of `x-implied-responses`.
const RULES: &[(&str, Rule)] = &[
    ("always", |_| true),
    ("input", Form::reads_input),
    ("path", |form| !form.path.is_empty() && !form.may_be_absent),
    ("level", |form| form.may_be_too_low),
    ("body", |form| form.has_body),
];

/// The properties of an operation that determine its implied responses.
struct Form {
    has_body: bool,
    /// Parameters of the query and the header.
    has_parameters: bool,
    path: Vec<String>,
    /// The path parameters that name the resource of the access check.
    of_resource: Vec<String>,
    may_be_absent: bool,
    may_be_too_low: bool,
}

impl Form {
    fn reads_input(&self) -> bool {
        let beside_access = self.path.iter().any(|name| !self.of_resource.contains(name));
        self.has_body || self.has_parameters || beside_access
    }
}

/// Adds the implied responses to all operations. A response that an operation declares itself stays.
pub fn complete(documents: &mut Documents, findings: &mut Findings) {
    let Some(entry) = documents.entry() else {
        return;
    };
    let Some(declared) = entry.get(KEYWORD) else {
        return findings.add(
            &Place::start(),
            format!("the document has no {KEYWORD}"),
            format!("Declare the responses of each rule: {}.", rules().join(", ")),
        );
    };
    check(declared, findings);
    let added: Vec<_> = operations(documents)
        .map(|(target, item, operation)| (target, implied(declared, &form(documents, item, operation))))
        .collect();
    for (target, responses) in added {
        if let Some(Data::Map(own)) = documents.find_mut(&target).map(|node| &mut node.data) {
            for (status, response) in responses {
                own.entry(status).or_insert(response);
            }
            own.sort_keys();
        }
    }
}

fn rules() -> Vec<&'static str> {
    RULES.iter().map(|(name, _)| *name).collect()
}

fn check(declared: &Node, findings: &mut Findings) {
    for (name, entry) in declared.map() {
        if !rules().contains(&name) {
            findings.add(
                &entry.place,
                format!("`{name}` is not a rule of {KEYWORD}"),
                format!("The rules are {}.", rules().join(", ")),
            );
        }
    }
    for name in rules() {
        if declared.get(name).is_none() {
            findings.add(
                &declared.place,
                format!("{KEYWORD} has no responses for `{name}`"),
                "Declare the responses of each rule.",
            );
        }
    }
}

/// The `responses` of each operation, with its path item and the operation itself.
fn operations(documents: &Documents) -> impl Iterator<Item = (Target, &Node, &Node)> {
    let paths = documents.entry().and_then(|entry| entry.get("paths"));
    let items = paths.into_iter().flat_map(Node::map).filter_map(|(path, written)| {
        let reference = written.node.str("$ref");
        let target = match reference {
            Some(reference) => target(&written.node.place, reference)?,
            None => Target {
                file: ENTRY.to_owned(),
                pointer: format!("/paths/{}", path.replace('~', "~0").replace('/', "~1")),
            },
        };
        Some((documents.find(&target)?, target))
    });
    items.flat_map(|(item, target)| {
        METHODS.iter().filter_map(move |method| {
            let operation = item.get(method)?;
            let responses = Target {
                file: target.file.clone(),
                pointer: format!("{}/{method}/responses", target.pointer),
            };
            Some((responses, item, operation))
        })
    })
}

fn form(documents: &Documents, item: &Node, operation: &Node) -> Form {
    let lists = [item, operation].map(|node| node.get("parameters").map(Node::list).unwrap_or_default());
    let parameters: Vec<&Node> = lists
        .into_iter()
        .flatten()
        .filter_map(|written| resolved(documents, written))
        .collect();
    let is_of_path = |parameter: &&&Node| parameter.str("in") == Some("path");
    let path = parameters.iter().filter(is_of_path).filter_map(|node| node.str("name"));
    let path: Vec<String> = path.map(str::to_owned).collect();
    let access = operation.get("x-access");
    let resource = access.and_then(|access| {
        let resources = documents.entry()?.get("x-access-resources")?;
        resources.get(access.str("resource")?)
    });
    let lowest = resource.and_then(|resource| resource.texts("levels").first().copied());
    Form {
        has_body: operation.get("requestBody").is_some(),
        has_parameters: parameters.len() > path.len(),
        path,
        of_resource: resource.map_or_else(Vec::new, |resource| {
            resource.texts("parameters").into_iter().map(str::to_owned).collect()
        }),
        may_be_absent: resource.is_some_and(|resource| resource.bool("mayBeAbsent")),
        may_be_too_low: access.and_then(|access| access.str("level")) != lowest,
    }
}

/// A node, or the target of its `$ref`; a reference without a target is reported where it is used.
fn resolved<'a>(documents: &'a Documents, node: &'a Node) -> Option<&'a Node> {
    match node.str("$ref") {
        Some(reference) => documents.find(&target(&node.place, reference)?),
        None => Some(node),
    }
}

fn implied(declared: &Node, form: &Form) -> IndexMap<String, Entry> {
    RULES
        .iter()
        .filter(|(_, applies)| applies(form))
        .filter_map(|(name, _)| declared.get(name))
        .flat_map(Node::map)
        .map(|(status, response)| (status.to_owned(), response.clone()))
        .collect()
}
