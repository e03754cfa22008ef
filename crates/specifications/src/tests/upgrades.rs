//! Upgrades to OpenAPI 3.1.

use serde_json::{Value, json};

use super::*;
use crate::Outline;

pub const PETSTORE: &str = "
swagger: '2.0'
info: {title: Petstore, version: 1.0.0}
host: petstore.example
basePath: /v2/
schemes: [https, http]
consumes: [application/json]
produces: [application/json]
parameters:
  limit: {name: limit, in: query, type: integer, maximum: 100, exclusiveMaximum: true}
  pet: {name: pet, in: body, required: true, description: A pet., schema: {$ref: '#/definitions/Pet'}}
responses:
  Fault: {description: Wrong., schema: {$ref: '#/definitions/Fault'}}
securityDefinitions:
  basic: {type: basic}
  key: {type: apiKey, name: X-Key, in: header}
  oauth:
    type: oauth2
    flow: accessCode
    authorizationUrl: https://petstore.example/authorize
    tokenUrl: https://petstore.example/token
    scopes: {'write:pets': Change pets.}
paths:
  /pets:
    parameters:
      - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: multi}
    get:
      operationId: listPets
      produces: [application/json, application/xml]
      parameters:
        - {$ref: '#/parameters/limit'}
        - {name: ids, in: query, type: array, items: {type: integer}, collectionFormat: pipes}
      responses:
        '200':
          description: Pets.
          schema: {type: array, items: {$ref: '#/definitions/Pet'}}
          headers: {X-Rate: {type: integer, description: Calls left.}}
          examples: {application/json: [{name: Rex}]}
        default: {$ref: '#/responses/Fault'}
    post:
      parameters: [{$ref: '#/parameters/pet'}]
      responses: {'201': {}}
  /pets/{id}/photo:
    put:
      consumes: [multipart/form-data]
      parameters:
        - {name: id, in: path, required: true, type: string}
        - {name: photo, in: formData, required: true, type: file}
        - {name: caption, in: formData, type: string, description: Below the photo.}
      responses: {'204': {description: Stored.}}
definitions:
  Pet:
    type: object
    discriminator: kind
    required: [kind]
    properties:
      kind: {type: string}
      name: {type: string, x-nullable: true, example: Rex}
      parent: {$ref: '#/definitions/Pet'}
  Fault: {type: object}
";

#[test]
fn swagger_becomes_openapi() {
    let document = finish(PETSTORE);
    assert_eq!(document["openapi"], "3.1.0");
    for gone in [
        "swagger",
        "host",
        "basePath",
        "schemes",
        "consumes",
        "produces",
        "parameters",
        "responses",
        "definitions",
    ] {
        assert!(document.get(gone).is_none(), "{gone}");
    }
    let servers = json!([{ "url": "https://petstore.example/v2" }, { "url": "http://petstore.example/v2" }]);
    assert_eq!(document["servers"], servers);
    let pets = &document["paths"]["/pets"];
    let tags = json!([{ "name": "tags", "in": "query", "schema": { "type": "array", "items": { "type": "string" } },
        "style": "form", "explode": true }]);
    assert_eq!(pets["parameters"], tags);
    assert_eq!(pets["get"]["parameters"][0]["$ref"], "#/components/parameters/limit");
    assert_eq!(pets["get"]["parameters"][1]["style"], "pipeDelimited");
    let found = &pets["get"]["responses"]["200"];
    let schema = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Pet" } });
    assert_eq!(
        found["content"]["application/json"],
        json!({ "schema": schema, "example": [{ "name": "Rex" }] })
    );
    assert_eq!(found["content"]["application/xml"], json!({ "schema": schema }));
    assert_eq!(
        found["headers"]["X-Rate"],
        json!({ "description": "Calls left.", "schema": { "type": "integer" } })
    );
    assert_eq!(
        pets["get"]["responses"]["default"]["$ref"],
        "#/components/responses/Fault"
    );
    assert_eq!(pets["post"]["requestBody"]["$ref"], "#/components/requestBodies/pet");
    assert_eq!(pets["post"]["responses"]["201"], json!({ "description": "" }));
    let components = &document["components"];
    let limit = json!({ "name": "limit", "in": "query", "schema": { "type": "integer", "exclusiveMaximum": 100 } });
    assert_eq!(components["parameters"]["limit"], limit);
    let pet = json!({ "description": "A pet.", "required": true,
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } } });
    assert_eq!(components["requestBodies"]["pet"], pet);
    let schema = &components["schemas"]["Pet"];
    assert_eq!(schema["discriminator"], json!({ "propertyName": "kind" }));
    assert_eq!(
        schema["properties"]["name"],
        json!({ "type": ["string", "null"], "examples": ["Rex"] })
    );
    assert_eq!(
        schema["properties"]["parent"],
        json!({ "$ref": "#/components/schemas/Pet" })
    );
    let schemes = &components["securitySchemes"];
    assert_eq!(schemes["basic"], json!({ "type": "http", "scheme": "basic" }));
    assert_eq!(
        schemes["oauth"]["flows"]["authorizationCode"]["scopes"]["write:pets"],
        "Change pets."
    );
}

#[test]
fn forms_become_bodies() {
    let document = finish(PETSTORE);
    let put = &document["paths"]["/pets/{id}/photo"]["put"];
    let schema = json!({
        "type": "object",
        "properties": {
            "photo": { "type": "string", "contentMediaType": "application/octet-stream" },
            "caption": { "type": "string", "description": "Below the photo." },
        },
        "required": ["photo"],
    });
    let body = json!({ "required": true, "content": { "multipart/form-data": { "schema": schema } } });
    assert_eq!(put["requestBody"], body);
    let id = json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
    assert_eq!(put["parameters"], id);
}

#[test]
fn examples_of_bodies_are_kept() {
    let body = |extra: Value| {
        let mut body = json!({ "name": "body", "in": "body", "schema": { "type": "object" } });
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let document = json!({
            "swagger": "2.0", "info": { "title": "T", "version": "1" }, "consumes": ["application/json"],
            "paths": { "/a": { "post": { "parameters": [body], "responses": {} } } },
        });
        finish(&document.to_string())["paths"]["/a"]["post"]["requestBody"].clone()
    };
    let object = json!({ "type": "object" });
    let example = json!({ "pump": 4711 });
    let by_type = body(json!({ "x-examples": { "application/json": example, "text/csv": "pump" } }));
    let media = json!({ "schema": object, "example": example });
    assert_eq!(
        by_type["content"],
        json!({ "application/json": media, "text/csv": { "example": "pump" } })
    );
    let by_name = body(json!({ "x-examples": { "small": example, "large": { "summary": "Large", "value": 2 } } }));
    let named = json!({ "small": { "value": example }, "large": { "summary": "Large", "value": 2 } });
    assert_eq!(
        by_name["content"]["application/json"],
        json!({ "schema": object, "examples": named })
    );
    let single = body(json!({ "x-example": example, "x-note": "n" }));
    assert_eq!(single["content"]["application/json"]["example"], example);
    assert_eq!(single["x-note"], "n");
    assert_eq!(body(json!({ "x-examples": 1 }))["x-examples"], 1);
}

#[test]
fn fields_of_forms_keep_examples_and_extensions() {
    let field = json!({ "name": "pump", "in": "formData", "type": "string", "x-example": "P-4713", "x-note": "n" });
    let document = json!({
        "swagger": "2.0", "info": { "title": "T", "version": "1" },
        "paths": { "/a": { "post": { "parameters": [field], "responses": {} } } },
    });
    let document = finish(&document.to_string());
    let content = &document["paths"]["/a"]["post"]["requestBody"]["content"];
    assert_eq!(
        content["application/x-www-form-urlencoded"]["schema"]["properties"]["pump"],
        json!({ "type": "string", "examples": ["P-4713"], "x-note": "n" })
    );
}

#[test]
fn parameters_may_be_nullable() {
    let parameters = ["formData", "query", "header"]
        .map(|place| json!({ "name": place, "in": place, "type": "string", "enum": ["a"], "x-nullable": true }));
    let document = json!({
        "swagger": "2.0", "info": { "title": "T", "version": "1" },
        "paths": { "/a": { "post": { "parameters": parameters, "responses": {} } } },
    });
    let document = finish(&document.to_string());
    let operation = &document["paths"]["/a"]["post"];
    let nullable = json!({ "type": ["string", "null"], "enum": ["a", null] });
    let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"];
    assert_eq!(form["properties"]["formData"], nullable);
    for parameter in operation["parameters"].as_array().unwrap() {
        assert_eq!(parameter["schema"], nullable, "{parameter}");
        assert!(parameter.get("x-nullable").is_none(), "{parameter}");
    }
}

#[test]
fn lists_keep_their_form() {
    let list = |name: &str, place: &str, format: &str| {
        let items = json!({ "type": "string" });
        json!({ "name": name, "in": place, "type": "array", "items": items, "collectionFormat": format })
    };
    let form = ["csv", "ssv", "tsv", "pipes", "multi"].map(|format| list(format, "formData", format));
    let other = [
        list("path", "path", "multi"),
        list("header", "header", "multi"),
        list("query", "query", "ssv"),
    ];
    let document = json!({
        "swagger": "2.0", "info": { "title": "T", "version": "1" },
        "paths": { "/lists/{path}": {
            "post": { "parameters": form, "responses": {} },
            "get": { "parameters": other, "responses": {} },
        } },
    });
    let document = finish(&document.to_string());
    let path = &document["paths"]["/lists/{path}"];
    let encoding = json!({
        "csv": { "style": "form", "explode": false },
        "ssv": { "style": "spaceDelimited", "explode": false },
        "tsv": { "style": "form", "explode": false },
        "pipes": { "style": "pipeDelimited", "explode": false },
        "multi": { "style": "form", "explode": true },
    });
    let content = &path["post"]["requestBody"]["content"]["application/x-www-form-urlencoded"];
    assert_eq!(content["encoding"], encoding);
    assert_eq!(
        content["schema"]["properties"]["csv"],
        json!({ "type": "array", "items": { "type": "string" } })
    );
    // Styles that only parameters of queries have.
    let of = |index: usize| {
        (
            path["get"]["parameters"][index]["style"].clone(),
            path["get"]["parameters"][index]["explode"].clone(),
        )
    };
    assert_eq!(of(0), (Value::Null, json!(false)));
    assert_eq!(of(1), (Value::Null, json!(false)));
    assert_eq!(of(2), (json!("spaceDelimited"), json!(false)));
}

#[test]
fn schemas_of_openapi_3_0_are_upgraded() {
    let upgraded = |schema: Value| {
        let document = json!({
            "openapi": "3.0.2", "info": { "title": "T", "version": "1" }, "paths": {},
            "components": { "schemas": { "A": schema, "B": { "type": "string" } } },
        });
        finish(&document.to_string())["components"]["schemas"]["A"].clone()
    };
    for (before, after) in [
        (
            json!({ "type": "string", "nullable": true }),
            json!({ "type": ["string", "null"] }),
        ),
        (
            json!({ "type": "string", "nullable": false }),
            json!({ "type": "string" }),
        ),
        (
            json!({ "oneOf": [{}], "nullable": true }),
            json!({ "oneOf": [{}, { "type": "null" }] }),
        ),
        (
            json!({ "allOf": [{}], "nullable": true }),
            json!({ "anyOf": [{ "allOf": [{}] }, { "type": "null" }] }),
        ),
        (
            json!({ "minimum": 1, "exclusiveMinimum": true }),
            json!({ "exclusiveMinimum": 1 }),
        ),
        (
            json!({ "minimum": 1, "exclusiveMinimum": false }),
            json!({ "minimum": 1 }),
        ),
        (
            json!({ "example": { "example": 1 } }),
            json!({ "examples": [{ "example": 1 }] }),
        ),
        (json!({ "examples": [1] }), json!({ "examples": [1] })),
        (json!({ "examples": { "a": 1 } }), json!({ "examples": [{ "a": 1 }] })),
        (
            json!({ "properties": { "example": { "nullable": true, "type": "object" } } }),
            json!({ "properties": { "example": { "type": ["object", "null"] } } }),
        ),
        (
            json!({ "type": "string", "format": "binary" }),
            json!({ "type": "string", "contentMediaType": "application/octet-stream" }),
        ),
        (
            json!({ "type": "string", "format": "byte" }),
            json!({ "type": "string", "contentEncoding": "base64" }),
        ),
        (
            json!({ "$ref": "#/components/schemas/B", "nullable": true, "description": "d" }),
            json!({ "anyOf": [{ "$ref": "#/components/schemas/B" }, { "type": "null" }], "description": "d" }),
        ),
        (
            json!({ "$ref": "#/components/schemas/B", "nullable": false, "description": "d" }),
            json!({ "$ref": "#/components/schemas/B", "description": "d" }),
        ),
        (
            json!({ "type": "object", "allOf": [{}], "nullable": true }),
            json!({ "type": ["object", "null"], "anyOf": [{ "allOf": [{}] }, { "type": "null" }] }),
        ),
        (
            json!({ "allOf": [{}], "anyOf": [{}], "nullable": true }),
            json!({ "anyOf": [{}, { "type": "null" }], "allOf": [{ "anyOf": [{ "allOf": [{}] }, { "type": "null" }] }] }),
        ),
        (
            json!({ "type": "string", "enum": ["a"], "nullable": true }),
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
        ),
        (
            json!({ "type": "string", "oneOf": [{}], "nullable": true }),
            json!({ "type": ["string", "null"], "oneOf": [{}, { "type": "null" }] }),
        ),
        (
            json!({ "enum": [{ "nullable": true }], "default": { "example": 1 } }),
            json!({ "enum": [{ "nullable": true }], "default": { "example": 1 } }),
        ),
    ] {
        assert_eq!(upgraded(before), after);
    }
}

#[test]
fn documents_of_openapi_3_1_stay_as_they_are() {
    let text = "
openapi: 3.1.1
info: {title: Circles, version: '1'}
webhooks:
  turned: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Node'}}}}}}
components:
  schemas:
    Node: {type: object, properties: {children: {type: array, items: {$ref: '#/components/schemas/Node'}}, any: true}}
";
    let document = finish(text);
    assert_eq!(document["openapi"], "3.1.1");
    let items = &document["components"]["schemas"]["Node"]["properties"]["children"]["items"];
    assert_eq!(items["$ref"], "#/components/schemas/Node");
}

#[test]
fn numbers_and_texts_of_yaml_are_told_apart() {
    let document = finish(
        "openapi: 3.1.0\ninfo: {title: T, version: 1.5}\npaths: {}\nx-all: [1, -2, 0x1F, 0o17, 1.5, .5, 1e3, 1.2.3, \
         2020-01-01, +, '1', \"true\", yes, ~, null, !!str 5, 18446744073709551616, .inf]\n",
    );
    assert_eq!(document["info"]["version"], "1.5");
    let all = json!([
        1,
        -2,
        31,
        15,
        1.5,
        0.5,
        1000.0,
        "1.2.3",
        "2020-01-01",
        "+",
        "1",
        "true",
        "yes",
        null,
        null,
        "5",
        18446744073709551616_f64,
        ".inf"
    ]);
    assert_eq!(document["x-all"], all);
}

#[test]
fn numbers_are_spelled_as_in_the_source_where_texts_are() {
    let document = finish(
        "
openapi: 3.0
info: {title: 2.10, version: &v 2.10, description: 007, license: {name: 1.0}, x-a: 1.10}
servers: [{url: 1.50, variables: {port: {default: 1.10, enum: [1.10, 2]}}}]
tags: [{name: 1.20}]
paths:
  /a:
    get:
      operationId: 1e3
      tags: [1.20]
      parameters: [{name: 1.30, in: query, example: 1.10, schema: {type: string, default: 1.10, enum: [1.10, +1]}}]
      responses:
        200: {description: 1.0, content: {a/b: {schema: {type: number, example: 1.10, required: [1.10]}}}}
components:
  schemas:
    A: {type: string, example: 2.10, x-b: 2.10}
    B: {type: object, properties: {version: {type: string, maxLength: 0x10, default: *v}}, example: {version: 2.10}}
  securitySchemes: {a: {type: oauth2, flows: {implicit: {authorizationUrl: a, scopes: {1.10: 1.10}}}}}
",
    );
    let at = |place: &str| document.pointer(place).unwrap_or(&Value::Null).clone();
    for (place, text) in [
        ("/openapi", json!("3.1.0")),
        ("/info/title", json!("2.10")),
        ("/info/version", json!("2.10")),
        ("/info/description", json!("007")),
        ("/info/license/name", json!("1.0")),
        ("/info/x-a", json!(1.1)),
        ("/servers/0/url", json!("1.50")),
        ("/servers/0/variables/port/default", json!("1.10")),
        ("/servers/0/variables/port/enum", json!(["1.10", "2"])),
        ("/tags/0/name", json!("1.20")),
        ("/paths/~1a/get/operationId", json!("1e3")),
        ("/paths/~1a/get/tags", json!(["1.20"])),
        ("/paths/~1a/get/parameters/0/name", json!("1.30")),
        ("/paths/~1a/get/parameters/0/example", json!("1.10")),
        ("/paths/~1a/get/parameters/0/schema/default", json!("1.10")),
        ("/paths/~1a/get/parameters/0/schema/enum", json!(["1.10", "+1"])),
        ("/paths/~1a/get/responses/200/description", json!("1.0")),
        (
            "/paths/~1a/get/responses/200/content/a~1b/schema/examples",
            json!([1.1]),
        ),
        (
            "/paths/~1a/get/responses/200/content/a~1b/schema/required",
            json!(["1.10"]),
        ),
        ("/components/schemas/A/examples", json!(["2.10"])),
        ("/components/schemas/A/x-b", json!(2.1)),
        ("/components/schemas/B/properties/version/default", json!("2.10")),
        ("/components/schemas/B/properties/version/maxLength", json!(16)),
        ("/components/schemas/B/examples", json!([{ "version": 2.1 }])),
        (
            "/components/securitySchemes/a/flows/implicit/scopes/1.10",
            json!("1.10"),
        ),
    ] {
        assert_eq!(at(place), text, "{place}");
    }
    let json = finish(r#"{"openapi": "3.1.0", "info": {"title": 2023, "version": 1.5}, "paths": {}, "x-a": 1.5}"#);
    assert_eq!((&json["info"]["title"], &json["x-a"]), (&json!("2023"), &json!(1.5)));
}

#[test]
fn the_contract_of_the_server_is_finished_as_it_is() {
    let contract = openapi::document::contract();
    // An example has the member with HTML, which sources may not bring.
    let expected = serde_json::to_value(crate::descriptions::plain(contract)).unwrap();
    assert_eq!(finish(&contract.to_string()), expected);
}

/// OpenAPI 3.0 has no webhooks, and many documents have them in an extension.
#[test]
fn webhooks_of_an_extension_are_webhooks() {
    let webhooks = "
  fell: {post: {operationId: fell, requestBody: {content: {a/b: {schema: {$ref: '#/components/schemas/Fall'}}}}, responses: {'200': {}}}}
  rose: {$ref: '#/x-webhooks/fell'}
";
    let document = |version: &str, webhooks: &str| {
        format!(
            "
openapi: {version}
info: {{title: T, version: '1'}}
paths: {{}}
x-webhooks: {webhooks}
components:
  schemas:
    Fall: {{type: object, properties: {{height: {{type: number, nullable: true}}}}}}
    Same: {{$ref: '#/x-webhooks/fell/post/requestBody/content/a~1b/schema'}}
"
        )
    };
    let made = finish(&document("3.0.3", webhooks));
    assert!(made.get("x-webhooks").is_none());
    let fell = &made["webhooks"]["fell"]["post"];
    assert_eq!(fell["responses"]["200"]["description"], "");
    assert_eq!(made["webhooks"]["rose"]["$ref"], "#/webhooks/fell");
    let same = "#/webhooks/fell/post/requestBody/content/a~1b/schema";
    assert_eq!(made["components"]["schemas"]["Same"]["$ref"], same);
    assert_eq!(
        made["components"]["schemas"]["Fall"]["properties"]["height"]["type"],
        json!(["number", "null"])
    );
    let outline = Outline::read(made.to_string().as_bytes());
    let keys: Vec<String> = outline.pages(ALL_PAGES).map(|page| page.key).collect();
    assert_eq!(keys, ["webhooks", "webhook:post fell", "webhook:post rose", "models"]);
    // A fault in them is told with its place in the extension.
    let wrong = document("3.0.3", &webhooks.replace("responses: {'200': {}}", "summary: Fell"));
    let at = "/x-webhooks/fell/post".to_owned();
    assert_eq!(reported(&wrong), [("The operation needs `responses`.".to_owned(), at)]);
    // An extension that is something else, and one of a version with webhooks, stays as it is.
    for (version, other) in [("3.0.3", "[1]"), ("3.0.3", "{a: 1}"), ("3.1.0", "{a: {post: {}}}")] {
        let other = format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\npaths: {{}}\nx-webhooks: {other}\n");
        let made = finish(&other);
        assert!(
            made.get("webhooks").is_none() && made.get("x-webhooks").is_some(),
            "{made}"
        );
    }
}
