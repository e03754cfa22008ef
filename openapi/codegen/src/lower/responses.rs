//! The responses of operations.

use crate::{
    errors::WORDS,
    finding::Place,
    implied::HEADERS,
    model::{Form, Operation, Shape, Success},
    node::{Entry, Node},
};

use super::Lowering;

/// The schema of every error body.
pub const ERROR: &str = "Error";

/// The request header of conditional reads.
const IF_NONE_MATCH: &str = "If-None-Match";

/// The response header that counts the items that were left out.
pub(super) const SKIPPED_ITEMS: &str = "X-Skipped-Items";

/// The responses of an operation, by meaning.
pub(super) struct Responses {
    pub success: Success,
    pub errors: Vec<Option<u16>>,
}

impl Lowering<'_> {
    pub(super) fn read_responses(&mut self, id: &str, node: &Node) -> Option<Responses> {
        let responses = node.get("responses");
        let mut success: Option<Success> = None;
        let mut not_modified = None;
        let mut errors = Vec::new();
        for (status, written) in responses.into_iter().flat_map(Node::map) {
            let Some((response, _)) = self.documents.resolve(&written.node, self.findings) else {
                continue;
            };
            self.only(response, "a response", &["description", "content", "headers"]);
            match status.parse::<u16>() {
                Ok(status @ 200..=299) if success.is_none() => {
                    let (type_name, is_list) = self.answer(id, response);
                    success = Some(Success {
                        status,
                        type_name,
                        is_list,
                        form: self.form(id, response),
                        doc: response.str("description").unwrap_or_default().to_owned(),
                    });
                }
                Ok(201) if self.is_creation(id, success.as_ref(), response) => {
                    success = success.map(|success| Success {
                        form: Form::Upserted,
                        ..success
                    });
                }
                Ok(304) => not_modified = Some((&written.place, response)),
                Ok(status @ 400..=599) => {
                    self.error_response(id, &status.to_string(), written, response);
                    errors.push(Some(status));
                }
                _ if status == "default" => {
                    self.error_response(id, status, written, response);
                    errors.push(None);
                }
                _ => self.findings.add(
                    &written.place,
                    format!("{id}: response `{status}` is not supported"),
                    "Declare one success status, or 200 and 201 with `Location` and the same content; optionally 304, error \
                     statuses, and `default`.",
                ),
            }
        }
        if success.is_none() {
            self.findings.add(
                &node.place,
                format!("{id} has no success response"),
                "Declare 200, 201 or 204.",
            );
        }
        let mut success = success?;
        if success.form != Form::Plain && success.type_name.is_none() {
            self.findings.add(
                &node.place,
                format!("{id}: a response without content has headers"),
                "Declare the content of the response, or remove the headers.",
            );
        }
        if success.form != Form::Plain && success.is_list {
            self.findings.add(
                &node.place,
                format!("{id}: a response whose body is a list has headers"),
                "Declare an object as the content of the response, or remove the headers.",
            );
        }
        if let Some((place, response)) = not_modified {
            self.not_modified(id, place, response, &mut success);
        }
        Some(Responses { success, errors })
    }

    /// Returns whether a 201 stands beside the 200 of an object that existed.
    fn is_creation(&mut self, id: &str, existing: Option<&Success>, response: &Node) -> bool {
        let Some(existing) = existing.filter(|it| it.status == 200 && it.form == Form::Plain && !it.is_list) else {
            return false;
        };
        let (type_name, is_list) = self.answer(id, response);
        type_name == existing.type_name && !is_list && self.form(id, response) == Form::Created
    }

    /// The type of the body of a response, and whether the body is a list of the type.
    fn answer(&mut self, id: &str, response: &Node) -> (Option<String>, bool) {
        let media = response
            .get("content")
            .and_then(|content| content.get("application/json"));
        let schema = media.and_then(|media| media.get("schema"));
        let list = schema.filter(|schema| schema.str("type") == Some("array"));
        let items = list.and_then(|list| list.get("items"));
        if let Some(items) = items.filter(|items| items.get("$ref").is_some())
            && let Shape::Named(name) = self.shape(items, "")
        {
            return (Some(name), true);
        }
        (self.content(id, "the response", response), false)
    }

    /// The form of a response, determined by its headers.
    fn form(&mut self, id: &str, response: &Node) -> Form {
        let mut form = Form::Plain;
        for (name, written) in response.get("headers").into_iter().flat_map(Node::map) {
            if let Some((header, _)) = self.documents.resolve(&written.node, self.findings) {
                let known = ["description", "required", "deprecated", "schema", "example"];
                self.only(header, "a header", &known);
            }
            if self.is_implied(&written.node) || name == SKIPPED_ITEMS {
                continue;
            }
            let wanted = match name {
                "Location" => Form::Created,
                "ETag" => Form::Tagged,
                _ => Form::Plain,
            };
            if wanted == Form::Plain || form != Form::Plain {
                self.findings.add(
                    &written.place,
                    format!("{id}: the response header `{name}` is not supported here"),
                    "Declare either `Location` or `ETag`.",
                );
            }
            form = wanted;
        }
        form
    }

    /// Returns whether the server adds a header to all responses, or to all with one status.
    fn is_implied(&self, header: &Node) -> bool {
        let declared = self.documents.entry().and_then(|entry| entry.get(HEADERS));
        declared.is_some_and(|declared| {
            header.place.file == declared.place.file && {
                let mut all = declared.map().flat_map(|(_, named)| named.node.map());
                all.any(|(_, known)| known.node.place == header.place)
            }
        })
    }

    /// Checks that a 304 is declared together with a 200 with an `ETag`.
    fn not_modified(&mut self, id: &str, place: &Place, response: &Node, success: &mut Success) {
        let form = self.form(id, response);
        let tagged = form == Form::Tagged && success.form == Form::Tagged;
        if !tagged || success.status != 200 || response.get("content").is_some() {
            self.findings.add(
                place,
                format!("{id}: 304 is not the response to a conditional read"),
                "Declare the header `ETag` for 304 and for 200, and no content for 304.",
            );
        }
        success.form = Form::Conditional;
    }

    /// Checks that the request of a 304 has a condition.
    pub(super) fn check_conditional(&mut self, operation: &Operation) {
        if operation.success.form != Form::Conditional {
            return;
        }
        let asks = operation
            .header_parameters
            .iter()
            .any(|field| field.name == IF_NONE_MATCH);
        if operation.method != "get" || !asks {
            self.findings.add(
                &operation.place,
                format!("{}: the request has no condition for the 304", operation.id),
                format!("Declare 304 for GET, with the header parameter `{IF_NONE_MATCH}`."),
            );
        }
    }

    fn error_response(&mut self, id: &str, status: &str, written: &Entry, response: &Node) {
        let body = self.content(id, &format!("response {status}"), response);
        if written.node.get("$ref").is_none() || body.as_deref() != Some(ERROR) {
            self.findings.add(
                &written.place,
                format!("{id}: response {status} is not one of the shared error responses"),
                format!("Name the words of the errors in `{WORDS}`; the schema of error bodies is `{ERROR}`."),
            );
        }
    }
}
