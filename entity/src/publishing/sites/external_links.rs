//! Links to other addresses, among the sections of a site.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{SiteExternalLinkId, SiteId, SiteSectionGroupId},
    localized::Localized,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_external_links")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SiteExternalLinkId,
    pub site_id: SiteId,
    /// `None`: at the top level of the site.
    pub group_id: Option<SiteSectionGroupId>,
    /// Among the groups, sections and links of the same parent.
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
    #[sea_orm(column_type = "String(StringLen::N(50))", nullable)]
    pub icon: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(2048))")]
    pub url: String,
    /// The expression that decides which visitors see the link.
    #[sea_orm(column_type = "String(StringLen::N(1024))", nullable)]
    pub condition: Option<String>,
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
