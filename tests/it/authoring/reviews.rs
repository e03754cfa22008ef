//! Reviews of change requests, and who is asked for one.

use chrono::TimeDelta;
use entity::organizations::members::MemberRole;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::texts,
    requests::request_id,
    targets::{safe_documents, unsafe_documents},
    world::{Person, World},
};

on_each_database![
    a_review_is_of_the_content_at_that_time,
    a_requested_reviewer_is_listed_until_the_review,
    asking_changes_subject_and_description_too,
    asking_refuses_targets_that_run_in_a_browser,
    only_who_may_read_the_space_is_asked,
    a_requested_reviewer_reviews_once,
    a_request_for_a_review_is_taken_back,
    closed_change_requests_are_not_reviewed,
];

fn place<'a>(by: &'a Person, world: &World, operation: &str, request: &Value) -> Call<'a> {
    let call = by.client.call(operation).space(world.space);
    call.path("changeRequestId", request_id(request))
}

async fn submit(by: &Person, world: &World, request: &Value, status: &str) -> Value {
    let call = by.client.call("submitChangeRequestReview").space(world.space);
    let call = call.path("changeRequestId", request_id(request));
    call.json(json!({ "status": status })).expect(201).await
}

async fn ask(by: &Person, world: &World, request: &Value, people: &[&Person]) -> Value {
    let ids: Vec<String> = people.iter().map(|person| person.id.to_string()).collect();
    let call = by.client.call("requestReviewersForChangeRequest").space(world.space);
    let call = call.path("changeRequestId", request_id(request));
    call.json(json!({ "users": ids })).expect(200).await
}

/// Who is asked at present, the last first.
async fn asked(world: &World, request: &Value) -> Vec<String> {
    let call = world.read.client.call("getRequestedReviewersByChangeRequestId");
    let call = call.space(world.space).path("changeRequestId", request_id(request));
    let list = call.expect(200).await;
    let people = texts(&list, "/user/displayName");
    assert_eq!(list["count"], people.len());
    people
}

async fn a_review_is_of_the_content_at_that_time(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Reviewed").await;
    world.clock().advance(TimeDelta::seconds(5));
    let answer = place(&world.review, &world, "submitChangeRequestReview", &request)
        .json(json!({ "status": "approved" }))
        .send()
        .await;
    let first = answer.expect(201);
    assert_eq!(answer.headers["location"], first["urls"]["location"].as_str().unwrap());
    let expected = json!({
        "object": "change-request-review", "id": first["id"], "revision": request["revision"],
        "reviewer": first["reviewer"], "status": "approved", "outdated": false,
        "createdAt": "2026-11-21T12:00:05.000Z", "updatedAt": "2026-11-21T12:00:05.000Z", "urls": first["urls"],
    });
    assert_eq!(first, expected);
    assert_eq!(first["reviewer"]["id"], world.review.id.to_string());
    let location = first["urls"]["location"].as_str().unwrap();
    let path = format!(
        "/v1/spaces/{}/change-requests/{}/reviews/{}",
        world.space,
        request["id"].as_str().unwrap(),
        first["id"].as_str().unwrap()
    );
    assert!(location.ends_with(&path), "{location}");

    let revision = world.set_revision(&request).await;
    let second = submit(&world.review, &world, &request, "changes-requested").await;
    assert_eq!(second["revision"], revision.to_string());
    let list = async |outdated: Option<bool>| {
        let mut call = place(&world.read, &world, "getReviewsByChangeRequestId", &request);
        if let Some(outdated) = outdated {
            call = call.query("outdated", outdated);
        }
        let list = call.expect(200).await;
        let statuses = texts(&list, "/status");
        assert_eq!(list["count"], statuses.len());
        statuses
    };
    assert_eq!(list(None).await, ["changes-requested", "approved"]);
    assert_eq!(list(Some(true)).await, ["approved"]);
    assert_eq!(list(Some(false)).await, ["changes-requested"]);
    let get = world.read.client.call("getChangeRequestReviewById").space(world.space);
    let get = get.path("changeRequestId", request_id(&request));
    let read = get.path("reviewId", first["id"].as_str().unwrap()).expect(200).await;
    let mut expected = first.clone();
    expected["outdated"] = json!(true);
    assert_eq!(read, expected);
    // The review of one change request is none of another.
    let other = world.change_request(&world.edit, "Other").await;
    let get = place(&world.read, &world, "getChangeRequestReviewById", &other);
    get.path("reviewId", first["id"].as_str().unwrap()).expect(404).await;
    let get = world.read.client.call("getReviewsByChangeRequestId").space(world.space);
    let none = get.path("changeRequestId", request_id(&other)).expect(200).await;
    assert_eq!(none["count"], 0);
}

async fn a_requested_reviewer_is_listed_until_the_review(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Asked").await;
    let made = ask(&world.edit, &world, &request, &[&world.review, &world.comment]).await;
    let users = made["users"].as_array().unwrap();
    let expected = json!({
        "object": "change-request-requested-reviewer", "revision": request["revision"],
        "requestedBy": request["createdBy"], "createdAt": "2026-11-21T12:00:00.000Z", "kind": "user",
        "user": users[0]["user"],
    });
    assert_eq!(users[0], expected);
    let names: Vec<&Value> = users.iter().map(|user| &user["user"]["displayName"]).collect();
    assert_eq!(names, ["review", "comment"]);
    world.clock().advance(TimeDelta::seconds(5));
    // Who was asked before stays as they are.
    let again = ask(&world.admin, &world, &request, &[&world.admin, &world.review]).await;
    assert_eq!(again["users"][1], users[0]);
    assert_eq!(again["users"][0]["requestedBy"]["displayName"], "admin");
    let mut first_two = asked(&world, &request).await;
    assert_eq!(first_two.remove(0), "admin");
    first_two.sort();
    assert_eq!(first_two, ["comment", "review"]);

    let review = submit(&world.review, &world, &request, "changes-requested").await;
    assert_eq!(review["requestedBy"]["displayName"], "edit");
    assert_eq!(asked(&world, &request).await, ["admin", "comment"]);
    let unasked = submit(&world.review, &world, &request, "approved").await;
    assert!(unasked.get("requestedBy").is_none());
    let list = place(&world.read, &world, "getReviewsByChangeRequestId", &request);
    assert_eq!(texts(&list.expect(200).await, "/requestedBy/displayName"), ["", "edit"]);
}

async fn asking_changes_subject_and_description_too(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Before").await;
    world.clock().advance(TimeDelta::seconds(5));
    let call = place(&world.edit, &world, "requestReviewersForChangeRequest", &request);
    let body = json!({ "users": [], "subject": "After" });
    assert_eq!(call.json(body).expect(200).await, json!({ "users": [] }));
    let after = world.read_request(&request).await;
    assert_eq!(after["subject"], "After");
    assert!(after["updatedAt"].as_str() > request["updatedAt"].as_str());
    // Asking alone is no change of the change request.
    world.clock().advance(TimeDelta::seconds(5));
    ask(&world.edit, &world, &request, &[&world.review]).await;
    assert_eq!(world.read_request(&request).await, after);
}

async fn asking_refuses_targets_that_run_in_a_browser(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Before").await;
    let ask_with = |description: &Value| {
        let call = place(&world.edit, &world, "requestReviewersForChangeRequest", &request);
        call.json(json!({ "users": [world.review.id.to_string()], "description": description }))
    };
    for (description, pointer) in unsafe_documents() {
        let answer = ask_with(&description).send().await;
        answer.has_detail(&format!("/body/description{pointer}"), "unsafe-target");
    }
    assert_eq!(world.read_request(&request).await, request);
    assert!(asked(&world, &request).await.is_empty());
    for description in safe_documents() {
        ask_with(&description).expect(200).await;
        assert_eq!(world.read_request(&request).await["description"], description);
    }
}

async fn only_who_may_read_the_space_is_asked(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Asked").await;
    let shut_out = world.member("shut-out", Some(MemberRole::Read)).await;
    bindery::areas::organizations::members::set_disabled(&world.app().kernel, world.organization, shut_out.id, true)
        .await
        .unwrap();
    let users = [
        world.review.id.to_string(),
        world.guest.id.to_string(),
        world.stranger.id.to_string(),
        "nobody".to_owned(),
        shut_out.id.to_string(),
    ];
    let call = place(&world.edit, &world, "requestReviewersForChangeRequest", &request);
    let answer = call.json(json!({ "users": users, "subject": "Never" })).send().await;
    answer.expect(400);
    let detail = |i: usize, code: &str| (format!("/body/users/{i}"), code.to_owned());
    let expected = [
        detail(1, "no-access"),
        detail(2, "not-a-member"),
        detail(3, "not-a-member"),
        detail(4, "no-access"),
    ];
    assert_eq!(answer.details(), expected);
    assert_eq!(asked(&world, &request).await, Vec::<String>::new());
    assert_eq!(world.read_request(&request).await["subject"], "Asked");
    // Whoever was given a level may be asked, even if it does not suffice for an answer.
    world.share(json!({ "users": [world.guest.id] })).await;
    ask(&world.edit, &world, &request, &[&world.guest]).await;
    assert_eq!(asked(&world, &request).await, ["guest"]);
    let review = place(&world.guest, &world, "submitChangeRequestReview", &request);
    review.json(json!({ "status": "approved" })).expect(403).await;
}

async fn a_requested_reviewer_reviews_once(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Asked").await;
    let review = |by| place(by, &world, "submitChangeRequestReview", &request).json(json!({ "status": "approved" }));
    for by in [&world.comment, &world.edit] {
        review(by).expect(403).await;
        ask(&world.edit, &world, &request, &[by]).await;
        let made = review(by).expect(201).await;
        assert_eq!(made["requestedBy"]["id"], world.edit.id.to_string());
        review(by).expect(403).await;
    }
}

async fn a_request_for_a_review_is_taken_back(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Asked").await;
    ask(&world.edit, &world, &request, &[&world.review, &world.comment]).await;
    for _ in 0..2 {
        let call = world.edit.client.call("removeRequestedReviewerFromChangeRequest");
        let call = call.space(world.space).path("changeRequestId", request_id(&request));
        call.path("userId", world.review.id).expect(204).await;
        assert_eq!(asked(&world, &request).await, ["comment"]);
    }
    let review = submit(&world.review, &world, &request, "approved").await;
    assert!(review.get("requestedBy").is_none());
}

async fn closed_change_requests_are_not_reviewed(database: TestDatabase) {
    let world = World::new(database).await;
    let archived = world.change_request(&world.edit, "Archived").await;
    ask(&world.edit, &world, &archived, &[&world.review]).await;
    world.patch(&archived, json!({ "status": "archived" })).await;
    let merged = world.change_request(&world.edit, "Merged").await;
    world.set_merged(&merged).await;
    for (request, kind) in [
        (&archived, "change-request-archived"),
        (&merged, "change-request-merged"),
    ] {
        for (operation, body) in [
            ("submitChangeRequestReview", json!({ "status": "approved" })),
            (
                "requestReviewersForChangeRequest",
                json!({ "users": [world.comment.id] }),
            ),
        ] {
            let answer = place(&world.admin, &world, operation, request).json(body).send().await;
            assert_eq!(answer.expect(409)["error"]["type"], kind);
        }
    }
    assert_eq!(asked(&world, &archived).await, ["review"]);
    let back = place(
        &world.edit,
        &world,
        "removeRequestedReviewerFromChangeRequest",
        &archived,
    );
    back.path("userId", world.review.id).expect(204).await;
}
