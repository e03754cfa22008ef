//! Site spaces that are translations of each other.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{find, id, visitor},
    translations::create,
    world::World,
};

on_each_database![
    translations_know_their_languages_and_each_other,
    hidden_pages_are_no_translations,
];

/// The languages of the translations of a site space, with the titles of their spaces.
fn translations(structure: &Value, title: &str) -> (Value, Vec<(String, String)>) {
    let items = structure["structure"].as_array().unwrap();
    let item = items.iter().find(|item| item["title"] == title).unwrap();
    let title_of = |wanted: &Value| {
        let found = items.iter().find(|item| item["id"] == *wanted).unwrap();
        found["title"].as_str().unwrap().to_owned()
    };
    let none = Vec::new();
    let others = item["translations"].as_array().unwrap_or(&none).iter();
    let others = others.map(|other| {
        let address = other["urls"]["published"].as_str();
        let of_item = items.iter().find(|item| item["id"] == other["siteSpace"]).unwrap();
        assert_eq!(address, of_item["urls"]["published"].as_str());
        (
            other["language"].as_str().unwrap().to_owned(),
            title_of(&other["siteSpace"]),
        )
    });
    (item["space"]["language"].clone(), others.collect())
}

fn pair(language: &str, title: &str) -> (String, String) {
    (language.to_owned(), title.to_owned())
}

async fn translations_know_their_languages_and_each_other(database: TestDatabase) {
    let world = World::new(database).await;
    let source = world.new_space("Manual").await;
    let other = world.new_space("Other").await;
    let mut spaces = vec![json!({ "id": id(&source) }), json!({ "id": id(&other) })];
    for language in ["de", "fr"] {
        let made = create(&world, &world.admin, id(&source), language).expect(201).await;
        spaces.push(json!({ "id": made["result"]["space"] }));
    }
    let shown: Vec<&Value> = spaces.iter().collect();
    let site = world.new_site("Docs", &shown).await;
    let published = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let found = find(&world, published["urls"]["published"].as_str().unwrap()).await;
    for reader in [&world.admin.client, &visitor(&world, &found)] {
        let call = reader.call("getSiteStructure").here(&world);
        let structure = call.path("siteId", id(&site)).expect(200).await;
        assert_eq!(
            translations(&structure, "Manual"),
            (json!("en"), vec![pair("de", "German"), pair("fr", "French")])
        );
        assert_eq!(
            translations(&structure, "French"),
            (json!("fr"), vec![pair("en", "Manual"), pair("de", "German")])
        );
        assert_eq!(translations(&structure, "Other"), (Value::Null, Vec::new()));
    }
    // Without the translation between them, they are two spaces with languages.
    let list = world
        .admin
        .client
        .call("listTranslations")
        .here(&world)
        .expect(200)
        .await;
    for translation in list["items"].as_array().unwrap() {
        let end = world.admin.client.call("deleteTranslation").here(&world);
        end.path("translationId", id(translation)).expect(204).await;
    }
    let structure = world.on_site(&world.admin, "getSiteStructure", &site).expect(200).await;
    assert_eq!(translations(&structure, "German"), (json!("de"), Vec::new()));
}

async fn hidden_pages_are_no_translations(database: TestDatabase) {
    let world = World::new(database).await;
    let source = world.new_space("Manual").await;
    let made = create(&world, &world.admin, id(&source), "de").expect(201).await;
    let result = json!({ "id": made["result"]["space"] });
    let site = world.new_site("Docs", &[&source, &result]).await;
    let call = world.on_site(&world.admin, "listSiteSpaces", &site);
    let items = call.expect(200).await["items"].clone();
    let hidden = items.as_array().unwrap().iter().find(|item| item["title"] == "German");
    let call = world.on_site(&world.admin, "updateSiteSpaceById", &site);
    let call = call.path("siteSpaceId", id(hidden.unwrap()));
    call.json(json!({ "condition": "visitor.claims.unsigned.staff" }))
        .expect(200)
        .await;
    let call = world.on_site(&world.admin, "updateSiteById", &site);
    call.json(json!({ "adaptiveContent": { "enabled": true } }))
        .expect(200)
        .await;
    let published = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let found = find(&world, published["urls"]["published"].as_str().unwrap()).await;
    let reader = visitor(&world, &found);
    let call = reader.call("getSiteStructure").here(&world);
    let structure = call.path("siteId", id(&site)).expect(200).await;
    assert_eq!(translations(&structure, "Manual"), (Value::Null, Vec::new()));
    let structure = world.on_site(&world.admin, "getSiteStructure", &site).expect(200).await;
    assert_eq!(
        translations(&structure, "Manual"),
        (json!("en"), vec![pair("de", "German")])
    );
}
