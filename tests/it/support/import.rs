//! Directories that become spaces.

use std::{fs, path::Path, sync::Arc};

use bindery::{
    areas::content::search_jobs::IndexPages,
    areas::exchange::import::{self, Import, ImportDestination, ImportSource, ImportTarget, Progress, Report},
};
use chrono::TimeDelta;
use entity::{
    content::{content_objects, page_links},
    ids::NodeId,
};
use platform::jobs::{Kinds, Runner};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, Statement};
use serde_json::Value;
use tempfile::TempDir;

use super::{texts::without_title, world::World};

struct Silent;

impl Progress for Silent {
    fn start_phase(&self, _: &'static str, _: usize) {}
    fn step(&self) {}
}

/// Files with their contents, in a directory of their own.
pub fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        put(&directory, path, content.as_bytes());
    }
    directory
}

pub fn put(directory: &TempDir, path: &str, bytes: &[u8]) {
    let path = directory.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub fn wanted(path: &Path) -> Import {
    Import {
        source: ImportSource::Path(path.to_owned()),
        subdirectory: None,
        dry_run: false,
        strict: false,
        links: Vec::new(),
    }
}

pub async fn attempt(world: &World, import: Import, place: ImportDestination) -> anyhow::Result<Report> {
    let target = ImportTarget::find(&world.app().exchange, place, None).await?;
    import::run(&world.app().exchange, import, &target, Arc::new(Silent)).await
}

/// Imports into a new space.
pub async fn imported(world: &World, path: &Path) -> (NodeId, Report) {
    let place = ImportDestination::New {
        organization: world.organization.to_string(),
        title: "Imported".to_owned(),
    };
    // On the heap, because the futures of tests hold several of them.
    let report = Box::pin(attempt(world, wanted(path), place)).await.unwrap();
    (report.written.unwrap().0, report)
}

pub async fn tree(world: &World, space: NodeId) -> Value {
    world.admin.client.call("listPages").space(space).expect(200).await
}

/// The titles of pages with their paths, those below a page in parentheses.
pub fn outline(pages: &Value) -> String {
    let each = pages.as_array().unwrap().iter().map(|page| {
        let title = page["title"].as_str().unwrap();
        let kind = page["type"].as_str().unwrap();
        let slug = page["slug"].as_str().unwrap_or_default();
        let hidden = if page["hidden"] == true { "?" } else { "" };
        let below = page.get("pages").map(outline).filter(|below| !below.is_empty());
        let below = below.map(|below| format!(" ({below})")).unwrap_or_default();
        match kind {
            "document" => format!("{title}={slug}{hidden}{below}"),
            kind => format!("{kind} {title}{hidden}{below}"),
        }
    });
    each.collect::<Vec<String>>().join(", ")
}

/// What the page at this path says.
pub async fn page(world: &World, space: NodeId, path: &str) -> Value {
    let call = world
        .admin
        .client
        .call("getPageByPath")
        .space(space)
        .path("pagePath", path);
    call.query("format", "markdown").expect(200).await
}

/// The Markdown of the page at this path below its title, with stable links.
pub async fn markdown(world: &World, space: NodeId, path: &str) -> String {
    let call = world.admin.client.call("getPageByPath").space(space);
    let call = call.path("pagePath", path).query("format", "markdown");
    without_title(&call.query("format.markdown.refs", "stable").expect(200).await)
}

pub fn problems(report: &Report) -> Vec<String> {
    let each = report.problems.iter();
    each.map(|problem| format!("{}: {}", problem.path, problem.message))
        .collect()
}

/// Pages of [`book`].
pub const PAGES: usize = 400;

/// Pages of about two kilobytes, each with a link to the next.
pub fn book() -> TempDir {
    let book = directory(&[]);
    for number in 0..PAGES {
        let next = (number + 1) % PAGES;
        let words = format!("Some words of page {number}. ").repeat(70);
        let text = format!("# Page {number}\n\n{words}\n\n[next](page-{next}.md) unique{number}\n");
        put(&book, &format!("page-{number}.md"), text.as_bytes());
    }
    book
}

pub async fn count_objects(world: &World, space: NodeId) -> u64 {
    let found = content_objects::Entity::find().filter(content_objects::Column::SpaceId.eq(space));
    found.count(world.app().kernel.db.read()).await.unwrap()
}

pub async fn count_links(world: &World, space: NodeId) -> u64 {
    let found = page_links::Entity::find().filter(page_links::Column::SpaceId.eq(space));
    found.count(world.app().kernel.db.read()).await.unwrap()
}

pub async fn run_index_jobs(world: &World) {
    // The leases of those that were interrupted end.
    world.clock().advance(TimeDelta::hours(1));
    let kinds = Kinds::default().with(IndexPages(Arc::clone(&world.app().contents)));
    Runner::new(world.app().kernel.jobs.clone(), kinds)
        .run_due()
        .await
        .unwrap();
}

/// Rows of the transaction that stored most of them, by the transaction that each row names.
pub async fn largest_transaction(world: &World, table: &str) -> i64 {
    let sql =
        format!("SELECT max(rows) FROM (SELECT count(*) AS rows FROM {table} GROUP BY xmin::text) AS transactions");
    let statement = Statement::from_string(sea_orm::DbBackend::Postgres, sql);
    let row = world
        .app()
        .kernel
        .db
        .read()
        .query_one_raw(statement)
        .await
        .unwrap()
        .unwrap();
    row.try_get_by_index(0).unwrap()
}
