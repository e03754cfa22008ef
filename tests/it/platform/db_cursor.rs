//! Cursors cannot be made, changed or moved to another list by anyone but the server.

use entity::ids::UserId;
use entity::timestamp::Timestamp;
use platform::db::Cursors;
use proptest::prelude::*;
use uuid::Uuid;

type Key = (Timestamp, UserId);

fn cursors() -> Cursors {
    Cursors::new([7; 32])
}

fn key() -> Key {
    (
        Timestamp::from_millis(1_795_000_000_000),
        UserId::from_uuid(Uuid::from_u128(42)),
    )
}

#[test]
fn a_cursor_continues_its_own_list() {
    let scope = ("members", 1, "joinedAt", Some("ann"));
    let cursor = cursors().encode(&scope, &key()).unwrap();
    assert!(cursor.len() < 100, "{}", cursor.len());
    assert!(
        cursor
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    );
    assert_eq!(cursors().decode(&scope, &cursor), Some(key()));
}

#[test]
fn a_cursor_is_good_for_no_other_list() {
    let cursor = cursors().encode(&("members", "1", None::<&str>), &key()).unwrap();
    let others = [
        ("teams", "1", None),
        ("members", "2", None),
        ("members", "1", Some("")),
        ("member", "s1", None),
    ];
    for other in others {
        assert_eq!(cursors().decode::<Key>(&other, &cursor), None, "{other:?}");
    }
    assert_eq!(
        Cursors::new([8; 32]).decode::<Key>(&("members", "1", None::<&str>), &cursor),
        None
    );
}

#[test]
fn a_key_of_another_shape_is_refused() {
    let cursor = cursors().encode(&"users", &"text").unwrap();
    assert_eq!(cursors().decode::<Key>(&"users", &cursor), None);
}

proptest! {
    #[test]
    fn any_text_is_refused(text in ".{0,600}") {
        prop_assert_eq!(cursors().decode::<Key>(&"users", &text), None);
    }

    #[test]
    fn any_change_is_noticed(at in 0..60_usize, with in proptest::char::ranges(vec!['0'..='9', 'a'..='z'].into())) {
        let cursor = cursors().encode(&"users", &key()).unwrap();
        let mut changed: Vec<char> = cursor.chars().collect();
        let at = at % changed.len();
        changed[at] = with;
        let changed: String = changed.into_iter().collect();
        prop_assume!(changed != cursor);
        prop_assert_eq!(cursors().decode::<Key>(&"users", &changed), None);
    }
}
