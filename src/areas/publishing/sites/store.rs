//! Sites in the database; the organization is always part of the query.

use entity::{
    ids::{NodeId, OrganizationId, SiteId},
    organizations,
    publishing::sites::{Column, Entity, Model, SiteType, permissions, site_spaces},
};
use openapi::error::{ApiError, ErrorType};
use platform::db::{contains, is_unique_violation, rows, violates_unique};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IdenStatic, IntoActiveModel,
    QueryFilter, QuerySelect, QueryTrait, Select, SelectExt,
    sea_query::{Expr, ExprTrait},
};

use super::proxies;

use crate::{
    access::{levels::Member, site_levels},
    areas::{joins::address_names::is_of_other_organization, publishing::structure::site::of},
};

/// The filters of a list of sites.
pub struct SiteFilters {
    pub space: Option<NodeId>,
    /// Part of the title.
    pub title: Option<String>,
    pub published: Option<bool>,
    pub plans: Option<Vec<SiteType>>,
}

impl SiteFilters {
    /// Returns whether there is a filter that no index answers.
    pub fn need_scan(&self) -> bool {
        self.title.is_some() || self.published.is_some() || self.plans.is_some()
    }

    /// The sites that a member sees, before the filters that no index answers.
    pub fn rows(&self, member: &Member) -> Select<Entity> {
        let mut query = of(member.organization);
        if member.role.is_none() {
            let granted = site_levels::grants_to(member).map(|grants| {
                let sites = grants.select_only().column(permissions::Column::SiteId);
                Column::Id.in_subquery(sites.into_query())
            });
            query = query.filter(granted.into_iter().fold(Condition::any(), Condition::add));
        }
        let Some(space) = self.space else {
            return query;
        };
        let sites = site_spaces::Entity::find()
            .select_only()
            .column(site_spaces::Column::SiteId)
            .filter(site_spaces::Column::SpaceId.eq(space));
        query.filter(Column::Id.in_subquery(sites.into_query()))
    }

    /// Adds the filters that no index answers.
    pub fn apply(&self, mut query: Select<Entity>) -> Select<Entity> {
        if let Some(title) = &self.title {
            query = query.filter(contains((Entity, Column::TitleFolded), title));
        }
        if let Some(published) = self.published {
            query = query.filter(Column::Published.eq(published));
        }
        match &self.plans {
            Some(plans) => query.filter(Column::Plan.is_in(plans.iter().copied())),
            None => query,
        }
    }
}

/// Returns whether a site has the name in its address.
pub async fn is_basename_taken(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    basename: &str,
) -> Result<bool, DbErr> {
    Ok(is_of_other_organization(db, organization, basename).await?
        || Entity::find().filter(Column::Basename.eq(basename)).exists(db).await?)
}

/// Inserts a site; a name that is taken is a conflict.
pub async fn insert(db: &impl ConnectionTrait, site: &Model) -> Result<(), ApiError> {
    rows::insert(db, site).await.map_err(basename_taken)?;
    Ok(change_sites_count(db, site.organization_id, 1).await?)
}

/// Deletes a site. `None`: there is none with the id.
pub async fn remove(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    site: SiteId,
) -> Result<Option<Model>, DbErr> {
    let removed = rows::remove(db, of(organization).lock_exclusive(), site).await?;
    if removed.is_some() {
        change_sites_count(db, organization, -1).await?;
    }
    Ok(removed)
}

async fn change_sites_count(db: &impl ConnectionTrait, organization: OrganizationId, by: i32) -> Result<(), DbErr> {
    use organizations::{Column, Entity};
    Entity::update_many()
        .col_expr(Column::SitesCount, Expr::col(Column::SitesCount).add(by))
        .filter(Column::Id.eq(organization))
        .exec(db)
        .await?;
    Ok(())
}

/// Writes a changed site as a new version of it.
pub async fn update(db: &impl ConnectionTrait, site: Model) -> Result<Model, ApiError> {
    let version = site.version.saturating_add(1);
    let changed = Model { version, ..site }.into_active_model().reset_all();
    changed
        .update(db)
        .await
        .map_err(|error| match violates_unique(&error, Column::Proxy.as_str()) {
            // Also of `active_proxy`: two organizations can pass at the same time.
            true => proxies::taken(),
            false => basename_taken(error),
        })
}

/// Notes a change of what all sites of an organization show.
pub async fn note_change(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::OrganizationId.eq(organization))
        .exec(db)
        .await?;
    Ok(())
}

fn basename_taken(error: DbErr) -> ApiError {
    if is_unique_violation(&error) {
        return basename_is_taken();
    }
    error.into()
}

pub fn basename_is_taken() -> ApiError {
    ApiError::new(
        ErrorType::BasenameTaken,
        "`basename` is in use by another site or organization.",
    )
}
