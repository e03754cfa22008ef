//! Spaces and collections as nodes of one tree for each organization: what both have in common.

pub mod ancestors;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{NodeId, OrganizationId},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "nodes")]
pub struct Model {
    /// Unique by itself; the pair with the organization is what children and permissions refer to, so that nothing
    /// crosses from one organization to another.
    #[sea_orm(primary_key, auto_increment = false, unique_key = "organization_node")]
    pub id: NodeId,
    #[sea_orm(unique_key = "organization_node")]
    pub organization_id: OrganizationId,
    pub kind: NodeKind,
    /// The parent collection. `None`: the top level.
    pub parent_id: Option<NodeId>,
    /// Orders the nodes of one parent; there is room between two of them.
    pub position: i64,
    #[sea_orm(column_type = "String(StringLen::N(50))")]
    pub title: String,
    /// The level of members without a permission of their own. `None`: no access.
    pub default_level: Option<DefaultLevel>,
    /// The default level after asking the collections above; `inherit` asks the role in the organization. Kept in the
    /// transaction that changes a default level or the place in the tree.
    pub effective_default: Option<DefaultLevel>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// 0 once the purge has begun, which no restore undoes.
    pub deleted_at: Option<Timestamp>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    /// In the database a reference that cascades: what a collection holds follows it to another organization, and goes
    /// with it. PostgreSQL wants it made with the table, which only the migration does.
    #[sea_orm(
        self_ref,
        relation_enum = "Parent",
        from = "(organization_id, parent_id)",
        to = "(organization_id, id)",
        skip_fk
    )]
    pub parent: BelongsTo<Option<Entity>>,
}

crate::stored_row! {
    id,
    organization_id,
    kind,
    parent_id,
    position,
    title,
    default_level,
    effective_default,
    created_at,
    updated_at,
    deleted_at,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum NodeKind {
    #[sea_orm(string_value = "space")]
    Space,
    #[sea_orm(string_value = "collection")]
    Collection,
}

impl NodeKind {
    /// The noun in messages and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Collection => "collection",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum DefaultLevel {
    #[sea_orm(string_value = "inherit")]
    Inherit,
    #[sea_orm(string_value = "read")]
    Read,
    #[sea_orm(string_value = "comment")]
    Comment,
    #[sea_orm(string_value = "edit")]
    Edit,
    #[sea_orm(string_value = "review")]
    Review,
    #[sea_orm(string_value = "create")]
    Create,
    #[sea_orm(string_value = "admin")]
    Admin,
}

impl DefaultLevel {
    /// The level that it stands for, for a member with this role in the organization.
    pub fn for_member(self, role: Option<MemberRole>) -> Option<MemberRole> {
        Some(match self {
            Self::Inherit => return role,
            Self::Read => MemberRole::Read,
            Self::Comment => MemberRole::Comment,
            Self::Edit => MemberRole::Edit,
            Self::Review => MemberRole::Review,
            Self::Create => MemberRole::Create,
            Self::Admin => MemberRole::Admin,
        })
    }
}
