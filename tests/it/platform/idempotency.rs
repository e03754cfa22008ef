//! Requests that are sent again with the same `Idempotency-Key`: one change, and one answer.

use std::time::Duration;

use bindery::kernel::idempotency::PurgeIdempotencyKeys;
use chrono::TimeDelta;
use entity::platform::idempotency_keys::{Column, Entity, Model};
use futures_util::future::join_all;
use platform::{
    db::Tx,
    jobs::{Kinds, Runner},
};
use reqwest::Method;
use sea_orm::{DbErr, EntityTrait, sea_query::Expr};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    client::{Answer, Call, Client},
    contract,
    database::{TestDatabase, on_each_database, on_one_database},
    held_write::HeldWrite,
    process::{Server, count_rows, patiently},
    world::{Person, World},
};

on_each_database![
    second_request_gets_the_first_answer,
    many_requests_at_once_make_one_object,
    keys_end_after_a_day,
    unknown_answers_are_409,
    failed_requests_can_be_repeated,
    killed_before_the_commit_leaves_the_key_free,
    killed_after_the_commit_leaves_the_key_used,
];

on_one_database![
    every_post_that_writes_takes_keys,
    other_requests_with_the_key_are_409,
    keys_belong_to_their_token,
    lost_access_wins_over_the_first_answer,
    secrets_are_repeated_and_sealed,
    keys_have_a_form,
];

const KEY: &str = "5f0c1f3a-6a5e-4c1e-9d0e-2b7f4a9c8d61";

fn keyed<'c>(call: Call<'c>, key: &str) -> Call<'c> {
    call.header("Idempotency-Key", key)
}

fn create_collection<'w>(world: &'w World, title: &str) -> Call<'w> {
    let call = world.admin.client.call("createCollection").here(world);
    call.json(json!({ "title": title }))
}

fn create_token(client: &Client) -> Call<'_> {
    client
        .call("createUserToken")
        .json(json!({ "label": "Nightly export" }))
}

fn change_request<'w>(world: &'w World, person: &'w Person) -> Call<'w> {
    let call = person.client.call("createChangeRequest").space(world.space);
    keyed(call.json(json!({ "subject": "New fingers" })), KEY)
}

async fn collections(world: &World) -> u64 {
    let list = world.admin.client.call("listCollectionsInOrganizationById").here(world);
    list.expect(200).await["count"].as_u64().unwrap()
}

/// The rows of all keys.
async fn rows(world: &World) -> Vec<Model> {
    Entity::find().all(world.app().kernel.db.read()).await.unwrap()
}

fn kind(answer: &Answer) -> Value {
    let body: Value = serde_json::from_str(&answer.text).unwrap();
    body["error"]["type"].clone()
}

#[track_caller]
fn assert_same(first: &Answer, second: &Answer) {
    assert_eq!((second.status, &second.text), (first.status, &first.text));
    for name in ["content-type", "location", "etag", "cache-control"] {
        assert_eq!(second.headers.get(name), first.headers.get(name), "{name}");
    }
}

async fn second_request_gets_the_first_answer(database: TestDatabase) {
    let world = World::new(database).await;
    let before = collections(&world).await;
    let first = keyed(create_collection(&world, "Tides"), KEY).send().await;
    first.expect(201);
    assert!(first.headers.contains_key("location"));
    let second = keyed(create_collection(&world, "Tides"), KEY).send().await;
    assert_same(&first, &second);
    assert_eq!(collections(&world).await, before + 1);
    for _ in 0..2 {
        create_collection(&world, "Tides").expect(201).await;
    }
    assert_eq!(collections(&world).await, before + 3);
    keyed(create_collection(&world, "Tides"), "another").expect(201).await;
    assert_eq!(collections(&world).await, before + 4);
    assert_eq!(rows(&world).await.len(), 2);
}

async fn many_requests_at_once_make_one_object(database: TestDatabase) {
    let world = World::new(database).await;
    let before = collections(&world).await;
    for round in 0..5 {
        let title = format!("Round-{round}");
        let calls = (0..8).map(|_| keyed(create_collection(&world, &title), &title).send());
        let answers = join_all(calls).await;
        let made: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 201).collect();
        made.iter().for_each(|answer| assert_same(made[0], answer));
        for other in answers.iter().filter(|answer| answer.status != 201) {
            other.expect(409);
            assert_eq!(kind(other), "idempotency-key-unanswered");
        }
        assert!(!made.is_empty());
        assert_eq!(collections(&world).await, before + round + 1);
    }
}

async fn keys_end_after_a_day(database: TestDatabase) {
    let world = World::new(database).await;
    let before = collections(&world).await;
    let create = || keyed(create_collection(&world, "Tides"), KEY);
    let first = create().send().await;
    world.service.advance(TimeDelta::hours(24) - TimeDelta::milliseconds(1));
    assert_same(&first, &create().send().await);
    world.service.advance(TimeDelta::milliseconds(1));
    let next = create().send().await;
    assert_ne!(next.expect(201)["id"], first.expect(201)["id"]);
    assert_eq!(collections(&world).await, before + 2);
    assert_same(&next, &create().send().await);

    let purge = async || {
        let keys = world.app().access.idempotency_keys.clone();
        let kinds = Kinds::default().with_periodic(PurgeIdempotencyKeys(keys));
        let mut runner = Runner::new(world.app().kernel.jobs.clone(), kinds);
        runner.run_due().await.unwrap();
        rows(&world).await.len()
    };
    assert_eq!(purge().await, 1);
    world.service.advance(TimeDelta::hours(24));
    assert_eq!(purge().await, 0);
}

/// As after a process that was killed between the change and its answer.
async fn unknown_answers_are_409(database: TestDatabase) {
    let world = World::new(database).await;
    let create = || keyed(create_collection(&world, "Tides"), KEY);
    create().expect(201).await;
    let after = collections(&world).await;
    let forget = |tx: Tx| async move {
        let rows = Entity::update_many().col_expr(Column::Answer, Expr::value(Option::<Vec<u8>>::None));
        rows.exec(&tx).await?;
        Ok::<_, DbErr>(())
    };
    world.app().kernel.db.write(forget).await.unwrap();
    let answer = create().send().await;
    answer.expect(409);
    assert_eq!(kind(&answer), "idempotency-key-unanswered");
    assert_eq!(collections(&world).await, after);
}

async fn failed_requests_can_be_repeated(database: TestDatabase) {
    let world = World::new(database).await;
    let restore = || keyed(world.admin.client.call("restoreSpace").space(world.space), KEY);
    restore().expect(409).await;
    assert!(rows(&world).await.is_empty());
    let delete = world.admin.client.call("deleteSpaceById").space(world.space);
    delete.expect(204).await;
    let first = restore().send().await;
    first.expect(200);
    assert_same(&first, &restore().send().await);
}

/// Sends a request with a key to the program, and kills it when a row of a table is written.
async fn kill_in(database: &TestDatabase, home: &TempDir, change: (&str, &'static str, &str)) {
    database.create().await;
    let mut server = Server::spawn(home.path(), database);
    let client = server.ready().await;
    let write = HeldWrite::on(database, change).await;
    let request = client.request(Method::POST, "/v1/user/tokens");
    let request = request.json(&json!({ "label": "Nightly export" }));
    let answer = tokio::spawn(request.header("Idempotency-Key", KEY).send());
    write.reached().await;
    server.kill();
    assert!(answer.await.unwrap().is_err(), "the request was answered");
    write.release().await;
}

async fn killed_before_the_commit_leaves_the_key_free(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    let hold = ("INSERT", "audit_events", "NEW.action = 'tokens.createUserToken'");
    kill_in(&database, &home, hold).await;
    assert_eq!(count_rows(&database, ["idempotency_keys", "api_tokens"]).await, [0, 1]);
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let first = keyed(create_token(&client), KEY).send().await;
    first.expect(201);
    assert_same(&first, &keyed(create_token(&client), KEY).send().await);
    assert_eq!(count_rows(&database, ["idempotency_keys", "api_tokens"]).await, [1, 2]);
}

async fn killed_after_the_commit_leaves_the_key_used(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    kill_in(
        &database,
        &home,
        ("UPDATE", "idempotency_keys", "NEW.answer IS NOT NULL"),
    )
    .await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let answer = keyed(create_token(&client), KEY).send().await;
    answer.expect(409);
    assert_eq!(kind(&answer), "idempotency-key-unanswered");
    assert_eq!(count_rows(&database, ["idempotency_keys", "api_tokens"]).await, [1, 2]);
}

mod only_postgres {
    use super::*;

    /// A client whose connection ends while its change is saved gets the answer when it asks again.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn lost_connections_do_not_lose_the_answer() {
        let (database, home) = (
            TestDatabase::new(platform::db::Backend::Postgres),
            TempDir::new().unwrap(),
        );
        database.create().await;
        let mut server = Server::spawn(home.path(), &database);
        let client = server.ready().await;
        let hold = ("INSERT", "audit_events", "NEW.action = 'tokens.createUserToken'");
        let write = HeldWrite::on(&database, hold).await;
        let lost = keyed(create_token(&client), KEY).send_head().await;
        let lost = lost.send_unread().await;
        write.reached().await;
        drop(lost);
        write.release().await;
        let mut pauses = tokio::time::interval(Duration::from_millis(20));
        let answered = async {
            loop {
                let answer = keyed(create_token(&client), KEY).send().await;
                if answer.status == 201 {
                    return;
                }
                assert_eq!(kind(&answer), "idempotency-key-unanswered");
                pauses.tick().await;
            }
        };
        patiently("the answer", answered).await;
        assert_eq!(count_rows(&database, ["idempotency_keys", "api_tokens"]).await, [1, 2]);
    }
}

async fn every_post_that_writes_takes_keys(database: TestDatabase) {
    let world = World::new(database).await;
    let mut repeated = 0;
    for operation in contract::operations() {
        let names: Vec<&str> = operation.header_parameters().iter().map(|p| p.name).collect();
        let takes_keys = names.contains(&"Idempotency-Key");
        let writes = operation.method == "post" && !operation.is_safe && operation.access().level != "anyone";
        assert_eq!(takes_keys, writes, "{}", operation.id);
        if !takes_keys {
            continue;
        }
        let call = || keyed(world.complete(&operation), operation.id);
        let first = call().send().await;
        if first.status >= 300 {
            continue;
        }
        repeated += 1;
        assert_same(&first, &call().send().await);
        let other = call().query("other", 1).send().await;
        other.expect(409);
        assert_eq!(kind(&other), "idempotency-key-reused", "{}", operation.id);
    }
    assert!(repeated > 15, "{repeated}");
}

async fn other_requests_with_the_key_are_409(database: TestDatabase) {
    let world = World::new(database).await;
    let before = collections(&world).await;
    keyed(create_collection(&world, "Tides"), KEY).expect(201).await;
    for other in [create_collection(&world, "Currents"), create_token(&world.admin.client)] {
        let answer = keyed(other, KEY).send().await;
        answer.expect(409);
        assert_eq!(kind(&answer), "idempotency-key-reused");
    }
    assert_eq!(collections(&world).await, before + 1);
}

async fn keys_belong_to_their_token(database: TestDatabase) {
    let world = World::new(database).await;
    let first = change_request(&world, &world.admin).expect(201).await;
    let second = change_request(&world, &world.edit).expect(201).await;
    assert_ne!(first["id"], second["id"]);
    let token = create_token(&world.admin.client).expect(201).await;
    let other = world.nobody().with_token(token["token"].as_str().unwrap());
    let third = other.call("createChangeRequest").space(world.space);
    let third = keyed(third.json(json!({ "subject": "New fingers" })), KEY);
    assert_ne!(third.expect(201).await["id"], first["id"]);
}

async fn lost_access_wins_over_the_first_answer(database: TestDatabase) {
    let world = World::new(database).await;
    change_request(&world, &world.edit).expect(201).await;
    let member = |operation: &str| {
        let call = world.admin.client.call(operation).here(&world);
        call.path("userId", world.edit.id)
    };
    let demote = member("updateMemberInOrganizationById").json(json!({ "role": "read" }));
    demote.expect(200).await;
    change_request(&world, &world.edit).expect(403).await;
    member("removeMemberFromOrganizationById").expect(204).await;
    change_request(&world, &world.edit).expect(404).await;
}

async fn secrets_are_repeated_and_sealed(database: TestDatabase) {
    let world = World::new(database).await;
    let first = keyed(create_token(&world.admin.client), KEY).send().await;
    let secret = first.expect(201)["token"].as_str().unwrap().to_owned();
    let second = keyed(create_token(&world.admin.client), KEY).send().await;
    assert_same(&first, &second);
    assert_eq!(second.headers["cache-control"], "no-store");
    let rows = rows(&world).await;
    let answer = rows[0].answer.as_ref().unwrap();
    let holds = |part: &str| answer.windows(part.len()).any(|window| window == part.as_bytes());
    assert!(!holds(&secret[4..]) && !holds("Nightly export"));
}

async fn keys_have_a_form(database: TestDatabase) {
    let world = World::new(database).await;
    let before = collections(&world).await;
    let pointer = "/header/Idempotency-Key";
    for (key, code) in [
        ("", "min-length"),
        (&*"x".repeat(256), "max-length"),
        ("two words", "pattern"),
        ("schlüssel", "pattern"),
    ] {
        let answer = keyed(create_collection(&world, "Tides"), key).send().await;
        answer.has_detail(pointer, code);
    }
    let both = keyed(create_collection(&world, &"x".repeat(5000)), "two words")
        .send()
        .await;
    both.has_detail("/body/title", "max-length")
        .has_detail(pointer, "pattern");
    assert_eq!(collections(&world).await, before);
    keyed(create_collection(&world, "Tides"), &"!".repeat(255))
        .expect(201)
        .await;
}
