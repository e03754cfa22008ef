//! Names of components.

use serde_json::json;

use super::*;

#[test]
fn names_of_components_are_those_of_openapi() {
    let document = json!({
        "swagger": "2.0", "info": { "title": "T", "version": "1" },
        "securityDefinitions": { "API Key": { "type": "apiKey", "name": "k", "in": "header" } },
        "security": [{ "API Key": [] }],
        "parameters": { "page size": { "name": "size", "in": "query", "type": "integer" } },
        "responses": { "not/found": { "description": "None." } },
        "paths": { "/users": {
            "get": {
                "security": [{ "API Key": [] }], "parameters": [{ "$ref": "#/parameters/page%20size" }],
                "responses": { "200": { "description": "OK", "schema": { "$ref": "#/definitions/Page%C2%ABUser%C2%BB" } },
                    "404": { "$ref": "#/responses/not~1found" } },
            },
        } },
        "definitions": {
            "Page«User»": { "type": "object", "properties": {
                "next": { "$ref": "#/definitions/Page«User»" }, "by": { "$ref": "#/definitions/Map<string,User>" },
            } },
            "Map<string,User>": { "type": "object", "title": "Users" },
            "Admin User": { "allOf": [{ "$ref": "#/definitions/Page«User»/properties/by" }] },
            "Admin_User": { "type": "object" },
            "«»": { "type": "object" },
        },
    });
    let document = document.to_string();
    let made = finish(&document);
    let components = &made["components"];
    let names: Vec<&String> = components["schemas"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["Page_User", "Map_string_User", "Admin_User_2", "Admin_User", "_"]
    );
    let schemas = &components["schemas"];
    assert_eq!(schemas["Page_User"]["title"], "Page«User»");
    assert_eq!(schemas["Map_string_User"]["title"], "Users");
    assert_eq!(
        schemas["Page_User"]["properties"]["next"]["$ref"],
        "#/components/schemas/Page_User"
    );
    assert_eq!(
        schemas["Admin_User_2"]["allOf"][0]["$ref"],
        "#/components/schemas/Page_User/properties/by"
    );
    let operation = &made["paths"]["/users"]["get"];
    assert_eq!(
        operation["responses"]["404"]["$ref"],
        "#/components/responses/not_found"
    );
    let content = &operation["responses"]["200"]["content"]["application/json"];
    assert_eq!(content["schema"]["$ref"], "#/components/schemas/Page_User");
    assert_eq!(operation["parameters"][0]["$ref"], "#/components/parameters/page_size");
    for security in [&made["security"], &operation["security"]] {
        assert_eq!(*security, json!([{ "API_Key": [] }]));
    }
    assert!(components["securitySchemes"]["API_Key"].is_object());
    let places: Vec<String> = reported(&document).into_iter().map(|(_, place)| place).collect();
    let expected = [
        "/definitions/Page«User»",
        "/definitions/Map<string,User>",
        "/definitions/Admin User",
        "/definitions/«»",
        "/parameters/page size",
        "/responses/not~1found",
        "/securityDefinitions/API Key",
    ];
    assert_eq!(places, expected);
}

#[test]
fn discriminators_follow() {
    let schemas = json!({
        "Pet": { "oneOf": [{ "$ref": "#/components/schemas/Big Cat" }, { "$ref": "#/components/schemas/Dog!" }, { "$ref": "#/components/schemas/Fox" }],
            "discriminator": { "propertyName": "kind", "mapping": { "dog": "Dog!" } } },
        "Any": { "oneOf": [{ "$ref": "#/components/schemas/Fox" }], "discriminator": { "propertyName": "kind" } },
        "Big Cat": { "type": "object" }, "Dog!": { "type": "object" }, "Fox": { "type": "object" },
    });
    let document =
        json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": schemas } });
    let made = finish(&document.to_string());
    let schemas = &made["components"]["schemas"];
    let mapping =
        json!({ "dog": "Dog", "Big Cat": "#/components/schemas/Big_Cat", "Dog!": "#/components/schemas/Dog" });
    assert_eq!(schemas["Pet"]["discriminator"]["mapping"], mapping);
    assert_eq!(schemas["Any"]["discriminator"], json!({ "propertyName": "kind" }));
}

#[test]
fn discriminators_of_bases_follow() {
    let base =
        |name: &str| json!({ "allOf": [{ "$ref": format!("#/components/schemas/{name}") }, { "type": "object" }] });
    let schemas = json!({
        "Pet": { "type": "object", "discriminator": { "propertyName": "kind", "mapping": { "dog": "#/components/schemas/Dog!" } } },
        "Big Pet": { "type": "object", "discriminator": { "propertyName": "kind" } },
        "Big Cat": base("Pet"), "Dog!": base("Pet"), "Fox": base("Pet"), "Young Cat": base("Big Cat"),
        "Horse?": base("Big Pet"), "Loop A": base("Loop B"), "Loop B": base("Loop A"),
    });
    let document =
        json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": schemas } });
    let made = finish(&document.to_string());
    let mapping = |name: &str| made["components"]["schemas"][name]["discriminator"]["mapping"].clone();
    let expected = json!({
        "dog": "#/components/schemas/Dog",
        "Big Cat": "#/components/schemas/Big_Cat",
        "Young Cat": "#/components/schemas/Young_Cat",
    });
    assert_eq!(mapping("Pet"), expected);
    assert_eq!(mapping("Big_Pet"), json!({ "Horse?": "#/components/schemas/Horse" }));
}

/// Many names that become the same one.
#[test]
fn equal_names_are_numbered_quickly() {
    let schemas: serde_json::Map<_, _> = (1..50_000)
        .map(|length| (" ".repeat(length % 300) + &"«".repeat(length / 300), json!({})))
        .collect();
    let count = schemas.len();
    let document =
        json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": schemas } });
    let made = finish(&document.to_string());
    assert_eq!(made["components"]["schemas"].as_object().unwrap().len(), count);
}
