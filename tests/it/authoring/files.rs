//! Files as browsers get them, and what becomes of their bytes.

use content::pages::File;

use platform::{blobs, hash::Hash};

use bytes::Bytes;
use chrono::TimeDelta;
use entity::{
    ids::{FileId, NodeId},
    platform::blobs::{dropped, spaces},
};
use reqwest::{Method, Response, header};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::Value;
use uuid::Uuid;

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    a_file_is_served_with_what_keeps_it_harmless,
    parts_and_known_files_are_answered_as_such,
    only_addresses_that_were_made_here_work,
    only_spaces_that_hold_a_file_show_it,
    unused_files_are_deleted_after_a_day,
    bytes_that_come_back_while_they_are_removed_stay,
    many_store_the_same_bytes_at_once,
];

/// Longer than a piece that is read at once, and without a pattern that hides a shift.
fn long() -> Vec<u8> {
    (0_u32..200_000)
        .map(|i| i.wrapping_mul(2_654_435_761).to_be_bytes()[0])
        .collect()
}

fn file(name: &str, content_type: &str, bytes: &[u8]) -> File {
    File {
        id: FileId::from_uuid(Uuid::from_u128(1)),
        name: name.to_owned(),
        content_type: content_type.to_owned(),
        size: bytes.len() as u64,
        dimensions: None,
        blob: Hash::of(bytes),
    }
}

async fn hold(world: &World, space: NodeId, hash: Hash) {
    let held = world
        .service
        .app
        .kernel
        .db
        .write(move |tx| async move { blobs::reference(&tx, space, &[hash]).await });
    held.await.unwrap();
}

/// A file of the space, with its address.
async fn put(world: &World, space: NodeId, name: &str, content_type: &str, bytes: &[u8]) -> String {
    let hash = world
        .service
        .app
        .kernel
        .blobs
        .put(Bytes::copy_from_slice(bytes))
        .await
        .unwrap();
    hold(world, space, hash).await;
    address(world, space, &file(name, content_type, bytes))
}

/// Without the server in front.
fn address(world: &World, space: NodeId, file: &File) -> String {
    let address = world.service.app.kernel.urls.file(space, file);
    address.strip_prefix(&world.service.base).unwrap().to_owned()
}

async fn get(world: &World, path: &str, headers: &[(header::HeaderName, &str)]) -> Response {
    send(world, Method::GET, path, headers).await
}

/// Without a token, as browsers do.
async fn send(world: &World, method: Method, path: &str, headers: &[(header::HeaderName, &str)]) -> Response {
    let http = crate::support::client::Client::new(&world.service.base);
    let mut request = http.request(method, path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    request.send().await.unwrap()
}

fn text<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

async fn is_unknown(world: &World, path: &str) {
    let response = get(world, path, &[]).await;
    let status = response.status().as_u16();
    let body: Value = response.json().await.unwrap();
    assert_eq!(
        (status, body["error"]["type"].as_str()),
        (404, Some("not-found")),
        "{path}"
    );
}

async fn a_file_is_served_with_what_keeps_it_harmless(database: TestDatabase) {
    let world = World::new(database).await;
    let bytes = long();
    let path = put(&world, world.space, "Grüße & Co.png", "image/png", &bytes).await;
    let response = get(&world, &path, &[(header::ACCEPT_ENCODING, "gzip")]).await;
    assert_eq!(response.status(), 200);
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-length", "200000"),
        ("accept-ranges", "bytes"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "cross-origin"),
        ("cache-control", "private, max-age=31536000, immutable"),
        ("referrer-policy", "no-referrer"),
    ] {
        assert_eq!(text(&response, name), value, "{name}");
    }
    assert!(text(&response, "content-security-policy").starts_with("sandbox; default-src 'none'"));
    assert!(text(&response, "content-disposition").starts_with("inline; "));
    assert!(text(&response, "content-disposition").ends_with("filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%26%20Co.png"));
    assert_eq!(response.bytes().await.unwrap(), bytes);

    let head = send(&world, Method::HEAD, &path, &[(header::RANGE, "bytes=0-1")]).await;
    assert_eq!((head.status().as_u16(), text(&head, "content-length")), (200, "200000"));
    assert_eq!(text(&head, "content-type"), "image/png");
    assert!(head.bytes().await.unwrap().is_empty());
    assert_eq!(send(&world, Method::POST, &path, &[]).await.status(), 405);

    let page = put(
        &world,
        world.space,
        "page.html",
        "text/html",
        b"<script>alert(1)</script>",
    )
    .await;
    let page = get(&world, &page, &[]).await;
    assert_eq!(text(&page, "content-type"), "application/octet-stream");
    assert!(text(&page, "content-disposition").starts_with("attachment; "));
    assert_eq!(text(&page, "cross-origin-resource-policy"), "same-origin");

    // Text is large enough to be compressed, and is not: parts of it can be asked for.
    let notes = put(&world, world.space, "notes.txt", "text/plain", &[b'a'; 5000]).await;
    let notes = get(&world, &notes, &[(header::ACCEPT_ENCODING, "gzip")]).await;
    assert_eq!(
        (text(&notes, "content-encoding"), text(&notes, "content-length")),
        ("", "5000")
    );

    let nothing = put(&world, world.space, "empty.txt", "text/plain", b"").await;
    let nothing = get(&world, &nothing, &[]).await;
    assert_eq!(
        (nothing.status().as_u16(), text(&nothing, "content-length")),
        (200, "0")
    );
}

async fn parts_and_known_files_are_answered_as_such(database: TestDatabase) {
    let world = World::new(database).await;
    let bytes = long();
    let path = put(&world, world.space, "film.mp4", "video/mp4", &bytes).await;
    let etag = text(&get(&world, &path, &[]).await, "etag").to_owned();
    assert_eq!(etag, format!("\"{}\"", Hash::of(&bytes)));

    for (range, place, part) in [
        ("bytes=100-", "bytes 100-199999/200000", &bytes[100..]),
        ("bytes=0-0", "bytes 0-0/200000", &bytes[..1]),
        (
            "bytes=70000-140000",
            "bytes 70000-140000/200000",
            &bytes[70_000..=140_000],
        ),
        ("bytes=-5", "bytes 199995-199999/200000", &bytes[199_995..]),
    ] {
        let response = get(&world, &path, &[(header::RANGE, range), (header::IF_RANGE, &etag)]).await;
        assert_eq!(
            (response.status().as_u16(), text(&response, "content-range")),
            (206, place)
        );
        assert_eq!(text(&response, "content-length"), part.len().to_string());
        assert_eq!(text(&response, "content-type"), "video/mp4");
        assert_eq!(response.bytes().await.unwrap(), part, "{range}");
    }
    for headers in [
        [(header::RANGE, "bytes=0-1"), (header::IF_RANGE, "\"another\"")],
        [(header::RANGE, "bytes=0-1,4-5"), (header::IF_RANGE, &etag)],
    ] {
        let response = get(&world, &path, &headers).await;
        assert_eq!(response.status(), 200, "{headers:?}");
        assert_eq!(response.bytes().await.unwrap().len(), bytes.len());
    }
    let outside = get(&world, &path, &[(header::RANGE, "bytes=200000-")]).await;
    assert_eq!(
        (outside.status().as_u16(), text(&outside, "content-range")),
        (416, "bytes */200000")
    );
    assert_eq!(text(&outside, "content-disposition"), "");
    assert!(!text(&outside, "cache-control").contains("immutable"));
    let error: Value = outside.json().await.unwrap();
    assert_eq!(error["error"]["type"], "range-not-satisfiable");

    let known = get(
        &world,
        &path,
        &[(header::IF_NONE_MATCH, &etag), (header::RANGE, "bytes=0-1")],
    )
    .await;
    assert_eq!((known.status().as_u16(), text(&known, "etag")), (304, etag.as_str()));
    assert_eq!(
        get(&world, &path, &[(header::IF_NONE_MATCH, "\"x\"")]).await.status(),
        200
    );
}

async fn only_addresses_that_were_made_here_work(database: TestDatabase) {
    let world = World::new(database).await;
    let path = put(&world, world.space, "a.txt", "text/plain", b"text").await;
    assert_eq!(get(&world, &path, &[]).await.status(), 200);
    let parts: Vec<&str> = path.split(['/', '?']).collect();
    let [_, _, signature, space, hash, name, query] = parts[..] else {
        panic!("{path}")
    };
    let other_space = world.other_space.to_string();
    let other_hash = Hash::of(b"other").to_string();
    let reversed: String = signature.chars().rev().collect();
    for other in [
        format!("/files/{reversed}/{space}/{hash}/{name}?{query}"),
        format!("/files/{}/{space}/{hash}/{name}?{query}", &signature[..8]),
        format!("/files/{}/{space}/{hash}/{name}?{query}", signature.to_uppercase()),
        format!("/files/{signature}/{other_space}/{hash}/{name}?{query}"),
        format!("/files/{signature}/{space}/{other_hash}/{name}?{query}"),
        format!("/files/{signature}/{space}/{hash}/a.html?{query}"),
        format!("/files/{signature}/{space}/{hash}/{name}?type=text%2Fhtml"),
        format!("/files/{signature}/{space}/{hash}/{name}?{query}&type=text%2Fhtml"),
        format!("/files/{signature}/{space}/{hash}/{name}"),
        format!("/files/{signature}/{space}/{hash}/{name}/?{query}"),
        format!("/files/{signature}/{space}/{hash}?{query}"),
        format!("/files/{signature}/{space}/not-a-hash/{name}?{query}"),
        "/files/".to_owned(),
    ] {
        is_unknown(&world, &other).await;
    }
}

async fn only_spaces_that_hold_a_file_show_it(database: TestDatabase) {
    let world = World::new(database).await;
    let path = put(&world, world.space, "a.txt", "text/plain", b"text").await;
    // Signed, as after a leak of the hash, but not held.
    let elsewhere = address(&world, world.other_space, &file("a.txt", "text/plain", b"text"));
    is_unknown(&world, &elsewhere).await;

    let (from, to) = (world.space, world.other_space);
    let hashes = [Hash::of(b"text"), Hash::of(b"held by nobody")];
    let copied = world
        .service
        .app
        .kernel
        .db
        .write(move |tx| async move { blobs::copy(&tx, from, to, &hashes).await });
    copied.await.unwrap();
    assert_eq!(get(&world, &elsewhere, &[]).await.text().await.unwrap(), "text");

    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(world.space)
        .expect(204)
        .await;
    is_unknown(&world, &path).await;
    assert_eq!(get(&world, &elsewhere, &[]).await.status(), 200);
}

/// The names of all files in the store.
fn names(world: &World) -> Vec<String> {
    let mut names = Vec::new();
    for directory in std::fs::read_dir(world.service.data().join("blobs")).unwrap() {
        for file in std::fs::read_dir(directory.unwrap().path()).unwrap() {
            names.push(file.unwrap().file_name().into_string().unwrap());
        }
    }
    names
}

/// The names of files in the store, without those that were there before.
fn stored(world: &World, before: &[String]) -> Vec<String> {
    let mut names = names(world);
    names.retain(|name| !before.contains(name));
    names
}

async fn unused_files_are_deleted_after_a_day(database: TestDatabase) {
    let world = World::new(database).await;
    let before = names(&world);
    let app = &world.service.app;
    let path = put(&world, world.space, "a.txt", "text/plain", b"held").await;
    let unheld = app.kernel.blobs.put(Bytes::from_static(b"unheld")).await.unwrap();
    assert_eq!(stored(&world, &before).len(), 2);
    world.service.advance(TimeDelta::hours(23));
    app.kernel.blobs.purge().await.unwrap();
    assert_eq!(stored(&world, &before).len(), 2);

    // Somebody uploads the same again: another day begins.
    app.kernel.blobs.put(Bytes::from_static(b"unheld")).await.unwrap();
    world.service.advance(TimeDelta::hours(2));
    app.kernel.blobs.purge().await.unwrap();
    assert_eq!(stored(&world, &before).len(), 2);

    // A backup may have read the row of the file.
    world.service.advance(TimeDelta::hours(23));
    let backup = app.kernel.backups.start().await.unwrap().unwrap();
    assert!(app.kernel.backups.start().await.unwrap().is_none());
    app.kernel.blobs.purge().await.unwrap();
    assert_eq!(stored(&world, &before).len(), 2);
    backup.finish().await.unwrap();
    app.kernel.blobs.purge().await.unwrap();
    let left = stored(&world, &before);
    assert_eq!(left.len(), 1);
    assert!(left[0].starts_with(&Hash::of(b"held").to_string()));
    assert_eq!(get(&world, &path, &[]).await.status(), 200);

    // What was dropped cannot be held any more.
    let space = world.space;
    let late: Result<(), DbErr> = app
        .kernel
        .db
        .write(move |tx| async move { blobs::reference(&tx, space, &[unheld]).await })
        .await;
    assert!(late.is_err());

    // With the last space goes the file.
    world
        .admin
        .client
        .call("deleteSpaceById")
        .space(world.space)
        .expect(204)
        .await;
    world.service.advance(TimeDelta::days(8));
    bindery::areas::library::tree::purge::purge(&app.kernel).await.unwrap();
    let held = spaces::Entity::find().filter(spaces::Column::SpaceId.eq(world.space));
    assert_eq!(held.count(app.kernel.db.read()).await.unwrap(), 0);
    app.kernel.blobs.purge().await.unwrap();
    assert!(stored(&world, &before).is_empty());
    assert_eq!(dropped::Entity::find().count(app.kernel.db.read()).await.unwrap(), 0);
}

async fn bytes_that_come_back_while_they_are_removed_stay(database: TestDatabase) {
    let world = World::new(database).await;
    let before = names(&world);
    let app = &world.service.app;
    let bytes = Bytes::from_static(b"back again");
    let hash = app.kernel.blobs.put(bytes.clone()).await.unwrap();
    world.service.advance(TimeDelta::days(2));
    let purges = async {
        for _ in 0..20 {
            app.kernel.blobs.purge().await.unwrap();
        }
    };
    let uploads = async {
        for _ in 0..20 {
            assert_eq!(app.kernel.blobs.put(bytes.clone()).await.unwrap(), hash);
            hold(&world, world.space, hash).await;
        }
    };
    tokio::join!(purges, uploads);
    app.kernel.blobs.purge().await.unwrap();
    let path = address(&world, world.space, &file("a.txt", "text/plain", b"back again"));
    assert_eq!(get(&world, &path, &[]).await.text().await.unwrap(), "back again");
    assert_eq!(stored(&world, &before).len(), 1);
}

async fn many_store_the_same_bytes_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let before = names(&world);
    let bytes = Bytes::from(long());
    let writers: Vec<_> = (0..12)
        .map(|_| {
            let (app, bytes) = (world.service.app.clone(), bytes.clone());
            tokio::spawn(async move { app.kernel.blobs.put(bytes).await.unwrap() })
        })
        .collect();
    for writer in writers {
        assert_eq!(writer.await.unwrap(), Hash::of(&bytes));
    }
    assert_eq!(stored(&world, &before).len(), 1);
    let path = put(&world, world.space, "a.bin", "application/zip", &bytes).await;
    assert_eq!(get(&world, &path, &[]).await.bytes().await.unwrap(), bytes);
}
