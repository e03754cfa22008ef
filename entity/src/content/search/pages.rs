//! Pages that can be found, with the text that results quote.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};

use crate::ids::PageId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_pages")]
pub struct Model {
    /// The number of the page in the index, to which its terms refer.
    #[sea_orm(primary_key)]
    pub id: i64,
    #[sea_orm(unique_key = "page")]
    pub search_space_id: i64,
    #[sea_orm(unique_key = "page")]
    pub page_id: PageId,
    #[sea_orm(column_type = "Text")]
    pub title: String,
    /// Bytes of text in the sections.
    pub size: i32,
    #[sea_orm(column_type = "Json")]
    pub sections: Sections,
    #[sea_orm(belongs_to, from = "search_space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<super::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The sections of a page in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct Sections(pub Vec<Section>);

/// A heading with the text below it, up to the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The anchor on the page. `None`: the beginning of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// Empty before the first heading.
    pub title: String,
    /// Plain text.
    pub body: String,
}
