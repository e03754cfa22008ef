//! Detection of moved pages.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    iter::successors,
};

use entity::ids::PageId;

use super::states::{PageChanges, States};
use crate::{objects::Missing, pages::Page};

/// Returns the pages with another parent or another position among the same siblings.
///
/// A single sibling with a new sort key was moved. Several siblings may have new keys only to make room for another; then
/// the order of all siblings is compared.
pub(super) fn moved(states: &States<'_>, changes: &PageChanges) -> Result<BTreeSet<PageId>, Missing> {
    let mut moved = BTreeSet::new();
    let mut placed: BTreeMap<Option<PageId>, HashSet<PageId>> = BTreeMap::new();
    for (id, change) in changes {
        let Some((before, after)) = change.before.as_ref().zip(change.after.as_ref()) else {
            continue;
        };
        if before.parent != after.parent {
            moved.insert(*id);
        } else if before.order != after.order {
            placed.entry(after.parent).or_default().insert(*id);
        }
    }
    let mut outcome = Ok(());
    for (parent, placed) in placed {
        if placed.len() == 1 {
            moved.extend(placed);
            continue;
        }
        let (before, after) = (states.before.children(parent), states.after.children(parent));
        match (before, after) {
            (Ok(before), Ok(after)) => moved.extend(rearranged(&before, &after, &placed)),
            _ => outcome = Err(Missing),
        }
    }
    outcome.map(|()| moved)
}

/// Returns the fewest pages with new sort keys that have to move to get from one order of siblings to the other.
fn rearranged(before: &[Page], after: &[Page], placed: &HashSet<PageId>) -> Vec<PageId> {
    let ids = |pages: &[Page]| -> HashSet<PageId> { pages.iter().map(|page| page.id).collect() };
    let (old, new) = (ids(before), ids(after));
    let stays = |page: &&Page| old.contains(&page.id) && new.contains(&page.id);
    let spots_before: HashMap<PageId, Spot> = spots(before.iter().filter(stays), placed).collect();
    let (mut moved, mut same_gap) = (Vec::new(), Vec::new());
    for (id, spot) in spots(after.iter().filter(stays), placed) {
        match spots_before.get(&id) {
            Some(before) if before.gap == spot.gap => same_gap.push((id, before.position)),
            _ => moved.push(id),
        }
    }
    let in_order = longest_rising(same_gap.iter().map(|(_, position)| *position));
    same_gap.retain(|(_, position)| !in_order.contains(position));
    moved.extend(same_gap.into_iter().map(|(id, _)| id));
    moved
}

/// The position of a page with a new sort key among its siblings.
struct Spot {
    /// How many pages that keep their places are in front of it.
    gap: usize,
    /// How many of all are.
    position: usize,
}

fn spots<'p>(
    siblings: impl Iterator<Item = &'p Page>,
    placed: &HashSet<PageId>,
) -> impl Iterator<Item = (PageId, Spot)> {
    let mut gap = 0;
    siblings.enumerate().filter_map(move |(position, page)| {
        if placed.contains(&page.id) {
            return Some((page.id, Spot { gap, position }));
        }
        gap += 1;
        None
    })
}

/// Returns a longest increasing subsequence of these distinct numbers.
fn longest_rising(numbers: impl Iterator<Item = usize>) -> HashSet<usize> {
    // The smallest ends of rising selections by their length, and what is in front of each number in the longest one.
    let mut ends: Vec<usize> = Vec::new();
    let mut in_front: HashMap<usize, usize> = HashMap::new();
    for number in numbers {
        let length = ends.partition_point(|end| *end < number);
        if let Some(end) = length.checked_sub(1).and_then(|shorter| ends.get(shorter)) {
            in_front.insert(number, *end);
        }
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    successors(ends.last().copied(), |number| in_front.get(number).copied()).collect()
}
