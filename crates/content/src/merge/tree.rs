//! Pages that combine one by one and still make no tree.
//!
//! Which pages conflict must not depend on whose side is ours. So both trees are looked at: the one in which conflicting
//! pages are as we have them, and the one in which they are as the others have them. Whatever is wrong in either makes
//! more pages conflict, until both are trees. That ends: if all pages that somebody put elsewhere conflict, then the
//! trees are those of the two sides.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
};

use entity::{change_requests::conflicts::ConflictKind, ids::PageId};

use super::page::{Combined, Sides};
use crate::{
    objects::Missing,
    pages::{MAX_DEPTH, Page, Pages},
};

/// How often conflicts may lead to further ones, until all pages that were put elsewhere conflict.
const ROUNDS: usize = 64;

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

    /// Whether the sides have it below different pages, or one has it and the other does not.
    pub fn is_elsewhere(&self) -> bool {
        let place = |page: &Option<Page>| page.as_ref().map(|page| page.parent);
        place(&self.ours) != place(&self.theirs)
    }

    fn is_on_both(&self) -> bool {
        self.ours.is_some() && self.theirs.is_some()
    }
}

/// A page that at least one side changed.
pub(super) struct Touched {
    pub sides: Sides<Page>,
    pub combined: Combined<Page, ConflictKind>,
}

impl Touched {
    fn conflicts(&self) -> bool {
        self.combined.is_err()
    }

    /// What it is where the conflicting pages are as this side has them.
    fn seen_from(&self, side: Side) -> Option<&Page> {
        match &self.combined {
            Ok(page) => page.as_ref(),
            Err(_) => self.sides.on(side),
        }
    }
}

/// What pages are in the end, and those that conflict.
type Settled = (BTreeMap<PageId, Option<Page>>, BTreeMap<PageId, ConflictKind>);

/// Where a page is: nowhere, or below another or at the top.
type Place = Option<Option<PageId>>;

/// The pages that either side changed; all others are as one side has them.
pub(super) struct Tree<'p, 'o> {
    touched: BTreeMap<PageId, Touched>,
    pages: &'p Pages<'o>,
    /// Where each touched page is on each side.
    whole: [(Side, Places); 2],
    /// Places of pages that nobody touched, which are asked for again and again.
    others: RefCell<HashMap<PageId, Place>>,
}

/// Places of touched pages, the others being where they always were.
type Places = HashMap<PageId, Place>;

impl<'p, 'o> Tree<'p, 'o> {
    pub fn new(touched: BTreeMap<PageId, Touched>, pages: &'p Pages<'o>) -> Self {
        Self {
            whole: [Side::Ours, Side::Theirs].map(|side| (side, whole(&touched, side))),
            touched,
            pages,
            others: RefCell::default(),
        }
    }

    /// Has pages conflict until the others make a tree with them, whichever side they are from. Gives what the touched
    /// pages are in the end, with conflicting ones as we have them, and which these are.
    pub fn settle(mut self) -> Result<Settled, Missing> {
        for round in 0_usize.. {
            let mut found = self.faults(Side::Ours)?;
            found.extend(self.faults(Side::Theirs)?);
            if found.is_empty() {
                break;
            }
            for (id, touched) in &mut self.touched {
                let all = round >= ROUNDS && touched.sides.is_elsewhere() && !touched.conflicts();
                let kind = found.get(id).copied().or(all.then_some(ConflictKind::MoveMove));
                if let Some(kind) = kind {
                    touched.combined = Err(kind);
                }
            }
        }
        let needed = self.places(Side::Ours)?.needed;
        let mut settled = (BTreeMap::new(), BTreeMap::new());
        for (id, touched) in self.touched {
            let page = match touched.combined {
                Ok(page) if !needed.contains(&id) => page,
                Ok(_) => touched.sides.ours,
                Err(kind) => {
                    settled.1.insert(id, kind);
                    touched.sides.ours
                }
            };
            settled.0.insert(id, page);
        }
        Ok(settled)
    }

    /// Pages that cannot be where they are, and why.
    fn faults(&self, side: Side) -> Result<HashMap<PageId, ConflictKind>, Missing> {
        let view = self.places(side)?;
        let mut found = HashMap::new();
        let mut outcome = Ok(());
        for (id, touched) in self.touched.iter().filter(|(_, touched)| touched.sides.is_elsewhere()) {
            if let Err(Missing) = self.check(&view.places, *id, touched, &mut found) {
                outcome = Err(Missing);
            }
        }
        outcome.map(|()| found)
    }

    fn check(
        &self,
        places: &Places,
        id: PageId,
        touched: &Touched,
        found: &mut HashMap<PageId, ConflictKind>,
    ) -> Result<(), Missing> {
        let Some(parent) = self.place(places, id)? else {
            return Ok(());
        };
        if let Some(parent) = parent
            && self.place(places, parent)?.is_none()
        {
            if !touched.conflicts() {
                found.insert(id, orphaned(&touched.sides));
            }
            return Ok(());
        }
        let way = self.way(places, id)?;
        if way.is_cycle {
            found.extend(self.moved(&way.pages).map(|id| (id, ConflictKind::MoveMove)));
        } else if self.is_too_deep(id, touched, way.pages.len())? {
            let mut culprits: Vec<PageId> = self.moved(&way.pages).collect();
            if culprits.is_empty() {
                culprits = self.put_elsewhere(&way.pages).map(|(id, _)| id).collect();
            }
            found.extend(culprits.into_iter().map(|id| (id, ConflictKind::MoveMove)));
        }
        Ok(())
    }

    /// Those of the pages that one side moved, as far as they do not conflict yet.
    fn moved(&self, pages: &[PageId]) -> impl Iterator<Item = PageId> {
        let all = self.put_elsewhere(pages);
        all.filter_map(|(id, touched)| touched.sides.is_on_both().then_some(id))
    }

    fn put_elsewhere(&self, pages: &[PageId]) -> impl Iterator<Item = (PageId, &Touched)> {
        let all = pages.iter().filter_map(|id| Some((*id, self.touched.get(id)?)));
        all.filter(|(_, touched)| touched.sides.is_elsewhere() && !touched.conflicts())
    }

    fn place(&self, places: &Places, id: PageId) -> Result<Place, Missing> {
        if let Some(place) = places.get(&id) {
            return Ok(*place);
        }
        if let Some(place) = self.others.borrow().get(&id) {
            return Ok(*place);
        }
        let place = self.pages.page(id)?.map(|page| page.parent);
        self.others.borrow_mut().insert(id, place);
        Ok(place)
    }

    /// The places of touched pages where the conflicting ones are as a side has them. What is gone and has to be there
    /// for these is as that side has it, too.
    fn places(&self, side: Side) -> Result<View, Missing> {
        let place = |(id, touched): (&PageId, &Touched)| (*id, touched.seen_from(side).map(|page| page.parent));
        let mut places: Places = self.touched.iter().map(place).collect();
        let mut needed = HashSet::new();
        for touched in self.touched.values().filter(|touched| touched.conflicts()) {
            let mut next = touched.sides.on(side).and_then(|page| page.parent);
            while let Some(id) = next {
                let page = self.touched.get(&id).and_then(|touched| touched.sides.on(side));
                let Some(page) = page.filter(|_| places.get(&id) == Some(&None)) else {
                    break;
                };
                places.insert(id, Some(page.parent));
                needed.insert(id);
                next = page.parent;
            }
        }
        Ok(View { places, needed })
    }

    /// The pages from this one to the top, or around a cycle.
    fn way(&self, places: &Places, id: PageId) -> Result<Way, Missing> {
        let mut way = Way::default();
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
            next = self.place(places, id)?.flatten();
        }
        Ok(way)
    }

    /// Whether it or a page below it is deeper than there may be pages. Where neither side has it as deep as it is now,
    /// that is for what both did together.
    fn is_too_deep(&self, id: PageId, touched: &Touched, depth: usize) -> Result<bool, Missing> {
        for (side, places) in &self.whole {
            if touched.sides.on(*side).is_some() && self.way(places, id)?.pages.len() >= depth {
                return Ok(false);
            }
        }
        if depth > MAX_DEPTH {
            return Ok(true);
        }
        // What nobody put elsewhere is below it on both sides.
        let mut level = vec![id];
        for _ in depth..=MAX_DEPTH {
            let mut next = Vec::new();
            for id in level {
                let children = self.pages.children(Some(id))?;
                let below = children.iter().map(|child| child.id);
                next.extend(below.filter(|id| !self.touched.get(id).is_some_and(|it| it.sides.is_elsewhere())));
            }
            level = next;
        }
        Ok(!level.is_empty())
    }
}

/// A tree as one side leads to it.
struct View {
    places: Places,
    /// Pages that are there only because a conflicting page is below them.
    needed: HashSet<PageId>,
}

#[derive(Default)]
struct Way {
    pages: Vec<PageId>,
    is_cycle: bool,
}

/// Why a page has none above it: the other side deleted the one that this side put it below.
fn orphaned(sides: &Sides<Page>) -> ConflictKind {
    match (&sides.base, &sides.ours, &sides.theirs) {
        (_, None, _) => ConflictKind::DeleteEdit,
        (_, _, None) => ConflictKind::EditDelete,
        (Some(base), Some(ours), _) if ours.parent == base.parent => ConflictKind::DeleteMove,
        _ => ConflictKind::MoveDelete,
    }
}

/// Where each touched page is on one side.
fn whole(touched: &BTreeMap<PageId, Touched>, side: Side) -> Places {
    let place = |(id, touched): (&PageId, &Touched)| (*id, touched.sides.on(side).map(|page| page.parent));
    touched.iter().map(place).collect()
}
