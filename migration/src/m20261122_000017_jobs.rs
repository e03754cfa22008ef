//! Background work as jobs. The mails of `outbox` that were not sent become jobs.

use sea_orm_migration::{
    prelude::*,
    schema::*,
    sea_orm::{ConnectionTrait, JsonValue, QueryResult, prelude::Uuid},
};

use crate::{
    columns::{time, time_null},
    tables::{self, NewTable, table},
};

const JOBS: &str = "jobs";
const OUTBOX: &str = "outbox";

const STATES: &[&str] = &["queued", "running", "succeeded", "failed", "cancelled"];

/// Mails that are moved by one statement.
const BATCH: u64 = 500;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([jobs()], manager).await?;
        move_mails(manager.get_connection()).await?;
        tables::drop([outbox()], manager).await
    }

    /// Mails that wait are lost: an older version does not know what a job says.
    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        tables::create([outbox()], manager).await?;
        tables::drop([jobs()], manager).await
    }
}

fn jobs() -> NewTable {
    table(JOBS)
        .col(pk_uuid("id"))
        .col(string_len("kind", 64))
        .col(string_len_null("periodic_kind", 64).unique_key())
        .col(json("payload"))
        .one_of(string_len("state", 16), STATES)
        .col(integer("attempts"))
        .col(time_null("next_attempt_at"))
        .col(uuid_null("lease_id"))
        .col(text_null("last_error"))
        .col(time("created_at"))
        .col(time_null("finished_at"))
        // The jobs of a kind that are due, the longest due first.
        .index(&["kind", "next_attempt_at", "id"])
        // The jobs that are removed after a while.
        .index(&["state", "finished_at"])
}

fn outbox() -> NewTable {
    table(OUTBOX)
        .col(pk_uuid("id"))
        .col(string_len("recipient", 320))
        .col(text("subject"))
        .col(text("body"))
        .col(time("created_at"))
        .col(time_null("next_attempt_at"))
        .col(integer("attempts"))
        .col(text_null("last_error"))
        .col(time_null("sent_at"))
        .index(&["next_attempt_at"])
        .index(&["sent_at"])
}

async fn move_mails(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    let mut after = None::<Uuid>;
    loop {
        let mut unsent = Query::select();
        unsent
            .columns(["id", "recipient", "subject", "body"])
            .columns(["created_at", "next_attempt_at", "attempts", "last_error"])
            .from(OUTBOX)
            .and_where(Expr::col("sent_at").is_null())
            .order_by("id", Order::Asc)
            .limit(BATCH);
        if let Some(id) = after {
            unsent.and_where(Expr::col("id").gt(id));
        }
        let mails = db.query_all(&unsent).await?;
        let Some(last) = mails.last() else {
            return Ok(());
        };
        after = Some(last.try_get("", "id")?);
        let mut insert = Query::insert();
        insert.into_table(JOBS).columns([
            "id",
            "kind",
            "payload",
            "state",
            "attempts",
            "next_attempt_at",
            "last_error",
            "created_at",
            "finished_at",
        ]);
        for mail in &mails {
            insert.values(job_of(mail)?).map_err(|e| DbErr::Custom(e.to_string()))?;
        }
        db.execute(&insert).await?;
    }
}

/// A mail without a next attempt was given up; its end is not known better than its beginning.
fn job_of(mail: &QueryResult) -> Result<[Expr; 9], DbErr> {
    let text = |name: &str| mail.try_get::<String>("", name).map(JsonValue::String);
    let payload = JsonValue::from_iter([
        ("recipient", text("recipient")?),
        ("subject", text("subject")?),
        ("body", text("body")?),
    ]);
    let created: i64 = mail.try_get("", "created_at")?;
    let next: Option<i64> = mail.try_get("", "next_attempt_at")?;
    let (state, finished) = match next {
        Some(_) => ("queued", None),
        None => ("failed", Some(created)),
    };
    Ok([
        mail.try_get::<Uuid>("", "id")?.into(),
        "send-mail".into(),
        payload.into(),
        state.into(),
        mail.try_get::<i32>("", "attempts")?.into(),
        next.into(),
        mail.try_get::<Option<String>>("", "last_error")?.into(),
        created.into(),
        finished.into(),
    ])
}
