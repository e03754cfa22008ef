//! The search index follows the content, whatever the content is.

use entity::content::search::{pages, spaces};
use entity::library::nodes;
use entity::organizations::members::MemberRole;
use platform::db::{Backend, Db};
use proptest::{prelude::*, test_runner::TestRunner};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Statement};
use search::index::{self, EntryLimits, PageEntry};
use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    paths::texts,
    rows::space_id,
    search::{found, page, page_id, remove, replace, search, section, with_spaces},
    texts::{add, new_space},
    world::World,
};

on_each_database![
    the_index_follows_the_content,
    a_failed_write_leaves_the_index,
    a_copy_is_found_by_itself,
    purged_content_is_gone,
    a_transferred_space_is_found_in_its_organization,
    hostile_pages_are_indexed,
    many_pages_are_indexed_by_few_statements,
];

async fn rows(db: &Db, sql: &str) -> i64 {
    let statement = Statement::from_string(db.read().get_database_backend(), sql.to_owned());
    let row = db.read().query_one_raw(statement).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

/// Everything that is stored agrees: each page with its terms, each space with the number of its pages.
async fn index_is_right(db: &Db, pages: i64) {
    assert_eq!(rows(db, "SELECT count(*) FROM search_pages").await, pages);
    let counted = "SELECT count(*) FROM search_spaces s WHERE pages_count
        <> (SELECT count(*) FROM search_pages p WHERE p.search_space_id = s.id)";
    assert_eq!(rows(db, counted).await, 0);
    let terms = match db.backend() {
        Backend::Sqlite => "SELECT count(*) FROM search_terms_docsize",
        Backend::Postgres => "SELECT count(*) FROM search_terms t JOIN search_pages p ON t.page_id = p.id",
    };
    assert_eq!(rows(db, terms).await, pages);
    if db.backend() == Backend::Sqlite {
        db.write(|tx| async move {
            tx.execute_unprepared("INSERT INTO search_terms (search_terms) VALUES ('integrity-check')")
                .await
        })
        .await
        .unwrap();
    }
}

async fn the_index_follows_the_content(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    replace(&db, 1, vec![]).await;
    remove(&db, 1, &[1]).await;
    index_is_right(&db, 0).await;
    replace(&db, 1, vec![page(1, "One", "apple"), page(2, "Two", "apple pear")]).await;
    index_is_right(&db, 2).await;
    replace(&db, 1, vec![page(2, "Two", "plum"), page(3, "Three", "pear")]).await;
    index_is_right(&db, 3).await;
    assert_eq!(found(&db, 1, "apple").await, [1]);
    assert_eq!(found(&db, 1, "pear").await, [3]);
    assert_eq!(found(&db, 1, "plum").await, [2]);
    remove(&db, 1, &[2, 3, 99]).await;
    index_is_right(&db, 1).await;
    assert_eq!(found(&db, 1, "pear plum two three").await, [0; 0]);
    for round in 0..20 {
        let word = format!("round{round}");
        replace(&db, 1, vec![page(1, "One", &word)]).await;
        assert_eq!(found(&db, 1, &word).await, [1]);
    }
    index_is_right(&db, 1).await;
    assert_eq!(found(&db, 1, "round").await, [1]);
}

async fn a_failed_write_leaves_the_index(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    replace(&db, 1, vec![page(1, "One", "apple")]).await;
    let undone = db
        .write(|tx| async move {
            index::replace(&tx, space_id(1), &[page(1, "One", "pear"), page(2, "Two", "pear")]).await?;
            index::remove(&tx, space_id(1), &[page_id(1)]).await?;
            Err::<(), _>(DbErr::Custom("changed my mind".to_owned()))
        })
        .await;
    assert!(undone.is_err());
    assert_eq!(found(&db, 1, "apple").await, [1]);
    assert_eq!(found(&db, 1, "pear").await, [0; 0]);
    index_is_right(&db, 1).await;
}

async fn a_copy_is_found_by_itself(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2]).await;
    let pages = (1..=250).map(|number| page(number, &format!("Page {number}"), "apple\0"));
    replace(&db, 1, pages.collect()).await;
    let nothing = index::list_entries(db.read(), space_id(2), EntryLimits { entries: 0, bytes: 0 })
        .await
        .unwrap();
    assert!(nothing.unwrap().is_empty());
    for too_low in [
        EntryLimits {
            entries: 249,
            bytes: i64::MAX,
        },
        EntryLimits {
            entries: 250,
            bytes: 250 * 6 - 1,
        },
    ] {
        assert!(
            index::list_entries(db.read(), space_id(1), too_low)
                .await
                .unwrap()
                .is_none()
        );
    }
    let entries = index::list_entries(
        db.read(),
        space_id(1),
        EntryLimits {
            entries: 250,
            bytes: i64::MAX,
        },
    )
    .await
    .unwrap();
    replace(&db, 2, entries.unwrap()).await;
    index_is_right(&db, 500).await;
    assert_eq!(found(&db, 2, "page 7").await[0], 7);
    remove(&db, 1, &[7]).await;
    assert_eq!(found(&db, 2, "page 7").await[0], 7);
    assert_eq!(search(&db, 2, "apple").await.count, 250);
    assert_eq!(search(&db, 1, "apple").await.count, 249);
    let hit = search(&db, 2, "page 7").await.page.items.remove(0);
    assert_eq!(hit.sections[0].body, "apple\u{fffd}");
}

async fn purged_content_is_gone(database: TestDatabase) {
    let db = with_spaces(&database, &[1, 2]).await;
    for space in [1, 2] {
        replace(
            &db,
            space,
            (1..=50).map(|number| page(number, "Page", "apple")).collect(),
        )
        .await;
    }
    db.write(|tx| async move { nodes::Entity::delete_by_id(space_id(1)).exec(&tx).await })
        .await
        .unwrap();
    index_is_right(&db, 50).await;
    assert_eq!(rows(&db, "SELECT count(*) FROM search_spaces").await, 1);
    // "page" and "apple" of the other space.
    assert_eq!(rows(&db, "SELECT count(*) FROM search_words").await, 2);
    assert_eq!(search(&db, 1, "apple").await.count, 0);
    assert_eq!(search(&db, 2, "apple").await.count, 50);
}

async fn a_transferred_space_is_found_in_its_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let space = new_space(&world, "Moving").await;
    add(&world, space, &[("Van", "Everything is in boxes.")]).await;
    let members = bindery::areas::organizations::members::add(
        &world.app().kernel,
        world.other_organization,
        world.admin.id,
        Some(MemberRole::Create),
    );
    members.await.unwrap();
    let found = async |organization| {
        let call = world
            .admin
            .client
            .call("searchOrganizationContent")
            .within(organization);
        texts(&call.query("query", "boxes").expect(200).await, "/id")
    };
    let before = (found(world.organization).await, found(world.other_organization).await);
    assert_eq!(before, (vec![space.to_string()], vec![]));
    let to = json!({ "organization": world.other_organization });
    let call = world.admin.client.call("transferSpace").space(space);
    call.json(to).expect(200).await;
    let after = (found(world.organization).await, found(world.other_organization).await);
    assert_eq!(after, (vec![], vec![space.to_string()]));
}

async fn hostile_pages_are_indexed(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let words: String = (0..200_000).map(|number| format!("word{number} ")).collect();
    let ideographs: String = (0..400_000_u32)
        .filter_map(|n| char::from_u32(0x4e00 + n.wrapping_mul(7919) % 20_000))
        .collect();
    let bodies = [
        "x".repeat(1 << 20),
        words,
        ideographs,
        format!("a{}", "\u{301}".repeat(100_000)),
        "' \\ \" \0 :* @ | & ! <-> \u{fffe}".repeat(1000),
        "a-".repeat(100_000),
        String::new(),
    ];
    let pages = bodies.iter().enumerate();
    let pages =
        pages.map(|(number, body)| PageEntry::new(page_id(number as u128), "\0'\\\"", vec![section("\0", body)], None));
    replace(&db, 1, pages.collect()).await;
    index_is_right(&db, 7).await;
    assert_eq!(found(&db, 1, "word77").await, [1]);
    assert_eq!(found(&db, 1, &"x".repeat(512)).await, [0]);
    let runner = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        let config = ProptestConfig {
            cases: 30,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let texts = (any::<String>(), any::<String>(), any::<String>());
        let indexed = |(title, heading, body): (String, String, String)| {
            let entry = PageEntry::new(page_id(99), &title, vec![section(&heading, &body)], None);
            runner.block_on(replace(&db, 1, vec![entry]));
            let all = runner.block_on(search(&db, 1, &title));
            let shown = title.chars().any(|c| !c.is_whitespace() && !c.is_control());
            let first = all.page.items.first().map(|hit| hit.page);
            prop_assert!(
                !shown || title.chars().all(|c| !c.is_alphanumeric()) || first == Some(page_id(99)),
                "{:?}",
                title
            );
            Ok(())
        };
        TestRunner::new(config).run(&texts, indexed).unwrap();
    });
}

async fn many_pages_are_indexed_by_few_statements(database: TestDatabase) {
    let db = with_spaces(&database, &[1]).await;
    let entries: Vec<_> = (0..2_000)
        .map(|number| page(number, &format!("Page {number}"), "apple pear plum"))
        .collect();
    let before = db.statements();
    replace(&db, 1, entries).await;
    let used = db.statements() - before;
    assert!(used < 40, "{used}");
    index_is_right(&db, 2_000).await;
    assert_eq!(found(&db, 1, "page 1234").await[0], 1234);
    let stored = pages::Entity::find()
        .filter(pages::Column::Title.eq("Page 7"))
        .one(db.read())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.size, 15);
    let space = spaces::Entity::find().one(db.read()).await.unwrap().unwrap();
    assert_eq!((space.id, space.pages_count), (stored.search_space_id, 2_000));
}
