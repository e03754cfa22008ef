//! The structure of sites as a whole.

use openapi::{
    answer::Conditional,
    error::ApiError,
    models::{SiteStructure, SiteStructureItem, SortSiteStructure},
    operations::site_structure::{GetSiteStructureHeaders, GetSiteStructureQuery, SiteStructureApi},
};

use crate::areas::publishing::{
    Publishing,
    guard::{ReadableSiteAccess, SiteAccess},
    layout::{EntryId, Layout},
    site_answers::{SiteAnswers, SitePart},
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
        let kept = headers.if_none_match.as_deref();
        let load = async { Ok(StructureView::load_for(self, &access).await?.structure()) };
        SiteAnswers::answer(self, &access, SitePart::Structure, kept, load).await
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
        };
        item.ok_or_else(|| ApiError::not_found("item"))
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
