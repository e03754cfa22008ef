//! Redirects of sites.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    client::Answer,
    database::{TestDatabase, on_each_database},
    paths::texts,
    published::{Published, id},
    redirects::{create, external, look_up, status, target},
    world::World,
};

on_each_database![
    redirects_are_made_listed_changed_and_deleted,
    sources_are_unique,
    equal_spellings_of_a_path_are_one_source,
    paths_lead_to_destinations,
    wildcards_match_by_their_length,
    chains_are_followed_and_loops_refused,
    destinations_have_to_be_visible_in_the_site,
];

/// Creates a redirect with an effect.
async fn redirect(world: &World, site: &Value, source: &str, destination: Value) -> Value {
    let body = json!({ "source": source, "destination": destination });
    create(world, site, body).expect(201).await
}

fn detail(answer: Answer) -> (String, String) {
    let error = answer.expect(400);
    let detail = &error["error"]["details"][0];
    let text = |member: &str| detail[member].as_str().unwrap().to_owned();
    (text("code"), text("pointer"))
}

fn pair(code: &str, pointer: &str) -> (String, String) {
    (code.to_owned(), pointer.to_owned())
}

async fn page_of(world: &World, space: &Value) -> String {
    let call = world.admin.client.call("getPageByPath").path("spaceId", id(space));
    id(&call.path("pagePath", "start").expect(200).await).to_owned()
}

async fn change_content(world: &World, space: &Value, change: Value) {
    let call = world.admin.client.call("updateSpaceContent").path("spaceId", id(space));
    call.json(json!({ "changes": [change] })).expect(200).await;
}

async fn redirects_are_made_listed_changed_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let old = redirect(&world, &site, "/Old+1/%41", external("https://tidewater.example/a")).await;
    let body = json!({ "source": "/b/*", "destination": external("https://tidewater.example/b"),
        "captureWildcard": true, "permanent": true });
    let second = create(&world, &site, body).expect(201).await;
    assert_eq!(
        (&old["draft"], &old["captureWildcard"], &old["permanent"]),
        (&json!(false), &json!(false), &json!(false))
    );
    assert_eq!(
        (&second["captureWildcard"], &second["permanent"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(second["destination"], external("https://tidewater.example/b"));
    let body = json!({ "source": "/c", "destination": external("https://tidewater.example/c"), "draft": true });
    let draft = create(&world, &site, body).expect(201).await;

    let list = async |filters: &[(&str, &str)]| {
        let call = world.on_site(&world.read, "listSiteRedirects", &site);
        let call = filters.iter().fold(call, |call, (name, value)| call.query(name, value));
        texts(&call.expect(200).await, "/source")
    };
    assert_eq!(list(&[]).await, ["/b/*", "/Old+1/A"]);
    assert_eq!(list(&[("draft", "true")]).await, ["/c"]);
    assert_eq!(list(&[("search", "OLD+1/%61")]).await, ["/Old+1/A"]);
    assert_eq!(list(&[("search", "_")]).await, [""; 0]);

    world.clock().advance(TimeDelta::seconds(5));
    let update = |redirect: &Value, body: Value| {
        let call = world.on_site(&world.create, "updateSiteRedirectById", &site);
        call.path("siteRedirectId", id(redirect)).json(body)
    };
    let change =
        json!({ "source": "/old", "destination": external("https://tidewater.example/new"), "permanent": true });
    let changed = update(&old, change).expect(200).await;
    assert_eq!(
        (&changed["source"], &changed["permanent"]),
        (&json!("/old"), &json!(true))
    );
    assert_eq!(changed["createdAt"], old["createdAt"]);
    assert_ne!(changed["updatedAt"], old["updatedAt"]);
    assert_eq!(list(&[("orderBy", "updatedAt")]).await, ["/old", "/b/*"]);
    assert_eq!(list(&[("orderBy", "source")]).await, ["/b/*", "/old"]);
    update(&draft, json!({ "draft": false })).expect(200).await;
    assert_eq!(target(&world, &site, "/c").await, "https://tidewater.example/c");
    let refused = update(&changed, json!({ "captureWildcard": true })).send().await;
    assert_eq!(detail(refused), pair("no-wildcard", "/body/captureWildcard"));
    let page = json!({ "kind": "site-section", "siteSectionId": id(&site) });
    let refused = update(&changed, json!({ "destination": page })).send().await;
    assert_eq!(detail(refused), pair("site-item", "/body/destination/siteSectionId"));

    for _ in 0..2 {
        let call = world.on_site(&world.create, "deleteSiteRedirectById", &site);
        call.path("siteRedirectId", id(&changed)).expect(204).await;
    }
    update(&changed, json!({})).expect(404).await;
    assert_eq!(status(&world, &site, "/old").await, 404);
    let delete = world.on_site(&world.review, "deleteSiteRedirectById", &site);
    delete.path("siteRedirectId", id(&second)).expect(403).await;
    // A redirect is that of its site alone.
    let other = world.new_site("Other", &[]).await;
    assert_eq!(status(&world, &other, "/c").await, 404);
    let call = world.on_site(&world.create, "updateSiteRedirectById", &other);
    call.path("siteRedirectId", id(&second))
        .json(json!({ "permanent": false }))
        .expect(404)
        .await;
}

async fn equal_spellings_of_a_path_are_one_source(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let (site, address) = (&published.site, &published.address);
    let url = |name: &str| format!("https://tidewater.example/{name}");
    for (source, stored, lookups) in [
        ("/caf%c3%a9", "/caf%C3%A9", ["/caf%C3%A9", "/c%61f%c3%A9"]),
        ("/old", "/old", ["/ol%64", "/%6fld"]),
        ("/a%2fb%7E%2e", "/a%2Fb~.", ["/a%2Fb%7e.", "/%61%2fb~%2E"]),
    ] {
        let redirect = redirect(&world, site, source, external(&url(source))).await;
        assert_eq!(redirect["source"], stored);
        for lookup in [source, stored].into_iter().chain(lookups) {
            assert_eq!(target(&world, site, lookup).await, url(source), "{lookup}");
            let again = json!({ "source": lookup, "destination": external(&url("other")) });
            let taken = create(&world, site, again).expect(409).await;
            assert_eq!(taken["error"]["type"], "source-taken");
        }
    }
    // An encoded reserved character is another path than the character.
    assert_eq!(status(&world, site, "/a/b~.").await, 404);

    let body = json!({ "source": "/%67uide/%c3%bc*", "destination": external(&url("guide")), "captureWildcard": true });
    create(&world, site, body).expect(201).await;
    assert_eq!(target(&world, site, "/guide/%C3%BC/%78").await, url("guide/x"));
    assert_eq!(status(&world, site, "/guide/%C3%BC/%2E%2e/x").await, 404);

    // Destinations in the site lead on in the same form.
    redirect(&world, site, "/first", external(&format!("{address}ol%64"))).await;
    assert_eq!(target(&world, site, "/first").await, url("/old"));
    redirect(&world, site, "/second", external(&format!("{address}c%61f%C3%A9"))).await;
    assert_eq!(target(&world, site, "/second").await, url("/caf%c3%a9"));
    let endless = json!({ "source": "/lo%6fp", "destination": external(&format!("{address}loop")) });
    let refused = create(&world, site, endless).send().await;
    assert_eq!(detail(refused), pair("redirect-loop", "/body/destination"));

    let entries = json!({ "redirects": [
        { "source": "/o%6Cd", "destination": external(&url("changed")) },
        { "source": "/caf%C3%a9", "destination": null },
    ] });
    let call = world.on_site(&world.create, "bulkUpsertSiteRedirects", site);
    let results = call.json(entries).expect(200).await;
    let statuses = results["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["status"]);
    assert_eq!(statuses.collect::<Vec<_>>(), ["updated", "deleted"]);
    assert_eq!(target(&world, site, "/old").await, url("changed"));
    assert_eq!(status(&world, site, "/caf%C3%A9").await, 404);
}

async fn sources_are_unique(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let body = |source: &str, draft: bool| json!({ "source": source, "draft": draft, "destination": external("https://tidewater.example/") });
    let live = create(&world, &site, body("/a", false)).expect(201).await;
    let draft = create(&world, &site, body("/a", true)).expect(201).await;
    let other = create(&world, &site, body("/A", false)).expect(201).await;
    for draft in [false, true] {
        let taken = create(&world, &site, body("/a", draft)).expect(409).await;
        assert_eq!(taken["error"]["type"], "source-taken");
    }
    let update = |redirect: &Value, body: Value| {
        let call = world.on_site(&world.create, "updateSiteRedirectById", &site);
        call.path("siteRedirectId", id(redirect)).json(body)
    };
    for (redirect, change) in [(&draft, json!({ "draft": false })), (&other, json!({ "source": "/a" }))] {
        let taken = update(redirect, change).expect(409).await;
        assert_eq!(taken["error"]["type"], "source-taken");
    }
    let delete = world.on_site(&world.create, "deleteSiteRedirectById", &site);
    delete.path("siteRedirectId", id(&live)).expect(204).await;
    update(&draft, json!({ "draft": false })).expect(200).await;
    // Paths that no address of the site has, or that would catch the whole site.
    for source in [
        "/", "/*", "a", "//a", "/a/", "/a*b", "/*/a", "/a/**", "/a?b", "/a#b", "/ü", "/a%4", "/a/*/",
    ] {
        let refused = create(&world, &site, body(source, false)).send().await;
        assert_eq!(detail(refused), pair("pattern", "/body/source"), "{source}");
    }
    for url in [
        "javascript:alert(1)",
        "https://tidewater.example@evil.example/",
        "https://a:b@evil.example",
        "https:///a@evil.example/",
        "https:\\a@evil.example/",
        "https://a\\@evil.example/",
    ] {
        let body = json!({ "source": "/s", "destination": external(url) });
        create(&world, &site, body).expect(400).await;
    }
    for url in [
        "https://tidewater.example/@ines",
        "https://tidewater.example?to=a@b",
        "http://tidewater.example#@",
    ] {
        let body = json!({ "source": "/s", "destination": external(url) });
        let made = create(&world, &site, body).expect(201).await;
        let delete = world.on_site(&world.create, "deleteSiteRedirectById", &site);
        delete.path("siteRedirectId", id(&made)).expect(204).await;
    }
}

async fn paths_lead_to_destinations(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, address) = (&published.site, &published.address);
    let third = world.new_space("Three").await;
    let mut sections = Vec::new();
    for (space, title) in [(&published.spaces[0], "Products"), (&third, "Care")] {
        let call = world.on_site(&world.admin, "addSectionToSite", site);
        sections.push(
            call.json(json!({ "spaceId": space["id"], "title": title }))
                .expect(201)
                .await,
        );
    }
    let items = world.on_site(&world.admin, "listSiteSpaces", site).expect(200).await;
    let items = items["items"].as_array().unwrap();
    let two = items.iter().find(|item| item["title"] == "Two").unwrap();
    let page = page_of(&world, &published.spaces[1]).await;
    let to_page = json!({ "kind": "site-page", "siteSpaceId": two["id"], "pageId": page });
    redirect(
        &world,
        site,
        "/to/section",
        json!({ "kind": "site-section", "siteSectionId": sections[1]["id"] }),
    )
    .await;
    redirect(
        &world,
        site,
        "/to/default",
        json!({ "kind": "site-section", "siteSectionId": sections[0]["id"] }),
    )
    .await;
    redirect(
        &world,
        site,
        "/to/two",
        json!({ "kind": "site-space", "siteSpaceId": two["id"] }),
    )
    .await;
    redirect(&world, site, "/to/page", to_page.clone()).await;
    redirect(&world, site, "/to/url", external("https://tidewater.example/?a=b#c")).await;
    // Sections may be named without their prefix, as before there was one.
    let section = sections[1]["id"].as_str().unwrap();
    let short = section.strip_prefix("section_").unwrap();
    let to_section = json!({ "kind": "site-section", "siteSectionId": short });
    let made = redirect(&world, site, "/to/short", to_section).await;
    assert_eq!(made["destination"]["siteSectionId"], section);
    let by_path = json!({ "kind": "path", "spaceId": published.spaces[1]["id"], "path": "/start" });
    let made = redirect(&world, site, "/to/path", by_path).await;
    assert_eq!(made["destination"], to_page);
    for (source, path) in [
        ("/to/section", "care/"),
        ("/to/short", "care/"),
        ("/to/default", ""),
        ("/to/two", "two/"),
        ("/to/page", "two/start"),
        ("/to/path", "two/start"),
    ] {
        assert_eq!(
            target(&world, site, source).await,
            format!("{address}{path}"),
            "{source}"
        );
    }
    assert_eq!(
        target(&world, site, "/to/url").await,
        "https://tidewater.example/?a=b#c"
    );
    assert_eq!(status(&world, site, "/to/nowhere").await, 404);
    // The page is found wherever it moves.
    let change = json!({ "operation": "update_page", "page": page, "slug": "begin" });
    change_content(&world, &published.spaces[1], change).await;
    assert_eq!(target(&world, site, "/to/path").await, format!("{address}two/begin"));
    // Destinations that do not exist any more.
    change_content(
        &world,
        &published.spaces[1],
        json!({ "operation": "delete_page", "page": page }),
    )
    .await;
    let delete = world.on_site(&world.admin, "deleteSiteSectionById", site);
    delete.path("siteSectionId", id(&sections[1])).expect(204).await;
    for source in ["/to/page", "/to/path", "/to/section"] {
        assert_eq!(status(&world, site, source).await, 404, "{source}");
    }
    let delete = world.on_site(&world.admin, "deleteSiteSpaceById", site);
    delete.path("siteSpaceId", id(two)).expect(204).await;
    assert_eq!(status(&world, site, "/to/two").await, 404);
}

async fn wildcards_match_by_their_length(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    for (source, url, capture) in [
        ("/docs*", "https://tidewater.example/all", false),
        ("/docs/*", "https://tidewater.example/below/?q=1", true),
        ("/docs/v1/*", "https://tidewater.example/v1", true),
        ("/docs/v1/exact", "https://tidewater.example/exact", false),
    ] {
        let body = json!({ "source": source, "destination": external(url), "captureWildcard": capture });
        create(&world, &site, body).expect(201).await;
    }
    let body =
        json!({ "source": "/docs/v1/x/*", "destination": external("https://tidewater.example/"), "draft": true });
    create(&world, &site, body).expect(201).await;
    for (source, url) in [
        ("/docs/v1/exact", "https://tidewater.example/exact"),
        ("/docs/v1/exact/2", "https://tidewater.example/v1/exact/2"),
        ("/docs/v1/x/y", "https://tidewater.example/v1/x/y"),
        ("/docs/v1", "https://tidewater.example/below/v1?q=1"),
        ("/docs/v2/a%20b", "https://tidewater.example/below/v2/a%20b?q=1"),
        ("/docs", "https://tidewater.example/all"),
        ("/docsify", "https://tidewater.example/all"),
        // What is appended does not lead out of the destination.
        ("/docs/v1/../../admin", "https://tidewater.example/all"),
        ("/docs/v1/%2E%2e/admin", "https://tidewater.example/all"),
        ("/docs/v1/..%2fadmin", "https://tidewater.example/all"),
        ("/docs/v1/x%2F..%2F..%2fadmin", "https://tidewater.example/all"),
        ("/docs/v1/.%2E%5cadmin", "https://tidewater.example/all"),
        ("/docs/v1/..a/..%2f.x%252f..", "https://tidewater.example/all"),
        ("/docs/v1/a%2Fb/..c", "https://tidewater.example/v1/a%2Fb/..c"),
    ] {
        assert_eq!(target(&world, &site, source).await, url, "{source}");
    }
    assert_eq!(status(&world, &site, "/doc").await, 404);
    let found = look_up(&world, &world.read, &site, "/docs/v1/x").expect(200).await;
    assert_eq!(found["redirect"]["source"], "/docs/v1/*");
    let body =
        json!({ "source": "/plain", "destination": external("https://tidewater.example/"), "captureWildcard": true });
    assert_eq!(
        detail(create(&world, &site, body).send().await),
        pair("no-wildcard", "/body/captureWildcard")
    );
}

async fn chains_are_followed_and_loops_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let (site, address) = (&published.site, &published.address);
    let own = |path: &str| external(&format!("{address}{path}"));
    let items = world.on_site(&world.admin, "listSiteSpaces", site).expect(200).await;
    let two = json!({ "kind": "site-space", "siteSpaceId": items["items"][1]["id"] });
    redirect(&world, site, "/a", own("b?from=a")).await;
    let b = redirect(&world, site, "/b", two.clone()).await;
    assert_eq!(target(&world, site, "/a").await, format!("{address}two/"));
    // The place of the site space is a source itself.
    let c = redirect(&world, site, "/two", external("https://tidewater.example/two")).await;
    let found = look_up(&world, &world.read, site, "/a").expect(200).await;
    assert_eq!(
        (&found["redirect"]["source"], &found["target"]),
        (&json!("/a"), &json!("https://tidewater.example/two"))
    );
    let update = |redirect: &Value, body: Value| {
        let call = world.on_site(&world.create, "updateSiteRedirectById", site);
        call.path("siteRedirectId", id(redirect)).json(body)
    };
    let refused = update(&c, json!({ "destination": own("a") })).send().await;
    assert_eq!(detail(refused), pair("redirect-loop", "/body/destination"));
    let endless = |source: &str, destination: Value, capture: bool| {
        let body = json!({ "source": source, "destination": destination, "captureWildcard": capture });
        create(&world, site, body)
    };
    for (source, destination, capture) in [
        ("/self", own("self/"), false),
        ("/w/*", own("w/in"), false),
        ("/w/*", own("w/in"), true),
        ("/t*", two.clone(), false),
    ] {
        // What already leads elsewhere comes before the wildcard.
        let expected = if source == "/t*" { 201 } else { 400 };
        let answer = endless(source, destination, capture).send().await;
        assert_eq!(answer.status, expected, "{source}: {}", answer.text);
    }
    // A draft leads nowhere, and so closes no loop until it is published.
    let body = json!({ "source": "/two/x", "destination": own("loop"), "draft": true });
    let draft = create(&world, site, body).expect(201).await;
    redirect(&world, site, "/loop", own("two/x")).await;
    let refused = update(&draft, json!({ "draft": false })).send().await;
    assert_eq!(detail(refused), pair("redirect-loop", "/body/destination"));

    // A loop that arises when a site space moves ends.
    let call = world.on_site(&world.admin, "deleteSiteRedirectById", site);
    call.path("siteRedirectId", id(&c)).expect(204).await;
    let call = world.on_site(&world.admin, "updateSiteSpaceById", site);
    let call = call.path("siteSpaceId", id(&items["items"][1]));
    call.json(json!({ "path": "b" })).expect(200).await;
    assert_eq!(
        (status(&world, site, "/b").await, status(&world, site, "/a").await),
        (404, 404)
    );
    let delete = world.on_site(&world.admin, "deleteSiteRedirectById", site);
    delete.path("siteRedirectId", id(&b)).expect(204).await;

    // Eight redirects are followed, and no more.
    for step in 1..8 {
        redirect(&world, site, &format!("/step{step}"), own(&format!("step{}", step + 1))).await;
    }
    redirect(&world, site, "/step8", external("https://tidewater.example/end")).await;
    assert_eq!(target(&world, site, "/step1").await, "https://tidewater.example/end");
    let refused = endless("/step0", own("step1"), false).send().await;
    assert_eq!(detail(refused), pair("redirect-loop", "/body/destination"));
}

async fn destinations_have_to_be_visible_in_the_site(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Secret"]).await;
    let site = &published.site;
    let other = world.new_site("Other", &[&published.spaces[0]]).await;
    let of_other = world.on_site(&world.admin, "listSiteSpaces", &other).expect(200).await;
    let of_other = &of_other["items"][0]["id"];
    let items = world.on_site(&world.admin, "listSiteSpaces", site).expect(200).await;
    let (one, secret) = (&items["items"][0]["id"], &items["items"][1]["id"]);
    let (page, secret_page) = (
        page_of(&world, &published.spaces[0]).await,
        page_of(&world, &published.spaces[1]).await,
    );
    let hide = world
        .admin
        .client
        .call("updateSpaceById")
        .path("spaceId", id(&published.spaces[1]));
    hide.json(json!({ "defaultLevel": null })).expect(200).await;
    let unrelated = world.new_space("Unrelated").await;
    let (one_space, secret_space) = (&published.spaces[0]["id"], &published.spaces[1]["id"]);
    let existing = redirect(
        &world,
        site,
        "/there",
        json!({ "kind": "site-page", "siteSpaceId": one, "pageId": page }),
    )
    .await;
    for (destination, code, member) in [
        (
            json!({ "kind": "site-section", "siteSectionId": one }),
            "site-item",
            "siteSectionId",
        ),
        (
            json!({ "kind": "site-space", "siteSpaceId": of_other }),
            "site-item",
            "siteSpaceId",
        ),
        (
            json!({ "kind": "site-space", "siteSpaceId": "x" }),
            "site-item",
            "siteSpaceId",
        ),
        (
            json!({ "kind": "site-space", "siteSpaceId": secret }),
            "site-item",
            "siteSpaceId",
        ),
        (
            json!({ "kind": "site-page", "siteSpaceId": secret, "pageId": secret_page }),
            "site-item",
            "siteSpaceId",
        ),
        (
            json!({ "kind": "site-page", "siteSpaceId": one, "pageId": secret_page }),
            "unknown",
            "pageId",
        ),
        (
            json!({ "kind": "path", "spaceId": one_space, "path": "none" }),
            "unknown",
            "path",
        ),
        (
            json!({ "kind": "path", "spaceId": unrelated["id"], "path": "start" }),
            "site-item",
            "spaceId",
        ),
        (
            json!({ "kind": "path", "spaceId": secret_space, "path": "start" }),
            "site-item",
            "spaceId",
        ),
        (
            json!({ "kind": "path", "spaceId": world.other_space, "path": "start" }),
            "site-item",
            "spaceId",
        ),
    ] {
        let body = json!({ "source": "/gone", "destination": destination });
        let refused = create(&world, site, body).send().await;
        assert_eq!(
            detail(refused),
            pair(code, &format!("/body/destination/{member}")),
            "{destination}"
        );
        if destination["kind"] != "path" {
            let call = world.on_site(&world.create, "updateSiteRedirectById", site);
            let call = call.path("siteRedirectId", id(&existing));
            let refused = call.json(json!({ "destination": destination })).send().await;
            assert_eq!(
                detail(refused),
                pair(code, &format!("/body/destination/{member}")),
                "{destination}"
            );
        }
    }
    // An admin leads readers there; whoever may not read the space does not learn the path of its page.
    let to_secret = json!({ "kind": "site-page", "siteSpaceId": secret, "pageId": secret_page });
    let call = world.on_site(&world.admin, "createSiteRedirect", site);
    call.json(json!({ "source": "/secret", "destination": to_secret }))
        .expect(201)
        .await;
    look_up(&world, &world.admin, site, "/secret").expect(200).await;
    look_up(&world, &world.read, site, "/secret").expect(404).await;
}
