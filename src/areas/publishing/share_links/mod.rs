//! Share links of sites: whoever knows the key of one reads the site.

use entity::{
    ids::{ShareLinkId, SiteId},
    publishing::sites::share_links::{Column, Entity, Model},
};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{CreateShareLink, ShareLink, ShareLinkList, ShareLinkUrls, UpdateShareLink},
    operations::share_links::{ListSiteShareLinksQuery, ShareLinksApi},
};
use platform::db::{contains, fold, rows};
use sea_orm::{ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter, Select};
use serde_json::json;

use crate::{
    areas::publishing::{
        Publishing,
        guard::SiteAccess,
        sites,
        structure::site::{lock, target},
    },
    kernel::{audit::Changed, lists::List, wire::time},
};

impl ShareLinksApi for Publishing {
    async fn list_site_share_links(
        &self,
        access: SiteAccess,
        query: ListSiteShareLinksQuery,
    ) -> Result<ShareLinkList, ApiError> {
        let ListSiteShareLinksQuery { page, limit, search } = query;
        let site = access.row.id;
        let list = List::new(&self.kernel, ("site-share-links", site, &search), page, limit);
        let mut found = of(site);
        if let Some(search) = &search {
            let with_key = self.visits.keys().share_link(search);
            let by_key = with_key.map(|link| Column::Id.eq(link));
            let by_name = contains((Entity, Column::NameFolded), search);
            found = found.filter(Condition::any().add(by_name).add_option(by_key));
        }
        let view = |row: Model| view(self, &access, row);
        Ok(list.newest_first(found, |row| row.id, view).await?.into())
    }

    async fn create_site_share_link(
        &self,
        access: SiteAccess,
        body: CreateShareLink,
    ) -> Result<Created<ShareLink>, ApiError> {
        let CreateShareLink { name } = body;
        let row = Model {
            id: self.kernel.ids.next(),
            site_id: access.row.id,
            name_folded: fold(&name),
            name,
            active: true,
            created_at: self.kernel.clock.now(),
        };
        let organization = access.member.organization;
        let work = move |tx| async move {
            let site = lock(&tx, organization, row.site_id).await?;
            rows::insert(&tx, &row).await?;
            let site = sites::store::update(&tx, site).await?;
            let payload = json!({ "shareLink": row.id });
            Changed::of(target(&site), row).with(payload)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Ok(Created {
            location: self.kernel.urls.share_link(organization, row.site_id, row.id),
            body: view(self, &access, row),
        })
    }

    async fn update_site_share_link_by_id(
        &self,
        access: SiteAccess,
        share_link_id: ShareLinkId,
        body: UpdateShareLink,
    ) -> Result<ShareLink, ApiError> {
        let (organization, site) = (access.member.organization, access.row.id);
        let payload = json!({ "shareLink": share_link_id, "change": &body });
        let work = move |tx| async move {
            let UpdateShareLink { active, name } = body;
            let site = lock(&tx, organization, site).await?;
            let row = rows::find(&tx, of(site.id), share_link_id).await?;
            let row = row.ok_or_else(|| ApiError::not_found("share link"))?;
            let name = name.unwrap_or(row.name);
            let changed = Model {
                active: active.unwrap_or(row.active),
                name_folded: fold(&name),
                name,
                ..row
            };
            let row = changed.into_active_model().reset_all().update(&tx).await?;
            let site = sites::store::update(&tx, site).await?;
            Changed::of(target(&site), row).with(payload)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Ok(view(self, &access, row))
    }

    async fn delete_site_share_link_by_id(
        &self,
        access: SiteAccess,
        share_link_id: ShareLinkId,
    ) -> Result<(), ApiError> {
        let (organization, site) = (access.member.organization, access.row.id);
        let work = move |tx| async move {
            let site = lock(&tx, organization, site).await?;
            if rows::remove(&tx, of(site.id), share_link_id).await?.is_none() {
                return Ok(Changed::nothing(()));
            }
            let site = sites::store::update(&tx, site).await?;
            Changed::of(target(&site), ()).with(json!({ "shareLink": share_link_id }))
        };
        self.kernel.write(&access.caller, work).await
    }
}

fn of(site: SiteId) -> Select<Entity> {
    Entity::find().filter(Column::SiteId.eq(site))
}

fn view(publishing: &Publishing, access: &SiteAccess, row: Model) -> ShareLink {
    let address = publishing.kernel.urls.site_for_readers(&access.row);
    ShareLink {
        object: Default::default(),
        id: row.id.to_string(),
        created_at: time(row.created_at),
        name: Some(row.name),
        active: row.active,
        urls: ShareLinkUrls {
            published: format!("{address}{}/", publishing.visits.keys().share_key(row.id)),
        },
    }
}
