//! Spaces in sites.

mod duplicate;

use entity::ids::SiteSpaceId;
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        AddSiteSpace, DuplicateSiteSpace, MoveSiteSpace, SiteSpace, SiteSpaceList, SiteSpacePointer, SiteSpacePosition,
        UpdateSiteSpace,
    },
    operations::site_spaces::{ListSiteSpacesQuery, SiteSpacesApi},
    values::Nullable,
};

use crate::{
    areas::publishing::{
        Publishing,
        guard::{ReadableSiteAccess, SiteAccess},
        layout::{Drafts, Layout},
        structure::{
            conditions::new_condition,
            edit::{At, unknown_item},
            home_page::HomePage,
            list,
            place::at,
            shown_space::ShownSpace,
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
        let AddSiteSpace {
            space_id: Nullable(space_id),
            template,
            title,
            section_id,
            draft,
            page_id,
        } = body;
        let home = HomePage::find(self, &access, space_id, page_id.into_change().flatten()).await?;
        let shown = ShownSpace::prepare(self, &access, space_id, title.clone(), template).await?;
        let (site, id) = (access.row.id, self.kernel.ids.next());
        let edit = move |layout: &mut Layout, space: Option<_>| {
            let section = match section_id {
                Some(named) => Some(layout.section(named).ok_or_else(|| unknown_item("/body/sectionId"))?.id),
                None => layout.default_section().map(|section| section.id),
            };
            let Some(space) = space else {
                return Ok(());
            };
            layout.add_site_space(site, id, section, &space, home.require_in(space.id)?)?;
            if let Some(added) = layout.site_space_mut(id) {
                added.draft = draft;
                added.title = title;
            }
            Ok(())
        };
        change(&self.kernel, &access, Some(shown), payload, edit).await?;
        created(&self.kernel, &access, id).await
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
            page_id,
            hidden,
            draft,
        } = body;
        let condition = new_condition(condition)?;
        let layout = self.visits.layout(&access.row, Drafts::With).await?;
        let former = layout.site_space(site_space_id).ok_or_else(unknown)?;
        let page_id = page_id.into_change();
        let shown = space_id.unwrap_or(former.space_id);
        let home = HomePage::find(self, &access, Some(shown), page_id.flatten()).await?;
        let edit = move |layout: &mut Layout, space: Option<entity::library::nodes::Model>| {
            let item = layout.site_space(site_space_id).ok_or_else(unknown)?;
            if let Some(path) = &path {
                layout.require_free_path(item.id, item.section_id, path)?;
            }
            let item = layout.site_space_mut(site_space_id).ok_or_else(unknown)?;
            item.path = path.unwrap_or_else(|| item.path.clone());
            item.hidden = hidden.unwrap_or(item.hidden);
            item.draft = draft.unwrap_or(item.draft);
            let is_same = space.as_ref().is_none_or(|space| space.id == item.space_id);
            item.space_id = space.map_or(item.space_id, |space| space.id);
            if page_id.is_some() || !is_same {
                item.page_id = home.require_in(item.space_id)?;
            }
            if let Some(condition) = condition {
                item.condition = condition;
            }
            Ok(())
        };
        change(&self.kernel, &access, space_id.map(ShownSpace::existing), payload, edit).await?;
        load(&self.kernel, &access, site_space_id).await
    }

    async fn delete_site_space_by_id(&self, access: SiteAccess, site_space_id: SiteSpaceId) -> Result<(), ApiError> {
        let payload = serde_json::json!({ "siteSpace": site_space_id });
        let edit = move |layout: &mut Layout, _| Ok(layout.remove_site_space(site_space_id));
        change(&self.kernel, &access, None, payload, edit).await?;
        Ok(())
    }

    async fn duplicate_site_space(
        &self,
        access: SiteAccess,
        site_space_id: SiteSpaceId,
        body: Option<DuplicateSiteSpace>,
    ) -> Result<Created<SiteSpace>, ApiError> {
        let draft = body.is_some_and(|DuplicateSiteSpace { draft }| draft);
        let id = duplicate::duplicate(self, &access, site_space_id, draft).await?;
        created(&self.kernel, &access, id).await
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

async fn created(kernel: &Kernel, access: &SiteAccess, id: SiteSpaceId) -> Result<Created<SiteSpace>, ApiError> {
    Ok(Created {
        location: kernel.urls.site_space(access.member.organization, access.row.id, id),
        body: load(kernel, access, id).await?,
    })
}

async fn load(kernel: &Kernel, access: &SiteAccess, id: SiteSpaceId) -> Result<SiteSpace, ApiError> {
    let view = StructureView::load(kernel, access).await?;
    view.site_space(id).ok_or_else(unknown)
}

fn unknown() -> ApiError {
    ApiError::not_found("site space")
}
