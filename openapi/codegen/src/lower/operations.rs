//! Conversion of paths into operations, grouped by tag.

use serde_json::json;

use crate::{
    errors::{self, FORBIDDEN, REFUSALS, WORDS},
    implied::{self, IDEMPOTENCY_HEADER, METHODS, SAFE, SCOPE},
    model::{Area, Body, Context, Operation, Shape},
    node::{Entry, Node},
    publish::MINIMAL,
};

use super::{
    Lowering,
    parameters::names_in,
    responses::{ERROR, Responses, SKIPPED_ITEMS},
};

const OPERATION: &[&str] = &[
    "operationId",
    "tags",
    "summary",
    "description",
    "deprecated",
    "x-access",
    SAFE,
    SECRET,
    SCOPE,
    MINIMAL,
    MAX_BODY_BYTES,
    PLAIN_TEXT,
    LENIENT_ITEMS,
    IGNORED_VALUES,
    WORDS,
    REFUSALS,
    "parameters",
    "requestBody",
    "responses",
];
/// Operations whose responses contain a secret, which no cache may store.
const SECRET: &str = "x-secret";
/// The most bytes of the body of an operation; in the document, of those that say nothing.
const MAX_BODY_BYTES: &str = "x-max-body-bytes";
/// Operations whose bodies may also be declared as `text/plain`, which pages of other origins send without asking first.
const PLAIN_TEXT: &str = "x-plain-text";
/// The list in the body of an operation whose items are left out one by one where they are wrong.
const LENIENT_ITEMS: &str = "x-lenient-items";
/// The members of the body of an operation that changes nothing whose unknown values are ignored, as JSON pointers.
const IGNORED_VALUES: &str = "x-ignored-values";
const ENTRY: &[&str] = &[
    "openapi",
    "info",
    "externalDocs",
    "servers",
    "tags",
    "x-tagGroups",
    "security",
    "paths",
    "components",
    "x-access-resources",
    "x-not-offered",
    MAX_BODY_BYTES,
    errors::KEYWORD,
    implied::KEYWORD,
    implied::HEADERS,
    implied::IDEMPOTENCY_KEY,
];

impl Lowering<'_> {
    pub(super) fn read_areas(&mut self, entry: &Node, contexts: &[Context]) -> Vec<Area> {
        self.only(entry, "the document", ENTRY);
        self.check_body_bytes(entry, "the document", true);
        let mut areas: Vec<Area> = Vec::new();
        for (path, item) in entry.get("paths").into_iter().flat_map(Node::map) {
            let Some((item, _)) = self.documents.resolve(&item.node, self.findings) else {
                continue;
            };
            let known: Vec<&str> = METHODS.iter().copied().chain(["parameters"]).collect();
            self.only(item, &format!("path {path}"), &known);
            for method in METHODS {
                let Some(written) = item.entry(method) else {
                    continue;
                };
                let Some((tag, context, operation)) = self.operation(path, method, item, written, contexts) else {
                    continue;
                };
                match areas.iter_mut().find(|area| area.name == tag) {
                    Some(area) => area.operations.push(operation),
                    None => areas.push(Area {
                        name: tag,
                        context,
                        operations: vec![operation],
                    }),
                }
            }
        }
        self.check_unique_ids(&areas);
        self.check_wildcards(&areas);
        self.check_folders(&areas);
        areas.sort_by(|a, b| a.name.cmp(&b.name));
        areas
    }

    fn check_unique_ids(&mut self, areas: &[Area]) {
        let mut seen = std::collections::BTreeMap::new();
        for operation in areas.iter().flat_map(|area| &area.operations) {
            if let Some(other) = seen.insert(&operation.id, &operation.place) {
                let problem = format!("two operations are called `{}`, the other at {other}", operation.id);
                self.findings.add(&operation.place, problem, "Rename one of them.");
            }
        }
    }

    fn check_body_bytes(&mut self, node: &Node, called: &str, has_body: bool) {
        let Some(bytes) = node.get(MAX_BODY_BYTES) else {
            return;
        };
        if bytes.to_json().as_u64().is_none_or(|bytes| bytes == 0) || !has_body {
            let problem = format!("`{MAX_BODY_BYTES}` of {called} says nothing of a body");
            let help = "Write the most bytes of a body as a number, in the document or in an operation with a body.";
            self.findings.add(&bytes.place, problem, help);
        }
    }

    fn check_lenient_items(&mut self, node: &Node, called: &str) {
        let counts = |response: &Node| {
            response
                .get("headers")
                .is_some_and(|headers| headers.get(SKIPPED_ITEMS).is_some())
        };
        let responses = node.get("responses");
        let is_counted = responses.is_some_and(|responses| responses.map().any(|(_, it)| counts(&it.node)));
        if node.get(LENIENT_ITEMS).is_some() != is_counted {
            let problem =
                format!("`{LENIENT_ITEMS}` and the response header `{SKIPPED_ITEMS}` of {called} do not go together");
            let help = "Declare both, or none of them.";
            self.findings.add(&node.place, problem, help);
        }
    }

    fn check_ignored_values(&mut self, node: &Node, called: &str) {
        let Some(members) = node.get(IGNORED_VALUES) else {
            return;
        };
        let pointers = node.texts(IGNORED_VALUES);
        let are_pointers = !pointers.is_empty() && pointers.iter().all(|pointer| pointer.starts_with('/'));
        if !node.bool(SAFE) || !are_pointers {
            let problem = format!("`{IGNORED_VALUES}` of {called} names no members that may be ignored");
            let help = format!("List JSON pointers into the body of an operation with `{SAFE}`.");
            self.findings.add(&members.place, problem, help);
        }
    }

    fn operation(
        &mut self,
        path: &str,
        method: &str,
        item: &Node,
        written: &Entry,
        contexts: &[Context],
    ) -> Option<(String, String, Operation)> {
        let node = Node {
            place: written.place.clone(),
            data: written.node.data.clone(),
        };
        let called = format!("{} {path}", method.to_uppercase());
        self.only(&node, &called, OPERATION);
        let id = self.text(&node, &called, "operationId");
        let summary = self.text(&node, &called, "summary");
        let doc = self.text(&node, &called, "description");
        let (tag, context) = self.area(&node, &called, contexts)?;
        if id.is_empty() {
            return None;
        }
        let mut parameters = self.read_parameters(&id, path, item, &node);
        let key = parameters
            .header
            .extract_if(.., |field| field.name == IDEMPOTENCY_HEADER)
            .next();
        let access = self.read_access(&node, &id, &names_in(path));
        let body = node.get("requestBody").and_then(|body| self.body(&id, body));
        self.check_body_bytes(&node, &called, body.is_some());
        self.check_lenient_items(&node, &called);
        self.check_ignored_values(&node, &called);
        let Responses { success, errors } = self.read_responses(&id, &node)?;
        let operation = Operation {
            place: node.place.clone(),
            id,
            method: method.to_owned(),
            path: path.to_owned(),
            summary,
            doc,
            deprecated: node.bool("deprecated"),
            safe: method == "get" || node.bool(SAFE),
            secret: node.bool(SECRET),
            scope: node.str(SCOPE).map(str::to_owned),
            may_forbid: node.texts(WORDS).contains(&FORBIDDEN),
            minimal: node.bool(MINIMAL),
            access,
            path_parameters: parameters.path,
            wildcard: parameters.wildcard,
            query_parameters: parameters.query,
            header_parameters: parameters.header,
            idempotency_key: key,
            body,
            success,
            errors,
        };
        self.check_conditional(&operation);
        Some((tag, context, operation))
    }

    /// The tag of an operation and the context of the tag.
    fn area(&mut self, node: &Node, called: &str, contexts: &[Context]) -> Option<(String, String)> {
        let tags = node.texts("tags");
        let single = tags.first().filter(|_| tags.len() == 1);
        let found = single.and_then(|tag| {
            let context = contexts
                .iter()
                .find(|context| context.tags.iter().any(|own| own == tag))?;
            Some(((*tag).to_owned(), context.name.clone()))
        });
        if found.is_none() {
            self.findings.add(
                &node.place,
                format!("{called} does not have exactly one known tag"),
                "Use the area as the only tag, and list the tag in `tags` and `x-tagGroups` of openapi.yaml.",
            );
        }
        found
    }

    fn text(&mut self, node: &Node, called: &str, key: &str) -> String {
        let text = node.str(key).unwrap_or_default();
        if text.trim().is_empty() {
            self.findings
                .add(&node.place, format!("{called} has no {key}"), format!("Add {key}."));
        }
        text.to_owned()
    }

    fn body(&mut self, id: &str, node: &Node) -> Option<Body> {
        self.only(node, "a request body", &["required", "description", "content"]);
        let type_name = self.content(id, "the request body", node)?;
        Some(Body {
            type_name,
            required: node.bool("required"),
        })
    }

    /// Checks that a body has an example, or that an example can be composed from the examples of the members.
    fn check_example(&mut self, id: &str, what: &str, media: &Node, schema: &str) {
        if media.get("example").is_some() || media.get("examples").is_some() {
            return;
        }
        let reference = json!({ "$ref": format!("#/components/schemas/{schema}") });
        if let Err(missing) = self.schemas.example(&reference) {
            self.findings.add(
                &media.place,
                format!("{id}: {what} has no example"),
                format!("Add an `example` here, or to `{missing}`."),
            );
        }
    }

    /// The JSON type of a request body or a response.
    pub(super) fn content(&mut self, id: &str, what: &str, node: &Node) -> Option<String> {
        let content = node.get("content")?;
        self.only(content, "content", &["application/json"]);
        let media = content.get("application/json")?;
        self.only(media, "a media type", &["schema", "example", "examples"]);
        let schema = media.get("schema")?;
        if schema.get("$ref").is_some()
            && let Shape::Named(name) = self.shape(schema, "")
        {
            // The examples of errors are made from their words.
            if name != ERROR {
                self.check_example(id, what, media, &name);
            }
            return Some(name);
        }
        self.findings.add(
            &media.place,
            format!("{id}: the schema of {what} is not a reference to an object"),
            "Move the schema to `schemas:` of a components file and use a $ref.",
        );
        None
    }
}
