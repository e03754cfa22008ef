//! Spans of a real server, as an OpenTelemetry collector gets them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest, common::v1::any_value::Value as Attribute, trace::v1::Span,
};
use platform::db::Backend;
use poem::{Endpoint, EndpointExt, listener::TcpAcceptor};
use prost::Message;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Notify, time::sleep};

use crate::support::{
    database::TestDatabase,
    process::{Server, patiently},
    receiver::Receiver,
};

/// Takes spans.
#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<Vec<Span>>>,
    arrived: Arc<Notify>,
}

impl Collector {
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let acceptor = TcpAcceptor::from_tokio(listener).unwrap();
        tokio::spawn(poem::Server::new_with_acceptor(acceptor).run(self.endpoint()));
        format!("http://{address}")
    }

    fn endpoint(&self) -> impl Endpoint + 'static {
        let collector = self.clone();
        let take = move |request: poem::Request| {
            let collector = collector.clone();
            async move {
                assert_eq!(request.uri().path(), "/v1/traces");
                let body = request.into_body().into_bytes().await.unwrap();
                let export = ExportTraceServiceRequest::decode(body).unwrap();
                let scopes = export.resource_spans.into_iter().flat_map(|of| of.scope_spans);
                collector
                    .spans
                    .lock()
                    .unwrap()
                    .extend(scopes.flat_map(|scope| scope.spans));
                collector.arrived.notify_one();
            }
        };
        poem::endpoint::make(take).map_to_response()
    }

    /// Waits for the first span of which this holds.
    async fn span(&self, what: &str, wanted: impl Fn(&Span) -> bool) -> Span {
        let found = async {
            loop {
                let found = self.spans.lock().unwrap().iter().find(|span| wanted(span)).cloned();
                match found {
                    Some(span) => return span,
                    None => self.arrived.notified().await,
                }
            }
        };
        patiently(what, found).await
    }
}

fn texts(span: &Span) -> HashMap<&str, &str> {
    let attributes = span.attributes.iter().filter_map(|attribute| {
        let value = attribute.value.as_ref()?.value.as_ref()?;
        match value {
            Attribute::StringValue(text) => Some((attribute.key.as_str(), text.as_str())),
            _ => None,
        }
    });
    attributes.collect()
}

fn follows(span: &Span, name: &str, request: &str) -> bool {
    span.name == name && texts(span).get("request_id") == Some(&request)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_followed_to_its_job_and_its_webhook() {
    let (collector, receiver) = (Collector::default(), Receiver::start().await);
    let url = collector.start().await;
    let home = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(Backend::Sqlite);
    let mut server = Server::spawn_with(home.path(), &database, |command| {
        command
            .env("BINDERY_OTLP_URL", &url)
            .env("BINDERY_ALLOW_PRIVATE_ADDRESSES", "127.0.0.0/8")
            .env("OTEL_BSP_SCHEDULE_DELAY", "20");
    });
    let client = server.ready().await;
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap().to_owned();
    let create = client.call("createSpace").path("organizationId", &organization);
    let space: Value = create.json(json!({ "title": "Guide" })).expect(201).await;
    let space = space["id"].as_str().unwrap();
    let create = client.call("createWebhook").path("organizationId", &organization);
    let webhook = json!({ "url": receiver.url, "eventTypes": ["space.content_updated"] });
    create.json(webhook).expect(201).await;

    let page = json!({ "operation": "insert_page", "title": "Start", "document": { "markdown": "Open the valve." } });
    let page = json!({ "changes": [page] });
    let write = client.call("updateSpaceContent").path("spaceId", space).json(page);
    let answer = write.send().await;
    assert_eq!(answer.status, 200);
    let id = answer.headers["x-request-id"].to_str().unwrap();
    patiently("the event", receiver.arrived()).await;

    let request = collector.span("the request", |span| follows(span, "request", id)).await;
    assert_eq!(texts(&request)["operation"], "updateSpaceContent");
    for name in ["guard", "write"] {
        let within = |span: &Span| span.name == name && span.parent_span_id == request.span_id;
        let span = collector.span(name, within).await;
        assert_eq!(span.trace_id, request.trace_id);
    }
    let delivery = collector
        .span("the delivery", |span| follows(span, "delivery", id))
        .await;
    let within = |span: &Span| span.name == "outgoing" && span.parent_span_id == delivery.span_id;
    let outgoing = collector.span("the webhook", within).await;
    assert_eq!(texts(&outgoing)["host"], "127.0.0.1");
    let job = |span: &Span| span.name == "job" && span.span_id == delivery.parent_span_id;
    assert_eq!(texts(&collector.span("the job", job).await)["kind"], "deliver-events");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_says_where_the_time_of_a_slow_request_went() {
    let receiver = Receiver::start().await;
    receiver.hold();
    let home = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(Backend::Sqlite);
    let mut server = Server::spawn_with(home.path(), &database, |command| {
        command.env("BINDERY_ALLOW_PRIVATE_ADDRESSES", "127.0.0.0/8");
    });
    let client = server.ready().await;
    let asked = client.call("getEmbedByUrl").query("url", &receiver.url).send();
    let (answer, ()) = tokio::join!(asked, async {
        receiver.arrived().await;
        // Longer than the second from which a request is slow.
        sleep(Duration::from_millis(1_100)).await;
        receiver.release();
    });
    let line = server.line("the line", |line| line["message"] == "slow request").await;
    assert_eq!(line["operation"], "getEmbedByUrl");
    assert_eq!(line["request_id"], answer.headers["x-request-id"].to_str().unwrap());
    assert!(line["milliseconds"].as_f64().unwrap() >= 1_100.0, "{line}");
    let within = line["within"].as_str().unwrap();
    assert!(
        within.starts_with("guard ") && within.contains("outgoing 1"),
        "{within}"
    );
}
