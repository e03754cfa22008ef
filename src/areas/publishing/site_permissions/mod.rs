//! The people who reach sites.

mod people;

use openapi::{
    error::ApiError,
    models::{OrganizationPointer, OriginSpace, SitePermissionOrigin, UserSitePermission, UserSitePermissionList},
    operations::site_permissions::{ListPermissionsAggregateInSiteQuery, SitePermissionsApi},
};

use self::people::{PeopleOfSite, SiteLevel, SitePerson};

use crate::{
    areas::{
        identity::users,
        publishing::{Publishing, guard::SiteAccess},
    },
    kernel::{lists::List, wire::ToWire},
};

impl SitePermissionsApi for Publishing {
    async fn list_permissions_aggregate_in_site(
        &self,
        access: SiteAccess,
        query: ListPermissionsAggregateInSiteQuery,
    ) -> Result<UserSitePermissionList, ApiError> {
        let (db, organization, site) = (self.kernel.db.read(), access.member.organization, access.row.id);
        let list = List::new(&self.kernel, ("site-people", site), query.page, query.limit);
        let people = PeopleOfSite::load(db, organization, site).await?;
        let run = |page| PeopleOfSite::load_page(db, page);
        let (found, count) = list
            .load_scan(&people.scan(), run, |person: &SitePerson| person.user.id)
            .await?;
        let levels = people.levels(db, &found.items).await?;
        let view = |person: SitePerson| {
            let level = levels.get(&person.user.id).copied();
            let SiteLevel { level, space } = level.unwrap_or(SiteLevel {
                level: None,
                space: None,
            });
            UserSitePermission {
                permission: level.map(ToWire::to_wire).into(),
                user: users::view::user(&self.kernel.urls, person.user),
                disabled: false,
                origin: match space {
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
        };
        Ok(list.answer(found, count, view)?.into())
    }
}
