//! The order in which keys get places.

use std::time::Duration;

use tokio::{task::yield_now, time::timeout};
use turns::{Turn, Turns};

/// Lets the tasks that were spawned before run until they wait.
async fn settle() {
    for _ in 0..10 {
        yield_now().await;
    }
}

fn wait(turns: &Turns<char>, key: char, order: &std::sync::mpsc::Sender<char>) {
    let (turns, order) = (turns.clone(), order.clone());
    tokio::spawn(async move {
        let turn: Turn<char> = turns.take(key).await;
        assert!(order.send(key).is_ok());
        // Whoever is next runs before this one ends, unless the place is held.
        yield_now().await;
        drop(turn);
    });
}

#[tokio::test]
async fn keys_take_turns() {
    let turns = Turns::new(1, 1);
    let first = turns.take('a').await;
    let (sender, order) = std::sync::mpsc::channel();
    for key in "aaaabbc".chars() {
        wait(&turns, key, &sender);
        settle().await;
    }
    drop(first);
    for _ in 0..20 {
        settle().await;
    }
    assert_eq!(order.try_iter().collect::<String>(), "bcabaaa");
    assert_eq!(turns.keys(), 0);
}

#[tokio::test]
async fn key_has_at_most_its_share() {
    let turns = Turns::new(3, 2);
    let held = [turns.take('a').await, turns.take('a').await];
    let waiting = turns.take('a');
    tokio::pin!(waiting);
    assert!(timeout(Duration::ZERO, &mut waiting).await.is_err());
    let other = timeout(Duration::ZERO, turns.take('b')).await;
    assert!(other.is_ok());
    let [one, _two] = held;
    drop(one);
    assert!(timeout(Duration::from_secs(10), waiting).await.is_ok());
}

#[tokio::test]
async fn place_goes_to_the_next_when_a_waiter_leaves() {
    let turns = Turns::new(1, 1);
    let held = turns.take('a').await;
    let left = tokio::spawn({
        let turns = turns.clone();
        async move { drop(turns.take('b').await) }
    });
    settle().await;
    left.abort();
    let next = tokio::spawn({
        let turns = turns.clone();
        async move { drop(turns.take('c').await) }
    });
    settle().await;
    drop(held);
    timeout(Duration::from_secs(10), next).await.unwrap().unwrap();
}

#[tokio::test]
async fn dropped_turn_that_was_given_frees_its_place() {
    let turns = Turns::new(1, 1);
    let held = turns.take('a').await;
    let mut given = Box::pin(turns.take('b'));
    assert!(timeout(Duration::ZERO, &mut given).await.is_err());
    drop(held);
    // The place was given to the future, which is dropped without having seen it.
    drop(given);
    assert!(timeout(Duration::from_secs(10), turns.take('c')).await.is_ok());
}
