//! Removal of members.

use entity::{
    identity::tokens,
    ids::{OrganizationId, UserId},
    organizations::{
        members::{Entity, MemberRole},
        saml_providers::{self, identities},
        teams::{self, members as team_members},
    },
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};

use super::{removed, store};

/// Removes a member, their memberships in teams, and what signing in through the organization gave them. `false`: they are not a
/// member. A member who is removed by somebody else stays out; one who leaves may come back.
pub async fn remove(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
    by: UserId,
    now: Timestamp,
) -> Result<bool, ApiError> {
    let Some(member) = store::find(db, organization, user).await? else {
        return Ok(false);
    };
    if member.role == Some(MemberRole::Admin) {
        store::require_other_admin(db, organization, user).await?;
    }
    decrement_team_counts(db, organization, user).await?;
    // The foreign key deletes the memberships in teams with the member.
    Entity::delete_by_id((organization, user)).exec(db).await?;
    store::change_members_count(db, organization, -1).await?;
    end_sign_ins(db, organization, user).await?;
    if by != user {
        removed::note(db, organization, user, now).await?;
    }
    Ok(true)
}

/// Identity providers of the organization lead into the account no more, and the tokens end that were made after signing in
/// through one: the account may have other organizations, which are not theirs to open.
async fn end_sign_ins(db: &impl ConnectionTrait, organization: OrganizationId, user: UserId) -> Result<(), DbErr> {
    let providers = || {
        saml_providers::Entity::find()
            .select_only()
            .column(saml_providers::Column::Id)
            .filter(saml_providers::Column::OrganizationId.eq(organization))
            .into_query()
    };
    identities::Entity::delete_many()
        .filter(identities::Column::UserId.eq(user))
        .filter(identities::Column::ProviderId.in_subquery(providers()))
        .exec(db)
        .await?;
    tokens::Entity::delete_many()
        .filter(tokens::Column::UserId.eq(user))
        .filter(tokens::Column::SamlProviderId.in_subquery(providers()))
        .exec(db)
        .await?;
    Ok(())
}

/// Decrements the member counts of the member's teams.
async fn decrement_team_counts(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
) -> Result<(), DbErr> {
    use teams::{Column, Entity};
    let joined = team_members::Entity::find()
        .select_only()
        .column(team_members::Column::TeamId)
        .filter(team_members::Column::OrganizationId.eq(organization))
        .filter(team_members::Column::UserId.eq(user));
    Entity::update_many()
        .col_expr(Column::MembersCount, Expr::col(Column::MembersCount).sub(1))
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Id.in_subquery(joined.into_query()))
        .exec(db)
        .await?;
    Ok(())
}
