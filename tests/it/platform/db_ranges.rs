//! Ranges of an index beside many rows with other values.

use entity::{
    ids::TeamId,
    organizations::{
        members::{self, MemberRole},
        teams::{Column, Entity, Model},
    },
    timestamp::Timestamp,
};
use platform::db::{Backend, Db, Keyset, Range};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Select};

use crate::support::{
    database::{TestDatabase, on_each_database},
    plans::{explained, lines},
    rows::{insert_member, insert_organization, insert_team, insert_user, organization_id, team_id, user_id},
};

on_each_database![
    pages_cover_the_range_once,
    a_page_skips_no_rows_of_others,
    a_page_skips_no_rows_of_others_without_a_range,
    a_range_ends_with_its_last_value,
];

/// The teams of each of two organizations.
const TEAMS: u128 = 500;

/// Stores the teams of the organizations; the teams of the second one are newer.
async fn fill(db: &Db) {
    fill_with(db, |team| if team <= TEAMS { 1 } else { 2 }).await;
}

async fn fill_with(db: &Db, organization_of: impl Fn(u128) -> u128 + Send + Clone + 'static) {
    db.write(|tx| async move {
        for organization in [1, 2, 3] {
            insert_organization(&tx, organization).await?;
        }
        for team in 1..=2 * TEAMS {
            insert_team(&tx, organization_of(team), team).await?;
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

async fn plan<E: EntityTrait>(db: &Db, rows: &Select<E>) -> String {
    let (explain, column) = explained(db, rows);
    lines(&db.read().query_all_raw(explain).await.unwrap(), column)
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
                let plan = plan(&db, &rows).await;
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

async fn a_page_skips_no_rows_of_others_without_a_range(database: TestDatabase) {
    let db = database.migrated().await;
    // In turns: nothing tells the databases that one has no old or no new ones.
    fill_with(&db, |team| 1 + team % 2).await;
    for (order, _) in orders() {
        for organization in [1, 2] {
            let of_organization = Column::OrganizationId.eq(organization_id(organization));
            let all = Range::from(Entity::find().filter(of_organization));
            let plan = plan(&db, &all.after(&order, None::<TeamId>).limit(5)).await;
            assert!(plan.contains("teams_by_organization_id_id"), "{plan}");
            assert!(!plan.contains("Filter") && !plan.contains("B-TREE"), "{plan}");
        }
    }
}

/// The members of one role, beside those with the roles before and after it.
async fn a_range_ends_with_its_last_value(database: TestDatabase) {
    let db = database.migrated().await;
    let filled = db.write(|tx| async move {
        insert_organization(&tx, 1).await?;
        let roles = [MemberRole::Comment, MemberRole::Edit, MemberRole::Read];
        for (user, role) in (1..=600).zip(roles.into_iter().cycle()) {
            insert_user(&tx, user).await?;
            insert_member(&tx, 1, user, Some(role), 1).await?;
        }
        tx.execute_unprepared("ANALYZE members").await?;
        Ok::<_, DbErr>(())
    });
    filled.await.unwrap();
    let columns = [members::Column::JoinedAt, members::Column::UserId].map(|column| (members::Entity, column));
    let values = vec![
        (members::Column::OrganizationId, organization_id(1).into()),
        (members::Column::Role, MemberRole::Edit.into()),
    ];
    let range = Range::with_values(members::Entity::find(), values);
    let key = |user| (Timestamp::from_millis(1), user_id(user));
    for (order, last) in [(Keyset::ascending(columns), 590), (Keyset::descending(columns), 10)] {
        for after in [None, Some(key(last))] {
            let rows = range.after(&order, after);
            let found = rows.clone().all(db.read()).await.unwrap();
            assert_eq!(found.len(), if after.is_some() { 3 } else { 200 });
            assert!(found.iter().all(|member| member.role == Some(MemberRole::Edit)));
            let plan = plan(&db, &rows.limit(5)).await;
            assert!(
                plan.contains("members_by_organization_id_role_joined_at_user_id"),
                "{plan}"
            );
            // PostgreSQL reads on to the end of what these tell, which has to be the role.
            let bounds = match db.backend() {
                Backend::Sqlite => "(organization_id=? AND ",
                Backend::Postgres => "Index Cond: ((organization_id = ",
            };
            assert!(plan.contains(bounds), "{plan}");
            assert!(!plan.contains("Filter") && !plan.contains("B-TREE"), "{plan}");
        }
    }
}
