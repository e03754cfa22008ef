//! The outbox in the database. Who sends a mail holds a lease on it, so that two processes do not send it together.

use chrono::TimeDelta;
use entity::{
    outbox::{ActiveModel, Column, Entity, Model},
    timestamp::Timestamp,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, Select, sea_query::Expr,
};

use crate::db::{Clock, Db};

/// How long a process has to send a mail, before another one may: longer than sending can take.
const LEASE: TimeDelta = TimeDelta::minutes(10);

/// How long to wait after the first failure. It doubles with each further one.
const FIRST_PAUSE: TimeDelta = TimeDelta::minutes(1);

/// After so many attempts, about a day and a half, a mail is given up.
const MAX_ATTEMPTS: i32 = 12;

/// How much of an error is kept.
const MAX_ERROR: usize = 1000;

/// How long sent mails are kept.
const KEPT_FOR: TimeDelta = TimeDelta::days(30);

/// Puts mails into the outbox.
pub async fn enqueue(db: &impl ConnectionTrait, mails: Vec<Model>) -> Result<(), DbErr> {
    if mails.is_empty() {
        return Ok(());
    }
    let rows = mails.into_iter().map(|mail| mail.into_active_model().reset_all());
    Entity::insert_many(rows).exec_without_returning(db).await?;
    Ok(())
}

fn due(now: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Column::NextAttemptAt.lte(now))
        .order_by_asc(Column::NextAttemptAt)
        .order_by_asc(Column::Id)
        .limit(1)
}

/// The mail that has been due longest, which this process may now try to send.
pub async fn claim(db: &Db, clock: &Clock) -> Result<Option<Model>, DbErr> {
    let now = clock.now();
    // Usually nothing is due, and that takes no write to find out.
    if due(now).one(db.read()).await?.is_none() {
        return Ok(None);
    }
    db.write(move |tx| async move {
        let Some(mail) = due(now).one(&tx).await? else {
            return Ok(None);
        };
        let claimed = ActiveModel {
            id: Set(mail.id),
            next_attempt_at: Set(Some(now.plus(LEASE))),
            attempts: Set(mail.attempts.saturating_add(1)),
            ..Default::default()
        };
        claimed.update(&tx).await.map(Some)
    })
    .await
}

pub async fn note_sent(db: &Db, clock: &Clock, mail: &Model) -> Result<(), DbErr> {
    let (id, now) = (mail.id, clock.now());
    db.write(move |tx| async move {
        let sent = ActiveModel {
            id: Set(id),
            next_attempt_at: Set(None),
            last_error: Set(None),
            sent_at: Set(Some(now)),
            ..Default::default()
        };
        sent.update(&tx).await.map(drop)
    })
    .await
}

/// Says why a mail was not sent, and when to try again, if at all.
pub async fn note_failure(db: &Db, clock: &Clock, mail: &Model, error: &str) -> Result<(), DbErr> {
    let (id, attempts) = (mail.id, mail.attempts);
    // A mail server can answer anything, also what no database stores.
    let error: String = error.chars().filter(|c| !c.is_control()).take(MAX_ERROR).collect();
    let next = (attempts < MAX_ATTEMPTS).then(|| clock.now().plus(pause(attempts)));
    db.write(move |tx| async move {
        Entity::update_many()
            .col_expr(Column::NextAttemptAt, Expr::value(next))
            .col_expr(Column::LastError, Expr::value(error))
            .filter(Column::Id.eq(id))
            // Whoever took over after this lease ended knows better.
            .filter(Column::Attempts.eq(attempts))
            .filter(Column::SentAt.is_null())
            .exec(&tx)
            .await?;
        Ok::<_, DbErr>(())
    })
    .await
}

/// How long to wait after so many failures.
fn pause(attempts: i32) -> TimeDelta {
    let doublings = attempts.saturating_sub(1).clamp(0, MAX_ATTEMPTS);
    FIRST_PAUSE * 2_i32.pow(doublings.unsigned_abs())
}

/// Removes mails that were sent long ago; called now and then, not by requests.
pub async fn purge(db: &Db, clock: &Clock) -> Result<(), DbErr> {
    let horizon = clock.now().plus(-KEPT_FOR);
    db.write(move |tx| async move {
        Entity::delete_many()
            .filter(Column::SentAt.lt(horizon))
            .exec(&tx)
            .await?;
        Ok::<_, DbErr>(())
    })
    .await
}
