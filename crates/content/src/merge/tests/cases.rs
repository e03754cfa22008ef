//! Merges of two edits with their expected results.

use entity::{authoring::change_requests::conflicts::ConflictKind as Kind, timestamp::Timestamp};

use super::{
    super::{Choice, ConflictObject, MergeConflict, merge, resolve},
    support::{Case, Edit, document, edited, file, file_id, id, reusable, reusable_id, sample},
};
use crate::{
    objects::Objects,
    pages::{MAX_DEPTH, Order, PageContent, Pages, Snapshot},
};

#[test]
fn a_rename_here_and_a_text_there_combine() {
    let case = Case::of(
        |it| {
            it.title(5, "Renamed");
            it.slug(5, "renamed");
        },
        |it| it.write(5, "one\ntwo\nTHREE\nfour\nfive\n"),
    );
    assert_eq!(case.conflicts(), []);
    assert_eq!(case.page(5).unwrap().title, "Renamed");
    assert_eq!(case.page(5).unwrap().slug, "renamed");
    assert_eq!(case.text(5), "one\ntwo\nTHREE\nfour\nfive\n");
}

#[test]
fn a_move_here_and_a_text_there_combine() {
    let case = Case::of(|it| it.move_below(5, Some(2)), |it| it.write(5, "other\n"));
    assert_eq!(case.conflicts(), []);
    assert_eq!(case.outline(), "1(3 4) 2(6 5)");
    assert_eq!(case.text(5), "other\n");
}

#[test]
fn different_metadata_of_a_page_combine() {
    let case = Case::of(
        |it| it.change(5, |page| page.emoji = Some("1f600".to_owned())),
        |it| {
            it.change(5, |page| {
                page.hidden = true;
                page.description = Some("What it is about".to_owned());
            });
        },
    );
    let page = case.page(5).unwrap();
    assert_eq!(case.conflicts(), []);
    assert_eq!((page.emoji.as_deref(), page.hidden), (Some("1f600"), true));
    assert_eq!(page.description.as_deref(), Some("What it is about"));
}

#[test]
fn texts_combine_line_by_line() {
    let case = Case::of(
        |it| it.write(5, "zero\none\ntwo\nthree\nfour\nfive\n"),
        |it| it.write(5, "one\ntwo\nthree\nFOUR\nfive\nsix\n"),
    );
    assert_eq!(case.conflicts(), []);
    assert_eq!(case.text(5), "zero\none\ntwo\nthree\nFOUR\nfive\nsix\n");
}

#[test]
fn equal_changes_are_no_conflict() {
    let both = |it: &mut Edit<'_>| {
        it.write(5, "the same\n");
        it.title(4, "The same");
        it.move_below(3, None);
        it.delete(6);
    };
    let case = Case::of(both, both);
    assert_eq!(case.conflicts(), []);
    assert_eq!(case.merged.snapshot, case.ours);
    let case = Case::of(both, |it| {
        both(it);
        it.title(1, "More");
    });
    assert_eq!(case.conflicts(), []);
    assert_eq!(case.merged.snapshot, case.theirs);
}

#[test]
fn the_same_lines_are_an_edit_conflict_and_our_page_stays_whole() {
    let case = Case::of(
        |it| it.write(5, "ours\n"),
        |it| {
            it.write(5, "theirs\n");
            it.title(5, "Theirs");
            it.title(4, "Also theirs");
        },
    );
    assert_eq!(case.conflicts(), [(5, Kind::EditEdit)]);
    assert_eq!(case.text(5), "ours\n");
    assert_eq!(case.page(5).unwrap().title, "Page 5");
    assert_eq!(case.page(4).unwrap().title, "Also theirs");
}

#[test]
fn the_same_metadata_in_different_ways_conflict() {
    let case = Case::of(|it| it.title(5, "Ours"), |it| it.title(5, "Theirs"));
    assert_eq!(case.conflicts(), [(5, Kind::Metadata)]);
    assert_eq!(case.page(5).unwrap().title, "Ours");
    let case = Case::of(|it| it.slug(5, "ours"), |it| it.slug(5, "theirs"));
    assert_eq!(case.conflicts(), [(5, Kind::Metadata)]);
}

#[test]
fn a_page_that_becomes_a_group_conflicts_with_its_text() {
    let group = |it: &mut Edit<'_>| it.change(5, |page| page.content = PageContent::Group);
    let case = Case::of(group, |it| it.write(5, "text\n"));
    assert_eq!(case.conflicts(), [(5, Kind::EditEdit)]);
    assert_eq!(case.page(5).unwrap().content, PageContent::Group);
    let case = Case::of(group, |it| it.title(5, "Group"));
    assert_eq!(case.conflicts(), []);
    assert_eq!(case.page(5).unwrap().content, PageContent::Group);
}

#[test]
fn moves_to_different_pages_conflict() {
    let case = Case::of(|it| it.move_below(5, Some(2)), |it| it.move_below(5, Some(4)));
    assert_eq!(case.conflicts(), [(5, Kind::MoveMove)]);
    assert_eq!(case.outline(), "1(3 4) 2(6 5)");
}

#[test]
fn reordering_never_conflicts() {
    let case = Case::of(|it| it.put_first(4), |it| it.put_first(2));
    assert_eq!((case.conflicts(), case.outline().as_str()), (vec![], "2(6) 1(4 3(5))"));
    let behind = |it: &mut Edit<'_>| {
        it.change(4, |page| page.order = Order::between(Some(&page.order), None).unwrap());
    };
    for (case, outline) in [
        (Case::of(|it| it.put_first(4), behind), "1(4 3(5)) 2(6)"),
        (Case::of(behind, |it| it.put_first(4)), "1(3(5) 4) 2(6)"),
    ] {
        assert_eq!(
            (case.conflicts(), case.outline().as_str()),
            (vec![], outline),
            "ours wins"
        );
    }
}

#[test]
fn an_order_of_ours_goes_with_a_move_of_theirs() {
    let case = Case::of(|it| it.put_first(4), |it| it.move_below(4, Some(2)));
    assert_eq!((case.conflicts(), case.outline().as_str()), (vec![], "1(3(5)) 2(6 4)"));
}

#[test]
fn deletions_of_one_side_hold() {
    let case = Case::of(|it| it.delete(3), |it| it.title(4, "Still there"));
    assert_eq!((case.conflicts(), case.outline().as_str()), (vec![], "1(4) 2(6)"));
    let case = Case::of(|it| it.title(4, "Still there"), |it| it.delete(3));
    assert_eq!((case.conflicts(), case.outline().as_str()), (vec![], "1(4) 2(6)"));
}

#[test]
fn an_order_does_not_keep_a_page_from_being_deleted() {
    let case = Case::of(|it| it.put_first(4), |it| it.delete(4));
    assert_eq!((case.conflicts(), case.outline().as_str()), (vec![], "1(3(5)) 2(6)"));
}

#[test]
fn our_edits_stay_with_pages_above_where_they_delete() {
    let case = Case::of(|it| it.write(5, "edited\n"), |it| it.delete(1));
    assert_eq!(case.conflicts(), [(5, Kind::EditDelete)]);
    assert_eq!(case.outline(), "1(3(5)) 2(6)");
    assert_eq!(case.text(5), "edited\n");
}

#[test]
fn their_edits_are_recorded_where_we_delete() {
    let case = Case::of(|it| it.delete(1), |it| it.write(5, "edited\n"));
    assert_eq!(case.conflicts(), [(5, Kind::DeleteEdit)]);
    assert_eq!(case.outline(), "2(6)");
}

#[test]
fn a_page_that_is_added_below_a_deleted_one_conflicts() {
    let case = Case::of(|it| it.add(7, Some(5)), |it| it.delete(3));
    assert_eq!(case.conflicts(), [(7, Kind::EditDelete)]);
    assert_eq!(case.outline(), "1(3(5(7)) 4) 2(6)");
    let case = Case::of(|it| it.delete(3), |it| it.add(7, Some(5)));
    assert_eq!(case.conflicts(), [(7, Kind::DeleteEdit)]);
    assert_eq!(case.outline(), "1(4) 2(6)");
}

#[test]
fn pages_added_below_each_other_below_a_deleted_one_all_conflict() {
    let add = |it: &mut Edit<'_>| {
        for number in 7..=9 {
            it.add(number, Some(number - if number == 7 { 2 } else { 1 }));
        }
    };
    let case = Case::of(|it| it.delete(3), add);
    assert_eq!(
        case.conflicts(),
        [(7, Kind::DeleteEdit), (8, Kind::DeleteEdit), (9, Kind::DeleteEdit)]
    );
    assert_eq!(case.outline(), "1(4) 2(6)");
    let case = Case::of(add, |it| it.delete(3));
    assert_eq!(case.outline(), "1(3(5(7(8(9)))) 4) 2(6)");
}

#[test]
fn a_page_moved_below_one_that_the_other_deleted_conflicts() {
    let case = Case::of(|it| it.move_below(6, Some(5)), |it| it.delete(3));
    assert_eq!(case.conflicts(), [(6, Kind::MoveDelete)]);
    assert_eq!(case.outline(), "1(3(5(6)) 4) 2");
    let case = Case::of(|it| it.delete(3), |it| it.move_below(6, Some(5)));
    assert_eq!(case.conflicts(), [(6, Kind::DeleteMove)]);
    assert_eq!(case.outline(), "1(4) 2(6)");
}

#[test]
fn a_page_that_one_moved_and_the_other_deleted_conflicts() {
    let case = Case::of(|it| it.move_below(5, Some(2)), |it| it.delete(5));
    assert_eq!(case.conflicts(), [(5, Kind::MoveDelete)]);
    assert_eq!(case.outline(), "1(3 4) 2(6 5)");
    let case = Case::of(|it| it.delete(3), |it| it.move_below(5, Some(2)));
    assert_eq!(case.conflicts(), [(5, Kind::DeleteMove)]);
    assert_eq!(case.outline(), "1(4) 2(6)");
}

#[test]
fn two_pages_below_each_other_conflict() {
    let case = Case::of(|it| it.move_below(1, Some(2)), |it| it.move_below(2, Some(1)));
    assert_eq!(case.conflicts(), [(1, Kind::MoveMove), (2, Kind::MoveMove)]);
    assert_eq!(case.outline(), "2(6 1(3(5) 4))");
    let longer = Case::of(|it| it.move_below(1, Some(6)), |it| it.move_below(2, Some(5)));
    assert_eq!(longer.conflicts(), [(1, Kind::MoveMove), (2, Kind::MoveMove)]);
    assert_eq!(longer.outline(), "2(6(1(3(5) 4)))");
}

#[test]
fn a_cycle_through_new_pages_conflicts_where_pages_moved() {
    let case = Case::of(
        |it| it.move_below(1, Some(2)),
        |it| {
            it.add(7, Some(5));
            it.move_below(2, Some(7));
        },
    );
    assert_eq!(case.conflicts(), [(1, Kind::MoveMove), (2, Kind::MoveMove)]);
    assert_eq!(case.outline(), "2(6 1(3(5(7)) 4))");
}

#[test]
fn the_same_slug_of_two_new_pages_gets_a_number() {
    let add = |number: u128| {
        move |it: &mut Edit<'_>| {
            it.add(number, Some(4));
            it.slug(number, "new");
        }
    };
    for case in [Case::of(add(7), add(8)), Case::of(add(8), add(7))] {
        assert_eq!(case.conflicts(), []);
        assert_eq!(
            (case.page(7).unwrap().slug, case.page(8).unwrap().slug),
            ("new".to_owned(), "new-2".to_owned())
        );
    }
    let case = Case::of(add(8), |it| {
        add(7)(it);
        it.add(9, Some(4));
        it.slug(9, "new-2");
    });
    assert_eq!(case.page(8).unwrap().slug, "new-3");
}

#[test]
fn a_page_that_always_had_a_slug_keeps_it() {
    // Page 3 gets the slug and the place of page 6 from different sides, neither of which has both.
    let case = Case::of(|it| it.slug(3, "page-6"), |it| it.move_below(3, Some(2)));
    assert_eq!(case.conflicts(), []);
    assert_eq!(
        (case.page(6).unwrap().slug, case.page(3).unwrap().slug),
        ("page-6".to_owned(), "page-6-2".to_owned())
    );
}

#[test]
fn pages_may_take_the_slugs_of_each_other() {
    let case = Case::of(
        |it| it.title(1, "Other"),
        |it| {
            it.slug(3, "tmp");
            it.slug(4, "page-3");
            it.slug(3, "page-4");
        },
    );
    assert_eq!(case.conflicts(), []);
    assert_eq!(
        (case.page(3).unwrap().slug, case.page(4).unwrap().slug),
        ("page-4".to_owned(), "page-3".to_owned())
    );
    assert_eq!(case.outline(), "1(3(5) 4) 2(6)");
}

#[test]
fn a_long_slug_makes_room_for_its_number() {
    let long = "é".repeat(100);
    let add = |number: u128| {
        let long = long.clone();
        move |it: &mut Edit<'_>| {
            it.add(number, None);
            it.slug(number, &long);
        }
    };
    let case = Case::of(add(7), add(8));
    assert_eq!(case.page(8).unwrap().slug, format!("{}-2", "é".repeat(98)));
}

/// A way of pages from the top, each below the one before it.
fn way(it: &mut Edit<'_>, from: u128, count: usize) {
    for number in from..from + count as u128 {
        it.add(number, (number > from).then(|| number - 1));
    }
}

#[test]
fn pages_do_not_become_too_deep_together() {
    let objects = Objects::default();
    let base = edited(&objects, Snapshot::default(), |it| {
        way(it, 100, 20);
        way(it, 200, 10);
        way(it, 300, 10);
    });
    let ours = edited(&objects, base, |it| it.move_below(200, Some(119)));
    let fits = edited(&objects, base, |it| it.move_below(302, Some(209)));
    let deeper = edited(&objects, base, |it| it.move_below(300, Some(209)));
    let first = edited(&objects, base, |it| it.move_below(308, Some(209)));
    let merged = merge(&objects, &base, &ours, &first).unwrap();
    assert_eq!(merged.conflicts, []);
    let deepest = Pages::of(&objects, merged.snapshot);
    let page = deepest.page(id(309)).unwrap().unwrap();
    assert_eq!(deepest.ancestors(&page).unwrap().len() + 1, MAX_DEPTH);
    for theirs in [fits, deeper] {
        let merged = merge(&objects, &base, &ours, &theirs).unwrap();
        let moved = if theirs == deeper { 300 } else { 302 };
        let conflict = |number| MergeConflict {
            subject: ConflictObject::Page(id(number)),
            kind: Kind::MoveMove,
        };
        assert_eq!(merged.conflicts, [conflict(200), conflict(moved)]);
        assert_eq!(merged.snapshot, ours);
    }
}

#[test]
fn times_never_conflict() {
    let time = Timestamp::from_millis;
    let at = |created: i64, updated: i64| {
        move |it: &mut Edit<'_>| {
            it.change(5, |page| {
                page.created_at = Some(time(created));
                page.updated_at = Some(time(updated));
            });
        }
    };
    let case = Case::of(at(10, 30), at(20, 40));
    let page = case.page(5).unwrap();
    assert_eq!(case.conflicts(), []);
    assert_eq!((page.created_at, page.updated_at), (Some(time(10)), Some(time(40))));
}

#[test]
fn files_combine_by_name_and_bytes() {
    let objects = Objects::default();
    let base = edited(&objects, sample(&objects), |it| {
        for number in 1..=4 {
            it.0.put_file(file(number, "a.png", "bytes"));
        }
    });
    let ours = edited(&objects, base, |it| {
        it.0.put_file(file(1, "b.png", "bytes"));
        it.0.put_file(file(2, "a.png", "ours"));
        it.0.put_file(file(3, "a.png", "ours"));
        it.0.remove_file(file_id(4));
    });
    let theirs = edited(&objects, base, |it| {
        it.0.put_file(file(1, "a.png", "theirs"));
        it.0.put_file(file(2, "a.png", "theirs"));
        it.0.remove_file(file_id(3));
        it.0.put_file(file(5, "new.png", "new"));
    });
    let merged = merge(&objects, &base, &ours, &theirs).unwrap();
    let kind = Kind::File;
    let conflict = |number| MergeConflict {
        subject: ConflictObject::File(file_id(number)),
        kind,
    };
    assert_eq!(merged.conflicts, [conflict(2), conflict(3)]);
    let read = |snapshot, number| Pages::of(&objects, snapshot).file(file_id(number)).unwrap();
    assert_eq!(read(merged.snapshot, 1), Some(file(1, "b.png", "theirs")));
    assert_eq!(read(merged.snapshot, 2), Some(file(2, "a.png", "ours")));
    assert_eq!(read(merged.snapshot, 3), Some(file(3, "a.png", "ours")));
    assert_eq!(read(merged.snapshot, 4), None);
    assert_eq!(read(merged.snapshot, 5), Some(file(5, "new.png", "new")));
    let resolved = resolve(
        &objects,
        ConflictObject::File(file_id(3)),
        &base,
        &merged.snapshot,
        &theirs,
        Choice::Theirs,
    );
    assert_eq!(read(resolved.unwrap(), 3), None);
}

#[test]
fn reusable_contents_combine_by_title_and_text() {
    let objects = Objects::default();
    let put = |base, texts: [(&str, &str); 2]| {
        edited(&objects, base, |it| {
            for (number, (title, text)) in (1..).zip(texts) {
                it.0.put_reusable_content(reusable(&objects, number, title, text));
            }
        })
    };
    let base = put(sample(&objects), [("A", "one\ntwo\nthree\n"), ("B", "text\n")]);
    let ours = put(base, [("A", "ONE\ntwo\nthree\n"), ("B", "ours\n")]);
    let theirs = put(base, [("Other", "one\ntwo\nTHREE\n"), ("B", "theirs\n")]);
    let merged = merge(&objects, &base, &ours, &theirs).unwrap();
    let subject = ConflictObject::ReusableContent(reusable_id(2));
    assert_eq!(
        merged.conflicts,
        [MergeConflict {
            subject,
            kind: Kind::ReusableContent
        }]
    );
    let read = |snapshot, number| {
        Pages::of(&objects, snapshot)
            .reusable_content(reusable_id(number))
            .unwrap()
    };
    assert_eq!(
        read(merged.snapshot, 1),
        Some(reusable(&objects, 1, "Other", "ONE\ntwo\nTHREE\n"))
    );
    assert_eq!(read(merged.snapshot, 2), Some(reusable(&objects, 2, "B", "ours\n")));
    let resolved = resolve(&objects, subject, &base, &merged.snapshot, &theirs, Choice::Theirs).unwrap();
    assert_eq!(read(resolved, 2), Some(reusable(&objects, 2, "B", "theirs\n")));
}

#[test]
fn an_empty_text_is_no_document() {
    let case = Case::of(
        |it| it.write(5, "three\nfour\nfive\n"),
        |it| it.write(5, "one\ntwo\nthree\n"),
    );
    assert_eq!(case.text(5), "three\n");
    let objects = Objects::default();
    let base = edited(&objects, sample(&objects), |it| it.write(5, "a\nb\nc\n"));
    let ours = edited(&objects, base, |it| it.write(5, "b\n"));
    assert_eq!(document(&objects, ""), PageContent::of(None));
    let theirs = edited(&objects, base, |it| it.write(5, ""));
    let merged = merge(&objects, &base, &ours, &theirs).unwrap();
    assert_eq!(merged.conflicts.len(), 1);
}
