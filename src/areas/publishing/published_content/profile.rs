//! Everything about a site that showing it needs.

use std::collections::BTreeMap;

use expressions::VisitorClaims;
use openapi::{
    error::ApiError,
    models::{PublishedContentSite, PublishedCustomizations, SiteCustomizationSettings},
};

use crate::areas::publishing::{
    Publishing, guard::ReadableSiteAccess, site_customization, sites, structure::view::StructureView,
};

pub async fn load(publishing: &Publishing, access: &ReadableSiteAccess) -> Result<PublishedContentSite, ApiError> {
    let view = StructureView::load_for(publishing, access).await?;
    let (mut of_site, of_items) = site_customization::load_all(publishing.kernel.db.read(), &access.row).await?;
    let shown = of_items
        .into_iter()
        .filter(|(item, _)| view.layout.site_space(*item).is_some());
    let mut of_items: BTreeMap<String, SiteCustomizationSettings> =
        shown.map(|(item, settings)| (item.to_string(), settings)).collect();
    if let Some(claims) = access.claims() {
        let all = of_items.values_mut().chain([&mut of_site]);
        hide_items(publishing, claims, all.collect()).await?;
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
