//! Ranges of an index beside many rows with other values.

use entity::{
    ids::TeamId,
    teams::{Column, Entity, Model},
};
use platform::db::{Backend, Db, Keyset, Range};
use sea_orm::{ConnectionTrait, EntityTrait, QuerySelect, Select};

use crate::support::{
    database::{TestDatabase, on_each_database},
    plans::{explained, lines},
    rows::{insert_organization, insert_team, organization_id, team_id},
};

on_each_database![pages_cover_the_range_once, a_page_skips_no_rows_of_others];

/// The teams of each organization: those of the second one are newer.
const TEAMS: u128 = 500;

async fn fill(db: &Db) {
    db.write(|tx| async move {
        for organization in [1, 2, 3] {
            insert_organization(&tx, organization).await?;
        }
        for team in 1..=2 * TEAMS {
            insert_team(&tx, if team <= TEAMS { 1 } else { 2 }, team).await?;
        }
        tx.execute_unprepared("ANALYZE teams").await.map(drop)
    })
    .await
    .unwrap();
}

fn of_organization(number: u128) -> Range<Entity> {
    Range::with_values(
        Entity::find(),
        vec![(Column::OrganizationId, organization_id(number).into())],
    )
}

/// Both orders, and whether the first id is the greatest.
fn orders() -> [(Keyset, bool); 2] {
    [
        (Keyset::ascending([(Entity, Column::Id)]), false),
        (Keyset::descending([(Entity, Column::Id)]), true),
    ]
}

async fn pages_cover_the_range_once(database: TestDatabase) {
    let db = database.migrated().await;
    fill(&db).await;
    let read = db.read();
    for (order, is_descending) in orders() {
        for organization in [1, 2, 3] {
            let range = of_organization(organization);
            let mut found = Vec::new();
            let mut after: Option<TeamId> = None;
            loop {
                let rows = range.after(&order, after);
                let run = |query: Select<Entity>| query.all(read);
                let page = order.page(rows, None, 99, run, |row: &Model| row.id).await.unwrap();
                found.extend(page.items);
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            let mut all = range.all().all(read).await.unwrap();
            assert_eq!(all.len() as u128, if organization == 3 { 0 } else { TEAMS });
            all.sort_by_key(|row| row.id);
            if is_descending {
                all.reverse();
            }
            assert_eq!(found, all);
        }
    }
}

async fn a_page_skips_no_rows_of_others(database: TestDatabase) {
    let db = database.migrated().await;
    fill(&db).await;
    for (order, _) in orders() {
        for after in [None, Some(team_id(7)), Some(team_id(TEAMS + 7))] {
            for organization in [1, 2] {
                let rows = of_organization(organization).after(&order, after).limit(5);
                let (explain, column) = explained(&db, &rows);
                let plan = lines(&db.read().query_all_raw(explain).await.unwrap(), column);
                assert!(plan.contains("teams_by_organization_id_id"), "{plan}");
                assert!(!plan.contains("Filter") && !plan.contains("B-TREE"), "{plan}");
                if after.is_some() {
                    let key = match db.backend() {
                        Backend::Sqlite => "(organization_id,id)",
                        Backend::Postgres => "ROW(organization_id, id)",
                    };
                    assert!(plan.contains(key), "{plan}");
                }
            }
        }
    }
}
