//! Teams of an organization and their members.

mod details;
mod membership;
pub mod store;
pub mod view;

use entity::{
    ids::{TeamId, UserId},
    organizations::teams::Model,
    timestamp::Timestamp,
};
use openapi::{
    answer::Created,
    error::ApiError,
    guard::OwnershipLevel,
    models::{
        AddTeamMember, CreateTeam, MemberTeam, MemberTeamList, Team, TeamList, TeamMemberList, UpdateTeam,
        UpdateTeamMembers,
    },
    operations::teams::{
        ListTeamMembersInOrganizationByIdQuery, ListTeamsForOrganizationMemberQuery, ListTeamsInOrganizationByIdQuery,
        TeamsApi,
    },
};
use platform::db::count;

use crate::{
    access::{OrganizationAccess, TeamAccess, rows::TeamRef},
    areas::{
        joins::member_counts::MemberCounts,
        organizations::{Organizations, members},
    },
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        lists::List,
        wire::ToStored,
    },
};
pub use details::{TeamDetails, TeamDetailsById};
use serde_json::json;
use store::TeamFilters;

impl TeamsApi for Organizations {
    async fn list_teams_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        query: ListTeamsInOrganizationByIdQuery,
    ) -> Result<TeamList, ApiError> {
        let ListTeamsInOrganizationByIdQuery {
            page,
            limit,
            owner,
            title,
        } = query;
        let scope = ("teams", access.organization, &owner, &title);
        let list = List::new(&self.kernel, scope, page, limit);
        let filters = TeamFilters {
            title: title.as_deref(),
            owner,
        };
        let db = self.kernel.db.read();
        let (page, count) = store::page(db, &list, access.organization, &filters).await?;
        let teams = page.items.iter().map(|team| team.id).collect();
        let details = TeamDetailsById::of(&self.kernel, &access.member(), teams).await?;
        let view = |team: Model| view::team(&team, details.team(team.id));
        Ok(list.answer(page, count, view)?.into())
    }

    async fn create_organization_team(
        &self,
        access: OrganizationAccess,
        body: CreateTeam,
    ) -> Result<Created<Team>, ApiError> {
        let CreateTeam { title, members } = body;
        let team = store::new(
            self.kernel.ids.next(),
            access.organization,
            title,
            self.kernel.clock.now(),
        );
        let work = move |tx| async move {
            let team = membership::create(&tx, team, members.unwrap_or_default()).await?;
            Ok(Changed::of(target(&team), team))
        };
        let team = self.kernel.write(&access.caller, work).await?;
        let details = TeamDetails {
            level: Some(OwnershipLevel::Own),
            spaces: 0,
        };
        Ok(Created {
            location: self.kernel.urls.team(team.organization_id, team.id),
            body: view::team(&team, details),
        })
    }

    async fn get_team_in_organization_by_id(&self, access: TeamAccess) -> Result<Team, ApiError> {
        let TeamAccess { row, level, .. } = access;
        let details = TeamDetails::of(&self.kernel, level, row.organization_id, row.id).await?;
        Ok(view::team(&row, details))
    }

    async fn remove_team_from_organization_by_id(
        &self,
        access: OrganizationAccess,
        team_id: TeamId,
    ) -> Result<(), ApiError> {
        let organization = access.organization;
        let work = move |tx| async move {
            let removed = store::remove(&tx, organization, team_id).await?;
            Ok(Changed::if_some(removed.as_ref().map(target)))
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn update_team_in_organization_by_id(
        &self,
        access: OrganizationAccess,
        team_id: TeamId,
        body: UpdateTeam,
    ) -> Result<Team, ApiError> {
        let UpdateTeam { title } = body;
        let organization = access.organization;
        let work = move |tx| async move {
            let team = store::rename(&tx, organization, team_id, title).await?;
            Ok(Changed::of(target(&team), team))
        };
        let row = self.kernel.write(&access.caller, work).await?;
        let details = TeamDetails::of(&self.kernel, OwnershipLevel::Own, organization, team_id).await?;
        Ok(view::team(&row, details))
    }

    async fn list_team_members_in_organization_by_id(
        &self,
        access: TeamAccess,
        query: ListTeamMembersInOrganizationByIdQuery,
    ) -> Result<TeamMemberList, ApiError> {
        let team = access.row;
        let list = List::new(&self.kernel, ("team-members", team.id), query.page, query.limit);
        let db = self.kernel.db.read();
        let page = store::members_page(db, team.id, list.after()?, list.limit).await?;
        let members = page.items.iter().map(|row| &row.member);
        let people = members.map(|member| (member.user.id, member.role));
        let counts = MemberCounts::of(db, team.organization_id, people).await?;
        let view = |row| view::team_member(&self.kernel.urls, row, &counts);
        Ok(list.answer(page, count(team.members_count), view)?.into())
    }

    async fn update_members_in_organization_team(
        &self,
        access: TeamAccess,
        body: UpdateTeamMembers,
    ) -> Result<(), ApiError> {
        let (team, now) = (access.team_ref(), self.kernel.clock.now());
        let payload = serde_json::to_value(&body)?;
        let work = move |tx| async move {
            membership::update(&tx, team, body, now).await?;
            Changed::of(store::target(&team), ()).with(payload)
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn add_member_to_organization_team_by_id(
        &self,
        access: TeamAccess,
        user_id: UserId,
        body: Option<AddTeamMember>,
    ) -> Result<(), ApiError> {
        let role = body.and_then(|AddTeamMember { role }| role);
        let (role_name, role) = (role, role.map(ToStored::to_stored));
        let (team, now) = (access.team_ref(), self.kernel.clock.now());
        let work = move |tx| async move {
            let known = members::store::existing(&tx, team.organization, vec![user_id]).await?;
            if known.is_empty() {
                return Err(ApiError::not_found("member"));
            }
            membership::upsert(&tx, team, vec![(user_id, role)], now).await?;
            Changed::of(store::target(&team), ()).with(json!({ "user": user_id, "role": role_name }))
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn delete_member_from_organization_team_by_id(
        &self,
        access: TeamAccess,
        user_id: UserId,
    ) -> Result<(), ApiError> {
        let team = access.team_ref();
        let work = move |tx| async move {
            let removed = membership::remove_members(&tx, team, vec![user_id]).await? > 0;
            Changed::if_some(removed.then(|| store::target(&team))).with(json!({ "user": user_id }))
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn list_teams_for_organization_member(
        &self,
        access: OrganizationAccess,
        user_id: UserId,
        query: ListTeamsForOrganizationMemberQuery,
    ) -> Result<MemberTeamList, ApiError> {
        let found = members::store::existing(self.kernel.db.read(), access.organization, vec![user_id]).await?;
        if found.is_empty() {
            return Err(ApiError::not_found("member"));
        }
        list_of_member(&self.kernel, access, user_id, query).await
    }
}

/// The teams of one member, with the role in each.
pub async fn list_of_member(
    kernel: &Kernel,
    access: OrganizationAccess,
    member: UserId,
    query: ListTeamsForOrganizationMemberQuery,
) -> Result<MemberTeamList, ApiError> {
    let ListTeamsForOrganizationMemberQuery { page, limit, title } = query;
    let scope = ("member-teams", access.organization, member, &title);
    let list = List::new(kernel, scope, page, limit);
    let (db, title) = (kernel.db.read(), title.as_deref());
    let organization = access.organization;
    let page = store::page_of_member(db, organization, member, title, list.after()?, list.limit).await?;
    let count = list.count(store::of_member(organization, member, title), &page).await?;
    let teams = page.items.iter().map(|(team, _)| team.id).collect();
    let details = TeamDetailsById::of(kernel, &access.member(), teams).await?;
    let view = |(team, role): (Model, _)| -> MemberTeam { view::member_team(&team, details.team(team.id), role) };
    Ok(list.answer(page, count, view)?.into())
}

/// Adds a member of the organization to a team.
pub async fn add_member(
    db: &impl sea_orm::ConnectionTrait,
    team: TeamRef,
    user: UserId,
    now: Timestamp,
) -> Result<(), ApiError> {
    membership::upsert(db, team, vec![(user, None)], now).await?;
    Ok(())
}

fn target(team: &Model) -> AuditTarget {
    AuditTarget::in_organization(team.organization_id, "team", team.id).labelled(&team.title)
}

fn unknown() -> ApiError {
    ApiError::not_found("team")
}
