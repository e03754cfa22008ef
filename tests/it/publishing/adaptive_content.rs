//! The claims that sites know of their visitors.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{Published, id, read, resolve, visitor},
    world::World,
};

on_each_database![
    schemas_of_claims_are_kept,
    schemas_that_say_nothing_are_refused,
    a_schema_decides_which_claims_count,
    without_adaptive_content_conditions_on_visitors_hold_for_nobody,
];

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

async fn a_schema_decides_which_claims_count(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let name = async |claims: Value| {
        let token = published.token(&world, claims).await;
        let found = resolve(&world, &published.address, json!({ "jwtToken": token }))
            .expect(200)
            .await;
        let text = read(&visitor(&world, &found), &found).expect(200).await;
        let text = text["markdown"].as_str().unwrap().to_owned();
        let (_, name) = text.trim().trim_end_matches('.').rsplit_once("for ").unwrap();
        name.to_owned()
    };
    assert_eq!(name(json!({ "name": "Ines" })).await, "Ines");
    for (properties, claims, expected) in [
        (
            json!({ "plan": { "type": "string", "description": "Plan" } }),
            json!({ "name": "Ines" }),
            "all",
        ),
        (
            json!({ "name": { "type": "string", "description": "Name" } }),
            json!({ "name": "Ines" }),
            "Ines",
        ),
        (
            json!({ "name": { "type": "string", "description": "Name" } }),
            json!({ "name": 7 }),
            "all",
        ),
    ] {
        let update = world.on_site(&world.create, "updateSiteAdaptiveSchema", &published.site);
        update.json(schema(properties.clone())).expect(200).await;
        assert_eq!(name(claims).await, expected, "{properties}");
    }
}

/// Conditions on claims, conditions without visitors, and whether they hold for a partner without adaptive content.
const CONDITIONS: [(&str, bool); 4] = [
    ("visitor.claims.unsigned.partner", false),
    ("!visitor.claims.unsigned.beta", false),
    (" ", true),
    ("1 == 1", true),
];

async fn without_adaptive_content_conditions_on_visitors_hold_for_nobody(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let pages = std::array::from_fn::<_, 4, _>(|number| {
        let (condition, _) = CONDITIONS[number];
        let text = format!("{{% if {condition} %}}\nSeen.\n{{% endif %}}");
        json!({ "operation": "insert_page", "title": format!("Page {number}"), "condition": condition,
            "document": { "markdown": text } })
    });
    let blocks =
        CONDITIONS.map(|(condition, _)| format!("{{% if {condition} %}}\nSeen if {condition}.\n{{% endif %}}"));
    let text =
        json!({ "operation": "insert_page", "title": "Blocks", "document": { "markdown": blocks.join("\n\n") } });
    let space = id(&published.spaces[1]);
    let write = world.admin.client.call("updateSpaceContent").path("spaceId", space);
    let changes: Vec<Value> = pages.into_iter().chain([text]).collect();
    write.json(json!({ "changes": changes })).expect(200).await;
    let items = world.on_site(&world.admin, "listSiteSpaces", &published.site);
    let items = items.expect(200).await;
    let partner = json!({ "unsignedClaims": { "partner": true } });
    for enabled in [true, false] {
        // The token of a visitor who came while the site had adaptive content.
        let on = json!({ "adaptiveContent": { "enabled": true } });
        published.set(&world, on).await;
        let before = format!("{}two/blocks", published.address);
        let before = resolve(&world, &before, partner.clone()).expect(200).await;
        published
            .set(&world, json!({ "adaptiveContent": { "enabled": enabled } }))
            .await;
        let client = visitor(&world, &before);
        let list = client.call("listPages").path("spaceId", space).expect(200).await;
        let page = client.call("getPageByPath").path("spaceId", space);
        let page = page.path("pagePath", "blocks").query("format", "markdown");
        let text = page.expect(200).await["markdown"].to_string();
        let search = client
            .call("searchSiteContent")
            .here(&world)
            .path("siteId", id(&published.site));
        let found = search.json(json!({ "query": "seen", "mode": "all" })).expect(200).await;
        for (number, (condition, holds)) in CONDITIONS.into_iter().enumerate() {
            let is_shown = enabled || holds;
            let (title, block) = (format!("Page {number}"), format!("Seen if {condition}"));
            assert_eq!(
                list.to_string().contains(&format!("\"{title}\"")),
                is_shown,
                "{enabled} {condition}: {list}"
            );
            assert_eq!(text.contains(&block), is_shown, "{enabled} {condition}: {text}");
            let found_page = found.to_string().contains(&format!("\"{title}\""));
            assert_eq!(found_page, is_shown, "{enabled} {condition}: {found}");
            let update = world.on_site(&world.create, "updateSiteSpaceById", &published.site);
            let update = update.path("siteSpaceId", id(&items["items"][0]));
            update.json(json!({ "condition": condition })).expect(200).await;
            let structure = client.call("getSiteStructure").here(&world);
            let structure = structure.path("siteId", id(&published.site)).expect(200).await;
            let first = client.call("getSpaceById").path("spaceId", id(&published.spaces[0]));
            assert_eq!(first.send().await.status == 200, is_shown, "{enabled} {condition}");
            let shown = structure.to_string().contains(id(&published.spaces[0]));
            assert_eq!(shown, is_shown, "{enabled} {condition}: {structure}");
            let clear = world.on_site(&world.create, "updateSiteSpaceById", &published.site);
            let clear = clear.path("siteSpaceId", id(&items["items"][0]));
            clear.json(json!({ "condition": null })).expect(200).await;
        }
    }
}
