//! Every column of a query, by counts that are known.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::{GOOGLEBOT, IPHONE, drain, event, view},
    published::Published,
    world::World,
};

on_each_database![each_column_groups_and_filters, numbers_and_orders];

/// What every column has to tell apart: three views of Ada in two sessions, one of Ines, and an event of each other kind.
fn events() -> Vec<Value> {
    let location = json!({
        "siteSection": "section-1", "siteSpace": "site-space-1", "siteShareKey": "key-1", "space": "space-1",
        "page": "page-1", "displayContext": "embed",
        "url": "https://docs.tidewater.example/a?utm_source=news&utm_medium=mail&utm_campaign=may&utm_term=t&utm_content=c",
    });
    let ines = json!({
        "session": {
            "visitorId": "ines", "sessionId": "3", "userAgent": IPHONE, "language": "pt", "ip": "192.0.2.7",
            "referrer": "https://search.example/q", "visitorAuthClaims": { "plan": "pro" },
        },
        "location": location,
    });
    let target = json!({ "kind": "url", "url": "https://elsewhere.example/" });
    vec![
        view("ada", "1", json!({})),
        view("ada", "1", json!({})),
        view("ada", "2", json!({})),
        event("page_view", ines),
        event("page_view", json!({ "session": { "userAgent": GOOGLEBOT } })),
        event("search_type_query", json!({ "query": "grip" })),
        event("page_post_feedback", json!({ "feedback": { "rating": "good" } })),
        event("page_post_feedback", json!({ "feedback": { "rating": "bad" } })),
        event(
            "page_post_feedback_comment",
            json!({ "feedback": { "rating": "bad", "comment": "Too short." } }),
        ),
        event(
            "ask_rate_response",
            json!({ "query": "why", "rating": 1, "responseId": "r" }),
        ),
        event(
            "ask_rate_response",
            json!({ "query": "why", "rating": -1, "responseId": "s" }),
        ),
        event(
            "link_click",
            json!({ "link": { "target": target, "position": "footer" } }),
        ),
        event(
            "api_client_open",
            json!({ "operation": { "path": "/pets", "method": "get" } }),
        ),
        event("trademark_click", json!({ "placement": "sidebar" })),
        event(
            "ad_click",
            json!({ "ad": { "domain": "ads.example", "zoneId": "z", "placement": "aside" } }),
        ),
    ]
}

const EVENTS: u64 = 15;

async fn tracked(database: TestDatabase) -> (World, Value) {
    let geoip = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/visitors/tests/geoip.mmdb");
    let world = World::with(database, |flags| flags.geoip_database = Some(geoip.to_owned())).await;
    let site = Published::new(&world, &["One"]).await.site;
    world.track(&world.admin.client, &site, events()).await;
    (world, site)
}

/// The columns that group, each with the values that are not null and how many events have them.
fn expectations() -> Vec<(Value, Vec<(Value, u64)>)> {
    let column = |name: &str| json!({ "column": name });
    let url =
        "https://docs.tidewater.example/a?utm_source=news&utm_medium=mail&utm_campaign=may&utm_term=t&utm_content=c";
    vec![
        (
            column("eventType"),
            vec![
                (json!("ad_click"), 1),
                (json!("api_client_open"), 1),
                (json!("ask_rate_response"), 2),
                (json!("link_click"), 1),
                (json!("page_post_feedback"), 2),
                (json!("page_post_feedback_comment"), 1),
                (json!("page_view"), 5),
                (json!("search_type_query"), 1),
                (json!("trademark_click"), 1),
            ],
        ),
        (
            column("url"),
            vec![(json!(url), 1), (json!("https://docs.tidewater.example/guide"), 14)],
        ),
        (column("siteSection"), vec![(json!("section-1"), 1)]),
        (column("siteSpace"), vec![(json!("site-space-1"), 1)]),
        (column("siteShareKey"), vec![(json!("key-1"), 1)]),
        (column("displayContext"), vec![(json!("embed"), 1), (json!("site"), 14)]),
        (
            column("page"),
            vec![(json!({ "page": "page-1", "space": "space-1" }), 1)],
        ),
        (column("visitorGeoCountry"), vec![(json!("PT"), 1)]),
        (
            column("visitorDevice"),
            vec![(json!("desktop"), 13), (json!("mobile"), 1), (json!("unknown"), 1)],
        ),
        (
            column("visitorBrowser"),
            vec![(json!("firefox"), 13), (json!("safari"), 1), (json!("unknown"), 1)],
        ),
        (
            column("visitorOS"),
            vec![(json!("ios"), 1), (json!("linux"), 13), (json!("unknown"), 1)],
        ),
        (column("visitorBot"), vec![(json!("googlebot"), 1)]),
        (column("visitorLanguage"), vec![(json!("en"), 14), (json!("pt"), 1)]),
        (
            column("eventLinkTargetValue"),
            vec![(json!({ "kind": "url", "url": "https://elsewhere.example/" }), 1)],
        ),
        (column("eventLinkTargetKind"), vec![(json!("url"), 1)]),
        (column("eventLinkTargetDomain"), vec![(json!("elsewhere.example"), 1)]),
        (column("eventLinkPosition"), vec![(json!("footer"), 1)]),
        (column("eventAPIOperationPath"), vec![(json!("/pets"), 1)]),
        (column("eventAPIOperationMethod"), vec![(json!("get"), 1)]),
        (column("eventSearchQuery"), vec![(json!("grip"), 1), (json!("why"), 2)]),
        (
            column("eventPageFeedbackRating"),
            vec![(json!("bad"), 2), (json!("good"), 1)],
        ),
        (column("eventPageFeedbackComment"), vec![(json!("Too short."), 1)]),
        (column("eventAskResponseRating"), vec![(json!(-1), 1), (json!(1), 1)]),
        (column("referrer"), vec![(json!("https://search.example/q"), 1)]),
        (column("referrerDomain"), vec![(json!("search.example"), 1)]),
        (column("utmSource"), vec![(json!("news"), 1)]),
        (column("utmMedium"), vec![(json!("mail"), 1)]),
        (column("utmCampaign"), vec![(json!("may"), 1)]),
        (column("utmTerm"), vec![(json!("t"), 1)]),
        (column("utmContent"), vec![(json!("c"), 1)]),
        (column("visitorClaimProperty"), vec![(json!("plan"), 1)]),
        (
            json!({ "column": "visitorClaim", "claim": "plan" }),
            vec![(json!("pro"), 1)],
        ),
        (column("eventAdDomain"), vec![(json!("ads.example"), 1)]),
        (column("eventAdPlacement"), vec![(json!("aside"), 1)]),
        (column("eventTrademarkPlacement"), vec![(json!("sidebar"), 1)]),
    ]
}

async fn each_column_groups_and_filters(database: TestDatabase) {
    let (world, site) = tracked(database).await;
    // From batches, and from segments.
    for _ in 0..2 {
        for (column, expected) in expectations() {
            let others = EVENTS - expected.iter().map(|(_, count)| count).sum::<u64>();
            // Null comes first.
            let nulls = (others > 0).then_some((Value::Null, others));
            let rows: Vec<(Value, u64)> = nulls.into_iter().chain(expected.clone()).collect();
            let (values, counts): (Vec<Value>, Vec<u64>) = rows.into_iter().unzip();
            let query = json!({
                "select": [column, { "column": "eventsCount" }],
                "groupBy": [column],
                "range": "last24Hours",
            });
            assert_eq!(
                world.aggregate(&site, query).await,
                [json!(values), json!(counts)],
                "{column}"
            );
            for (value, count) in expected {
                for (operator, expected) in [("in", count), ("notIn", EVENTS - count)] {
                    let mut condition = column.clone();
                    condition["values"] = json!([value]);
                    condition["operator"] = json!(operator);
                    let query = json!({ "where": [condition], "range": "last24Hours" });
                    let columns = world.aggregate(&site, query).await;
                    assert_eq!(columns, [json!([expected])], "{condition}");
                }
            }
        }
        drain(world.app()).await;
    }
}

async fn numbers_and_orders(database: TestDatabase) {
    let (world, site) = tracked(database).await;
    for _ in 0..2 {
        let numbers = json!({
            "select": [
                { "column": "eventsCount" }, { "column": "sessionsCount" }, { "column": "visitorsCount" },
                { "column": "pageFeedbackRating" }, { "column": "askResponseRating" },
            ],
            "range": "last7Days",
        });
        assert_eq!(
            world.aggregate(&site, numbers).await,
            [
                json!([15]),
                json!([4]),
                json!([2]),
                json!([{ "ok": 0, "good": 1, "bad": 1 }]),
                json!([{ "positive": 1, "negative": 1 }]),
            ]
        );
        // Conditions on numbers are of the rows; an order by numbers, then by the groups.
        let query = json!({
            "select": [{ "column": "eventType" }, { "column": "eventsCount" }],
            "groupBy": [{ "column": "eventType" }],
            "where": [{ "column": "eventsCount", "operator": "greaterThan", "values": [1] }],
            "order": { "by": { "column": "eventsCount" }, "direction": "desc" },
            "range": "last30Days",
        });
        let types = json!(["page_view", "ask_rate_response", "page_post_feedback"]);
        assert_eq!(world.aggregate(&site, query).await, [types, json!([5, 2, 2])]);
        // Two groups, and a limit.
        let query = json!({
            "groupBy": [{ "column": "visitorLanguage" }, { "column": "eventType" }],
            "order": { "by": { "column": "visitorLanguage" }, "direction": "desc" },
            "limit": 2,
            "range": "last3Months",
        });
        assert_eq!(
            world.aggregate(&site, query).await,
            [json!(["pt", "en"]), json!(["page_view", "ad_click"]), json!([1, 1])]
        );
        for (operator, expected) in [
            ("greaterThan", 1),
            ("greaterThanOrEqual", 15),
            ("lessThan", 0),
            ("lessThanOrEqual", 14),
        ] {
            let condition = json!({ "column": "visitorLanguage", "operator": operator, "values": ["en"] });
            let query = json!({ "where": [condition], "range": "lastYear" });
            assert_eq!(world.aggregate(&site, query).await, [json!([expected])], "{operator}");
        }
        drain(world.app()).await;
    }
}
