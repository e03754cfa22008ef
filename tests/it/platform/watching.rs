//! What operators watch the server by, in `packaging/`: it names only metrics that the server has.

use std::collections::BTreeSet;

use crate::support::{
    client::Client,
    database::{TestDatabase, on_one_database},
    service::Service,
};

on_one_database![alerts_and_dashboard_name_metrics_of_the_server];

const FILES: [&str; 2] = [
    include_str!("../../../packaging/alerts.yml"),
    include_str!("../../../packaging/dashboard.json"),
];

fn metrics(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("bindery_")).collect()
}

async fn alerts_and_dashboard_name_metrics_of_the_server(database: TestDatabase) {
    let service = Service::start(database).await;
    let client = Client::new(&service.base);
    // Some appear with the first request.
    client.get("/healthz").await;
    let text = client.get("/metrics").await.text().await.unwrap();
    let known = metrics(&text);
    for file in FILES {
        let named = metrics(file);
        assert!(named.len() > 3, "{named:?}");
        let unknown: Vec<_> = named.difference(&known).collect();
        assert!(unknown.is_empty(), "{unknown:?} among {known:?}");
    }
}
