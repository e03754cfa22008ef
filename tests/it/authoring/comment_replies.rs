//! Replies to comments.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    comments::Place,
    crowd::Crowd,
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::{Person, World},
};

on_each_database![
    a_reply_in_a_space,
    a_reply_in_a_change_request,
    replies_are_listed_from_the_first,
    a_comment_says_who_has_replied,
    the_people_who_replied_last_are_named,
    a_reply_belongs_to_its_comment,
    a_reply_may_settle_its_discussion,
];

fn new_reply(made: &Value, text: &str) -> Value {
    json!({
        "object": "comment-reply", "id": made["id"], "postedBy": made["postedBy"],
        "postedAt": "2026-11-21T12:00:00.000Z", "reactions": [], "body": { "markdown": text }, "urls": made["urls"],
        "permissions": { "view": true, "edit": true, "reply": true, "delete": true },
    })
}

async fn a_reply_in_a_space(database: TestDatabase) {
    let world = World::new(database).await;
    let (by, space) = (&world.comment, world.space);
    let comment = Place::space(&world).post(&world.edit, "Why?").await;
    let comment = comment["id"].as_str().unwrap();
    let post = by
        .client
        .call("postCommentReplyInSpace")
        .space(space)
        .path("commentId", comment);
    let made = post
        .json(json!({ "body": { "markdown": "Because" } }))
        .expect(200)
        .await;
    assert_eq!(made, new_reply(&made, "Because"));
    assert_eq!(made["postedBy"]["id"], by.id.to_string());
    let id = made["id"].as_str().unwrap();
    let location = made["urls"]["location"].as_str().unwrap();
    let path = format!("/v1/spaces/{space}/comments/{comment}/replies/{id}");
    assert!(location.ends_with(&path), "{location}");

    let get = by
        .client
        .call("getCommentReplyInSpace")
        .space(space)
        .path("commentId", comment);
    assert_eq!(get.path("commentReplyId", id).expect(200).await, made);
    let list = by.client.call("listCommentRepliesInSpace").space(space);
    let list = list.path("commentId", comment).expect(200).await;
    assert_eq!(list, json!({ "count": 1, "items": [made] }));
    world.clock().advance(TimeDelta::seconds(5));
    let put = by
        .client
        .call("updateCommentReplyInSpace")
        .space(space)
        .path("commentId", comment);
    let put = put.path("commentReplyId", id);
    let edited = put
        .json(json!({ "body": { "markdown": "Because." } }))
        .expect(200)
        .await;
    let mut expected = made.clone();
    expected["body"] = json!({ "markdown": "Because." });
    expected["editedAt"] = json!("2026-11-21T12:00:05.000Z");
    assert_eq!(edited, expected);
    for _ in 0..2 {
        let delete = by.client.call("deleteCommentReplyInSpace").space(space);
        let delete = delete.path("commentId", comment).path("commentReplyId", id);
        delete.expect(204).await;
    }
    let list = by.client.call("listCommentRepliesInSpace").space(space);
    assert_eq!(list.path("commentId", comment).expect(200).await["count"], 0);
}

async fn a_reply_in_a_change_request(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Discussed").await;
    let (by, space, number) = (&world.comment, world.space, request["number"].as_u64().unwrap());
    let comment = Place::request(&world, &request).post(&world.edit, "Why?").await;
    let comment = comment["id"].as_str().unwrap();
    let post = by.client.call("postCommentReplyInChangeRequest").space(space);
    let post = post.path("changeRequestId", number).path("commentId", comment);
    let made = post
        .json(json!({ "body": { "markdown": "Because" } }))
        .expect(200)
        .await;
    assert_eq!(made, new_reply(&made, "Because"));
    let id = made["id"].as_str().unwrap();
    let path = format!(
        "/change-requests/{}/comments/{comment}/replies/{id}",
        request["id"].as_str().unwrap()
    );
    assert!(made["urls"]["location"].as_str().unwrap().ends_with(&path), "{made}");

    let get = by.client.call("getCommentReplyInChangeRequest").space(space);
    let get = get.path("changeRequestId", number).path("commentId", comment);
    assert_eq!(get.path("commentReplyId", id).expect(200).await, made);
    let list = by.client.call("listCommentRepliesInChangeRequest").space(space);
    let list = list.path("changeRequestId", number).path("commentId", comment);
    assert_eq!(list.expect(200).await, json!({ "count": 1, "items": [made] }));
    let put = by.client.call("updateCommentReplyInChangeRequest").space(space);
    let put = put.path("changeRequestId", number).path("commentId", comment);
    let put = put
        .path("commentReplyId", id)
        .json(json!({ "body": { "markdown": "Why not?" } }));
    assert_eq!(put.expect(200).await["body"]["markdown"], "Why not?");
    for _ in 0..2 {
        let delete = by.client.call("deleteCommentReplyInChangeRequest").space(space);
        let delete = delete.path("changeRequestId", number).path("commentId", comment);
        delete.path("commentReplyId", id).expect(204).await;
    }
    let get = by.client.call("getCommentReplyInChangeRequest").space(space);
    let get = get.path("changeRequestId", number).path("commentId", comment);
    get.path("commentReplyId", id).expect(404).await;
}

async fn replies_are_listed_from_the_first(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "Count").await;
        for text in ["1", "2", "3"] {
            place.reply(&world.comment, &comment, text).await;
        }
        let list = async |limit: u32, page: Option<&str>| {
            let call = place
                .on(&world.read, "listCommentReplies", &comment)
                .query("limit", limit);
            let call = match page {
                Some(page) => call.query("page", page),
                None => call,
            };
            call.expect(200).await
        };
        let first = list(2, None).await;
        assert_eq!(texts(&first, "/body/markdown"), ["1", "2"]);
        assert_eq!(first["count"], 3);
        let second = list(2, first["next"]["page"].as_str()).await;
        assert_eq!(texts(&second, "/body/markdown"), ["3"]);
        assert!(second.get("next").is_none());
        // Both forms.
        let nodes = place
            .on(&world.read, "listCommentReplies", &comment)
            .query("format", "document");
        let nodes = nodes.query("limit", 1).expect(200).await;
        assert_eq!(nodes["items"][0]["body"]["document"]["object"], "document");
    }
}

async fn a_comment_says_who_has_replied(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "Count").await;
        let mut last = json!({});
        for by in [&world.edit, &world.comment, &world.edit, &world.review] {
            world.clock().advance(TimeDelta::seconds(1));
            last = place.reply(by, &comment, "Counted").await;
        }
        let now = world.app().kernel.clock.now().plus(TimeDelta::seconds(-1));
        let repliers = async || {
            let comment = place.read(&world.read, &comment).await;
            let named = comment["repliers"].as_array().unwrap().iter();
            let named = named.map(|it| {
                (
                    it["user"]["displayName"].as_str().unwrap().to_owned(),
                    it["count"].clone(),
                )
            });
            (comment["replies"].clone(), named.collect::<Vec<_>>())
        };
        let by = |name: &str, count: u64| (name.to_owned(), json!(count));
        let expected = (json!(4), vec![by("review", 1), by("edit", 2), by("comment", 1)]);
        assert_eq!(repliers().await, expected);
        let shown = place.read(&world.read, &comment).await;
        let at = now.to_utc().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        assert_eq!(shown["repliers"][1]["updatedAt"], at);
        place
            .on_reply(&world.review, "deleteCommentReply", &comment, &last)
            .expect(204)
            .await;
        assert_eq!(repliers().await, (json!(3), vec![by("edit", 2), by("comment", 1)]));
        // The list says the same.
        let list = place
            .call(&world.read, "listComments")
            .query("limit", 1)
            .expect(200)
            .await;
        assert_eq!(list["items"][0], place.read(&world.read, &comment).await);
    }
}

async fn the_people_who_replied_last_are_named(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    let comment = place.post(&world.comment, "Popular").await;
    place.reply(&world.comment, &comment, "First").await;
    let crowd = Crowd::new(&world).await;
    crowd.reply(&comment).await;
    let shown = place.read(&world.read, &comment).await;
    assert_eq!(shown["replies"], 102);
    let named = shown["repliers"].as_array().unwrap();
    assert_eq!(named.len(), 100);
    let ids: Vec<&str> = named.iter().map(|it| it["user"]["id"].as_str().unwrap()).collect();
    let expected: Vec<String> = crowd.people.iter().rev().take(100).map(ToString::to_string).collect();
    assert_eq!(ids, expected);
}

async fn a_reply_belongs_to_its_comment(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let (one, two) = (
            place.post(&world.comment, "One").await,
            place.post(&world.comment, "Two").await,
        );
        let reply = place.reply(&world.comment, &one, "To one").await;
        let call =
            |operation: &str, comment: &Value, reply: &Value| place.on_reply(&world.admin, operation, comment, reply);
        // Neither under another comment, nor as a comment, nor a comment as a reply.
        for (comment, reply) in [(&two, &reply), (&reply, &reply), (&one, &two)] {
            call("getCommentReply", comment, reply).expect(404).await;
            let put = call("updateCommentReply", comment, reply);
            put.json(json!({ "addedReactions": ["1f44d"] })).expect(404).await;
            call("deleteCommentReply", comment, reply).expect(204).await;
        }
        place.on(&world.admin, "getComment", &reply).expect(404).await;
        let to_reply = place.on(&world.admin, "postCommentReply", &reply);
        to_reply.json(json!({ "body": {} })).expect(404).await;
        place.on(&world.admin, "deleteComment", &reply).expect(204).await;
        assert_eq!(place.read_reply(&world.comment, &one, &reply).await, reply);
        assert_eq!(place.read(&world.comment, &two).await, two);
    }
}

/// The operation of change requests takes what that of comments takes.
async fn a_reply_may_settle_its_discussion(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, request] = Place::both(&world).await;
    let settle = async |place: &Place, by: &Person, comment: &Value, reply: &Value, resolved: bool| {
        let put = place.on_reply(by, "updateCommentReply", comment, reply);
        put.json(json!({ "resolved": resolved })).send().await
    };
    let comment = request.post(&world.edit, "Settled?").await;
    let reply = request.reply(&world.comment, &comment, "Yes").await;
    settle(&request, &world.comment, &comment, &reply, true)
        .await
        .expect(403);
    settle(&request, &world.review, &comment, &reply, true)
        .await
        .expect(200);
    assert_eq!(request.read(&world.read, &comment).await["status"], "resolved");
    settle(&request, &world.edit, &comment, &reply, false).await.expect(200);
    assert_eq!(request.read(&world.edit, &comment).await["status"], "open");
    let comment = space.post(&world.edit, "Settled?").await;
    let reply = space.reply(&world.comment, &comment, "Yes").await;
    let answer = settle(&space, &world.edit, &comment, &reply, true).await;
    answer.has_detail("/body/resolved", "unknown-member");
}
