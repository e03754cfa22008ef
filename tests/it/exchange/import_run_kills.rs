//! Import runs of a server that is killed: they are run again.

use std::time::Duration;

use platform::db::{Db, DbOptions};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{interval, timeout};

use crate::support::{
    database::{TestDatabase, on_each_database},
    jobs::{PATIENCE, end_leases},
    process::Server,
    specs::{Reply, SourceServer},
};

on_each_database![a_run_of_a_killed_server_is_run_again];

async fn a_run_of_a_killed_server_is_run_again(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    let website = SourceServer::start().await;
    website.set("/manual", Reply::Silence);
    let start = || {
        Server::spawn_with(home.path(), &database, |command| {
            command.env("BINDERY_ALLOW_PRIVATE_ADDRESSES", "127.0.0.1");
        })
    };
    let mut server = start();
    let client = server.ready().await;
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap().to_owned();
    let create = client.call("createSpace").path("organizationId", &organization);
    let space = create.json(json!({ "title": "Manual" })).expect(201).await["id"].clone();
    let body = json!({
        "source": { "type": "website", "url": format!("{}/manual", website.base) },
        "target": { "space": space },
    });
    let call = client.call("startImportRun").path("organizationId", &organization);
    let run = call.json(body).expect(201).await["id"].as_str().unwrap().to_owned();
    timeout(PATIENCE, website.silent()).await.unwrap();
    server.kill();
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    end_leases(&db).await;
    db.close().await.unwrap();

    website.set_text("/manual", "<main><h1>Grip</h1>text</main>");
    server = start();
    let client = server.ready().await;
    let ended = async {
        let mut pauses = interval(Duration::from_millis(50));
        loop {
            pauses.tick().await;
            let call = client.call("getImportRun").path("organizationId", &organization);
            let read = call.path("importRunId", &run).expect(200).await;
            if !["pending", "in-progress"].contains(&read["status"].as_str().unwrap()) {
                return read;
            }
        }
    };
    let ended = timeout(PATIENCE, ended).await.unwrap();
    assert_eq!(ended["status"], "completed", "{ended}");
    let list = client.call("listPages").path("spaceId", space.as_str().unwrap());
    let pages = list.expect(200).await;
    assert_eq!(pages["pages"][0]["title"], "Grip");
}
