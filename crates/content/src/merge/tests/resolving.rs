//! Ending conflicts, one by one.

use entity::authoring::change_requests::conflicts::ConflictKind as Kind;

use super::{
    super::{Choice, ConflictObject, resolve},
    support::{Case, id, outline},
};
use crate::pages::{Pages, Snapshot};

/// Our content after their side of these pages was chosen, one after the other.
fn chosen(case: &Case, pages: impl IntoIterator<Item = u128>) -> Snapshot {
    let choose = |ours: Snapshot, number: u128| {
        let subject = ConflictObject::Page(id(number));
        resolve(&case.objects, subject, &case.base, &ours, &case.theirs, Choice::Theirs).unwrap()
    };
    pages.into_iter().fold(case.merged.snapshot, choose)
}

#[test]
fn our_side_is_what_is_there() {
    let case = Case::of(|it| it.write(5, "ours\n"), |it| it.write(5, "theirs\n"));
    let subject = ConflictObject::Page(id(5));
    let head = case.merged.snapshot;
    let resolved = resolve(&case.objects, subject, &case.base, &head, &case.theirs, Choice::Ours);
    assert_eq!(resolved.unwrap(), head);
    assert_eq!(chosen(&case, [5]), case.theirs);
}

#[test]
fn their_side_brings_back_what_we_deleted() {
    let case = Case::of(
        |it| it.delete(1),
        |it| {
            it.write(5, "edited\n");
            it.slug(3, "three");
        },
    );
    assert_eq!(case.conflicts(), [(3, Kind::DeleteEdit), (5, Kind::DeleteEdit)]);
    assert_eq!(outline(&case.objects, chosen(&case, [5])), "1(3(5)) 2(6)");
    assert_eq!(outline(&case.objects, chosen(&case, [3])), "1(3) 2(6)");
}

#[test]
fn their_side_deletes_what_was_kept() {
    let case = Case::of(|it| it.write(5, "edited\n"), |it| it.delete(1));
    assert_eq!(chosen(&case, [5]), case.theirs);
    let case = Case::of(
        |it| {
            it.title(3, "Edited");
            it.add(7, Some(3));
        },
        |it| it.delete(1),
    );
    assert_eq!(case.conflicts(), [(3, Kind::EditDelete), (7, Kind::EditDelete)]);
    assert_eq!(outline(&case.objects, chosen(&case, [3])), "1(3(7)) 2(6)");
    assert_eq!(chosen(&case, [3, 7]), case.theirs);
    assert_eq!(chosen(&case, [7, 3]), case.theirs);
}

#[test]
fn their_side_of_pages_below_each_other_can_be_chosen_in_any_order() {
    let case = Case::of(|it| it.move_below(1, Some(6)), |it| it.move_below(2, Some(5)));
    assert_eq!(chosen(&case, [1, 2]), case.theirs);
    assert_eq!(chosen(&case, [2, 1]), case.theirs);
}

#[test]
fn their_side_gets_another_slug_if_ours_has_it() {
    let case = Case::of(
        |it| {
            it.title(5, "Ours");
            it.slug(6, "taken");
            it.move_below(6, None);
        },
        |it| {
            it.title(5, "Theirs");
            it.slug(5, "taken");
            it.move_below(5, None);
        },
    );
    assert_eq!(case.conflicts(), [(5, Kind::Metadata)]);
    let pages = Pages::of(&case.objects, chosen(&case, [5]));
    assert_eq!(pages.page_at(None, "taken").unwrap().unwrap().id, id(5));
    assert_eq!(pages.page_at(None, "taken-2").unwrap().unwrap().id, id(6));
}
