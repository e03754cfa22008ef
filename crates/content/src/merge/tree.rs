//! Conflicts of the page tree: pages that merge one by one, but not to a tree.
//!
//! The set of conflicting pages must not depend on which side is ours. So both trees are checked: the one with our version
//! of conflicting pages, and the one with theirs. A fault in either tree makes more pages conflict, until both are trees.
//! That terminates: if all moved pages conflict, the trees are those of the two sides.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
};

use entity::{authoring::change_requests::conflicts::ConflictKind, ids::PageId};

use super::page::{Combined, Sides};
use crate::{
    objects::Missing,
    pages::{MAX_DEPTH, Page, Pages},
};

/// The rounds of new conflicts, after which all moved pages conflict.
const MAX_ROUNDS: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
}

impl Sides<Page> {
    pub fn on(&self, side: Side) -> Option<&Page> {
        match side {
            Side::Ours => self.ours.as_ref(),
            Side::Theirs => self.theirs.as_ref(),
        }
    }

    /// Returns whether the sides have the page below different parents, or only one side has it.
    pub fn is_elsewhere(&self) -> bool {
        let position = |page: &Option<Page>| page.as_ref().map(|page| page.parent);
        position(&self.ours) != position(&self.theirs)
    }

    fn is_on_both(&self) -> bool {
        self.ours.is_some() && self.theirs.is_some()
    }
}

/// A page that at least one side changed.
pub(super) struct ChangedPage {
    pub sides: Sides<Page>,
    pub combined: Combined<Page, ConflictKind>,
}

impl ChangedPage {
    fn conflicts(&self) -> bool {
        self.combined.is_err()
    }

    /// Returns the page in the tree with this side's version of conflicting pages.
    fn seen_from(&self, side: Side) -> Option<&Page> {
        match &self.combined {
            Ok(page) => page.as_ref(),
            Err(_) => self.sides.on(side),
        }
    }
}

/// The merged pages, and the conflicts.
type MergedTree = (BTreeMap<PageId, Option<Page>>, BTreeMap<PageId, ConflictKind>);

/// The parent of a page: absent, at the top, or another page.
type Position = Option<Option<PageId>>;

/// The pages that either side changed, over the unchanged pages.
pub(super) struct MergeTree<'p, 'o> {
    changed: BTreeMap<PageId, ChangedPage>,
    pages: &'p Pages<'o>,
    /// The positions of changed pages on each side.
    whole: [(Side, Positions); 2],
    /// A cache of the positions of unchanged pages.
    others: RefCell<HashMap<PageId, Position>>,
}

/// The positions of changed pages.
type Positions = HashMap<PageId, Position>;

impl<'p, 'o> MergeTree<'p, 'o> {
    pub fn new(changed: BTreeMap<PageId, ChangedPage>, pages: &'p Pages<'o>) -> Self {
        Self {
            whole: [Side::Ours, Side::Theirs].map(|side| (side, whole(&changed, side))),
            changed,
            pages,
            others: RefCell::default(),
        }
    }

    /// Adds conflicts until both trees are valid. Returns the merged pages, with our version of conflicting ones, and the
    /// conflicts.
    pub fn resolve_positions(mut self) -> Result<MergedTree, Missing> {
        for round in 0_usize.. {
            let mut found = self.faults(Side::Ours)?;
            found.extend(self.faults(Side::Theirs)?);
            if found.is_empty() {
                break;
            }
            for (id, changed) in &mut self.changed {
                let all = round >= MAX_ROUNDS && changed.sides.is_elsewhere() && !changed.conflicts();
                let kind = found.get(id).copied().or(all.then_some(ConflictKind::MoveMove));
                if let Some(kind) = kind {
                    changed.combined = Err(kind);
                }
            }
        }
        let needed = self.positions(Side::Ours)?.needed;
        let mut settled = (BTreeMap::new(), BTreeMap::new());
        for (id, changed) in self.changed {
            let page = match changed.combined {
                Ok(page) if !needed.contains(&id) => page,
                Ok(_) => changed.sides.ours,
                Err(kind) => {
                    settled.1.insert(id, kind);
                    changed.sides.ours
                }
            };
            settled.0.insert(id, page);
        }
        Ok(settled)
    }

    /// Returns pages with an impossible position, and the kinds of their conflicts.
    fn faults(&self, side: Side) -> Result<HashMap<PageId, ConflictKind>, Missing> {
        let view = self.positions(side)?;
        let mut found = HashMap::new();
        let mut outcome = Ok(());
        for (id, changed) in self.changed.iter().filter(|(_, changed)| changed.sides.is_elsewhere()) {
            if let Err(Missing) = self.check(&view.positions, *id, changed, &mut found) {
                outcome = Err(Missing);
            }
        }
        outcome.map(|()| found)
    }

    fn check(
        &self,
        positions: &Positions,
        id: PageId,
        changed: &ChangedPage,
        found: &mut HashMap<PageId, ConflictKind>,
    ) -> Result<(), Missing> {
        let Some(parent) = self.position(positions, id)? else {
            return Ok(());
        };
        if let Some(parent) = parent
            && self.position(positions, parent)?.is_none()
        {
            if !changed.conflicts() {
                found.insert(id, orphaned(&changed.sides));
            }
            return Ok(());
        }
        let way = self.path_to_top(positions, id)?;
        if way.is_cycle {
            found.extend(self.moved(&way.pages).map(|id| (id, ConflictKind::MoveMove)));
        } else if self.is_too_deep(id, changed, way.pages.len())? {
            let mut culprits: Vec<PageId> = self.moved(&way.pages).collect();
            if culprits.is_empty() {
                culprits = self.moved_pages(&way.pages).map(|(id, _)| id).collect();
            }
            found.extend(culprits.into_iter().map(|id| (id, ConflictKind::MoveMove)));
        }
        Ok(())
    }

    /// Returns the moved pages that do not conflict yet.
    fn moved(&self, pages: &[PageId]) -> impl Iterator<Item = PageId> {
        let all = self.moved_pages(pages);
        all.filter_map(|(id, changed)| changed.sides.is_on_both().then_some(id))
    }

    fn moved_pages(&self, pages: &[PageId]) -> impl Iterator<Item = (PageId, &ChangedPage)> {
        let all = pages.iter().filter_map(|id| Some((*id, self.changed.get(id)?)));
        all.filter(|(_, changed)| changed.sides.is_elsewhere() && !changed.conflicts())
    }

    fn position(&self, positions: &Positions, id: PageId) -> Result<Position, Missing> {
        if let Some(position) = positions.get(&id) {
            return Ok(*position);
        }
        if let Some(position) = self.others.borrow().get(&id) {
            return Ok(*position);
        }
        let position = self.pages.page(id)?.map(|page| page.parent);
        self.others.borrow_mut().insert(id, position);
        Ok(position)
    }

    /// Returns the positions of changed pages with one side's version of conflicting ones, and of deleted ancestors that
    /// these need.
    fn positions(&self, side: Side) -> Result<SideTree, Missing> {
        let position = |(id, changed): (&PageId, &ChangedPage)| (*id, changed.seen_from(side).map(|page| page.parent));
        let mut positions: Positions = self.changed.iter().map(position).collect();
        let mut needed = HashSet::new();
        for changed in self.changed.values().filter(|changed| changed.conflicts()) {
            let mut next = changed.sides.on(side).and_then(|page| page.parent);
            while let Some(id) = next {
                let page = self.changed.get(&id).and_then(|changed| changed.sides.on(side));
                let Some(page) = page.filter(|_| positions.get(&id) == Some(&None)) else {
                    break;
                };
                positions.insert(id, Some(page.parent));
                needed.insert(id);
                next = page.parent;
            }
        }
        Ok(SideTree { positions, needed })
    }

    /// Returns the pages from this one to the top, or around a cycle.
    fn path_to_top(&self, positions: &Positions, id: PageId) -> Result<PathToTop, Missing> {
        let mut way = PathToTop::default();
        let mut seen = HashSet::new();
        let mut next = Some(id);
        while let Some(id) = next {
            if !seen.insert(id) {
                way.is_cycle = true;
                let start = way.pages.iter().position(|page| *page == id);
                way.pages.drain(..start.unwrap_or(0));
                break;
            }
            way.pages.push(id);
            next = self.position(positions, id)?.flatten();
        }
        Ok(way)
    }

    /// Returns whether the page or a descendant exceeds the depth limit because of the changes of both sides together.
    fn is_too_deep(&self, id: PageId, changed: &ChangedPage, depth: usize) -> Result<bool, Missing> {
        for (side, positions) in &self.whole {
            if changed.sides.on(*side).is_some() && self.path_to_top(positions, id)?.pages.len() >= depth {
                return Ok(false);
            }
        }
        if depth > MAX_DEPTH {
            return Ok(true);
        }
        // Pages that were not moved are below it on both sides.
        let mut level = vec![id];
        for _ in depth..=MAX_DEPTH {
            let mut next = Vec::new();
            for id in level {
                let children = self.pages.children(Some(id))?;
                let below = children.iter().map(|child| child.id);
                next.extend(below.filter(|id| !self.changed.get(id).is_some_and(|it| it.sides.is_elsewhere())));
            }
            level = next;
        }
        Ok(!level.is_empty())
    }
}

/// The tree with one side's version of conflicting pages.
struct SideTree {
    positions: Positions,
    /// Pages that exist only because a conflicting page is below them.
    needed: HashSet<PageId>,
}

#[derive(Default)]
struct PathToTop {
    pages: Vec<PageId>,
    is_cycle: bool,
}

/// Returns the kind of conflict of a page whose parent the other side deleted.
fn orphaned(sides: &Sides<Page>) -> ConflictKind {
    match (&sides.base, &sides.ours, &sides.theirs) {
        (_, None, _) => ConflictKind::DeleteEdit,
        (_, _, None) => ConflictKind::EditDelete,
        (Some(base), Some(ours), _) if ours.parent == base.parent => ConflictKind::DeleteMove,
        _ => ConflictKind::MoveDelete,
    }
}

/// Returns the positions of changed pages on one side.
fn whole(changed: &BTreeMap<PageId, ChangedPage>, side: Side) -> Positions {
    let position = |(id, changed): (&PageId, &ChangedPage)| (*id, changed.sides.on(side).map(|page| page.parent));
    changed.iter().map(position).collect()
}
