//! Transfers of a node, with its descendants, to another organization.

use entity::{
    authoring::change_requests,
    content::search::spaces as searched_spaces,
    ids::{IssuesClusterId, NodeId, OrganizationId, PermissionId, UserId},
    library::{invitations, nodes::Model, permissions, spaces, templates},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorType},
    models::MergeRules,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect, QueryTrait, sea_query::Expr,
};

use super::{
    ancestors::{self, with_descendants},
    default_levels, store,
};
use crate::{
    access::{node_levels::Member, space_counts::SpacesBelow},
    areas::{
        library::tree::ordering::{InsertAt, Siblings, Slot},
        organizations::{members, merge_rules},
    },
};

/// Moves a node to the end of the top level of another organization. Its permissions and invite links are deleted, its
/// spaces are no templates any more, and the caller administers it there. Returns the node, and the caller as a member of that organization.
pub async fn transfer_node(
    db: &impl ConnectionTrait,
    from: &Member,
    node: &Model,
    to: OrganizationId,
    permission: PermissionId,
    now: Timestamp,
) -> Result<(Model, Member), ApiError> {
    let to = recipient(db, from, to).await?;
    require_reviewers(db, node.id, to.organization).await?;
    permissions::Entity::delete_many()
        .filter(permissions::Column::NodeId.in_subquery(with_descendants(node.id).into_query()))
        .exec(db)
        .await?;
    // The links invite people to the old organization.
    invitations::Entity::delete_many()
        .filter(invitations::Column::NodeId.in_subquery(with_descendants(node.id).into_query()))
        .exec(db)
        .await?;
    templates::Entity::delete_many()
        .filter(templates::Column::SpaceId.in_subquery(with_descendants(node.id).into_query()))
        .exec(db)
        .await?;
    ancestors::move_subtree(db, node.id, None).await?;
    let before = SpacesBelow::load(db, node.id).await?;
    let mut row = node.clone().into_active_model();
    row.position = Set(last_position(db, to.organization, node.id).await?);
    row.organization_id = Set(to.organization);
    row.parent_id = Set(None);
    row.updated_at = Set(now);
    // Its descendants follow, because the foreign key of children cascades.
    let mut row = row.update(db).await?;
    before.record_change(db, node.id).await?;
    change_requests::Entity::update_many()
        .col_expr(change_requests::Column::OrganizationId, Expr::value(to.organization))
        .col_expr(
            change_requests::Column::ConversationsIssuesClusterId,
            Expr::value(None::<IssuesClusterId>),
        )
        .filter(change_requests::Column::SpaceId.in_subquery(with_descendants(node.id).into_query()))
        .exec(db)
        .await?;
    searched_spaces::Entity::update_many()
        .col_expr(searched_spaces::Column::OrganizationId, Expr::value(to.organization))
        .filter(searched_spaces::Column::SpaceId.in_subquery(with_descendants(node.id).into_query()))
        .exec(db)
        .await?;
    row.effective_default = default_levels::propagate(db, node.id, node.default_level, None).await?;
    if !to.is_admin() {
        let permission = permissions::Model {
            id: permission,
            organization_id: to.organization,
            node_id: node.id,
            user_id: Some(to.user),
            team_id: None,
            role: MemberRole::Admin,
            created_at: now,
        };
        store::upsert_permissions(db, vec![permission]).await?;
    }
    Ok((row, to))
}

async fn last_position(db: &impl ConnectionTrait, organization: OrganizationId, moving: NodeId) -> Result<i64, DbErr> {
    let siblings = Siblings {
        organization,
        parent: None,
        moving,
    };
    Ok(match siblings.position(db, InsertAt::End, None).await? {
        Slot::Free(position) => position,
        Slot::Unchanged | Slot::NotASibling => 0,
    })
}

/// The caller as a member of the other organization; requires the role `create` there.
async fn recipient(db: &impl ConnectionTrait, from: &Member, to: OrganizationId) -> Result<Member, ApiError> {
    if to == from.organization {
        return Err(ApiError::new(
            ErrorType::Unchanged,
            "`organization` is the organization that the content belongs to already.",
        ));
    }
    let found = members::store::find(db, to, from.user).await?;
    let found = found.filter(|member| !member.disabled);
    let role = found.ok_or_else(|| ApiError::not_found("organization"))?.role;
    if role < Some(MemberRole::Create) {
        return Err(ApiError::forbidden(
            "This needs the role create in the target organization.",
        ));
    }
    Ok(Member::new(to, from.user, role))
}

/// Refuses a transfer if merge rules name users who are not members of the target organization.
async fn require_reviewers(db: &impl ConnectionTrait, node: NodeId, to: OrganizationId) -> Result<(), ApiError> {
    let rules: Vec<serde_json::Value> = spaces::Entity::find()
        .select_only()
        .column(spaces::Column::MergeRules)
        .filter(spaces::Column::Id.in_subquery(with_descendants(node).into_query()))
        .into_tuple()
        .all(db)
        .await?;
    let mut named: Vec<UserId> = Vec::new();
    for rules in rules {
        let rules: MergeRules = serde_json::from_value(rules)?;
        named.extend(merge_rules::users(&rules));
    }
    named.sort_unstable();
    named.dedup();
    let known = members::store::existing(db, to, named.clone()).await?;
    if let Some(missing) = named.iter().find(|user| !known.contains(user)) {
        let message = format!("Merge rules name the user {missing}, who is not a member of the target organization.");
        return Err(ApiError::new(ErrorType::ReviewerMissing, message));
    }
    Ok(())
}
