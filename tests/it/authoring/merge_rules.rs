//! Merge rules: which of them keep a change request from being merged, and by whom.

use bindery::areas::authoring::change_requests::rules::{self, UnmetRule};
use entity::{authoring::change_requests, library::spaces};
use openapi::{enums::Enumeration as _, error::ErrorRule};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    recount::counters_are_right,
    requests::request_id,
    world::{Person, World},
};

on_each_database![
    rules_about_the_change_request_itself,
    rules_about_reviews,
    an_approval_is_of_one_content_and_not_by_the_creator,
    named_reviewers_have_to_approve,
    everybody_who_was_asked_or_reviewed_has_to_approve,
    rules_come_from_the_space_or_from_the_organization,
    a_merge_waits_for_the_rules,
];

async fn set(world: &World, rules: Value) {
    let update = world.admin.client.call("updateSpaceById").space(world.space);
    let body = json!({ "mergeRules": { "type": "rules", "rules": rules } });
    update.json(body).expect(200).await;
}

async fn unmet(world: &World, by: &Person, request: &Value) -> Vec<UnmetRule> {
    let db = world.app().kernel.db.read();
    let request = change_requests::Entity::find_by_id(request_id(request));
    let request = request.one(db).await.unwrap().unwrap();
    let space = spaces::Entity::find_by_id(world.space).one(db).await.unwrap().unwrap();
    rules::unmet_rules(db, by.id, &request, &space, world.organization)
        .await
        .unwrap()
}

/// The names of the rules that keep somebody from merging.
async fn codes(world: &World, by: &Person, request: &Value) -> Vec<&'static str> {
    unmet(world, by, request)
        .await
        .iter()
        .map(|rule| rule.code.as_str())
        .collect()
}

async fn submit(by: &Person, world: &World, request: &Value, status: &str) {
    let call = by.client.call("submitChangeRequestReview").space(world.space);
    let call = call.path("changeRequestId", request_id(request));
    call.json(json!({ "status": status })).expect(201).await;
}

async fn rules_about_the_change_request_itself(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "  ").await;
    set(
        &world,
        json!([
            { "rule": "require_change_request_subject" },
            { "rule": "require_change_request_description" },
            { "rule": "require_up_to_date_change_request" },
            { "rule": "require_author_to_merge" },
            { "rule": "require_agent_review" },
            { "rule": "custom", "expression": "true", "message": "Ask the safety team." },
        ]),
    )
    .await;
    let expected = [
        "require-change-request-subject",
        "require-change-request-description",
        "require-agent-review",
        "custom",
    ];
    assert_eq!(codes(&world, &world.edit, &request).await, expected);
    let by_other = unmet(&world, &world.admin, &request).await;
    let author = by_other
        .iter()
        .find(|rule| rule.code == ErrorRule::RequireAuthorToMerge);
    assert!(author.unwrap().message.contains("edit"), "{author:?}");
    let leaf = json!({ "object": "leaf", "text": "Why", "marks": [] });
    let text = json!({ "object": "text", "leaves": [leaf] });
    let block = json!({ "object": "block", "type": "paragraph", "nodes": [text] });
    let description = json!({ "object": "document", "data": {}, "nodes": [block] });
    world
        .patch(&request, json!({ "subject": "What", "description": description }))
        .await;
    assert_eq!(
        codes(&world, &world.edit, &request).await,
        ["require-agent-review", "custom"]
    );
    world.set_content().await;
    assert_eq!(
        codes(&world, &world.edit, &request).await,
        ["require-up-to-date-change-request", "require-agent-review", "custom"]
    );
    let refused = rules::require_none(unmet(&world, &world.edit, &request).await).unwrap_err();
    let body = serde_json::to_value(refused.body(None)).unwrap();
    assert_eq!(
        (&body["error"]["code"], &body["error"]["type"]),
        (&json!(412), &json!("merge-rules"))
    );
    assert_eq!(body["error"]["details"][2]["code"], "custom");
    let message = body["error"]["details"][2]["message"].as_str().unwrap();
    assert!(message.starts_with("Ask the safety team. "), "{message}");
    assert_eq!(body["error"]["details"][2]["pointer"], "/path/changeRequestId");
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.contains(body["error"]["details"][0]["message"].as_str().unwrap()));
}

async fn rules_about_reviews(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Reviewed").await;
    set(
        &world,
        json!([{ "rule": "require_at_least_one_review" }, { "rule": "require_at_least_one_approved_review" }]),
    )
    .await;
    let (reviewed, approved) = ("require-at-least-one-review", "require-at-least-one-approved-review");
    assert_eq!(codes(&world, &world.edit, &request).await, [reviewed, approved]);
    submit(&world.review, &world, &request, "changes-requested").await;
    assert_eq!(codes(&world, &world.edit, &request).await, [approved]);
    submit(&world.review, &world, &request, "approved").await;
    assert_eq!(codes(&world, &world.edit, &request).await, [""; 0]);
    // The last review is what somebody thinks.
    submit(&world.review, &world, &request, "changes-requested").await;
    assert_eq!(codes(&world, &world.edit, &request).await, [approved]);
    submit(&world.create, &world, &request, "approved").await;
    assert_eq!(codes(&world, &world.edit, &request).await, [""; 0]);
}

async fn an_approval_is_of_one_content_and_not_by_the_creator(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.review, "Mine").await;
    set(&world, json!([{ "rule": "require_at_least_one_approved_review" }])).await;
    let rule = ["require-at-least-one-approved-review"];
    submit(&world.review, &world, &request, "approved").await;
    assert_eq!(codes(&world, &world.admin, &request).await, rule);
    submit(&world.create, &world, &request, "approved").await;
    assert_eq!(codes(&world, &world.admin, &request).await, [""; 0]);
    world.set_revision(&request).await;
    assert_eq!(codes(&world, &world.admin, &request).await, rule);
    submit(&world.create, &world, &request, "approved").await;
    assert_eq!(codes(&world, &world.admin, &request).await, [""; 0]);
}

async fn named_reviewers_have_to_approve(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Named").await;
    let (review, create) = (world.review.id.to_string(), world.create.id.to_string());
    set(
        &world,
        json!([
            { "rule": "require_specific_reviewers", "users": [review, create] },
            { "rule": "require_one_of_specific_reviewers", "users": [review, create] },
            { "rule": "require_one_of_specific_reviewers", "users": [] },
            { "rule": "require_specific_reviewers", "users": [] },
        ]),
    )
    .await;
    let messages = async || {
        let unmet = unmet(&world, &world.admin, &request).await;
        unmet.into_iter().map(|rule| rule.message).collect::<Vec<_>>()
    };
    let nobody = "A rule requires the approval of one of its users, but names no users.";
    let before = messages().await;
    assert_eq!(before.len(), 3, "{before:?}");
    assert!(
        before[0].contains("review") && before[0].contains("create"),
        "{before:?}"
    );
    assert_eq!(before[2], nobody);
    submit(&world.create, &world, &request, "approved").await;
    submit(&world.review, &world, &request, "changes-requested").await;
    assert_eq!(
        messages().await,
        ["The current revision is not approved by: review.", nobody]
    );
    submit(&world.review, &world, &request, "approved").await;
    assert_eq!(messages().await, [nobody]);
}

async fn everybody_who_was_asked_or_reviewed_has_to_approve(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Asked").await;
    set(&world, json!([{ "rule": "require_all_reviews_approved" }])).await;
    assert_eq!(codes(&world, &world.edit, &request).await, [""; 0]);
    let ask = world
        .edit
        .client
        .call("requestReviewersForChangeRequest")
        .space(world.space);
    let ask = ask.path("changeRequestId", request_id(&request));
    ask.json(json!({ "users": [world.create.id, world.edit.id] }))
        .expect(200)
        .await;
    submit(&world.review, &world, &request, "changes-requested").await;
    let missing = async || unmet(&world, &world.edit, &request).await.remove(0).message;
    let message = missing().await;
    assert!(message.contains("create") && message.contains("review"), "{message}");
    assert!(!message.contains("edit"), "{message}");
    submit(&world.create, &world, &request, "approved").await;
    assert_eq!(missing().await, "The current revision is not approved by: review.");
    submit(&world.review, &world, &request, "approved").await;
    assert_eq!(codes(&world, &world.edit, &request).await, [""; 0]);
}

async fn rules_come_from_the_space_or_from_the_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "").await;
    let of_organization = async |rules: Value| {
        let update = world.admin.client.call("updateOrganizationById").here(&world);
        update.json(json!({ "mergeRules": rules })).expect(200).await;
    };
    let of_space = async |rules: Value| {
        let update = world.admin.client.call("updateSpaceById").space(world.space);
        update.json(json!({ "mergeRules": rules })).expect(200).await;
    };
    let rule = ["require-change-request-subject"];
    let rules = |more: Value| {
        let mut rules = vec![json!({ "rule": "require_change_request_subject" })];
        rules.extend(more.as_array().cloned().unwrap_or_default());
        json!({ "type": "rules", "rules": rules })
    };
    assert_eq!(codes(&world, &world.edit, &request).await, [""; 0]);
    of_organization(rules(json!([]))).await;
    assert_eq!(codes(&world, &world.edit, &request).await, rule);
    of_space(json!({ "type": "none" })).await;
    assert_eq!(codes(&world, &world.edit, &request).await, [""; 0]);
    of_organization(json!({ "type": "none" })).await;
    let bypass = json!([{ "rule": "allow_bypass", "users": [world.review.id] }]);
    of_space(rules(bypass)).await;
    assert_eq!(codes(&world, &world.edit, &request).await, rule);
    assert_eq!(codes(&world, &world.review, &request).await, [""; 0]);
    of_space(json!({ "type": "inherit" })).await;
    assert_eq!(codes(&world, &world.edit, &request).await, [""; 0]);
}

async fn a_merge_waits_for_the_rules(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.admin, "").await;
    set(
        &world,
        json!([
            { "rule": "require_at_least_one_approved_review" },
            { "rule": "require_change_request_subject" },
            { "rule": "allow_bypass", "users": [world.create.id] },
        ]),
    )
    .await;
    let merge = async |by: &Person| {
        let call = by.client.call("mergeChangeRequest").space(world.space);
        call.path("changeRequestId", request_id(&request)).send().await
    };
    let pointer = || "/path/changeRequestId".to_owned();
    let missing = ["require-at-least-one-approved-review", "require-change-request-subject"]
        .map(|code| (pointer(), code.to_owned()));
    let refused = merge(&world.admin).await;
    assert_eq!(refused.expect(412)["error"]["type"], "merge-rules");
    assert_eq!(refused.details(), missing);
    submit(&world.admin, &world, &request, "approved").await;
    assert_eq!(merge(&world.admin).await.details(), missing, "creators do not approve");
    submit(&world.review, &world, &request, "approved").await;
    assert_eq!(merge(&world.admin).await.details(), missing[1..]);
    assert_eq!(world.read_request(&request).await["status"], "draft");
    assert_eq!(merge(&world.create).await.expect(200)["result"], "merge");
    assert_eq!(world.read_request(&request).await["status"], "merged");
    assert_eq!(
        merge(&world.create).await.expect(409)["error"]["type"],
        "change-request-merged"
    );
    counters_are_right(&world.app().kernel.db, "after the merge").await;
}
