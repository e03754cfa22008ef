//! Events of readers in insights.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::{FIREFOX, drain, stored},
    jobs::PATIENCE,
    pages::Reader,
    published::Published,
    world::World,
};

use super::pages::customize;

on_each_database![
    views_are_counted_without_a_script,
    answers_of_readers_are_kept,
    long_answers_are_cut,
    bad_answers_are_refused,
    links_to_other_sites_are_counted,
];

const FORM: &str = "application/x-www-form-urlencoded";

/// The events of a site, as soon as there are so many.
async fn events(world: &World, published: &Published, count: usize) -> Vec<Value> {
    let wait = async {
        loop {
            drain(world.app()).await;
            let stored = stored(world, &published.site).await;
            if stored.len() >= count {
                return stored;
            }
        }
    };
    timeout(PATIENCE, wait).await.unwrap()
}

async fn views_are_counted_without_a_script(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    let address = format!("{}start", published.address);
    let firefox = [("user-agent", FIREFOX), ("accept-language", "de-AT,de;q=0.9")];
    for private in [("dnt", "1"), ("sec-gpc", "1")] {
        let headers = [firefox[0], private];
        assert_eq!(reader.send(Method::GET, &address, &headers).await.status, 200);
    }
    assert_eq!(reader.send(Method::GET, &address, &firefox).await.status, 200);
    let view = events(&world, &published, 1).await;
    let search = format!("{}~/search?q=capstan", published.address);
    reader.send(Method::GET, &search, &firefox).await;
    let all = events(&world, &published, 2).await;
    assert_eq!((view.len(), all.len()), (1, 2));
    assert_eq!(view[0]["eventType"], "page_view", "{view:?}");
    assert_eq!(view[0]["visitorLanguage"], "de-AT", "{view:?}");
    assert_eq!(view[0]["url"], address, "{view:?}");
    let search = all.iter().find(|event| event["eventType"] == "search_type_query");
    assert_eq!(search.unwrap()["eventSearchQuery"], "capstan", "{all:?}");
    // A reader of one day is one visitor.
    assert_eq!(all[0]["visitor"], all[1]["visitor"]);
}

async fn answers_of_readers_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    customize(&world, &published, |settings| {
        settings["feedback"]["enabled"] = json!(true)
    })
    .await;
    let mut reader = Reader::new(&world);
    let address = format!("{}start", published.address);
    let body = "rating=bad&comment=Where%20are%20the%20%3Cb%3Eknots%3F";
    let sent = reader.send_body(Method::POST, &address, FORM, body).await;
    assert_eq!(
        (sent.status, sent.header("location")),
        (303, "/sites/manuals/start#~thanks")
    );
    let events = events(&world, &published, 1).await;
    assert_eq!(events[0]["eventType"], "page_post_feedback_comment", "{events:?}");
    assert_eq!(
        events[0]["eventPageFeedbackComment"], "Where are the <b>knots?",
        "{events:?}"
    );
    let sent = reader.send_body(Method::POST, &address, FORM, "rating=good").await;
    assert_eq!(sent.status, 303);
}

async fn long_answers_are_cut(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    customize(&world, &published, |settings| {
        settings["feedback"]["enabled"] = json!(true)
    })
    .await;
    let mut reader = Reader::new(&world);
    let address = format!("{}start", published.address);
    for length in [512, 513, 5_000] {
        let body = format!("rating=ok&comment={}", "a".repeat(length));
        assert_eq!(
            reader.send_body(Method::POST, &address, FORM, &body).await.status,
            303,
            "{length}"
        );
    }
    let slashes = format!("{address}{}", "/".repeat(3_000));
    assert_eq!(
        reader.send_body(Method::POST, &slashes, FORM, "rating=ok").await.status,
        303
    );
    let events = events(&world, &published, 4).await;
    let comments = events
        .iter()
        .filter_map(|event| event["eventPageFeedbackComment"].as_str());
    let comments: Vec<&str> = comments.collect();
    let cut = "a".repeat(512);
    assert_eq!(comments, [&*cut; 3]);
}

async fn bad_answers_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    customize(&world, &published, |settings| {
        settings["feedback"]["enabled"] = json!(true)
    })
    .await;
    let mut reader = Reader::new(&world);
    let address = format!("{}start", published.address);
    let long = format!("rating=good&comment={}", "a".repeat(20_000));
    for (body, status) in [("", 400), ("rating=best", 400), ("comment=x", 400), (&long, 413)] {
        assert_eq!(
            reader.send_body(Method::POST, &address, FORM, body).await.status,
            status,
            "{body:.40}"
        );
    }
    let headers = [("sec-fetch-site", "cross-site"), ("content-type", FORM)];
    assert_eq!(reader.send(Method::POST, &address, &headers).await.status, 403);
    let nowhere = format!("{}nowhere", published.address);
    assert_eq!(
        reader
            .send_body(Method::POST, &nowhere, FORM, "rating=good")
            .await
            .status,
        404
    );
    customize(&world, &published, |settings| {
        settings["feedback"]["enabled"] = json!(false)
    })
    .await;
    assert_eq!(
        reader
            .send_body(Method::POST, &address, FORM, "rating=good")
            .await
            .status,
        404
    );
    published.set(&world, json!({ "visibility": "share-link" })).await;
    assert_eq!(
        reader
            .send_body(Method::POST, &address, FORM, "rating=good")
            .await
            .status,
        404
    );
}

async fn links_to_other_sites_are_counted(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let mut reader = Reader::new(&world);
    let address = format!("{}start", published.address);
    let long = format!("link=https://example.com/{}&position=content", "a".repeat(5_000));
    for (body, status) in [
        ("link=https%3A%2F%2Fexample.com%2Ftides%3Fa%3D1&position=content", 204),
        ("link=https%3A%2F%2Fexample.com%2F&position=elsewhere", 400),
        ("link=https%3A%2F%2Fexample.com%2F", 400),
        (&long, 400),
    ] {
        let sent = reader.send_body(Method::POST, &address, FORM, body).await;
        assert_eq!((sent.status, sent.text.as_str()), (status, ""), "{body:.60}");
    }
    let events = events(&world, &published, 1).await;
    assert_eq!(
        (events.len(), &events[0]["eventType"]),
        (1, &json!("link_click")),
        "{events:?}"
    );
    assert!(
        events[0].to_string().contains("https://example.com/tides?a=1"),
        "{events:?}"
    );
}
