//! Spaces in the database.

use entity::{
    ids::{NodeId, OrganizationId},
    library::{
        nodes::{self, NodeKind},
        spaces,
    },
    timestamp::Timestamp,
};
use openapi::{error::ApiError, models::UpdateSpace, values::Maybe};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ConnectionTrait, EntityTrait, Select};

use crate::{
    areas::{library::tree, organizations::merge_rules},
    kernel::wire::ToStored,
};

pub fn not_deleted(organization: OrganizationId) -> Select<nodes::Entity> {
    tree::store::not_deleted(organization, NodeKind::Space)
}

/// The row of a space, besides that of its node.
pub async fn row(db: &impl ConnectionTrait, space: NodeId) -> Result<spaces::Model, ApiError> {
    let found = spaces::Entity::find_by_id(space).one(db).await?;
    found.ok_or_else(|| ApiError::not_found("space"))
}

/// Updates the stored space.
pub async fn update(
    db: &impl ConnectionTrait,
    node: nodes::Model,
    change: UpdateSpace,
    now: Timestamp,
) -> Result<(), ApiError> {
    let UpdateSpace {
        title,
        emoji,
        icon,
        edit_mode,
        language,
        default_level,
        merge_rules,
    } = change;
    let mut space = spaces::ActiveModel {
        id: Set(node.id),
        ..Default::default()
    };
    set_picture(&mut space, emoji, icon);
    if let Some(mode) = edit_mode {
        space.edit_mode = Set(mode.to_stored());
    }
    if let Some(language) = language {
        let language = Some(language.to_stored());
        space.language = Set(language);
        search::index::set_language(db, node.id, language).await?;
    }
    if let Some(rules) = merge_rules {
        merge_rules::require_able(db, &node, &rules).await?;
        space.merge_rules = Set(serde_json::to_value(rules)?);
    }
    if space.is_changed() {
        space.update(db).await?;
    }
    tree::store::update(db, node, title, default_level.into_change(), now).await
}

/// An emoji replaces an icon; `null` removes the member that it is sent for.
fn set_picture(space: &mut spaces::ActiveModel, emoji: Maybe<String>, icon: Maybe<String>) {
    if let Maybe::Value(_) = &emoji {
        space.icon = Set(None);
    }
    if let Some(icon) = icon.into_change() {
        space.icon = Set(icon);
    }
    if let Some(emoji) = emoji.into_change() {
        space.emoji = Set(emoji);
    }
}
