//! Settings in the database.

use std::collections::HashMap;

use entity::{
    ids::{SiteId, SiteSpaceId},
    publishing::sites::{Model as Site, customizations, site_space_customizations as overrides, site_spaces},
};
use openapi::{error::ApiError, models::SiteCustomizationSettings};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, QueryFilter, QuerySelect, RelationDef,
    Select,
};
use serde_json::Value;

use crate::areas::publishing::site_settings;

/// A site space with what it overrides.
#[derive(FromQueryResult)]
struct SiteSpaceOverrides {
    id: SiteSpaceId,
    overrides: Option<Value>,
}

/// All settings of a site that are in force: those of the site, and those of each site space. Two queries.
pub async fn load_all(
    db: &impl ConnectionTrait,
    site: &Site,
) -> Result<
    (
        SiteCustomizationSettings,
        HashMap<SiteSpaceId, SiteCustomizationSettings>,
    ),
    ApiError,
> {
    let of_site = load_site(db, site.id).await?;
    let items = site_space_overrides(site.id).into_model::<SiteSpaceOverrides>().all(db);
    let view = |layers: &[&Value]| {
        let settings = site_settings::compose(layers.iter().copied());
        site_settings::view(settings, Some(&site.title))
    };
    let own: Vec<&Value> = of_site.iter().collect();
    let of_site = view(&own)?;
    let in_force = |item: SiteSpaceOverrides| {
        let settings = match &item.overrides {
            Some(overrides) => view(&[&own[..], &[overrides]].concat())?,
            None => of_site.clone(),
        };
        Ok((item.id, settings))
    };
    let of_items: Result<_, ApiError> = items.await?.into_iter().map(in_force).collect();
    Ok((of_site.clone(), of_items?))
}

/// The settings of a site. `None`: the default ones.
pub async fn load_site(db: &impl ConnectionTrait, site: SiteId) -> Result<Option<Value>, DbErr> {
    let row = customizations::Entity::find_by_id(site).one(db).await?;
    Ok(row.map(|row| row.settings))
}

/// What a site space overrides. `None`: the site has no such site space.
pub async fn load_site_space(
    db: &impl ConnectionTrait,
    site: SiteId,
    id: SiteSpaceId,
) -> Result<Option<Option<Value>>, DbErr> {
    let found = site_space_overrides(site).filter(site_spaces::Column::Id.eq(id));
    let row = found.into_model::<SiteSpaceOverrides>().one(db).await?;
    Ok(row.map(|row| row.overrides))
}

fn site_space_overrides(site: SiteId) -> Select<site_spaces::Entity> {
    let of_item: RelationDef = site_spaces::Entity::belongs_to(overrides::Entity)
        .from(site_spaces::Column::Id)
        .to(overrides::Column::SiteSpaceId)
        .into();
    site_spaces::Entity::find()
        .filter(site_spaces::Column::SiteId.eq(site))
        .select_only()
        .column(site_spaces::Column::Id)
        .column(overrides::Column::Overrides)
        .join(JoinType::LeftJoin, of_item)
}
