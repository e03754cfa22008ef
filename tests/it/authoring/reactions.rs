//! Reactions to comments and replies.

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::{
    comments::Place,
    crowd::Crowd,
    database::{TestDatabase, on_each_database},
    paths::{each, texts},
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
        let now = world.app().kernel.clock.now().to_utc();
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
        let shown = react(&place, &world.edit, &comment, json!([":tada:"]), json!([":heart:"])).await;
        assert_eq!(reactions(&shown), [by("🎉", &["edit"])]);
        world.clock().advance(TimeDelta::seconds(1));
        let shown = react(&place, &world.comment, &comment, json!(["1f389"]), json!([])).await;
        assert_eq!(reactions(&shown), [by("🎉", &["edit", "comment"])]);
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

async fn a_hundred_people_are_named_and_all_are_counted(database: TestDatabase) {
    let world = World::new(database).await;
    let place = Place::space(&world);
    let comment = place.post(&world.comment, "Popular").await;
    let crowd = Crowd::new(&world).await;
    crowd.reply(&comment).await;
    world.clock().advance(TimeDelta::seconds(200));
    for person in [&world.edit, &world.edit, &world.comment] {
        place.reply(person, &comment, "And so it stays").await;
    }
    let named = |numbers: RangeInclusive<u32>| numbers.rev().map(|number| format!("person-{number}")).collect();
    let reacted: Vec<String> = named(1..=100);
    let all = |emoji: &String| (emoji.clone(), 101, reacted.clone());
    let replied: Vec<String> = [vec!["edit".to_owned(), "comment".to_owned()], named(3..=100)].concat();
    // So many that the database counts them, at last.
    let emoji: Vec<String> = (0..21).map(|i| format!("{:x}", 0x1f44d + i)).collect();
    crowd.react(&comment, &emoji[0]).await;
    let first = place.read(&world.read, &comment).await;
    assert_eq!(reactions(&first), [all(&emoji[0])]);
    assert_eq!(first["replies"], 104);
    let repliers = json!({ "items": first["repliers"] });
    assert_eq!(texts(&repliers, "/user/displayName"), replied);
    assert_eq!(each(&repliers, "/count")[..3], [2, 1, 1]);
    for emoji in &emoji[1..] {
        crowd.react(&comment, emoji).await;
    }
    let last = place.read(&world.read, &comment).await;
    assert_eq!(reactions(&last), emoji.iter().map(all).collect::<Vec<_>>());
    assert_eq!(
        (&last["replies"], &last["repliers"]),
        (&first["replies"], &first["repliers"])
    );
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
        let reply = place.reply(&world.comment, &comment, "React, too!").await;
        let on_reply = || place.on_reply(&world.comment, "updateCommentReply", &comment, &reply);
        for some in [&emoji[..50], &emoji[50..100]] {
            on_reply().json(json!({ "addedReactions": some })).expect(200).await;
        }
        let answer = on_reply().json(json!({ "addedReactions": emoji[100..] })).send().await;
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
        let reply = place.reply(&world.comment, &comment, "React, too!").await;
        for member in ["addedReactions", "removedReactions"] {
            let put = place.on_reply(&world.comment, "updateCommentReply", &comment, &reply);
            let answer = put.json(json!({ member: [":not_an_emoji:"] })).send().await;
            answer.has_detail(&format!("/body/{member}/0"), "unknown-shortcode");
            for bad in ["", "a", "thumbs up", "1f44d 1f44d", "<b>", "xyz-123", ":", ":A:"] {
                let put = place.on(&world.comment, "updateComment", &comment);
                let answer = put.json(json!({ member: ["1f44d", bad] })).send().await;
                answer.has_detail(&format!("/body/{member}/1"), "pattern");
            }
            let put = place.on(&world.comment, "updateComment", &comment);
            let answer = put.json(json!({ member: [":tada:", ":not_an_emoji:"] })).send().await;
            answer.has_detail(&format!("/body/{member}/1"), "unknown-shortcode");
        }
        assert_eq!(place.read_reply(&world.comment, &comment, &reply).await, reply);
    }
}
