//! Who may do what with comments, in spaces and in change requests.

use serde_json::{Value, json};

use crate::support::{
    comments::{Place, permissions},
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    everybody_does_what_they_may,
    refused_changes_change_nothing,
    guests_do_not_learn_who_commented,
    authors_delete_what_is_theirs,
];

async fn everybody_does_what_they_may(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "Mine").await;
        let reply = place.reply(&world.comment, &comment, "Mine too").await;
        let text = json!({ "body": { "markdown": "Yours" } });
        for (by, edit, comments, resolve, delete) in [
            (&world.read, false, false, false, false),
            (&world.comment, true, true, true, true),
            (&world.edit, false, true, true, false),
            (&world.review, false, true, true, false),
            (&world.create, false, true, true, false),
            (&world.admin, false, true, true, true),
        ] {
            let expected = permissions(edit, comments, delete);
            assert_eq!(place.read(by, &comment).await["permissions"], expected, "{}", by.email);
            assert_eq!(place.read_reply(by, &comment, &reply).await["permissions"], expected);
            let status = |may: bool| if may { 200 } else { 403 };
            let put = async |body: Value| place.on(by, "updateComment", &comment).json(body).send().await.status;
            assert_eq!(put(text.clone()).await, status(edit), "{}", by.email);
            assert_eq!(put(json!({ "resolved": true })).await, status(resolve), "{}", by.email);
            assert_eq!(put(json!({ "addedReactions": ["1f44d"] })).await, status(comments));
            let put = place
                .on_reply(by, "updateCommentReply", &comment, &reply)
                .json(text.clone());
            assert_eq!(put.send().await.status, status(edit), "{}", by.email);
            let reply_to = place.on(by, "postCommentReply", &comment).json(text.clone());
            assert_eq!(reply_to.send().await.status, status(comments));
            if !delete {
                place.on(by, "deleteComment", &comment).expect(403).await;
                place
                    .on_reply(by, "deleteCommentReply", &comment, &reply)
                    .expect(403)
                    .await;
            }
        }
        // Those who may not edit resolve only what is theirs.
        let other = world.another_commenter().await;
        let put = place.on(&other, "updateComment", &comment);
        put.json(json!({ "resolved": false })).expect(403).await;
        place
            .on_reply(&world.admin, "deleteCommentReply", &comment, &reply)
            .expect(204)
            .await;
        place.on(&world.admin, "deleteComment", &comment).expect(204).await;
    }
}

async fn refused_changes_change_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "Mine").await;
        let body = json!({ "resolved": true, "addedReactions": ["1f44d"], "body": { "markdown": "Yours" } });
        place
            .on(&world.edit, "updateComment", &comment)
            .json(body)
            .expect(403)
            .await;
        let other = world.another_commenter().await;
        let body = json!({ "addedReactions": ["1f44d"], "resolved": true });
        place.on(&other, "updateComment", &comment).json(body).expect(403).await;
        assert_eq!(place.read(&world.comment, &comment).await, comment);
    }
}

async fn guests_do_not_learn_who_commented(database: TestDatabase) {
    let world = World::new(database).await;
    world.share(json!({ "users": [world.guest.id] })).await;
    for place in Place::both(&world).await {
        place.call(&world.guest, "listComments").expect(200).await;
        place.call(&world.guest, "listCommenters").expect(403).await;
    }
}

async fn authors_delete_what_is_theirs(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let author = world.another_commenter().await;
        let comment = place.post(&author, "Mine").await;
        let reply = place.reply(&author, &comment, "Mine too").await;
        let demote = world.admin.client.call("updateMemberInOrganizationById").here(&world);
        let demote = demote.path("userId", author.id).json(json!({ "role": "read" }));
        demote.expect(200).await;
        assert_eq!(
            place.read(&author, &comment).await["permissions"],
            permissions(false, false, true)
        );
        let gone = [("deleteCommentReply", 204), ("deleteCommentReply", 204)];
        for (operation, status) in gone {
            place
                .on_reply(&author, operation, &comment, &reply)
                .expect(status)
                .await;
        }
        for by in [&author, &author, &world.read] {
            place.on(by, "deleteComment", &comment).expect(204).await;
        }
    }
}
