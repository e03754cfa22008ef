//! Requests about comments that meet: nothing is lost, and everything that is counted is right.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entity::authoring::comments::{self, CommentStatus, counts, reactions};
use futures_util::future::join_all;
use platform::db::Backend;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    comments::Place,
    database::{TestDatabase, on_each_database},
    recount::counters_are_right,
    world::{Person, World},
};

on_each_database![
    many_post_at_once,
    one_person_reacts_many_times_at_once,
    numbers_of_comments_have_few_parts,
    replies_and_the_end_of_their_comment_meet,
    random_work_of_several_people_is_counted_right,
    the_last_comment_of_a_person_goes_while_another_comes,
];

async fn many_post_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let before = place.counted(&world).await;
        let people = [&world.comment, &world.edit, &world.review, &world.admin];
        let posts = (0..32).map(|i| place.post(people[i % people.len()], "At once"));
        let posted = join_all(posts).await;
        let ids: BTreeSet<&str> = posted.iter().map(|comment| comment["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 32);
        assert_eq!(place.counted(&world).await, before + 32);
        let replies = (0..16).map(|i| place.reply(people[i % people.len()], &posted[0], "At once"));
        join_all(replies).await;
        rows_are_shown(&world, &place, "after all").await;
    }
    counters_are_right(&world.app().kernel.db, "after all").await;
}

/// More posts than are summed up at once, and the end of what is left.
async fn numbers_of_comments_have_few_parts(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    let before = place.counted(&world).await;
    for _ in 0..10 {
        join_all((0..30).map(|_| place.post(&world.comment, "One of many"))).await;
    }
    let parts = async || {
        let parts = counts::Entity::find().filter(counts::Column::ListId.eq(place.list()));
        parts.all(world.app().kernel.db.read()).await.unwrap().len()
    };
    let most = match world.app().kernel.db.backend() {
        Backend::Sqlite => 1,
        Backend::Postgres => 200,
    };
    assert!(parts().await <= most);
    assert_eq!(place.counted(&world).await, before + 300);
    world.app().authoring.count_parts.sum_up().await.unwrap();
    assert_eq!(parts().await, 1);
    assert_eq!(place.counted(&world).await, before + 300);
    counters_are_right(&world.app().kernel.db, "after all").await;
}

async fn one_person_reacts_many_times_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "React!").await;
        let react = |i: usize| {
            let person = [&world.comment, &world.edit][i % 2];
            place.update(person, &comment, json!({ "addedReactions": ["1f44d", "👍"] }))
        };
        join_all((0..8).map(react)).await;
        let shown = place.read(&world.read, &comment).await;
        assert_eq!(shown["reactions"].as_array().unwrap().len(), 1);
        assert_eq!(shown["reactions"][0]["count"], 2);
    }
}

async fn replies_and_the_end_of_their_comment_meet(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        for round in 0..8 {
            let comment = place.post(&world.comment, "Gone soon").await;
            let reply = || {
                let call = place.on(&world.edit, "postCommentReply", &comment);
                call.json(json!({ "body": { "markdown": "Late" } })).send()
            };
            let delete = place.on(&world.admin, "deleteComment", &comment).send();
            let (one, deleted, other) = tokio::join!(reply(), delete, reply());
            deleted.expect(204);
            for answer in [one, other] {
                assert!([200, 404].contains(&answer.status), "{}", answer.text);
            }
            rows_are_shown(&world, &place, &format!("after round {round}")).await;
            counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
        }
    }
}

async fn the_last_comment_of_a_person_goes_while_another_comes(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let mut last = place.post(&world.comment, "The only one").await;
        for round in 0..20 {
            let text = json!({ "body": { "markdown": "The next one" } });
            let post = place.call(&world.comment, "postComment").json(text).send();
            let delete = place.on(&world.admin, "deleteComment", &last).send();
            let (posted, deleted) = tokio::join!(post, delete);
            deleted.expect(204);
            last = posted.expect(200);
            counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
        }
    }
}

/// What is known to be there, to do something with.
struct Known {
    comments: Vec<Value>,
    replies: Vec<(Value, Value)>,
}

async fn known(world: &World, place: &Place) -> Known {
    let list = place
        .call(&world.admin, "listComments")
        .query("limit", 1000)
        .expect(200)
        .await;
    let comments = list["items"].as_array().unwrap().clone();
    let mut replies = Vec::new();
    for comment in &comments {
        let list = place.on(&world.admin, "listCommentReplies", comment).expect(200).await;
        let items = list["items"].as_array().unwrap().iter();
        replies.extend(items.map(|reply| (comment.clone(), reply.clone())));
    }
    Known { comments, replies }
}

fn random_change(rng: &mut StdRng) -> Value {
    const EMOJI: [&str; 4] = ["👍", "1f44d", "🎉", "2764"];
    let mut emoji = || json!([EMOJI.choose(rng).unwrap()]);
    let mut change = json!({ "addedReactions": emoji(), "removedReactions": emoji() });
    if rng.random_bool(0.3) {
        change["removedReactions"] = json!([]);
    }
    change
}

/// Something that a person might do, and whether it adds to what they have written.
fn random_call<'a>(rng: &mut StdRng, place: &Place, known: &Known, by: &'a Person) -> (Call<'a>, bool) {
    let text = json!({ "body": { "markdown": format!("{}", rng.random_range(0..3)) } });
    let Some(comment) = known.comments.choose(rng) else {
        return (place.call(by, "postComment").json(text), true);
    };
    let on = |operation: &str| place.on(by, operation, comment);
    match rng.random_range(0..10) {
        0 | 1 => (place.call(by, "postComment").json(text), true),
        2 | 3 => (on("postCommentReply").json(text), true),
        4 => (
            on("updateComment").json(json!({ "resolved": rng.random_bool(0.5) })),
            false,
        ),
        5 => (on("updateComment").json(random_change(rng)), false),
        6 => (on("updateComment").json(text), false),
        7 => (on("deleteComment"), false),
        choice => match known.replies.choose(rng) {
            Some((comment, reply)) if choice == 8 => {
                let put = place.on_reply(by, "updateCommentReply", comment, reply);
                (put.json(random_change(rng)), false)
            }
            Some((comment, reply)) => (place.on_reply(by, "deleteCommentReply", comment, reply), false),
            None => (on("postCommentReply").json(text), true),
        },
    }
}

/// Several people at a time do random things; after each round everything is counted again.
async fn random_work_of_several_people_is_counted_right(database: TestDatabase) {
    let world = World::new(database).await;
    let people = [&world.comment, &world.edit, &world.review, &world.admin];
    let mut rng = StdRng::seed_from_u64(2026);
    for place in Place::both(&world).await {
        let mut written: BTreeMap<String, u64> = BTreeMap::new();
        for round in 0..25 {
            let known = known(&world, &place).await;
            let (mut calls, mut writers) = (Vec::new(), Vec::new());
            for _ in 0..8 {
                let by = *people.choose(&mut rng).unwrap();
                let (call, writes) = random_call(&mut rng, &place, &known, by);
                calls.push(call.send());
                writers.push(writes.then(|| by.id.to_string()));
            }
            for (answer, writer) in join_all(calls).await.into_iter().zip(writers) {
                assert!([200, 204, 403, 404].contains(&answer.status), "{}", answer.text);
                if let Some(writer) = writer.filter(|_| answer.status == 200) {
                    *written.entry(writer).or_default() += 1;
                }
            }
            rows_are_shown(&world, &place, &format!("after round {round}")).await;
            counters_are_right(&world.app().kernel.db, &format!("after round {round}")).await;
        }
        if place.is_request() {
            assert_eq!(contributions(&world, &place).await, written);
        }
    }
}

/// How often people have commented in a change request, as it says.
async fn contributions(world: &World, place: &Place) -> BTreeMap<String, u64> {
    let list = place.contributors(world).await;
    let items = list["items"].as_array().unwrap().iter();
    let counted = items.map(|it| {
        (
            it["user"]["id"].as_str().unwrap().to_owned(),
            it["count"].as_u64().unwrap(),
        )
    });
    counted.collect()
}

/// Panics unless the comments of a place are shown as the rows are.
async fn rows_are_shown(world: &World, place: &Place, when: &str) {
    // One transaction, so that nothing changes between two of the queries.
    let rows = |tx| async move {
        let comments = comments::Entity::find().all(&tx).await?;
        Ok::<_, sea_orm::DbErr>((comments, reactions::Entity::find().all(&tx).await?))
    };
    let (comments, reactions) = world.app().kernel.db.write(rows).await.unwrap();
    let here: Vec<&comments::Model> = comments.iter().filter(|row| row.list_id == place.list()).collect();
    let open = here.iter().filter(|row| row.status == CommentStatus::Open).count();
    assert_eq!(place.counted(world).await, open as u64, "open comments {when}");
    let list = place
        .call(&world.read, "listComments")
        .query("limit", 1000)
        .expect(200)
        .await;
    assert_eq!(list["count"], here.len(), "{when}");
    let mut shown: HashMap<&str, &Value> = HashMap::new();
    for comment in list["items"].as_array().unwrap() {
        shown.insert(comment["id"].as_str().unwrap(), comment);
    }
    assert_eq!(shown.len(), here.len(), "{when}");
    for row in here {
        let comment = shown[row.id.to_string().as_str()];
        let resolved = row.status == CommentStatus::Resolved;
        assert_eq!(comment["status"] == "resolved", resolved, "{when}");
        assert_eq!(comment.get("resolvedAt").is_some(), resolved, "{when}");
        assert_eq!(comment.get("resolvedBy").is_some(), resolved, "{when}");
        let mut repliers: BTreeMap<String, u64> = BTreeMap::new();
        for reply in comments.iter().filter(|reply| reply.parent_id == Some(row.id)) {
            *repliers.entry(reply.author_id.to_string()).or_default() += 1;
        }
        assert_eq!(comment["replies"], repliers.values().sum::<u64>(), "replies {when}");
        let said = comment["repliers"].as_array().unwrap().iter();
        let said = said.map(|it| {
            (
                it["user"]["id"].as_str().unwrap().to_owned(),
                it["count"].as_u64().unwrap(),
            )
        });
        assert_eq!(said.collect::<BTreeMap<_, _>>(), repliers, "repliers {when}");
        let mut people: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for reaction in reactions.iter().filter(|reaction| reaction.comment_id == row.id) {
            people
                .entry(&reaction.emoji)
                .or_default()
                .insert(reaction.user_id.to_string());
        }
        let mut said: Vec<BTreeSet<String>> = Vec::new();
        for reaction in comment["reactions"].as_array().unwrap() {
            let users = reaction["users"].as_array().unwrap().iter();
            let users: BTreeSet<String> = users.map(|it| it["user"]["id"].as_str().unwrap().to_owned()).collect();
            assert_eq!(reaction["count"], users.len(), "reactions {when}");
            said.push(users);
        }
        said.sort();
        let mut expected: Vec<BTreeSet<String>> = people.into_values().collect();
        expected.sort();
        assert_eq!(said, expected, "reactions {when}");
    }
}
