//! Semantic changes of pages.

use std::collections::BTreeMap;

use openapi::models::{
    ChangedPage, ContentRef, CoverChange, LayoutChange, PageAttributeChanges, PageCreated, PageDeleted, PageEdited,
    PageMoved, PageMovedParent, PageType, ReferenceChange, RevisionSemanticChange, VariablesChange,
};

use super::{
    attributes::{document, text},
    moves, sequence,
    states::{PageChanges, States},
};
use crate::{
    objects::Missing,
    pages::{Cover, Layout, Page, PageContent, Pages, wire_cover, wire_layout, wire_variables},
};

/// One event of a page. An edit or a move has the versions before and after.
pub(super) enum Event<'c> {
    Created(&'c Page),
    Edited(&'c Page, &'c Page),
    Moved(&'c Page, &'c Page),
    Deleted(&'c Page),
}

/// Returns the events in the order of the table of contents.
pub(super) fn events<'c>(states: &States<'_>, changes: &'c PageChanges) -> Result<Vec<Event<'c>>, Missing> {
    let (moved, order) = (moves::moved(states, changes), sequence::in_order(states, changes));
    let (moved, order) = (moved?, order?);
    let mut events = Vec::with_capacity(changes.len());
    for (id, change) in order.iter().filter_map(|id| changes.get_key_value(id)) {
        match (&change.before, &change.after) {
            (None, Some(page)) => events.push(Event::Created(page)),
            (Some(page), None) => events.push(Event::Deleted(page)),
            (Some(before), Some(after)) => {
                if is_edited(before, after) {
                    events.push(Event::Edited(before, after));
                }
                if moved.contains(id) {
                    events.push(Event::Moved(before, after));
                }
            }
            (None, None) => {}
        }
    }
    Ok(events)
}

/// Returns whether more than the position changed. Changed times are ignored, because a reverted edit leaves them.
fn is_edited(before: &Page, after: &Page) -> bool {
    let in_place = Page {
        parent: after.parent,
        order: after.order.clone(),
        created_at: after.created_at,
        updated_at: after.updated_at,
        ..before.clone()
    };
    in_place != *after
}

/// Returns the wire form of events. Continues after a missing object, so that all missing objects are loaded at once.
pub(super) fn views<'e, 'c: 'e>(
    states: &States<'_>,
    events: impl Iterator<Item = &'e Event<'c>>,
) -> Result<Vec<RevisionSemanticChange>, Missing> {
    let views: Vec<_> = events.map(|event| view(states, event)).collect();
    views.into_iter().collect()
}

fn view(states: &States<'_>, event: &Event<'_>) -> Result<RevisionSemanticChange, Missing> {
    Ok(match event {
        Event::Created(page) => RevisionSemanticChange::PageCreated(PageCreated {
            r#type: Default::default(),
            page: changed_page(&states.after, page)?,
        }),
        Event::Deleted(page) => RevisionSemanticChange::PageDeleted(PageDeleted {
            r#type: Default::default(),
            page: changed_page(&states.before, page)?,
        }),
        Event::Edited(before, after) => RevisionSemanticChange::PageEdited(PageEdited {
            r#type: Default::default(),
            page: changed_page(&states.after, after)?,
            attributes: attributes(before, after),
        }),
        Event::Moved(before, after) => RevisionSemanticChange::PageMoved(PageMoved {
            r#type: Default::default(),
            page: changed_page(&states.after, after)?,
            parent: PageMovedParent {
                before: parent(&states.before, before)?,
                after: parent(&states.after, after)?,
            },
        }),
    })
}

fn parent(pages: &Pages<'_>, page: &Page) -> Result<Option<ChangedPage>, Missing> {
    let Some(id) = page.parent else { return Ok(None) };
    match pages.page(id)? {
        Some(parent) => changed_page(pages, &parent).map(Some),
        None => Ok(None),
    }
}

fn changed_page(pages: &Pages<'_>, page: &Page) -> Result<ChangedPage, Missing> {
    let (r#type, path) = match &page.content {
        PageContent::Document { .. } => (PageType::Document, Some(pages.path(page)?)),
        PageContent::Group => (PageType::Group, Some(pages.path(page)?)),
        PageContent::Link { .. } => (PageType::Link, None),
        PageContent::Computed { .. } => (PageType::Computed, None),
    };
    Ok(ChangedPage {
        id: page.id.to_string(),
        r#type,
        title: page.title.clone(),
        path,
    })
}

fn attributes(before: &Page, after: &Page) -> PageAttributeChanges {
    let (one, other) = (Own::of(before), Own::of(after));
    PageAttributeChanges {
        title: text(Some(&before.title), Some(&after.title)),
        description: text(one.description, other.description),
        slug: text(one.slug, other.slug),
        document: document(before.document(), after.document()),
        cover: (one.cover != other.cover).then(|| CoverChange {
            before: one.cover.map(wire_cover),
            after: other.cover.map(wire_cover),
        }),
        emoji: text(before.emoji.as_deref(), after.emoji.as_deref()),
        layout: (one.layout != other.layout).then(|| LayoutChange {
            before: one.layout.as_ref().map(wire_layout),
            after: other.layout.as_ref().map(wire_layout),
        }),
        variables: (one.variables != other.variables).then(|| VariablesChange {
            before: one.variables.map(wire_variables),
            after: other.variables.map(wire_variables),
        }),
        target: (one.target != other.target).then(|| ReferenceChange {
            before: one.target.cloned(),
            after: other.target.cloned(),
        }),
    }
}

/// The members that only some types of pages have.
#[derive(Default)]
struct Own<'p> {
    slug: Option<&'p str>,
    description: Option<&'p str>,
    cover: Option<&'p Cover>,
    layout: Option<Layout>,
    /// `None`: no variables.
    variables: Option<&'p BTreeMap<String, String>>,
    target: Option<&'p ContentRef>,
}

impl<'p> Own<'p> {
    fn of(page: &'p Page) -> Self {
        match &page.content {
            PageContent::Document {
                document: _,
                layout,
                cover,
                variables,
                ..
            } => Self {
                slug: Some(&page.slug),
                description: page.description.as_deref(),
                cover: cover.as_ref(),
                layout: Some(Layout::from(layout.as_ref())),
                variables: Some(variables).filter(|variables| !variables.is_empty()),
                target: None,
            },
            PageContent::Group => Self {
                slug: Some(&page.slug),
                ..Self::default()
            },
            PageContent::Link { target } => Self {
                target: Some(target),
                ..Self::default()
            },
            PageContent::Computed { .. } => Self::default(),
        }
    }
}
