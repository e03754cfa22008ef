//! Three-way merge of content over page ids.

mod favor;
mod lines;
mod numbering;
mod page;
mod place;
mod resolve;
mod table_rows;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use entity::{
    authoring::change_requests::conflicts::{ConflictKind, ConflictSubject},
    ids::{FileId, PageId, ReusableContentId},
};
use rich_text::DocumentLimits;
use uuid::Uuid;

use self::{
    page::{ItemMerge, Sides},
    place::place,
    tree::{ChangedPage, MergeTree},
};
use super::{
    objects::{Missing, Objects},
    pages::{Change, Changes, Page, Pages, Snapshot},
};

/// Applies the lines that differ between two texts to a third one that is like the first. Where it differs from the first in the same lines,
/// those of the second take their place.
pub fn apply_changes(base: &str, to: &str, changed: &str) -> String {
    let versions = lines::Versions {
        base,
        ours: to,
        theirs: changed,
    };
    lines::merge_favoring(&lines::WorkBudget::default(), versions, Some(lines::Winner::Theirs))
        .unwrap_or_else(|| changed.to_owned())
}

pub use self::favor::{Favored, favor};
pub use self::resolve::{Choice, resolve};

/// A merge goes over three versions of a text at a time.
pub const TEXT_BYTES: usize = 3 * DocumentLimits::MAX_BYTES;

/// The object of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConflictObject {
    Page(PageId),
    File(FileId),
    ReusableContent(ReusableContentId),
}

/// An object of which our side was kept, because the changes of both sides cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeConflict {
    pub subject: ConflictObject,
    /// Our change and their change. Of several conflicts, the first of text, position and metadata.
    pub kind: ConflictKind,
}

impl ConflictObject {
    pub fn id(&self) -> Uuid {
        match self {
            Self::Page(id) => *id.as_uuid(),
            Self::File(id) => *id.as_uuid(),
            Self::ReusableContent(id) => *id.as_uuid(),
        }
    }

    pub fn stored(&self) -> ConflictSubject {
        match self {
            Self::Page(_) => ConflictSubject::Page,
            Self::File(_) => ConflictSubject::File,
            Self::ReusableContent(_) => ConflictSubject::ReusableContent,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub snapshot: Snapshot,
    /// At most one for each object, in the order of the objects.
    pub conflicts: Vec<MergeConflict>,
}

/// Merges the changes of both sides since `base`. Takes time in proportion to the changes.
pub fn merge(objects: &Objects, base: &Snapshot, ours: &Snapshot, theirs: &Snapshot) -> Result<Merged, Missing> {
    let whole = if theirs == base || theirs == ours {
        ours
    } else if ours == base {
        theirs
    } else {
        return combine(objects, base, ours, theirs);
    };
    Ok(Merged {
        snapshot: *whole,
        conflicts: Vec::new(),
    })
}

fn combine(objects: &Objects, base: &Snapshot, ours: &Snapshot, theirs: &Snapshot) -> Result<Merged, Missing> {
    let ours_changes = Changes::between(objects, base, ours);
    let theirs_changes = Changes::between(objects, base, theirs);
    let (ours_changes, theirs_changes) = (ours_changes?, theirs_changes?);
    let merge = ItemMerge::of(objects);
    let mut pages = Pages::of(objects, *ours);
    let mut conflicts = Vec::new();

    let touched = sides(&ours_changes.pages, &theirs_changes.pages);
    read_ahead(&pages, &touched)?;
    let touched = combined(touched, |sides| merge.page(sides))?;
    let touched = touched
        .into_iter()
        .map(|(id, (sides, combined))| (id, ChangedPage { sides, combined }));
    let (wanted, kept) = MergeTree::new(touched.collect(), &pages).resolve_positions()?;
    conflicts.extend(kept.into_iter().map(|(id, kind)| MergeConflict {
        subject: ConflictObject::Page(id),
        kind,
    }));
    place(&mut pages, &Pages::of(objects, *base), wanted)?;

    let files = sides(&ours_changes.files, &theirs_changes.files);
    for (id, (_, file)) in combined(files, |sides| Ok(merge.file(sides)))? {
        match file {
            Ok(Some(file)) => pages.put_file(file),
            Ok(None) => pages.remove_file(id),
            Err(kind) => conflicts.push(MergeConflict {
                subject: ConflictObject::File(id),
                kind,
            }),
        }
    }
    let contents = sides(&ours_changes.reusable_contents, &theirs_changes.reusable_contents);
    for (id, (_, content)) in combined(contents, |sides| merge.reusable_content(sides))? {
        match content {
            Ok(Some(content)) => pages.put_reusable_content(content),
            Ok(None) => pages.remove_reusable_content(id),
            Err(kind) => conflicts.push(MergeConflict {
                subject: ConflictObject::ReusableContent(id),
                kind,
            }),
        }
    }
    for (name, sides) in sides(&ours_changes.variables, &theirs_changes.variables) {
        // Variables change by imports only, so both sides changing one is no matter for people to decide: ours stays.
        match sides.changed().unwrap_or(sides.ours) {
            Some(variable) => pages.put_variable(variable),
            None => pages.remove_variable(&name),
        }
    }
    let snapshot = pages.finish()?;
    Ok(Merged { snapshot, conflicts })
}

/// Returns the three versions of every object that at least one side changed.
fn sides<Id: Ord + Clone, T: Clone>(
    ours: &BTreeMap<Id, Change<T>>,
    theirs: &BTreeMap<Id, Change<T>>,
) -> BTreeMap<Id, Sides<T>> {
    let ids: BTreeSet<Id> = ours.keys().chain(theirs.keys()).cloned().collect();
    let all = ids.into_iter().map(|id| {
        let changes = (ours.get(&id), theirs.get(&id));
        let base = changes.0.or(changes.1).and_then(|change| change.before.clone());
        let side = |change: Option<&Change<T>>| change.map_or_else(|| base.clone(), |change| change.after.clone());
        let (ours, theirs) = (side(changes.0), side(changes.1));
        (id, Sides { base, ours, theirs })
    });
    all.collect()
}

/// Merges each object. Continues after a missing text, so that all missing texts are loaded at once.
fn combined<Id: Ord, T, C>(
    all: BTreeMap<Id, Sides<T>>,
    combine: impl Fn(&Sides<T>) -> Result<C, Missing>,
) -> Result<BTreeMap<Id, (Sides<T>, C)>, Missing> {
    let mut found = BTreeMap::new();
    let mut outcome = Ok(());
    for (id, sides) in all {
        match combine(&sides) {
            Ok(combined) => drop(found.insert(id, (sides, combined))),
            Err(Missing) => outcome = Err(Missing),
        }
    }
    outcome.map(|()| found)
}

/// Requests the objects of all pages at once, before expensive work that would be repeated for each missing object.
fn read_ahead(pages: &Pages<'_>, touched: &BTreeMap<PageId, Sides<Page>>) -> Result<(), Missing> {
    let mut outcome = Ok(());
    for (id, sides) in touched {
        let mut found = pages.page(*id).map(drop);
        for page in sides.ours.iter().chain(&sides.theirs) {
            found = found.and(pages.page_at(page.parent, &page.slug).map(drop));
            if sides.is_elsewhere() {
                found = found.and(pages.ancestors(page).map(drop));
            }
        }
        outcome = outcome.and(found);
    }
    outcome
}
