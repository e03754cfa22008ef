//! Bad input: every operation of the contract, with every rule that the contract has for it broken.

use serde_json::{Map, Value, json};

use crate::support::{
    client::{Answer, Client, ignored},
    contract::{self, Operation, Parameter, resolve},
    database::{TestDatabase, on_one_database},
    world::World,
};

on_one_database![
    bodies_that_are_no_json_are_refused,
    bodies_of_other_types_are_415,
    bodies_over_the_limit_are_413,
    every_member_keeps_its_rules,
    every_query_parameter_keeps_its_rules,
    every_header_parameter_keeps_its_rules,
    every_path_parameter_keeps_its_rules,
    path_query_and_body_are_reported_together,
    access_is_decided_before_a_body_is_read,
];

fn with_body() -> impl Iterator<Item = (Operation, &'static Value)> {
    contract::operations().filter_map(|operation| {
        let schema = resolve(operation.body_schema()?);
        Some((operation, schema))
    })
}

async fn bodies_that_are_no_json_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    for (operation, schema) in with_body() {
        let send = |body: &str| world.allowed(&operation).raw(body).send();
        for broken in ["{", "{\"a\":}", "nul", "{} {}", "\u{feff}{}", "{\"title\":\"\\ud800\"}"] {
            send(broken).await.has_detail("/body", "malformed-json");
        }
        for wrong in ["[]", "null", "3", "\"text\"", "true"] {
            if wrong != "[]" || !takes_arrays(schema) {
                send(wrong).await.has_detail("/body", "type");
            }
        }
        if operation.body_is_required() {
            send("").await.has_detail("/body", "required");
            send("  \n").await.has_detail("/body", "required");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        send(&deep[..60_000]).await.has_detail("/body", "malformed-json");
        let example = operation.body_example().unwrap();
        if let Some((name, value)) = example.as_object().unwrap().iter().next() {
            let whole = example.to_string();
            let twice = format!("{},\"{name}\":{value}}}", whole.strip_suffix('}').unwrap());
            send(&twice).await.has_detail("/body", "invalid");
        }
    }
}

fn takes_arrays(schema: &'static Value) -> bool {
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    choices.map(resolve).any(|choice| choice["type"] == "array")
}

async fn bodies_of_other_types_are_415(database: TestDatabase) {
    let world = World::new(database).await;
    for (operation, _) in with_body() {
        let example = operation.body_example().unwrap();
        for other in [
            "text/plain",
            "application/xml",
            "application/x-www-form-urlencoded",
            "json",
            "",
        ] {
            if other == "text/plain" && operation.id == "trackEventsInSiteById" {
                continue;
            }
            let answer = world
                .allowed(&operation)
                .json(example.clone())
                .content_type(other)
                .send()
                .await;
            assert_eq!(answer.status, 415, "{} {other}: {}", operation.id, answer.text);
        }
    }
}

async fn bodies_over_the_limit_are_413(database: TestDatabase) {
    let world = World::new(database).await;
    let large = json!({ "title": "x".repeat(world.service.body_limit) }).to_string();
    for (operation, _) in with_body() {
        let answer = world.allowed(&operation).raw(large.clone()).send().await;
        assert_eq!(answer.status, 413, "{}: {}", operation.id, answer.text);
    }
}

/// The schema of an object; of a choice, the form that the value has.
fn form(schema: &'static Value, value: &Map<String, Value>) -> &'static Value {
    let Some(choices) = schema["oneOf"].as_array() else {
        return schema;
    };
    let fits = |form: &&'static Value| {
        let required = form["required"].as_array().into_iter().flatten();
        required
            .into_iter()
            .all(|name| value.contains_key(name.as_str().unwrap()))
    };
    let mut forms = choices.iter().map(|choice| form(resolve(choice), value));
    forms.find(fits).unwrap()
}

/// A value that breaks one rule of a schema, and the code of that rule.
fn violations(schema: &'static Value) -> Vec<(Value, &'static str)> {
    let mut found = Vec::new();
    let number = |key: &str| schema[key].as_i64();
    match schema["type"].as_str() {
        Some("string") if schema["enum"].is_array() => {
            found.push((json!("no-such-value"), "enum"));
            found.push((json!(3), "type"));
        }
        Some("string") if schema["const"].is_string() => found.push((json!("no-such-value"), "const")),
        Some("string") => {
            found.push((json!(3), "type"));
            let max = number("maxLength").map(|max| ("ä".repeat(usize::try_from(max).unwrap() + 1), "max-length"));
            found.extend(max.map(|(text, code)| (json!(text), code)));
            found.extend(
                number("minLength")
                    .filter(|min| *min > 0)
                    .map(|_| (json!(""), "min-length")),
            );
            found.extend(schema["pattern"].is_string().then(|| (json!("\u{1}"), "pattern")));
            let format = schema["format"].is_string() && schema["format"] != "icon";
            found.extend(format.then(|| (json!("neither this nor that"), "format")));
            found.push((json!("a\u{0}b"), "nul-character"));
        }
        Some("boolean") => found.push((json!("true"), "type")),
        Some("integer") => {
            found.push((json!("3"), "type"));
            found.push((json!(1.5), "type"));
            found.extend(number("minimum").map(|min| (json!(min - 1), "minimum")));
            found.extend(number("maximum").map(|max| (json!(max + 1), "maximum")));
        }
        Some("array") => {
            found.push((json!({}), "type"));
            if let Some(max) = number("maxItems") {
                let items: Vec<String> = (0..=max).map(|i| format!("x{i}@tidewater.example")).collect();
                found.push((json!(items), "max-items"));
            }
            if schema["uniqueItems"] == true {
                found.push((json!(["twice.example", "twice.example"]), "unique-items"));
            }
        }
        Some("object") => {
            found.push((json!([]), "type"));
            if let Some(max) = number("maxProperties") {
                let members: Map<String, Value> = (0..=max).map(|i| (format!("m{i}"), json!({}))).collect();
                found.push((json!(members), "max-properties"));
            }
        }
        _ => {}
    }
    found
}

/// The schema besides `null`, and whether `null` is allowed.
fn besides_null(schema: &'static Value) -> (&'static Value, bool) {
    let schema = resolve(schema);
    let choices = schema["oneOf"].as_array();
    let is_null = |choice: &Value| choice["type"] == "null";
    match choices {
        Some(choices) if choices.iter().any(is_null) => {
            let other = choices.iter().find(|choice| !is_null(choice)).unwrap();
            (resolve(other), true)
        }
        _ => (
            schema,
            schema["type"]
                .as_array()
                .is_some_and(|types| types.contains(&json!("null"))),
        ),
    }
}

async fn every_member_keeps_its_rules(database: TestDatabase) {
    // Longer than the longest text of the contract.
    let world = World::with(database, |flags| flags.body_limit = Some("8MiB".to_owned())).await;
    for (operation, schema) in with_body() {
        let example = operation.body_example().unwrap().as_object().unwrap();
        let is_choice = schema["oneOf"].is_array();
        let schema = form(schema, example);
        let send = async |body: Map<String, Value>| world.allowed(&operation).json(json!(body)).send().await;
        let with = |name: &str, value: Value| {
            let mut body = example.clone();
            body.insert(name.to_owned(), value);
            body
        };
        if schema["additionalProperties"] == false {
            let answer = send(with("no-such/member", json!(1))).await;
            if operation.is_safe {
                assert_eq!(ignored(&answer), ["no-such%2Fmember"], "{}", operation.id);
            } else {
                answer.has_detail("/body/no-such~1member", "unknown-member");
            }
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            let mut body = example.clone();
            body.remove(required.as_str().unwrap());
            let (answer, pointer) = (send(body).await, format!("/body/{}", required.as_str().unwrap()));
            // Without the member that tells its form, the object has none.
            if !is_choice || answer.details() != [("/body".to_owned(), "exclusive".to_owned())] {
                answer.has_detail(&pointer, "required");
            }
        }
        for (name, member) in schema["properties"].as_object().unwrap() {
            let (member, nullable) = besides_null(member);
            let pointer = format!("/body/{name}");
            for (value, code) in violations(member) {
                send(with(name, value)).await.has_detail(&pointer, code);
            }
            if !nullable {
                let answer = send(with(name, Value::Null)).await;
                let codes: Vec<String> = answer.details().into_iter().map(|(_, code)| code).collect();
                assert!(
                    !codes.is_empty(),
                    "{} {name}: null passed: {}",
                    operation.id,
                    answer.text
                );
            }
            if member["type"] == "array" {
                for (value, code) in violations(resolve(&member["items"])) {
                    send(with(name, json!([value])))
                        .await
                        .has_detail(&format!("{pointer}/0"), code);
                }
            }
        }
    }
}

/// Texts that break the rules of a parameter with this schema.
fn texts_against(schema: &'static Value) -> Vec<(String, &'static str)> {
    let of_schema = violations(schema).into_iter();
    let texts = of_schema.filter_map(|(value, code)| match (&value, code) {
        // Everything in a query or a header is a text.
        (_, "type") => None,
        (Value::String(text), code) => Some((text.clone(), code)),
        (value, code) => Some((value.to_string(), code)),
    });
    let mut found: Vec<(String, &'static str)> = texts.collect();
    match schema["type"].as_str() {
        Some("integer") => {
            found.extend(["many", "1.5", "", "1e3", "0x10", "99999999999999999999"].map(|t| (t.to_owned(), "type")))
        }
        Some("boolean") => found.extend(["yes", "1", ""].map(|text| (text.to_owned(), "type"))),
        _ => {}
    }
    found
}

async fn every_query_parameter_keeps_its_rules(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        for parameter in operation.query_parameters() {
            let pointer = format!("/query/{}", parameter.name);
            if parameter.schema["type"] == "array" {
                list_in_query_keeps_its_rules(&world, &operation, &parameter).await;
                continue;
            }
            let send = |value: &str| world.complete(&operation).query(parameter.name, value).send();
            for (value, code) in texts_against(parameter.schema) {
                send(&value).await.has_detail(&pointer, code);
            }
            let twice = world
                .complete(&operation)
                .query(parameter.name, "1")
                .query(parameter.name, "1");
            twice.send().await.has_detail(&pointer, "repeated");
        }
    }
}

/// A parameter that is sent once for each item.
async fn list_in_query_keeps_its_rules(world: &World, operation: &Operation, parameter: &Parameter) {
    let most = parameter.schema["maxItems"].as_u64().unwrap();
    let call = (0..=most).fold(world.complete(operation), |call, i| call.query(parameter.name, i));
    let pointer = format!("/query/{}", parameter.name);
    call.send().await.has_detail(&pointer, "max-items");
    for (value, code) in texts_against(resolve(&parameter.schema["items"])) {
        let call = world.complete(operation).query(parameter.name, "1");
        let answer = call.query(parameter.name, value).send().await;
        answer.has_detail(&format!("{pointer}/1"), code);
    }
}

async fn every_header_parameter_keeps_its_rules(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        for parameter in operation.header_parameters() {
            let pointer = format!("/header/{}", parameter.name);
            // No header can hold a control character.
            let texts = texts_against(parameter.schema).into_iter();
            for (value, code) in texts.filter(|(text, _)| !text.contains(char::is_control)) {
                let answer = world.complete(&operation).header(parameter.name, value).send().await;
                answer.has_detail(&pointer, code);
            }
        }
    }
}

/// Those that name the object of the access check are read before all others: nothing has such a name.
async fn every_path_parameter_keeps_its_rules(database: TestDatabase) {
    let world = World::new(database).await;
    for operation in contract::operations() {
        let access = operation.access();
        let of_access = access.definition["parameters"].as_array().unwrap();
        let others = operation.parameters().into_iter();
        let others = others.filter(|p| p.place == "path" && !of_access.contains(&p.name.into()));
        for parameter in others {
            let most = parameter.schema["maxLength"].as_u64().unwrap();
            let long = "x".repeat(usize::try_from(most).unwrap() + 1);
            let value = |name| {
                if name == parameter.name {
                    long.clone()
                } else {
                    world.own_at(operation.path, name)
                }
            };
            let call = world.allowed_at(&operation, value);
            let call = match operation.body_example() {
                Some(body) => call.json(body.clone()),
                None => call,
            };
            let pointer = format!("/path/{}", parameter.name);
            call.send().await.has_detail(&pointer, "max-length");
        }
    }
}

async fn path_query_and_body_are_reported_together(database: TestDatabase) {
    let world = World::new(database).await;
    let call = world.admin.client.call("updateMemberInOrganizationById");
    let long = "x".repeat(400);
    let call = call.path("organizationId", world.organization).path("userId", long);
    let answer: Answer = call.json(json!({ "role": "king", "colour": "red" })).send().await;
    answer.has_detail("/path/userId", "max-length");
    answer.has_detail("/body/role", "enum");
    answer.has_detail("/body/colour", "unknown-member");
    let call = world.admin.client.call("listMembersInOrganizationById");
    let call = call
        .path("organizationId", world.organization)
        .query("limit", "2000")
        .query("order", "up");
    let answer = call.query("role", "king").send().await;
    assert_eq!(answer.details().len(), 3, "{}", answer.text);
}

async fn access_is_decided_before_a_body_is_read(database: TestDatabase) {
    let world = World::new(database).await;
    let create = async |client: &Client, content_type: &'static str| {
        let call = client
            .call("createOrganizationTeam")
            .path("organizationId", world.organization);
        call.raw("not even JSON").content_type(content_type).send().await.status
    };
    assert_eq!(create(&world.nobody(), "application/json").await, 401);
    assert_eq!(create(&world.stranger.client, "application/json").await, 404);
    assert_eq!(create(&world.read.client, "application/json").await, 403);
    assert_eq!(create(&world.read.client, "text/plain").await, 403);
    assert_eq!(create(&world.admin.client, "text/plain").await, 415);
    assert_eq!(create(&world.admin.client, "application/json").await, 400);
}
