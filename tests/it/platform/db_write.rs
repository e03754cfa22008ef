//! Write transactions, where both databases must behave the same.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;

use entity::organizations::members::{self, MemberRole};
use entity::{identity::users, organizations};
use futures_util::FutureExt;
use platform::db::{Backend, Db, DbOptions, Tx, is_foreign_key_violation, is_unique_violation};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};
use tokio::sync::Barrier;

use crate::support::{
    database::{TestDatabase, on_each_database},
    rows::{
        insert_member, insert_organization, insert_team, insert_team_member, insert_user, organization_id, user_id,
    },
};

on_each_database![
    commits_before_it_answers,
    undoes_a_failed_write,
    undoes_a_write_that_panics,
    refuses_a_transaction_that_outlives_its_closure,
    loses_no_update,
    writes_of_other_rows_do_not_meet,
    keeps_decisions_apart,
    classifies_violations,
    cascades_to_what_depends,
    counts_statements,
    survives_callers_who_go_away,
    closes,
];

async fn users(db: &Db) -> u64 {
    users::Entity::find().count(db.read()).await.unwrap()
}

async fn commits_before_it_answers(database: TestDatabase) {
    let db = database.migrated().await;
    for number in 1..=20 {
        db.write(move |tx| async move { insert_user(&tx, number).await })
            .await
            .unwrap();
        assert!(
            users::Entity::find_by_id(user_id(number))
                .one(db.read())
                .await
                .unwrap()
                .is_some()
        );
    }
}

async fn undoes_a_failed_write(database: TestDatabase) {
    let db = database.migrated().await;
    let result = db
        .write(|tx| async move {
            insert_user(&tx, 1).await?;
            Err::<(), _>(DbErr::Custom("changed my mind".to_owned()))
        })
        .await;
    assert_eq!(result, Err(DbErr::Custom("changed my mind".to_owned())));
    assert_eq!(users(&db).await, 0);
}

async fn undoes_a_write_that_panics(database: TestDatabase) {
    let db = database.migrated().await;
    let write = db.write(|tx| async move {
        insert_user(&tx, 1).await?;
        if users::Entity::find().count(&tx).await? > 0 {
            panic!("a defect");
        }
        Ok::<_, DbErr>(())
    });
    let panic = std::panic::AssertUnwindSafe(write).catch_unwind().await.unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"a defect"));

    db.write(|tx| async move { insert_user(&tx, 2).await }).await.unwrap();
    assert_eq!(users(&db).await, 1);
}

async fn refuses_a_transaction_that_outlives_its_closure(database: TestDatabase) {
    let db = database.migrated().await;
    let result = db
        .write(|tx| async move {
            insert_user(&tx, 1).await?;
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                insert_user(&tx, 2).await
            });
            Ok::<_, DbErr>(())
        })
        .await;
    assert!(result.unwrap_err().to_string().contains("kept its transaction"));
    db.write(|tx| async move { insert_user(&tx, 3).await }).await.unwrap();
    assert_eq!(users(&db).await, 1);
}

/// Reads and writes the counter in separate statements, which only works when nobody comes between.
async fn increment(tx: Tx) -> Result<(), DbErr> {
    let organization = organizations::Entity::find().one(&tx).await?.unwrap();
    organizations::Entity::update_many()
        .col_expr(
            organizations::Column::MembersCount,
            Expr::val(organization.members_count + 1),
        )
        .exec(&tx)
        .await
        .map(drop)
}

async fn loses_no_update(database: TestDatabase) {
    let db = database.migrated().await;
    db.write(|tx| async move { insert_organization(&tx, 1).await })
        .await
        .unwrap();
    let writers: Vec<_> = (0..32)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                for _ in 0..5 {
                    db.write(increment).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let organization = organizations::Entity::find().one(db.read()).await.unwrap().unwrap();
    assert_eq!(organization.members_count, 160);
}

/// Each of two admins steps down if another is left: decisions on what the other is about to change.
async fn rename_user(tx: &Tx, number: u128) -> Result<(), DbErr> {
    use users::{Column, Entity};
    let renamed = Entity::update_many().col_expr(Column::DisplayName, Expr::value("Renamed"));
    renamed.filter(Column::Id.eq(user_id(number))).exec(tx).await.map(drop)
}

async fn rename_organization(tx: &Tx, number: u128) -> Result<(), DbErr> {
    use organizations::{Column, Entity};
    let renamed = Entity::update_many().col_expr(Column::Title, Expr::value("Renamed"));
    let found = renamed.filter(Column::Id.eq(organization_id(number)));
    found.exec(tx).await.map(drop)
}

/// A long write, such as the last one of an import, beside a short one of other rows in the same small tables.
async fn writes_of_other_rows_do_not_meet(database: TestDatabase) {
    let db = database.migrated().await;
    if db.backend() == Backend::Sqlite {
        // Its writes come one after the other.
        return;
    }
    let fill = db.write(|tx| async move {
        for number in [1, 2] {
            insert_user(&tx, number).await?;
            insert_organization(&tx, number).await?;
        }
        tx.execute_unprepared("ANALYZE users, organizations").await
    });
    fill.await.unwrap();
    let attempts = Arc::new(AtomicUsize::new(0));
    let (counted, others) = (Arc::clone(&attempts), db.clone());
    let long = db.write(move |tx| async move {
        counted.fetch_add(1, Ordering::Relaxed);
        rename_user(&tx, 1).await?;
        let short = others.write(move |tx| async move {
            rename_user(&tx, 2).await?;
            rename_organization(&tx, 2).await
        });
        short.await?;
        rename_organization(&tx, 1).await
    });
    long.await.unwrap();
    assert_eq!(attempts.load(Ordering::Relaxed), 1);
}

async fn keeps_decisions_apart(database: TestDatabase) {
    let db = database.migrated().await;
    db.write(|tx| async move {
        insert_organization(&tx, 1).await?;
        for user in [1, 2] {
            insert_user(&tx, user).await?;
            insert_member(&tx, 1, user, Some(MemberRole::Admin), 1).await?;
        }
        Ok::<_, DbErr>(())
    })
    .await
    .unwrap();
    let together = Arc::new(Barrier::new(2));
    let step_down = |user: u128| {
        let (db, together) = (db.clone(), Arc::clone(&together));
        tokio::spawn(async move {
            together.wait().await;
            db.write(move |tx| async move {
                let admins = members::Column::Role.eq(MemberRole::Admin);
                if members::Entity::find().filter(admins).count(&tx).await? < 2 {
                    return Err(DbErr::Custom("the last admin stays".to_owned()));
                }
                members::Entity::update_many()
                    .col_expr(members::Column::Role, Expr::val(MemberRole::Read))
                    .filter(members::Column::UserId.eq(user_id(user)))
                    .exec(&tx)
                    .await
                    .map(drop)
            })
            .await
        })
    };
    let (first, second) = (step_down(1), step_down(2));
    let results = [first.await.unwrap(), second.await.unwrap()];
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
}

async fn classifies_violations(database: TestDatabase) {
    let db = database.migrated().await;
    db.write(|tx| async move { insert_user(&tx, 1).await }).await.unwrap();

    let error = db
        .write(|tx| async move { insert_user(&tx, 1).await })
        .await
        .unwrap_err();
    assert!(
        is_unique_violation(&error) && !is_foreign_key_violation(&error),
        "{error}"
    );

    let error = db
        .write(|tx| async move { insert_member(&tx, 1, 1, None, 1).await })
        .await
        .unwrap_err();
    assert!(
        is_foreign_key_violation(&error) && !is_unique_violation(&error),
        "{error}"
    );

    let negative = |tx: Tx| async move {
        insert_organization(&tx, 1).await?;
        let count = organizations::Column::MembersCount;
        organizations::Entity::update_many()
            .col_expr(count, Expr::col(count).sub(1))
            .exec(&tx)
            .await
            .map(drop)
    };
    let error = db.write(negative).await.unwrap_err();
    assert!(
        error.to_string().contains("organizations_members_count_not_negative"),
        "{error}"
    );
}

async fn cascades_to_what_depends(database: TestDatabase) {
    let db = database.migrated().await;
    db.write(|tx| async move {
        for organization in [1, 2] {
            insert_organization(&tx, organization).await?;
        }
        insert_user(&tx, 1).await?;
        insert_member(&tx, 1, 1, None, 1).await?;
        insert_team(&tx, 1, 1).await?;
        insert_team(&tx, 2, 2).await?;
        insert_team_member(&tx, 1, 1, 1).await
    })
    .await
    .unwrap();

    // A team takes only members of its own organization.
    for (organization, team) in [(1, 2), (2, 2)] {
        let foreign = db
            .write(move |tx| async move { insert_team_member(&tx, organization, team, 1).await })
            .await;
        assert!(is_foreign_key_violation(&foreign.unwrap_err()));
    }

    db.write(|tx| async move { users::Entity::delete_by_id(user_id(1)).exec(&tx).await.map(drop) })
        .await
        .unwrap();
    assert_eq!(members::Entity::find().count(db.read()).await.unwrap(), 0);
    assert_eq!(
        organizations::teams::members::Entity::find()
            .count(db.read())
            .await
            .unwrap(),
        0
    );
    assert_eq!(organizations::teams::Entity::find().count(db.read()).await.unwrap(), 2);
}

async fn counts_statements(database: TestDatabase) {
    let db = database.migrated().await;
    let before = db.statements();
    users(&db).await;
    assert_eq!(db.statements() - before, 1);
    db.write(|tx| async move {
        insert_user(&tx, 1).await?;
        insert_user(&tx, 2).await
    })
    .await
    .unwrap();
    assert_eq!(db.statements() - before, 3);
}

async fn closes(database: TestDatabase) {
    let db = database.migrated().await;
    db.ping().await.unwrap();
    let last = db.write(|tx| async move { insert_user(&tx, 1).await });
    let (written, closed) = tokio::join!(last, db.close());
    written.unwrap();
    closed.unwrap();
    assert!(db.ping().await.is_err());
    assert!(db.read().execute_unprepared("SELECT 1").await.is_err());
    db.write(|tx| async move { insert_user(&tx, 2).await })
        .await
        .unwrap_err();

    let again = database.migrated().await;
    assert_eq!(users(&again).await, 1);
}

/// A caller who goes away in the middle of a write, such as a client that closes its connection, harms no later write.
async fn survives_callers_who_go_away(database: TestDatabase) {
    let options = DbOptions {
        connections: 2,
        ..DbOptions::default()
    };
    let db = database.migrated_with(&options).await;
    for number in 1..=100 {
        let mut write = Box::pin(db.write(move |tx| async move { insert_user(&tx, number).await }));
        for _ in 0..number % 10 {
            if futures_util::poll!(&mut write).is_ready() {
                break;
            }
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        drop(write);
    }
    for number in 1_001..=1_020 {
        let write = db.write(move |tx| async move { insert_user(&tx, number).await });
        write.await.unwrap();
    }
}
