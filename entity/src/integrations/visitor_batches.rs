//! Events of visitors of sites that are not in the queues of integrations yet.

use sea_orm::entity::prelude::*;

use crate::ids::{OrganizationId, SiteId, VisitorBatchId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "visitor_batches")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: VisitorBatchId,
    /// The organization and the site may be gone.
    pub organization_id: OrganizationId,
    pub site_id: SiteId,
    /// Bytes of the events.
    pub size: i32,
    /// The position of the first event that is not in the queues yet.
    pub next_event: i32,
    /// A list of events as JSON, sealed with the secret key of the server.
    #[sea_orm(column_type = "Blob")]
    pub events: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
