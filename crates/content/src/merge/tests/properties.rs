//! Properties of every merge.

use std::collections::{HashMap, HashSet};

use entity::ids::PageId;
use proptest::prelude::*;

use super::{
    super::{Choice, ConflictObject, MergeConflict, Merged, combine, merge, resolve},
    random::{Step, content, pages, parents, side, steps},
};
use crate::{
    objects::Objects,
    pages::{MAX_DEPTH, Order, Page, Pages, Snapshot},
};

/// A starting point and what both sides made of it.
struct Sample {
    objects: Objects,
    base: Snapshot,
    ours: Snapshot,
    theirs: Snapshot,
}

impl Sample {
    fn of((parents, ours, theirs): &(Vec<Option<usize>>, Vec<Step>, Vec<Step>)) -> Self {
        let objects = Objects::default();
        let base = content(&objects, parents);
        Self {
            base,
            ours: side(&objects, base, "ours", ours),
            theirs: side(&objects, base, "theirs", theirs),
            objects,
        }
    }

    fn merge(&self) -> Merged {
        combine(&self.objects, &self.base, &self.ours, &self.theirs).unwrap()
    }

    fn text(&self, page: Option<&Page>) -> HashSet<String> {
        let text = page
            .and_then(Page::document)
            .map(|hash| self.objects.text(&hash).unwrap());
        text.iter()
            .flat_map(|text| text.lines())
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

fn scripts() -> impl Strategy<Value = (Vec<Option<usize>>, Vec<Step>, Vec<Step>)> {
    (parents(), steps(), steps())
}

fn subjects(merged: &Merged) -> Vec<ConflictObject> {
    merged.conflicts.iter().map(|conflict| conflict.subject).collect()
}

fn without_orders(objects: &Objects, snapshot: Snapshot) -> HashMap<PageId, Page> {
    let pages = pages(objects, snapshot).into_iter();
    pages
        .map(|(id, page)| {
            (
                id,
                Page {
                    order: Order::default(),
                    ..page
                },
            )
        })
        .collect()
}

/// A tree that can be reached from the top, and one form of it.
fn check(objects: &Objects, snapshot: Snapshot) {
    let stored = Pages::of(objects, snapshot);
    let mut reached = Vec::new();
    let mut level: Vec<Page> = stored.children(None).unwrap();
    let mut depth = 0;
    while !level.is_empty() {
        depth += 1;
        assert!(depth <= MAX_DEPTH, "too deep");
        let below = level
            .iter()
            .flat_map(|page| stored.children(Some(page.id)).unwrap())
            .collect();
        reached.extend(std::mem::replace(&mut level, below));
    }
    let ids: HashSet<PageId> = reached.iter().map(|page| page.id).collect();
    let sizes = [
        reached.len(),
        snapshot.pages.len() as usize,
        snapshot.places.len() as usize,
    ];
    assert_eq!(sizes, [ids.len(); 3], "each page once, and all of them reached");
    for page in &reached {
        assert_eq!(
            stored.page(page.id).unwrap().as_ref(),
            Some(page),
            "places agree with pages"
        );
    }
    let mut again = Pages::of(objects, Snapshot::default());
    for page in reached.iter().rev() {
        again.put(page.clone()).unwrap();
    }
    for file in stored.files_after(None, usize::MAX).unwrap() {
        again.put_file(file);
    }
    for content in stored.all_reusable_contents().unwrap() {
        again.put_reusable_content(content);
    }
    assert_eq!(again.finish().unwrap(), snapshot, "one form");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn it_does_not_matter_whose_side_is_ours(scripts in scripts()) {
        let sample = Sample::of(&scripts);
        let merged = sample.merge();
        let other = merge(&sample.objects, &sample.base, &sample.theirs, &sample.ours).unwrap();
        prop_assert_eq!(subjects(&merged), subjects(&other));
        prop_assert!(subjects(&merged).is_sorted_by(|one, other| one < other));
        if merged.conflicts.is_empty() {
            let pages = |merged: &Merged| without_orders(&sample.objects, merged.snapshot);
            prop_assert_eq!(pages(&merged), pages(&other));
            prop_assert_eq!(merged.snapshot.files, other.snapshot.files);
            prop_assert_eq!(merged.snapshot.reusable_contents, other.snapshot.reusable_contents);
        }
    }

    #[test]
    fn no_page_and_no_line_is_lost(scripts in scripts()) {
        let sample = Sample::of(&scripts);
        let merged = sample.merge();
        let of = |snapshot| pages(&sample.objects, snapshot);
        let [base, ours, theirs, all] = [sample.base, sample.ours, sample.theirs, merged.snapshot].map(of);
        let conflicts = subjects(&merged);
        for id in base.keys().chain(ours.keys()).chain(theirs.keys()) {
            let (before, here, there, after) = (base.get(id), ours.get(id), theirs.get(id), all.get(id));
            if conflicts.contains(&ConflictObject::Page(*id)) {
                let side = |page: &Page| (page.parent, page.title.clone(), page.content.clone(), page.description.clone());
                prop_assert_eq!(here.map(side), after.map(side));
                continue;
            }
            let is_new = before.is_none() && (here.is_some() || there.is_some());
            if is_new || (here.is_some() && there.is_some()) {
                prop_assert!(after.is_some(), "{:?} is lost", id);
            }
            if after.is_none() || [before, here, there].iter().flatten().any(|page| page.document().is_none()) {
                continue;
            }
            if here.is_none() || there.is_none() {
                prop_assert_eq!(sample.text(after), sample.text(here.or(there)));
                continue;
            }
            let [before, here, there, after] = [before, here, there, after].map(|page| sample.text(page));
            for line in before.iter().chain(&here).chain(&there) {
                let (was, one, other) = (before.contains(line), here.contains(line), there.contains(line));
                let wanted = if was { one && other } else { one || other };
                prop_assert_eq!(after.contains(line), wanted, "{:?}", line);
            }
        }
    }

    #[test]
    fn nothing_on_one_side_changes_nothing(scripts in scripts()) {
        let Sample { objects, base, ours, .. } = Sample::of(&scripts);
        for merge in [merge, combine] {
            for (here, there) in [(ours, base), (base, ours), (ours, ours)] {
                let merged = merge(&objects, &base, &here, &there).unwrap();
                prop_assert_eq!(&merged.conflicts, &[]);
                prop_assert_eq!(merged.snapshot, ours);
            }
        }
    }

    #[test]
    fn the_result_is_a_tree_in_its_one_form(scripts in scripts()) {
        let sample = Sample::of(&scripts);
        check(&sample.objects, sample.ours);
        check(&sample.objects, sample.merge().snapshot);
    }

    #[test]
    fn conflicts_end_one_by_one(scripts in scripts(), turn in 0..1_000_usize) {
        let sample = Sample::of(&scripts);
        let Merged { snapshot, mut conflicts } = sample.merge();
        let turn = turn % conflicts.len().max(1);
        conflicts.rotate_left(turn);
        let theirs = pages(&sample.objects, sample.theirs);
        let mut head = snapshot;
        for MergeConflict { subject, .. } in conflicts {
            let Sample { objects, base, theirs: there, .. } = &sample;
            head = resolve(objects, subject, base, &head, there, Choice::Theirs).unwrap();
            check(objects, head);
            let ConflictObject::Page(id) = subject else { continue };
            let pages = Pages::of(objects, head);
            let side = |page: &Page| (page.title.clone(), page.content.clone(), page.description.clone());
            match (theirs.get(&id), pages.page(id).unwrap()) {
                (Some(wanted), found) => prop_assert_eq!(found.as_ref().map(side), Some(side(wanted))),
                (None, Some(_)) => prop_assert!(!pages.children(Some(id)).unwrap().is_empty(), "kept for others"),
                (None, None) => {}
            }
        }
    }
}
