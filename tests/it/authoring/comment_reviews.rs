//! Comments that are posted with reviews, and who takes part in a change request by commenting.

use serde_json::{Value, json};

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::World,
};

on_each_database![
    a_review_comes_with_a_comment,
    a_review_without_a_text_has_no_comment,
    an_author_of_comments_is_a_contributor,
];

async fn submit(world: &World, request: &Value, body: Value) -> Value {
    let call = world.review.client.call("submitChangeRequestReview").space(world.space);
    let call = call.path("changeRequestId", request["id"].as_str().unwrap());
    call.json(body).expect(201).await
}

async fn a_review_comes_with_a_comment(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Reviewed").await;
    let place = Place::request(&world, &request);
    let body = json!({ "status": "changes-requested", "comment": { "markdown": "Not **yet**" } });
    let review = submit(&world, &request, body).await;
    let comment = &review["comment"];
    let target = json!({
        "space": world.space, "changeRequest": request["id"], "review": review["id"], "revision": review["revision"],
    });
    assert_eq!(comment["target"], target);
    assert_eq!(comment["body"]["markdown"], "Not **yet**");
    assert_eq!(comment["postedBy"]["displayName"], "review");
    assert_eq!(&place.read(&world.review, comment).await, comment);
    let list = place.call(&world.review, "listComments").expect(200).await;
    assert_eq!(list, json!({ "count": 1, "items": [comment] }));
    assert_eq!(place.counted(&world).await, 1);

    submit(&world, &request, json!({ "status": "approved" })).await;
    place.reply(&world.edit, comment, "Now?").await;
    let reviews = world
        .review
        .client
        .call("getReviewsByChangeRequestId")
        .space(world.space);
    let reviews = reviews.path("changeRequestId", request["id"].as_str().unwrap());
    let reviews = reviews.query("format", "document").expect(200).await;
    assert!(reviews["items"][0].get("comment").is_none());
    let shown = place
        .on(&world.review, "getComment", comment)
        .query("format", "document");
    let shown = shown.expect(200).await;
    assert_eq!(shown["replies"], 1);
    assert_eq!(reviews["items"][1]["comment"], shown);
    let get = |format: &str| {
        let get = world
            .review
            .client
            .call("getChangeRequestReviewById")
            .space(world.space);
        let get = get.path("changeRequestId", request["id"].as_str().unwrap());
        get.path("reviewId", review["id"].as_str().unwrap())
            .query("format", format)
    };
    assert_eq!(get("document").expect(200).await["comment"], shown);
    assert_eq!(
        get("markdown").expect(200).await["comment"],
        place.read(&world.review, comment).await
    );
    // A comment may go without the review.
    place.on(&world.review, "deleteComment", comment).expect(204).await;
    assert!(get("markdown").expect(200).await.get("comment").is_none());
}

async fn a_review_without_a_text_has_no_comment(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Reviewed").await;
    let place = Place::request(&world, &request);
    for empty in [json!({}), json!({ "markdown": " \n" })] {
        let review = submit(&world, &request, json!({ "status": "approved", "comment": empty })).await;
        assert!(review.get("comment").is_none());
    }
    let call = world.review.client.call("submitChangeRequestReview").space(world.space);
    let call = call.path("changeRequestId", request["id"].as_str().unwrap());
    let body = json!({ "status": "approved", "comment": { "markdown": "a\n\n".repeat(10_001) } });
    call.json(body)
        .send()
        .await
        .has_detail("/body/comment/markdown", "too-many-nodes");
    assert_eq!(place.call(&world.read, "listComments").expect(200).await["count"], 0);
    let reviews = world.read.client.call("getReviewsByChangeRequestId").space(world.space);
    let reviews = reviews.path("changeRequestId", request["id"].as_str().unwrap());
    assert_eq!(reviews.expect(200).await["count"], 2);
}

async fn an_author_of_comments_is_a_contributor(database: TestDatabase) {
    let world = World::new(database).await;
    let request = world.change_request(&world.edit, "Discussed").await;
    let place = Place::request(&world, &request);
    let comment = place.post(&world.comment, "One").await;
    place.reply(&world.comment, &comment, "Two").await;
    submit(
        &world,
        &request,
        json!({ "status": "approved", "comment": { "markdown": "Three" } }),
    )
    .await;
    Place::space(&world).post(&world.edit, "Elsewhere").await;
    let list = world
        .read
        .client
        .call("getContributorsByChangeRequestId")
        .space(world.space);
    let list = list
        .path("changeRequestId", request["id"].as_str().unwrap())
        .expect(200)
        .await;
    assert!(texts(&list, "/actionType").iter().all(|action| action == "comment"));
    let mut people: Vec<(String, Value)> = list["items"].as_array().unwrap().iter().map(counted).collect();
    people.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(
        people,
        [("comment".to_owned(), json!(2)), ("review".to_owned(), json!(1))]
    );
    // Filters by contributor are about edits.
    let list = world.read.client.call("listChangeRequestsForSpace").space(world.space);
    let list = list
        .query("status", "draft")
        .query("contributor", world.comment.id)
        .expect(200)
        .await;
    assert_eq!(list["count"], 0);
}

fn counted(contributor: &Value) -> (String, Value) {
    let name = contributor["user"]["displayName"].as_str().unwrap();
    (name.to_owned(), contributor["count"].clone())
}
