//! What conditions leave of the structure for a visitor.

use std::collections::HashSet;

use entity::sites::Model;
use openapi::error::ApiError;
use serde_json::{Map, Value};

use super::layout::Layout;
use crate::{
    access::{ReadableSiteAccess, SiteReader},
    app::App,
};

/// The structure as a member or a visitor sees it.
pub async fn layout_for(app: &App, access: &ReadableSiteAccess) -> Result<Layout, ApiError> {
    let layout = app.site_layouts.of(app.db.read(), &access.row).await?;
    match &access.reader {
        SiteReader::Member(_) => Ok(Layout::clone(&layout)),
        SiteReader::Visitor(visit) => visible(app, &access.row, &visit.claims, &layout).await,
    }
}

/// The structure without what the conditions hide from a visitor with these claims, and without sections that show nothing.
pub async fn visible(
    app: &App,
    site: &Model,
    claims: &Map<String, Value>,
    layout: &Layout,
) -> Result<Layout, ApiError> {
    let mut layout = layout.clone();
    let of_sections = layout.sections.iter().map(|section| section.condition.as_deref());
    let of_items = layout.site_spaces.iter().map(|item| item.condition.as_deref());
    let conditions: Vec<&str> = of_sections.chain(of_items).flatten().collect();
    let mut holding = app.guard.holding(site, claims, &conditions).await?.into_iter();
    let mut shown = |condition: &Option<String>| condition.is_none() || holding.next() == Some(true);
    layout.sections.retain(|section| shown(&section.condition));
    layout.site_spaces.retain(|item| shown(&item.condition));
    let sections: Vec<_> = layout.sections.iter().map(|section| section.id).collect();
    layout
        .site_spaces
        .retain(|item| item.section_id.is_none_or(|section| sections.contains(&section)));
    remove_empty(&mut layout);
    Ok(layout)
}

/// Removes sections without spaces, and groups without sections.
fn remove_empty(layout: &mut Layout) {
    let filled: HashSet<_> = layout.site_spaces.iter().filter_map(|item| item.section_id).collect();
    layout.sections.retain(|section| filled.contains(&section.id));
    let mut kept = HashSet::new();
    for section in &layout.sections {
        kept.extend(layout.ancestors(section.group_id));
    }
    layout.groups.retain(|group| kept.contains(&group.id));
}
