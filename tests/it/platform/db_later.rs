//! Statements of a write that may run later than they are written.

use entity::identity::users;
use futures_util::future::join_all;
use platform::db::{Db, DbOptions, Tx, is_unique_violation};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, Statement};

use crate::support::{
    database::{TestDatabase, on_each_database},
    rows::{insert_user, user_id},
};

on_each_database![
    whatever_follows_sees_them,
    they_are_written_at_the_end_of_the_write,
    their_failure_is_that_of_the_write,
    a_write_that_fails_leaves_none_to_others,
];

/// Renames a user later.
async fn rename(tx: &Tx, number: u128, name: &str) -> Result<(), DbErr> {
    let rename = Query::update()
        .table(users::Entity)
        .value(users::Column::DisplayName, name)
        .and_where(Expr::col(users::Column::Id).eq(user_id(number)))
        .take();
    tx.execute_later(&rename).await
}

/// Gives a user the id of another one later, which fails if there is one.
async fn renumber(tx: &Tx, number: u128, to: u128) -> Result<(), DbErr> {
    let renumber = Query::update()
        .table(users::Entity)
        .value(users::Column::Id, user_id(to))
        .and_where(Expr::col(users::Column::Id).eq(user_id(number)))
        .take();
    tx.execute_later(&renumber).await
}

async fn name_of(db: &impl ConnectionTrait, number: u128) -> String {
    let user = users::Entity::find_by_id(user_id(number)).one(db).await;
    user.unwrap().unwrap().display_name
}

async fn whatever_follows_sees_them(database: TestDatabase) {
    let db = database.migrated().await;
    let write = |tx: Tx| async move {
        for number in 1..=3 {
            insert_user(&tx, number).await?;
        }
        rename(&tx, 1, "First").await?;
        assert_eq!(name_of(&tx, 1).await, "First");

        rename(&tx, 1, "Again").await?;
        rename(&tx, 2, "Second").await?;
        let renamed = users::Entity::find().filter(users::Column::DisplayName.is_in(["Again", "Second"]));
        assert_eq!(renamed.all(&tx).await?.len(), 2);

        rename(&tx, 3, "Third").await?;
        let changed = users::Entity::update_many()
            .col_expr(users::Column::EmailVerified, Expr::value(false))
            .filter(users::Column::DisplayName.eq("Third"));
        assert_eq!(changed.exec(&tx).await?.rows_affected, 1);

        // The parameters of a text that numbers them itself.
        rename(&tx, 3, "Last").await?;
        let numbered = Statement::from_sql_and_values(
            tx.get_database_backend(),
            "SELECT display_name FROM users WHERE display_name = $1",
            ["Last".into()],
        );
        assert!(tx.query_one_raw(numbered).await?.is_some());
        Ok::<_, DbErr>(())
    };
    db.write(write).await.unwrap();
}

async fn they_are_written_at_the_end_of_the_write(database: TestDatabase) {
    let db = database.migrated().await;
    db.write(|tx| async move {
        insert_user(&tx, 1).await?;
        rename(&tx, 1, "First").await?;
        rename(&tx, 1, "Last").await
    })
    .await
    .unwrap();
    assert_eq!(name_of(db.read(), 1).await, "Last");
}

async fn their_failure_is_that_of_the_write(database: TestDatabase) {
    let db = database.migrated().await;
    let failed = db.write(|tx| async move {
        insert_user(&tx, 1).await?;
        insert_user(&tx, 2).await?;
        renumber(&tx, 2, 1).await
    });
    assert!(is_unique_violation(&failed.await.unwrap_err()));
    assert_eq!(users::Entity::find().count(db.read()).await.unwrap(), 0);
}

#[derive(Clone, Copy, Debug)]
enum Ending {
    Written,
    Nothing,
    /// Fails before anything ran.
    Refused,
    /// Fails with something that has run and something that has not.
    Failed,
    /// What should run at the end fails.
    FailedAtEnd,
}

impl Ending {
    async fn run(self, db: Db, number: u128) -> Result<(), DbErr> {
        let write = move |tx: Tx| async move {
            match self {
                Self::Nothing => return Ok(()),
                Self::Refused => {
                    rename(&tx, 1_000, "Refused").await?;
                    return Err(DbErr::Custom("refused".to_owned()));
                }
                Self::Written | Self::Failed | Self::FailedAtEnd => insert_user(&tx, number).await?,
            }
            rename(&tx, 1_000, &format!("{self:?} {number}")).await?;
            rename(&tx, number, "Renamed").await?;
            match self {
                Self::Failed => Err(DbErr::Custom("failed".to_owned())),
                Self::FailedAtEnd => renumber(&tx, number, 1_000).await,
                _ => Ok(()),
            }
        };
        db.write(write).await
    }

    fn is_success(self) -> bool {
        matches!(self, Self::Written | Self::Nothing)
    }
}

/// On SQLite, writes that wait together share a transaction.
async fn a_write_that_fails_leaves_none_to_others(database: TestDatabase) {
    use Ending::{Failed, FailedAtEnd, Nothing, Refused, Written};
    let db = database
        .migrated_with(&DbOptions {
            batch_time: std::time::Duration::from_secs(60),
            ..DbOptions::default()
        })
        .await;
    db.write(|tx| async move { insert_user(&tx, 1_000).await })
        .await
        .unwrap();
    let kinds = [Written, Nothing, Refused, Failed, FailedAtEnd];
    // Each kind comes after each other one, and after itself.
    let endings: Vec<Ending> = kinds
        .iter()
        .flat_map(|first| kinds.iter().flat_map(move |second| [*first, *second]))
        .collect();
    let runs = endings
        .iter()
        .zip(1..)
        .map(|(ending, number)| ending.run(db.clone(), number));
    let mut written = Vec::new();
    for ((done, ending), number) in join_all(runs).await.into_iter().zip(&endings).zip(1_u128..) {
        assert_eq!(done.is_ok(), ending.is_success(), "{ending:?}: {done:?}");
        if matches!(ending, Written) {
            written.push(number);
        }
    }
    let renamed = users::Entity::find().filter(users::Column::DisplayName.eq("Renamed"));
    assert_eq!(renamed.count(db.read()).await.unwrap(), written.len() as u64);
    assert_eq!(
        users::Entity::find().count(db.read()).await.unwrap(),
        written.len() as u64 + 1
    );
    let last = name_of(db.read(), 1_000).await;
    assert!(last.starts_with("Written"), "{last}");
}
