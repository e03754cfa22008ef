//! Imports by the real program, killed: a space holds all of the directory or nothing of it.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use entity::ids::NodeId;
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![a_killed_import_leaves_nothing_or_everything];

const PAGES: usize = 200;

/// In how many moments it is killed.
const MOMENTS: u32 = 8;

fn write(directory: &Path, name: &str) {
    for number in 0..PAGES {
        let text = format!(
            "# {name}\n\n[next](page-{}.md) and some words of {name}\n",
            (number + 1) % PAGES
        );
        fs::write(directory.join(format!("page-{number}.md")), text).unwrap();
    }
}

fn start(database: &str, home: &Path, directory: &Path, space: NodeId) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .arg("import")
        .arg(directory)
        .args(["--space", &space.to_string(), "--database-url", database])
        .arg("--data-dir")
        .arg(home)
        // The database belongs to another process, which has its key elsewhere.
        .env("BINDERY_SECRET_KEY", "5a".repeat(32))
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

async fn pages(world: &World) -> Vec<Value> {
    let tree = world
        .admin
        .client
        .call("listPages")
        .space(world.space)
        .expect(200)
        .await;
    tree["pages"].as_array().unwrap().clone()
}

async fn revisions(world: &World) -> usize {
    let history = world.admin.client.call("listRevisions").space(world.space);
    history.expect(200).await["items"].as_array().unwrap().len()
}

async fn a_killed_import_leaves_nothing_or_everything(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let (home, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(directory.path(), "Zero");
    let first = revisions(&world).await;
    let started = Instant::now();
    let done = start(&url, home.path(), directory.path(), world.space).wait().unwrap();
    assert!(done.success());
    let whole = started.elapsed();
    assert_eq!(pages(&world).await.len(), PAGES);
    let (mut before, mut complete) = ("Zero".to_owned(), 1);
    for moment in 1..=MOMENTS {
        let name = format!("Attempt {moment}");
        write(directory.path(), &name);
        let mut child = start(&url, home.path(), directory.path(), world.space);
        // The last moments are those of writing, and some come after the end.
        tokio::time::sleep(whole.mul_f64(f64::from(moment) / f64::from(MOMENTS - 1)) + Duration::from_millis(1)).await;
        let _ = child.kill();
        child.wait().unwrap();
        let pages = pages(&world).await;
        let titles: BTreeSet<&str> = pages.iter().map(|page| page["title"].as_str().unwrap()).collect();
        assert_eq!((pages.len(), titles.len()), (PAGES, 1));
        if titles.contains(name.as_str()) {
            (before, complete) = (name, complete + 1);
        }
        assert!(titles.contains(before.as_str()), "{titles:?}");
        let found = world.admin.client.call("searchSpaceContent").space(world.space);
        let found = found.query("query", &before).query("limit", 1).expect(200).await;
        assert_eq!(found["items"][0]["title"], before.as_str());
    }
    assert_eq!(revisions(&world).await, first + complete);
    println!("{complete} of {} imports were complete", MOMENTS + 1);
}
