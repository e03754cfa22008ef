//! Permissions of users and teams on sites, and the people who reach sites.

mod changes;
mod people;
mod store;

use std::collections::HashMap;

use entity::{
    ids::{OrganizationId, SiteId, TeamId, UserId},
    organizations::teams,
};
use openapi::{
    error::ApiError,
    models::{
        GrantPermission, OrganizationPointer, OriginSite, OriginSiteReason, OriginSpace, SitePermissionOrigin,
        TeamContentPermissionList, UpdatePermission, UserContentPermissionList, UserSitePermission,
        UserSitePermissionList,
    },
    operations::site_permissions::{
        ListPermissionsAggregateInSiteQuery, ListTeamPermissionsInSiteQuery, ListUserPermissionsInSiteQuery,
        SitePermissionsApi,
    },
};

use self::people::{LevelOrigin, PeopleOfSite, SiteLevel};

use crate::{
    areas::{
        identity::users,
        library::permissions::{Subject, view},
        organizations::{
            members::{
                self,
                store::{MemberColumns, MemberFilters, MemberQuery},
                view::role_filter,
            },
            teams::TeamDetailsById,
        },
        publishing::{Publishing, guard::SiteAccess},
    },
    kernel::{
        lists::List,
        wire::{ToWire, time},
    },
};

impl SitePermissionsApi for Publishing {
    async fn invite_to_site(&self, access: SiteAccess, body: GrantPermission) -> Result<(), ApiError> {
        changes::invite(&self.kernel, access, body).await
    }

    async fn list_user_permissions_in_site(
        &self,
        access: SiteAccess,
        query: ListUserPermissionsInSiteQuery,
    ) -> Result<UserContentPermissionList, ApiError> {
        let (db, site) = (self.kernel.db.read(), access.row.id);
        let list = List::new(&self.kernel, ("site-people-permissions", site), query.page, query.limit);
        let found = store::people_page(db, site, list.after()?, list.limit).await?;
        let count = list.count(store::of_people(site).all(), &found).await?;
        let view = |row: store::UserPermissionRow| view::of_person(&self.kernel.urls, row.role, row.user);
        Ok(list.answer(found, count, view)?.into())
    }

    async fn update_user_permission_in_site(
        &self,
        access: SiteAccess,
        user_id: UserId,
        body: UpdatePermission,
    ) -> Result<(), ApiError> {
        changes::update(&self.kernel, access, Subject::User(user_id), body).await
    }

    async fn remove_user_from_site(&self, access: SiteAccess, user_id: UserId) -> Result<(), ApiError> {
        changes::revoke(&self.kernel, access, Subject::User(user_id)).await
    }

    async fn list_team_permissions_in_site(
        &self,
        access: SiteAccess,
        query: ListTeamPermissionsInSiteQuery,
    ) -> Result<TeamContentPermissionList, ApiError> {
        let (db, site) = (self.kernel.db.read(), access.row.id);
        let list = List::new(&self.kernel, ("site-team-permissions", site), query.page, query.limit);
        let found = store::teams_page(db, site, list.after()?, list.limit).await?;
        let count = list.count(store::of_teams(site).all(), &found).await?;
        let teams = found.items.iter().map(|(_, team)| team.id).collect();
        let details = TeamDetailsById::of(&self.kernel, &access.member, teams).await?;
        let view = |(role, team): (_, teams::Model)| view::of_team(role, &team, details.team(team.id));
        Ok(list.answer(found, count, view)?.into())
    }

    async fn update_team_permission_in_site(
        &self,
        access: SiteAccess,
        team_id: TeamId,
        body: UpdatePermission,
    ) -> Result<(), ApiError> {
        changes::update(&self.kernel, access, Subject::Team(team_id), body).await
    }

    async fn remove_team_from_site(&self, access: SiteAccess, team_id: TeamId) -> Result<(), ApiError> {
        changes::revoke(&self.kernel, access, Subject::Team(team_id)).await
    }

    async fn list_permissions_aggregate_in_site(
        &self,
        access: SiteAccess,
        query: ListPermissionsAggregateInSiteQuery,
    ) -> Result<UserSitePermissionList, ApiError> {
        let ListPermissionsAggregateInSiteQuery {
            page,
            limit,
            order,
            role,
            search,
            sort,
            team,
        } = query;
        let (db, organization, site) = (self.kernel.db.read(), access.member.organization, access.row.id);
        let scope = ("site-people", site, order, role, &search, sort, team);
        let list = List::new(&self.kernel, scope, page, limit);
        let people = PeopleOfSite::load(db, access.row.clone()).await?;
        let query = MemberQuery {
            organization,
            filters: MemberFilters {
                role: None,
                search: search.as_deref(),
                sort,
            },
            order,
            among: Some(people.condition(role.map(role_filter), team)),
            kept_count: None,
        };
        let views = async |found: Vec<MemberColumns>| {
            let levels = people.levels(db, &found).await?;
            let found = found.into_iter();
            let view = |member| self.person((organization, site), &levels, member);
            Ok(found.map(view).collect())
        };
        Ok(members::store::page(db, &list, &query, views).await?.into())
    }
}

impl Publishing {
    fn person(
        &self,
        (organization, site): (OrganizationId, SiteId),
        levels: &HashMap<UserId, SiteLevel>,
        member: MemberColumns,
    ) -> UserSitePermission {
        let level = levels.get(&member.user.id).copied().unwrap_or_default();
        UserSitePermission {
            permission: level.level.map(ToWire::to_wire).into(),
            user: users::view::user(&self.kernel.urls, member.user),
            disabled: member.disabled,
            last_seen_at: member.last_seen_at.map(time),
            origin: match level.origin {
                LevelOrigin::Organization => SitePermissionOrigin::OrganizationPointer(OrganizationPointer {
                    r#type: Default::default(),
                    organization: organization.to_string(),
                }),
                LevelOrigin::Site(team) => SitePermissionOrigin::OriginSite(OriginSite {
                    r#type: Default::default(),
                    site: site.to_string(),
                    reason: match team {
                        Some(_) => OriginSiteReason::Team,
                        None => OriginSiteReason::Member,
                    },
                    team: team.map(|team| team.to_string()),
                }),
                LevelOrigin::Space(space) => SitePermissionOrigin::OriginSpace(OriginSpace {
                    r#type: Default::default(),
                    space: space.to_string(),
                }),
            },
        }
    }
}
