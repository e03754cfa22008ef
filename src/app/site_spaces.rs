//! Spaces that leave their sites because they are deleted or leave their organization.

use entity::{
    ids::{OrganizationId, SiteId},
    sites::{self, site_spaces},
};
use platform::db::count;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, SelectStatement},
};

use super::audit::AuditTarget;

#[derive(FromQueryResult)]
struct Left {
    id: SiteId,
    organization_id: OrganizationId,
    title: String,
    left: i64,
}

/// Removes the site spaces of all spaces that a query of their ids selects. Returns the sites that have changed.
pub async fn remove(db: &impl ConnectionTrait, spaces: SelectStatement) -> Result<Vec<AuditTarget>, DbErr> {
    let of_spaces = site_spaces::Column::SpaceId.in_subquery(spaces);
    let sites = site_spaces::Entity::find()
        .select_only()
        .inner_join(sites::Entity)
        .columns([sites::Column::Id, sites::Column::OrganizationId, sites::Column::Title])
        .column_as(site_spaces::Column::Id.count(), "left")
        .filter(of_spaces.clone())
        .group_by(sites::Column::Id)
        .group_by(sites::Column::OrganizationId)
        .group_by(sites::Column::Title)
        .into_model::<Left>()
        .all(db)
        .await?;
    if sites.is_empty() {
        return Ok(Vec::new());
    }
    site_spaces::Entity::delete_many().filter(of_spaces).exec(db).await?;
    for site in &sites {
        let left = i32::try_from(count(site.left)).unwrap_or(i32::MAX);
        sites::Entity::update_many()
            .col_expr(
                sites::Column::SiteSpacesCount,
                Expr::col(sites::Column::SiteSpacesCount).sub(left),
            )
            .col_expr(sites::Column::Version, Expr::col(sites::Column::Version).add(1))
            .filter(sites::Column::Id.eq(site.id))
            .exec(db)
            .await?;
    }
    let target = |site: Left| AuditTarget::in_organization(site.organization_id, "site", site.id).labelled(site.title);
    Ok(sites.into_iter().map(target).collect())
}
