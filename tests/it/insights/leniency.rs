//! What is taken of batches in which something is wrong.

use serde_json::{Value, json};

use crate::support::{
    client::ignored,
    database::{TestDatabase, on_each_database},
    insights::{event, minutes_from_now, stored},
    published::Published,
    world::World,
};

on_each_database![
    texts_that_are_no_addresses_are_left_out,
    long_texts_are_cut,
    unreadable_events_are_skipped_and_counted,
];

/// Sends events, and returns how many were left out.
async fn send(world: &World, site: &Value, events: &[Value]) -> u64 {
    let nobody = world.nobody();
    let call = nobody.call("trackEventsInSiteById").here(world);
    let call = call.path("siteId", site["id"].as_str().unwrap());
    let answer = call.json(json!({ "events": events })).send().await;
    assert_eq!(answer.status, 204, "{}", answer.text);
    let skipped = answer.headers.get("x-skipped-items");
    skipped.map_or(0, |skipped| skipped.to_str().unwrap().parse().unwrap())
}

fn view_of(url: impl Into<Value>) -> Value {
    event("page_view", json!({ "location": { "url": url.into() } }))
}

async fn texts_that_are_no_addresses_are_left_out(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    for no_address in ["docs.example.com/guide", "/guide", "https://docs .example.com"] {
        let events = [view_of(no_address), view_of("https://docs.example.com/")];
        assert_eq!(send(&world, &site, &events).await, 1, "{no_address}");
    }
}

async fn long_texts_are_cut(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let url = format!("https://docs.example.com/{}", "ä".repeat(3000));
    let cookie = |i: usize| (format!("cookie-{i}"), json!("x".repeat(if i == 0 { 5000 } else { 1 })));
    let cookies: Value = (0..120).map(cookie).collect();
    let session = json!({
        "userAgent": "x".repeat(2000), "language": "y".repeat(100), "referrer": format!("https://a.example/{}", "z".repeat(5000)),
        "cookies": cookies,
    });
    let members = json!({ "session": session, "location": { "url": url }, "query": "ü".repeat(600) });
    let long = event("search_type_query", members);
    assert_eq!(send(&world, &site, &[long, view_of("")]).await, 0);
    let mut stored = stored(&world, &site).await;
    stored.sort_by_key(|event| event["eventType"] != "page_view");
    let [view, search] = <[Value; 2]>::try_from(stored).unwrap();
    assert_eq!(view.get("url"), None);
    let length = |column: &str| search[column].as_str().unwrap().chars().count();
    assert_eq!(search["url"], url.chars().take(2048).collect::<String>());
    assert_eq!(
        (
            length("eventSearchQuery"),
            length("visitorLanguage"),
            length("referrer")
        ),
        (512, 64, 4096)
    );
    // The contract has the limits.
    let lengths = |pointer: &str| {
        let contract = openapi::document::contract();
        contract.pointer(pointer).unwrap()["maxLength"].as_u64().unwrap()
    };
    assert_eq!(lengths("/components/schemas/SiteInsightsWords"), 512);
}

async fn unreadable_events_are_skipped_and_counted(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let at = |minutes| json!({ "timestamp": minutes_from_now(&world, minutes) });
    let mut rated = event("page_post_feedback", json!({}));
    rated["feedback"] = json!({ "rating": "great" });
    let mut without_session = event("page_view", json!({}));
    without_session.as_object_mut().unwrap().remove("session");
    let wrong = [
        event("page_imagined", json!({})),
        event("search_type_query", json!({})),
        rated,
        without_session,
        event("page_view", json!({ "session": { "visitorId": "" } })),
        event("page_view", json!({ "session": { "language": "a\u{0}b" } })),
        event("page_view", at(6)),
        event(
            "ask_rate_response",
            json!({ "query": "x", "rating": 0, "responseId": "r" }),
        ),
        json!("no object"),
        json!(null),
    ];
    let mut events: Vec<Value> = wrong.to_vec();
    events.insert(3, event("page_view", json!({ "location": { "page": "between" } })));
    events.push(event("page_view", json!({ "location": { "page": "last" } })));
    assert_eq!(send(&world, &site, &events).await, 10);
    let pages = async || {
        let stored = stored(&world, &site).await;
        let mut pages: Vec<String> = stored
            .iter()
            .map(|event| event["page"].as_str().unwrap().to_owned())
            .collect();
        pages.sort_unstable();
        pages
    };
    assert_eq!(pages().await, ["between", "last"]);
    // Members of later versions are ignored and named.
    let later = event(
        "page_view",
        json!({ "location": { "page": "later", "theme": "dark" }, "zoom": 2 }),
    );
    let call = world.on_site(&world.admin, "trackEventsInSiteById", &site);
    let answer = call.json(json!({ "events": [later] })).send().await;
    assert_eq!(answer.status, 204, "{}", answer.text);
    assert_eq!(answer.headers.get("x-skipped-items"), None);
    let mut names = ignored(&answer);
    names.sort_unstable();
    assert_eq!(names, ["events.0.location.theme", "events.0.zoom"]);
    assert_eq!(pages().await, ["between", "last", "later"]);
    // What is wrong beside the events is refused, and so is a batch of which nothing is left.
    for (body, pointer, code) in [
        (json!({ "events": wrong[..3] }), "/body/events/0/type", "enum"),
        (json!({ "events": [] }), "/body/events", "min-items"),
        (json!({ "events": {} }), "/body/events", "type"),
    ] {
        let call = world.on_site(&world.admin, "trackEventsInSiteById", &site);
        let answer = call.json(body).send().await;
        answer.has_detail(pointer, code);
        assert_eq!(answer.headers.get("x-skipped-items"), None);
    }
}
