//! The people who reach sites.

mod people;

use std::collections::HashMap;

use entity::ids::{OrganizationId, UserId};
use openapi::{
    error::ApiError,
    models::{OrganizationPointer, OriginSpace, SitePermissionOrigin, UserSitePermission, UserSitePermissionList},
    operations::site_permissions::{ListPermissionsAggregateInSiteQuery, SitePermissionsApi},
};

use self::people::{PeopleOfSite, SiteLevel};

use crate::{
    areas::{
        identity::users,
        organizations::members::{
            self,
            store::{MemberColumns, MemberFilters, MemberQuery},
            view::role_filter,
        },
        publishing::{Publishing, guard::SiteAccess},
    },
    kernel::{
        lists::List,
        wire::{ToWire, time},
    },
};

impl SitePermissionsApi for Publishing {
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
        let people = PeopleOfSite::load(db, organization, site).await?;
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
            Ok(found.map(|member| self.person(organization, &levels, member)).collect())
        };
        Ok(members::store::page(db, &list, &query, views).await?.into())
    }
}

impl Publishing {
    fn person(
        &self,
        organization: OrganizationId,
        levels: &HashMap<UserId, SiteLevel>,
        member: MemberColumns,
    ) -> UserSitePermission {
        let level = levels.get(&member.user.id).copied().unwrap_or_default();
        UserSitePermission {
            permission: level.level.map(ToWire::to_wire).into(),
            user: users::view::user(&self.kernel.urls, member.user),
            disabled: member.disabled,
            last_seen_at: member.last_seen_at.map(time),
            origin: match level.space {
                Some(space) => SitePermissionOrigin::OriginSpace(OriginSpace {
                    r#type: Default::default(),
                    space: space.to_string(),
                }),
                None => SitePermissionOrigin::OrganizationPointer(OrganizationPointer {
                    r#type: Default::default(),
                    organization: organization.to_string(),
                }),
            },
        }
    }
}
