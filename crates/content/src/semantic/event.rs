//! Events of objects without a position: files and shared contents.

use std::collections::BTreeMap;

use crate::pages::Change;

/// One event. An edit has the versions before and after.
pub(super) enum Event<'c, T> {
    Created(&'c T),
    Edited(&'c T, &'c T),
    Deleted(&'c T),
}

impl<'c, T> Event<'c, T> {
    fn of(change: &'c Change<T>) -> Option<Self> {
        match (&change.before, &change.after) {
            (None, Some(created)) => Some(Self::Created(created)),
            (Some(before), Some(after)) => Some(Self::Edited(before, after)),
            (Some(deleted), None) => Some(Self::Deleted(deleted)),
            (None, None) => None,
        }
    }

    fn subject(&self) -> &'c T {
        match self {
            Self::Created(subject) | Self::Edited(_, subject) | Self::Deleted(subject) => subject,
        }
    }
}

/// Returns the events in the order of the names.
pub(super) fn by_name<'c, Id, T>(
    changes: &'c BTreeMap<Id, Change<T>>,
    name: impl Fn(&'c T) -> &'c str,
) -> Vec<Event<'c, T>> {
    let mut events: Vec<_> = changes.values().filter_map(Event::of).collect();
    events.sort_by_key(|event| name(event.subject()));
    events
}
