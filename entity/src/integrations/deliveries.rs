//! Events for integrations and webhooks, with the result of their delivery.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{DeliveryId, DeliveryQueueId, IntegrationId, IntegrationInstallationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "deliveries")]
pub struct Model {
    /// In the order of delivery within an ordered queue.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: DeliveryId,
    /// Null: somebody waited for the answer to the event, which is not delivered again. The queue may be gone.
    pub queue_id: Option<DeliveryQueueId>,
    /// Null: an event of a webhook. The integration may be gone: its events are removed after it.
    pub integration_id: Option<IntegrationId>,
    /// Null: an event of a webhook, or of the integration itself. The installation may be gone.
    pub installation_id: Option<IntegrationInstallationId>,
    #[sea_orm(column_type = "String(StringLen::N(40))")]
    pub event_type: String,
    /// JSON, sealed with the secret key of the server, and sent as it stands here.
    #[sea_orm(column_type = "Blob")]
    pub payload: Vec<u8>,
    pub status: DeliveryStatus,
    /// Since the event was recorded or sent again.
    pub attempts: i32,
    /// The time of the next attempt. Null: there is none.
    pub due_at: Option<Timestamp>,
    /// The last attempt, with what came of it.
    pub attempted_at: Option<Timestamp>,
    /// The HTTP status of the response. Null: there was none.
    pub response_status: Option<i32>,
    pub duration_ms: Option<i32>,
    #[sea_orm(column_type = "String(StringLen::N(200))", nullable)]
    pub failure: Option<String>,
    /// A list of log lines of the script, as on the wire.
    #[sea_orm(column_type = "Json", nullable)]
    pub logs: Option<Json>,
    /// The request that the event follows from.
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub request_id: Option<String>,
    pub created_at: Timestamp,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum DeliveryStatus {
    /// It is due, now or after the next delay.
    #[sea_orm(string_value = "pending")]
    Pending,
    #[sea_orm(string_value = "success")]
    Success,
    /// The last attempt has failed: nothing more is done unless it is sent again.
    #[sea_orm(string_value = "failed")]
    Failed,
}
