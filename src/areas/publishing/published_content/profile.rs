//! Everything about a site that showing it needs.

use std::collections::{BTreeMap, HashSet};

use entity::ids::NodeId;
use expressions::VisitorClaims;
use openapi::{
    error::ApiError,
    models::{ContentRef, PublishedContentSite, PublishedCustomizations, SiteCustomizationSettings},
    values::Inner,
};

use crate::areas::publishing::{
    Publishing, custom_fonts, guard::ReadableSiteAccess, layout::Drafts, site_customization, sites,
    structure::view::StructureView,
};

pub async fn load(publishing: &Publishing, access: &ReadableSiteAccess) -> Result<PublishedContentSite, ApiError> {
    let view = StructureView::load_for(publishing, access).await?;
    let in_force = site_customization::in_force(publishing, &access.row).await?;
    let mut of_site = in_force.of_site.clone();
    let mut of_items = BTreeMap::new();
    for (item, settings) in &in_force.of_site_spaces {
        if view.layout.site_space(*item).is_some() {
            of_items.insert(item.to_string(), settings.clone());
        }
    }
    let all = of_items.values_mut().chain([&mut of_site]).collect();
    custom_fonts::refresh(&publishing.kernel, access.row.organization_id, all).await?;
    if let Some(claims) = access.claims() {
        let whole = publishing.visits.layout(&access.row, Drafts::With).await?;
        let seen: HashSet<NodeId> = view.layout.spaces().into_iter().collect();
        let hidden = whole.spaces().into_iter().filter(|space| !seen.contains(space));
        let hidden: HashSet<String> = hidden.map(|space| space.to_string()).collect();
        let mut all: Vec<&mut SiteCustomizationSettings> = of_items.values_mut().chain([&mut of_site]).collect();
        all.iter_mut().for_each(|settings| hide_links(settings, &hidden));
        hide_items(publishing, claims, all).await?;
    }
    Ok(PublishedContentSite {
        object: Default::default(),
        site: sites::view::site(&publishing.kernel.urls, &access.row, access.level),
        structure: view.structure(),
        customizations: PublishedCustomizations {
            site: of_site,
            site_spaces: of_items.into_iter().collect(),
        },
        scripts: publishing.site_scripts.list(&access.row).await?,
    })
}

/// Removes the links to spaces that the site does not show the visitor.
fn hide_links(settings: &mut SiteCustomizationSettings, hidden: &HashSet<String>) {
    let is_shown = |to: &ContentRef| match to {
        ContentRef::ContentRefSpace(it) => !hidden.contains(&it.space),
        ContentRef::ContentRefPage(it) => !it.space.as_ref().is_some_and(|space| hidden.contains(space)),
        ContentRef::ContentRefAnchor(it) => !it.space.as_ref().is_some_and(|space| hidden.contains(space)),
        _ => true,
    };
    let header = &mut settings.header;
    header.primary_link = header.primary_link.take().filter(is_shown);
    header.links.retain(|item| item.to.inner().is_none_or(is_shown));
    let menus = header.links.iter_mut().filter_map(|item| item.links.as_mut());
    let groups = settings.footer.groups.iter_mut().map(|group| &mut group.links);
    menus
        .chain(groups)
        .for_each(|links| links.retain(|link| is_shown(&link.to)));
    if let Some(announcement) = &mut settings.announcement {
        announcement.link = announcement.link.take().filter(|link| is_shown(&link.to));
    }
}

/// Removes the items of headers whose condition does not hold for a visitor, and the conditions of the others.
async fn hide_items(
    publishing: &Publishing,
    claims: &VisitorClaims,
    settings: Vec<&mut SiteCustomizationSettings>,
) -> Result<(), ApiError> {
    let items = settings.iter().flat_map(|settings| &settings.header.links);
    let conditions = items.filter_map(|item| item.condition.as_ref());
    let holding = publishing.contents.holding(claims, conditions.collect()).await?;
    for settings in settings {
        let links = &mut settings.header.links;
        links.retain(|item| item.condition.as_ref().is_none_or(|it| holding.contains(it)));
        links.iter_mut().for_each(|item| item.condition = None);
    }
    Ok(())
}
