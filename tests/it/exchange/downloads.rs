//! Content that is downloaded as zip files.

use std::io::Cursor;

use archive::{Archive, Limits};
use bindery::areas::exchange::import::ImportDestination;
use chrono::TimeDelta;
use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{attempt, directory, wanted},
    world::World,
};

on_each_database![content_is_downloaded_as_a_zip_file];

async fn content_is_downloaded_as_a_zip_file(database: TestDatabase) {
    let world = World::new(database).await;
    let from = directory(&[
        ("README.md", "# Grip\n\n![arm](arm.svg)\n"),
        ("care.md", "# Care\n\n[home](README.md)\n"),
        ("arm.svg", "<svg width=\"1\" height=\"1\"/>"),
    ]);
    let place = ImportDestination::Space(world.space.to_string());
    attempt(&world, wanted(from.path()), place).await.unwrap();
    let call = |operation: &str| world.admin.client.call(operation).space(world.space);
    let address = call("exportSpaceContent").expect(200).await["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let answer = reqwest::get(&address).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/zip");
    let bytes = answer.bytes().await.unwrap();
    let limits = Limits {
        files: 10,
        bytes: 10_000,
    };
    let mut archive = Archive::open(Cursor::new(bytes.clone()), limits).unwrap();
    let mut paths: Vec<String> = archive.entries().iter().map(|entry| entry.path.clone()).collect();
    paths.sort();
    assert_eq!(paths, [".gitbook/assets/arm.svg", "README.md", "SUMMARY.md", "care.md"]);
    let at = archive
        .entries()
        .iter()
        .position(|entry| entry.path == "care.md")
        .unwrap();
    assert_eq!(archive.read(at, 100).unwrap(), b"# Care\n\n[home](README.md)\n");
    assert_eq!(reqwest::get(&address).await.unwrap().bytes().await.unwrap(), bytes);

    // A revision, and a change request.
    let revision = call("getCurrentRevision").expect(200).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let of_revision = call("exportRevisionContent")
        .path("revisionId", &revision)
        .expect(200)
        .await;
    let same = reqwest::get(of_revision["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(same.bytes().await.unwrap(), bytes);
    let request = call("createChangeRequest")
        .json(json!({ "subject": "Try" }))
        .expect(201)
        .await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let of_request = call("exportChangeRequestContent")
        .path("changeRequestId", &request)
        .expect(200)
        .await;
    let same = reqwest::get(of_request["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(same.bytes().await.unwrap(), bytes);

    let changed = address.replace(&revision, &revision.replace('0', "1"));
    assert_eq!(reqwest::get(&changed).await.unwrap().status(), 404);
    world.clock().advance(TimeDelta::hours(2));
    assert_eq!(reqwest::get(&address).await.unwrap().status(), 404);
}
