//! Keyset paging and search, on rows that tie on the leading key.

use entity::identity::users;
use entity::ids::UserId;
use entity::organizations::members::{Column, Entity, MemberRole};
use entity::timestamp::Timestamp;
use platform::db::{Backend, Db, Keyset, Page, contains};
use sea_orm::sea_query::Order;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, Select};

use crate::support::{
    database::{TestDatabase, on_each_database},
    plans::planned,
    rows::{insert_member, insert_organization, insert_user, organization_id},
};

on_each_database![
    pages_cover_the_list_once,
    every_page_is_one_range_of_an_index,
    searches_take_terms_literally
];

type Key = (Timestamp, UserId);

const MEMBERS: u128 = 25;

/// Two organizations; four members of each join at the same time.
async fn fill(db: &Db) {
    db.write(|tx| async move {
        for organization in [1, 2] {
            insert_organization(&tx, organization).await?;
        }
        for user in 1..=MEMBERS {
            insert_user(&tx, user).await?;
            let role = user.is_multiple_of(2).then_some(MemberRole::Edit);
            for organization in [1, 2] {
                insert_member(&tx, organization, user, role, (user / 4) as i64).await?;
            }
        }
        Ok::<_, DbErr>(())
    })
    .await
    .unwrap();
}

fn members() -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization_id(1)))
}

fn keyset(order: &Order) -> Keyset {
    let columns = [Column::JoinedAt, Column::UserId];
    if *order == Order::Asc {
        Keyset::ascending(columns)
    } else {
        Keyset::descending(columns)
    }
}

async fn page(
    db: &Db,
    order: &Order,
    after: Option<Key>,
    limit: u64,
) -> Page<entity::organizations::members::Model, Key> {
    keyset(order)
        .page(
            members(),
            after,
            limit,
            |query| query.all(db.read()),
            |row| (row.joined_at, row.user_id),
        )
        .await
        .unwrap()
}

async fn pages_cover_the_list_once(database: TestDatabase) {
    let db = database.migrated().await;
    fill(&db).await;
    for order in [Order::Asc, Order::Desc] {
        let whole: Vec<_> = page(&db, &order, None, 1000).await.items;
        assert_eq!(whole.len() as u128, MEMBERS);
        assert!(whole.iter().all(|row| row.organization_id == organization_id(1)));
        let ascending = whole.is_sorted_by_key(|row| (row.joined_at, row.user_id));
        assert_eq!(ascending, order == Order::Asc);

        for limit in [1, 3, 5, 24, 25, 26] {
            let (mut rows, mut after, mut pages) = (Vec::new(), None, 0);
            loop {
                let page = page(&db, &order, after, limit).await;
                rows.extend(page.items);
                pages += 1;
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            assert_eq!(rows, whole);
            assert_eq!(pages, 25_u64.div_ceil(limit), "no empty last page");
        }
    }

    let before = db.statements();
    let none = page(&db, &Order::Asc, None, 0).await;
    assert_eq!((none.items.len(), none.next), (0, None));
    assert_eq!(db.statements(), before);
}

/// The plan of the query that a page runs.
async fn plan(db: &Db, query: Select<Entity>, order: &Order) -> String {
    let after = (Timestamp::from_millis(3), UserId::from_uuid(uuid::Uuid::from_u128(13)));
    let mut seen = None;
    let keep = |query: Select<Entity>| {
        seen = Some(query);
        std::future::ready(Ok(Vec::<Key>::new()))
    };
    keyset(order)
        .page(query, Some(after), 5, keep, |key| *key)
        .await
        .unwrap();
    planned(db, &seen.unwrap()).await
}

async fn every_page_is_one_range_of_an_index(database: TestDatabase) {
    let db = database.migrated().await;
    fill(&db).await;
    let by_role = members().filter(Column::Role.eq(MemberRole::Edit));
    for (query, index) in [
        (members(), "members_by_organization_id_joined_at_user_id"),
        (by_role, "members_by_organization_id_role_joined_at_user_id"),
    ] {
        for order in [Order::Asc, Order::Desc] {
            let plan = plan(&db, query.clone(), &order).await;
            assert!(plan.contains(index), "{plan}");
            assert!(
                !plan.to_lowercase().contains("sort") && !plan.contains("B-TREE"),
                "{plan}"
            );
            let range = match db.backend() {
                Backend::Sqlite => "(joined_at,user_id)",
                Backend::Postgres => "Index Cond: ((organization_id = ",
            };
            assert!(plan.contains(range), "{plan}");
            assert!(!plan.contains("Filter: (ROW"), "{plan}");
        }
    }
}

async fn searches_take_terms_literally(database: TestDatabase) {
    let db = database.migrated().await;
    fill(&db).await;
    let found = async |term: &str| {
        let matches = contains(users::Column::SearchText, term);
        users::Entity::find().filter(matches).count(db.read()).await.unwrap()
    };
    assert_eq!(found("USER-7@").await, 1);
    assert_eq!(found("").await, MEMBERS as u64);
    for pattern in ["%", "_", "user%com", "\\", "user\\"] {
        assert_eq!(found(pattern).await, 0, "{pattern}");
    }
}
