//! Who may send events, and how often a batch counts.

use reqwest::{Method, header};
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    deliveries::announce,
    insights::{FIREFOX, drain, event, minutes_from_now, view},
    installed::Installed,
    published::Published,
    world::World,
};

on_each_database![
    batches_with_times_count_once,
    sites_that_are_not_published_do_not_exist_for_strangers,
    browsers_send_across_origins,
    installations_send_events_of_their_sites,
    integrations_get_views_and_feedback,
];

async fn count(world: &World, site: &Value) -> u64 {
    let columns = world.aggregate(site, json!({ "range": "last24Hours" })).await;
    columns[0][0].as_u64().unwrap_or_default()
}

async fn batches_with_times_count_once(database: TestDatabase) {
    let world = World::new(database).await;
    let (one, other) = (
        Published::new(&world, &["One"]).await.site,
        Published::new(&world, &["Two"]).await.site,
    );
    let at = json!({ "timestamp": minutes_from_now(&world, -1) });
    let timed = vec![event("page_view", at.clone()), event("search_open", at.clone())];
    for _ in 0..3 {
        world.track(&world.nobody(), &one, timed.clone()).await;
    }
    assert_eq!(count(&world, &one).await, 2);
    // After the batch is in a segment, too, and from another caller.
    drain(world.app()).await;
    world.track(&world.admin.client, &one, timed.clone()).await;
    assert_eq!(count(&world, &one).await, 2);
    // The same batch of another site, and another batch.
    world.track(&world.nobody(), &other, timed.clone()).await;
    assert_eq!(count(&world, &other).await, 2);
    world.track(&world.nobody(), &one, vec![event("page_view", at)]).await;
    assert_eq!(count(&world, &one).await, 3);
    // A page may be seen twice.
    for _ in 0..2 {
        world
            .track(&world.nobody(), &one, vec![event("page_view", json!({}))])
            .await;
    }
    assert_eq!(count(&world, &one).await, 5);
}

async fn sites_that_are_not_published_do_not_exist_for_strangers(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let send = async |client: &Client, organization: String| {
        let call = client.call("trackEventsInSiteById");
        let call = call
            .path("organizationId", organization)
            .path("siteId", site["id"].as_str().unwrap());
        call.json(json!({ "events": [event("page_view", json!({}))] }))
            .send()
            .await
            .status
    };
    let (home, away) = (world.organization.to_string(), world.other_organization.to_string());
    for visibility in ["public", "unlisted", "share-link", "visitor-auth"] {
        published.set(&world, json!({ "visibility": visibility })).await;
        for client in [
            &world.nobody(),
            &world.stranger.client,
            &world.guest.client,
            &world.read.client,
        ] {
            assert_eq!(send(client, home.clone()).await, 204, "{visibility}");
            assert_eq!(send(client, away.clone()).await, 404, "{visibility}");
        }
        assert_eq!(send(&world.nobody().with_token("no-token"), home.clone()).await, 401);
    }
    world.on_site(&world.admin, "unpublishSite", site).expect(200).await;
    for client in [&world.nobody(), &world.stranger.client, &world.guest.client] {
        assert_eq!(send(client, home.clone()).await, 404);
    }
    assert_eq!(send(&world.read.client, home.clone()).await, 204);
    // Queries are for members.
    for (client, expected) in [(&world.stranger, 404), (&world.guest, 403), (&world.read, 200)] {
        let call = world.on_site(client, "aggregateSiteEvents", site);
        call.json(json!({ "range": "lastYear" })).expect(expected).await;
    }
    world.on_site(&world.admin, "deleteSiteById", site).expect(204).await;
    assert_eq!(send(&world.read.client, home).await, 404);
}

async fn browsers_send_across_origins(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let path = format!(
        "/v1/orgs/{}/sites/{}/insights/events",
        world.organization,
        site["id"].as_str().unwrap()
    );
    let client = world.nobody();
    let ask = client
        .request(Method::OPTIONS, &path)
        .header(header::ORIGIN, "https://docs.tidewater.example")
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
        .header(header::ACCESS_CONTROL_REQUEST_HEADERS, "content-type");
    let answer = ask.send().await.unwrap();
    assert_eq!(answer.status(), 204);
    let allowed = |name: header::HeaderName| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        allowed(header::ACCESS_CONTROL_ALLOW_ORIGIN),
        "https://docs.tidewater.example"
    );
    assert_eq!(allowed(header::ACCESS_CONTROL_ALLOW_CREDENTIALS), "true");
    assert!(allowed(header::ACCESS_CONTROL_ALLOW_METHODS).contains("POST"));
    assert!(allowed(header::ACCESS_CONTROL_ALLOW_HEADERS).contains("Content-Type"));
    let body = json!({ "events": [event("page_view", json!({}))] });
    for content_type in ["text/plain;charset=UTF-8", "application/json"] {
        let call = client.call("trackEventsInSiteById").here(&world);
        let call = call.path("siteId", site["id"].as_str().unwrap()).json(body.clone());
        call.content_type(content_type).expect(204).await;
    }
    assert_eq!(count(&world, &site).await, 2);
    // Other operations take JSON alone.
    let call = world.on_site(&world.admin, "aggregateSiteEvents", &site);
    let call = call.json(json!({ "range": "lastYear" })).content_type("text/plain");
    call.expect(415).await;
}

async fn installations_send_events_of_their_sites(database: TestDatabase) {
    let world = World::new(database).await;
    let site = json!({ "id": world.own("siteId") });
    let other = Installed::everywhere(&world, "other", &["site:metadata:read"]).await;
    let call = other.client.call("trackEventsInSiteById").here(&world);
    let call = call.path("siteId", site["id"].as_str().unwrap());
    let refused = call.json(json!({ "events": [event("page_view", json!({}))] }));
    assert_eq!(refused.expect(403).await["error"]["type"], "missing-scope");
    let segments = other.client.call("listSiteVisitorSegments").here(&world);
    let segments = segments.path("siteId", site["id"].as_str().unwrap());
    assert_eq!(segments.expect(403).await["error"]["type"], "missing-scope");
    let installed = Installed::everywhere(&world, "tracker", &["site:visitor:claims"]).await;
    let claims = json!({ "session": { "visitorAuthClaims": { "plan": "pro" } } });
    world
        .track(&installed.client, &site, vec![view("ada", "1", claims)])
        .await;
    let query =
        json!({ "select": [{ "column": "visitorClaimProperty" }, { "column": "eventsCount" }], "range": "lastYear" });
    assert_eq!(world.aggregate(&site, query).await, [json!(["plan"]), json!([1])]);
    // A token of the integration itself belongs to no site.
    let call = installed.own.call("trackEventsInSiteById").here(&world);
    let call = call.path("siteId", site["id"].as_str().unwrap());
    call.json(json!({ "events": [event("page_view", json!({}))] }))
        .expect(403)
        .await;
}

async fn integrations_get_views_and_feedback(database: TestDatabase) {
    let world = World::new(database).await;
    let site = json!({ "id": world.own("siteId") });
    Installed::everywhere(&world, "listener", &["site:views:read", "page:feedback:read"]).await;
    let items = world.on_site(&world.admin, "listSiteSpaces", &site).expect(200).await;
    let item = &items["items"][0];
    let members = json!({
        "session": { "cookies": { "tide": "high" }, "ip": "192.0.2.7", "referrer": "https://search.example/" },
        "location": { "siteSpace": item["id"], "space": item["space"]["id"], "page": world.own("pageId") },
    });
    let elsewhere =
        json!({ "location": { "siteSpace": "x", "space": world.other_space, "page": world.own("pageId") } });
    let mut comment = event("page_post_feedback_comment", members.clone());
    comment["feedback"] = json!({ "rating": "bad", "comment": "Too short." });
    let events = vec![
        event("page_view", members),
        event("search_open", json!({})),
        event("page_view", elsewhere),
        comment,
    ];
    world.track(&world.admin.client, &site, events).await;
    announce(world.app()).await;
    let list = world
        .admin
        .client
        .call("listIntegrationEvents")
        .path("integrationName", "listener")
        .query("status", "pending");
    let list = list.expect(200).await;
    let payloads = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|event| event["payload"].clone());
    let payloads = payloads.filter(|payload| !payload["type"].as_str().unwrap().contains("installation"));
    let [view, other, rating] = payloads.collect::<Vec<_>>().try_into().unwrap();
    let visitor = json!({
        "anonymousId": "ada", "cookies": { "tide": "high" }, "userAgent": FIREFOX, "ip": "192.0.2.7", "language": "en",
    });
    assert_eq!((&view["type"], &view["visitor"]), (&json!("site_view"), &visitor));
    assert_eq!(
        (&view["siteSpaceId"], &view["spaceId"]),
        (&item["id"], &item["space"]["id"])
    );
    assert_eq!(
        (&view["url"], &view["referrer"]),
        (
            &json!("https://docs.tidewater.example/guide"),
            &json!("https://search.example/")
        )
    );
    assert_eq!(view["pageId"], world.own("pageId"));
    // What is not on the site is not passed on.
    assert_eq!(other["type"], "site_view");
    for absent in ["spaceId", "siteSpaceId", "pageId"] {
        assert_eq!(other.get(absent), None, "{absent}");
    }
    assert_eq!(rating["type"], "page_feedback");
    assert_eq!(rating["feedback"], json!({ "rating": "bad", "comment": "Too short." }));
}
