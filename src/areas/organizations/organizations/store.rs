//! Organizations in the database.

use std::collections::{HashMap, HashSet};

use entity::{
    ids::{OrganizationId, SiteId, UserId},
    organizations::{
        ActiveModel, Column, Entity, Model, agent_instructions, email_domains,
        members::{self, MemberRole},
        saml_providers,
        teams::members as team_members,
    },
    publishing::sites::default_content,
};
use openapi::error::{ApiError, ErrorType};
use platform::db::{Keyset, Page, is_unique_violation, rows};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Related, Select, sea_query::Expr,
};

use crate::{
    access::{Caller, sso},
    areas::organizations::members::store::insert as insert_members,
};

pub async fn find(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(organization).one(db).await
}

/// The organizations of a list.
pub async fn with_ids(db: &impl ConnectionTrait, organizations: &[OrganizationId]) -> Result<Vec<Model>, DbErr> {
    let of_list = Column::Id.is_in(organizations.iter().copied());
    Entity::find().filter(of_list).all(db).await
}

/// Locks the row for a change; other changes of the organization wait.
pub async fn lock(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(organization).lock_exclusive().one(db).await
}

/// Returns whether a SAML provider lets people sign in to the organization.
pub async fn has_way_in(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<bool, DbErr> {
    let of_organization = saml_providers::Column::OrganizationId.eq(organization);
    let providers = saml_providers::Entity::find().filter(of_organization).all(db).await?;
    Ok(providers.iter().any(saml_providers::Model::is_active))
}

/// An organization as one of its members sees it.
#[derive(FromQueryResult)]
pub struct VisibleOrganization {
    #[sea_orm(nested)]
    pub row: Model,
    /// The member owns one of its teams.
    pub owns_team: bool,
    pub default_site: Option<SiteId>,
}

impl VisibleOrganization {
    /// Admins manage every team, whether they own one or not.
    pub fn for_admin(row: Model, default_site: Option<SiteId>) -> Self {
        Self {
            row,
            owns_team: true,
            default_site,
        }
    }
}

/// An organization with its email domains in their order, in one statement, because clients read it most often.
pub async fn find_visible(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    user: UserId,
) -> Result<Option<(VisibleOrganization, Vec<String>)>, DbErr> {
    #[derive(FromQueryResult)]
    struct Joined {
        #[sea_orm(nested)]
        seen: VisibleOrganization,
        domain: Option<String>,
    }
    let owned = teams_owned_by(user).filter(team_members::Column::OrganizationId.eq(organization));
    let of_organization = <email_domains::Entity as Related<Entity>>::to().rev();
    let content = <default_content::Entity as Related<Entity>>::to().rev();
    let rows = Entity::find_by_id(organization)
        .column_as(Expr::exists(owned.into_query()), "owns_team")
        .column(email_domains::Column::Domain)
        .column_as(default_content::Column::SiteId, "default_site")
        .join(JoinType::LeftJoin, of_organization)
        .join(JoinType::LeftJoin, content)
        .order_by_asc(email_domains::Column::Position)
        .into_model::<Joined>()
        .all(db)
        .await?;
    let mut seen = None;
    let mut domains = Vec::new();
    for row in rows {
        seen.get_or_insert(row.seen);
        domains.extend(row.domain);
    }
    Ok(seen.map(|seen| (seen, domains)))
}

/// The organizations of the teams that a user owns.
fn teams_owned_by(user: UserId) -> Select<team_members::Entity> {
    use team_members::{Column, Entity, TeamMemberRole};
    Entity::find()
        .select_only()
        .column(Column::OrganizationId)
        .filter(Column::UserId.eq(user))
        .filter(Column::Role.eq(TeamMemberRole::Owner))
}

pub async fn all(db: &impl ConnectionTrait) -> Result<Vec<Model>, DbErr> {
    Entity::find().order_by_asc(Column::Id).all(db).await
}

/// The organizations that a user belongs to, in the order of their creation, with the role in each.
pub async fn page_of_member(
    db: &impl ConnectionTrait,
    caller: &Caller,
    after: Option<OrganizationId>,
    limit: u64,
) -> Result<Page<(Model, Option<MemberRole>), OrganizationId>, DbErr> {
    let query = memberships(caller).select_also(Entity);
    let order = Keyset::ascending([(members::Entity, members::Column::OrganizationId)]);
    let page = order
        .page(
            query,
            after,
            limit,
            |query| query.all(db),
            |(member, _)| member.organization_id,
        )
        .await?;
    Ok(page.filter_map(|(member, organization)| Some((organization?, member.role))))
}

/// The memberships that count for a caller.
pub fn memberships(caller: &Caller) -> Select<members::Entity> {
    members::Entity::find()
        .inner_join(Entity)
        .filter(members::Column::UserId.eq(caller.user_id))
        .filter(members::Column::Disabled.eq(false))
        .filter(sso::counts_for(&caller.identity))
}

/// Inserts an organization with its first member, who is its admin, and with empty instructions for agents.
pub async fn insert(
    db: &impl ConnectionTrait,
    row: &Model,
    domains: Vec<String>,
    owner: UserId,
) -> Result<(), ApiError> {
    rows::insert(db, row).await?;
    let first = [(owner, Some(MemberRole::Admin))];
    db.execute(&insert_members(row.id, first, row.created_at)?).await?;
    super::domain_store::replace(db, row.id, owner, domains, row.created_at).await?;
    let instructions = agent_instructions::ActiveModel {
        organization_id: Set(row.id),
        instructions: Set(super::agent_instructions::empty()),
        updated_at: Set(row.created_at),
        updated_by: Set(owner),
    };
    agent_instructions::Entity::insert(instructions)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Writes changed members of an organization; a hostname that is taken is a conflict.
pub async fn update(db: &impl ConnectionTrait, change: ActiveModel) -> Result<Model, ApiError> {
    match change.update(db).await {
        Ok(row) => Ok(row),
        Err(e) if is_unique_violation(&e) => Err(ApiError::new(
            ErrorType::HostnameTaken,
            "`hostname` is in use by another organization.",
        )),
        Err(e) => Err(e.into()),
    }
}

/// The roles of a user in the organizations of a list; absent where the user is not a member, or disabled.
pub async fn roles_of(
    db: &impl ConnectionTrait,
    user: UserId,
    organizations: &[OrganizationId],
) -> Result<HashMap<OrganizationId, Option<MemberRole>>, DbErr> {
    use members::{Column, Entity};
    let query = Entity::find()
        .filter(Column::UserId.eq(user))
        .filter(Column::OrganizationId.is_in(organizations.iter().copied()))
        .filter(Column::Disabled.eq(false));
    let rows = query.all(db).await?;
    Ok(rows.into_iter().map(|row| (row.organization_id, row.role)).collect())
}

/// The roles of a caller in the organizations of a list; absent where the caller has no membership that counts.
pub async fn roles_that_count(
    db: &impl ConnectionTrait,
    caller: &Caller,
    organizations: &[OrganizationId],
) -> Result<HashMap<OrganizationId, Option<MemberRole>>, DbErr> {
    let of_list = members::Column::OrganizationId.is_in(organizations.iter().copied());
    let rows = memberships(caller).filter(of_list).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.organization_id, row.role)).collect())
}

/// The organizations of a list in which the user owns a team.
pub async fn owning_teams(
    db: &impl ConnectionTrait,
    user: UserId,
    organizations: &[OrganizationId],
) -> Result<HashSet<OrganizationId>, DbErr> {
    let query = teams_owned_by(user)
        .distinct()
        .filter(team_members::Column::OrganizationId.is_in(organizations.iter().copied()));
    let found: Vec<OrganizationId> = query.into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}
