//! Ids of imported pages: the same again for the same directory.

use bindery::areas::exchange::import::ids::ImportIds;
use entity::ids::RevisionId;
use uuid::Uuid;

const BASE: u128 = 0x0190_1234_5678_7000_8000_0000_0000_0001;

fn ids(base: u128, files: &[(&str, u64)]) -> ImportIds {
    let listing = files.iter().map(|(path, size)| ((*path).to_owned(), *size)).collect();
    ImportIds::new(RevisionId::from_uuid(Uuid::from_u128(base)), &[], &listing)
}

fn first(ids: &ImportIds, count: usize) -> Vec<Uuid> {
    (0..count).map(|_| ids.next()).collect()
}

#[test]
fn the_same_directory_has_the_same_ids_on_the_same_content() {
    let files = [("a.md", 1), ("b.md", 2)];
    let found = first(&ids(BASE, &files), 20);
    assert_eq!(found, first(&ids(BASE, &files), 20));
    let others = [
        ids(BASE + 1, &files),
        ids(BASE, &[("a.md", 1), ("b.md", 3)]),
        ids(BASE, &[("a.md", 1)]),
    ];
    for other in others {
        assert!(first(&other, 20).iter().all(|id| !found.contains(id)));
    }
}

#[test]
fn ids_increase_and_have_the_time_of_the_base() {
    let found = first(&ids(BASE, &[]), 200_000);
    assert!(found.is_sorted_by(|one, next| one < next));
    for id in [found[0], found[found.len() - 1]] {
        assert_eq!((id.get_version_num(), id.as_u128() >> 80), (7, 0x0190_1234_5678));
    }
}
