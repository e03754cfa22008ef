//! What holds on SQLite alone: durability settings, and writes that share commits without sharing failures.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use entity::identity::users;
use futures_util::FutureExt;
use futures_util::future::join_all;
use platform::db::{Backend, Db, DbOptions, ReadRows};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, Statement};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::support::{
    database::TestDatabase,
    rows::{insert_member, insert_user},
};

async fn database() -> (TestDatabase, Db) {
    database_with(DbOptions::default()).await
}

/// However slow the machine, what waits together is one batch.
async fn patient_database() -> (TestDatabase, Db) {
    database_with(DbOptions {
        batch_time: Duration::from_secs(60),
        ..DbOptions::default()
    })
    .await
}

async fn database_with(options: DbOptions) -> (TestDatabase, Db) {
    let database = TestDatabase::new(Backend::Sqlite);
    let db = database.migrated_with(&options).await;
    (database, db)
}

async fn pragma(db: &impl ConnectionTrait, name: &str) -> String {
    let statement = Statement::from_string(db.get_database_backend(), format!("PRAGMA {name}"));
    let row = db.query_one_raw(statement).await.unwrap().unwrap();
    row.try_get_by_index::<String>(0)
        .or_else(|_| row.try_get_by_index::<i64>(0).map(|n| n.to_string()))
        .unwrap()
}

#[tokio::test]
async fn an_answered_write_survives_power_loss() {
    let (_database, db) = database().await;
    let settings = db
        .write(|tx| async move {
            let mut settings = Vec::new();
            for name in ["journal_mode", "synchronous", "foreign_keys", "busy_timeout"] {
                settings.push(pragma(&tx, name).await);
            }
            Ok::<_, DbErr>(settings)
        })
        .await
        .unwrap();
    // 2 is FULL: the log reaches the disk before a commit returns.
    assert_eq!(settings, ["wal", "2", "1", "10000"]);
}

#[tokio::test]
async fn deleted_texts_are_overwritten() {
    let (_database, db) = database().await;
    let secure_delete = db.write(|tx| async move { Ok::<_, DbErr>(pragma(&tx, "secure_delete").await) });
    // 1 is ON, 2 would be FAST.
    assert_eq!(secure_delete.await.unwrap(), "1");
}

#[tokio::test]
async fn readers_cannot_write() {
    let (_database, db) = database().await;
    assert_eq!(pragma(db.read(), "foreign_keys").await, "1");
    let error = insert_user(db.read(), 1).await.unwrap_err();
    assert!(error.to_string().contains("readonly"), "{error}");
}

/// Reads one number by position.
async fn number(db: &Db, sql: &str) -> Result<Vec<i64>, DbErr> {
    let reads = db.read();
    let statement = Statement::from_string(reads.get_database_backend(), sql);
    reads.read_rows(statement, |columns| columns.read()).await
}

#[tokio::test]
async fn reads_by_position_are_counted_and_cannot_write() {
    let (_database, db) = database().await;
    let before = db.statements();
    assert_eq!(
        number(&db, "SELECT 7 UNION ALL SELECT 8 ORDER BY 1").await,
        Ok(vec![7, 8])
    );
    assert_eq!(db.statements() - before, 1);
    let insert =
        "INSERT INTO organization_email_domains (organization_id, domain, position) VALUES (x'00', 'x', 0) RETURNING 1";
    let error = number(&db, insert).await.unwrap_err();
    assert!(error.to_string().contains("readonly"), "{error}");
    assert_eq!(number(&db, "SELECT 7").await, Ok(vec![7]));
}

/// A statement that was slow once runs while another thread takes over the tasks of this one.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_slow_read_by_position_is_right_each_time() {
    let (_database, db) = database().await;
    let slow =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) SELECT COUNT(*) FROM n";
    let twice = tokio::spawn(async move { [number(&db, slow).await, number(&db, slow).await] });
    assert_eq!(twice.await.unwrap(), [Ok(vec![500_000]), Ok(vec![500_000])]);
}

#[tokio::test]
async fn a_closed_database_cannot_be_read_by_position() {
    let (_database, db) = database().await;
    assert_eq!(number(&db, "SELECT 7").await, Ok(vec![7]));
    db.close().await.unwrap();
    let error = number(&db, "SELECT 7").await.unwrap_err();
    assert!(error.to_string().contains("closed"), "{error}");
}

#[tokio::test]
async fn a_database_in_memory_is_refused() {
    for url in [
        "sqlite::memory:",
        "sqlite://x?mode=memory",
        "mysql://localhost/x",
        "nothing",
    ] {
        assert!(Db::connect(url, &DbOptions::default()).await.is_err(), "{url}");
    }
}

/// Commits recorded in the write-ahead log: frames that carry a database size.
fn commits(database: &Path) -> usize {
    let log = std::fs::read(format!("{}-wal", database.display())).unwrap();
    if log.is_empty() {
        return 0;
    }
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
    let (page_size, salt) = (number(8) as usize, &log[16..24]);
    (32..log.len())
        .step_by(24 + page_size)
        .take_while(|&frame| &log[frame + 8..frame + 16] == salt)
        .filter(|&frame| number(frame + 4) != 0)
        .count()
}

/// Holds the writer inside a write until told to go on, so that others queue behind it.
async fn hold_writer(db: &Db) -> (Arc<Notify>, JoinHandle<Result<(), DbErr>>) {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let holder = {
        let (db, entered, release) = (db.clone(), Arc::clone(&entered), Arc::clone(&release));
        tokio::spawn(async move {
            db.write(move |_| async move {
                entered.notify_one();
                release.notified().await;
                Ok(())
            })
            .await
        })
    };
    entered.notified().await;
    (release, holder)
}

/// A write that waits in the queue.
type Queued<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Queues a write: polled once, it has its place, and waits for the writer that another write holds.
fn queue<T>(write: impl Future<Output = T> + Send + 'static) -> Queued<T> {
    let mut write: Queued<T> = Box::pin(write);
    assert!((&mut write).now_or_never().is_none(), "the write did not wait");
    write
}

/// Queues the insertion of a user.
fn queue_user(db: &Db, number: u128) -> Queued<Result<(), DbErr>> {
    let db = db.clone();
    queue(async move { db.write(move |tx| async move { insert_user(&tx, number).await }).await })
}

#[tokio::test]
async fn writes_that_wait_together_share_a_commit() {
    let (database, db) = patient_database().await;
    let before = commits(&database.path());
    let (release, holder) = hold_writer(&db).await;
    let waiting: Vec<_> = (1..=50).map(|number| queue_user(&db, number)).collect();
    release.notify_one();
    holder.await.unwrap().unwrap();
    for write in join_all(waiting).await {
        write.unwrap();
    }
    assert_eq!(users::Entity::find().count(db.read()).await.unwrap(), 50);
    let commits = commits(&database.path()) - before;
    assert_eq!(commits, 1);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Succeeds,
    Fails,
    Breaks,
    Panics,
}

/// One write of a batch: inserts two users, then ends as told.
async fn write_with(db: Db, number: u128, fate: Fate) -> Fate {
    let write = db.write(move |tx| async move {
        insert_user(&tx, number * 2).await?;
        match fate {
            Fate::Succeeds => insert_user(&tx, number * 2 + 1).await,
            Fate::Fails => Err(DbErr::Custom("no".to_owned())),
            Fate::Breaks => insert_user(&tx, number * 2).await,
            Fate::Panics => panic!("a defect"),
        }
    });
    match std::panic::AssertUnwindSafe(write).catch_unwind().await {
        Ok(Ok(())) => Fate::Succeeds,
        Ok(Err(DbErr::Custom(_))) => Fate::Fails,
        Ok(Err(_)) => Fate::Breaks,
        Err(_) => Fate::Panics,
    }
}

#[tokio::test]
async fn each_write_of_a_batch_fails_alone() {
    use Fate::{Breaks, Fails, Panics, Succeeds};
    let batches = [
        [Succeeds, Fails, Succeeds, Panics, Breaks, Succeeds],
        [Fails, Succeeds, Succeeds, Breaks, Succeeds, Fails],
        [Panics, Panics, Succeeds, Succeeds, Fails, Succeeds],
        [Breaks, Succeeds, Panics, Succeeds, Panics, Panics],
    ];
    for fates in batches {
        let (_database, db) = patient_database().await;
        let (release, holder) = hold_writer(&db).await;
        let writes: Vec<_> = (1..)
            .zip(fates)
            .map(|(number, fate)| queue(write_with(db.clone(), number, fate)))
            .collect();
        release.notify_one();
        holder.await.unwrap().unwrap();
        assert_eq!(join_all(writes).await, fates);
        let successes = fates.iter().filter(|fate| **fate == Succeeds).count() as u64;
        assert_eq!(
            users::Entity::find().count(db.read()).await.unwrap(),
            2 * successes,
            "{fates:?}"
        );
    }
}

/// A foreign key that is checked at commit makes the commit itself fail.
#[tokio::test]
async fn a_failed_commit_fails_everyone_in_it() {
    let (_database, db) = patient_database().await;
    let (release, holder) = hold_writer(&db).await;
    let innocent = queue_user(&db, 1);
    let guilty = {
        let db = db.clone();
        queue(async move {
            db.write(|tx| async move {
                tx.execute_unprepared("PRAGMA defer_foreign_keys = ON").await?;
                insert_member(&tx, 7, 7, None, 1).await
            })
            .await
        })
    };
    release.notify_one();
    for end in [holder.await.unwrap(), innocent.await, guilty.await] {
        let error = end.unwrap_err();
        assert!(error.to_string().contains("FOREIGN KEY"), "{error}");
    }
    assert_eq!(users::Entity::find().count(db.read()).await.unwrap(), 0);

    db.write(|tx| async move { insert_user(&tx, 2).await }).await.unwrap();
    assert_eq!(users::Entity::find().count(db.read()).await.unwrap(), 1);
}

/// After such an error SQLite may have undone everything, so no closure can save the batch, not even one that looks away.
#[tokio::test]
async fn a_full_disk_fails_the_batch_and_not_the_next() {
    let (_database, db) = patient_database().await;
    let (release, holder) = hold_writer(&db).await;
    let innocent = queue_user(&db, 1);
    let guilty = {
        let db = db.clone();
        queue(async move {
            db.write(|tx| async move {
                tx.execute_unprepared("PRAGMA max_page_count = 1").await?;
                for number in 2.. {
                    if insert_user(&tx, number).await.is_err() {
                        break;
                    }
                }
                Ok::<_, DbErr>(())
            })
            .await
        })
    };
    release.notify_one();
    for end in [holder.await.unwrap(), innocent.await, guilty.await] {
        let error = end.unwrap_err();
        assert!(error.to_string().contains("full"), "{error}");
    }
    assert_eq!(users::Entity::find().count(db.read()).await.unwrap(), 0);

    db.write(|tx| async move {
        tx.execute_unprepared("PRAGMA max_page_count = 1000000").await?;
        insert_user(&tx, 2).await
    })
    .await
    .unwrap();
    assert_eq!(users::Entity::find().count(db.read()).await.unwrap(), 1);
}

#[tokio::test]
async fn closing_folds_the_log_into_the_file() {
    let (database, db) = database().await;
    let log = database.path().with_extension("db-wal");
    assert!(log.exists());
    db.close().await.unwrap();
    assert!(!log.exists());
}

#[tokio::test]
async fn a_full_queue_waits() {
    let (_database, db) = database_with(DbOptions {
        queue: 1,
        ..DbOptions::default()
    })
    .await;
    let (release, holder) = hold_writer(&db).await;
    let waiting: Vec<_> = (1..=10).map(|number| queue_user(&db, number)).collect();
    release.notify_one();
    holder.await.unwrap().unwrap();
    for write in join_all(waiting).await {
        write.unwrap();
    }
}

#[tokio::test]
async fn a_write_nobody_waits_for_is_not_begun() {
    let (_database, db) = database().await;
    let (release, holder) = hold_writer(&db).await;
    let abandoned = queue_user(&db, 1);
    drop(abandoned);
    release.notify_one();
    holder.await.unwrap().unwrap();
    db.write(|tx| async move { insert_user(&tx, 2).await }).await.unwrap();
    assert_eq!(users::Entity::find().count(db.read()).await.unwrap(), 1);
}
