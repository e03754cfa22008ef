//! Full-text search of sites.

use serde_json::{Value, json};

use crate::support::{
    client::ignored,
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::{find, id, visitor},
    world::{Person, World},
};

on_each_database![
    scopes_select_site_spaces,
    results_have_the_titles_of_the_site,
    results_are_for_the_caller,
    bad_scopes_are_named,
    the_best_space_comes_first,
    searches_are_announced_by_those_who_may_search,
];

/// A published site with two sections, of which the first has two site spaces; each has a page with the same word.
async fn site(world: &World) -> (Value, Vec<Value>) {
    let mut spaces = Vec::new();
    for title in ["Gripper", "Gripper old", "Arm"] {
        let text = format!("Fingers of the {title}");
        spaces.push(world.new_space_with_page(title, "Fingers", &text).await);
    }
    let site = world.new_site("Manuals", &[]).await;
    let section = world.on_site(&world.admin, "addSectionToSite", &site);
    let section = section.json(json!({ "spaceId": spaces[0]["id"] })).expect(201).await;
    let add = world.on_site(&world.admin, "addSpaceToSite", &site);
    let add = add.json(json!({ "spaceId": spaces[1]["id"], "sectionId": section["id"] }));
    let old = add.expect(201).await;
    let other = world.on_site(&world.admin, "addSectionToSite", &site);
    let other = other.json(json!({ "spaceId": spaces[2]["id"] })).expect(201).await;
    let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let items = vec![section["siteSpaces"][0].clone(), old, other["siteSpaces"][0].clone()];
    (site, items)
}

async fn search(world: &World, person: &Person, site: &Value, body: Value) -> Vec<String> {
    let found = world
        .on_site(person, "searchSiteContent", site)
        .json(body)
        .expect(200)
        .await;
    let found = found["items"].as_array().unwrap().iter();
    let mut titles: Vec<String> = found.map(|space| space["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

/// A part of the default scope of a reader in a site space.
fn restricted(current: &str, part: &str) -> Value {
    json!({ "scope": { "mode": "default", "currentSiteSpace": current, "restrictTo": part } })
}

async fn scopes_select_site_spaces(database: TestDatabase) {
    let world = World::new(database).await;
    let (site, items) = site(&world).await;
    let (old, arm) = (id(&items[1]), id(&items[2]));
    let all = &["Arm", "Gripper", "Gripper old"][..];
    for (scope, expected) in [
        (json!({ "scope": { "mode": "all" } }), all),
        (json!({ "mode": "all" }), all),
        (json!({ "scope": { "mode": "default" } }), &["Arm", "Gripper"]),
        (
            json!({ "scope": { "mode": "default", "currentSiteSpace": old } }),
            &["Arm", "Gripper old"],
        ),
        (restricted(old, "currentSiteSpace"), &["Gripper old"]),
        (restricted(old, "otherSiteSpaces"), &["Arm"]),
        (restricted(arm, "otherSiteSpaces"), &["Gripper"]),
        (
            json!({ "scope": { "mode": "specific", "siteSpaceIds": [old, arm] } }),
            &["Arm", "Gripper old"],
        ),
        (json!({ "siteSpaceIds": [arm] }), &["Arm"]),
        (json!({ "mode": "specific", "siteSpaceIds": [arm, arm] }), &["Arm"]),
        (json!({ "mode": "current", "siteSpaceId": old }), &["Gripper old"]),
    ] {
        let mut body = scope.clone();
        body["query"] = json!("fingers");
        assert_eq!(search(&world, &world.read, &site, body).await, expected, "{scope}");
    }
    let nothing = json!({ "query": "", "scope": { "mode": "all" } });
    assert!(search(&world, &world.read, &site, nothing).await.is_empty());
}

async fn results_have_the_titles_of_the_site(database: TestDatabase) {
    let world = World::new(database).await;
    let (site, items) = site(&world).await;
    let rename = world.on_site(&world.admin, "overrideSiteSpaceCustomizationById", &site);
    let rename = rename.path("siteSpaceId", id(&items[1]));
    rename.json(json!({ "title": "Version 1" })).expect(200).await;
    let variants = json!({ "query": "fingers", "siteSpaceIds": [id(&items[0]), id(&items[1])] });
    let found = search(&world, &world.read, &site, variants).await;
    assert_eq!(found, ["Gripper", "Version 1"]);
}

async fn results_are_for_the_caller(database: TestDatabase) {
    let world = World::new(database).await;
    let (site, items) = site(&world).await;
    let hide = world.admin.client.call("updateSpaceById");
    let hide = hide.path("spaceId", items[2]["space"]["id"].as_str().unwrap());
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    let body = json!({ "query": "fingers", "scope": { "mode": "all" } });
    assert_eq!(search(&world, &world.admin, &site, body.clone()).await.len(), 3);
    assert_eq!(search(&world, &world.read, &site, body.clone()).await.len(), 2);
    // The site is public, whoever of the members may read the space.
    let visitor = visitor(&world, &find(&world, site["urls"]["published"].as_str().unwrap()).await);
    let call = visitor.call("searchSiteContent").here(&world).path("siteId", id(&site));
    let found = call.json(body.clone()).expect(200).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 3, "{found}");
    assert_eq!(found["items"][0]["pages"][0]["path"], "fingers");
    for (rank, space) in found["items"].as_array().unwrap().iter().enumerate() {
        let page = &space["pages"][0];
        assert_eq!((&space["type"], &page["rank"]), (&json!("space"), &json!(rank)));
        assert_eq!(
            (&space["score"], &page["sections"][0]["score"]),
            (&page["score"], &page["score"])
        );
    }

    let call = || visitor.call("searchSiteContent").here(&world).path("siteId", id(&site));
    let first = call().query("limit", 2).json(body.clone()).expect(200).await;
    let next = call()
        .query("limit", 2)
        .query("page", first["next"]["page"].as_str().unwrap());
    let second = next.json(body.clone()).expect(200).await;
    assert_eq!(second["items"].as_array().unwrap().len(), 1, "{second}");
    // The page of another search is none of this one.
    let mut other = body.clone();
    other["query"] = json!("gripper");
    let refused = call()
        .query("page", first["next"]["page"].as_str().unwrap())
        .json(other)
        .send()
        .await;
    refused.has_detail("/query/page", "page");
    world.on_site(&world.admin, "unpublishSite", &site).expect(200).await;
    call().json(body).expect(404).await;
}

async fn bad_scopes_are_named(database: TestDatabase) {
    let world = World::new(database).await;
    let (site, items) = site(&world).await;
    let (own, foreign) = (id(&items[0]), id(&site));
    for (scope, pointer, rule) in [
        (json!({}), "/body", "exclusive"),
        (
            json!({ "scope": { "mode": "all" }, "siteSpaceIds": [own] }),
            "/body",
            "exclusive",
        ),
        (json!({ "mode": "specific" }), "/body/siteSpaceIds", "required"),
        (json!({ "mode": "current" }), "/body/siteSpaceId", "required"),
        (json!({ "siteSpaceIds": [foreign] }), "/body/siteSpaceIds", "site-item"),
        (
            json!({ "mode": "current", "siteSpaceId": foreign }),
            "/body/siteSpaceId",
            "site-item",
        ),
        (
            json!({ "scope": { "mode": "specific", "siteSpaceIds": [own, foreign] } }),
            "/body/scope/siteSpaceIds",
            "site-item",
        ),
        (
            json!({ "scope": { "mode": "default", "currentSiteSpace": foreign } }),
            "/body/scope/currentSiteSpace",
            "site-item",
        ),
        (
            json!({ "scope": { "mode": "default", "restrictTo": "otherSiteSpaces" } }),
            "/body/scope/currentSiteSpace",
            "required",
        ),
    ] {
        let mut body = scope;
        body["query"] = json!("fingers");
        let refused = world
            .on_site(&world.read, "searchSiteContent", &site)
            .json(body.clone())
            .send()
            .await;
        refused.expect(400);
        refused.has_detail(pointer, rule);
    }
    let body = json!({ "query": "fingers", "scope": { "mode": "default", "restrictTo": "nearbySiteSpaces" } });
    let call = world.on_site(&world.read, "searchSiteContent", &site).json(body);
    let found = call.send().await;
    found.expect(200);
    assert_eq!(ignored(&found), ["scope.restrictTo"]);
    let body = json!({ "query": "fingers", "scope": { "mode": "default", "restrictTo": 1 } });
    let call = world.on_site(&world.read, "searchSiteContent", &site).json(body);
    call.send().await.has_detail("/body/scope/restrictTo", "type");
    // Members of another form are ignored like others.
    for (scope, name) in [
        (json!({ "mode": "all", "siteSpaceIds": [own] }), "siteSpaceIds"),
        (json!({ "scope": { "mode": "default" }, "mode": "all" }), "scope"),
    ] {
        let mut body = scope;
        body["query"] = json!("fingers");
        let call = world.on_site(&world.read, "searchSiteContent", &site).json(body);
        let found = call.send().await;
        assert_eq!(found.expect(200)["items"].as_array().unwrap().len(), 3);
        assert_eq!(ignored(&found), [name]);
    }
}

async fn the_best_space_comes_first(database: TestDatabase) {
    let world = World::new(database).await;
    let mut spaces = Vec::new();
    for (space, title, text) in [
        ("A mention", "Notes", "Cables, and once the fingers."),
        ("Partly", "Changing the fingers", "By hand."),
        ("Headline", "Fingers", "By hand."),
    ] {
        spaces.push(world.new_space_with_page(space, title, text).await);
    }
    let all: Vec<&Value> = spaces.iter().collect();
    let site = world.new_site("Manuals", &all).await;
    let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let body = json!({ "query": "fingers", "scope": { "mode": "all" } });
    let titles = |found: &Value| texts(found, "/title");
    let expected = ["Headline", "Partly", "A mention"];
    let by_member = world
        .on_site(&world.read, "searchSiteContent", &site)
        .json(body.clone());
    assert_eq!(titles(&by_member.expect(200).await), expected);
    let visitor = visitor(&world, &find(&world, site["urls"]["published"].as_str().unwrap()).await);
    let call = || {
        visitor
            .call("searchSiteContent")
            .here(&world)
            .path("siteId", id(&site))
            .json(body.clone())
    };
    assert_eq!(titles(&call().expect(200).await), expected);
    // Pages of results go on in this order.
    let mut paged = Vec::new();
    let mut next = None;
    loop {
        let call = call().query("limit", 1);
        let call = match &next {
            Some(page) => call.query("page", page),
            None => call,
        };
        let found = call.expect(200).await;
        paged.extend(titles(&found));
        match found["next"]["page"].as_str() {
            Some(page) => next = Some(page.to_owned()),
            None => break,
        }
    }
    assert_eq!(paged, expected);
}

async fn searches_are_announced_by_those_who_may_search(database: TestDatabase) {
    let world = World::new(database).await;
    let (site, _) = site(&world).await;
    let visitor = visitor(&world, &find(&world, site["urls"]["published"].as_str().unwrap()).await);
    for (caller, status) in [
        (&visitor, 204),
        (&world.read.client, 204),
        (&world.guest.client, 403),
        (&world.stranger.client, 404),
    ] {
        let call = caller.call("prewarmSiteSearch").here(&world);
        call.path("siteId", id(&site)).expect(status).await;
    }
}
