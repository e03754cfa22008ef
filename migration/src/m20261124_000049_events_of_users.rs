//! The user whom an event outside of organizations concerns, who reads it.

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, Statement, prelude::Uuid},
};

use crate::columns::{add_reference, drop_index, index};

const EVENTS: &str = "audit_events";
const USER: &str = "user_id";
const NEWEST: [&str; 3] = [USER, "occurred_at", "id"];

/// Events of one statement.
const BATCH_SIZE: i64 = 500;

const OUTSIDE: &str = "SELECT id, actor_type, actor_id, target_type, target_id FROM audit_events
    WHERE organization_id IS NULL AND id > $1 ORDER BY id LIMIT $2";
/// Ids of users who are not there any more set nothing.
const SET: &str = "UPDATE audit_events SET user_id = (SELECT id FROM users WHERE id = $1) WHERE id = $2";
/// For tokens that were made, or revoked, on the command line.
const SET_OWNER: &str =
    "UPDATE audit_events SET user_id = (SELECT user_id FROM api_tokens WHERE id = $1) WHERE id = $2";

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add_reference(manager, EVENTS, USER, "users (id) ON DELETE CASCADE").await?;
        fill(manager.get_connection()).await?;
        manager.create_index(index(EVENTS, &NEWEST)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(drop_index(EVENTS, &NEWEST)).await?;
        let without = Table::alter().table(EVENTS).drop_column(USER).take();
        manager.alter_table(without).await
    }
}

async fn fill(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    let backend = db.get_database_backend();
    let mut after = Uuid::nil();
    loop {
        let values = [after.into(), BATCH_SIZE.into()];
        let events = db
            .query_all_raw(Statement::from_sql_and_values(backend, OUTSIDE, values))
            .await?;
        if events.is_empty() {
            return Ok(());
        }
        for event in events {
            let text = |column: &str| event.try_get::<String>("", column);
            after = event.try_get("", "id")?;
            let (sql, id) = match (text("target_type")?.as_str(), text("actor_type")?.as_str()) {
                ("user", _) => (SET, text("target_id")?),
                (_, "user") => (SET, text("actor_id")?),
                _ => (SET_OWNER, text("target_id")?),
            };
            if let Some(id) = decode(&id) {
                let values = [id.into(), after.into()];
                db.execute_raw(Statement::from_sql_and_values(backend, sql, values))
                    .await?;
            }
        }
    }
}

/// Reads the text form of an id: base32hex, 5 bits a character, of which the last two are not used.
fn decode(text: &str) -> Option<Uuid> {
    const LENGTH: usize = 26;
    if text.len() != LENGTH {
        return None;
    }
    let mut value: u128 = 0;
    for (position, character) in text.chars().enumerate() {
        let digit = u128::from(character.to_digit(32)?);
        value = match position {
            // 25 characters have 125 bits, so 3 are left for the last.
            25 => value << 3 | digit >> 2,
            _ => value << 5 | digit,
        };
    }
    Some(Uuid::from_u128(value))
}
