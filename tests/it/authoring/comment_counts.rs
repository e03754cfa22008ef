//! How many comments there are.

use serde_json::json;

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![open_comments_are_counted, long_lists_are_counted_up_to_a_bound];

async fn open_comments_are_counted(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let before = place.counted(&world).await;
        let one = place.post(&world.comment, "One").await;
        let two = place.post(&world.edit, "Two").await;
        place.reply(&world.edit, &one, "No comment").await;
        assert_eq!(place.counted(&world).await, before + 2);
        place.update(&world.edit, &one, json!({ "resolved": true })).await;
        assert_eq!(place.counted(&world).await, before + 1);
        place.update(&world.edit, &one, json!({ "resolved": false })).await;
        assert_eq!(place.counted(&world).await, before + 2);
        for comment in [&one, &two] {
            place.on(&world.admin, "deleteComment", comment).expect(204).await;
        }
        assert_eq!(place.counted(&world).await, before);
    }
    let copy = world
        .admin
        .client
        .call("duplicateSpace")
        .space(world.space)
        .expect(201)
        .await;
    assert_eq!(copy["comments"], 0);
}

/// Kept counts are exact; other counts are exact up to 1,000.
async fn long_lists_are_counted_up_to_a_bound(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    let first = place.post(&world.comment, "The first of many").await;
    place.repeat(&world, &first, 998).await;
    let author = world.comment.id;
    let count = async |authors: bool, page: Option<&str>| {
        let list = place.call(&world.read, "listComments").query("limit", 10);
        let list = if authors { list.query("authors", author) } else { list };
        let list = match page {
            Some(page) => list.query("page", page),
            None => list,
        };
        let answer = list.expect(200).await;
        (
            answer.get("count").map(|count| count.as_u64().unwrap()),
            answer["next"]["page"].as_str().unwrap().to_owned(),
        )
    };
    let before = count(false, None).await.0.unwrap();
    assert_eq!(count(true, None).await.0, Some(999));
    place.post(&world.comment, "One more").await;
    assert_eq!(count(true, None).await.0, Some(1_000));
    place.post(&world.comment, "Too many").await;
    let (counted, next) = count(true, None).await;
    assert_eq!(counted, None);
    assert_eq!(count(true, Some(&next)).await.0, None);
    assert_eq!(count(false, None).await.0, Some(before + 2));
    let none = place
        .call(&world.read, "listComments")
        .query("limit", 0)
        .expect(200)
        .await;
    assert_eq!(none["count"], before + 2);
}
