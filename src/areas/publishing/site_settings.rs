//! Settings of sites that are in force: the default ones, below those of the site, below the overrides of a site space.

use std::sync::LazyLock;

use entity::{
    ids::{SiteId, SiteSpaceId},
    publishing::sites::{customizations, site_space_customizations as overrides},
};
use openapi::{error::ApiError, models::SiteCustomizationSettings, values::Timestamp};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use serde_json::{Map, Value, json};

use super::page_actions;

/// Members with a choice of forms or languages. They are replaced as a whole.
const REPLACED: [&str; 8] = [
    "favicon",
    "font",
    "link",
    "localizedGreeting",
    "localizedMessage",
    "localizedTitle",
    "monospaceFont",
    "primaryLink",
];
const ANNOUNCEMENT: &str = "announcement";
const UPDATED_AT: &str = "updatedAt";

static DEFAULTS: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "styling": {
            "theme": "clean",
            "primaryColor": { "light": "#346DDB", "dark": "#6C9BF2" },
            "infoColor": { "light": "#787878", "dark": "#A0A0A0" },
            "successColor": { "light": "#00885F", "dark": "#2FC493" },
            "warningColor": { "light": "#B25E00", "dark": "#F2A33A" },
            "dangerColor": { "light": "#C4283D", "dark": "#F26D7E" },
            "corners": "rounded",
            "depth": "subtle",
            "links": "default",
            "font": "Inter",
            "monospaceFont": "IBMPlexMono",
            "background": "plain",
            "icons": "regular",
            "codeTheme": {
                "default": { "light": "default-light", "dark": "default-dark" },
                "openapi": { "light": "default-light", "dark": "default-dark" },
            },
            "sidebar": { "background": "default", "list": "default" },
            "search": "prominent",
        },
        "internationalization": { "locale": "en" },
        "favicon": {},
        "header": { "preset": "default", "links": [] },
        "footer": { "groups": [] },
        "themes": { "default": "light", "toggeable": true },
        "pdf": { "enabled": true },
        "feedback": { "enabled": false },
        "ai": { "mode": "none" },
        "advancedCustomization": { "enabled": true },
        "git": { "showEditLink": false },
        "pageActions": { "externalAI": true, "markdown": true, "mcp": false },
        "externalLinks": { "target": "self" },
        "pagination": { "enabled": true },
        "trademark": { "enabled": false },
        "privacyPolicy": {},
        "socialPreview": {},
        "socialAccounts": [],
        "insights": { "trackingCookie": true },
    })
});

/// The settings from layers, each above the one before: those of the site, and the overrides of a site space. Their time is that of
/// the last change of any.
pub fn compose<'a>(layers: impl IntoIterator<Item = &'a Value>) -> Value {
    let mut settings = DEFAULTS.clone();
    for layer in layers {
        let below = updated_at(&settings);
        drop_localized(&mut settings, layer);
        lay(&mut settings, layer);
        set_updated_at(&mut settings, below.max(updated_at(layer)));
    }
    settings
}

/// The time of the last change of settings that are stored.
pub fn updated_at(settings: &Value) -> Option<Timestamp> {
    let time = settings.get(UPDATED_AT)?;
    serde_json::from_value(time.clone()).ok()
}

/// Settings without any other member have no time.
pub fn set_updated_at(settings: &mut Value, time: Option<Timestamp>) {
    if let Some(members) = settings.as_object_mut() {
        members.remove(UPDATED_AT);
        if let Some(time) = time.filter(|_| !members.is_empty()) {
            members.insert(UPDATED_AT.to_owned(), json!(time));
        }
    }
}

/// Removes the texts in other languages whose text the layer above replaces.
fn drop_localized(below: &mut Value, above: &Value) {
    for (parent, text, localized) in [
        ("", "title", "localizedTitle"),
        ("/announcement", "message", "localizedMessage"),
    ] {
        let is_replaced = above.pointer(parent).is_some_and(|above| above.get(text).is_some());
        if let Some(below) = below.pointer_mut(parent).and_then(Value::as_object_mut)
            && is_replaced
        {
            below.remove(localized);
        }
    }
}

/// Returns whether an item that all visitors of a site see leads to a file. Two queries.
pub async fn leads_to(
    db: &impl ConnectionTrait,
    site: SiteId,
    site_spaces: impl Iterator<Item = SiteSpaceId>,
    file: &str,
) -> Result<bool, DbErr> {
    let of_site = customizations::Entity::find_by_id(site).one(db).await?;
    let of_spaces = overrides::Entity::find()
        .filter(overrides::Column::SiteSpaceId.is_in(site_spaces))
        .all(db)
        .await?;
    let of_spaces = of_spaces.iter().map(|row| &row.overrides);
    let all = of_site.iter().map(|row| &row.settings).chain(of_spaces);
    Ok(all.into_iter().any(|settings| names(settings, file)))
}

/// Returns whether settings name a file outside of items with conditions.
fn names(settings: &Value, file: &str) -> bool {
    match settings {
        Value::Array(items) => items.iter().any(|item| names(item, file)),
        Value::Object(members) => {
            let has_condition = members.get("condition").is_some_and(|condition| !condition.is_null());
            let is_named = members.get("file").and_then(Value::as_str) == Some(file);
            !has_condition && (is_named || members.values().any(|member| names(member, file)))
        }
        _ => false,
    }
}

/// Returns whether a site offers the content of any of these site spaces as PDF. Two queries.
pub async fn has_pdf(db: &impl ConnectionTrait, site: SiteId, site_spaces: &[SiteSpaceId]) -> Result<bool, DbErr> {
    let of_site = customizations::Entity::find_by_id(site).one(db).await?;
    let of_site = of_site.map(|row| row.settings);
    let of_spaces = overrides::Entity::find()
        .filter(overrides::Column::SiteSpaceId.is_in(site_spaces.iter().copied()))
        .all(db)
        .await?;
    let has_pdf = |id: &SiteSpaceId| {
        let own = of_spaces.iter().find(|row| row.site_space_id == *id);
        let layers = of_site.iter().chain(own.map(|row| &row.overrides));
        compose(layers).pointer("/pdf/enabled") == Some(&Value::Bool(true))
    };
    Ok(site_spaces.iter().any(has_pdf))
}

/// The settings on the wire. `title` is that of the site, for settings without a title of their own.
pub fn view(mut settings: Value, title: Option<&str>) -> Result<SiteCustomizationSettings, ApiError> {
    if !missing_in_announcement(&settings).is_empty()
        && let Some(members) = settings.as_object_mut()
    {
        // The site has dropped the announcement of which a site space overrides a part.
        members.remove(ANNOUNCEMENT);
    }
    page_actions::list(&mut settings);
    let mut settings: SiteCustomizationSettings = serde_json::from_value(settings)?;
    settings.title = settings.title.or_else(|| title.map(str::to_owned));
    Ok(settings)
}

/// The required members that an announcement lacks; none without an announcement.
pub fn missing_in_announcement(settings: &Value) -> Vec<&'static str> {
    const REQUIRED: [&str; 3] = ["enabled", "message", "style"];
    match settings.get(ANNOUNCEMENT) {
        Some(announcement) => {
            let missing = REQUIRED.into_iter().filter(|name| announcement.get(name).is_none());
            missing.collect()
        }
        None => Vec::new(),
    }
}

/// Changes overrides: a value replaces the former one, `null` drops it.
pub fn change(overrides: &mut Value, change: &Value) {
    lay(overrides, change);
    if let Some(members) = overrides.as_object_mut() {
        drop_empty(members);
    }
}

/// Lays a value over another: objects member by member, everything else as a whole.
fn lay(below: &mut Value, above: &Value) {
    let (Some(below), Some(above)) = (below.as_object_mut(), above.as_object()) else {
        return;
    };
    for (name, value) in above {
        if value.is_null() {
            below.remove(name);
        } else if value.is_object() && !REPLACED.contains(&name.as_str()) {
            lay(below.entry(name.as_str()).or_insert_with(|| json!({})), value);
        } else {
            below.insert(name.clone(), value.clone());
        }
    }
}

fn drop_empty(members: &mut Map<String, Value>) {
    members.retain(|name, value| match value.as_object_mut() {
        Some(inner) if !REPLACED.contains(&name.as_str()) => {
            drop_empty(inner);
            !inner.is_empty()
        }
        _ => true,
    });
}
