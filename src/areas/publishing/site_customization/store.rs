//! Settings in the database.

use std::collections::HashMap;

use entity::{
    ids::{SiteId, SiteSpaceId},
    localized::Localized,
    publishing::sites::{Model as Site, customizations, site_space_customizations as overrides, site_spaces},
};
use openapi::{error::ApiError, models::SiteCustomizationSettings};
use platform::db::rows;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType,
    QueryFilter, QuerySelect, RelationDef, Select,
};
use serde_json::{Map, Value, json};

use crate::areas::publishing::site_settings;

/// The overrides that the structure of the site shows as well.
const TITLE: &str = "title";
const LOCALIZED_TITLE: &str = "localizedTitle";

/// All settings of a site that are in force.
pub struct InForce {
    pub of_site: SiteCustomizationSettings,
    pub of_site_spaces: HashMap<SiteSpaceId, SiteCustomizationSettings>,
}

/// A site space with what it overrides.
#[derive(FromQueryResult)]
struct SiteSpaceOverrides {
    id: SiteSpaceId,
    overrides: Option<Value>,
    title: Option<String>,
    localized_title: Option<Localized>,
}

impl SiteSpaceOverrides {
    /// The settings that differ from those of the site. `None`: there are none.
    fn layer(self) -> Option<Value> {
        let mut layer = match self.overrides {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        };
        if let Some(title) = self.title {
            layer.insert(TITLE.to_owned(), json!(title));
        }
        if let Some(texts) = self.localized_title {
            layer.insert(LOCALIZED_TITLE.to_owned(), json!(texts));
        }
        (!layer.is_empty()).then_some(Value::Object(layer))
    }
}

/// Replaces the settings of a site space that differ from those of the site.
pub async fn save_overrides(db: &impl ConnectionTrait, id: SiteSpaceId, overrides: Value) -> Result<(), ApiError> {
    let mut members = match overrides {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let title = members.remove(TITLE).map(serde_json::from_value).transpose()?;
    let texts = members
        .remove(LOCALIZED_TITLE)
        .map(serde_json::from_value)
        .transpose()?;
    let titles = site_spaces::ActiveModel {
        id: Set(id),
        title: Set(title),
        localized_title: Set(texts.and_then(Localized::of)),
        ..Default::default()
    };
    titles.update(db).await?;
    if members.is_empty() {
        overrides::Entity::delete_by_id(id).exec(db).await?;
        return Ok(());
    }
    let row = overrides::Model {
        site_space_id: id,
        overrides: Value::Object(members),
    };
    Ok(rows::put(db, &row).await?)
}

/// Loads the settings of a site and of each site space. Two queries.
pub async fn load_all(db: &impl ConnectionTrait, site: &Site) -> Result<InForce, ApiError> {
    let of_site = load_site(db, site.id).await?;
    let items = site_space_overrides(site.id).into_model::<SiteSpaceOverrides>().all(db);
    let view = |layers: &[&Value]| {
        let settings = site_settings::compose(layers.iter().copied());
        site_settings::view(settings, Some(&site.title))
    };
    let own: Vec<&Value> = of_site.iter().collect();
    let of_site = view(&own)?;
    let in_force = |item: SiteSpaceOverrides| {
        let id = item.id;
        let settings = match &item.layer() {
            Some(overrides) => view(&[&own[..], &[overrides]].concat())?,
            None => of_site.clone(),
        };
        Ok((id, settings))
    };
    let of_items: Result<_, ApiError> = items.await?.into_iter().map(in_force).collect();
    Ok(InForce {
        of_site_spaces: of_items?,
        of_site,
    })
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
    Ok(row.map(SiteSpaceOverrides::layer))
}

fn site_space_overrides(site: SiteId) -> Select<site_spaces::Entity> {
    let of_item: RelationDef = site_spaces::Entity::belongs_to(overrides::Entity)
        .from(site_spaces::Column::Id)
        .to(overrides::Column::SiteSpaceId)
        .into();
    site_spaces::Entity::find()
        .filter(site_spaces::Column::SiteId.eq(site))
        .select_only()
        .columns([
            site_spaces::Column::Id,
            site_spaces::Column::Title,
            site_spaces::Column::LocalizedTitle,
        ])
        .column(overrides::Column::Overrides)
        .join(JoinType::LeftJoin, of_item)
}
