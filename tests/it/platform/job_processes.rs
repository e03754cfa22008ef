//! Several processes and one job queue: each job runs in one of them at a time, whatever happens to the process.

use std::time::Duration;

use chrono::TimeDelta;
use entity::platform::jobs::{Column, Entity, JobState};
use platform::jobs::{Kinds, Runner};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};

use crate::support::{
    database::{TestDatabase, on_each_database},
    jobs::{Daily, Node, PATIENCE, Work},
};

/// The time after which a process that does not renew its leases counts as dead.
const LEASE: TimeDelta = TimeDelta::seconds(30);

on_each_database![
    a_dead_process_is_replaced_when_its_lease_has_ended,
    a_process_that_lost_its_lease_changes_nothing,
    the_lease_of_a_long_job_is_renewed,
    a_job_that_ends_its_process_is_given_up,
    a_process_claims_no_more_than_it_may_run,
    processes_share_the_jobs,
    periodic_jobs_run_once_in_each_interval,
    periodic_jobs_never_fail_for_good,
    a_runner_is_woken_and_stops_gracefully,
    a_runner_does_not_wait_for_ever,
];

async fn a_dead_process_is_replaced_when_its_lease_has_ended(database: TestDatabase) {
    let (node, clock) = Node::new(&database).await;
    let mut other = node.another(&database).await;
    node.enqueue(&[Work::Wait]).await;
    let probe = node.probe.clone();
    let process = node.start();
    probe.begun().await;
    process.abort();
    assert!(process.await.unwrap_err().is_cancelled());
    other.probe.release();
    clock.advance(LEASE - TimeDelta::milliseconds(1));
    assert_eq!(other.run_due().await, 0);
    clock.advance(TimeDelta::milliseconds(1));
    assert_eq!(other.run_due().await, 1);
    assert_eq!(other.job().await.attempts, 2);
}

async fn a_process_that_lost_its_lease_changes_nothing(database: TestDatabase) {
    let (mut slow, clock) = Node::new(&database).await;
    let mut other = slow.another(&database).await;
    slow.enqueue(&[Work::Wait]).await;
    let probe = slow.probe.clone();
    let takeover = async {
        probe.begun().await;
        clock.advance(LEASE * 2);
        other.probe.release();
        assert_eq!(other.run_due().await, 1);
        probe.release();
    };
    let (_, ()) = tokio::join!(slow.run_due(), takeover);
    let job = other.job().await;
    assert_eq!((job.state, job.attempts), (JobState::Succeeded, 2));
}

async fn the_lease_of_a_long_job_is_renewed(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    let mut other = node.another(&database).await;
    node.enqueue(&[Work::Wait]).await;
    let probe = node.probe.clone();
    let watch = async {
        probe.begun().await;
        for _ in 0..2 {
            clock.advance(LEASE * 3 / 4);
            let now = other.clock.now();
            while other.job().await.next_attempt_at.unwrap() < now.plus(LEASE) {
                sleep(Duration::from_millis(50)).await;
            }
        }
        assert_eq!((other.run_due().await, other.probe.runs()), (0, 0));
        probe.release();
    };
    let (succeeded, ()) = tokio::join!(node.run_due(), watch);
    assert_eq!((succeeded, node.job().await.attempts), (1, 1));
}

async fn a_job_that_ends_its_process_is_given_up(database: TestDatabase) {
    let (first, clock) = Node::new(&database).await;
    first.enqueue(&[Work::Wait]).await;
    for _ in 0..12 {
        let node = Node::of(first.db.clone(), first.clock.clone());
        let probe = node.probe.clone();
        let process = node.start();
        probe.begun().await;
        process.abort();
        process.await.unwrap_err();
        clock.advance(LEASE);
    }
    let mut last = Node::of(first.db.clone(), first.clock.clone());
    assert_eq!((last.run_due().await, last.probe.runs()), (0, 0));
    let job = last.job().await;
    assert_eq!((job.state, job.attempts), (JobState::Failed, 12));
    assert_eq!(
        job.last_error.as_deref(),
        Some("The job was begun 12 times and never ended.")
    );
}

async fn a_process_claims_no_more_than_it_may_run(database: TestDatabase) {
    let (mut node, _) = Node::new(&database).await;
    node.enqueue(&[Work::Wait; 5]).await;
    let (db, probe) = (node.db.clone(), node.probe.clone());
    let watch = async {
        probe.begun().await;
        for _ in 0..5 {
            let running = Entity::find().filter(Column::State.eq(JobState::Running));
            assert!(running.all(db.read()).await.unwrap().len() <= 2);
            probe.release();
            sleep(Duration::from_millis(20)).await;
        }
    };
    let (succeeded, ()) = tokio::join!(node.run_due(), watch);
    assert_eq!(succeeded, 5);
}

async fn processes_share_the_jobs(database: TestDatabase) {
    let (mut one, _) = Node::new(&database).await;
    let (mut two, mut three) = (one.another(&database).await, one.another(&database).await);
    one.enqueue(&[Work::Succeed; 30]).await;
    let done = tokio::join!(one.run_due(), two.run_due(), three.run_due());
    assert_eq!(done.0 + done.1 + done.2, 30);
    assert_eq!(one.probe.runs() + two.probe.runs() + three.probe.runs(), 30);
    assert!(one.jobs().await.iter().all(|job| job.attempts == 1));
}

async fn periodic_jobs_run_once_in_each_interval(database: TestDatabase) {
    let (one, clock) = Node::new(&database).await;
    let two = one.another(&database).await;
    let daily = Daily::default();
    for day in 1..=3 {
        let mut runners = [&one, &two, &one, &two]
            .map(|node| Runner::new(node.queue.clone(), Kinds::default().with_periodic(daily.clone())));
        let [first, second, third, fourth] = &mut runners;
        let done = tokio::join!(first.run_due(), second.run_due(), third.run_due(), fourth.run_due());
        for result in [done.0, done.1, done.2, done.3] {
            result.unwrap();
        }
        assert_eq!(*daily.runs.lock().unwrap(), day);
        clock.advance(TimeDelta::days(1));
    }
    let job = one.job().await;
    assert_eq!((job.state, job.attempts), (JobState::Queued, 0));
    assert_eq!(job.next_attempt_at, Some(one.clock.now()));
}

async fn periodic_jobs_never_fail_for_good(database: TestDatabase) {
    let (node, clock) = Node::new(&database).await;
    let daily = Daily {
        fails: true,
        ..Daily::default()
    };
    let mut runner = Runner::new(node.queue.clone(), Kinds::default().with_periodic(daily.clone()));
    for day in 1..=15 {
        runner.run_due().await.unwrap();
        assert_eq!(*daily.runs.lock().unwrap(), day);
        assert_eq!(node.job().await.state, JobState::Queued);
        clock.advance(TimeDelta::days(1));
    }
    assert_eq!(node.job().await.last_error.as_deref(), Some("never"));
}

async fn a_runner_is_woken_and_stops_gracefully(database: TestDatabase) {
    let (node, _) = Node::new(&database).await;
    let other = Node::of(node.db.clone(), node.clock.clone());
    let (queue, probe, (stop, stopped)) = (node.queue.clone(), node.probe.clone(), oneshot::channel::<()>());
    let process = tokio::spawn(node.runner.run(async move { drop(stopped.await) }, PATIENCE));
    for round in 1..=5 {
        other.enqueue(&[Work::Wait]).await;
        queue.wake();
        probe.begun().await;
        if round < 5 {
            probe.release();
        }
    }
    stop.send(()).unwrap();
    probe.release();
    timeout(PATIENCE, process).await.unwrap().unwrap();
    let jobs = other.jobs().await;
    assert_eq!(jobs.len(), 5);
    assert!(jobs.iter().all(|job| job.state == JobState::Succeeded));
}

async fn a_runner_does_not_wait_for_ever(database: TestDatabase) {
    let (node, _) = Node::new(&database).await;
    let other = Node::of(node.db.clone(), node.clock.clone());
    node.enqueue(&[Work::Wait]).await;
    let (probe, (stop, stopped)) = (node.probe.clone(), oneshot::channel::<()>());
    let grace = Duration::from_millis(50);
    let process = tokio::spawn(node.runner.run(async move { drop(stopped.await) }, grace));
    probe.begun().await;
    stop.send(()).unwrap();
    timeout(PATIENCE, process).await.unwrap().unwrap();
    assert_eq!(other.job().await.state, JobState::Running);
}
