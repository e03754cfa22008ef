//! The spaces that sites show.

use entity::{
    ids::SiteId,
    publishing::sites::site_spaces::{Column, Entity},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, sea_query::SelectStatement};

/// The ids of the spaces of a site.
pub fn in_site(site: SiteId) -> SelectStatement {
    Entity::find()
        .select_only()
        .column(Column::SpaceId)
        .filter(Column::SiteId.eq(site))
        .into_query()
}
