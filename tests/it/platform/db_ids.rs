//! New ids and the time they are made from.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use entity::ids::{Id, UserId};
use entity::timestamp::Timestamp;
use platform::db::{Clock, IdSource};

#[test]
fn ids_increase_whatever_the_clock_does() {
    let start = Timestamp::from_millis(1_795_000_000_000);
    let (clock, hand) = Clock::manual(start);
    let ids = IdSource::new(clock.clone());
    let mut made: Vec<UserId> = Vec::new();
    for step in [0, 1, 1000, -5000, 0, 60_000] {
        hand.advance(TimeDelta::milliseconds(step));
        made.extend((0..1000).map(|_| ids.next::<UserId>()));
    }
    assert!(made.is_sorted_by(|a, b| a < b));
    assert!(made.is_sorted_by(|a, b| a.to_string() < b.to_string()));
    assert_eq!(clock.now(), Timestamp::from_millis(1_795_000_056_001));
    hand.set(start);
    assert_eq!(clock.now(), start);
}

/// The clock of the other process was a year ahead. Ids hold no further than that one, and follow the clock where it is later.
#[test]
fn ids_continue_after_those_of_another_process() {
    let now = Timestamp::from_millis(1_795_000_000_000);
    for difference in [TimeDelta::days(365), TimeDelta::zero(), TimeDelta::days(-365)] {
        let (other, _hand) = Clock::manual(now.plus(difference));
        let last: UserId = IdSource::new(other).next();
        let (clock, hand) = Clock::manual(now);
        let ids = IdSource::new(clock);
        ids.continue_after(last.as_uuid());
        let mut made = vec![last, ids.next(), ids.next()];
        hand.advance(TimeDelta::days(366));
        made.push(ids.next());
        assert!(made.is_sorted_by(|a, b| a < b), "{made:?}");
        let (seconds, _) = made[3].as_uuid().get_timestamp().unwrap().to_unix();
        assert_eq!(
            i64::try_from(seconds).unwrap(),
            now.plus(TimeDelta::days(366)).as_millis() / 1000
        );
    }
}

#[test]
fn ids_made_by_many_threads_are_distinct() {
    let ids = IdSource::new(Clock::system());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let ids = ids.clone();
            std::thread::spawn(move || (0..5000).map(|_| ids.next::<UserId>()).collect::<Vec<_>>())
        })
        .collect();
    let mut all = BTreeSet::new();
    for thread in threads {
        let made = thread.join().unwrap();
        assert!(made.is_sorted_by(|a, b| a < b));
        all.extend(made);
    }
    assert_eq!(all.len(), 20_000);
}

#[test]
fn ids_carry_the_time_of_the_clock() {
    let (clock, _hand) = Clock::manual(Timestamp::from_millis(1_795_000_000_123));
    let id: UserId = IdSource::new(clock).next();
    let (seconds, nanos) = id.as_uuid().get_timestamp().unwrap().to_unix();
    assert_eq!((seconds, nanos), (1_795_000_000, 123_000_000));
}

/// Ids that cannot be parsed become the nil id, so that they match nothing.
#[test]
fn no_id_is_nil() {
    let (clock, _hand) = Clock::manual(Timestamp::from_millis(0));
    let ids = IdSource::new(clock);
    let nil = UserId::parse_or_nil("");
    assert_eq!(nil.to_string(), "0".repeat(26));
    for id in [ids.next::<UserId>(), ids.secret().unwrap()] {
        // The version is a part of the id that no clock and no random number makes zero.
        assert_eq!(id.as_uuid().get_version_num(), 7);
        assert_ne!(id, nil);
    }
}
