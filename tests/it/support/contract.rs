//! The contract as tests read it: what there is to call, with which input, and what may come back.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use jsonschema::{Registry, Validator};
use serde_json::Value;

/// An operation of the contract.
pub struct Operation {
    pub id: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    definition: &'static Value,
}

/// Who may call.
pub struct Access {
    pub resource: &'static str,
    pub level: &'static str,
    pub or_self: Option<&'static str>,
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
        definition: &document()["paths"][known.path][known.method],
    })
}

pub fn operation(id: &str) -> Operation {
    operations()
        .find(|operation| operation.id == id)
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
    let parameters = operations().flat_map(|operation| operation.parameters());
    let mut rests = parameters.filter(|p| p.place == "path" && p.definition["x-wildcard"] == true);
    rests.find(|p| p.name == name).map(|p| p.example())
}

/// What a reference stands for.
pub fn resolve(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => resolve(document().pointer(reference.trim_start_matches('#')).unwrap()),
        None => value,
    }
}

impl Operation {
    pub fn access(&self) -> Access {
        let access = &self.definition["x-access"];
        Access {
            resource: access["resource"].as_str().unwrap(),
            level: access["level"].as_str().unwrap(),
            or_self: access["orSelf"].as_str(),
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
        self.query_parameters().iter().any(|p| p.name == "page")
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
        self.definition
            .pointer("/requestBody/content/application~1json/example")
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

    /// Panics unless the contract allows this answer.
    pub fn check_answer(&self, status: u16, body: &str) {
        let responses = &self.definition["responses"];
        let declared = responses.get(status.to_string());
        let response = declared.or_else(|| (status >= 500 || status == 408).then(|| &responses["default"]));
        let Some(response) = response else {
            panic!(
                "{} answered {status}, which the contract does not declare: {body}",
                self.id
            );
        };
        let Some(schema) = resolve(response).pointer("/content/application~1json/schema") else {
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

/// A validator for a schema of the contract, as it is written there.
pub fn validator(schema: &Value) -> Validator {
    const CONTRACT: &str = "urn:contract";
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let registry = Registry::new().add(CONTRACT, document()).unwrap();
        registry.prepare().unwrap()
    });
    let text = schema.to_string().replace("\"#/", &format!("\"{CONTRACT}#/"));
    jsonschema::options()
        .should_validate_formats(true)
        .with_registry(&REGISTRY)
        .build(&serde_json::from_str(&text).unwrap())
        .unwrap()
}

fn with_validator(schema: &Value, check: impl FnOnce(&Validator)) {
    static KNOWN: LazyLock<Mutex<HashMap<String, &'static Validator>>> = LazyLock::new(Mutex::default);
    let found: &'static Validator = {
        let mut known = KNOWN.lock().unwrap();
        known
            .entry(schema.to_string())
            .or_insert_with(|| Box::leak(Box::new(validator(schema))))
    };
    check(found);
}
