//! The copies of objects of another server in an organization.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "pulled_objects")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// The address of the other server, and the id of the organization there.
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(512))")]
    pub source: String,
    /// The kind of the object and its id there.
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(320))")]
    pub object: String,
    /// The id of the copy; of files, what is stored of them.
    #[sea_orm(column_type = "Text")]
    pub own: String,
    /// Tells whether the object has changed since it was copied.
    #[sea_orm(column_type = "String(StringLen::N(512))")]
    pub state: String,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
