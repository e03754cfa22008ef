//! API tokens: made, used, listed, expired and revoked, and their secrets kept nowhere.

use bindery::{access::tokens::hash, app::App};
use chrono::TimeDelta;
use platform::db::Backend;
use reqwest::Method;
use sea_orm::{ConnectionTrait, EntityTrait, Statement};
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    paths::texts,
    world::{Person, World},
};

on_each_database![
    a_token_is_made_used_listed_and_revoked,
    secrets_are_random_and_hinted_at,
    secrets_are_shown_once_and_stored_nowhere,
    tokens_end_when_they_expire,
    an_end_in_the_past_is_refused,
    the_last_use_is_written_down,
    tokens_of_others_are_out_of_reach,
    the_token_of_the_request_may_be_revoked,
    credentials_come_in_one_form_only,
];

async fn make(person: &Person, body: Value) -> Value {
    person.client.call("createUserToken").json(body).expect(201).await
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

async fn works(client: &Client) -> bool {
    match client.call("getAuthenticatedUser").send().await.status {
        200 => true,
        401 => false,
        other => panic!("{other}"),
    }
}

async fn a_token_is_made_used_listed_and_revoked(database: TestDatabase) {
    let world = World::new(database).await;
    let person = &world.stranger;
    let first = make(person, json!({ "label": "Nightly export" })).await;
    world.service.advance(TimeDelta::seconds(1));
    let second = make(
        person,
        json!({ "label": "Nightly export", "expiresAt": "2027-05-01T02:00:00.5+02:00" }),
    )
    .await;
    assert_eq!(first["object"], "api-token");
    assert_eq!((first.get("expiresAt"), first.get("lastUsedAt")), (None, None));
    assert_eq!(first["createdAt"], "2026-11-21T12:00:00.000Z");
    assert_eq!(second["expiresAt"], "2027-05-01T00:00:00.500Z");

    let client = world.nobody().with_token(text(&second["token"]));
    let user = client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(user["id"], person.id.to_string());

    let list = person.client.call("listUserTokens").expect(200).await;
    assert_eq!(texts(&list, "/label"), ["Nightly export", "Nightly export", "test"]);
    assert_eq!(texts(&list, "/id")[..2], [text(&second["id"]), text(&first["id"])]);
    assert_eq!(list["count"], 3);

    let revoke = || {
        person
            .client
            .call("deleteUserToken")
            .path("tokenId", text(&second["id"]))
    };
    revoke().expect(204).await;
    assert!(!works(&client).await);
    revoke().expect(204).await;
    let list = person.client.call("listUserTokens").expect(200).await;
    assert_eq!(texts(&list, "/label"), ["Nightly export", "test"]);
    assert!(works(&world.nobody().with_token(text(&first["token"]))).await);
}

async fn secrets_are_random_and_hinted_at(database: TestDatabase) {
    let world = World::new(database).await;
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let token = make(&world.stranger, json!({ "label": "x" })).await;
        let secret = text(&token["token"]);
        // 256 bits in six for each character, behind the prefix.
        assert_eq!(secret.strip_prefix("bnd_").map(str::len), Some(43), "{secret}");
        assert!(secret.ends_with(text(&token["hint"])));
        assert_eq!(text(&token["hint"]).len(), 4);
        assert!(seen.insert(secret.to_owned()));
    }
}

/// Everything that the database holds about tokens, as text; for SQLite its files as they are.
async fn stored(app: &App, file: Option<&std::path::Path>) -> Vec<u8> {
    let Some(file) = file else {
        let sql = "SELECT string_agg(t::text, E'\\n') AS rows FROM api_tokens t";
        let statement = Statement::from_string(app.kernel.db.read().get_database_backend(), sql);
        let row = app.kernel.db.read().query_one_raw(statement).await.unwrap().unwrap();
        return row.try_get::<String>("", "rows").unwrap().into_bytes();
    };
    let log = file.with_extension("db-wal");
    [file, &log]
        .into_iter()
        .flat_map(|file| std::fs::read(file).unwrap_or_default())
        .collect()
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

async fn secrets_are_shown_once_and_stored_nowhere(database: TestDatabase) {
    let file = (database.backend() == Backend::Sqlite).then(|| database.path());
    let world = World::new(database).await;
    let token = make(&world.stranger, json!({ "label": "Look for me" })).await;
    let secret = text(&token["token"]);
    assert!(works(&world.nobody().with_token(secret)).await);
    world.app().access.store_token_uses().await.unwrap();

    let list = world.stranger.client.call("listUserTokens").send().await;
    list.expect(200);
    assert!(!list.text.contains(&secret[..12]), "{}", list.text);

    let bytes = stored(world.app(), file.as_deref()).await;
    assert!(holds(&bytes, b"Look for me"), "this is not where tokens are stored");
    for part in [&secret[4..], &secret[4..20], &secret[20..40]] {
        assert!(!holds(&bytes, part.as_bytes()), "the secret is stored in clear");
    }
    let rows = entity::identity::tokens::Entity::find()
        .all(world.app().kernel.db.read())
        .await
        .unwrap();
    let row = rows.iter().find(|row| row.label == "Look for me").unwrap();
    assert_eq!(row.hash, hash(secret));
    assert_eq!(row.hint, secret[secret.len() - 4..]);
}

async fn tokens_end_when_they_expire(database: TestDatabase) {
    let world = World::new(database).await;
    let token = make(
        &world.stranger,
        json!({ "label": "An hour", "expiresAt": "2026-11-21T13:00:00Z" }),
    )
    .await;
    let client = world.nobody().with_token(text(&token["token"]));
    world.service.advance(TimeDelta::milliseconds(60 * 60 * 1000 - 1));
    assert!(works(&client).await);
    world.service.advance(TimeDelta::milliseconds(1));
    assert!(!works(&client).await);
    let list = world.stranger.client.call("listUserTokens").expect(200).await;
    assert_eq!(list["items"][0]["expiresAt"], "2026-11-21T13:00:00.000Z");
    let longest = make(
        &world.stranger,
        json!({ "label": "Long", "expiresAt": "9999-12-31T23:59:59Z" }),
    )
    .await;
    assert_eq!(longest["expiresAt"], "9999-12-31T23:59:59.000Z");
    assert!(works(&world.nobody().with_token(text(&longest["token"]))).await);
}

async fn an_end_in_the_past_is_refused(database: TestDatabase) {
    let world = World::new(database).await;
    for past in [
        "2026-11-21T12:00:00Z",
        "2026-11-21T11:59:59.999Z",
        "2026-11-21T13:00:00+01:00",
        "1970-01-01T00:00:00Z",
    ] {
        let call = world.stranger.client.call("createUserToken");
        let answer = call.json(json!({ "label": "Late", "expiresAt": past })).send().await;
        answer.has_detail("/body/expiresAt", "past");
    }
    let list = world.stranger.client.call("listUserTokens").expect(200).await;
    assert_eq!(list["count"], 1);
}

async fn the_last_use_is_written_down(database: TestDatabase) {
    let world = World::new(database).await;
    let token = make(&world.stranger, json!({ "label": "Used" })).await;
    let client = world.nobody().with_token(text(&token["token"]));
    let last_use = async || {
        let list = world.stranger.client.call("listUserTokens").expect(200).await;
        let items = list["items"].as_array().unwrap().clone();
        let item = items.into_iter().find(|item| item["label"] == "Used").unwrap();
        item.get("lastUsedAt").map(|time| text(time).to_owned())
    };
    world.app().access.store_token_uses().await.unwrap();
    assert_eq!(last_use().await, None);
    world.service.advance(TimeDelta::minutes(5));
    assert!(works(&client).await);
    world.app().access.store_token_uses().await.unwrap();
    assert_eq!(last_use().await.as_deref(), Some("2026-11-21T12:05:00.000Z"));
    // Without a further use it stays.
    world.service.advance(TimeDelta::minutes(5));
    world.app().access.store_token_uses().await.unwrap();
    assert_eq!(last_use().await.as_deref(), Some("2026-11-21T12:05:00.000Z"));
    // A use of a token that is revoked before it is written down is nothing to fail over.
    assert!(works(&client).await);
    let revoke = world
        .stranger
        .client
        .call("deleteUserToken")
        .path("tokenId", text(&token["id"]));
    revoke.expect(204).await;
    world.app().access.store_token_uses().await.unwrap();
}

async fn tokens_of_others_are_out_of_reach(database: TestDatabase) {
    let world = World::new(database).await;
    let token = make(&world.edit, json!({ "label": "Mine" })).await;
    let client = world.nobody().with_token(text(&token["token"]));
    for other in [&world.admin, &world.stranger] {
        let call = other.client.call("deleteUserToken").path("tokenId", text(&token["id"]));
        call.expect(204).await;
        let list = other.client.call("listUserTokens").expect(200).await;
        assert_eq!(texts(&list, "/label"), ["test"]);
    }
    assert!(works(&client).await);
    let list = world.edit.client.call("listUserTokens").expect(200).await;
    assert_eq!(texts(&list, "/label"), ["Mine", "test"]);
}

async fn the_token_of_the_request_may_be_revoked(database: TestDatabase) {
    let world = World::new(database).await;
    let token = make(&world.stranger, json!({ "label": "Short" })).await;
    let client = world.nobody().with_token(text(&token["token"]));
    client
        .call("deleteUserToken")
        .path("tokenId", text(&token["id"]))
        .expect(204)
        .await;
    assert!(!works(&client).await);
    assert!(works(&world.stranger.client).await);
}

async fn credentials_come_in_one_form_only(database: TestDatabase) {
    let world = World::new(database).await;
    let token = &world.stranger.token;
    let nobody = world.nobody();
    let status = async |header: String| {
        let request = nobody.request(Method::GET, "/v1/user").header("authorization", header);
        request.send().await.unwrap().status().as_u16()
    };
    // The name of the scheme has no case.
    for good in [
        format!("Bearer {token}"),
        format!("bearer {token}"),
        format!("BEARER  {token}"),
    ] {
        assert_eq!(status(good.clone()).await, 200, "{good}");
    }
    let cut = &token[..token.len() - 1];
    let bad = [
        token.clone(),
        format!("Basic {token}"),
        format!("Bearer {cut}"),
        format!("Bearer {token}x"),
        format!("Bearer {}", token.to_uppercase()),
        format!("Bearer {token} {token}"),
        format!("Bearer {token},Bearer {token}"),
        format!("Bearer \"{token}\""),
        "Bearer ".to_owned(),
        "Bearer".to_owned(),
        String::new(),
        format!("Bearer {}", "x".repeat(10_000)),
        "Bearer ' OR 1=1 --".to_owned(),
    ];
    for bad in bad {
        assert_eq!(status(bad.clone()).await, 401, "{bad}");
    }
    for path in [
        format!("/v1/user?token={token}"),
        format!("/v1/user?access_token={token}"),
    ] {
        assert_eq!(nobody.get(&path).await.status().as_u16(), 401, "{path}");
    }
    // The hash that is stored opens nothing.
    let stored = data_encoding::HEXLOWER.encode(&hash(token));
    assert_eq!(status(format!("Bearer {stored}")).await, 401);
}
