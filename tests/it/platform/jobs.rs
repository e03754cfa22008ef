//! The job queue: success, failure, retries, cancelling, and the end of old jobs.

use std::collections::HashSet;

use chrono::TimeDelta;
use entity::{
    ids::{JobId, OrganizationId},
    platform::jobs::{Column, Entity, JobState},
};
use platform::jobs::{Cancellation, EndReason, Kinds, Runner};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, on_each_database},
    jobs::{Companion, Daily, Node, Work},
    service::START,
};

on_each_database![
    a_job_runs_once_and_then_keeps_no_payload,
    failures_are_retried_with_growing_delays_and_then_given_up,
    a_permanent_failure_is_not_retried,
    a_panic_is_a_failure,
    jobs_of_unknown_kinds_are_left_alone,
    a_payload_that_cannot_be_read_is_tried_again,
    queued_jobs_can_be_cancelled,
    a_running_job_that_is_cancelled_stops,
    a_kind_hears_of_its_jobs_that_end_without_success,
    jobs_that_ended_long_ago_are_removed,
    organizations_take_turns,
    the_longest_served_is_next,
];

async fn a_job_runs_once_and_then_keeps_no_payload(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    assert_eq!(node.run_due().await, 0);
    node.enqueue(&[Work::Succeed]).await;
    assert_eq!(node.job().await.state, JobState::Queued);
    assert_eq!(node.run_due().await, 1);
    clock.advance(TimeDelta::days(2));
    assert_eq!(node.run_due().await, 0);
    let job = node.job().await;
    assert_eq!((job.state, job.attempts), (JobState::Succeeded, 1));
    assert_eq!((job.next_attempt_at, job.lease_id), (None, None));
    assert_eq!((job.payload, job.finished_at), (Value::Null, Some(START)));
}

async fn failures_are_retried_with_growing_delays_and_then_given_up(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    node.enqueue(&[Work::Fail]).await;
    for attempt in 1..12 {
        assert_eq!(node.run_due().await, 0);
        let job = node.job().await;
        assert_eq!((job.attempts, job.state), (attempt, JobState::Queued));
        assert_eq!(job.last_error.as_deref(), Some("notnow"));
        let delay = job.next_attempt_at.unwrap().as_millis() - node.clock.now().as_millis();
        let least = 60_000 << (attempt - 1);
        assert!((least..least * 3 / 2).contains(&delay), "{delay} after {attempt}");
        clock.advance(TimeDelta::milliseconds(delay - 1));
        assert_eq!((node.run_due().await, node.probe.runs()), (0, attempt as usize));
        clock.advance(TimeDelta::milliseconds(1));
    }
    node.run_due().await;
    let job = node.job().await;
    assert_eq!((job.attempts, job.state), (12, JobState::Failed));
    assert_eq!((job.next_attempt_at, job.finished_at), (None, Some(node.clock.now())));
}

async fn a_permanent_failure_is_not_retried(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    node.enqueue(&[Work::FailForGood]).await;
    node.run_due().await;
    clock.advance(TimeDelta::days(2));
    node.run_due().await;
    let job = node.job().await;
    assert_eq!((job.attempts, job.state), (1, JobState::Failed));
    assert_eq!(job.last_error.as_deref(), Some("never"));
    assert_eq!(node.probe.runs(), 1);
}

async fn a_panic_is_a_failure(database: TestDatabase) {
    let (mut node, _) = Node::new(&database).await;
    node.enqueue(&[Work::Panic, Work::Panic, Work::Panic, Work::Succeed])
        .await;
    assert_eq!(node.run_due().await, 1);
    let jobs = node.jobs().await;
    let errors: Vec<_> = jobs.iter().filter_map(|job| job.last_error.as_deref()).collect();
    assert_eq!(errors, ["the job panicked"; 3]);
}

async fn jobs_of_unknown_kinds_are_left_alone(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    let [id] = node.enqueue(&[Work::Succeed]).await.try_into().unwrap();
    let newer = move |tx| async move {
        let update = Entity::update_many().col_expr(Column::Kind, Expr::value("of-a-newer-version"));
        update.filter(Column::Id.eq(id)).exec(&tx).await.map(drop)
    };
    node.db.write(newer).await.unwrap();
    node.enqueue(&[Work::Succeed]).await;
    assert_eq!(node.run_due().await, 1);
    clock.advance(TimeDelta::days(100));
    assert_eq!(node.run_due().await, 0);
    node.queue.purge().await.unwrap();
    let job = node.job().await;
    assert_eq!((job.id, job.attempts, job.state), (id, 0, JobState::Queued));
}

async fn a_payload_that_cannot_be_read_is_tried_again(database: TestDatabase) {
    let (mut node, _) = Node::new(&database).await;
    node.enqueue(&[Work::Succeed]).await;
    let newer = |tx| async move {
        let update = Entity::update_many().col_expr(Column::Payload, Expr::value(serde_json::json!("Dance")));
        update.exec(&tx).await.map(drop)
    };
    node.db.write(newer).await.unwrap();
    assert_eq!(node.run_due().await, 0);
    let job = node.job().await;
    assert_eq!((job.attempts, job.state), (1, JobState::Queued));
    assert!(job.last_error.unwrap().starts_with("the payload cannot be read: "));
}

async fn queued_jobs_can_be_cancelled(database: TestDatabase) {
    let (mut node, _) = Node::new(&database).await;
    let [id] = node.enqueue(&[Work::Succeed]).await.try_into().unwrap();
    assert_eq!(
        node.queue.cancel(id, &node.probe.kinds()).await.unwrap(),
        Cancellation::Cancelled
    );
    assert_eq!(
        node.queue.cancel(id, &node.probe.kinds()).await.unwrap(),
        Cancellation::Ended(JobState::Cancelled)
    );
    assert_eq!(node.run_due().await, 0);
    let job = node.job().await;
    assert_eq!(
        (job.state, job.attempts, job.payload),
        (JobState::Cancelled, 0, Value::Null)
    );
    let unknown = node.ids.next();
    assert_eq!(
        node.queue.cancel(unknown, &node.probe.kinds()).await.unwrap(),
        Cancellation::Unknown
    );
    Runner::new(node.queue.clone(), Kinds::default().with_periodic(Daily::default()))
        .run_due()
        .await
        .unwrap();
    let periodic = node.jobs().await.into_iter().find(|job| job.kind == "daily").unwrap();
    assert_eq!(
        node.queue.cancel(periodic.id, &node.probe.kinds()).await.unwrap(),
        Cancellation::Periodic
    );
}

async fn a_running_job_that_is_cancelled_stops(database: TestDatabase) {
    let (mut node, _) = Node::new(&database).await;
    let [id] = node.enqueue(&[Work::Wait]).await.try_into().unwrap();
    let (queue, probe) = (node.queue.clone(), node.probe.clone());
    let cancel = async {
        probe.begun().await;
        assert_eq!(queue.cancel(id, &probe.kinds()).await.unwrap(), Cancellation::Cancelled);
    };
    // It would wait for ever.
    let (succeeded, ()) = tokio::join!(node.run_due(), cancel);
    assert_eq!(succeeded, 0);
    assert_eq!(node.job().await.state, JobState::Cancelled);
}

async fn a_kind_hears_of_its_jobs_that_end_without_success(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    let works = [Work::Succeed, Work::FailForGood, Work::Fail, Work::Fail];
    let [_, refused, cancelled, exhausted] = node.enqueue(&works).await.try_into().unwrap();
    node.run_due().await;
    assert_eq!(node.probe.ended(), [(refused, EndReason::Failed)]);
    node.queue.cancel(cancelled, &node.probe.kinds()).await.unwrap();
    // Its processes died in all attempts.
    let attempts = Entity::update_many()
        .col_expr(Column::Attempts, Expr::value(12))
        .filter(Column::Id.eq(exhausted));
    let work = move |tx| async move { attempts.exec(&tx).await.map(drop) };
    node.db.write(work).await.unwrap();
    clock.advance(TimeDelta::days(1));
    node.run_due().await;
    assert_eq!(
        node.probe.ended(),
        [
            (refused, EndReason::Failed),
            (cancelled, EndReason::Cancelled),
            (exhausted, EndReason::Failed)
        ]
    );
}

async fn jobs_that_ended_long_ago_are_removed(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    let [_, failed, cancelled] = node
        .enqueue(&[Work::Succeed, Work::FailForGood, Work::Wait])
        .await
        .try_into()
        .unwrap();
    node.queue.cancel(cancelled, &node.probe.kinds()).await.unwrap();
    node.run_due().await;
    clock.advance(TimeDelta::days(30));
    node.queue.purge().await.unwrap();
    assert_eq!(node.jobs().await.len(), 3);
    clock.advance(TimeDelta::milliseconds(1));
    node.queue.purge().await.unwrap();
    assert_eq!(node.job().await.id, failed);
    clock.advance(TimeDelta::days(60));
    node.queue.purge().await.unwrap();
    assert!(node.jobs().await.is_empty());
}

/// Two jobs run at once.
async fn organizations_take_turns(database: TestDatabase) {
    let (node, _) = Node::new(&database).await;
    let [slow, other, third]: [OrganizationId; 3] = std::array::from_fn(|_| node.ids.next());
    let of_slow = node.enqueue_for(Some(slow), &[Work::Wait; 5]).await;
    let of_other = node.enqueue_for(Some(other), &[Work::Succeed; 2]).await;
    let of_server = node.enqueue(&[Work::Succeed]).await;
    let (probe, queue) = (node.probe.clone(), node.queue.clone());
    let late = Node::of(node.db.clone(), node.clock.clone());
    let runner = node.start();
    // Nothing is released: one job of the slow organization runs, and all of the others beside it; then a second one.
    let begun = async |count| {
        while probe.runs() < count {
            probe.begun().await;
        }
        probe.begun_jobs()
    };
    let expected = [&of_slow[..1], &of_other, &of_server, &of_slow[1..2]].concat();
    let found = begun(5).await;
    assert_eq!(HashSet::from_iter(found), HashSet::<JobId>::from_iter(expected));
    // Both run, and somebody else comes.
    let of_third = late.enqueue_for(Some(third), &[Work::Succeed]).await;
    queue.wake();
    probe.release();
    assert_eq!(begun(6).await[5], of_third[0]);
    assert_eq!(begun(7).await[6], of_slow[2]);
    runner.abort();
}

/// Two jobs run at once, and none of the organization whose job has just ended runs.
async fn the_longest_served_is_next(database: TestDatabase) {
    let (mut node, clock) = Node::new(&database).await;
    let [busy, also_busy, served, beside, new]: [OrganizationId; 5] = std::array::from_fn(|_| node.ids.next());
    node.enqueue_for(Some(served), &[Work::Succeed]).await;
    assert_eq!(node.run_due().await, 1);
    clock.advance(TimeDelta::seconds(1));
    // The same work under another name counts.
    node.enqueue_as::<Companion>(Some(beside), &[()]).await;
    assert_eq!(node.run_due().await, 1);
    clock.advance(TimeDelta::seconds(1));
    let of_busy = node.enqueue_for(Some(busy), &[Work::Wait; 3]).await;
    let of_also_busy = node.enqueue_for(Some(also_busy), &[Work::Wait; 3]).await;
    let (probe, queue) = (node.probe.clone(), node.queue.clone());
    let late = Node::of(node.db.clone(), node.clock.clone());
    let runner = node.start();
    let begun = async |count| {
        while probe.runs() < count {
            probe.begun().await;
        }
        probe.begun_jobs()[1..].to_vec()
    };
    let both = HashSet::from([of_busy[0], of_also_busy[0]]);
    assert_eq!(HashSet::from_iter(begun(3).await), both);
    clock.advance(TimeDelta::seconds(1));
    let of_beside = late.enqueue_for(Some(beside), &[Work::Succeed]).await;
    clock.advance(TimeDelta::seconds(1));
    let of_served = late.enqueue_for(Some(served), &[Work::Succeed]).await;
    clock.advance(TimeDelta::seconds(1));
    let of_new = late.enqueue_for(Some(new), &[Work::Succeed]).await;
    queue.wake();
    probe.release();
    assert_eq!(begun(6).await[2..5], [of_new[0], of_served[0], of_beside[0]]);
    runner.abort();
}
