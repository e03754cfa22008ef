//! Groups of sections in the navigation of a site.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{SiteId, SiteSectionGroupId},
    localized::Localized,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_section_groups")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, unique_key = "group_site")]
    pub id: SiteSectionGroupId,
    #[sea_orm(unique_key = "group_site")]
    pub site_id: SiteId,
    /// `None`: at the top level of the site.
    pub parent_id: Option<SiteSectionGroupId>,
    /// Among the groups and sections of the same parent.
    pub position: i32,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub title: String,
    /// By language.
    #[sea_orm(column_type = "Json", nullable)]
    pub localized_title: Option<Localized>,
    #[sea_orm(column_type = "String(StringLen::N(50))", nullable)]
    pub icon: Option<String>,
    pub draft: bool,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
    #[sea_orm(
        self_ref,
        relation_enum = "Parent",
        from = "parent_id",
        to = "id",
        on_delete = "Cascade"
    )]
    pub parent: BelongsTo<Option<Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
