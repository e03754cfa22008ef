//! Turns of receivers: many or slow ones of one organization hold up no other.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use bindery::areas::integrations::outbox::{Attempt, DeliverEvents, DeliverToSlow, Outcome, SendDelivery};
use chrono::TimeDelta;
use entity::{
    ids::{DeliveryQueueId, OrganizationId},
    integrations::{deliveries::Model, delivery_queues},
    platform::jobs::{self, JobState},
};
use futures_util::future::{BoxFuture, FutureExt};
use platform::{
    db::{ManualClock, Tx},
    jobs::{Kinds, Runner},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, sea_query::Expr};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::support::{
    database::{TestDatabase, on_each_database},
    deliveries::{announce, deliver, delivery_runner, world_with_receivers},
    jobs::PATIENCE,
    process::patiently,
    receiver::Receiver,
    world::World,
};

on_each_database![
    receivers_of_one_organization_have_a_share,
    slow_receivers_share_few_places,
    receivers_are_slow_for_ten_minutes,
    a_turn_is_one_event_while_others_wait,
];

const CONTENT: &str = "space.content_updated";

/// Webhooks of the first organization that do not answer, with a pending event each, and one of another organization.
struct Hanging {
    world: World,
    hanging: Receiver,
    other: Receiver,
}

impl Hanging {
    async fn new(database: TestDatabase, webhooks: usize) -> Self {
        let world = world_with_receivers(database).await;
        let (hanging, other) = (Receiver::start().await, Receiver::start().await);
        for _ in 0..webhooks {
            world.new_webhook(&hanging, &[CONTENT]).await;
        }
        let call = world.other_admin.client.call("createWebhook");
        let call = call.within(world.other_organization);
        let body = json!({ "url": other.url, "eventTypes": [CONTENT] });
        call.json(body).expect(201).await;
        Self { world, hanging, other }
    }

    async fn write_elsewhere(&self) {
        let call = self.world.other_admin.client.call("updateSpaceContent");
        let insert = json!({ "operation": "insert_page", "title": "Elsewhere", "document": { "markdown": "Words." } });
        let call = call.space(self.world.other_space).json(json!({ "changes": [insert] }));
        call.expect(200).await;
    }

    /// Delivers until an event of the other organization has arrived. Returns the jobs of the first organization that run then, by kind.
    async fn running_meanwhile(&self) -> BTreeMap<String, usize> {
        announce(self.world.app()).await;
        let process = tokio::spawn(delivery_runner(self.world.app()).run(std::future::pending(), PATIENCE));
        patiently("an event of the first organization", self.hanging.arrived()).await;
        self.write_elsewhere().await;
        announce(self.world.app()).await;
        patiently("an event of the other organization", self.other.arrived()).await;
        let running = running(&self.world, self.world.organization).await;
        self.hanging.release();
        process.abort();
        running
    }
}

async fn running(world: &World, organization: OrganizationId) -> BTreeMap<String, usize> {
    let jobs = jobs::Entity::find()
        .filter(jobs::Column::OrganizationId.eq(organization))
        .filter(jobs::Column::State.eq(JobState::Running));
    let mut running = BTreeMap::new();
    for job in jobs.all(world.app().kernel.db.read()).await.unwrap() {
        *running.entry(job.kind).or_default() += 1;
    }
    running
}

async fn set_slow(world: &World) {
    let now = world.app().kernel.clock.now();
    let work = move |tx: Tx| async move {
        let update = delivery_queues::Entity::update_many();
        let update = update.col_expr(delivery_queues::Column::SlowAt, Expr::value(Some(now)));
        update.exec(&tx).await.map(drop)
    };
    world.app().kernel.db.write(work).await.unwrap();
}

async fn receivers_of_one_organization_have_a_share(database: TestDatabase) {
    let setup = Hanging::new(database, 20).await;
    setup.hanging.hold();
    setup.world.write_once(&setup.world.space.to_string(), "First").await;
    let running = setup.running_meanwhile().await;
    assert_eq!(running, BTreeMap::from([("deliver-events".to_owned(), 7)]));
}

async fn slow_receivers_share_few_places(database: TestDatabase) {
    let setup = Hanging::new(database, 20).await;
    let space = setup.world.space.to_string();
    setup.world.write_once(&space, "First").await;
    deliver(setup.world.app()).await;
    setup.hanging.arrived().await;
    set_slow(&setup.world).await;
    setup.hanging.hold();
    setup.world.write_once(&space, "Second").await;
    let running = setup.running_meanwhile().await;
    assert_eq!(running, BTreeMap::from([("deliver-to-slow".to_owned(), 1)]));
}

/// Records the queues of the events that it is given, in their order. The clock goes on with each.
struct Recorder {
    clock: ManualClock,
    delay: Duration,
    sent: Mutex<Vec<DeliveryQueueId>>,
}

impl SendDelivery for Recorder {
    fn send<'a>(&'a self, queue: &'a delivery_queues::Model, _: &'a Model) -> BoxFuture<'a, Attempt> {
        async move {
            self.clock.advance(TimeDelta::milliseconds(1));
            sleep(self.delay).await;
            self.sent.lock().unwrap().push(queue.id);
            Attempt {
                outcome: Outcome::Delivered,
                response_status: Some(200),
                logs: None,
            }
        }
        .boxed()
    }
}

/// Delivers what is due to a recorder, which takes so long for each event. Returns the queues of the events in their order.
async fn record(world: &World, delay: Duration) -> Vec<DeliveryQueueId> {
    announce(world.app()).await;
    let recorder = Arc::new(Recorder {
        clock: world.clock().clone(),
        delay,
        sent: Mutex::default(),
    });
    let deliver = DeliverEvents::new(world.app().kernel.clone(), Arc::clone(&recorder) as _);
    let kinds = Kinds::default().with(deliver.clone()).with(DeliverToSlow(deliver));
    let mut runner = Runner::new(world.app().kernel.jobs.clone(), kinds);
    timeout(PATIENCE, runner.run_due()).await.unwrap().unwrap();
    let sent = recorder.sent.lock().unwrap();
    sent.clone()
}

async fn receivers_are_slow_for_ten_minutes(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    world.new_webhook(&receiver, &[CONTENT]).await;
    let last_kind = async || {
        let jobs = jobs::Entity::find().filter(jobs::Column::Kind.starts_with("deliver-"));
        let job = jobs.order_by_desc(jobs::Column::Id).one(world.app().kernel.db.read());
        job.await.unwrap().unwrap().kind
    };
    let (fast, slow) = (Duration::ZERO, Duration::from_millis(1_100));
    // The minutes before each event, how long its receiver takes, and the kind of its job.
    for (minutes, delay, kind) in [
        (0, slow, "deliver-events"),
        (0, fast, "deliver-to-slow"),
        (5, fast, "deliver-to-slow"),
        (5, slow, "deliver-events"),
        (9, fast, "deliver-to-slow"),
    ] {
        world.clock().advance(TimeDelta::minutes(minutes));
        world.write_once(&world.space.to_string(), "Another").await;
        assert_eq!(record(&world, delay).await.len(), 1);
        assert_eq!(last_kind().await, kind, "after {minutes} minutes");
    }
}

async fn a_turn_is_one_event_while_others_wait(database: TestDatabase) {
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    // One more than may run at once.
    for _ in 0..8 {
        world.new_webhook(&receiver, &[CONTENT]).await;
    }
    for title in ["First", "Second", "Third"] {
        world.write_once(&world.space.to_string(), title).await;
    }
    let sent = record(&world, Duration::ZERO).await;
    assert_eq!(sent.len(), 24);
    let mut counts: BTreeMap<DeliveryQueueId, usize> = BTreeMap::new();
    for queue in sent {
        let count = counts.entry(queue).or_default();
        *count += 1;
        // None gets a third event before each has had one.
        assert!(*count < 3 || counts.len() == 8, "{counts:?}");
    }
}
