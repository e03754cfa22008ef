//! Spaces in the database.

use entity::{
    ids::{NodeId, OrganizationId},
    nodes::{self, NodeKind},
    spaces::{self, ContentVisibility},
    timestamp::Timestamp,
};
use openapi::{error::ApiError, models::UpdateSpace, values::Maybe};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select,
};

use crate::{
    access::rows::{NodeRow, SpaceRow},
    app::wire::ToStored,
    areas::{library::tree, organizations::merge_rules},
};

pub fn living(organization: OrganizationId) -> Select<nodes::Entity> {
    tree::store::living(organization, NodeKind::Space)
}

pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    space: NodeId,
) -> Result<Option<SpaceRow>, DbErr> {
    let found = living(organization).filter(nodes::Column::Id.eq(space));
    SpaceRow::of(found).into_model().one(db).await
}

/// A space that left all collections is private where it could be read by those of its collection.
pub async fn adapt_visibility(db: &impl ConnectionTrait, node: &nodes::Model) -> Result<(), DbErr> {
    if node.parent_id.is_some() {
        return Ok(());
    }
    spaces::Entity::update_many()
        .col_expr(
            spaces::Column::Visibility,
            sea_orm::sea_query::Expr::value(ContentVisibility::Private),
        )
        .filter(spaces::Column::Id.eq(node.id))
        .filter(spaces::Column::Visibility.eq(ContentVisibility::InCollection))
        .exec(db)
        .await?;
    Ok(())
}

/// Applies a change to the stored space.
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
    set_picture(&mut space, emoji, icon)?;
    if let Some(mode) = edit_mode {
        space.edit_mode = Set(mode.to_stored());
    }
    if let Some(language) = language {
        space.language = Set(Some(language.to_stored()));
    }
    if let Some(rules) = merge_rules {
        merge_rules::require_members(db, node.organization_id, &rules).await?;
        space.merge_rules = Set(serde_json::to_value(rules)?);
    }
    if space.is_changed() {
        space.update(db).await?;
    }
    tree::store::update(db, node, title, default_level.into_change(), now).await
}

/// An emoji takes the place of an image; `null` takes away what it names.
fn set_picture(space: &mut spaces::ActiveModel, emoji: Maybe<String>, icon: Maybe<String>) -> Result<(), ApiError> {
    if let (Maybe::Value(_), Maybe::Value(_)) = (&emoji, &icon) {
        let message = "May not be sent together with an emoji.";
        return Err(ApiError::invalid_member("/body/icon", "exclusive", message));
    }
    if let Maybe::Value(_) = &emoji {
        space.icon = Set(None);
    }
    if let Some(icon) = icon.into_change() {
        space.icon = Set(icon);
    }
    if let Some(emoji) = emoji.into_change() {
        space.emoji = Set(emoji);
    }
    Ok(())
}
