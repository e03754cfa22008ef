//! Links of the pages of spaces.

use sea_orm::{entity::prelude::*, sea_query::Func};
use uuid::Uuid;

use crate::ids::{NodeId, PageId};

/// One link. It belongs to a page with a certain text, and so to every revision in which the page has that text: rows are
/// written once and never changed.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "page_links")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: NodeId,
    /// The source of the link: the hash of the text of the page, or of its references outside of the text.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub source: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub page_id: PageId,
    /// Orders the links of a page; those outside of its text are below zero.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i32,
    /// The space that the link names. `None`: the space of the page, or of its copy.
    pub target_space: Option<NodeId>,
    /// The target page, file or shared content, or a key of an OpenAPI specification. `None`: another kind of target, or the page
    /// itself.
    pub target_id: Option<Uuid>,
    pub role: LinkRole,
    /// The reference as it stands in the nodes of the text.
    #[sea_orm(column_type = "Json")]
    pub reference: Json,
    /// The key of the block that holds it.
    #[sea_orm(column_type = "String(StringLen::N(128))")]
    pub node: Option<String>,
    /// The conditions of the blocks around the link, as a JSON list. Empty: only the text tells them. `None`: there are none.
    #[sea_orm(column_type = "Text", nullable)]
    pub conditions: Option<String>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The space that a link leads to, as the index of links by their targets holds it.
pub fn linked_space() -> Expr {
    let spaces = [Column::TargetSpace, Column::SpaceId];
    Func::coalesce(spaces.map(|column| Expr::col((Entity, column)))).into()
}

/// The role of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum LinkRole {
    #[sea_orm(string_value = "link")]
    Link,
    #[sea_orm(string_value = "media")]
    Media,
    #[sea_orm(string_value = "file")]
    File,
    #[sea_orm(string_value = "reusable")]
    Reusable,
    #[sea_orm(string_value = "specification")]
    Specification,
}
