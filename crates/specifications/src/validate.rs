//! What the format demands of the objects of a document.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::{Version, problem::Problem, references::push, shape::Kind, upgrade::names};

const LOCATIONS_20: [&str; 5] = ["query", "header", "path", "formData", "body"];
const LOCATIONS_30: [&str; 4] = ["query", "header", "path", "cookie"];
const LOCATION_32: &str = "querystring";

/// Recognizes the version of a document, and checks its top level. An error: there is nothing to read.
pub fn document(document: &Map<String, Value>) -> Result<(Version, Vec<Problem>), Problem> {
    let (version, mut problems) = version(document)?;
    let mut report = |message: &str, pointer: &str| problems.push(Problem::at_pointer(message, pointer));
    match document.get("info") {
        Some(Value::Object(info)) => {
            if !matches!(info.get("title"), Some(Value::String(_))) {
                report("The document needs a text `title`.", "/info");
            }
            if !matches!(info.get("version"), Some(Value::String(_))) {
                report("The document needs a text `version`.", "/info");
            }
        }
        Some(_) => report("`info` must be an object.", "/info"),
        None => report("The document needs `info`.", ""),
    }
    let has = |name| document.get(name).is_some_and(Value::is_object);
    let message = match version {
        Version::OpenApi31 => "The document needs `paths`, `webhooks` or `components`.",
        Version::Swagger20 | Version::OpenApi30 => "The document needs an object `paths`.",
    };
    if !["paths", "webhooks", "components", "definitions"].into_iter().any(has) {
        return Err(Problem::at_pointer(message, ""));
    }
    if version != Version::OpenApi31 && !has("paths") {
        report(message, "");
    }
    report_names(document, &mut report);
    for name in ["servers", "tags", "security", "schemes", "consumes", "produces"] {
        if document
            .get(name)
            .is_some_and(|value| !value.is_array() && !value.is_null())
        {
            report(&format!("`{name}` must be an array."), &format!("/{name}"));
        }
    }
    let paths = document.get("paths").and_then(Value::as_object);
    for path in paths.into_iter().flat_map(Map::keys) {
        if !path.starts_with('/') && !path.starts_with("x-") {
            let mut pointer = "/paths".to_owned();
            push(&mut pointer, path);
            report(&format!("The path `{path}` does not begin with a slash."), &pointer);
        }
    }
    Ok((version, problems))
}

/// The components of Swagger 2.0, which are members of the document.
const SECTIONS_20: [&str; 4] = ["definitions", "parameters", "responses", "securityDefinitions"];

fn report_names(document: &Map<String, Value>, report: &mut impl FnMut(&str, &str)) {
    let of_swagger = SECTIONS_20.map(|section| (format!("/{section}"), document.get(section)));
    let components = document.get("components").and_then(Value::as_object);
    let sections = components
        .into_iter()
        .flatten()
        .filter(|(section, _)| !section.starts_with("x-"));
    let of_openapi = sections.map(|(section, members)| (format!("/components/{section}"), Some(members)));
    for (place, members) in of_swagger.into_iter().chain(of_openapi) {
        let names = members.and_then(Value::as_object).into_iter().flat_map(Map::keys);
        for name in names.filter(|name| !names::is_allowed(name)) {
            let mut pointer = place.clone();
            push(&mut pointer, name);
            let message = format!(
                "The name `{name}` must consist of letters, digits, `.`, `_` and `-`. The version has it without other characters."
            );
            report(&message, &pointer);
        }
    }
}

/// The version of a document, and what is not understood of it.
fn version(document: &Map<String, Value>) -> Result<(Version, Vec<Problem>), Problem> {
    let (member, value) = match (document.get("openapi"), document.get("swagger")) {
        (Some(value), _) => ("openapi", value),
        (None, Some(value)) => ("swagger", value),
        (None, None) => {
            let message = "The document is not an OpenAPI document: neither `openapi` nor `swagger` names a version.";
            return Err(Problem::at_pointer(message, ""));
        }
    };
    let text = match value {
        Value::String(text) => text.as_str(),
        _ => "",
    };
    let is = |wanted: &str| text == wanted || text.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'));
    let at_version = |message: &str| Problem::at_pointer(message, &format!("/{member}"));
    match member {
        "swagger" if is("2.0") || text == "2" => Ok((Version::Swagger20, Vec::new())),
        "openapi" if is("3.0") || text == "3" => Ok((Version::OpenApi30, Vec::new())),
        "openapi" if is("3.1") => Ok((Version::OpenApi31, Vec::new())),
        "openapi" if is("3.2") => {
            let message = "OpenAPI 3.2 is read as 3.1. What only 3.2 has stays in the document, and is not shown.";
            Ok((Version::OpenApi31, vec![at_version(message)]))
        }
        _ => {
            let message = format!("The version `{text}` is not one of 2.0, 3.0, 3.1 and 3.2.");
            Err(at_version(&message))
        }
    }
}

/// Checks of single objects.
#[derive(Debug)]
pub struct Validator {
    version: Version,
    /// The places of the operations, by their ids.
    operation_ids: HashMap<String, (usize, String)>,
}

impl Validator {
    pub fn new(version: Version) -> Self {
        Self {
            version,
            operation_ids: HashMap::new(),
        }
    }

    /// Checks an object of the document with this number. Returns what is wrong, and with which member.
    pub fn object(
        &mut self,
        object: &Map<String, Value>,
        kind: Kind,
        document: usize,
        pointer: &str,
    ) -> Option<(String, &'static str)> {
        if object.contains_key("$ref") && !kind.keeps_siblings_of_references() {
            return None;
        }
        match kind {
            Kind::Operation => self.operation(object, document, pointer),
            Kind::Parameter => self.parameter(object),
            Kind::SecurityScheme if !is_text(object, "type") => {
                Some(("A security scheme needs a text `type`.".into(), ""))
            }
            Kind::Schema => schema(object),
            _ => None,
        }
    }

    fn operation(
        &mut self,
        object: &Map<String, Value>,
        document: usize,
        pointer: &str,
    ) -> Option<(String, &'static str)> {
        match object.get("responses") {
            None if self.version != Version::OpenApi31 => {
                return Some(("The operation needs `responses`.".to_owned(), ""));
            }
            None | Some(Value::Null) => {}
            Some(Value::Object(responses)) => {
                if let Some(name) = responses.keys().find(|name| !is_response_name(name)) {
                    let message = format!("`{name}` is not a status, a range of statuses such as 2XX, or `default`.");
                    return Some((message, "responses"));
                }
            }
            Some(_) => return Some(("`responses` must be an object.".to_owned(), "responses")),
        }
        match object.get("operationId") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) => {
                let first = self.operation_ids.entry(id.clone());
                let first = first.or_insert_with(|| (document, pointer.to_owned()));
                let is_same = (first.0, first.1.as_str()) == (document, pointer);
                let message = || format!("The operationId `{id}` is that of another operation at {}.", first.1);
                (!is_same).then(|| (message(), "operationId"))
            }
            Some(_) => Some(("`operationId` must be a text.".to_owned(), "operationId")),
        }
    }

    fn parameter(&self, object: &Map<String, Value>) -> Option<(String, &'static str)> {
        if !is_text(object, "name") {
            return Some(("A parameter needs a text `name`.".to_owned(), ""));
        }
        let locations: &[&str] = match self.version {
            Version::Swagger20 => &LOCATIONS_20,
            Version::OpenApi30 | Version::OpenApi31 => &LOCATIONS_30,
        };
        match object.get("in").and_then(Value::as_str) {
            Some(location) if locations.contains(&location) || location == LOCATION_32 => None,
            Some(location) => {
                let message = format!(
                    "A parameter cannot be in `{location}`, but in {}.",
                    locations.join(", ")
                );
                Some((message, "in"))
            }
            None => Some(("A parameter needs a text `in`.".to_owned(), "")),
        }
    }
}

fn is_text(object: &Map<String, Value>, name: &str) -> bool {
    object.get(name).is_some_and(Value::is_string)
}

fn is_response_name(name: &str) -> bool {
    let mut rest = name.chars();
    let first = rest.next().is_some_and(|c| ('1'..='5').contains(&c));
    let rest = rest.as_str();
    let status = rest.len() == 2 && (rest == "XX" || rest == "xx" || rest.bytes().all(|byte| byte.is_ascii_digit()));
    name == "default" || name.starts_with("x-") || (first && status)
}

fn schema(object: &Map<String, Value>) -> Option<(String, &'static str)> {
    match object.get("type") {
        None | Some(Value::Null | Value::String(_)) => {}
        Some(Value::Array(types)) if types.iter().all(Value::is_string) => {}
        Some(_) => return Some(("`type` must be a text, or an array of texts.".to_owned(), "type")),
    }
    match object.get("enum") {
        None | Some(Value::Null | Value::Array(_)) => None,
        Some(_) => Some(("`enum` must be an array.".to_owned(), "enum")),
    }
}
