//! Sections of sites, and their groups.

mod groups;

use entity::{
    ids::{SiteSectionGroupId, SiteSectionId},
    library::nodes,
    localized::Localized,
    publishing::sites::{section_groups, sections},
};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        AddSectionToGroup, AddSiteSection, AddSiteSectionGroup, MoveSiteSection, MoveSiteSectionGroup, SiteSection,
        SiteSectionGroup, SiteSectionGroupList, SiteSectionList, SiteSectionPointer, SiteSectionPosition,
        UpdateSiteSection, UpdateSiteSectionGroup,
    },
    operations::site_sections::{ListSiteSectionGroupsQuery, ListSiteSectionsQuery, SiteSectionsApi},
    values::Nullable,
};
use serde_json::json;

use crate::{
    areas::publishing::{
        Publishing,
        guard::{ReadableSiteAccess, SiteAccess},
        layout::{EntryId, Layout},
        structure::{
            conditions::new_condition,
            edit::{At, path_taken, unknown_item},
            home_page::HomePage,
            list,
            place::{at, entry_of, place},
            shown_space::ShownSpace,
            store::change,
            view::StructureView,
        },
    },
    kernel::{Kernel, lists::List, localized},
};

impl SiteSectionsApi for Publishing {
    async fn list_site_sections(
        &self,
        access: ReadableSiteAccess,
        query: ListSiteSectionsQuery,
    ) -> Result<SiteSectionList, ApiError> {
        let scope = ("site-sections", access.row.id, access.caller.user_id);
        let list = List::new(&self.kernel, scope, query.page, query.limit);
        let view = StructureView::load_for(self, &access).await?;
        let sections = view.layout.ordered_sections().into_iter();
        let sections = sections.map(|section| view.view_section(section)).collect();
        let page = list::page(&list, sections, |section: &SiteSection| section.id.clone())?;
        Ok(page.into())
    }

    async fn add_section_to_site(
        &self,
        access: SiteAccess,
        body: AddSiteSection,
    ) -> Result<Created<SiteSection>, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let AddSiteSection {
            space_id: Nullable(space_id),
            template,
            title,
            icon,
            draft,
            page_id,
            site_section_group_id,
        } = body;
        let title = title.into_change().flatten();
        let home = HomePage::find(self, &access, space_id, page_id).await?;
        let shown = ShownSpace::prepare(self, &access, space_id, title.clone(), template).await?;
        let (site, id, item) = (access.row.id, self.kernel.ids.next(), self.kernel.ids.next());
        let edit = move |layout: &mut Layout, space: Option<nodes::Model>| {
            let Some(space) = space else {
                return Ok(());
            };
            layout.add_section(sections::Model {
                id,
                site_id: site,
                group_id: site_section_group_id,
                position: 0,
                title: title.unwrap_or_else(|| title_of(&space.title)),
                localized_title: None,
                description: None,
                localized_description: None,
                path: String::new(),
                condition: None,
                icon: icon.into_change().flatten(),
                is_default: false,
                draft,
            })?;
            layout.add_site_space(site, item, Some(id), &space, home.require_in(space.id)?)
        };
        change(&self.kernel, &access, Some(shown), payload, edit).await?;
        Ok(Created {
            location: self.kernel.urls.site_section(access.member.organization, site, id),
            body: load(&self.kernel, &access, id).await?,
        })
    }

    async fn update_site_section_by_id(
        &self,
        access: SiteAccess,
        site_section_id: SiteSectionId,
        body: UpdateSiteSection,
    ) -> Result<SiteSection, ApiError> {
        let payload = serde_json::to_value(&body)?;
        new_condition(body.condition.clone())?;
        localized::check(&[
            ("localizedTitle", &body.localized_title),
            ("localizedDescription", &body.localized_description),
        ])?;
        let edit = move |layout: &mut Layout, _| update(layout, site_section_id, body);
        change(&self.kernel, &access, None, payload, edit).await?;
        load(&self.kernel, &access, site_section_id).await
    }

    async fn delete_site_section_by_id(
        &self,
        access: SiteAccess,
        site_section_id: SiteSectionId,
    ) -> Result<(), ApiError> {
        let payload = json!({ "siteSection": site_section_id });
        let edit = move |layout: &mut Layout, _| Ok(layout.remove_section(site_section_id));
        change(&self.kernel, &access, None, payload, edit).await?;
        Ok(())
    }

    async fn move_site_section(
        &self,
        access: SiteAccess,
        site_section_id: SiteSectionId,
        body: Option<MoveSiteSection>,
    ) -> Result<SiteSection, ApiError> {
        let payload = json!({ "siteSection": site_section_id, "move": &body });
        let position = body.and_then(|MoveSiteSection { position }| position);
        let id = |pointer: SiteSectionPointer| EntryId::Section(pointer.site_section);
        let at = match position {
            Some(SiteSectionPosition { before, after }) => at(before.map(id), after.map(id)),
            None => At::End,
        };
        let edit = move |layout: &mut Layout, _| {
            layout.section(site_section_id).ok_or_else(unknown)?;
            layout.move_entry(EntryId::Section(site_section_id), at)
        };
        change(&self.kernel, &access, None, payload, edit).await?;
        load(&self.kernel, &access, site_section_id).await
    }

    async fn list_site_section_groups(
        &self,
        access: SiteAccess,
        query: ListSiteSectionGroupsQuery,
    ) -> Result<SiteSectionGroupList, ApiError> {
        groups::list(&self.kernel, &access, query).await
    }

    async fn add_section_group_to_site(
        &self,
        access: SiteAccess,
        body: AddSiteSectionGroup,
    ) -> Result<Created<SiteSectionGroup>, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let AddSiteSectionGroup {
            title,
            icon,
            sections,
            parent,
            draft,
        } = body;
        let (site, id) = (access.row.id, self.kernel.ids.next());
        let group = section_groups::Model {
            id,
            site_id: site,
            parent_id: parent,
            position: 0,
            title,
            localized_title: None,
            icon: icon.into_change().flatten(),
            draft,
        };
        let edit = move |layout: &mut Layout, _| {
            layout.add_group(group)?;
            groups::move_sections(layout, id, sections.unwrap_or_default())
        };
        change(&self.kernel, &access, None, payload, edit).await?;
        groups::created(&self.kernel, &access, id).await
    }

    async fn update_site_section_group_by_id(
        &self,
        access: SiteAccess,
        site_section_group_id: SiteSectionGroupId,
        body: UpdateSiteSectionGroup,
    ) -> Result<SiteSectionGroup, ApiError> {
        let payload = serde_json::to_value(&body)?;
        localized::check(&[("localizedTitle", &body.localized_title)])?;
        let edit = move |layout: &mut Layout, _| groups::update(layout, site_section_group_id, body);
        change(&self.kernel, &access, None, payload, edit).await?;
        groups::load(&self.kernel, &access, site_section_group_id).await
    }

    async fn delete_site_section_group_by_id(
        &self,
        access: SiteAccess,
        site_section_group_id: SiteSectionGroupId,
    ) -> Result<(), ApiError> {
        let payload = json!({ "siteSectionGroup": site_section_group_id });
        let edit = move |layout: &mut Layout, _| layout.remove_group(site_section_group_id);
        change(&self.kernel, &access, None, payload, edit).await?;
        Ok(())
    }

    async fn add_section_to_group(
        &self,
        access: SiteAccess,
        site_section_group_id: SiteSectionGroupId,
        body: AddSectionToGroup,
    ) -> Result<Created<SiteSectionGroup>, ApiError> {
        let AddSectionToGroup { section_id } = body;
        let payload = json!({ "siteSectionGroup": site_section_group_id, "siteSection": section_id });
        let edit = move |layout: &mut Layout, _| {
            layout.group(site_section_group_id).ok_or_else(groups::unknown)?;
            layout
                .section(section_id)
                .ok_or_else(|| unknown_item("/body/sectionId"))?;
            layout.move_into_group(section_id, site_section_group_id)
        };
        change(&self.kernel, &access, None, payload, edit).await?;
        groups::created(&self.kernel, &access, site_section_group_id).await
    }

    async fn remove_section_from_group(
        &self,
        access: SiteAccess,
        site_section_group_id: SiteSectionGroupId,
        site_section_id: SiteSectionId,
    ) -> Result<(), ApiError> {
        let payload = json!({ "siteSectionGroup": site_section_group_id, "siteSection": site_section_id });
        let edit = move |layout: &mut Layout, _| groups::move_out(layout, site_section_group_id, site_section_id);
        change(&self.kernel, &access, None, payload, edit).await
    }

    async fn move_site_section_group(
        &self,
        access: SiteAccess,
        site_section_group_id: SiteSectionGroupId,
        body: Option<MoveSiteSectionGroup>,
    ) -> Result<SiteSectionGroup, ApiError> {
        let payload = json!({ "siteSectionGroup": site_section_group_id, "move": &body });
        let position = body.and_then(|MoveSiteSectionGroup { position }| position);
        let at = place(position, entry_of).of(|entry| entry)?;
        let edit = move |layout: &mut Layout, _| {
            layout.group(site_section_group_id).ok_or_else(groups::unknown)?;
            layout.move_entry(EntryId::Group(site_section_group_id), at)
        };
        change(&self.kernel, &access, None, payload, edit).await?;
        groups::load(&self.kernel, &access, site_section_group_id).await
    }
}

fn update(layout: &mut Layout, id: SiteSectionId, change: UpdateSiteSection) -> Result<(), ApiError> {
    let UpdateSiteSection {
        title,
        path,
        default_site_space,
        condition,
        icon,
        description,
        localized_title,
        localized_description,
        draft,
        site_section_group_id,
    } = change;
    if let Some(path) = &path {
        let mut others = layout.sections.iter().filter(|section| section.id != id);
        if others.any(|section| section.path == *path) {
            return Err(path_taken());
        }
    }
    if let Some(default) = default_site_space {
        let item = layout.site_space(default).filter(|item| item.section_id == Some(id));
        item.ok_or_else(|| unknown_item("/body/defaultSiteSpace"))?;
        layout.set_default_site_space(default);
    }
    let section = layout.section_mut(id).ok_or_else(unknown)?;
    section.draft = draft.unwrap_or(section.draft);
    section.title = title.unwrap_or_else(|| section.title.clone());
    section.path = path.unwrap_or_else(|| section.path.clone());
    if let Some(condition) = condition.into_change() {
        section.condition = condition;
    }
    if let Some(icon) = icon.into_change() {
        section.icon = icon;
    }
    if let Some(description) = description.into_change() {
        section.description = description;
    }
    if let Some(texts) = localized_title {
        section.localized_title = Localized::of(texts);
    }
    if let Some(texts) = localized_description {
        section.localized_description = Localized::of(texts);
    }
    match site_section_group_id.into_change() {
        Some(group) => layout.move_to_parent(EntryId::Section(id), group, "/body/siteSectionGroupId"),
        None => Ok(()),
    }
}

/// The title of a section with a space of this title, which may be shorter than the titles of sections.
fn title_of(space: &str) -> String {
    match space.chars().nth(1) {
        Some(_) => space.to_owned(),
        None => format!("Section {space}").trim_end().to_owned(),
    }
}

async fn load(kernel: &Kernel, access: &SiteAccess, id: SiteSectionId) -> Result<SiteSection, ApiError> {
    let view = StructureView::load(kernel, access).await?;
    view.section(id).ok_or_else(unknown)
}

fn unknown() -> ApiError {
    ApiError::not_found("section")
}
