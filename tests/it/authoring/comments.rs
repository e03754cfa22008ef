//! Comments, in spaces and in change requests.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    comments::{Place, permissions},
    database::{TestDatabase, on_each_database},
    paths::{sorted, texts},
    world::{Person, World},
};

on_each_database![
    a_comment_in_a_space,
    a_comment_in_a_change_request,
    lists_are_ordered_and_filtered,
    filters_are_walked_page_by_page,
    resolved_comments_can_be_opened_again,
    every_place_has_its_own_comments,
    authors_of_comments_are_listed,
    deleting_takes_everything_along,
    comments_are_events,
];

fn texts_of(list: &Value) -> Vec<String> {
    let bodies = texts(list, "/body/markdown");
    assert_eq!(list["count"], bodies.len());
    bodies
}

fn new_comment(place: Value, made: &Value, by: &Person, text: &str) -> Value {
    let mut target = json!({ "space": made["target"]["space"], "revision": made["target"]["revision"] });
    target
        .as_object_mut()
        .unwrap()
        .extend(place.as_object().unwrap().clone());
    assert_eq!(made["postedBy"]["id"], by.id.to_string());
    json!({
        "object": "comment", "id": made["id"], "postedBy": made["postedBy"], "postedAt": "2026-11-21T12:00:00.000Z",
        "reactions": [], "replies": 0, "repliers": [], "body": { "markdown": text }, "target": target,
        "urls": made["urls"], "permissions": permissions(true, true, true), "status": "open",
    })
}

async fn a_comment_in_a_space(database: TestDatabase) {
    let world = World::new(database).await;
    let (by, space) = (&world.comment, world.space);
    let call = by.client.call("postCommentInSpace").space(space);
    let made = call
        .json(json!({ "body": { "markdown": "Why *this*?" } }))
        .expect(200)
        .await;
    assert_eq!(made, new_comment(json!({}), &made, by, "Why *this*?"));
    let current = world
        .read
        .client
        .call("getCurrentRevision")
        .space(space)
        .expect(200)
        .await;
    assert_eq!(made["target"], json!({ "space": space, "revision": current["id"] }));
    let id = made["id"].as_str().unwrap();
    let location = made["urls"]["location"].as_str().unwrap();
    assert!(
        location.ends_with(&format!("/v1/spaces/{space}/comments/{id}")),
        "{location}"
    );

    let get = by.client.call("getCommentInSpace").space(space).path("commentId", id);
    assert_eq!(get.expect(200).await, made);
    let list = by.client.call("listCommentsInSpace").space(space).expect(200).await;
    // The other one is part of the world.
    assert_eq!(list["count"], 2);
    assert_eq!(list["items"][0], made);
    world.clock().advance(TimeDelta::seconds(5));
    let put = by
        .client
        .call("updateCommentInSpace")
        .space(space)
        .path("commentId", id);
    let edited = put.json(json!({ "body": { "markdown": "Why?" } })).expect(200).await;
    let mut expected = made.clone();
    expected["body"] = json!({ "markdown": "Why?" });
    expected["editedAt"] = json!("2026-11-21T12:00:05.000Z");
    assert_eq!(edited, expected);
    let people = by.client.call("listCommentersInSpace").space(space).expect(200).await;
    assert_eq!(sorted(&people, "/user/displayName"), ["admin", "comment"]);
    for _ in 0..2 {
        let delete = by
            .client
            .call("deleteCommentInSpace")
            .space(space)
            .path("commentId", id);
        delete.expect(204).await;
        let get = by.client.call("getCommentInSpace").space(space).path("commentId", id);
        get.expect(404).await;
    }
}

async fn a_comment_in_a_change_request(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Discussed").await;
    let (by, space, number) = (&world.comment, world.space, request["number"].as_u64().unwrap());
    let call = |id: &str| by.client.call(id).space(space).path("changeRequestId", number);
    let post = by.client.call("postCommentInChangeRequest").space(space);
    let post = post.path("changeRequestId", number);
    let made = post.json(json!({ "body": { "markdown": "Why?" } })).expect(200).await;
    let place = json!({ "changeRequest": request["id"] });
    assert_eq!(made, new_comment(place, &made, by, "Why?"));
    assert_eq!(made["target"]["revision"], request["revision"]);
    let id = made["id"].as_str().unwrap();
    let location = made["urls"]["location"].as_str().unwrap();
    let path = format!("/change-requests/{}/comments/{id}", request["id"].as_str().unwrap());
    assert!(location.ends_with(&path), "{location}");

    let get = by.client.call("getCommentInChangeRequest").space(space);
    let get = get.path("changeRequestId", number).path("commentId", id);
    assert_eq!(get.expect(200).await, made);
    let list = by.client.call("listCommentsInChangeRequest").space(space);
    let list = list.path("changeRequestId", number).expect(200).await;
    assert_eq!(list, json!({ "count": 1, "items": [made] }));
    let put = by.client.call("updateCommentInChangeRequest").space(space);
    let put = put.path("changeRequestId", number).path("commentId", id);
    let edited = put
        .json(json!({ "body": { "markdown": "Why not?" } }))
        .expect(200)
        .await;
    assert_eq!(edited["body"]["markdown"], "Why not?");
    let people = by.client.call("listCommentersInChangeRequest").space(space);
    let people = people.path("changeRequestId", number).expect(200).await;
    assert_eq!(texts(&people, "/user/displayName"), ["comment"]);
    // What is over can still be talked about.
    world.patch(&request, json!({ "status": "archived" })).await;
    let post = call("postCommentInChangeRequest");
    post.json(json!({ "body": { "markdown": "A pity." } }))
        .expect(200)
        .await;
    for _ in 0..2 {
        let delete = by.client.call("deleteCommentInChangeRequest").space(space);
        let delete = delete.path("changeRequestId", number).path("commentId", id);
        delete.expect(204).await;
    }
    let list = call("listCommentsInChangeRequest").expect(200).await;
    assert_eq!(texts_of(&list), ["A pity."]);
}

/// Comments of three people on two pages, some of them resolved.
async fn many(world: &World, place: &Place) -> Vec<Value> {
    let pages = [world.own("pageId"), page_above(world).await];
    let mut made = Vec::new();
    for (i, by) in [&world.comment, &world.edit, &world.comment, &world.review, &world.edit]
        .into_iter()
        .enumerate()
    {
        let mut body = json!({ "body": { "markdown": format!("{i}") } });
        if i > 0 {
            body["page"] = json!(pages[i % 2]);
        }
        let comment = place.post_body(by, body).await;
        if i % 2 == 1 {
            place.update(by, &comment, json!({ "resolved": true })).await;
        }
        // Replies are in no list of comments.
        place.reply(&world.admin, &comment, "Reply").await;
        made.push(comment);
    }
    made
}

async fn page_above(world: &World) -> String {
    let pages = world
        .admin
        .client
        .call("listPages")
        .space(world.space)
        .expect(200)
        .await;
    let pages = pages["pages"].as_array().unwrap();
    let above = pages.iter().find(|page| page["title"] == "Maintenance").unwrap();
    above["id"].as_str().unwrap().to_owned()
}

async fn lists_are_ordered_and_filtered(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Discussed").await;
    let place = Place::request(&world, &request);
    many(&world, &place).await;
    let list = async |query: &[(&str, String)]| {
        let call = place.call(&world.read, "listComments");
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        texts_of(&call.expect(200).await)
    };
    let text = |text: &str| text.to_owned();
    let page = world.own("pageId");
    assert_eq!(list(&[]).await, ["4", "3", "2", "1", "0"]);
    assert_eq!(list(&[("order", text("asc"))]).await, ["0", "1", "2", "3", "4"]);
    assert_eq!(list(&[("status", text("all"))]).await, ["4", "3", "2", "1", "0"]);
    assert_eq!(list(&[("status", text("open"))]).await, ["4", "2", "0"]);
    assert_eq!(list(&[("status", text("resolved"))]).await, ["3", "1"]);
    assert_eq!(list(&[("targetPage", page.clone())]).await, ["4", "2"]);
    for none in ["x", &world.space.to_string()] {
        assert_eq!(list(&[("targetPage", text(none))]).await, Vec::<String>::new());
        assert_eq!(list(&[("authors", text(none))]).await, Vec::<String>::new());
    }
    let authors = [&world.review, &world.edit].map(|person| ("authors", person.id.to_string()));
    assert_eq!(list(&authors).await, ["4", "3", "1"]);
    let [review, edit] = authors;
    assert_eq!(list(std::slice::from_ref(&review)).await, ["3"]);
    let all = [
        edit,
        review,
        ("status", text("open")),
        ("targetPage", page),
        ("order", text("asc")),
    ];
    assert_eq!(list(&all).await, ["4"]);
}

async fn filters_are_walked_page_by_page(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        many(&world, &place).await;
        for order in ["asc", "desc"] {
            for (filter, value) in [
                ("status", "open".to_owned()),
                ("targetPage", world.own("pageId")),
                ("authors", world.comment.id.to_string()),
            ] {
                let call = || {
                    let call = place.call(&world.read, "listComments");
                    call.query("order", order).query(filter, &value)
                };
                let expected = texts(&call().expect(200).await, "/id");
                assert!(expected.len() > 1);
                let (mut walked, mut next): (Vec<String>, Option<String>) = (Vec::new(), None);
                for _ in 0..expected.len() {
                    let call = call().query("limit", 1);
                    let call = match &next {
                        Some(page) => call.query("page", page),
                        None => call,
                    };
                    let page = call.expect(200).await;
                    assert_eq!(page["count"], expected.len());
                    walked.extend(texts(&page, "/id"));
                    next = page["next"]["page"].as_str().map(str::to_owned);
                }
                assert_eq!((walked, next), (expected, None), "{filter} {order}");
            }
        }
        // A cursor belongs to its filters.
        let page = place
            .call(&world.read, "listComments")
            .query("limit", 1)
            .expect(200)
            .await;
        let other = place.call(&world.read, "listComments").query("status", "open");
        let other = other.query("page", page["next"]["page"].as_str().unwrap());
        other.send().await.has_detail("/query/page", "page");
    }
}

async fn resolved_comments_can_be_opened_again(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "Settled?").await;
        world.clock().advance(TimeDelta::seconds(5));
        let now = world.app().kernel.clock.now().to_utc();
        let resolved = place.update(&world.edit, &comment, json!({ "resolved": true })).await;
        let mut expected = comment.clone();
        expected["status"] = json!("resolved");
        expected["resolvedAt"] = json!(now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
        expected["resolvedBy"] = resolved["resolvedBy"].clone();
        expected["permissions"] = permissions(false, true, false);
        assert_eq!(resolved, expected);
        assert_eq!(resolved["resolvedBy"]["displayName"], "edit");
        // Once more is as it was.
        world.clock().advance(TimeDelta::seconds(5));
        let again = place.update(&world.review, &comment, json!({ "resolved": true })).await;
        assert_eq!(again, expected);
        place.reply(&world.another_commenter().await, &comment, "Still?").await;
        let opened = place
            .update(&world.comment, &comment, json!({ "resolved": false }))
            .await;
        assert_eq!(opened["status"], "open");
        assert!(opened.get("resolvedAt").is_none() && opened.get("resolvedBy").is_none());
        let again = place
            .update(&world.comment, &comment, json!({ "resolved": false }))
            .await;
        assert_eq!(again, opened);
        // Nothing at all is fine too.
        assert_eq!(place.update(&world.comment, &comment, json!({})).await, opened);
    }
}

async fn every_place_has_its_own_comments(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, request] = Place::both(&world).await;
    let other = Place::request(&world, &world.change_request(&world.edit, "Other").await);
    let foreign = json!({ "id": world.foreign("commentId") });
    let (in_space, in_request) = (
        space.post(&world.comment, "In the space").await,
        request.post(&world.comment, "In the change request").await,
    );
    let list = space
        .call(&world.read, "listComments")
        .query("limit", 1)
        .expect(200)
        .await;
    assert_eq!(texts(&list, "/body/markdown"), ["In the space"]);
    assert_eq!(other.call(&world.read, "listComments").expect(200).await["count"], 0);
    for (place, comments) in [
        (&space, [&in_request, &foreign]),
        (&request, [&in_space, &foreign]),
        (&other, [&in_space, &in_request]),
    ] {
        for comment in comments {
            place.on(&world.admin, "getComment", comment).expect(404).await;
            let put = place.on(&world.admin, "updateComment", comment);
            put.json(json!({ "resolved": true })).expect(404).await;
            place.on(&world.admin, "deleteComment", comment).expect(204).await;
            place.on(&world.admin, "listCommentReplies", comment).expect(404).await;
            let reply = place.on(&world.admin, "postCommentReply", comment);
            reply.json(json!({ "body": {} })).expect(404).await;
        }
    }
    assert_eq!(space.read(&world.comment, &in_space).await, in_space);
    assert_eq!(request.read(&world.comment, &in_request).await, in_request);
}

async fn authors_of_comments_are_listed(database: TestDatabase) {
    let world = World::new(database).await;
    let [space, request] = Place::both(&world).await;
    let people = async |place: &Place| {
        let list = place.call(&world.read, "listCommenters").expect(200).await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
        sorted(&list, "/user/displayName")
    };
    assert_eq!(people(&request).await, Vec::<String>::new());
    let comment = request.post(&world.comment, "One").await;
    request.post(&world.comment, "Two").await;
    let reply = request.reply(&world.edit, &comment, "Three").await;
    assert_eq!(people(&request).await, ["comment", "edit"]);
    assert_eq!(people(&space).await, ["admin"]);
    let members = request.call(&world.read, "listCommenters").expect(200).await;
    assert_eq!(members["items"][0]["object"], "member");
    request
        .on_reply(&world.edit, "deleteCommentReply", &comment, &reply)
        .expect(204)
        .await;
    assert_eq!(people(&request).await, ["comment"]);
    // Whoever is no member any more is none of them.
    let leave = world
        .comment
        .client
        .call("removeMemberFromOrganizationById")
        .here(&world);
    leave.path("userId", world.comment.id).expect(204).await;
    assert_eq!(people(&request).await, Vec::<String>::new());
    let kept = request.read(&world.read, &comment).await;
    assert_eq!(kept["postedBy"]["displayName"], "comment");
}

async fn deleting_takes_everything_along(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "Gone soon").await;
        let reply = place.reply(&world.edit, &comment, "Gone too").await;
        let reaction = json!({ "addedReactions": ["1f44d"] });
        place.update(&world.edit, &comment, reaction.clone()).await;
        let react = place.on_reply(&world.edit, "updateCommentReply", &comment, &reply);
        react.json(reaction).expect(200).await;
        place.on(&world.comment, "deleteComment", &comment).expect(204).await;
        place
            .on_reply(&world.edit, "getCommentReply", &comment, &reply)
            .expect(404)
            .await;
        place.on(&world.edit, "listCommentReplies", &comment).expect(404).await;
        place
            .on_reply(&world.edit, "deleteCommentReply", &comment, &reply)
            .expect(204)
            .await;
        let left = reactions_left(&world, &[&comment, &reply]).await;
        assert_eq!(left, 0);
    }
}

async fn reactions_left(world: &World, of: &[&Value]) -> u64 {
    use entity::authoring::comments::reactions::{Column, Entity};
    use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
    let ids: Vec<entity::ids::CommentId> = of
        .iter()
        .map(|it| it["id"].as_str().unwrap().parse().unwrap())
        .collect();
    let found = Entity::find().filter(Column::CommentId.is_in(ids));
    found.count(world.app().kernel.db.read()).await.unwrap()
}

async fn comments_are_events(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "A secret between us").await;
        place
            .update(
                &world.comment,
                &comment,
                json!({ "resolved": true, "body": { "markdown": "Secret" } }),
            )
            .await;
        place
            .update(&world.comment, &comment, json!({ "resolved": true }))
            .await;
        place.on(&world.comment, "deleteComment", &comment).expect(204).await;
        place.on(&world.comment, "deleteComment", &comment).expect(204).await;
        let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
        let events = events
            .query("target", comment["id"].as_str().unwrap())
            .expect(200)
            .await;
        let (area, name) = match place.is_request() {
            true => ("change_request_comments", "InChangeRequest"),
            false => ("comments", "InSpace"),
        };
        let action = |operation: &str| format!("{area}.{operation}{name}");
        let expected = [action("deleteComment"), action("updateComment"), action("postComment")];
        assert_eq!(texts(&events, "/action"), expected);
        for event in events["items"].as_array().unwrap() {
            let get = world.admin.client.call("getOrganizationAuditEvent").here(&world);
            let event = get
                .path("auditEventId", event["id"].as_str().unwrap())
                .expect(200)
                .await;
            assert!(!event.to_string().contains("ecret"), "{event}");
        }
    }
}
