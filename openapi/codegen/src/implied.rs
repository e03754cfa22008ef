//! The errors that follow from the form of an operation, and the headers that follow from the status of a response: the
//! document declares them once, in `x-implied-errors` and `x-implied-headers`, instead of in every operation.

use indexmap::IndexMap;

use crate::{
    document::{Documents, Target, target},
    errors::{self, Catalog},
    finding::{ENTRY, Findings, Place},
    model::{ANY_SCOPE, ANYONE},
    node::{Data, Entry, Node},
};

pub const KEYWORD: &str = "x-implied-errors";
pub const HEADERS: &str = "x-implied-headers";

/// The header parameter of operations that change something by POST.
pub const IDEMPOTENCY_KEY: &str = "x-idempotency-key";

/// The name of that header.
pub const IDEMPOTENCY_HEADER: &str = "Idempotency-Key";

/// The scope that lets an installation of an integration call an operation.
pub const SCOPE: &str = "x-scope";

/// Operations that change nothing although their method is POST, because what they read is too long for a query.
pub const SAFE: &str = "x-safe";

pub const METHODS: &[&str] = &["get", "put", "post", "delete", "patch"];

/// Returns whether an operation can answer the errors of a rule.
type Rule = fn(&Form) -> bool;

/// The members of `x-implied-errors`.
const RULES: &[(&str, Rule)] = &[
    ("always", |_| true),
    ("input", Form::reads_input),
    ("path", |form| {
        !form.path.is_empty() && (!form.may_be_absent || form.is_within_another)
    }),
    ("level", |form| form.may_be_too_low),
    ("scope", |form| form.needs_scope),
    ("body", |form| form.has_body),
    ("key", |form| form.takes_key),
];

/// The properties of an operation that determine its implied errors.
struct Form {
    has_body: bool,
    /// Parameters of the query and the header.
    has_parameters: bool,
    path: Vec<String>,
    /// The path parameters that name the resource of the access check.
    of_resource: Vec<String>,
    may_be_absent: bool,
    /// `true` if the resource is within another one, which has to be there.
    is_within_another: bool,
    may_be_too_low: bool,
    /// `true` if an installation of an integration may lack the scope.
    needs_scope: bool,
    /// `true` if the operation takes an idempotency key.
    takes_key: bool,
    /// `true` if the operation takes a cursor.
    is_paged: bool,
}

impl Form {
    fn reads_input(&self) -> bool {
        let beside_access = self.path.iter().any(|name| !self.of_resource.contains(name));
        self.has_body || self.has_parameters || beside_access
    }
}

/// Adds the implied errors and headers to all operations.
pub fn complete(documents: &mut Documents, catalog: &Catalog, findings: &mut Findings) {
    let Some(entry) = documents.entry() else {
        return;
    };
    let Some(declared) = entry.get(KEYWORD).cloned() else {
        return findings.add(
            &Place::start(),
            format!("the document has no {KEYWORD}"),
            format!("Declare the errors of each rule: {}.", rules().join(", ")),
        );
    };
    check(&declared, findings);
    add_idempotency_keys(documents);
    let added: Vec<_> = operations(documents)
        .map(|(target, item, operation)| {
            let form = form(documents, item, operation);
            (target, words(&declared, &form, operation), form.is_paged)
        })
        .collect();
    for (target, names, is_paged) in added {
        let Some(operation) = documents.find_mut(&target) else {
            continue;
        };
        for (status, response) in operation.get("responses").into_iter().flat_map(Node::map) {
            if status.starts_with(['4', '5']) || status == "default" {
                findings.add(
                    &response.place,
                    format!("the response {status} does not say which errors it is for"),
                    format!("Name the words of the errors in `{}` of the operation.", errors::WORDS),
                );
            }
        }
        let responses = catalog.responses(operation, &names, findings);
        set(operation, errors::WORDS, names);
        if is_paged {
            refuse_other_pages(operation);
        }
        if let Some(Data::Map(own)) = operation.get_mut("responses").map(|node| &mut node.data) {
            for (status, response) in responses {
                own.entry(status).or_insert(response);
            }
            own.sort_keys();
        }
    }
    add_headers(documents);
}

/// The words of an operation: the implied ones, then its own.
fn words(declared: &Node, form: &Form, operation: &Node) -> Vec<String> {
    let implied = RULES.iter().filter(|(_, applies)| applies(form));
    let implied = implied.flat_map(|(name, _)| declared.texts(name));
    let mut names: Vec<String> = implied.map(str::to_owned).collect();
    for own in operation.texts(errors::WORDS) {
        if !names.iter().any(|name| name == own) {
            names.push(own.to_owned());
        }
    }
    names
}

/// Adds the header to the operations that change something by POST for callers with a token.
fn add_idempotency_keys(documents: &mut Documents) {
    let Some(parameter) = documents.entry().and_then(|entry| entry.get(IDEMPOTENCY_KEY)).cloned() else {
        return;
    };
    let takes_key = |target: &Target, operation: &Node| {
        let level = operation.get("x-access").and_then(|access| access.str("level"));
        target.pointer.ends_with("/post") && !operation.bool(SAFE) && level != Some(ANYONE)
    };
    let found = operations(documents).filter(|(target, _, operation)| takes_key(target, operation));
    let found: Vec<Target> = found.map(|(target, ..)| target).collect();
    for target in found {
        let Some(operation) = documents.find_mut(&target) else {
            continue;
        };
        let place = operation.place.clone();
        let Data::Map(members) = &mut operation.data else {
            continue;
        };
        let parameters = members.entry("parameters".to_owned()).or_insert_with(|| Entry {
            place: place.clone(),
            node: Node {
                place,
                data: Data::List(Vec::new()),
            },
        });
        if let Data::List(parameters) = &mut parameters.node.data {
            parameters.push(parameter.clone());
        }
    }
}

/// The cursor of another list is refused.
fn refuse_other_pages(operation: &mut Node) {
    let place = operation.place.clone();
    let node = |data| Node {
        place: place.clone(),
        data,
    };
    let entry = |node: Node| Entry {
        place: node.place.clone(),
        node,
    };
    let Data::Map(members) = &mut operation.data else {
        return;
    };
    let empty = || entry(node(Data::Map(IndexMap::new())));
    let own = members.entry(errors::REFUSALS.to_owned()).or_insert_with(empty);
    if let Data::Map(own) = &mut own.node.data {
        let pointer = entry(node(Data::Scalar("/query/page".into())));
        own.insert("page".to_owned(), pointer);
    }
}

fn set(node: &mut Node, key: &str, texts: Vec<String>) {
    let place = node.place.clone();
    let list = texts.into_iter().map(|text| Node {
        place: place.clone(),
        data: Data::Scalar(text.into()),
    });
    let list = Node {
        place: place.clone(),
        data: Data::List(list.collect()),
    };
    if let Data::Map(members) = &mut node.data {
        members.insert(key.to_owned(), Entry { place, node: list });
    }
}

/// Adds the headers of all responses, and those of a status.
fn add_headers(documents: &mut Documents) {
    let declared = documents.entry().and_then(|entry| entry.get(HEADERS)).cloned();
    let Some(declared) = declared else {
        return;
    };
    let mut found = Vec::new();
    for (operation, _, node) in operations(documents) {
        for (status, response) in node.get("responses").into_iter().flat_map(Node::map) {
            let reference = response.node.str("$ref");
            let place = match reference {
                Some(reference) => target(&response.node.place, reference),
                None => Some(Target {
                    pointer: format!("{}/responses/{status}", operation.pointer),
                    file: operation.file.clone(),
                }),
            };
            found.extend(place.map(|place| (place, status.to_owned())));
        }
    }
    for (place, status) in found {
        let headers = ["always", &status].into_iter().filter_map(|key| declared.get(key));
        let headers = headers.flat_map(Node::map);
        let headers: Vec<_> = headers
            .map(|(name, header)| (name.to_owned(), header.clone()))
            .collect();
        if let Some(Data::Map(response)) = documents.find_mut(&place).map(|node| &mut node.data) {
            let own = response.entry("headers".to_owned()).or_insert_with(|| Entry {
                place: declared.place.clone(),
                node: Node {
                    place: declared.place.clone(),
                    data: Data::Map(IndexMap::new()),
                },
            });
            if let Data::Map(own) = &mut own.node.data {
                own.extend(headers);
            }
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
                format!("{KEYWORD} has no errors for `{name}`"),
                "Declare the errors of each rule.",
            );
        }
    }
}

/// The operations, each with its position in the documents and its path item.
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
            let place = Target {
                file: target.file.clone(),
                pointer: format!("{}/{method}", target.pointer),
            };
            Some((place, item, operation))
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
        resolved(documents, resources.get(access.str("resource")?)?)
    });
    let modifiers = resource.and_then(|resource| resource.get("modifiers"));
    let modifier = modifiers
        .into_iter()
        .flat_map(Node::map)
        .find(|(name, _)| access.is_some_and(|access| access.bool(name)));
    let modifier = modifier.map(|(_, entry)| &entry.node);
    let levels = modifier
        .filter(|modifier| modifier.get("levels").is_some())
        .or(resource);
    let lowest = levels.and_then(|levels| levels.texts("levels").first().copied());
    Form {
        has_body: operation.get("requestBody").is_some(),
        has_parameters: parameters.len() > path.len(),
        takes_key: parameters
            .iter()
            .any(|node| node.str("name") == Some(IDEMPOTENCY_HEADER)),
        path,
        is_paged: parameters.iter().any(|node| {
            let is_id = node.get("schema").is_some_and(|schema| schema.get("x-id").is_some());
            node.str("name") == Some("page") && node.str("in") == Some("query") && !is_id
        }),
        of_resource: resource.map_or_else(Vec::new, |resource| {
            resource.texts("parameters").into_iter().map(str::to_owned).collect()
        }),
        may_be_absent: access.is_some_and(|access| access.bool("mayBeAbsent")),
        is_within_another: resource.is_some_and(|resource| resource.get("within").is_some()),
        needs_scope: operation.str(SCOPE).is_some_and(|scope| scope != ANY_SCOPE),
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
