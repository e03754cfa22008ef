//! The sites that the hostnames of organizations show.

use sea_orm::entity::prelude::*;

use crate::ids::{OrganizationId, SiteId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "organization_default_content")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    #[sea_orm(indexed)]
    pub site_id: SiteId,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(
        belongs_to,
        from = "(site_id, organization_id)",
        to = "(id, organization_id)",
        on_delete = "Cascade"
    )]
    pub site: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
