//! Spaces in sites.

use entity::ids::SiteSpaceId;
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        AddSiteSpace, MoveSiteSpace, SiteSpace, SiteSpaceList, SiteSpacePointer, SiteSpacePosition, UpdateSiteSpace,
    },
    operations::site_spaces::{ListSiteSpacesQuery, SiteSpacesApi},
};

use crate::{
    areas::publishing::{
        Publishing,
        guard::{ReadableSiteAccess, SiteAccess},
        layout::Layout,
        structure::{
            conditions::new_condition,
            edit::{At, unknown_item},
            list,
            place::at,
            site::Publication,
            store::change,
            view::StructureView,
        },
    },
    kernel::{Kernel, lists::List},
};

impl SiteSpacesApi for Publishing {
    async fn list_site_spaces(
        &self,
        access: ReadableSiteAccess,
        query: ListSiteSpacesQuery,
    ) -> Result<SiteSpaceList, ApiError> {
        let ListSiteSpacesQuery {
            page,
            limit,
            default,
            share_key: _,
        } = query;
        let scope = ("site-spaces", access.row.id, default, access.caller.user_id);
        let list = List::new(&self.kernel, scope, page, limit);
        let view = StructureView::load_for(self, &access).await?;
        let layout = &view.layout;
        let of_site = layout.default_site_space(layout.default_section().map(|section| section.id));
        let of_site = of_site.map(|item| item.id);
        let wanted = |item: SiteSpaceId| default.is_none_or(|default| default == (Some(item) == of_site));
        let items = layout.ordered_site_spaces().into_iter();
        let items = items.filter(|item| wanted(item.id)).collect();
        let page = list::page(&list, view.view_site_spaces(items), |item| item.id.clone())?;
        Ok(page.into())
    }

    async fn add_space_to_site(&self, access: SiteAccess, body: AddSiteSpace) -> Result<Created<SiteSpace>, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let AddSiteSpace { space_id, section_id } = body;
        let (site, id) = (access.row.id, self.kernel.ids.next());
        let edit = move |layout: &mut Layout, space: Option<_>| {
            let section = match section_id {
                Some(named) => Some(layout.section(named).ok_or_else(|| unknown_item("/body/sectionId"))?.id),
                None => layout.default_section().map(|section| section.id),
            };
            space.map_or(Ok(()), |space| layout.add_site_space(site, id, section, &space))
        };
        change(&self.kernel, &access, Some(Publication::of(space_id)), payload, edit).await?;
        let body = load(&self.kernel, &access, id).await?;
        Ok(Created {
            location: self.kernel.urls.site_space(access.member.organization, site, id),
            body,
        })
    }

    async fn update_site_space_by_id(
        &self,
        access: SiteAccess,
        site_space_id: SiteSpaceId,
        body: UpdateSiteSpace,
    ) -> Result<SiteSpace, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let UpdateSiteSpace {
            path,
            condition,
            space_id,
        } = body;
        let condition = new_condition(condition)?;
        let edit = move |layout: &mut Layout, space: Option<entity::library::nodes::Model>| {
            let item = layout.site_space(site_space_id).ok_or_else(unknown)?;
            if let Some(path) = &path {
                layout.require_free_path(item.id, item.section_id, path)?;
            }
            let mut items = layout.site_spaces.iter_mut();
            let item = items.find(|item| item.id == site_space_id).ok_or_else(unknown)?;
            item.path = path.unwrap_or_else(|| item.path.clone());
            item.space_id = space.map_or(item.space_id, |space| space.id);
            if let Some(condition) = condition {
                item.condition = condition;
            }
            Ok(())
        };
        change(&self.kernel, &access, space_id.map(Publication::of), payload, edit).await?;
        load(&self.kernel, &access, site_space_id).await
    }

    async fn delete_site_space_by_id(&self, access: SiteAccess, site_space_id: SiteSpaceId) -> Result<(), ApiError> {
        let payload = serde_json::json!({ "siteSpace": site_space_id });
        let edit = move |layout: &mut Layout, _| Ok(layout.remove_site_space(site_space_id));
        change(&self.kernel, &access, None, payload, edit).await?;
        Ok(())
    }

    async fn move_site_space(
        &self,
        access: SiteAccess,
        site_space_id: SiteSpaceId,
        body: Option<MoveSiteSpace>,
    ) -> Result<SiteSpace, ApiError> {
        let payload = serde_json::json!({ "siteSpace": site_space_id, "move": &body });
        let position = body.and_then(|MoveSiteSpace { position }| position);
        let id = |pointer: SiteSpacePointer| pointer.site_space;
        let at = match position {
            Some(SiteSpacePosition { before, after }) => at(before.map(id), after.map(id)),
            None => At::End,
        };
        let edit = move |layout: &mut Layout, _| {
            layout.site_space(site_space_id).ok_or_else(unknown)?;
            layout.move_site_space(site_space_id, at)
        };
        change(&self.kernel, &access, None, payload, edit).await?;
        load(&self.kernel, &access, site_space_id).await
    }
}

async fn load(kernel: &Kernel, access: &SiteAccess, id: SiteSpaceId) -> Result<SiteSpace, ApiError> {
    let view = StructureView::load(kernel, access).await?;
    view.site_space(id).ok_or_else(unknown)
}

fn unknown() -> ApiError {
    ApiError::not_found("site space")
}
