//! Spaces that can be searched.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{NodeId, OrganizationId},
    library::spaces::Language,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_spaces")]
pub struct Model {
    /// Short, for it is part of every term of the space.
    #[sea_orm(primary_key)]
    pub id: i64,
    #[sea_orm(unique)]
    pub space_id: NodeId,
    /// How many pages of it can be found, kept with them.
    pub pages_count: i32,
    /// The language whose stemmer made the terms.
    pub language: Option<Language>,
    /// The version of the terms; an earlier one: they are to be made anew.
    #[sea_orm(default_value = 0)]
    pub terms_version: i32,
    /// That of the space, for searches in an organization.
    #[sea_orm(default_value = "00000000-0000-0000-0000-000000000000")]
    pub organization_id: OrganizationId,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub node: BelongsTo<crate::library::nodes::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
