//! Spaces that leave their sites because they are deleted or leave their organization.

use std::collections::HashSet;

use entity::{
    ids::{SiteId, SiteSpaceId},
    publishing::sites::{self, site_spaces},
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, SelectStatement},
};
use serde_json::{Value, json};

use crate::{
    areas::publishing::layout::Layout,
    kernel::{audit::AuditTarget, hooks::HookEvent},
};

/// A site that spaces have left, and the site spaces that it had of them.
pub struct Left {
    site: sites::Model,
    site_spaces: Vec<site_spaces::Model>,
}

/// Removes the site spaces of all spaces that a query of their ids selects. Returns the sites that have changed.
pub async fn remove(db: &impl ConnectionTrait, spaces: SelectStatement) -> Result<Vec<Left>, DbErr> {
    let of_spaces = || site_spaces::Entity::find().filter(site_spaces::Column::SpaceId.in_subquery(spaces.clone()));
    let concerned = of_spaces().select_only().column(site_spaces::Column::SiteId);
    let sites = sites::Entity::find()
        .filter(sites::Column::Id.in_subquery(concerned.into_query()))
        .order_by_asc(sites::Column::Id)
        .lock_exclusive()
        .all(db)
        .await?;
    if sites.is_empty() {
        return Ok(Vec::new());
    }
    let gone = of_spaces().order_by_asc(site_spaces::Column::Id).all(db).await?;
    let mut left = Vec::new();
    for site in sites {
        let of_site = gone.iter().filter(|item| item.site_id == site.id).cloned();
        let site_spaces: Vec<site_spaces::Model> = of_site.collect();
        if !site_spaces.is_empty() {
            remove_from(db, site.id, &site_spaces).await?;
            left.push(Left { site, site_spaces });
        }
    }
    Ok(left)
}

/// Removes site spaces from their site, whose other ones may become defaults: their paths change with that.
async fn remove_from(db: &impl ConnectionTrait, site: SiteId, gone: &[site_spaces::Model]) -> Result<(), DbErr> {
    let gone: HashSet<SiteSpaceId> = gone.iter().map(|item| item.id).collect();
    site_spaces::Entity::delete_many()
        .filter(site_spaces::Column::Id.is_in(gone.iter().copied()))
        .exec(db)
        .await?;
    let before = Layout::load(db, site).await?;
    let after = before.with_published_paths();
    for (before, after) in before.site_spaces.iter().zip(&after.site_spaces) {
        if before.published_path != after.published_path {
            let changed = site_spaces::ActiveModel {
                id: Set(after.id),
                published_path: Set(after.published_path.clone()),
                ..Default::default()
            };
            changed.update(db).await?;
        }
    }
    let count = i32::try_from(after.site_spaces.len()).unwrap_or(i32::MAX);
    sites::Entity::update_many()
        .col_expr(sites::Column::SiteSpacesCount, Expr::value(count))
        .col_expr(sites::Column::Version, Expr::col(sites::Column::Version).add(1))
        .filter(sites::Column::Id.eq(site))
        .exec(db)
        .await?;
    Ok(())
}

impl Left {
    /// The event of the site, which names the site spaces that it has lost.
    pub fn event(&self) -> HookEvent {
        let Self { site, site_spaces } = self;
        let named = |item: &site_spaces::Model| json!({ "siteSpace": item.id, "space": item.space_id });
        let site_spaces: Vec<Value> = site_spaces.iter().map(named).collect();
        HookEvent {
            target: AuditTarget::in_organization(site.organization_id, "site", site.id).labelled(&site.title),
            details: json!({ "siteSpaces": site_spaces }),
        }
    }
}
