//! A restored installation serves what others hold: tokens, secrets of webhooks and scripts, keys of identity providers, links.

use reqwest::Url;
use serde_json::{Value, json};

use crate::support::{
    backups::{Installation, program, succeed},
    browser::{Browser, certificate, location},
    database::{TestDatabase, on_each_database},
    deliveries::{deliver, world_with_receivers},
    pages::Reader,
    receiver::Receiver,
    saml::{encrypted, set_up},
    scripts::{Scripted, told},
    service::{START, Service},
    world::World,
};

on_each_database![tokens_secrets_and_links_work_after_a_restore];

const CONTENT: &str = "space.content_updated";

async fn tokens_secrets_and_links_work_after_a_restore(database: TestDatabase) {
    let target = Installation::new(database.backend()).await;
    let world = world_with_receivers(database).await;
    let receiver = Receiver::start().await;
    let webhook = world.new_webhook(&receiver, &[CONTENT]).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let provider = set_up(&world, json!({ "encryption": true })).await;
    let certificate = certificate(&mut Browser::new(&world), &provider).await.unwrap();
    gauge.published.set(&world, json!({ "visibility": "share-link" })).await;
    let link = world.on_site(&world.admin, "createSiteShareLink", &gauge.published.site);
    let link = link.json(json!({ "name": "Partners" })).expect(201).await;
    // Its event waits when the backup is made.
    let revision = world.write_once(&world.space.to_string(), "Tides").await;

    let archive = target.path("a.tar");
    let archive = archive.to_str().unwrap();
    let service = &world.service;
    succeed(program(service.data(), service.database(), &[], &["backup", archive]));
    let old = world.service.base.clone();
    let world = restored(world, &target, archive).await;
    // The restored server has another port, where the old one would have its address.
    let moved = |value: &Value| -> Value {
        serde_json::from_str(&value.to_string().replace(&old, &world.service.base)).unwrap()
    };

    let user = world.admin.client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(user["email"], world.admin.email);

    deliver(world.app()).await;
    let requests = receiver.take();
    assert!(requests.iter().all(|request| request.is_signed(&webhook["secret"])));
    let events: Vec<Value> = requests.iter().map(|request| request.json()).collect();
    let waited = events.iter().filter(|event| event["data"]["revisionId"] == revision);
    assert_eq!(waited.count(), 1, "{events:#?}");

    let script = told(&world, &format!("{}/echo", gauge.of_installation())).await;
    assert_eq!(script["secrets"], json!({ "GAUGE_KEY": "tide-3417" }));

    let (provider, mut browser) = (moved(&provider), Browser::new(&world));
    let request = browser.begin(&provider).await;
    let response = encrypted(&world, &provider, &request, &certificate);
    let finish = location(&browser.answer(&provider, &response, &request).await);
    browser.follow(&finish).await;
    assert!(browser.page("/account/", 200).await.contains("nadia@tidewater.example"));

    let address = moved(&link["urls"]["published"]);
    let mut reader = Reader::new(&world);
    let page = reader.page(address.as_str().unwrap()).await;
    let path = Url::parse(address.as_str().unwrap()).unwrap().path().to_owned();
    assert!(page.contains(&format!("<a href=\"{path}start\"")), "{page}");
}

/// Ends the old service, and starts one on an archive of it in a new data directory.
async fn restored(world: World, target: &Installation, archive: &str) -> World {
    target.run(&["restore", archive]);
    let service = Service::start_in(target.home.path(), target.database.reopened(), START, |flags| {
        flags.allow_private_addresses = Some("127.0.0.1".to_owned());
    });
    world.at(service.await).await
}
