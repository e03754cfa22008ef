//! The memberships that the guard loads, with the organization or the team.

use entity::{
    ids::{OrganizationId, TeamId, UserId},
    organizations::{
        self,
        members::{self, MemberRole},
        teams::{self, members::TeamMemberRole},
    },
};
use openapi::error::ApiError;
use platform::db::{
    Db, QueryTemplate,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, QueryFilter, QuerySelect, QueryTrait,
    Related,
    sea_query::{Expr, ExprTrait, IntoCondition},
};
use uuid::Uuid;

use super::sso;

pub struct Membership {
    pub role: Option<MemberRole>,
    pub disabled: bool,
    pub members_count: i32,
    pub sso_required: bool,
}

impl FromColumns for Membership {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            role: columns.read()?,
            disabled: columns.read()?,
            members_count: columns.read()?,
            sso_required: columns.read()?,
        })
    }
}

/// The membership of a user in an organization, with the number of members.
pub async fn membership(db: &Db, organization: OrganizationId, user: UserId) -> Result<Option<Membership>, ApiError> {
    static TEMPLATE: QueryTemplate<2> = QueryTemplate::new();
    let db = db.read();
    let query = |[organization, user]: [Uuid; 2]| {
        members::Entity::find_by_id((organization.into(), user.into()))
            .select_only()
            .columns([members::Column::Role, members::Column::Disabled])
            .column(organizations::Column::MembersCount)
            .expr(sso::is_required())
            .inner_join(organizations::Entity)
            .into_query()
    };
    let parameters = [*organization.as_uuid(), *user.as_uuid()];
    let query = TEMPLATE.statement(db.get_database_backend(), parameters, query);
    Ok(positional::row(db, query).await?)
}

#[derive(FromQueryResult)]
pub struct TeamMembership {
    #[sea_orm(nested)]
    pub team: teams::Model,
    pub role: Option<TeamMemberRole>,
}

/// A team of the organization with the role of a user in it. `None` as the role: the user is not in the team.
pub async fn team_membership(
    db: &Db,
    organization: OrganizationId,
    team: TeamId,
    user: UserId,
) -> Result<Option<TeamMembership>, ApiError> {
    use teams::members::{Column, Entity};
    let of_user = <Entity as Related<teams::Entity>>::to()
        .rev()
        .on_condition(move |_, places| Expr::col((places, Column::UserId)).eq(user).into_condition());
    Ok(teams::Entity::find_by_id(team)
        .column_as(Expr::col((Entity, Column::Role)), "role")
        .join(JoinType::LeftJoin, of_user)
        .filter(teams::Column::OrganizationId.eq(organization))
        .into_model::<TeamMembership>()
        .one(db.read())
        .await?)
}
