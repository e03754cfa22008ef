//! What comments say: both forms, mentions, and what is refused.

use serde_json::{Value, json};

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    both_forms_say_the_same,
    mentions_are_kept,
    an_empty_text_is_a_text,
    hostile_texts_are_only_texts,
    texts_keep_to_their_limits,
];

fn document(nodes: Value) -> Value {
    json!({ "document": { "object": "document", "data": {}, "nodes": nodes } })
}

fn paragraph(nodes: Value) -> Value {
    json!({ "object": "block", "type": "paragraph", "isVoid": false, "data": {}, "nodes": nodes })
}

fn text(text: &str) -> Value {
    json!({ "object": "text", "leaves": [{ "object": "leaf", "text": text, "marks": [] }] })
}

async fn both_forms_say_the_same(database: TestDatabase) {
    let world = World::new(database).await;
    let markdown = "Look at **this**:\n\n1. One\n2. Two";
    for place in Place::both(&world).await {
        let made = place.post(&world.comment, markdown).await;
        assert_eq!(made["body"], json!({ "markdown": markdown }));
        let get = |comment: &Value| {
            place
                .on(&world.comment, "getComment", comment)
                .query("format", "document")
        };
        let read = get(&made).expect(200).await;
        let nodes = read["body"].clone();
        assert_eq!(nodes["document"]["nodes"][1]["type"], "list-ordered");
        assert!(nodes.get("markdown").is_none());
        // What is read as nodes can be sent as nodes, and is the same.
        let again = place.post_body(&world.comment, json!({ "body": nodes })).await;
        assert_eq!(again["body"], made["body"]);
        assert_eq!(get(&again).expect(200).await["body"], nodes);
        let list = place.call(&world.comment, "listComments").query("format", "document");
        let list = list.query("limit", 2).expect(200).await;
        assert_eq!(list["items"][1], read);
        // The same text in another form is no change.
        let same = place.update(&world.comment, &made, json!({ "body": nodes })).await;
        assert_eq!(same, made);
        let reply = place
            .on(&world.comment, "postCommentReply", &made)
            .json(json!({ "body": nodes }));
        let reply = reply.expect(200).await;
        assert_eq!(reply["body"], made["body"]);
        let read = place.on_reply(&world.comment, "getCommentReply", &made, &reply);
        assert_eq!(read.query("format", "document").expect(200).await["body"], nodes);
    }
    let request = world.change_request(&world.edit, "Replied to").await;
    let place = Place::request(&world, &request);
    let comment = place.post(&world.comment, "As nodes").await;
    let reply = place
        .on(&world.comment, "postCommentReply", &comment)
        .query("format", "document");
    let reply = reply.json(json!({ "body": { "markdown": "Yes" } })).expect(200).await;
    assert_eq!(reply["body"]["document"]["nodes"][0]["type"], "paragraph");
}

async fn mentions_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let user = world.edit.id.to_string();
    let mention = json!({
        "object": "inline", "type": "mention", "isVoid": true, "data": { "ref": { "kind": "user", "user": user } },
    });
    let nodes = json!([paragraph(json!([text("Ask "), mention, text(" first.")]))]);
    for place in Place::both(&world).await {
        let made = place
            .post_body(&world.comment, json!({ "body": document(nodes.clone()) }))
            .await;
        let markdown = made["body"]["markdown"].as_str().unwrap();
        assert!(markdown.contains(&format!("/users/{user} \"mention\")")), "{markdown}");
        let again = place.post(&world.comment, markdown).await;
        for comment in [&made, &again] {
            let read = place.on(&world.read, "getComment", comment).query("format", "document");
            let read = read.expect(200).await;
            let found = &read["body"]["document"]["nodes"][0]["nodes"][1];
            assert_eq!(found["type"], "mention");
            assert_eq!(found["data"]["ref"], json!({ "kind": "user", "user": user }));
        }
    }
}

async fn an_empty_text_is_a_text(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        for empty in [json!({}), json!({ "markdown": "" }), document(json!([]))] {
            let made = place.post_body(&world.comment, json!({ "body": empty })).await;
            assert_eq!(made["body"], json!({ "markdown": "" }));
            let read = place.on(&world.read, "getComment", &made).query("format", "document");
            assert_eq!(read.expect(200).await["body"]["document"]["object"], "document");
            let filled = place
                .update(&world.comment, &made, json!({ "body": { "markdown": "x" } }))
                .await;
            assert_eq!(filled["body"]["markdown"], "x");
            let emptied = place.update(&world.comment, &made, json!({ "body": {} })).await;
            assert_eq!(emptied["body"]["markdown"], "");
        }
    }
}

async fn hostile_texts_are_only_texts(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    for hostile in [
        "<script>alert(1)</script>",
        "'; DROP TABLE comments; --",
        "{% hint style=\"info\" %}\nnever closed",
        "---\ntitle: not a page\n---\n\ntext",
        "\u{202e}desrever\u{2066}",
        "\u{1f469}\u{200d}\u{1f4bb} ünï €",
        "| a |\n|---|\n| b | c | d |",
        "\\*not bold\\* `code` $$x$$ [^1]",
        "# Heading\n\nText",
    ] {
        let made = place.post(&world.comment, hostile).await;
        assert_eq!(made["body"]["markdown"], hostile);
        assert_eq!(place.read(&world.comment, &made).await, made);
        let nodes = place.on(&world.read, "getComment", &made).query("format", "document");
        let nodes = nodes.expect(200).await["body"].clone();
        let again = place.post_body(&world.comment, json!({ "body": nodes })).await;
        let read = place.on(&world.read, "getComment", &again).query("format", "document");
        assert_eq!(read.expect(200).await["body"], nodes, "{hostile}");
    }
    let script = place.post(&world.comment, "[x](javascript:alert(1))").await;
    assert_eq!(script["body"]["markdown"], "x");
    let windows = place.post(&world.comment, "One\r\n\r\nTwo").await;
    assert_eq!(windows["body"]["markdown"], "One\n\nTwo");
}

async fn texts_keep_to_their_limits(database: TestDatabase) {
    let world = World::new(database).await;
    let long = "x".repeat(32_768);
    let too_long = format!("{long}x");
    let of_nodes = |length: usize| document(json!([paragraph(json!([text(&"x".repeat(length))]))]));
    let many = "a\n\n".repeat(10_001);
    let not_expressible = document(json!([{ "object": "block", "type": "list-unordered" }]));
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, &long).await;
        assert_eq!(comment["body"]["markdown"], long);
        let reply = place.reply(&world.comment, &comment, &long).await;
        place
            .post_body(&world.comment, json!({ "body": of_nodes(32_768) }))
            .await;
        for (body, pointer, code) in [
            (json!({ "markdown": too_long }), "/body/body/markdown", "max-length"),
            (of_nodes(32_769), "/body/body/document", "max-length"),
            (json!({ "markdown": many }), "/body/body/markdown", "too-many-nodes"),
            (
                json!({ "markdown": "x", "document": of_nodes(1)["document"] }),
                "/body/body",
                "exclusive",
            ),
            (not_expressible.clone(), "/body/body/document/nodes/0", "empty-list"),
        ] {
            let body = json!({ "body": body });
            for call in [
                place.call(&world.comment, "postComment"),
                place.on(&world.comment, "postCommentReply", &comment),
                place.on(&world.comment, "updateComment", &comment),
                place.on_reply(&world.comment, "updateCommentReply", &comment, &reply),
            ] {
                call.json(body.clone()).send().await.has_detail(pointer, code);
            }
        }
        assert_eq!(place.read(&world.comment, &comment).await["body"], comment["body"]);
        place
            .call(&world.comment, "postComment")
            .json(json!({}))
            .send()
            .await
            .has_detail("/body/body", "required");
    }
}
