//! Mails: written in the transaction of what they tell about, and sent afterwards, at least once.

mod mailer;
mod store;

use std::time::Duration;

use entity::{ids::MailId, outbox::Model, timestamp::Timestamp};
use sea_orm::DbErr;
use tokio::time::{MissedTickBehavior, interval};

use crate::db::{Clock, Db};

pub use self::{
    mailer::Mailer,
    store::{enqueue, purge},
};

/// How often the outbox is looked into.
const LOOKED_INTO_EVERY: Duration = Duration::from_secs(5);

/// A mail that wants to be sent at once.
pub fn new(id: MailId, recipient: &str, subject: String, body: String, now: Timestamp) -> Model {
    Model {
        id,
        recipient: recipient.to_owned(),
        subject,
        body,
        created_at: now,
        next_attempt_at: Some(now),
        attempts: 0,
        last_error: None,
        sent_at: None,
    }
}

/// Sends mails as they come up, without an end. Several processes may do it on one database.
pub async fn run(db: Db, clock: Clock, mailer: Mailer) {
    let mut ticks = interval(LOOKED_INTO_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = deliver(&db, &clock, &mailer).await {
            tracing::warn!(%error, "the outbox could not be worked on");
        }
    }
}

/// Sends what is due now, one mail after the other. Answers how many were sent.
pub async fn deliver(db: &Db, clock: &Clock, mailer: &Mailer) -> Result<usize, DbErr> {
    let mut sent = 0;
    while let Some(mail) = store::claim(db, clock).await? {
        match mailer.send(&mail).await {
            Ok(()) => {
                store::note_sent(db, clock, &mail).await?;
                sent += 1;
            }
            Err(error) => {
                tracing::warn!(mail = %mail.id, attempt = mail.attempts, %error, "a mail was not sent");
                store::note_failure(db, clock, &mail, &error).await?;
            }
        }
    }
    Ok(sent)
}
