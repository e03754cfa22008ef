//! The published documents: the contract, and what poem-openapi derives from the code, say the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{
    client::Client,
    contract,
    database::{TestDatabase, on_one_database},
    normal_form::{Normalizer, differences, schema_names},
    service::Service,
};

on_one_database![published_documents_agree];

fn shared(contract: &Value, derived: &Value) -> BTreeSet<String> {
    let derived = schema_names(derived);
    let is_shared = |name: &String| {
        // Allowed values are compared where they are used: either document may write them out there.
        let schema = &contract["components"]["schemas"][name];
        derived.contains(name) && schema.get("enum").is_none()
    };
    schema_names(contract).into_iter().filter(is_shared).collect()
}

fn compare(contract: &Value, derived: &Value) -> Vec<String> {
    let shared = shared(contract, derived);
    let facts = |document: &Value| -> BTreeMap<String, Value> { Normalizer::new(document, &shared).facts() };
    differences(&facts(contract), &facts(derived))
}

/// Every reference, security scheme and tag leads somewhere.
fn check_links(document: &Value) {
    fn references<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
        match value {
            Value::Object(members) => {
                into.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|member| references(member, into));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, into)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    references(document, &mut found);
    assert!(found.len() > 50);
    for reference in found {
        let target = document.pointer(reference.strip_prefix('#').unwrap());
        assert!(target.is_some(), "{reference} leads nowhere");
    }
    let tags: Vec<&Value> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| &tag["name"])
        .collect();
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    for operation in document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
    {
        for tag in operation["tags"].as_array().into_iter().flatten() {
            assert!(tags.contains(&tag), "the tag {tag} is not declared");
        }
        for scheme in operation["security"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|s| s.as_object().unwrap().keys())
        {
            assert!(schemes.contains_key(scheme), "the scheme {scheme} is not declared");
        }
    }
}

/// Every example of a body is one that its schema accepts.
fn check_examples(published: &Value) {
    let (mut checked, mut refused) = (0, Vec::new());
    let mut validators = BTreeMap::new();
    let items = published["paths"].as_object().unwrap();
    let operations = items.iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    for (name, operation) in operations {
        let responses = operation["responses"]
            .as_object()
            .into_iter()
            .flat_map(|all| all.values());
        let contents = responses
            .chain(operation.get("requestBody"))
            .filter_map(|body| body["content"].as_object());
        for media in contents.flat_map(|content| content.values()) {
            let named = media["examples"].as_object().into_iter().flat_map(|all| all.values());
            let examples = named
                .filter_map(|example| example.get("value"))
                .chain(media.get("example"));
            for example in examples {
                let schema = &media["schema"];
                let validator = validators.entry(schema.to_string());
                let validator = validator.or_insert_with(|| contract::answer_validator(schema));
                checked += 1;
                refused.extend(
                    validator
                        .iter_errors(example)
                        .map(|error| format!("{name}: {error} at {}", error.instance_path())),
                );
            }
        }
    }
    assert!(checked > 300, "{checked}");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// The components that are written out where the operations refer to them.
const SHARED_PARTS: [&str; 4] = ["responses", "links", "headers", "examples"];

/// The document with the parts of responses in the place of references to them.
fn written_out(mut document: Value) -> Value {
    fn write_out(value: &mut Value, components: &Value) {
        while let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let part = reference
                .strip_prefix("#/components/")
                .and_then(|part| part.split_once('/'));
            let Some((kind, name)) = part.filter(|(kind, _)| SHARED_PARTS.contains(kind)) else {
                return;
            };
            *value = components[kind][name].clone();
        }
        match value {
            Value::Object(members) => members.values_mut().for_each(|member| write_out(member, components)),
            Value::Array(items) => items.iter_mut().for_each(|item| write_out(item, components)),
            _ => {}
        }
    }
    let components = document["components"].clone();
    write_out(&mut document["paths"], &components);
    let components = document["components"].as_object_mut().unwrap();
    components.retain(|kind, _| !SHARED_PARTS.contains(&kind.as_str()));
    document
}

/// The contract, with the members required that every answer has.
fn with_answered_members(mut contract: Value) -> Value {
    for schema in contract["components"]["schemas"].as_object_mut().unwrap().values_mut() {
        let answered = schema.as_object_mut().unwrap().remove("x-always-answered");
        for name in answered.iter().filter_map(Value::as_array).flatten() {
            match &mut schema["required"] {
                Value::Array(required) => required.push(name.clone()),
                none => *none = json!([name]),
            }
        }
    }
    contract
}

/// The document without answers for `Prefer: return=minimal`, which the 3.0 form leaves out.
fn without_minimal_answers(mut document: Value) -> Value {
    let mut removed = 0;
    let items = document["paths"].as_object_mut().unwrap().values_mut();
    for operation in items.flat_map(|item| item.as_object_mut().unwrap().values_mut()) {
        let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) else {
            continue;
        };
        let before = parameters.len();
        parameters.retain(|parameter| parameter["name"] != "Prefer");
        if parameters.len() < before {
            let minimal = operation["responses"].as_object_mut().unwrap().remove("204").unwrap();
            assert!(minimal["headers"]["Preference-Applied"].is_object());
            removed += 1;
        }
    }
    assert_eq!(removed, 15);
    document
}

async fn published_documents_agree(database: TestDatabase) {
    let service = Service::start(database).await;
    let client = Client::new(&service.base);
    let json = async |path: &str| -> Value { client.get(path).await.json().await.unwrap() };
    let (published, derived) = (json("/openapi.json").await, json("/openapi-3.0.json").await);

    assert_eq!(published["servers"], json!([{ "url": service.base }]));
    let (bytes, whole) = (published.to_string().len(), contract::document().to_string().len());
    assert!(bytes * 5 < whole * 4, "{bytes} of {whole} bytes are left");
    let mut without_server = written_out(published.clone());
    assert_eq!(published["externalDocs"]["url"], format!("{}/docs/", service.base));
    for member in ["servers", "externalDocs"] {
        without_server[member] = contract::document()[member].clone();
    }
    let whole = with_answered_members(contract::document().clone());
    assert_eq!(without_server, written_out(whole));
    let yaml = client.get("/openapi.yaml").await.text().await.unwrap();
    let yaml: Value = serde_json::to_value(yaml_serde::from_str::<yaml_serde::Value>(&yaml).unwrap()).unwrap();
    assert_eq!(yaml, published);

    assert_eq!(published["openapi"], "3.1.0");
    assert!(derived["openapi"].as_str().unwrap().starts_with("3.0."));
    check_links(&published);
    check_links(&derived);
    check_examples(&written_out(published.clone()));
    let without_minimal = without_minimal_answers(written_out(published.clone()));
    let found = compare(&without_minimal, &derived);
    assert!(
        found.is_empty(),
        "the code and the contract say different things:\n{}",
        found.join("\n")
    );

    changes_are_seen(&without_minimal, &derived);
}

/// The comparison itself: each kind of change to one side is found, and named.
fn changes_are_seen(contract: &Value, derived: &Value) {
    let teams = "/paths/~1v1~1orgs~1{organizationId}~1teams";
    let changes: Vec<(String, Value, &str)> = vec![
        (
            format!("{teams}/get/operationId"),
            json!("listAllTeams"),
            "GET /v1/orgs/{organizationId}/teams",
        ),
        (
            "/components/schemas/Team/properties/members/type".into(),
            json!("string"),
            "schema Team / properties / members",
        ),
        (
            "/components/schemas/Team/required".into(),
            json!(["id"]),
            "schema Team / required",
        ),
        (
            "/components/schemas/CreateTeam/properties/title/maxLength".into(),
            json!(65),
            "schema CreateTeam",
        ),
        (
            "/components/schemas/MemberRole/enum".into(),
            json!(["admin"]),
            "schema Member / properties / role / enum",
        ),
        (
            "/components/schemas/Member/properties/role".into(),
            json!({ "type": "string" }),
            "schema Member",
        ),
        (
            format!("{teams}/put/security"),
            json!([]),
            "PUT /v1/orgs/{organizationId}/teams / security",
        ),
    ];
    for (pointer, value, named) in changes {
        let mut changed = derived.clone();
        *changed
            .pointer_mut(&pointer)
            .unwrap_or_else(|| panic!("nothing at {pointer}")) = value;
        let found = compare(contract, &changed);
        assert!(
            found.iter().any(|difference| difference.starts_with(named)),
            "{pointer}: {found:?}"
        );
    }
    for (pointer, member) in [
        ("/paths", "/v1/orgs/{organizationId}/teams"),
        (&format!("{teams}/get/responses"), "404"),
        ("/components/schemas/Team/properties", "spaces"),
    ] {
        let mut changed = derived.clone();
        changed
            .pointer_mut(pointer)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .remove(member)
            .unwrap();
        assert!(
            !compare(contract, &changed).is_empty(),
            "{pointer} without {member} is not seen"
        );
    }
    let mut changed = derived.clone();
    let parameters = changed
        .pointer_mut(&format!("{teams}/get/parameters"))
        .unwrap()
        .as_array_mut()
        .unwrap();
    parameters.retain(|parameter| parameter["name"] != "limit");
    assert!(
        !compare(contract, &changed).is_empty(),
        "a missing parameter is not seen"
    );
}

/// In each tag whose name ends with the last word of a path before an id, such as `spaces` and `/v1/spaces/{spaceId}`, the
/// operations on that path and on the list of such objects come before all others.
#[test]
fn operations_on_the_object_of_a_tag_come_first() {
    let contract = contract::document();
    let tags = contract["tags"].as_array().unwrap();
    let mut checked = Vec::new();
    for tag in tags.iter().map(|tag| tag["name"].as_str().unwrap()) {
        let paths: Vec<&str> = contract["paths"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, item)| {
                item.as_object()
                    .unwrap()
                    .values()
                    .any(|operation| operation["tags"][0] == tag)
            })
            .map(|(path, _)| path.as_str())
            .collect();
        let word = tag.replace('_', "-");
        let is_object = |path: &&&str| {
            let list = path.strip_suffix('}').and_then(|path| path.rsplit_once("/{"));
            list.is_some_and(|(list, _)| list.rsplit('/').next().is_some_and(|last| word.ends_with(last)))
        };
        let Some(object) = paths.iter().find(is_object) else {
            continue;
        };
        let (list, _) = object.rsplit_once("/{").unwrap();
        let last = list.rsplit_once('/').unwrap().1;
        // The list may be below another object, where objects are created: `/v1/orgs/{organizationId}/spaces`.
        let creates = |path: &&str| {
            let item = &contract["paths"][*path];
            path.rsplit_once('/').unwrap().1 == last && (item.get("post").is_some() || item.get("put").is_some())
        };
        let has_list = paths.contains(&list);
        let is_first = |path: &&str| path == object || *path == list || (!has_list && creates(path));
        let count = paths.iter().filter(|path| is_first(path)).count();
        // An object without a list, such as the users.
        if count == 1 {
            continue;
        }
        assert!(paths.iter().take(count).all(is_first), "{tag}: {paths:#?}");
        checked.push(tag);
    }
    for tag in [
        "spaces",
        "collections",
        "members",
        "teams",
        "change-requests",
        "comments",
        "sites",
        "translations",
    ] {
        assert!(checked.contains(&tag), "{checked:?}");
    }
}
