//! What conditions leave of the structure for a visitor.

use std::{collections::HashSet, sync::Arc};

use entity::{
    ids::{NodeId, SiteSectionId, SiteSpaceId},
    publishing::sites::Model,
};
use expressions::{Holding, VisitorClaims};
use openapi::error::ApiError;

use super::{Drafts, Layout, Layouts};

use crate::areas::content::Contents;

/// The structure without what the conditions hide from a visitor with these claims, and without sections that show nothing.
pub async fn layout(
    contents: &Contents,
    layouts: &Layouts,
    site: &Model,
    claims: &VisitorClaims,
    (layout, drafts): (Arc<Layout>, Drafts),
) -> Result<Arc<Layout>, ApiError> {
    if shows_all(&layout) {
        return Ok(layout);
    }
    let of_sections = layout.sections.iter().filter_map(|section| section.condition.as_ref());
    let of_items = layout.site_spaces.iter().filter_map(|item| item.condition.as_ref());
    let of_links = layout.links.iter().filter_map(|link| link.condition.as_ref());
    let conditions = of_sections.chain(of_items).chain(of_links);
    let holding = contents.holding(claims, conditions.collect()).await?;
    let make = || without_hidden(Layout::clone(&layout), &holding);
    Ok(layouts.shown(site, drafts, &holding, make))
}

/// The places where the structure shows a space to a visitor with these claims.
pub async fn places_of(
    contents: &Contents,
    layout: &Layout,
    claims: &VisitorClaims,
    space: NodeId,
) -> Result<Vec<SiteSpaceId>, ApiError> {
    let places = layout.site_spaces.iter().filter(|item| item.space_id == space);
    let conditions = places.map(|item| {
        let section = item.section_id.and_then(|section| layout.section(section));
        let of_section = section.and_then(|section| section.condition.as_ref());
        let conditions = [item.condition.as_ref(), of_section].into_iter().flatten().collect();
        (item.id, conditions)
    });
    let conditions: Vec<(SiteSpaceId, Vec<&String>)> = conditions.collect();
    let all = conditions.iter().flat_map(|(_, conditions)| conditions).copied();
    let holding = contents.holding(claims, all.collect()).await?;
    let holds = |conditions: &[&String]| conditions.iter().all(|condition| holding.contains(*condition));
    let places = conditions.iter().filter(|(_, conditions)| holds(conditions));
    Ok(places.map(|(id, _)| *id).collect())
}

/// The structure in which what remains has no condition that does not hold.
fn without_hidden(mut layout: Layout, holding: &Holding) -> Layout {
    let shown = |condition: &Option<String>| condition.as_ref().is_none_or(|it| holding.contains(it));
    layout.sections.retain(|section| shown(&section.condition));
    layout.site_spaces.retain(|item| shown(&item.condition));
    layout.links.retain(|link| shown(&link.condition));
    let sections: HashSet<SiteSectionId> = layout.sections.iter().map(|section| section.id).collect();
    layout
        .site_spaces
        .retain(|item| item.section_id.is_none_or(|section| sections.contains(&section)));
    remove_empty(&mut layout);
    layout
}

/// Returns whether every visitor sees the whole structure.
fn shows_all(layout: &Layout) -> bool {
    let mut of_items = layout.site_spaces.iter().map(|item| &item.condition);
    let mut of_sections = layout.sections.iter().map(|section| &section.condition);
    let mut of_links = layout.links.iter().map(|link| &link.condition);
    // Groups may have no sections.
    layout.groups.is_empty()
        && of_items.all(Option::is_none)
        && of_sections.all(Option::is_none)
        && of_links.all(Option::is_none)
        && filled(layout).len() == layout.sections.len()
}

/// The sections with spaces.
fn filled(layout: &Layout) -> HashSet<SiteSectionId> {
    layout.site_spaces.iter().filter_map(|item| item.section_id).collect()
}

/// Removes sections without spaces, and groups without sections and links.
fn remove_empty(layout: &mut Layout) {
    let filled = filled(layout);
    layout.sections.retain(|section| filled.contains(&section.id));
    let mut kept = HashSet::new();
    for section in &layout.sections {
        kept.extend(layout.ancestors(section.group_id));
    }
    for link in &layout.links {
        kept.extend(layout.ancestors(link.group_id));
    }
    layout.groups.retain(|group| kept.contains(&group.id));
}
