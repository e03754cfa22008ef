//! References to places that an upgrade moves.

use serde_json::json;

use super::*;

/// A document in which references lead to all places that are others in OpenAPI 3.
const BRANCHES: &str = "
swagger: '2.0'
info: {title: Branches, version: '1'}
consumes: [application/xml]
produces: [text/csv, application/json]
parameters:
  branch: {name: branch, in: body, schema: {properties: {leaf: {type: string}}}}
  twigs: {name: twigs, in: query, type: array, items: {type: string}}
responses:
  Branch: {description: A branch., schema: {properties: {leaf: {type: string}}}}
paths:
  /branches:
    get:
      produces: [application/json]
      parameters:
        - {name: limit, in: query, type: integer}
        - {name: filter, in: body, schema: {properties: {leaf: {type: string}}}}
      responses: {'200': {description: All., schema: {items: {type: string}}}}
    post:
      parameters: [{$ref: '#/paths/~1branches/get/parameters/1'}, {$ref: '#/paths/~1branches/get/parameters/0'}]
      responses: {'200': {$ref: '#/paths/~1branches/get/responses/200'}}
definitions:
  Of body: {$ref: '#/parameters/branch/schema/properties/leaf'}
  OfParameter: {$ref: '#/parameters/twigs/items'}
  OfResponse: {$ref: '#/responses/Branch/schema/properties/leaf'}
  OfOperation: {$ref: '#/paths/~1branches/get/parameters/1/schema/properties/leaf'}
  OfResult: {$ref: '#/paths/~1branches/get/responses/200/schema/items'}
  OfSchema: {$ref: '#/definitions/Of%20body'}
  Leaf: {type: string, example: {name: Oak}, x-like: {$ref: '#/definitions/Leaf/example/name'}}
";

#[test]
fn references_follow_what_they_refer_to() {
    let document = finish(BRANCHES);
    let schemas = &document["components"]["schemas"];
    for (name, place) in [
        (
            "Of_body",
            "#/components/requestBodies/branch/content/application~1xml/schema/properties/leaf",
        ),
        ("OfParameter", "#/components/parameters/twigs/schema/items"),
        (
            "OfResponse",
            "#/components/responses/Branch/content/text~1csv/schema/properties/leaf",
        ),
        (
            "OfOperation",
            "#/paths/~1branches/get/requestBody/content/application~1xml/schema/properties/leaf",
        ),
        (
            "OfResult",
            "#/paths/~1branches/get/responses/200/content/application~1json/schema/items",
        ),
        ("OfSchema", "#/components/schemas/Of_body"),
    ] {
        assert_eq!(schemas[name]["$ref"], place);
        assert!(document.pointer(place.trim_start_matches('#')).is_some(), "{place}");
    }
    assert_eq!(
        schemas["Leaf"]["x-like"]["$ref"],
        "#/components/schemas/Leaf/examples/0/name"
    );
    let post = &document["paths"]["/branches"]["post"];
    assert_eq!(
        post["parameters"],
        json!([{ "name": "limit", "in": "query", "schema": { "type": "integer" } }])
    );
    assert_eq!(
        post["requestBody"],
        document["paths"]["/branches"]["get"]["requestBody"]
    );
    assert_eq!(post["responses"]["200"]["$ref"], "#/paths/~1branches/get/responses/200");
}

/// Examples are data, but many documents take them from schemas.
#[test]
fn examples_are_found_where_they_are() {
    let document = finish(
        "
openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    Leaf: {type: object, example: {name: Oak}}
    Example: {type: object, properties: {example: {type: string}}}
  examples:
    leaf: {value: {$ref: '#/components/schemas/Leaf/example'}}
    property: {value: {$ref: '#/components/schemas/Example/properties/example'}}
    data: {value: {$ref: '#/nowhere/example'}}
",
    );
    let examples = &document["components"]["examples"];
    for (name, place) in [
        ("leaf", "#/components/schemas/Leaf/examples/0"),
        ("property", "#/components/schemas/Example/properties/example"),
        ("data", "#/nowhere/example"),
    ] {
        assert_eq!(examples[name]["value"]["$ref"], place);
    }
}
