//! Queues of events: each is delivered by one job at a time.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{DeliveryQueueId, IntegrationId, JobId, OrganizationId, WebhookId},
    timestamp::Timestamp,
};

/// Either the integration or the webhook is there.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_queues")]
pub struct Model {
    /// The id of the installation, of the integration for its events without an installation, or of the webhook; one that follows from
    /// the id of the installation for what visitors do. An installation may be gone: it is told so.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: DeliveryQueueId,
    /// The organization whose work the jobs are.
    pub organization_id: OrganizationId,
    pub integration_id: Option<IntegrationId>,
    pub webhook_id: Option<WebhookId>,
    /// `true` if events are delivered in order.
    pub ordered: bool,
    /// When the receiver last took long. Those of late share few places.
    pub slow_at: Option<Timestamp>,
    /// The job that delivers what is pending, or will. Null: nothing is pending. Other jobs of the queue do nothing.
    pub job_id: Option<JobId>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(belongs_to, from = "integration_id", to = "id", on_delete = "Cascade")]
    pub integration: BelongsTo<Option<super::Entity>>,
    #[sea_orm(belongs_to, from = "webhook_id", to = "id", on_delete = "Cascade")]
    pub webhook: BelongsTo<Option<super::webhooks::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
