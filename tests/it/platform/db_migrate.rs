//! Migrations as the server applies them.

use entity::{jobs::JobState, timestamp::Timestamp};
use migration::Migrator;
use platform::db::{Backend, Clock, IdSource};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, sea_query::Query};
use sea_orm_migration::MigratorTrait;
use uuid::Uuid;

use crate::support::{
    database::{TestDatabase, on_each_database},
    mails::{mail_jobs, mail_of},
};

on_each_database![
    processes_that_migrate_at_once_agree,
    steps_go_back_and_forth,
    mails_that_wait_become_jobs,
];

async fn processes_that_migrate_at_once_agree(database: TestDatabase) {
    let (first, second) = (database.connect().await, database.connect().await);
    assert_eq!(first.backend(), database.backend());
    let all = first.pending_migrations().await.unwrap();
    assert_eq!(all.len(), Migrator::migrations().len());
    assert_eq!(all.first().map(String::as_str), Some("m20261121_000001_users"));

    let (one, other) = tokio::join!(first.migrate(), second.migrate());
    one.unwrap();
    other.unwrap();
    assert!(second.pending_migrations().await.unwrap().is_empty());
    first.migrate().await.unwrap();
}

async fn connect(database: &TestDatabase) -> DatabaseConnection {
    drop(database.connect().await);
    let suffix = if database.backend() == Backend::Sqlite {
        "?mode=rwc"
    } else {
        ""
    };
    Database::connect(format!("{}{suffix}", database.url())).await.unwrap()
}

async fn steps_go_back_and_forth(database: TestDatabase) {
    let connection = connect(&database).await;
    for _ in 0..2 {
        Migrator::up(&connection, None).await.unwrap();
        Migrator::down(&connection, None).await.unwrap();
    }
    connection.close().await.unwrap();
}

/// More mails than one statement moves; one was given up, one was sent.
async fn mails_that_wait_become_jobs(database: TestDatabase) {
    const WAITING: usize = 1200;
    let connection = connect(&database).await;
    Migrator::up(&connection, Some(16)).await.unwrap();
    let ids = IdSource::new(Clock::system());
    let mut insert = Query::insert();
    insert.into_table("outbox").columns([
        "id",
        "recipient",
        "subject",
        "body",
        "created_at",
        "next_attempt_at",
        "attempts",
        "last_error",
        "sent_at",
    ]);
    let ends = [(None, None), (None, Some(8_i64))];
    for (number, (next, sent)) in (0..WAITING).map(|_| (Some(7_i64), None)).chain(ends).enumerate() {
        let id: Uuid = ids.next();
        let recipient = format!("person-{number}@x.example");
        let body = "A \"quoted\"\nline";
        insert.values_panic([
            id.into(),
            recipient.into(),
            "Hello".into(),
            body.into(),
            5_i64.into(),
            next.into(),
            3.into(),
            "not now".into(),
            sent.into(),
        ]);
    }
    connection.execute(&insert).await.unwrap();
    Migrator::up(&connection, None).await.unwrap();
    connection.close().await.unwrap();
    let jobs = mail_jobs(&database.connect().await).await;
    assert_eq!(jobs.len(), WAITING + 1);
    for (number, job) in jobs.iter().enumerate() {
        let mail = mail_of(job);
        assert_eq!(mail.recipient, format!("person-{number}@x.example"));
        assert_eq!(
            (mail.subject.as_str(), mail.body.as_str()),
            ("Hello", "A \"quoted\"\nline")
        );
        assert_eq!((job.attempts, job.created_at), (3, Timestamp::from_millis(5)));
        assert_eq!(job.last_error.as_deref(), Some("not now"));
        let next = job.next_attempt_at.map(Timestamp::as_millis);
        let expected = match number < WAITING {
            true => (JobState::Queued, Some(7)),
            false => (JobState::Failed, None),
        };
        assert_eq!((job.state, next), expected);
    }
}
