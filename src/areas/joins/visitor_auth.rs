//! The integration by which the visitors of a site sign in.

use entity::{
    ids::{IntegrationInstallationId, OrganizationId, SiteId},
    integrations::{
        self, content_installations,
        installations::{self, InstallationSelection, InstallationStatus},
    },
    publishing::sites,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
    sea_query::{Expr, ExprTrait},
};

/// The scope of these integrations, as lists of scopes have it.
const SCOPE: &str = "%\"site:visitor:auth\"%";

/// The name of the integration and the installation, the oldest one that works on the site and may sign the tokens of visitors.
pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    site: SiteId,
) -> Result<Option<(String, IntegrationInstallationId)>, DbErr> {
    oldest_first(Expr::value(organization), Expr::value(site))
        .column(integrations::Column::Name)
        .column(installations::Column::Id)
        .into_tuple()
        .one(db)
        .await
}

/// The name of this integration as an expression of a query with the table of sites.
pub fn name() -> Expr {
    let site = |column| Expr::col((sites::Entity, column));
    let found = oldest_first(site(sites::Column::OrganizationId), site(sites::Column::Id));
    let name = found.column(integrations::Column::Name).limit(1).into_query();
    name.into()
}

fn oldest_first(organization: Expr, site: Expr) -> Select<installations::Entity> {
    let of_site = Expr::col((content_installations::Entity, content_installations::Column::SiteId));
    let with_row = content_installations::Entity::find()
        .select_only()
        .column(content_installations::Column::InstallationId)
        .filter(of_site.eq(site));
    let active = with_row
        .clone()
        .filter(content_installations::Column::Status.eq(InstallationStatus::Active));
    let everywhere = Condition::all()
        .add(installations::Column::SiteSelection.eq(InstallationSelection::All))
        .add(integrations::Column::WorksUnconfiguredOnSites.eq(true))
        .add(installations::Column::Id.not_in_subquery(with_row.into_query()));
    let is_installed = Condition::any()
        .add(everywhere)
        .add(installations::Column::Id.in_subquery(active.into_query()));
    let of_organization = Expr::col((installations::Entity, installations::Column::OrganizationId));
    let scopes = |column: Expr| column.cast_as("text").like(SCOPE);
    installations::Entity::find()
        .select_only()
        .inner_join(integrations::Entity)
        .filter(of_organization.eq(organization))
        .filter(installations::Column::Status.eq(InstallationStatus::Active))
        .filter(is_installed)
        .filter(scopes(Expr::col((
            installations::Entity,
            installations::Column::ApprovedScopes,
        ))))
        .filter(scopes(Expr::col((integrations::Entity, integrations::Column::Scopes))))
        .order_by_asc(installations::Column::Id)
}
