//! Requests with an idempotency key that have changed something.

use sea_orm::entity::prelude::*;

use crate::timestamp::Timestamp;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    /// The SHA-256 of the caller and the key.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub id: Vec<u8>,
    /// The SHA-256 of the address and the body.
    #[sea_orm(column_type = "Binary(32)")]
    pub request_hash: Vec<u8>,
    #[sea_orm(indexed)]
    pub created_at: Timestamp,
    /// JSON, sealed with the secret key of the server. `None`: the request has made its change, and its answer is not known.
    #[sea_orm(column_type = "Blob", nullable)]
    pub answer: Option<Vec<u8>>,
}

impl ActiveModelBehavior for ActiveModel {}
