//! Links to other addresses in the structure of a site.

use entity::{
    ids::{SiteExternalLinkId, SiteId},
    localized::Localized,
    publishing::sites::external_links::Model,
};
use openapi::{
    error::ApiError,
    models::{AddSiteExternalLink, SiteExternalLink, UpdateSiteExternalLink},
    values::Maybe,
};

use crate::{
    areas::publishing::{
        guard::SiteAccess,
        layout::{EntryId, Layout},
        structure::{conditions::new_condition, view::StructureView},
    },
    kernel::{Kernel, localized},
};

pub fn new(site: SiteId, id: SiteExternalLinkId, body: AddSiteExternalLink) -> Result<Model, ApiError> {
    let AddSiteExternalLink {
        title,
        localized_title,
        description,
        localized_description,
        icon,
        url,
        parent,
        draft,
        condition,
    } = body;
    let condition = new_condition(condition)?;
    let localized_description = localized_description.into_change().flatten();
    localized::check(&[
        ("localizedTitle", &localized_title),
        ("localizedDescription", &localized_description),
    ])?;
    Ok(Model {
        id,
        site_id: site,
        group_id: parent,
        position: 0,
        title,
        localized_title: localized_title.and_then(Localized::of),
        description: description.into_change().flatten(),
        localized_description: localized_description.and_then(Localized::of),
        icon: icon.into_change().flatten(),
        url,
        condition: condition.flatten(),
        draft,
    })
}

/// Refuses what the contract cannot.
pub fn check(body: &UpdateSiteExternalLink) -> Result<(), ApiError> {
    new_condition(body.condition.clone())?;
    let texts = |sent: &Maybe<_>| sent.clone().into_change().flatten();
    localized::check(&[
        ("localizedTitle", &texts(&body.localized_title)),
        ("localizedDescription", &texts(&body.localized_description)),
    ])
}

pub fn update(layout: &mut Layout, id: SiteExternalLinkId, change: UpdateSiteExternalLink) -> Result<(), ApiError> {
    let UpdateSiteExternalLink {
        title,
        localized_title,
        description,
        localized_description,
        icon,
        url,
        parent,
        draft,
        condition,
    } = change;
    let link = layout.link_mut(id).ok_or_else(unknown)?;
    link.title = title.unwrap_or_else(|| link.title.clone());
    link.url = url.unwrap_or_else(|| link.url.clone());
    link.draft = draft.unwrap_or(link.draft);
    if let Some(texts) = localized_title.into_change() {
        link.localized_title = texts.and_then(Localized::of);
    }
    if let Some(description) = description.into_change() {
        link.description = description;
    }
    if let Some(texts) = localized_description.into_change() {
        link.localized_description = texts.and_then(Localized::of);
    }
    if let Some(icon) = icon.into_change() {
        link.icon = icon;
    }
    if let Some(condition) = condition.into_change() {
        link.condition = condition;
    }
    match parent.into_change() {
        Some(parent) => layout.move_to_parent(EntryId::Link(id), parent, "/body/parent"),
        None => Ok(()),
    }
}

pub async fn load(kernel: &Kernel, access: &SiteAccess, id: SiteExternalLinkId) -> Result<SiteExternalLink, ApiError> {
    let view = StructureView::load(kernel, access).await?;
    view.link(id).ok_or_else(unknown)
}

fn unknown() -> ApiError {
    ApiError::not_found("link")
}
