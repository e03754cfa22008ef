//! Operations and webhooks compared.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Change, ChangeKind, Detail, MAX_DETAILS, Rule, Subject,
    operation::{Operation, Operations},
    reach::{Reach, names_in},
    schemas::{Comparison, NamedChange, SchemaDetail, Uses, below},
    security::Security,
    view::resolve,
};

const REQUESTS: Uses = Uses {
    in_requests: true,
    in_responses: false,
};
const RESPONSES: Uses = Uses {
    in_requests: false,
    in_responses: true,
};

/// Compares all operations, with the changes of the schemas that have names.
pub fn compare(
    comparison: &Comparison<'_>,
    schemas: &BTreeMap<String, NamedChange>,
    reach: &Reach,
    found: &mut BTreeMap<Subject, Change>,
) {
    let (before, after) = (Operations::of(comparison.before), Operations::of(comparison.after));
    for (key, operation) in &after.0 {
        let Some(former) = before.0.get(key) else {
            add(found, operation, ChangeKind::Added, false);
            continue;
        };
        let mut pair = Pair {
            comparison,
            before: former,
            after: operation,
            details: Vec::new(),
        };
        pair.compare();
        pair.named_schemas(schemas, reach);
        if !pair.details.is_empty() {
            let change = Change {
                subject: operation.subject.clone(),
                kind: ChangeKind::Changed,
                is_breaking: pair.details.iter().any(|detail| detail.is_breaking),
                details: pair.details,
            };
            found.insert(operation.subject.clone(), change);
        }
    }
    for (_, gone) in before.0.iter().filter(|(key, _)| !after.0.contains_key(key)) {
        add(found, gone, ChangeKind::Removed, true);
    }
}

fn add(found: &mut BTreeMap<Subject, Change>, operation: &Operation<'_>, kind: ChangeKind, is_breaking: bool) {
    let change = Change {
        subject: operation.subject.clone(),
        kind,
        is_breaking,
        details: Vec::new(),
    };
    found.insert(operation.subject.clone(), change);
}

/// An operation before and after.
struct Pair<'c, 'd> {
    comparison: &'c Comparison<'d>,
    before: &'c Operation<'d>,
    after: &'c Operation<'d>,
    details: Vec<Detail>,
}

impl<'d> Pair<'_, 'd> {
    fn compare(&mut self) {
        self.deprecated();
        self.documentation();
        self.security();
        self.parameters();
        self.request_body();
        self.responses();
    }

    fn tell(&mut self, rule: Rule, segments: &[&str], is_breaking: bool, message: impl Into<String>) {
        self.tell_at(rule, below(&self.after.pointer, segments), is_breaking, message);
    }

    fn tell_at(&mut self, rule: Rule, pointer: String, is_breaking: bool, message: impl Into<String>) {
        if self.details.len() < MAX_DETAILS {
            self.details.push(Detail {
                rule,
                pointer,
                message: message.into(),
                is_breaking,
            });
        }
    }

    fn deprecated(&mut self) {
        let is = |operation: &Operation<'_>| operation.value["deprecated"] == true;
        match (is(self.before), is(self.after)) {
            (false, true) => self.tell(Rule::Deprecated, &["deprecated"], false, "The operation is deprecated."),
            (true, false) => self.tell(
                Rule::Deprecated,
                &["deprecated"],
                false,
                "The operation is not deprecated any more.",
            ),
            _ => {}
        }
    }

    fn documentation(&mut self) {
        for (member, message) in [("summary", "Another summary."), ("description", "Another description.")] {
            if self.before.value[member] != self.after.value[member] {
                self.tell(Rule::Documentation, &[member], false, message);
            }
        }
    }

    fn security(&mut self) {
        let before = Security::of(self.comparison.before, self.before.value);
        let after = Security::of(self.comparison.after, self.after.value);
        if !after.is_same(&before) {
            let is_breaking = !after.admits(&before);
            self.tell(
                Rule::Security,
                &["security"],
                is_breaking,
                "Callers prove something else of themselves.",
            );
        }
    }

    fn parameters(&mut self) {
        let (before, after) = (self.before.parameters(), self.after.parameters());
        for ((place, name), parameter) in &after {
            let is_required = parameter["required"] == true;
            let Some(former) = before.get(&(place.clone(), name.clone())) else {
                let message = format!("There is another parameter, `{name}` ({place}).");
                self.tell(Rule::Parameter, &["parameters"], is_required, message);
                continue;
            };
            match (former["required"] == true, is_required) {
                (false, true) => {
                    let message = format!("The parameter `{name}` ({place}) is required.");
                    self.tell(Rule::Required, &["parameters"], true, message);
                }
                (true, false) => {
                    let message = format!("The parameter `{name}` ({place}) is not required any more.");
                    self.tell(Rule::Required, &["parameters"], false, message);
                }
                _ => {}
            }
            let what = format!("Parameter `{name}` ({place})");
            self.content((former, parameter), &["parameters"], REQUESTS, &what);
        }
        for (place, name) in before.keys().filter(|key| !after.contains_key(key)) {
            let message = format!("The parameter `{name}` ({place}) was removed.");
            self.tell(Rule::Parameter, &["parameters"], true, message);
        }
    }

    fn request_body(&mut self) {
        let (before, after) = (&self.before.value["requestBody"], &self.after.value["requestBody"]);
        let body = |document, body: &'d Value| resolve(document, body).filter(|body| body.is_object());
        let (before, after) = (body(self.comparison.before, before), body(self.comparison.after, after));
        let uses = match self.after.is_webhook {
            true => RESPONSES,
            false => REQUESTS,
        };
        let required = |body: &Value| body["required"] == true;
        match (before, after) {
            (None, Some(body)) => {
                let is_breaking = required(body) && uses == REQUESTS;
                self.tell(
                    Rule::RequestBody,
                    &["requestBody"],
                    is_breaking,
                    "There is a request body.",
                );
            }
            (Some(_), None) => self.tell(
                Rule::RequestBody,
                &["requestBody"],
                true,
                "The request body was removed.",
            ),
            (Some(former), Some(body)) => {
                if required(former) != required(body) {
                    let (message, is_breaking) = match required(body) {
                        true => ("The request body is required.", uses == REQUESTS),
                        false => ("The request body is not required any more.", uses == RESPONSES),
                    };
                    self.tell(Rule::Required, &["requestBody", "required"], is_breaking, message);
                }
                self.content((former, body), &["requestBody"], uses, "Request body");
            }
            (None, None) => {}
        }
    }

    fn responses(&mut self) {
        let responses = |operation: &Operation<'d>| operation.value["responses"].as_object();
        let (before, after) = (responses(self.before), responses(self.after));
        let uses = match self.after.is_webhook {
            true => REQUESTS,
            false => RESPONSES,
        };
        for (status, response) in after.into_iter().flatten() {
            let Some(former) = before.and_then(|before| before.get(status)) else {
                let message = format!("There is another response, {status}.");
                self.tell(Rule::Response, &["responses", status], false, message);
                continue;
            };
            let former = resolve(self.comparison.before, former);
            if let (Some(former), Some(response)) = (former, resolve(self.comparison.after, response)) {
                self.content(
                    (former, response),
                    &["responses", status],
                    uses,
                    &format!("Response {status}"),
                );
            }
        }
        for (status, _) in before.into_iter().flatten() {
            if after.is_none_or(|after| !after.contains_key(status)) {
                let message = format!("The response {status} was removed.");
                self.tell(Rule::Response, &["responses", status], status.starts_with('2'), message);
            }
        }
    }

    /// A body or a parameter: its schema, or one for each media type.
    fn content(&mut self, (before, after): (&'d Value, &'d Value), segments: &[&str], uses: Uses, what: &str) {
        if let (Some(former), Some(schema)) = (before.get("schema"), after.get("schema")) {
            self.schema((former, schema), &[segments, &["schema"]].concat(), uses, what);
        }
        let media_types = |part: &'d Value| part["content"].as_object();
        let (before, after) = (media_types(before), media_types(after));
        for (media_type, content) in after.into_iter().flatten() {
            let Some(former) = before.and_then(|before| before.get(media_type)) else {
                let message = format!("{what}: there is another media type, {media_type}.");
                self.tell(Rule::MediaType, segments, false, message);
                continue;
            };
            let segments = [segments, &["content", media_type, "schema"]].concat();
            if let (Some(former), Some(schema)) = (former.get("schema"), content.get("schema")) {
                self.schema((former, schema), &segments, uses, what);
            }
        }
        for (media_type, _) in before.into_iter().flatten() {
            if after.is_none_or(|after| !after.contains_key(media_type)) {
                let message = format!("{what}: the media type {media_type} was removed.");
                self.tell(Rule::MediaType, segments, true, message);
            }
        }
    }

    fn schema(&mut self, (before, after): (&'d Value, &'d Value), segments: &[&str], uses: Uses, what: &str) {
        let pointer = below(&self.after.pointer, segments);
        for detail in self.comparison.schema(before, after, &pointer) {
            let SchemaDetail { message, .. } = &detail;
            let message = format!("{what}: {message}");
            let told = SchemaDetail { message, ..detail }.used(uses);
            self.tell_at(told.rule, told.pointer, told.is_breaking, told.message);
        }
    }

    /// The schemas with names that changed and that the operation uses, now and before.
    fn named_schemas(&mut self, schemas: &BTreeMap<String, NamedChange>, reach: &Reach) {
        if schemas.is_empty() {
            return;
        }
        let mut used: BTreeMap<&str, Uses> = BTreeMap::new();
        let requests = names_in(self.comparison, self.after.document, &self.after.request_parts());
        let responses = names_in(self.comparison, self.after.document, self.after.responses());
        let mut mark = |names: BTreeSet<String>, mark: fn(&mut Uses)| {
            for name in reach.from(self.comparison, names) {
                if let Some((name, NamedChange::Changed(_))) = schemas.get_key_value(&name) {
                    mark(used.entry(name).or_default());
                }
            }
        };
        mark(requests, |uses| uses.in_requests = true);
        mark(responses, |uses| uses.in_responses = true);
        for (name, uses) in used {
            let is_breaking = schemas.get(name).is_some_and(|change| change.breaks(uses));
            let message = format!("The schema `{name}` changed.");
            let pointer = below("", &["components", "schemas", name]);
            self.tell_at(Rule::Schema, pointer, is_breaking, message);
        }
    }
}
