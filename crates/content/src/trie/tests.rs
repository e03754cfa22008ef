//! Against maps of the standard library.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Changes, Difference, Trie};
use crate::objects::{Objects, node::MAX_LEAF_ENTRIES};

/// Few keys, many of which share long beginnings.
fn key() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(0_u8), Just(1), Just(16), Just(17), any::<u8>()];
    proptest::collection::vec(byte, 4)
}

fn changes() -> impl Strategy<Value = Changes> {
    let value = proptest::option::weighted(0.7, proptest::collection::vec(any::<u8>(), 0..3));
    proptest::collection::btree_map(key(), value, 0..80)
}

fn apply(model: &mut BTreeMap<Vec<u8>, Vec<u8>>, changes: &Changes) {
    for (key, value) in changes {
        match value {
            Some(value) => model.insert(key.clone(), value.clone()),
            None => model.remove(key),
        };
    }
}

fn of(objects: &Objects, model: &BTreeMap<Vec<u8>, Vec<u8>>) -> Trie {
    let all = model.iter().map(|(key, value)| (key.clone(), Some(value.clone())));
    Trie::default().changed(objects, &all.collect()).unwrap()
}

fn differences(one: &BTreeMap<Vec<u8>, Vec<u8>>, other: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<Difference> {
    let keys: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let all = keys.into_iter().map(|key| Difference {
        key: key.clone(),
        before: one.get(key).cloned(),
        after: other.get(key).cloned(),
    });
    all.filter(|it| it.before != it.after).collect()
}

proptest! {
    #[test]
    fn a_trie_is_a_map_with_one_form(steps in proptest::collection::vec(changes(), 1..6)) {
        let objects = Objects::default();
        let (mut model, mut trie) = (BTreeMap::new(), Trie::default());
        for step in &steps {
            let (old_model, old_trie) = (model.clone(), trie);
            apply(&mut model, step);
            trie = trie.changed(&objects, step).unwrap();
            prop_assert_eq!(trie, of(&objects, &model));
            prop_assert_eq!(trie.len() as usize, model.len());
            prop_assert_eq!(old_trie.differences(&objects, &trie).unwrap(), differences(&old_model, &model));
            for key in model.keys().chain(step.keys()) {
                prop_assert_eq!(trie.get(&objects, key).unwrap(), model.get(key).cloned());
            }
        }
    }

    #[test]
    fn a_trie_is_read_in_order(content in changes(), from in proptest::option::of(key()), limit in 0_usize..40) {
        let objects = Objects::default();
        let mut model = BTreeMap::new();
        apply(&mut model, &content);
        let trie = of(&objects, &model);
        let read = |entries: Vec<super::TrieEntry>| entries.into_iter().map(|it| it.key).collect::<Vec<_>>();
        let behind = model.keys().filter(|key| from.as_ref().is_none_or(|from| *key > from)).take(limit);
        prop_assert_eq!(read(trie.after(&objects, from.as_deref(), limit).unwrap()), behind.cloned().collect::<Vec<_>>());
        for length in 0..=4 {
            let prefix = from.clone().unwrap_or_default();
            let prefix = &prefix[..length.min(prefix.len())];
            let wanted = model.keys().filter(|key| key.starts_with(prefix)).cloned().collect::<Vec<_>>();
            prop_assert_eq!(read(trie.with_prefix(&objects, prefix).unwrap()), wanted);
        }
    }
}

#[test]
fn a_change_writes_one_node_for_each_level() {
    let objects = Objects::default();
    let key = |at: u32| at.wrapping_mul(2_654_435_761).to_be_bytes().to_vec();
    for (size, most) in [(10, 1), (100, 2), (1_000, 4), (10_000, 5), (100_000, 6)] {
        let all = (0..size).map(|at| (key(at), Some(vec![0])));
        let trie = Trie::default().changed(&objects, &all.collect()).unwrap();
        let before = objects.fresh_count();
        let changed = trie
            .changed(&objects, &Changes::from([(key(5), Some(vec![1]))]))
            .unwrap();
        assert!(
            objects.fresh_count() - before <= most,
            "{size}: {}",
            objects.fresh_count() - before
        );
        assert_eq!(trie.differences(&objects, &changed).unwrap().len(), 1);
    }
}

#[test]
fn a_leaf_holds_what_it_says() {
    let objects = Objects::default();
    let all = |count: u8| (0..count).map(|at| (vec![at], Some(vec![]))).collect::<Changes>();
    let full = Trie::default().changed(&objects, &all(MAX_LEAF_ENTRIES as u8)).unwrap();
    assert_eq!(objects.fresh_count(), 1);
    let more = full.changed(&objects, &all(MAX_LEAF_ENTRIES as u8 + 1)).unwrap();
    let less = more
        .changed(&objects, &Changes::from([(vec![MAX_LEAF_ENTRIES as u8], None)]))
        .unwrap();
    assert_eq!(less, full);
}
