//! The claims that sites know of their visitors.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![schemas_of_claims_are_kept, schemas_that_say_nothing_are_refused];

fn schema(properties: Value) -> Value {
    json!({ "jsonSchema": { "type": "object", "properties": properties, "additionalProperties": false } })
}

async fn schemas_of_claims_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    world
        .on_site(&world.read, "getSiteAdaptiveSchema", &site)
        .expect(404)
        .await;
    let conditions = world.on_site(&world.read, "listSiteAdaptiveTemplateConditions", &site);
    assert_eq!(conditions.expect(200).await, json!({ "items": [] }));
    let first = schema(json!({ "beta": { "type": "boolean", "description": "Beta" } }));
    let second = schema(json!({
        "plan": { "type": "string", "description": "Plan", "enum": ["free", "pro"] },
        "products": { "type": "array", "description": "Products", "items": { "type": "string", "description": "Product" } },
        "unsigned": { "type": "object", "description": "Unsigned claims of the site visitor.", "additionalProperties": false,
            "properties": { "seats": { "type": "number", "description": "Seats" } } },
    }));
    for body in [first, second] {
        let update = world.on_site(&world.create, "updateSiteAdaptiveSchema", &site);
        let kept = update.json(body.clone()).expect(200).await;
        assert_eq!(kept["jsonSchema"], body["jsonSchema"]);
        let read = world
            .on_site(&world.read, "getSiteAdaptiveSchema", &site)
            .expect(200)
            .await;
        assert_eq!(read, kept);
    }
    let conditions = world
        .on_site(&world.read, "listSiteAdaptiveTemplateConditions", &site)
        .expect(200)
        .await;
    let conditions: Vec<&str> = conditions["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["condition"].as_str().unwrap())
        .collect();
    let expected = [
        "visitor.claims.plan == \"free\"",
        "visitor.claims.plan == \"pro\"",
        "visitor.claims.products?.length > 0",
        "visitor.claims.unsigned.seats > 0",
    ];
    assert_eq!(conditions, expected);
}

async fn schemas_that_say_nothing_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let mut deep = json!({ "type": "boolean", "description": "Deep" });
    for _ in 0..9 {
        deep = json!({ "type": "object", "description": "Deep", "properties": { "deep": deep }, "additionalProperties": false });
    }
    let unsigned = json!({ "unsigned": { "type": "boolean", "description": "No object" } });
    for properties in [json!({ "deep": deep }), unsigned] {
        let update = world.on_site(&world.create, "updateSiteAdaptiveSchema", &site);
        let refused = update.json(schema(properties)).send().await;
        assert_eq!(refused.expect(400)["error"]["details"][0]["code"], "visitor-schema");
    }
    let unknown = schema(json!({ "plan": { "type": "date", "description": "Plan" } }));
    let update = world.on_site(&world.create, "updateSiteAdaptiveSchema", &site);
    update.json(unknown).expect(400).await;
}
