//! Events of each type, what is refused, and what is derived.

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::{FIREFOX, GOOGLEBOT, IPHONE, drain, event, minutes_from_now, stored, view},
    published::{Published, resolve, visitor},
    world::World,
};

on_each_database![
    each_type_has_its_columns,
    events_that_break_a_rule_are_refused,
    browsers_and_campaigns_are_derived,
    renderers_send_events_of_their_own,
    claims_are_those_of_signed_tokens,
    tokens_of_visits_prove_claims,
    addresses_tell_places_and_are_not_stored,
    segments_are_visitors_with_the_same_claims,
];

async fn each_type_has_its_columns(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let target = json!({ "kind": "url", "url": "https://www.Elsewhere.example/x" });
    let operation = json!({ "path": "/pets", "method": "get" });
    let ad = json!({ "domain": "ads.example", "zoneId": "zone-1", "placement": "aside" });
    let types = [
        ("page_view", json!({}), json!({})),
        ("search_open", json!({}), json!({})),
        (
            "search_type_query",
            json!({ "query": "grip" }),
            json!({ "eventSearchQuery": "grip" }),
        ),
        (
            "search_open_result",
            json!({ "query": "grip", "result": { "spaceId": "s", "pageId": "p" } }),
            json!({ "eventSearchQuery": "grip", "rest": { "result": { "spaceId": "s", "pageId": "p" } } }),
        ),
        (
            "page_post_feedback",
            json!({ "feedback": { "rating": "ok" } }),
            json!({ "eventPageFeedbackRating": "ok" }),
        ),
        (
            "page_post_feedback_comment",
            json!({ "feedback": { "rating": "bad", "comment": "Too short." } }),
            json!({ "eventPageFeedbackRating": "bad", "eventPageFeedbackComment": "Too short." }),
        ),
        (
            "ask_question",
            json!({ "query": "why?" }),
            json!({ "eventSearchQuery": "why?" }),
        ),
        ("ask_view", json!({}), json!({})),
        (
            "ask_rate_response",
            json!({ "query": "why?", "rating": -1, "responseId": "r" }),
            json!({ "eventSearchQuery": "why?", "eventAskResponseRating": "-1", "rest": { "responseId": "r" } }),
        ),
        (
            "link_click",
            json!({ "link": { "target": target, "position": "footer" } }),
            json!({
                "eventLinkTargetValue": target, "eventLinkTargetKind": "url", "eventLinkPosition": "footer",
                "eventLinkTargetDomain": "elsewhere.example",
            }),
        ),
        (
            "api_client_open",
            json!({ "operation": operation }),
            json!({ "eventAPIOperationPath": "/pets", "eventAPIOperationMethod": "get" }),
        ),
        (
            "api_client_request",
            json!({ "operation": operation }),
            json!({ "eventAPIOperationPath": "/pets", "eventAPIOperationMethod": "get" }),
        ),
        (
            "trademark_click",
            json!({ "placement": "pdf" }),
            json!({ "eventTrademarkPlacement": "pdf" }),
        ),
        (
            "search_open_result",
            json!({ "query": "grip", "result": { "recordId": "record-1" } }),
            json!({ "eventSearchQuery": "grip", "eventSearchResultRecordId": "record-1" }),
        ),
        (
            "ask_question",
            json!({ "query": "why?", "goal": "set up a pump" }),
            json!({ "eventSearchQuery": "why?", "rest": { "goal": "set up a pump" } }),
        ),
        (
            "llms_request",
            json!({ "llmsVariant": "full" }),
            json!({ "eventLLMSVariant": "full" }),
        ),
        ("mcp_request", json!({}), json!({})),
        ("rss_request", json!({}), json!({})),
        ("page_markdown_request", json!({}), json!({})),
        (
            "page_markdown_request",
            json!({ "markdownSource": "page-action" }),
            json!({ "eventMarkdownSource": "page-action" }),
        ),
        ("agent_feedback", json!({}), json!({})),
        (
            "ad_click",
            json!({ "ad": ad }),
            json!({ "eventAdDomain": "ads.example", "eventAdPlacement": "aside", "rest": { "zoneId": "zone-1" } }),
        ),
        (
            "ad_display",
            json!({ "ad": ad }),
            json!({ "eventAdDomain": "ads.example", "eventAdPlacement": "aside", "rest": { "zoneId": "zone-1" } }),
        ),
    ];
    // A second apart, so that their order is known.
    let events = types.iter().enumerate().map(|(index, (kind, members, _))| {
        let mut event = event(kind, members.clone());
        let now = world.app().kernel.clock.now().to_utc();
        let time = now + chrono::TimeDelta::seconds(i64::try_from(index).unwrap());
        event["timestamp"] = json!(time.to_rfc3339());
        event
    });
    world.track(&world.nobody(), &site, events.collect()).await;
    let stored = stored(&world, &site).await;
    assert_eq!(stored.len(), types.len());
    for ((kind, _, expected), mut event) in types.into_iter().zip(stored) {
        assert_eq!(event["eventType"], kind);
        let members = event.as_object_mut().unwrap();
        for always in [
            "object",
            "timestamp",
            "visitor",
            "session",
            "eventType",
            "url",
            "displayContext",
        ] {
            assert!(members.remove(always).is_some(), "{kind}: {always}");
        }
        for agent in ["visitorBrowser", "visitorDevice", "visitorOS", "visitorLanguage"] {
            assert!(members.remove(agent).is_some(), "{kind}: {agent}");
        }
        assert_eq!(event, expected, "{kind}");
    }
}

async fn events_that_break_a_rule_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let at = |minutes| json!({ "timestamp": minutes_from_now(&world, minutes) });
    for (event, pointer, code) in [
        (event("page_vieww", json!({})), "/body/events/0/type", "enum"),
        (
            event("search_type_query", json!({})),
            "/body/events/0/query",
            "required",
        ),
        (
            event("page_post_feedback", json!({ "feedback": { "rating": "great" } })),
            "/body/events/0/feedback/rating",
            "enum",
        ),
        (
            event(
                "ask_rate_response",
                json!({ "query": "x", "rating": 0, "responseId": "r" }),
            ),
            "/body/events/0/rating",
            "rating",
        ),
        (
            view("", "first", json!({})),
            "/body/events/0/session/visitorId",
            "min-length",
        ),
        (event("page_view", at(6)), "/body/events/0/timestamp", "event-time"),
        (event("page_view", at(-6)), "/body/events/0/timestamp", "event-time"),
        (
            event("page_view", json!({ "session": { "ip": "somewhere" } })),
            "/body/events/0/session/ip",
            "ip-address",
        ),
    ] {
        let call = world.on_site(&world.admin, "trackEventsInSiteById", &site);
        let answer = call.json(json!({ "events": [event] })).send().await;
        answer.has_detail(pointer, code);
    }
    // Every violation at once.
    let call = world.on_site(&world.admin, "trackEventsInSiteById", &site);
    let events = [event("page_view", at(9)), event("page_view", at(-9))];
    let answer = call.json(json!({ "events": events })).send().await;
    answer.has_detail("/body/events/0/timestamp", "event-time");
    answer.has_detail("/body/events/1/timestamp", "event-time");
    assert_eq!(answer.details().len(), 2);
    assert_eq!(stored(&world, &site).await, Vec::<Value>::new());
    // Five minutes are near enough.
    world
        .track(
            &world.nobody(),
            &site,
            vec![event("page_view", at(5)), event("page_view", at(-5))],
        )
        .await;
    assert_eq!(stored(&world, &site).await.len(), 2);
}

/// The events that the middleware of the public renderer sends, as it sends them.
async fn renderers_send_events_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let session = json!({
        "sessionId": "5f0e", "visitorId": "7c1d", "userAgent": "", "language": null, "cookies": {}, "referrer": null,
    });
    let location = json!({
        "url": "https://docs.tidewater.example/llms.txt", "siteSpace": null, "siteShareKey": null, "space": null,
        "revision": null, "page": null, "displayContext": "server",
    });
    // What the renderer does not know is absent, not null.
    let rss = json!({
        "url": "https://docs.tidewater.example/news/rss.xml", "siteSpace": "site-space-1", "space": "space-1", "page": null,
        "displayContext": "server",
    });
    let now = minutes_from_now(&world, 0);
    let sent = |kind: &str, location: &Value, members: Value| {
        let mut event = json!({ "type": kind, "session": session, "location": location, "timestamp": now });
        event
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        event
    };
    let events = vec![
        sent("llms_request", &location, json!({ "llmsVariant": "standard" })),
        sent("page_markdown_request", &location, json!({})),
        sent("mcp_request", &location, json!({})),
        sent("rss_request", &rss, json!({})),
        sent("ask_question", &location, json!({ "query": "why?" })),
    ];
    world.track(&world.stranger.client, &site, events).await;
    // From the batch, and from a segment.
    for _ in 0..2 {
        let by = |column: &str| {
            let columns = json!([{ "column": column }, { "column": "eventsCount" }]);
            let server = json!([{ "column": "displayContext", "values": ["server"] }]);
            world.aggregate(
                &site,
                json!({ "select": columns, "where": server, "range": "last24Hours" }),
            )
        };
        let types = json!([
            "ask_question",
            "llms_request",
            "mcp_request",
            "page_markdown_request",
            "rss_request"
        ]);
        assert_eq!(by("eventType").await, [types, json!([1, 1, 1, 1, 1])]);
        assert_eq!(by("eventLLMSVariant").await, [json!([null, "standard"]), json!([4, 1])]);
        assert_eq!(by("siteSpace").await, [json!([null, "site-space-1"]), json!([4, 1])]);
        drain(world.app()).await;
    }
}

async fn browsers_and_campaigns_are_derived(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let url =
        "https://docs.tidewater.example/?utm_source=news&utm_medium=mail&utm_campaign=may&utm_term=a&utm_content=b";
    let campaign = json!({
        "session": { "referrer": "https://www.search.example/q?x=1", "userAgent": IPHONE, "language": "pt" },
        "location": { "url": url, "displayContext": "embed" },
    });
    world
        .track(&world.nobody(), &site, vec![event("page_view", campaign)])
        .await;
    let stored_event = stored(&world, &site).await.remove(0);
    for (column, expected) in [
        ("visitorBrowser", "safari"),
        ("visitorDevice", "mobile"),
        ("visitorOS", "ios"),
        ("visitorLanguage", "pt"),
        ("referrer", "https://www.search.example/q?x=1"),
        ("referrerDomain", "search.example"),
        ("utmSource", "news"),
        ("utmMedium", "mail"),
        ("utmCampaign", "may"),
        ("utmTerm", "a"),
        ("utmContent", "b"),
        ("displayContext", "embed"),
    ] {
        assert_eq!(stored_event[column], expected, "{column}");
    }
    assert_eq!(stored_event.get("visitorBot"), None);
    let bots = [GOOGLEBOT, "curl/8.15.0", FIREFOX];
    let views = bots.map(|agent| event("page_view", json!({ "session": { "userAgent": agent } })));
    world.track(&world.nobody(), &site, views.to_vec()).await;
    let query = json!({
        "select": [{ "column": "visitorBot" }, { "column": "eventsCount" }],
        "range": "last24Hours",
    });
    let columns = world.aggregate(&site, query).await;
    assert_eq!(columns, [json!([null, "googlebot", "unknown"]), json!([2, 1, 1])]);
}

async fn claims_are_those_of_signed_tokens(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let token = published.token(&world, json!({ "plan": "pro", "iat": 1 })).await;
    let claims = json!({ "visitorAuthClaims": { "plan": "forged" } });
    let session = |members: Value| event("page_view", json!({ "session": members }));
    let events = vec![
        session(json!({ "visitorAuthToken": token })),
        session(json!({ "visitorAuthToken": format!("{token}x") })),
        session(json!({ "visitorAuthToken": null })),
        session(claims),
    ];
    world.track(&world.nobody(), &published.site, events).await;
    world
        .track(
            &world.stranger.client,
            &published.site,
            vec![session(json!({ "visitorAuthClaims": { "plan": "forged" } }))],
        )
        .await;
    let query = json!({
        "select": [{ "column": "visitorClaim", "claim": "plan" }, { "column": "eventsCount" }],
        "range": "last24Hours",
    });
    let columns = world.aggregate(&published.site, query.clone()).await;
    assert_eq!(columns, [json!([null, "pro"]), json!([4, 1])]);
    // Who has a level on the site may say the claims.
    let trusted = session(json!({ "visitorAuthClaims": { "plan": "free" } }));
    world.track(&world.read.client, &published.site, vec![trusted]).await;
    let columns = world.aggregate(&published.site, query).await;
    assert_eq!(columns, [json!([null, "free", "pro"]), json!([4, 1, 1])]);
}

async fn tokens_of_visits_prove_claims(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let adaptive = json!({ "adaptiveContent": { "enabled": true } });
    published.set(&world, adaptive.clone()).await;
    let token = published.token(&world, json!({ "plan": "pro", "iat": 1 })).await;
    let found = resolve(&world, &published.address, json!({ "jwtToken": token }));
    let found = found.expect(200).await;
    // The public renderer reads the claims in the token.
    let api_token = found["apiToken"].as_str().unwrap();
    let payload = BASE64URL_NOPAD
        .decode(api_token.split('.').nth(1).unwrap().as_bytes())
        .unwrap();
    let payload: Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!(payload["claims"]["plan"], "pro");

    let session = |members: Value| event("page_view", json!({ "session": members }));
    let claims = json!({ "visitorAuthClaims": { "plan": "forged" } });
    let renderer = visitor(&world, &found);
    let events = vec![session(claims), session(json!({}))];
    world.track(&renderer, &published.site, events).await;
    let by_member = session(json!({ "visitorAuthToken": api_token }));
    world.track(&world.nobody(), &published.site, vec![by_member]).await;
    let query = json!({
        "select": [{ "column": "visitorClaim", "claim": "plan" }, { "column": "eventsCount" }],
        "range": "last24Hours",
    });
    let columns = world.aggregate(&published.site, query.clone()).await;
    assert_eq!(columns, [json!(["pro"]), json!([3])]);
    // A token counts on its site, and until the key of the site is another one.
    let other = Published::new(&world, &["Two"]).await;
    other.set(&world, adaptive).await;
    let by_member = || vec![session(json!({ "visitorAuthToken": api_token }))];
    world.track(&world.nobody(), &other.site, by_member()).await;
    let renew = world.on_site(&world.admin, "regenerateSitePublishingAuthById", &published.site);
    renew.expect(200).await;
    world.track(&world.nobody(), &published.site, by_member()).await;
    let columns = world.aggregate(&published.site, query.clone()).await;
    assert_eq!(columns, [json!([null, "pro"]), json!([1, 3])]);
    assert_eq!(world.aggregate(&other.site, query).await, [json!([null]), json!([1])]);
}

async fn addresses_tell_places_and_are_not_stored(database: TestDatabase) {
    let geoip = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/visitors/tests/geoip.mmdb");
    let world = World::with(database, |flags| flags.geoip_database = Some(geoip.to_owned())).await;
    let site = Published::new(&world, &["One"]).await.site;
    let from = |ip: &str| event("page_view", json!({ "session": { "ip": ip } }));
    // Nobody knows where this machine is, and strangers do not say.
    world.track(&world.nobody(), &site, vec![from("192.0.2.7")]).await;
    world
        .track(&world.stranger.client, &site, vec![from("192.0.2.7"), from("nowhere")])
        .await;
    let trusted = vec![from("192.0.2.7"), from("192.0.2.8"), from("2001:db8:1::1")];
    world.track(&world.read.client, &site, trusted).await;
    let query = json!({
        "select": [{ "column": "visitorGeoCountry" }, { "column": "eventsCount" }],
        "range": "last24Hours",
    });
    let columns = world.aggregate(&site, query).await;
    assert_eq!(columns, [json!([null, "JP", "PT"]), json!([3, 1, 2])]);
    let points = json!({
        "select": [{ "column": "visitorGeoPoint", "precision": 2 }, { "column": "eventsCount" }],
        "range": "last24Hours",
    });
    let columns = world.aggregate(&site, points).await;
    assert_eq!(columns[1], json!([4, 2]));
    let (latitude, longitude) = (&columns[0][1]["latitude"], &columns[0][1]["longitude"]);
    assert!((latitude.as_f64().unwrap() - 38.7).abs() < 3.0, "{latitude}");
    assert!((longitude.as_f64().unwrap() + 9.1).abs() < 3.0, "{longitude}");
    let all = Value::from(stored(&world, &site).await).to_string();
    assert!(!all.contains("192.0.2"), "{all}");
    assert!(!all.contains("\"ada\""), "{all}");
}

async fn segments_are_visitors_with_the_same_claims(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let view = |visitor: &str, session: &str, claims: Value| {
        view(visitor, session, json!({ "session": { "visitorAuthClaims": claims } }))
    };
    let events = vec![
        view("ada", "1", json!({ "plan": "pro", "seats": 3 })),
        view("ada", "2", json!({ "seats": 3, "plan": "pro" })),
        view("ines", "3", json!({ "plan": "pro", "seats": 3 })),
        view("mateo", "4", json!({})),
    ];
    world.track(&world.admin.client, &site, events).await;
    let list = world.on_site(&world.read, "listSiteVisitorSegments", &site);
    let list = list.expect(200).await;
    let expected = json!([
        { "title": "plan: pro, seats: 3", "claims": { "plan": "pro", "seats": 3 }, "events": 3, "visitors": 2, "sessions": 3 },
        { "title": "Visitors without claims", "claims": {}, "events": 1, "visitors": 1, "sessions": 1 },
    ]);
    assert_eq!(list, json!({ "items": expected, "count": 2 }));
}
