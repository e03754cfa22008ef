//! Reactions to comments and replies.

use chrono::TimeDelta;
use entity::{
    comments,
    ids::{CommentId, UserId},
};
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, ModelTrait};
use serde_json::{Value, json};

use crate::support::{
    comments::Place,
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::{Person, World},
};

on_each_database![
    a_person_reacts_once_with_an_emoji,
    removing_wins_over_adding,
    forms_of_one_emoji_are_one_reaction,
    replies_are_reacted_to_as_well,
    a_hundred_people_are_named_and_all_are_counted,
    a_comment_has_room_for_a_hundred_emoji,
    only_emoji_are_taken,
];

/// The emoji with their counts and people.
fn reactions(comment: &Value) -> Vec<(String, u64, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let reactions = comment["reactions"].as_array().unwrap().iter();
    reactions
        .map(|reaction| {
            let users = reaction["users"].as_array().unwrap().iter();
            let users = users.map(|user| text(&user["user"]["displayName"])).collect();
            (text(&reaction["emoji"]), reaction["count"].as_u64().unwrap(), users)
        })
        .collect()
}

fn by(emoji: &str, people: &[&str]) -> (String, u64, Vec<String>) {
    let people: Vec<String> = people.iter().map(ToString::to_string).collect();
    (emoji.to_owned(), people.len() as u64, people)
}

async fn react(place: &Place, person: &Person, comment: &Value, added: Value, removed: Value) -> Value {
    let body = json!({ "addedReactions": added, "removedReactions": removed });
    place.update(person, comment, body).await
}

async fn a_person_reacts_once_with_an_emoji(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "React!").await;
        let now = world.app().clock.now().to_utc();
        for _ in 0..2 {
            let shown = react(&place, &world.comment, &comment, json!(["1f44d", "1f44d"]), json!([])).await;
            assert_eq!(reactions(&shown), [by("1f44d", &["comment"])]);
            let at = now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
            assert_eq!(shown["reactions"][0]["users"][0]["reactedAt"], at);
            assert!(shown.get("editedAt").is_none());
            world.clock().advance(TimeDelta::seconds(1));
        }
        react(&place, &world.edit, &comment, json!(["1f389", "1f44d"]), json!([])).await;
        let shown = place.read(&world.read, &comment).await;
        let expected = [by("1f44d", &["comment", "edit"]), by("1f389", &["edit"])];
        assert_eq!(reactions(&shown), expected);
        let shown = react(&place, &world.comment, &comment, json!([]), json!(["1f44d", "1f680"])).await;
        assert_eq!(reactions(&shown), [by("1f389", &["edit"]), by("1f44d", &["edit"])]);
    }
}

async fn removing_wins_over_adding(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "React!").await;
        let both = json!(["1f44d", "1f389"]);
        let shown = react(&place, &world.comment, &comment, both.clone(), json!(["👍"])).await;
        assert_eq!(reactions(&shown), [by("1f389", &["comment"])]);
        let shown = react(&place, &world.comment, &comment, both.clone(), both).await;
        assert_eq!(reactions(&shown), []);
    }
}

async fn forms_of_one_emoji_are_one_reaction(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "React!").await;
        let shown = react(
            &place,
            &world.comment,
            &comment,
            json!(["❤️", "2764", "2764-FE0F"]),
            json!([]),
        )
        .await;
        assert_eq!(reactions(&shown), [by("❤️", &["comment"])]);
        world.clock().advance(TimeDelta::seconds(1));
        let shown = react(&place, &world.edit, &comment, json!(["2764-fe0f"]), json!([])).await;
        assert_eq!(reactions(&shown), [by("❤️", &["comment", "edit"])]);
        let shown = react(&place, &world.comment, &comment, json!([]), json!(["2764"])).await;
        assert_eq!(reactions(&shown), [by("2764-fe0f", &["edit"])]);
    }
}

async fn replies_are_reacted_to_as_well(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "React!").await;
        let reply = place.reply(&world.comment, &comment, "To me").await;
        let put = place.on_reply(&world.edit, "updateCommentReply", &comment, &reply);
        let shown = put.json(json!({ "addedReactions": ["👩‍💻"] })).expect(200).await;
        assert_eq!(reactions(&shown), [by("👩‍💻", &["edit"])]);
        let list = place.on(&world.read, "listCommentReplies", &comment).expect(200).await;
        assert_eq!(reactions(&list["items"][0]), reactions(&shown));
        assert_eq!(reactions(&place.read(&world.read, &comment).await), []);
        let put = place.on_reply(&world.edit, "updateCommentReply", &comment, &reply);
        let shown = put
            .json(json!({ "removedReactions": ["1f469-200d-1f4bb"] }))
            .expect(200)
            .await;
        assert_eq!(reactions(&shown), []);
    }
}

/// More people than an answer names.
async fn crowd(world: &World) -> Vec<UserId> {
    let mut people = Vec::new();
    for number in 0..101 {
        let name = format!("person-{number}");
        let user = bindery::users::create(world.app(), &format!("{name}@tidewater.example"), &name).await;
        people.push(user.unwrap().id);
    }
    people
}

async fn insert<M>(world: &World, rows: Vec<M>)
where
    M: ModelTrait + IntoActiveModel<<M::Entity as EntityTrait>::ActiveModel> + 'static,
    <M::Entity as EntityTrait>::ActiveModel: Send,
{
    let work = move |tx| async move {
        let rows = rows.into_iter().map(|row| row.into_active_model().reset_all());
        M::Entity::insert_many(rows).exec_without_returning(&tx).await
    };
    world.app().db.write(work).await.unwrap();
}

/// Everybody replies, the last of them last.
async fn all_reply(world: &World, crowd: &[UserId], to: &comments::Model) {
    let app = world.app();
    let row = |(number, user): (i64, &UserId)| comments::Model {
        id: app.ids.next(),
        parent_id: Some(to.id),
        list_id: *to.id.as_uuid(),
        author_id: *user,
        posted_at: app.clock.now().plus(TimeDelta::seconds(number)),
        ..to.clone()
    };
    insert(world, (0..).zip(crowd).map(row).collect()).await;
}

/// Everybody reacts, the last of them first.
async fn all_react(world: &World, crowd: &[UserId], to: &comments::Model, emoji: &str) {
    let now = world.app().clock.now();
    let row = |(number, user): (i64, &UserId)| comments::reactions::Model {
        comment_id: to.id,
        user_id: *user,
        emoji: emoji.to_owned(),
        written: emoji.to_owned(),
        reacted_at: now.plus(TimeDelta::seconds(-number)),
    };
    insert(world, (0..).zip(crowd).map(row).collect()).await;
}

async fn a_hundred_people_are_named_and_all_are_counted(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    let comment = place.post(&world.comment, "Popular").await;
    let id: CommentId = comment["id"].as_str().unwrap().parse().unwrap();
    let stored = comments::Entity::find_by_id(id).one(world.app().db.read()).await;
    let stored = stored.unwrap().unwrap();
    for _ in 0..2 {
        place.reply(&world.edit, &comment, "And so it stays").await;
    }
    let crowd = crowd(&world).await;
    all_reply(&world, &crowd, &stored).await;
    let named: Vec<String> = (1..=100).rev().map(|number| format!("person-{number}")).collect();
    let all = |emoji: &String| (emoji.clone(), 101, named.clone());
    let emoji: Vec<String> = (0..21).map(|i| format!("{:x}", 0x1f44d + i)).collect();
    // With one, this is counted while it is read; with all, it is so much that the database counts it.
    for (before, now) in [(0, 1), (1, 21)] {
        for emoji in &emoji[before..now] {
            all_react(&world, &crowd, &stored, emoji).await;
        }
        let shown = place.read(&world.read, &comment).await;
        assert_eq!(reactions(&shown), emoji[..now].iter().map(all).collect::<Vec<_>>());
        assert_eq!(shown["replies"], 103);
        let repliers = json!({ "items": shown["repliers"] });
        assert_eq!(texts(&repliers, "/user/displayName"), named);
        assert_eq!(repliers["items"][0]["count"], 1);
    }
}

async fn a_comment_has_room_for_a_hundred_emoji(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "React!").await;
        let emoji: Vec<String> = (0..101).map(|i| format!("{:x}", 0x1f600 + i)).collect();
        react(&place, &world.comment, &comment, json!(emoji[..50]), json!([])).await;
        react(&place, &world.edit, &comment, json!(emoji[50..100]), json!([])).await;
        let one_more = place.on(&world.comment, "updateComment", &comment);
        let answer = one_more.json(json!({ "addedReactions": emoji[99..] })).send().await;
        assert_eq!(answer.expect(409)["error"]["type"], "too-many-reactions");
        let shown = place.read(&world.read, &comment).await;
        assert_eq!(reactions(&shown).len(), 100);
        // What is there already has room, and so has what takes the place of another one.
        react(&place, &world.comment, &comment, json!([emoji[99]]), json!([])).await;
        react(&place, &world.comment, &comment, json!([emoji[100]]), json!([emoji[0]])).await;
        assert_eq!(reactions(&place.read(&world.read, &comment).await).len(), 100);
    }
}

async fn only_emoji_are_taken(database: TestDatabase) {
    let world = World::new(database).await;
    for place in Place::both(&world).await {
        let comment = place.post(&world.comment, "React!").await;
        for member in ["addedReactions", "removedReactions"] {
            for bad in ["", "a", "thumbs up", "1f44d 1f44d", "<b>", "xyz-123"] {
                let put = place.on(&world.comment, "updateComment", &comment);
                let answer = put.json(json!({ member: ["1f44d", bad] })).send().await;
                answer.has_detail(&format!("/body/{member}/1"), "pattern");
            }
        }
        assert_eq!(place.read(&world.comment, &comment).await, comment);
    }
}
