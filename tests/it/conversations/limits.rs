//! Limits of conversations, and messages that are more than plain text.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{
    client::Answer,
    conversations::{FINGERS, asking, process},
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    too_much_is_refused,
    many_parts_are_processed,
    messages_are_sanitized,
    bombs_are_bounded,
];

async fn with_long_bodies(database: TestDatabase) -> World {
    World::with(database, |flags| flags.body_limit = Some("1MiB".to_owned())).await
}

async fn send(world: &World, body: Value) -> Answer {
    world.conversations_call("ingestConversation").json(body).send().await
}

async fn too_much_is_refused(database: TestDatabase) {
    let world = with_long_bodies(database).await;
    let part = json!({ "type": "message", "role": "user", "body": "?" });
    let too_many = json!({ "id": "1", "parts": vec![part.clone(); 10_001] });
    // Its objects are too many for a list of what is wrong with them.
    send(&world, too_many).await.has_detail("/body", "invalid");
    let too_many = vec![json!({ "id": "1", "parts": [] }); 101];
    send(&world, json!(too_many)).await.has_detail("/body", "max-items");
    let among_others = json!([asking("1", "How do I?"), asking(&"1".repeat(256), "How do I?")]);
    send(&world, among_others).await.has_detail("/body/1/id", "max-length");
    let too_long = asking("1", &"a ".repeat(600_000));
    assert_eq!(send(&world, too_long).await.status, 413);
    for control in ["\u{0}", "\u{7}", "\u{1b}[31m", "\u{7f}", "\u{9b}"] {
        let refused = send(&world, asking("1", &format!("How{control} do I?"))).await;
        refused.has_detail("/body/parts/0/body", "pattern");
    }
    let mut input = asking("1\n", "How do I?");
    input["subject"] = json!("a\nb");
    input["metadata"] = json!({ "url": "javascript:alert(1)", "attributes": { "plan": "\u{1b}" } });
    let refused = send(&world, input).await;
    for pointer in [
        "/body/id",
        "/body/subject",
        "/body/metadata/url",
        "/body/metadata/attributes/plan",
    ] {
        refused.has_detail(pointer, "pattern");
    }
    // Line ends and tabs are part of messages.
    let lines = "How do I change\r\n\tthe fingers?";
    world.ingest(asking("lines", lines)).await;
    world.ingest(json!([])).await;
    assert_eq!(process(world.app()).await, 1);
}

async fn many_parts_are_processed(database: TestDatabase) {
    let world = with_long_bodies(database).await;
    let part = |number: usize| {
        let role = if number == 9_000 { "user" } else { "team-member" };
        let body = if number == 9_000 { FINGERS[0] } else { "Well." };
        json!({ "type": "message", "role": role, "body": body })
    };
    let parts: Vec<Value> = (0..10_000).map(part).collect();
    world.ingest(json!({ "id": "many", "parts": parts })).await;
    assert_eq!(process(world.app()).await, 1);
    let list = world
        .conversations_call("listConversations")
        .query("limit", 1)
        .expect(200)
        .await;
    let id = list["items"][0]["id"].as_str().unwrap();
    let read = world.conversation(id).await;
    assert_eq!(read["parts"].as_array().unwrap().len(), 10_000);
    let [issue] = world.issues_of(id).await.try_into().unwrap();
    assert!(issue["summary"].as_str().unwrap().contains("fingers"), "{issue}");
}

/// Adds a message, and finds its issues. Returns it as it is stored, with the summaries of its issues.
async fn stored(world: &World, key: &str, body: &str) -> (String, String) {
    world.ingest(asking(key, body)).await;
    assert_eq!(process(world.app()).await, 1);
    let list = world
        .conversations_call("listConversations")
        .query("limit", 1)
        .expect(200)
        .await;
    let id = list["items"][0]["id"].as_str().unwrap();
    let read = world.conversation(id).await;
    let issues = world.issues_of(id).await;
    let summaries = issues.iter().map(|issue| issue["summary"].as_str().unwrap());
    (
        read["parts"][0]["body"].as_str().unwrap().to_owned(),
        summaries.collect::<Vec<_>>().join(" "),
    )
}

async fn messages_are_sanitized(database: TestDatabase) {
    let world = World::new(database).await;
    let markdown = "How do I change the **fingers** of the [gripper](https://tidewater.example/g4)?";
    let (body, summary) = stored(&world, "markdown", markdown).await;
    assert_eq!(body, markdown);
    assert!(
        summary.contains("How do I change the fingers of the gripper?"),
        "{summary}"
    );

    let html = "<html><head><title>Mail</title><style>p { color: red }</style></head><body onload=\"alert(1)\">\
        <p>How do I change the <b>fingers</b> &amp; jaws of the gripper?</p><script>alert(2)</script>\
        <a href=\"javascript:alert(3)\">here</a><img src=x onerror=alert(4)><iframe src=\"//evil.example\"></iframe></body></html>";
    let (body, summary) = stored(&world, "html", html).await;
    assert!(body.contains("<b>fingers</b>"), "{body}");
    for unsafe_part in [
        "script",
        "onload",
        "onerror",
        "javascript",
        "iframe",
        "color: red",
        "alert",
    ] {
        assert!(!body.contains(unsafe_part), "{unsafe_part}: {body}");
    }
    assert!(
        summary.contains("How do I change the fingers & jaws of the gripper?"),
        "{summary}"
    );

    for (number, hidden) in [
        "How do I [open](javascript:alert(1)) it?",
        "How do I [open](&#106;avascript:alert(1)) it?",
        "How do I [open][1] it?\n\n[1]: data:text/html,alert(1)",
        "How do I <a href=javascript:alert(1)>open</a> it?",
    ]
    .iter()
    .enumerate()
    {
        let (body, _) = stored(&world, &format!("hidden-{number}"), hidden).await;
        assert!(!body.contains("alert(1)\"") && !body.contains("avascript:"), "{body}");
        assert!(body.contains("open"), "{body}");
    }
}

async fn bombs_are_bounded(database: TestDatabase) {
    let world = with_long_bodies(database).await;
    let question = "How do I change the fingers of the gripper? ";
    for (number, bomb) in [
        "<div><b><i>".repeat(30_000),
        "<a b='".repeat(40_000),
        "> ".repeat(100_000),
        "[".repeat(200_000),
        "&amp;<".repeat(80_000),
        "<!--".repeat(60_000),
    ]
    .iter()
    .enumerate()
    {
        let begun = Instant::now();
        let (body, _) = stored(&world, &format!("bomb-{number}"), &format!("{question}{bomb}")).await;
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{number}: {:?}",
            begun.elapsed()
        );
        assert!(body.contains("How do I change"), "{number}");
    }
}
