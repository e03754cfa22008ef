//! Events of visitors, and the jobs that process them.

use std::sync::Arc;

use bindery::{
    app::App,
    areas::insights::{DrainInsights, MergeInsights, PurgeInsights, RemoveSiteEvents, RemoveVisitorEvents},
};
use entity::{
    ids::{InsightBatchId, SiteId},
    insights::batches,
    timestamp::Timestamp,
};
use insights::{Event, encode};
use platform::{
    db::IdSource,
    jobs::{JobContext, JobKind, Kinds, Runner},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{client::Client, jobs::PATIENCE, world::World};

pub const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
pub const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";
pub const GOOGLEBOT: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/// Lays members over an object, in depth.
fn lay_over(base: &mut Value, members: Value) {
    match (base, members) {
        (Value::Object(base), Value::Object(members)) => {
            for (name, value) in members {
                lay_over(base.entry(name).or_insert(Value::Null), value);
            }
        }
        (base, members) => *base = members,
    }
}

/// An event with members of its own, and others in its session and its location.
pub fn event(kind: &str, members: Value) -> Value {
    let mut event = json!({
        "type": kind,
        "session": {
            "visitorId": "ada",
            "sessionId": "first",
            "cookies": {},
            "userAgent": FIREFOX,
            "language": "en",
            "referrer": null,
        },
        "location": {
            "url": "https://docs.tidewater.example/guide",
            "siteSection": null,
            "siteSpace": null,
            "siteShareKey": null,
            "space": null,
            "revision": null,
            "page": null,
        },
    });
    lay_over(&mut event, members);
    event
}

/// A view of a page by a visitor in a session.
pub fn view(visitor: &str, session: &str, members: Value) -> Value {
    let mut event = event(
        "page_view",
        json!({ "session": { "visitorId": visitor, "sessionId": session } }),
    );
    lay_over(&mut event, members);
    event
}

/// Time in the form of the contract, so many minutes after the time of the service.
pub fn minutes_from_now(world: &World, minutes: i64) -> String {
    let now = world.app().kernel.clock.now().to_utc() + chrono::TimeDelta::minutes(minutes);
    now.to_rfc3339()
}

pub fn context(app: &App) -> JobContext {
    JobContext {
        lease: None,
        id: app.kernel.ids.next(),
        created_at: app.kernel.clock.now(),
        attempt: 1,
    }
}

/// A row of the inbox with these events.
pub fn batch(ids: &IdSource, site: SiteId, received_at: Timestamp, events: &[Event]) -> batches::Model {
    let encoded = encode(events);
    batches::Model {
        id: ids.next::<InsightBatchId>(),
        site_id: site,
        chunk_id: None,
        received_at,
        events: i32::try_from(encoded.events).unwrap(),
        first_at: Timestamp::from_millis(encoded.first),
        last_at: Timestamp::from_millis(encoded.last),
        bytes: i64::try_from(events.iter().map(Event::bytes).sum::<u64>()).unwrap(),
        data: encoded.to_bytes(),
    }
}

/// Gives all batches to the engine.
pub async fn drain(app: &App) {
    let job = DrainInsights(Arc::clone(&app.insights));
    job.run(&context(app), ()).await.unwrap();
}

/// Merges what was stored.
pub async fn merge(app: &App) {
    let job = MergeInsights(Arc::clone(&app.insights));
    job.run(&context(app), ()).await.unwrap();
}

/// The stored events of a site, the oldest first.
pub async fn stored(world: &World, site: &Value) -> Vec<Value> {
    let list = world.on_site(&world.admin, "listSiteInsightsEvents", site);
    let list = list.query("limit", 1000).expect(200).await;
    list["items"].as_array().unwrap().clone()
}

/// Deletes what is too old.
pub async fn purge(app: &App) {
    let job = PurgeInsights(Arc::clone(&app.insights));
    job.run(&context(app), ()).await.unwrap();
}

/// Runs the jobs of removals that are due.
pub async fn remove(app: &App) -> usize {
    let kinds = Kinds::default()
        .with(RemoveVisitorEvents(Arc::clone(&app.insights)))
        .with(RemoveSiteEvents(Arc::clone(&app.insights)));
    let mut runner = Runner::new(app.kernel.jobs.clone(), kinds);
    timeout(PATIENCE, runner.run_due()).await.unwrap().unwrap()
}

impl World {
    /// Sends events of visitors of a site.
    pub async fn track(&self, client: &Client, site: &Value, events: Vec<Value>) {
        let call = client.call("trackEventsInSiteById").here(self);
        let call = call.path("siteId", site["id"].as_str().unwrap());
        call.json(json!({ "events": events })).expect(204).await;
    }

    /// The columns of an answer, each as its values.
    pub async fn aggregate(&self, site: &Value, question: Value) -> Vec<Value> {
        let call = self.on_site(&self.admin, "aggregateSiteEvents", site);
        let answer = call.json(question).expect(200).await;
        let columns = answer["columns"].as_array().unwrap().iter();
        columns.map(|column| column["values"].clone()).collect()
    }

    /// One more event of the site of the probes.
    pub async fn add_to_insights(&self) {
        let call = self.admin.client.call("trackEventsInSiteById").here(self);
        let call = call.path("siteId", self.own("siteId"));
        // Another visitor each time, so that no two events are the same.
        let visitor: InsightBatchId = self.app().kernel.ids.next();
        let event = view(&visitor.to_string(), "session-1", json!({}));
        call.json(json!({ "events": [event] })).expect(204).await;
    }
}
