//! The contract as tests read it: what there is to call, with which input, and what may come back.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use jsonschema::{Registry, Validator};
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

/// The headers that a response has only if the contract says so.
const DECLARED_HEADERS: [&str; 8] = [
    "etag",
    "location",
    "preference-applied",
    "retry-after",
    "www-authenticate",
    "x-ignored-parameters",
    "x-request-id",
    "x-skipped-items",
];

/// An operation of the contract.
#[derive(Clone, Copy)]
pub struct Operation {
    pub id: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    /// The operation changes nothing.
    pub is_safe: bool,
    definition: &'static Value,
}

/// Who may call.
pub struct Access {
    /// The name of the resource, followed by that of the modifier.
    pub resource: &'static str,
    /// The resource, with what the modifier replaces of it.
    pub definition: &'static Value,
    pub level: &'static str,
    pub or_self: Option<&'static str>,
    /// The members of the body that name the target.
    pub body_members: Vec<&'static str>,
    pub may_be_absent: bool,
}

pub struct Parameter {
    pub name: &'static str,
    pub place: &'static str,
    pub schema: &'static Value,
    definition: &'static Value,
}

pub fn document() -> &'static Value {
    openapi::document::contract()
}

pub fn operations() -> impl Iterator<Item = Operation> {
    openapi::operations::OPERATIONS.iter().map(|known| Operation {
        id: known.id,
        method: known.method,
        path: known.path,
        is_safe: known.safe,
        definition: &document()["paths"][known.path][known.method],
    })
}

pub fn operation(id: &str) -> Operation {
    static KNOWN: LazyLock<HashMap<&str, Operation>> =
        LazyLock::new(|| operations().map(|operation| (operation.id, operation)).collect());
    *KNOWN
        .get(id)
        .unwrap_or_else(|| panic!("the contract has no operation {id}"))
}

impl Parameter {
    fn example(&self) -> String {
        let example = self.definition["example"].as_str();
        example
            .unwrap_or_else(|| panic!("the parameter {} has no example", self.name))
            .to_owned()
    }

    /// What a call says where it has to say something.
    pub fn required_example(&self) -> Option<String> {
        (self.definition["required"] == true).then(|| self.example())
    }
}

/// The example of a path parameter that takes the rest of a path; none where it is a parameter like others.
pub fn rest_of_path(name: &str) -> Option<String> {
    static KNOWN: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
        let parameters = operations().flat_map(|operation| operation.parameters());
        let rests = parameters.filter(|p| p.place == "path" && p.definition["x-wildcard"] == true);
        rests.map(|p| (p.name, p.example())).collect()
    });
    KNOWN.get(name).cloned()
}

/// The resources of access and their names, by the names of the resource and of its modifier, which is empty for the resource itself.
type AccessResources = HashMap<(&'static str, &'static str), (String, Value)>;

fn access_resources() -> &'static AccessResources {
    static KNOWN: LazyLock<AccessResources> = LazyLock::new(|| {
        let mut known = HashMap::new();
        for (name, resource) in document()["x-access-resources"].as_object().unwrap() {
            known.insert((name.as_str(), ""), (name.clone(), resource.clone()));
            for (modifier, change) in resource["modifiers"].as_object().into_iter().flatten() {
                let mut changed = resource.as_object().unwrap().clone();
                changed.extend(change.as_object().unwrap().clone());
                let variant = format!("{name}{}{}", modifier[..1].to_uppercase(), &modifier[1..]);
                known.insert((name, modifier), (variant, changed.into()));
            }
        }
        known
    });
    &KNOWN
}

/// What a reference stands for.
pub fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => resolve(document().pointer(reference.trim_start_matches('#')).unwrap()),
        None => value,
    }
}

impl Operation {
    /// Returns whether items of the body that break a rule are left out.
    pub fn is_lenient(&self) -> bool {
        self.definition.get("x-lenient-items").is_some()
    }

    pub fn access(&self) -> Access {
        let access = &self.definition["x-access"];
        let named = access["resource"].as_str().unwrap();
        let modifiers = document()["x-access-resources"][named]["modifiers"].as_object();
        let mut modifiers = modifiers.into_iter().flat_map(Map::keys);
        let modifier = modifiers.find(|name| access[name.as_str()] == true);
        let (resource, definition) = &access_resources()[&(named, modifier.map_or("", String::as_str))];
        let members = definition["bodyMembers"].as_array().into_iter().flatten();
        Access {
            resource,
            definition,
            level: access["level"].as_str().unwrap(),
            or_self: access["orSelf"].as_str(),
            body_members: members.filter_map(Value::as_str).collect(),
            may_be_absent: access["mayBeAbsent"] == true,
        }
    }

    pub fn parameters(&self) -> Vec<Parameter> {
        let lists = [
            &document()["paths"][self.path]["parameters"],
            &self.definition["parameters"],
        ];
        let written = lists.into_iter().filter_map(Value::as_array).flatten();
        let parameter = |written| {
            let parameter = resolve(written);
            Parameter {
                name: parameter["name"].as_str().unwrap(),
                place: parameter["in"].as_str().unwrap(),
                schema: resolve(&parameter["schema"]),
                definition: parameter,
            }
        };
        written.map(parameter).collect()
    }

    pub fn path_parameters(&self) -> Vec<&'static str> {
        let parameters = self.parameters().into_iter();
        parameters.filter(|p| p.place == "path").map(|p| p.name).collect()
    }

    pub fn query_parameters(&self) -> Vec<Parameter> {
        self.parameters().into_iter().filter(|p| p.place == "query").collect()
    }

    pub fn header_parameters(&self) -> Vec<Parameter> {
        self.parameters().into_iter().filter(|p| p.place == "header").collect()
    }

    pub fn is_paged(&self) -> bool {
        let parameters = self.query_parameters();
        // The page of a PDF is a page of its space.
        ["page", "limit"]
            .iter()
            .all(|name| parameters.iter().any(|p| p.name == *name))
    }

    /// The smallest and the largest page that may be asked for.
    pub fn limits(&self) -> (i64, i64) {
        let parameters = self.query_parameters();
        let limit = parameters.iter().find(|p| p.name == "limit").unwrap().schema;
        (limit["minimum"].as_i64().unwrap(), limit["maximum"].as_i64().unwrap())
    }

    pub fn body_schema(&self) -> Option<&'static Value> {
        self.definition.pointer("/requestBody/content/application~1json/schema")
    }

    pub fn body_example(&self) -> Option<&'static Value> {
        let media = self.definition.pointer("/requestBody/content/application~1json")?;
        let first = || media.get("examples")?.as_object()?.values().next()?.get("value");
        media.get("example").or_else(first)
    }

    pub fn body_is_required(&self) -> bool {
        self.definition["requestBody"]["required"] == true
    }

    /// The status of an answer that is no error.
    pub fn success(&self) -> u16 {
        let declared = (200..300).find(|status| self.declares(*status));
        declared.unwrap_or_else(|| panic!("{} cannot succeed", self.id))
    }

    /// The statuses that the contract names, without those of `default`.
    pub fn statuses(&self) -> Vec<u16> {
        let names = self.definition["responses"].as_object().unwrap().keys();
        names.filter_map(|name| name.parse().ok()).collect()
    }

    pub fn declares(&self, status: u16) -> bool {
        self.definition["responses"].get(status.to_string()).is_some()
    }

    /// The response that the contract declares for a status.
    fn response(&self, status: u16) -> Option<&'static Value> {
        let responses = &self.definition["responses"];
        let declared = responses.get(status.to_string());
        let response = declared.or_else(|| (status >= 500 || status == 408).then(|| &responses["default"]));
        response.map(resolve)
    }

    /// The words of errors that the operation can answer.
    pub fn error_words(&self) -> impl Iterator<Item = &'static str> + use<> {
        let words = self.definition["x-errors"].as_array().unwrap();
        words.iter().map(|word| word.as_str().unwrap())
    }

    /// The rules, or groups of rules, that only this operation knows, each with where it finds them.
    pub fn refusals(&self) -> Vec<(&'static str, &'static str)> {
        let refusals = self.definition["x-refusals"].as_object().into_iter().flatten();
        let places = refusals.flat_map(|(rule, pointers)| {
            let pointers = pointers
                .as_array()
                .map_or(std::slice::from_ref(pointers), Vec::as_slice);
            pointers
                .iter()
                .map(|pointer| (rule.as_str(), pointer.as_str().unwrap()))
        });
        places.collect()
    }

    /// What the example of an invalid request says, as code and pointer.
    pub fn example_violations(&self) -> Vec<(&'static str, &'static str)> {
        let at = "/responses/400/content/application~1json/examples/invalid-request/value/error/details";
        let details = self
            .definition
            .pointer(at)
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let text = |value: &'static Value| value.as_str().unwrap();
        details
            .map(|detail| (text(&detail["code"]), text(&detail["pointer"])))
            .collect()
    }

    /// Panics unless the contract allows the words of an error; `details` are the codes and pointers of what is wrong.
    pub fn check_error(&self, kind: &str, details: &[(String, String)]) {
        let declared = self.error_words().any(|word| word == kind);
        assert!(declared, "{} answered `{kind}`, which it does not declare", self.id);
        for (code, pointer) in details {
            let mut refusals = self.refusals().into_iter();
            let declared = refusals.any(|(rule, place)| is_rule(rule, code) && pointer.starts_with(place));
            assert!(
                declared || is_rule("contract", code),
                "{} answered the detail `{code}` at {pointer}, which it does not declare",
                self.id
            );
        }
    }

    /// Panics unless the headers that the contract declares are there, and no others of the kinds that it knows.
    pub fn check_headers(&self, status: u16, headers: &HeaderMap) {
        let Some(response) = self.response(status) else { return };
        let declared = response["headers"].as_object().unwrap();
        for (name, header) in declared {
            let value = headers.get(name);
            let required = resolve(header)["required"] == true;
            assert!(
                value.is_some() || !required,
                "{} answered {status} without {name}",
                self.id
            );
            if let Some(value) = value
                && resolve(header)["schema"]["type"] == "integer"
            {
                let number = value.to_str().unwrap().parse::<u64>();
                assert!(number.is_ok(), "{} answered {status} with {name}: {value:?}", self.id);
            }
        }
        let declares = |name: &str| declared.keys().any(|known| known.eq_ignore_ascii_case(name));
        for name in headers.keys().map(|name| name.as_str()) {
            let of_contract = DECLARED_HEADERS.contains(&name) || name.starts_with("x-ratelimit");
            assert!(
                !of_contract || declares(name),
                "{} answered {status} with {name}, which it does not declare",
                self.id
            );
        }
    }

    /// Panics unless the contract allows this answer.
    pub fn check_answer(&self, status: u16, body: &str) {
        let Some(response) = self.response(status) else {
            panic!(
                "{} answered {status}, which the contract does not declare: {body}",
                self.id
            );
        };
        let Some(schema) = response.pointer("/content/application~1json/schema") else {
            assert!(body.is_empty(), "{} answered {status} with a body: {body}", self.id);
            return;
        };
        let value: Value = serde_json::from_str(body).unwrap_or_else(|e| panic!("{}: {e}: {body}", self.id));
        with_validator(schema, |validator| {
            let errors: Vec<String> = validator
                .iter_errors(&value)
                .map(|e| format!("{}: {e}", e.instance_path()))
                .collect();
            assert!(
                errors.is_empty(),
                "{} answered {status} against the contract: {errors:#?}\n{value:#}",
                self.id
            );
        });
    }
}

/// Whether a code is the rule, or one of the group of rules.
pub fn is_rule(rule: &str, code: &str) -> bool {
    let groups = &document()["components"]["schemas"]["ErrorRule"]["x-groups"];
    let group = groups[rule].as_array();
    rule == code || group.is_some_and(|rules| rules.contains(&code.into()))
}

/// A validator for a schema of the contract, as it is written there.
pub fn validator(schema: &Value) -> Validator {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| registry(document()));
    compile(schema, &REGISTRY)
}

/// A validator for answers, which have more members than requests need: they are as the published document says.
pub fn answer_validator(schema: &Value) -> Validator {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let answered = openapi::document::answered();
        registry(Box::leak(Box::new(answered)))
    });
    compile(schema, &REGISTRY)
}

const CONTRACT: &str = "urn:contract";

fn registry(document: &'static Value) -> Registry<'static> {
    let registry = Registry::new().add(CONTRACT, document).unwrap();
    registry.prepare().unwrap()
}

fn compile(schema: &Value, registry: &Registry) -> Validator {
    let text = schema.to_string().replace("\"#/", &format!("\"{CONTRACT}#/"));
    jsonschema::options()
        .should_validate_formats(true)
        // Addresses that people give are those of the URL standard.
        .with_format("uri", openapi::formats::is_uri)
        .with_registry(registry)
        .build(&serde_json::from_str(&text).unwrap())
        .unwrap()
}

fn with_validator(schema: &'static Value, check: impl FnOnce(&Validator)) {
    /// By the place of the schema in memory.
    static KNOWN: LazyLock<Mutex<HashMap<usize, &'static Validator>>> = LazyLock::new(Mutex::default);
    let found: &'static Validator = {
        let mut known = KNOWN.lock().unwrap();
        known
            .entry(std::ptr::from_ref(schema).addr())
            .or_insert_with(|| Box::leak(Box::new(answer_validator(schema))))
    };
    check(found);
}
