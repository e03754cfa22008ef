//! The structure of sites as a whole.

mod links;

use entity::ids::SiteExternalLinkId;
use openapi::{
    answer::{Conditional, Created},
    error::ApiError,
    models::{
        AddSiteExternalLink, SiteExternalLink, SiteStructure, SiteStructureItem, SortSiteStructure,
        UpdateSiteExternalLink,
    },
    operations::site_structure::{GetSiteStructureHeaders, GetSiteStructureQuery, SiteStructureApi},
};

use serde_json::json;

use crate::areas::publishing::{
    Publishing,
    guard::{ReadableSiteAccess, SiteAccess},
    layout::{EntryId, Layout},
    site_answers,
    structure::{
        edit::{At, unknown_item},
        place::{ItemId, place},
        store,
        view::StructureView,
    },
};

impl SiteStructureApi for Publishing {
    async fn get_site_structure(
        &self,
        access: ReadableSiteAccess,
        _: GetSiteStructureQuery,
        headers: GetSiteStructureHeaders,
    ) -> Result<Conditional<SiteStructure>, ApiError> {
        let structure = StructureView::load_for(self, &access).await?.structure();
        site_answers::answer(&structure, headers.if_none_match.as_deref())
    }

    async fn sort_site_structure(
        &self,
        access: SiteAccess,
        body: SortSiteStructure,
    ) -> Result<SiteStructureItem, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let SortSiteStructure { item, position } = body;
        let item = ItemId::parse(&item);
        let at = place(position, ItemId::parse);
        let edit = move |layout: &mut Layout, _| sort(layout, item, at);
        store::change(&self.kernel, &access, None, payload, edit).await?;
        let view = StructureView::load(&self.kernel, &access).await?;
        let item = match item {
            ItemId::SiteSpace(id) => view.site_space(id).map(SiteStructureItem::SiteSpace),
            ItemId::Entry(EntryId::Section(id)) => view.section(id).map(SiteStructureItem::SiteSection),
            ItemId::Entry(EntryId::Group(id)) => view.group(id).map(SiteStructureItem::SiteSectionGroup),
            ItemId::Entry(EntryId::Link(id)) => view.link(id).map(SiteStructureItem::SiteExternalLink),
        };
        item.ok_or_else(|| ApiError::not_found("item"))
    }

    async fn add_external_link_to_site(
        &self,
        access: SiteAccess,
        body: AddSiteExternalLink,
    ) -> Result<Created<SiteExternalLink>, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let link = links::new(access.row.id, self.kernel.ids.next(), body)?;
        let (site, id) = (access.row.id, link.id);
        let edit = move |layout: &mut Layout, _| layout.add_link(link);
        store::change(&self.kernel, &access, None, payload, edit).await?;
        Ok(Created {
            location: self
                .kernel
                .urls
                .site_external_link(access.member.organization, site, id),
            body: links::load(&self.kernel, &access, id).await?,
        })
    }

    async fn update_site_external_link_by_id(
        &self,
        access: SiteAccess,
        site_external_link_id: SiteExternalLinkId,
        body: UpdateSiteExternalLink,
    ) -> Result<SiteExternalLink, ApiError> {
        let payload = serde_json::to_value(&body)?;
        links::check(&body)?;
        let edit = move |layout: &mut Layout, _| links::update(layout, site_external_link_id, body);
        store::change(&self.kernel, &access, None, payload, edit).await?;
        links::load(&self.kernel, &access, site_external_link_id).await
    }

    async fn delete_site_external_link_by_id(
        &self,
        access: SiteAccess,
        site_external_link_id: SiteExternalLinkId,
    ) -> Result<(), ApiError> {
        let payload = json!({ "siteExternalLink": site_external_link_id });
        let edit = move |layout: &mut Layout, _| {
            layout.remove_link(site_external_link_id);
            Ok(())
        };
        store::change(&self.kernel, &access, None, payload, edit).await
    }
}

fn sort(layout: &mut Layout, item: ItemId, at: At<ItemId>) -> Result<(), ApiError> {
    if !item.exists(layout) {
        return Err(unknown_item("/body/item"));
    }
    match item {
        ItemId::SiteSpace(id) => {
            let at = at.of(|other| match other {
                ItemId::SiteSpace(other) => Some(other),
                ItemId::Entry(_) => None,
            })?;
            layout.move_site_space(id, at)
        }
        ItemId::Entry(id) => {
            let at = at.of(|other| match other {
                ItemId::Entry(other) => Some(other),
                ItemId::SiteSpace(_) => None,
            })?;
            layout.move_entry(id, at)
        }
    }
}
