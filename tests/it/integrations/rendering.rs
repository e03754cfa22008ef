//! Components that integrations render.

use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    published::{find, id, visitor},
    scripts::{Scripted, compress, in_page, request},
    world::World,
};

on_each_database![
    blocks_are_rendered_for_readers,
    blocks_are_kept_as_long_as_scripts_say,
    requests_come_compressed,
    visitors_see_blocks_of_their_site,
    configurations_are_for_admins,
    nobody_else_sees_components,
    answers_in_another_form_are_refused,
    links_become_blocks,
];

/// A text of one letter, compressed.
const NOT_A_REQUEST: &str = "IZA";

fn post<'a>(gauge: &Scripted, client: &'a Client, component: &str, context: Value) -> Call<'a> {
    gauge.render(client.call("renderIntegrationUIWithPost"), component, context)
}

fn compressed<'a>(gauge: &Scripted, client: &'a Client, component: &str, context: Value) -> Call<'a> {
    let call = client
        .call("renderIntegrationUIWithGet")
        .path("integrationName", &gauge.name);
    call.query("request", compress(&request(component, context).to_string()))
}

/// What the script was told. The child before, which is no element, is left out.
fn seen(output: &Value) -> Value {
    let text = &output["element"]["children"][0]["children"][0];
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

async fn blocks_are_rendered_for_readers(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    for (person, editable) in [(&world.read, false), (&world.edit, true)] {
        let output = post(&gauge, &person.client, "level", in_page(world.space))
            .expect(200)
            .await;
        assert_eq!(output["type"], "element");
        assert_eq!(output["state"], json!({ "seen": true }));
        let seen = seen(&output);
        assert_eq!(seen["props"], json!({ "harbor": "north" }));
        assert_eq!(seen["context"]["editable"], editable);
        assert_eq!(seen["auth"], json!({ "userId": person.id.to_string() }));
        assert_eq!(seen["spaceId"], world.space.to_string());
    }
}

async fn blocks_are_kept_as_long_as_scripts_say(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    for (component, caching) in [("kept", "private, max-age=300"), ("level", "private, no-cache")] {
        let answer = post(&gauge, &world.read.client, component, in_page(world.space))
            .send()
            .await;
        answer.expect(200);
        assert_eq!(answer.headers["cache-control"], caching, "{component}");
    }
}

async fn requests_come_compressed(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let get = |text: &str| {
        let call = world
            .read
            .client
            .call("renderIntegrationUIWithGet")
            .path("integrationName", &gauge.name);
        call.query("request", text)
    };
    let output = compressed(&gauge, &world.read.client, "level", in_page(world.space));
    let output = output.expect(200).await;
    assert_eq!(seen(&output)["props"], json!({ "harbor": "north" }));
    let lacking = json!({ "componentId": "level", "props": {} }).to_string();
    for text in [NOT_A_REQUEST, "!", &compress(&lacking)] {
        get(text).send().await.has_detail("/query/request", "lz-string");
    }
}

async fn visitors_see_blocks_of_their_site(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let found = find(&world, &format!("{}start", gauge.published.address)).await;
    let visitor = visitor(&world, &found);
    let space = id(&gauge.published.spaces[0]);
    let output = post(&gauge, &visitor, "level", in_page(space)).expect(200).await;
    let seen = seen(&output);
    assert_eq!(seen["auth"], Value::Null);
    assert_eq!(seen["context"]["editable"], false);
    post(&gauge, &visitor, "level", in_page(world.space)).expect(404).await;
    let configuration = json!({ "type": "configuration_space", "theme": "dark", "spaceId": space });
    post(&gauge, &visitor, "level", configuration).expect(403).await;
}

async fn configurations_are_for_admins(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let (organization, site) = (world.organization.to_string(), id(&gauge.published.site));
    for context in [
        json!({ "type": "configuration_account", "theme": "dark", "organizationId": organization }),
        json!({ "type": "configuration_space", "theme": "dark", "spaceId": world.space.to_string() }),
        json!({ "type": "configuration_site", "theme": "dark", "siteId": site }),
        json!({ "type": "configuration_contentsource", "theme": "dark", "organizationId": organization }),
    ] {
        post(&gauge, &world.admin.client, "settings", context.clone())
            .expect(200)
            .await;
        post(&gauge, &world.edit.client, "settings", context.clone())
            .expect(403)
            .await;
        compressed(&gauge, &world.edit.client, "settings", context.clone())
            .expect(403)
            .await;
        post(&gauge, &world.stranger.client, "settings", context)
            .expect(404)
            .await;
    }
}

async fn nobody_else_sees_components(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    post(&gauge, &world.stranger.client, "level", in_page(world.space))
        .expect(404)
        .await;
    post(&gauge, &world.nobody(), "level", in_page(world.space))
        .expect(401)
        .await;
    // Installed on other spaces only.
    let space = world.new_space("Apart").await;
    post(&gauge, &world.admin.client, "level", in_page(id(&space)))
        .expect(404)
        .await;
}

async fn answers_in_another_form_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    post(&gauge, &world.read.client, "broken", in_page(world.space))
        .expect(502)
        .await;
    compressed(&gauge, &world.read.client, "broken", in_page(world.space))
        .expect(502)
        .await;
}

async fn links_become_blocks(database: TestDatabase) {
    let world = World::new(database).await;
    // The server does not fetch from these addresses.
    let block = json!({ "id": "level", "title": "Water level", "urlUnfurl": ["http://192.0.2.1/harbors/*"] });
    let gauge = Scripted::new(&world, "gauge", json!({ "blocks": [block] })).await;
    let embed = async |operation: &str, url: &str| {
        let call = world.read.client.call(operation).query("url", url);
        let call = match operation {
            "getEmbedByUrlInSpace" => call.path("spaceId", world.space),
            _ => call,
        };
        call.expect(200).await
    };
    let harbor = "http://192.0.2.1/harbors/north";
    let found = embed("getEmbedByUrlInSpace", harbor).await;
    assert_eq!(found["type"], "integration");
    assert_eq!(found["integration"], "gauge");
    assert_eq!(found["block"]["id"], "level");
    for (operation, url) in [
        ("getEmbedByUrlInSpace", "http://192.0.2.1/harbors/north/tides"),
        ("getEmbedByUrlInSpace", "http://192.0.2.1/"),
        ("getEmbedByUrl", harbor),
    ] {
        assert_eq!(embed(operation, url).await["type"], "link", "{operation} {url}");
    }
    let mut request = request("level", in_page(world.space));
    request["action"] = json!({ "action": "@link.unfurl", "url": harbor });
    let call = world.edit.client.call("renderIntegrationUIWithPost");
    let call = call.path("integrationName", &gauge.name).json(request);
    let output = call.expect(200).await;
    assert_eq!(
        seen(&output)["action"],
        json!({ "action": "@link.unfurl", "url": harbor })
    );
}
