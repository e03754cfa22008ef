//! The schemas of the input of an operation, for the error report.

use std::sync::OnceLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value, json};

use crate::{
    document::{self, resolve},
    formats,
};

use super::decidable;

/// The input of one operation, named by the JSON pointer of the operation in the contract.
/// Its validators are compiled when the first bad request needs them.
pub struct Spec {
    pointer: &'static str,
    max_body_bytes: OnceLock<usize>,
    lenient_items: OnceLock<Option<&'static str>>,
    parameters: OnceLock<Vec<Parameter>>,
    query: OnceLock<Option<Validator>>,
    header: OnceLock<Option<Validator>>,
    path: OnceLock<Option<Validator>>,
    body: OnceLock<Option<Validator>>,
}

const MAX_BODY_BYTES: &str = "x-max-body-bytes";
const PLAIN_TEXT: &str = "x-plain-text";
const LENIENT_ITEMS: &str = "x-lenient-items";
const IGNORED_VALUES: &str = "x-ignored-values";

/// A parameter as far as reading it needs.
pub(super) struct Parameter {
    pub name: String,
    place: String,
    required: bool,
    schema: Value,
    pub kind: Kind,
    pub repeated: bool,
}

/// The place of parameters that are read together.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Query,
    Header,
}

impl Place {
    /// As the contract and the pointers of error reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Text,
    Integer,
    Boolean,
}

impl Spec {
    pub const fn new(pointer: &'static str) -> Self {
        Self {
            pointer,
            max_body_bytes: OnceLock::new(),
            lenient_items: OnceLock::new(),
            parameters: OnceLock::new(),
            query: OnceLock::new(),
            header: OnceLock::new(),
            path: OnceLock::new(),
            body: OnceLock::new(),
        }
    }

    /// The most bytes of the body: those of the operation, or of the contract.
    pub(super) fn max_body_bytes(&self) -> usize {
        *self.max_body_bytes.get_or_init(|| {
            let contract = document::contract();
            let of_operation = contract
                .pointer(self.pointer)
                .and_then(|operation| operation.get(MAX_BODY_BYTES));
            let bytes = of_operation
                .or_else(|| contract.get(MAX_BODY_BYTES))
                .and_then(Value::as_u64);
            bytes
                .and_then(|bytes| usize::try_from(bytes).ok())
                .unwrap_or(usize::MAX)
        })
    }

    /// Returns whether the body may also be declared as `text/plain`.
    pub(super) fn takes_plain_text(&self) -> bool {
        let operation = document::contract().pointer(self.pointer);
        let declared = operation.and_then(|operation| operation.get(PLAIN_TEXT));
        declared.and_then(Value::as_bool).unwrap_or_default()
    }

    /// The member of the body whose items are left out one by one where they are wrong.
    pub(crate) fn lenient_items(&self) -> Option<&'static str> {
        *self.lenient_items.get_or_init(|| {
            let operation = document::contract().pointer(self.pointer)?;
            operation.get(LENIENT_ITEMS)?.as_str()
        })
    }

    /// Returns whether a member of the body is ignored when its value is none that the contract lists.
    pub(super) fn ignores_unknown_value(&self, pointer: &str) -> bool {
        let operation = document::contract().pointer(self.pointer);
        let declared = operation.and_then(|operation| operation.get(IGNORED_VALUES)?.as_array());
        declared.is_some_and(|members| members.iter().any(|member| member == pointer))
    }

    fn parameters(&self) -> &[Parameter] {
        self.parameters.get_or_init(|| {
            let declared = self.declared_parameters();
            declared.filter_map(Parameter::read).collect()
        })
    }

    fn declared_parameters(&self) -> impl Iterator<Item = &'static Value> + use<> {
        let contract = document::contract();
        let item = self.pointer.rsplit_once('/').map_or("", |(item, _)| item);
        let lists = [item, self.pointer].map(|at| contract.pointer(&format!("{at}/parameters")));
        let lists = lists.into_iter().flatten().filter_map(Value::as_array);
        lists.flatten().map(resolve)
    }

    /// A parameter as it is written in the contract.
    pub(crate) fn declared_parameter(&self, place: &str, name: &str) -> Option<&'static Value> {
        self.declared_parameters().find(|parameter| {
            let is = |key: &str, value: &str| parameter.get(key).is_some_and(|found| found == value);
            is("in", place) && is("name", name)
        })
    }

    pub(super) fn parameters_in(&self, place: Place) -> impl Iterator<Item = &Parameter> + Clone {
        let all = self.parameters().iter();
        all.filter(move |parameter| parameter.place == place.name())
    }

    pub(super) fn validator(&self, place: Place) -> Option<&Validator> {
        let compiled = match place {
            Place::Query => &self.query,
            Place::Header => &self.header,
        };
        compiled.get_or_init(|| self.of_parameters(place.name(), true)).as_ref()
    }

    pub(super) fn body(&self) -> Option<&Validator> {
        self.body.get_or_init(|| compile(self.body_schema()?)).as_ref()
    }

    pub(crate) fn body_schema(&self) -> Option<&'static Value> {
        let at = format!("{}/requestBody/content/application~1json/schema", self.pointer);
        document::contract().pointer(&at)
    }

    /// Accepts each path parameter without the others.
    pub(super) fn path(&self) -> Option<&Validator> {
        self.path.get_or_init(|| self.of_parameters("path", false)).as_ref()
    }

    /// The parameters of one place as the members of an object.
    fn of_parameters(&self, place: &str, required: bool) -> Option<Validator> {
        let here = || self.parameters().iter().filter(|parameter| parameter.place == place);
        let properties: Map<String, Value> = here().map(|p| (p.name.clone(), p.schema.clone())).collect();
        let names: Vec<&str> = here()
            .filter(|p| required && p.required)
            .map(|p| p.name.as_str())
            .collect();
        compile(&json!({ "type": "object", "properties": properties, "required": names }))
    }
}

impl Parameter {
    #[cfg(test)]
    pub fn text(place: &str, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            place: place.to_owned(),
            required: false,
            schema: json!({ "type": "string" }),
            kind: Kind::Text,
            repeated: false,
        }
    }

    fn read(parameter: &'static Value) -> Option<Self> {
        let schema = parameter.get("schema")?;
        let resolved = resolve(schema);
        let repeated = resolved.get("type").and_then(Value::as_str) == Some("array");
        let single = if repeated {
            resolve(resolved.get("items")?)
        } else {
            resolved
        };
        let kind = match single.get("type").and_then(Value::as_str) {
            Some("integer") => Kind::Integer,
            Some("boolean") => Kind::Boolean,
            _ => Kind::Text,
        };
        Some(Self {
            name: parameter.get("name")?.as_str()?.to_owned(),
            place: parameter.get("in")?.as_str()?.to_owned(),
            required: parameter.get("required").and_then(Value::as_bool).unwrap_or_default(),
            schema: schema.clone(),
            kind,
            repeated,
        })
    }
}

/// A validator for a schema of the contract. Patterns run in an engine without backtracking.
fn compile(schema: &Value) -> Option<Validator> {
    let options = formats::register(jsonschema::options()).with_pattern_options(PatternOptions::regex());
    decidable::compile(options, schema)
        .inspect_err(|error| tracing::error!(%error, "a schema of the contract does not compile"))
        .ok()
}
