//! Spaces in the places where a site shows them.

use sea_orm::entity::prelude::*;
use uuid::Uuid;

use crate::{
    ids::{NodeId, PageId, SiteId, SiteSectionId, SiteSpaceId},
    localized::Localized,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_spaces")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SiteSpaceId,
    pub site_id: SiteId,
    /// `None`: at the top level of a site without sections.
    pub section_id: Option<SiteSectionId>,
    /// The section, or the site: paths are unique in it.
    #[sea_orm(unique_key = "level_path")]
    pub level_id: Uuid,
    pub space_id: NodeId,
    /// In the section, or in the site.
    pub position: i32,
    #[sea_orm(column_type = "String(StringLen::N(100))", unique_key = "level_path")]
    pub path: String,
    /// The path below the address of the site, with a slash at its end unless it is empty: that of the section, and that of
    /// the site space, both left out for defaults. `None`: a draft, or in one.
    #[sea_orm(column_type = "String(StringLen::N(202))", nullable)]
    pub published_path: Option<String>,
    /// The expression that decides which visitors see the space.
    #[sea_orm(column_type = "String(StringLen::N(1024))", nullable)]
    pub condition: Option<String>,
    /// Chosen as the default of its section or site. Without a choice, it is the first one.
    pub is_default: bool,
    pub draft: bool,
    /// Renderers leave it out of the navigation.
    pub hidden: bool,
    /// The page that the address of the site space shows. `None`: the first one.
    pub page_id: Option<PageId>,
    /// The title for readers, a part of the customization. `None`: that of the space.
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub title: Option<String>,
    /// By language.
    #[sea_orm(column_type = "Json", nullable)]
    pub localized_title: Option<Localized>,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
    #[sea_orm(
        belongs_to,
        from = "(site_id, section_id)",
        to = "(site_id, id)",
        on_delete = "Cascade"
    )]
    pub section: BelongsTo<Option<super::sections::Entity>>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::nodes::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
