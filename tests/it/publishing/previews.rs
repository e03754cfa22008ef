//! Previews of sites.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, read, resolve, visitor},
    world::{Person, World},
};

on_each_database![
    previews_show_unpublished_sites_for_an_hour,
    the_token_of_a_preview_is_taken_as_that_of_the_caller,
    previews_show_change_requests_and_revisions,
    previews_show_what_their_maker_may_read,
    claims_of_previews_are_rison,
];

async fn preview(world: &World, person: &Person, published: &Published, claims: &str) -> String {
    let call = world.on_site(person, "getSitePublishingPreviewById", &published.site);
    let answer = call.query("claims", claims).expect(200).await;
    answer["url"].as_str().unwrap().to_owned()
}

async fn open(world: &World, address: &str) -> (Client, Value) {
    let found = resolve(world, address, json!({})).expect(200).await;
    (visitor(world, &found), found)
}

async fn unpublished(world: &World) -> Published {
    let published = Published::new(world, &["One", "Two"]).await;
    let end = world.on_site(&world.admin, "unpublishSite", &published.site);
    end.expect(200).await;
    published
}

async fn previews_show_unpublished_sites_for_an_hour(database: TestDatabase) {
    let world = World::new(database).await;
    let published = unpublished(&world).await;
    resolve(&world, &published.address, json!({})).expect(404).await;
    let address = preview(&world, &world.read, &published, "()").await;
    let (base, _) = address.split_once("?token=").unwrap();
    assert_eq!(published.site["urls"]["preview"], base);
    // The address alone opens nothing.
    resolve(&world, base, json!({})).expect(404).await;
    let (client, found) = open(&world, &address).await;
    read(&client, &found).expect(200).await;
    let structure = client.call("getSiteStructure").here(&world);
    structure.path("siteId", id(&published.site)).expect(200).await;
    let items = world
        .on_site(&world.read, "listSiteSpaces", &published.site)
        .expect(200)
        .await;
    let call = world.on_site(&world.read, "getSitePublishingPreviewById", &published.site);
    let second = call.query("siteSpace", id(&items["items"][1])).expect(200).await;
    let (_, found) = open(&world, second["url"].as_str().unwrap()).await;
    assert_eq!(found["space"], published.spaces[1]["id"]);
    // What other answers name: the site, a space and a page.
    let second = &published.spaces[1];
    let page = world.admin.client.call("getPageByPath").path("spaceId", id(second));
    let page = page.path("pagePath", "start").expect(200).await;
    for (target, path) in [
        (&published.site["urls"]["app"], ""),
        (&published.site["urls"]["location"], ""),
        (&second["urls"]["location"], "two/"),
        (&second["urls"]["app"], "two/"),
        (&page["urls"]["app"], "two/start"),
        (&json!(format!("{}two/start?q=1", published.address)), "two/start"),
    ] {
        let call = world.on_site(&world.read, "getSitePublishingPreviewById", &published.site);
        let found = call.query("target", target.as_str().unwrap()).expect(200).await;
        let found = found["url"].as_str().unwrap();
        assert!(found.starts_with(&format!("{base}{path}?token=")), "{target}: {found}");
    }
    let elsewhere = world.new_space("Elsewhere").await;
    for target in [elsewhere["urls"]["app"].as_str().unwrap(), "https://tidewater.example/"] {
        let call = world.on_site(&world.read, "getSitePublishingPreviewById", &published.site);
        let refused = call.query("target", target).send().await;
        refused.expect(400);
        refused.has_detail("/query/target", "site-item");
    }
    let call = world.on_site(&world.read, "getSitePublishingPreviewById", &published.site);
    let refused = call.query("siteSpace", id(&published.site)).send().await;
    refused.expect(400);
    refused.has_detail("/query/siteSpace", "site-item");

    let token = address.split_once("?token=").unwrap().1;
    for broken in [
        address.replace("?token=", "?token=x"),
        address.replace("?token=", "?other="),
        format!("{address}x"),
        // Only in the address of a preview.
        format!("{}?token={token}", published.address),
    ] {
        resolve(&world, &broken, json!({})).expect(404).await;
    }
    // A preview of one site is none of another, and the token of a visitor is no preview.
    let other = world.new_site("Other", &[]).await;
    let elsewhere = address.replace(id(&published.site), id(&other));
    resolve(&world, &elsewhere, json!({})).expect(404).await;
    let of_visitor = found["apiToken"].as_str().unwrap().trim_start_matches("bnv_");
    let forged = address.replace(token, of_visitor);
    resolve(&world, &forged, json!({})).expect(404).await;

    // What is read with a preview ends with the preview.
    world.clock().advance(TimeDelta::minutes(50));
    let (client, found) = open(&world, &address).await;
    world.clock().advance(TimeDelta::minutes(11));
    read(&client, &found).expect(401).await;
    resolve(&world, &address, json!({})).expect(404).await;
}

/// As a renderer does that keeps the token in a cookie, and removes the query and what names a change request from addresses.
async fn the_token_of_a_preview_is_taken_as_that_of_the_caller(database: TestDatabase) {
    let world = World::new(database).await;
    let published = unpublished(&world).await;
    let space = id(&published.spaces[0]);
    let request = world.admin.client.call("createChangeRequest").path("spaceId", space);
    let request = request.json(json!({ "subject": "New page" })).expect(201).await;
    let address = preview(&world, &world.read, &published, "()").await;
    let (address, token) = address.split_once("?token=").unwrap();
    assert!(
        address.ends_with(&format!("/preview/{}/", id(&published.site))),
        "{address}"
    );
    let renderer = world.nobody().with_token(token).named("preview");
    let at = |url: &str| {
        let call = renderer.call("resolvePublishedContentByUrl");
        call.json(json!({ "url": url, "visitor": {} }))
    };
    let path = address.split_once("://").unwrap().1;
    let path = &path[path.find('/').unwrap()..];
    let found = at(&format!("{address}two/start")).expect(200).await;
    assert_eq!(
        (&found["preview"], &found["space"]),
        (&json!(true), &published.spaces[1]["id"])
    );
    assert_eq!(
        (&found["siteBasePath"], &found["basePath"]),
        (&json!(path), &json!(format!("{path}two/")))
    );
    assert_eq!(found["canonicalUrl"], format!("{address}two/start"));
    // Anywhere, as long as the path says so.
    let found = at(&format!(
        "https://previews.tidewater.example/preview/{}",
        id(&published.site)
    ));
    let found = found.expect(200).await;
    assert_eq!(found["siteBasePath"], format!("/preview/{}/", id(&published.site)));
    assert_eq!(found["space"], published.spaces[0]["id"]);

    // The revision is that of the space or of the change request, whichever the renderer shows.
    assert_eq!(found.get("revision"), None);
    let client = visitor(&world, &found);
    let own = client.call("getSpaceById").path("spaceId", space).expect(200).await;
    let proposed = read_request(&client, space, "1").expect(200).await;
    assert_eq!(proposed["id"], request["id"]);
    for revision in [&own["revision"], &proposed["revision"]] {
        let call = client.call("getRevisionById").path("spaceId", space);
        call.path("revisionId", revision.as_str().unwrap()).expect(200).await;
    }

    for elsewhere in [
        "https://previews.tidewater.example/".to_owned(),
        "https://previews.tidewater.example/preview".to_owned(),
        "https://previews.tidewater.example/preview/x/".to_owned(),
        published.address.clone(),
    ] {
        at(&elsewhere).expect(404).await;
    }
    // The token is one of a lookup, and of nothing else.
    renderer.call("getAuthenticatedUser").expect(401).await;
    let call = renderer.call("getPublishedContentByUrl").query("url", address);
    assert_eq!(call.expect(200).await["preview"], true);
    // It ends with the preview.
    world.clock().advance(TimeDelta::minutes(61));
    at(address).expect(401).await;
    // An address without a preview says nothing of one.
    world
        .on_site(&world.admin, "publishSite", &published.site)
        .expect(200)
        .await;
    assert_eq!(find(&world, &published.address).await.get("preview"), None);
}

async fn previews_show_change_requests_and_revisions(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let space = id(&published.spaces[0]);
    let request = world.admin.client.call("createChangeRequest").path("spaceId", space);
    let request = request.json(json!({ "subject": "New page" })).expect(201).await;
    let write = world
        .admin
        .client
        .call("updateChangeRequestContent")
        .path("spaceId", space);
    let write = write.path("changeRequestId", id(&request));
    let page = json!({ "operation": "insert_page", "title": "Draft", "document": { "markdown": "Not yet." } });
    write.json(json!({ "changes": [page] })).expect(200).await;
    let address = preview(&world, &world.read, &published, "()").await;
    let at = |path: &str| address.replace("?token", &format!("{path}?token"));
    let number = request["number"].to_string();
    for named in [id(&request), &number] {
        let (client, found) = open(&world, &at(&format!("~/changes/{named}/draft"))).await;
        assert_eq!(
            (&found["changeRequest"], &found["pathname"]),
            (&request["id"], &json!("/draft"))
        );
        let page = client.call("getPageInRevisionByPath").path("spaceId", space);
        let page = page.path("revisionId", found["revision"].as_str().unwrap());
        page.path("pagePath", "draft").expect(200).await;
        let read = read_request(&client, space, named).expect(200).await;
        assert_eq!((&read["id"], &read["revision"]), (&request["id"], &found["revision"]));
        assert_eq!(read["createdBy"].get("email"), None);
    }
    let public = visitor(&world, &find(&world, &published.address).await);
    read_request(&public, space, &number).expect(404).await;
    let history = world.admin.client.call("listRevisions").path("spaceId", space);
    let history = history.expect(200).await;
    let first = history["items"].as_array().unwrap().last().unwrap();
    let (client, found) = open(&world, &at(&format!("~/revisions/{}/", id(first)))).await;
    assert_eq!(found["revision"], first["id"]);
    let pages = client.call("listPagesInRevisionById").path("spaceId", space);
    let pages = pages.path("revisionId", id(first)).expect(200).await;
    assert_eq!(
        pages["pages"].as_array().unwrap().len(),
        1,
        "the page of a new space: {pages}"
    );

    for absent in ["~/changes/9/", "~/revisions/x/", "~/x", "~"] {
        resolve(&world, &at(absent), json!({})).expect(404).await;
    }
    // Drafts are in no address without a preview.
    let plain = format!("{}~/changes/{number}/draft", published.address);
    let found = resolve(&world, &plain, json!({})).expect(200).await;
    assert_eq!(
        (&found["changeRequest"], &found["pathname"]),
        (&json!(null), &json!(format!("/~/changes/{number}/draft")))
    );
    assert_eq!(found["revision"], history["items"][0]["id"]);
}

fn read_request<'a>(client: &'a Client, space: &str, named: &str) -> Call<'a> {
    let call = client.call("getChangeRequestById").path("spaceId", space);
    call.path("changeRequestId", named)
}

async fn previews_show_what_their_maker_may_read(database: TestDatabase) {
    let world = World::new(database).await;
    let published = unpublished(&world).await;
    let hide = world.admin.client.call("updateSpaceById");
    let hide = hide.path("spaceId", id(&published.spaces[1]));
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    let address = preview(&world, &world.read, &published, "()").await;
    let (client, found) = open(&world, &address).await;
    let space = |index: usize| {
        client
            .call("getSpaceById")
            .path("spaceId", id(&published.spaces[index]))
    };
    space(0).expect(200).await;
    space(1).expect(404).await;
    let structure = client.call("getSiteStructure").here(&world);
    let structure = structure.path("siteId", id(&published.site)).expect(200).await;
    assert_eq!(structure["structure"].as_array().unwrap().len(), 1, "{structure}");

    // Neither are there names of what the space has.
    let hidden = id(&published.spaces[1]);
    let request = world.admin.client.call("createChangeRequest").path("spaceId", hidden);
    let request = request.json(json!({ "subject": "Secret" })).expect(201).await;
    let revision = published.spaces[1]["revision"].as_str().unwrap();
    let second = address.replace("?token", "two/~/?token");
    for path in [
        format!("changes/{}/", request["number"]),
        format!("changes/{}/", id(&request)),
        format!("revisions/{revision}/"),
        String::new(),
    ] {
        let at = second.replace("~/", &if path.is_empty() { path } else { format!("~/{path}") });
        resolve(&world, &at, json!({})).expect(404).await;
    }

    // The preview ends when its maker is removed.
    let remove = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
    remove.path("userId", world.read.id).expect(204).await;
    read(&client, &found).expect(404).await;
    resolve(&world, &address, json!({})).expect(404).await;
}

async fn claims_of_previews_are_rison(database: TestDatabase) {
    let world = World::new(database).await;
    let published = unpublished(&world).await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let address = preview(&world, &world.read, &published, "(name:Ines,unsigned:(beta:!t))").await;
    let (client, found) = open(&world, &address).await;
    let text = read(&client, &found).expect(200).await["markdown"].to_string();
    assert!(text.contains("for Ines."), "{text}");
    for (claims, rule) in [
        ("name:Ines", "rison"),
        ("!(a)", "rison"),
        ("(", "rison"),
        ("", "rison"),
        (&format!("(a:{}{})", "!(".repeat(500), ")".repeat(500)), "rison"),
        (&format!("(a:{})", "x".repeat(2000)), "too-long"),
    ] {
        let call = world.on_site(&world.read, "getSitePublishingPreviewById", &published.site);
        let refused = call.query("claims", claims).send().await;
        refused.expect(400);
        refused.has_detail("/query/claims", rule);
    }
}
