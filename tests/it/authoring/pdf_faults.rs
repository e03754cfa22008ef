//! PDFs whose making fails, and processes that are killed.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::TimeDelta;
use platform::db::{Db, DbOptions};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{interval, timeout};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    jobs::{PATIENCE, cancel_job, end_leases},
    pdf::{export, get, make, url},
    process::Server,
    published::id,
    world::World,
};

on_each_database![
    a_pdf_that_takes_too_much_memory_fails,
    a_pdf_whose_process_is_killed_fails,
    a_pdf_that_takes_too_much_time_fails,
    a_pdf_whose_process_is_stopped_is_made_again,
    a_pdf_whose_job_is_cancelled_fails,
    change_requests_say_why_they_have_no_pdf,
    two_callers_at_once_have_one_pdf,
    an_export_goes_on_after_the_server_was_killed,
];

/// A program that makes PDFs, of these lines.
fn script(home: &Path, lines: &str) -> PathBuf {
    let path = home.join("print.sh");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A world in which this program makes PDFs.
async fn world_with_program(database: TestDatabase, program: &Path) -> World {
    World::with(database, |flags| {
        flags.pdf_program = Some(program.display().to_string())
    })
    .await
}

/// Why the PDF of the space fails.
async fn failure(world: &World) -> String {
    let address = url(world, &[]).await;
    assert_eq!(make(world.app()).await, 1);
    let failed = get(world, &address).await;
    assert_eq!(failed.status(), 412);
    let failed: Value = failed.json().await.unwrap();
    assert_eq!(failed["error"]["type"], "pdf-failed");
    failed["error"]["message"].as_str().unwrap().to_owned()
}

async fn a_pdf_that_takes_too_much_memory_fails(database: TestDatabase) {
    let world = World::with(database, |flags| flags.pdf_memory = Some("16MiB".to_owned())).await;
    let reason = failure(&world).await;
    assert!(reason.contains("memory"), "{reason}");
}

async fn a_pdf_whose_process_is_killed_fails(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    let program = script(home.path(), "kill -9 $$");
    let world = world_with_program(database, &program).await;
    let reason = failure(&world).await;
    assert!(reason.contains("memory"), "{reason}");
}

async fn a_pdf_that_takes_too_much_time_fails(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    // As the limit on the time of the processor ends a process.
    let program = script(home.path(), "kill -XCPU $$");
    let world = world_with_program(database, &program).await;
    let reason = failure(&world).await;
    assert!(reason.contains("time"), "{reason}");
}

/// A service that stops ends all its processes.
async fn a_pdf_whose_process_is_stopped_is_made_again(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    let stopped = home.path().join("stopped");
    let lines = format!(
        "if mkdir '{}' 2>/dev/null; then kill -TERM $$; fi\nexec '{}' \"$@\"",
        stopped.display(),
        env!("CARGO_BIN_EXE_bindery")
    );
    let program = script(home.path(), &lines);
    let world = world_with_program(database, &program).await;
    let address = url(&world, &[]).await;
    assert_eq!(make(world.app()).await, 0);
    assert_eq!(get(&world, &address).await.status(), 202);
    world.service.advance(TimeDelta::minutes(2));
    assert_eq!(make(world.app()).await, 1);
    assert_eq!(get(&world, &address).await.status(), 200);
}

async fn a_pdf_whose_job_is_cancelled_fails(database: TestDatabase) {
    let world = World::new(database).await;
    let address = url(&world, &[]).await;
    cancel_job(world.app(), "make-pdf").await;
    assert_eq!(get(&world, &address).await.status(), 412);
}

async fn change_requests_say_why_they_have_no_pdf(database: TestDatabase) {
    let world = World::with(database, |flags| flags.pdf_timeout = Some("1ms".to_owned())).await;
    let create = world.admin.client.call("createChangeRequest").space(world.space);
    let request = create.json(json!({ "subject": "Longer" })).expect(201).await;
    let call = || {
        let call = world.admin.client.call("getChangeRequestPDF").space(world.space);
        call.path("changeRequestId", id(&request))
    };
    call().expect(200).await;
    assert_eq!(make(world.app()).await, 1);
    let refused = call().send().await.expect(412);
    assert_eq!(refused["error"]["type"], "pdf-failed");
}

async fn two_callers_at_once_have_one_pdf(database: TestDatabase) {
    let world = World::new(database).await;
    let (first, second) = tokio::join!(url(&world, &[]), url(&world, &[]));
    assert_eq!(export(&first), export(&second));
    assert_eq!(make(world.app()).await, 1);
    for address in [&first, &second] {
        assert_eq!(get(&world, address).await.status(), 200);
    }
}

/// Waits until the answer for an address is another than 202.
async fn made(client: &Client, address: &str) -> u16 {
    let mut pauses = interval(Duration::from_millis(50));
    loop {
        pauses.tick().await;
        let status = client.get(address).await.status().as_u16();
        if status != 202 {
            return status;
        }
    }
}

async fn an_export_goes_on_after_the_server_was_killed(database: TestDatabase) {
    let home = TempDir::new().unwrap();
    database.create().await;
    // The first process waits as long as the server lives; later ones make PDFs.
    let begun = home.path().join("begun");
    let lines = format!(
        "if mkdir '{}' 2>/dev/null; then cat >/dev/null; while kill -0 $PPID 2>/dev/null; do sleep 0.1; done; exit 1; fi\nexec '{}' \"$@\"",
        begun.display(),
        env!("CARGO_BIN_EXE_bindery")
    );
    let program = script(home.path(), &lines);
    let start = || {
        Server::spawn_with(home.path(), &database, |command| {
            command
                .env("BINDERY_PDF_PROGRAM", &program)
                .env("BINDERY_PDF_WAIT", "1ms");
        })
    };
    let mut server = start();
    let client = server.ready().await;
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let create = client
        .call("createSpace")
        .path("organizationId", id(&organizations["items"][0]));
    let space = create.json(json!({ "title": "Killed" })).expect(201).await;
    let address = async |client: &Client| {
        let answer = client.call("getSpacePDF").path("spaceId", id(&space)).expect(200).await;
        let url = reqwest::Url::parse(answer["url"].as_str().unwrap()).unwrap();
        url.path().to_owned()
    };
    let first = address(&client).await;
    let mut pauses = interval(Duration::from_millis(20));
    let begins = async {
        while !begun.exists() {
            pauses.tick().await;
        }
    };
    timeout(PATIENCE, begins).await.unwrap();
    server.kill();
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    end_leases(&db).await;
    db.close().await.unwrap();

    server = start();
    let client = server.ready().await;
    let again = address(&client).await;
    assert_eq!(export(&again), export(&first));
    assert_eq!(timeout(PATIENCE, made(&client, &again)).await.unwrap(), 200);
}
