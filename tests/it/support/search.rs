//! Spaces whose pages are found, without content.

use entity::content::search::pages::Section;
use entity::ids::PageId;
use platform::db::Db;
use sea_orm::DbErr;
use search::{
    index::{self, PageEntry},
    query::{self, PageHit, SearchResults},
};
use uuid::Uuid;

use super::{
    database::TestDatabase,
    rows::{insert_organization, insert_space, space_id},
};

pub fn page_id(number: u128) -> PageId {
    PageId::from_uuid(Uuid::from_u128(number))
}

pub fn section(title: &str, body: &str) -> Section {
    Section {
        anchor: (!title.is_empty()).then(|| title.to_lowercase().replace(' ', "-")),
        title: title.to_owned(),
        body: body.to_owned(),
    }
}

/// A page of one section.
pub fn page(number: u128, title: &str, body: &str) -> PageEntry {
    PageEntry::new(page_id(number), title, vec![section("", body)], None)
}

/// A database with an organization and these empty spaces.
pub async fn with_spaces(database: &TestDatabase, spaces: &[u128]) -> Db {
    let (db, spaces) = (database.migrated().await, spaces.to_vec());
    db.write(|tx| async move {
        insert_organization(&tx, 1).await?;
        for space in spaces {
            insert_space(&tx, 1, space).await?;
        }
        Ok::<_, DbErr>(())
    })
    .await
    .unwrap();
    db
}

pub async fn replace(db: &Db, space: u128, entries: Vec<PageEntry>) {
    db.write(move |tx| async move { index::replace(&tx, space_id(space), &entries).await })
        .await
        .unwrap();
}

pub async fn remove(db: &Db, space: u128, pages: &[u128]) {
    let pages: Vec<PageId> = pages.iter().copied().map(page_id).collect();
    db.write(move |tx| async move { index::remove(&tx, space_id(space), &pages).await })
        .await
        .unwrap();
}

pub async fn search(db: &Db, space: u128, text: &str) -> SearchResults<PageHit> {
    query::search_space(db.read(), space_id(space), text, None, 100)
        .await
        .unwrap()
}

/// The numbers of the pages that are found, the best first.
pub async fn found(db: &Db, space: u128, text: &str) -> Vec<u128> {
    let results = search(db, space, text).await;
    assert_eq!(results.count, results.page.items.len() as u64);
    assert_eq!(results.page.next, None);
    numbers(&results.page.items)
}

pub fn numbers(hits: &[PageHit]) -> Vec<u128> {
    hits.iter().map(|hit| hit.page.as_uuid().as_u128()).collect()
}
