//! Rows for tests of the storage layer.

use entity::ids::{NodeId, OrganizationId, TeamId, UserId};
use entity::library::nodes::NodeKind;
use entity::organizations::members::MemberRole;
use entity::organizations::teams::members::TeamMemberRole;
use entity::organizations::{BillingProduct, OrganizationType};
use entity::timestamp::Timestamp;
use entity::{
    identity::users,
    library::nodes,
    organizations::{self, members, teams},
};
use sea_orm::ActiveValue::Set;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait};
use uuid::Uuid;

pub fn user_id(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

pub fn organization_id(number: u128) -> OrganizationId {
    OrganizationId::from_uuid(Uuid::from_u128(number))
}

pub fn team_id(number: u128) -> TeamId {
    TeamId::from_uuid(Uuid::from_u128(number))
}

pub fn space_id(number: u128) -> NodeId {
    NodeId::from_uuid(Uuid::from_u128(number))
}

pub async fn insert_user(db: &impl ConnectionTrait, number: u128) -> Result<(), DbErr> {
    let user = users::ActiveModel {
        id: Set(user_id(number)),
        email: Set(format!("user-{number}@example.com")),
        email_verified: Set(true),
        display_name: Set(format!("User {number}")),
        photo_url: Set(None),
        search_text: Set(format!("user {number}\nuser-{number}@example.com")),
        created_at: Set(Timestamp::from_millis(1)),
        suspended_at: Set(None),
    };
    users::Entity::insert(user).exec_without_returning(db).await.map(drop)
}

pub async fn insert_organization(db: &impl ConnectionTrait, number: u128) -> Result<(), DbErr> {
    let organization = organizations::ActiveModel {
        id: Set(organization_id(number)),
        title: Set(format!("Organization {number}")),
        hostname: Set(None),
        r#type: Set(OrganizationType::Business),
        use_case: Set(None),
        community_type: Set(None),
        default_role: Set(None),
        sso: Set(false),
        ai: Set(true),
        invite_links: Set(true),
        plan: Set(BillingProduct::Internal),
        merge_rules: Set(serde_json::json!({"type": "none"})),
        logo: Set(None),
        custom_hostname: Set(None),
        members_count: Set(0),
        sites_count: Set(0),
        created_at: Set(Timestamp::from_millis(1)),
    };
    organizations::Entity::insert(organization)
        .exec_without_returning(db)
        .await
        .map(drop)
}

pub async fn insert_member(
    db: &impl ConnectionTrait,
    organization: u128,
    user: u128,
    role: Option<MemberRole>,
    joined_at: i64,
) -> Result<(), DbErr> {
    let member = members::ActiveModel {
        organization_id: Set(organization_id(organization)),
        user_id: Set(user_id(user)),
        role: Set(role),
        disabled: Set(false),
        sso: Set(false),
        sso_exempt: Set(false),
        joined_at: Set(Timestamp::from_millis(joined_at)),
        last_seen_at: Set(None),
        teams_count: Set(0),
        sort_name: Set(String::new()),
    };
    members::Entity::insert(member)
        .exec_without_returning(db)
        .await
        .map(drop)
}

pub async fn insert_team(db: &impl ConnectionTrait, organization: u128, team: u128) -> Result<(), DbErr> {
    let team = teams::ActiveModel {
        id: Set(team_id(team)),
        organization_id: Set(organization_id(organization)),
        title: Set(format!("Team {team}")),
        title_folded: Set(format!("team {team}")),
        members_count: Set(0),
        created_at: Set(Timestamp::from_millis(1)),
    };
    teams::Entity::insert(team).exec_without_returning(db).await.map(drop)
}

pub async fn insert_team_member(
    db: &impl ConnectionTrait,
    organization: u128,
    team: u128,
    user: u128,
) -> Result<(), DbErr> {
    let member = teams::members::ActiveModel {
        team_id: Set(team_id(team)),
        user_id: Set(user_id(user)),
        organization_id: Set(organization_id(organization)),
        role: Set(TeamMemberRole::Member),
        added_at: Set(Timestamp::from_millis(1)),
    };
    teams::members::Entity::insert(member)
        .exec_without_returning(db)
        .await
        .map(drop)
}

/// A space as a node; what it has only as a space is left out.
pub async fn insert_space(db: &impl ConnectionTrait, organization: u128, space: u128) -> Result<(), DbErr> {
    let node = nodes::ActiveModel {
        id: Set(space_id(space)),
        organization_id: Set(organization_id(organization)),
        kind: Set(NodeKind::Space),
        parent_id: Set(None),
        position: Set(0),
        title: Set(format!("Space {space}")),
        default_level: Set(None),
        effective_default: Set(None),
        created_at: Set(Timestamp::from_millis(1)),
        updated_at: Set(Timestamp::from_millis(1)),
        deleted_at: Set(None),
    };
    nodes::Entity::insert(node).exec_without_returning(db).await.map(drop)
}
