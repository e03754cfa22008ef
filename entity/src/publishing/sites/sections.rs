//! Sections of a site: each holds spaces, such as versions of one product.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{SiteId, SiteSectionGroupId, SiteSectionId},
    localized::Localized,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_sections")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, unique_key = "section_site")]
    pub id: SiteSectionId,
    #[sea_orm(unique_key = "section_site")]
    pub site_id: SiteId,
    /// `None`: at the top level of the site.
    pub group_id: Option<SiteSectionGroupId>,
    /// Among the groups and sections of the same parent.
    pub position: i32,
    #[sea_orm(column_type = "String(StringLen::N(128))")]
    pub title: String,
    /// By language.
    #[sea_orm(column_type = "Json", nullable)]
    pub localized_title: Option<Localized>,
    #[sea_orm(column_type = "String(StringLen::N(256))", nullable)]
    pub description: Option<String>,
    #[sea_orm(column_type = "Json", nullable)]
    pub localized_description: Option<Localized>,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub path: String,
    /// The expression that decides which visitors see the section.
    #[sea_orm(column_type = "String(StringLen::N(1024))", nullable)]
    pub condition: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(50))", nullable)]
    pub icon: Option<String>,
    /// Chosen as the default section. Without a choice, it is the first one.
    pub is_default: bool,
    pub draft: bool,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
    #[sea_orm(
        belongs_to,
        from = "(site_id, group_id)",
        to = "(site_id, id)",
        on_delete = "Cascade"
    )]
    pub group: BelongsTo<Option<super::section_groups::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
