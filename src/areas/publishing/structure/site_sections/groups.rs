//! Groups of sections.

use entity::{
    ids::{SiteSectionGroupId, SiteSectionId},
    localized::Localized,
};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{SiteSectionGroup, SiteSectionGroupList, UpdateSiteSectionGroup},
    operations::site_sections::ListSiteSectionGroupsQuery,
};

use crate::{
    areas::publishing::{
        guard::SiteAccess,
        layout::{Entry, EntryId, Layout, MAX_DEPTH},
        structure::{
            edit::{At, unknown_item},
            list,
            view::StructureView,
        },
    },
    kernel::{Kernel, lists::List},
};

pub async fn list(
    kernel: &Kernel,
    access: &SiteAccess,
    query: ListSiteSectionGroupsQuery,
) -> Result<SiteSectionGroupList, ApiError> {
    let scope = ("site-section-groups", access.row.id, access.member.user);
    let list = List::new(kernel, scope, query.page, query.limit);
    let view = StructureView::load(kernel, access).await?;
    let entries = view.layout.all_entries().into_iter();
    let groups = entries.filter_map(|entry| match entry {
        Entry::Group(group) => Some(view.view_group(group, MAX_DEPTH)),
        Entry::Section(_) | Entry::Link(_) => None,
    });
    let page = list::page(&list, groups.collect(), |group: &SiteSectionGroup| group.id.clone())?;
    Ok(page.into())
}

pub fn update(layout: &mut Layout, id: SiteSectionGroupId, change: UpdateSiteSectionGroup) -> Result<(), ApiError> {
    let UpdateSiteSectionGroup {
        title,
        localized_title,
        icon,
        draft,
        parent_section_group_id,
    } = change;
    let group = layout.group_mut(id).ok_or_else(unknown)?;
    group.title = title.unwrap_or_else(|| group.title.clone());
    group.draft = draft.unwrap_or(group.draft);
    if let Some(icon) = icon.into_change() {
        group.icon = icon;
    }
    if let Some(texts) = localized_title {
        group.localized_title = Localized::of(texts);
    }
    match parent_section_group_id.into_change() {
        Some(parent) => layout.move_to_parent(EntryId::Group(id), parent, "/body/parentSectionGroupId"),
        None => Ok(()),
    }
}

/// Moves sections into a group, in this order.
pub fn move_sections(
    layout: &mut Layout,
    group: SiteSectionGroupId,
    sections: Vec<SiteSectionId>,
) -> Result<(), ApiError> {
    for (index, section) in sections.iter().enumerate() {
        let section = layout.section(*section);
        let section = section.ok_or_else(|| unknown_item(&format!("/body/sections/{index}")))?;
        layout.move_into_group(section.id, group)?;
    }
    Ok(())
}

/// Moves a section to the place after its group.
pub fn move_out(layout: &mut Layout, group: SiteSectionGroupId, section: SiteSectionId) -> Result<(), ApiError> {
    let inside = layout
        .section(section)
        .is_some_and(|section| section.group_id == Some(group));
    if !inside {
        return Ok(());
    }
    layout.move_entry(EntryId::Section(section), At::After(EntryId::Group(group)))
}

pub async fn created(
    kernel: &Kernel,
    access: &SiteAccess,
    id: SiteSectionGroupId,
) -> Result<Created<SiteSectionGroup>, ApiError> {
    Ok(Created {
        location: kernel
            .urls
            .site_section_group(access.member.organization, access.row.id, id),
        body: load(kernel, access, id).await?,
    })
}

pub async fn load(kernel: &Kernel, access: &SiteAccess, id: SiteSectionGroupId) -> Result<SiteSectionGroup, ApiError> {
    let view = StructureView::load(kernel, access).await?;
    view.group(id).ok_or_else(unknown)
}

pub fn unknown() -> ApiError {
    ApiError::not_found("group of sections")
}
