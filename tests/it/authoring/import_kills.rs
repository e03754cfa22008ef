//! Imports by the real program, killed: a space holds all of the directory or nothing of it.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use bindery::areas::{content::search_jobs::IndexPages, library::tree::purge};
use chrono::TimeDelta;
use entity::library::nodes;
use platform::{
    db::Clock,
    jobs::{Kinds, Runner},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![
    a_killed_import_leaves_nothing_or_everything,
    a_killed_import_into_a_new_space_is_not_seen,
];

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

fn start(database: &str, home: &Path, directory: &Path, target: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BINDERY_")) {
        command.env_remove(name);
    }
    command
        .arg("import")
        .arg(directory)
        .args(target)
        .args(["--database-url", database])
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

async fn pages(world: &World, space: impl ToString) -> Vec<Value> {
    let tree = world.admin.client.call("listPages").space(space).expect(200).await;
    tree["pages"].as_array().unwrap().clone()
}

/// Runs the jobs that a killed import has left, as a server does when their leases have ended.
async fn finish_indexing(world: &World) {
    let app = world.app();
    let ahead = Clock::system().now().to_utc() - app.kernel.clock.now().to_utc();
    world.clock().advance(ahead + TimeDelta::hours(1));
    let kinds = Kinds::default().with(IndexPages(std::sync::Arc::clone(&app.contents)));
    Runner::new(app.kernel.jobs.clone(), kinds).run_due().await.unwrap();
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
    let space = world.space.to_string();
    let target = ["--space", &space];
    let done = start(&url, home.path(), directory.path(), &target).wait().unwrap();
    assert!(done.success());
    let whole = started.elapsed();
    assert_eq!(pages(&world, world.space).await.len(), PAGES);
    let (mut before, mut complete) = ("Zero".to_owned(), 1);
    for moment in 1..=MOMENTS {
        let name = format!("Attempt {moment}");
        write(directory.path(), &name);
        let mut child = start(&url, home.path(), directory.path(), &target);
        // The last moments are those of writing, and some come after the end.
        tokio::time::sleep(whole.mul_f64(f64::from(moment) / f64::from(MOMENTS - 1)) + Duration::from_millis(1)).await;
        let _ = child.kill();
        child.wait().unwrap();
        let pages = pages(&world, world.space).await;
        let titles: BTreeSet<&str> = pages.iter().map(|page| page["title"].as_str().unwrap()).collect();
        assert_eq!((pages.len(), titles.len()), (PAGES, 1));
        if titles.contains(name.as_str()) {
            (before, complete) = (name, complete + 1);
        }
        assert!(titles.contains(before.as_str()), "{titles:?}");
        finish_indexing(&world).await;
        let found = world.admin.client.call("searchSpaceContent").space(world.space);
        let found = found.query("query", &before).query("limit", 1).expect(200).await;
        assert_eq!(found["items"][0]["title"], before.as_str());
    }
    assert_eq!(revisions(&world).await, first + complete);
    println!("{complete} of {} imports were complete", MOMENTS + 1);
}

async fn a_killed_import_into_a_new_space_is_not_seen(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = World::new(database).await;
    let (home, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(directory.path(), "Zero");
    let organization = world.organization.to_string();
    let import = |title: &str| {
        let target = ["--org", &organization, "--title", title];
        start(&url, home.path(), directory.path(), &target)
    };
    let started = Instant::now();
    assert!(import("Whole").wait().unwrap().success());
    let whole = started.elapsed();
    let mut seen = 0;
    for moment in 1..=MOMENTS {
        let mut child = import("Killed");
        tokio::time::sleep(whole.mul_f64(f64::from(moment) / f64::from(MOMENTS - 1)) + Duration::from_millis(1)).await;
        let _ = child.kill();
        child.wait().unwrap();
        let list = world.admin.client.call("listSpacesInOrganizationById").here(&world);
        let list = list.query("limit", 1000).expect(200).await;
        let spaces = list["items"].as_array().unwrap().iter();
        let found: Vec<&Value> = spaces.filter(|space| space["title"] == "Killed").collect();
        assert!((seen..=seen + 1).contains(&found.len()), "{found:#?}");
        seen = found.len();
        for space in found {
            assert_eq!(pages(&world, space["id"].as_str().unwrap()).await.len(), PAGES);
        }
    }
    println!("{seen} of {MOMENTS} imports were complete");
    finish_indexing(&world).await;
    // What the others have left is removed like every deleted space.
    world.clock().advance(TimeDelta::days(8));
    purge::purge(&world.app().kernel).await.unwrap();
    let left = nodes::Entity::find().filter(nodes::Column::Title.eq("Killed"));
    assert_eq!(left.all(world.app().kernel.db.read()).await.unwrap().len(), seen);
}
