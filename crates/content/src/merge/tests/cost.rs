//! The cost of merging.

use super::{
    super::merge,
    support::{book, edited},
};
use crate::objects::Objects;

#[test]
fn a_merge_writes_what_both_sides_changed() {
    for (size, most) in [(100, 6), (1_000, 10), (10_000, 12)] {
        let objects = Objects::default();
        let base = book(&objects, size);
        let ours = edited(&objects, base, |it| {
            it.write(size / 2, "# Ours\n\nFirst.\n\nSecond.\n\nThird.\n");
            it.title(size, "Ours");
        });
        let theirs = edited(&objects, base, |it| {
            it.write(size / 2, "# Page\n\nFirst.\n\nSecond.\n\nTheirs.\n");
            it.slug(size, "theirs");
        });
        let before = objects.fresh_count();
        let merged = merge(&objects, &base, &ours, &theirs).unwrap();
        assert_eq!(merged.conflicts.len(), 1, "the first line was changed by both");
        let theirs = edited(&objects, theirs, |it| {
            it.write(
                size / 2,
                &format!("# Page {}\n\nFirst.\n\nSecond.\n\nTheirs.\n", size / 2),
            );
        });
        let merged = merge(&objects, &base, &ours, &theirs).unwrap();
        assert_eq!(merged.conflicts.len(), 0);
        let written = objects.fresh_count() - before;
        assert!(written <= 3 * most, "{size}: {written}");
    }
}
