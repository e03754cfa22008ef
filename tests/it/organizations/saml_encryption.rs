//! Identity providers that encrypt their assertions.

use entity::organizations::saml_providers;
use platform::db::Tx;
use saml::testing::FIRST;
use sea_orm::{EntityTrait, sea_query::Expr};
use serde_json::{Value, json};

use crate::support::{
    browser::{Browser, certificate, location},
    client::Call,
    database::{TestDatabase, on_each_database},
    saml::{encrypted, set_up},
    world::World,
};

on_each_database![
    an_encrypted_assertion_signs_a_person_in,
    a_key_is_made_kept_and_deleted,
    an_organization_makes_few_keys_at_once,
    the_key_is_a_secret,
    without_a_key_the_page_says_what_to_do,
    a_key_that_cannot_be_opened_is_none,
];

fn change<'a>(world: &'a World, provider: &Value, body: Value) -> Call<'a> {
    let call = world.admin.client.call("updateOrganizationSAMLProvider").here(world);
    call.path("samlProviderId", provider["id"].as_str().unwrap()).json(body)
}

async fn an_encrypted_assertion_signs_a_person_in(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({ "encryption": true })).await;
    assert_eq!(provider["encryption"], true);
    let mut browser = Browser::new(&world);
    let certificate = certificate(&mut browser, &provider).await.unwrap();
    let request = browser.begin(&provider).await;
    let response = encrypted(&world, &provider, &request, &certificate);
    let finish = location(&browser.answer(&provider, &response, &request).await);
    browser.follow(&finish).await;
    assert!(browser.page("/account/", 200).await.contains("nadia@tidewater.example"));
    // Whoever encrypts nothing is let in as well, and another answer to the same request is not.
    let again = browser.answer(&provider, &response, &request).await;
    assert_eq!(again.status(), 400);
    location(&Browser::new(&world).sign_in(&world, &provider, "mateo").await);
}

async fn a_key_is_made_kept_and_deleted(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let mut browser = Browser::new(&world);
    assert_eq!(provider["encryption"], false);
    assert_eq!(provider["service"]["encryptionCertificate"], Value::Null);
    assert_eq!(certificate(&mut browser, &provider).await, None);
    let first = change(&world, &provider, json!({ "encryption": true }))
        .expect(200)
        .await;
    let pem = first["service"]["encryptionCertificate"].as_str().unwrap();
    let dense: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    assert_eq!(certificate(&mut browser, &provider).await, Some(dense));
    // The identity provider knows the key: other changes, and the same one, keep it.
    for body in [
        json!({ "encryption": true }),
        json!({ "label": "Renamed" }),
        json!({ "certificate": FIRST.certificate }),
    ] {
        let kept = change(&world, &provider, body).expect(200).await;
        assert_eq!(kept["service"], first["service"]);
    }
    let removed = change(&world, &provider, json!({ "encryption": false }))
        .expect(200)
        .await;
    assert_eq!(
        (&removed["encryption"], certificate(&mut browser, &provider).await),
        (&json!(false), None)
    );
    let second = change(&world, &provider, json!({ "encryption": true }))
        .expect(200)
        .await;
    assert_ne!(second["service"], first["service"]);
}

async fn an_organization_makes_few_keys_at_once(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    for _ in 0..5 {
        change(&world, &provider, json!({ "encryption": true }))
            .expect(200)
            .await;
        change(&world, &provider, json!({ "encryption": false }))
            .expect(200)
            .await;
    }
    let refused = change(&world, &provider, json!({ "encryption": true }))
        .expect(429)
        .await;
    assert_eq!(refused["error"]["type"], "too-many-requests");
    change(&world, &provider, json!({ "label": "Renamed" }))
        .expect(200)
        .await;
}

async fn the_key_is_a_secret(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({ "encryption": true })).await;
    let other = change(&world, &set_up(&world, json!({})).await, json!({ "encryption": true }))
        .expect(200)
        .await;
    let rows = saml_providers::Entity::find()
        .all(world.app().kernel.db.read())
        .await
        .unwrap();
    let key_of = |provider: &Value| {
        let row = rows
            .iter()
            .find(|row| row.id.to_string() == provider["id"].as_str().unwrap());
        row.unwrap().encryption_key.clone().unwrap()
    };
    let stored = key_of(&provider);
    // PKCS #8 has the id of its algorithm in it.
    let rsa = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
    assert!(stored.len() > 1000 && !stored.windows(rsa.len()).any(|part| part == rsa));
    assert_ne!(stored, key_of(&other));
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.expect(200).await["items"].clone();
    let event = world.admin.client.call("getOrganizationAuditEvent").here(&world);
    let event = event
        .path("auditEventId", events[0]["id"].as_str().unwrap())
        .expect(200)
        .await;
    assert_eq!(event["payload"]["encryption"], true, "{event}");
    assert!(!event.to_string().contains("PRIVATE") && !event.to_string().to_lowercase().contains("encryptionkey"));
}

async fn without_a_key_the_page_says_what_to_do(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({ "encryption": true })).await;
    let mut browser = Browser::new(&world);
    let certificate = certificate(&mut browser, &provider).await.unwrap();
    change(&world, &provider, json!({ "encryption": false }))
        .expect(200)
        .await;
    let request = browser.begin(&provider).await;
    let response = encrypted(&world, &provider, &request, &certificate);
    let refused = browser.answer(&provider, &response, &request).await;
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("encryption"));
    // With another key, nothing more is said.
    change(&world, &provider, json!({ "encryption": true }))
        .expect(200)
        .await;
    let refused = browser.answer(&provider, &response, &request).await;
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("cannot be accepted"));
}

/// As after a change of the secret key of the server.
async fn a_key_that_cannot_be_opened_is_none(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({ "encryption": true })).await;
    let mut browser = Browser::new(&world);
    let former = certificate(&mut browser, &provider).await.unwrap();
    let work = |tx: Tx| async move {
        let spoiled = saml_providers::Entity::update_many();
        let spoiled = spoiled.col_expr(saml_providers::Column::EncryptionKey, Expr::value(vec![7_u8; 100]));
        spoiled.exec(&tx).await
    };
    world.app().kernel.db.write(work).await.unwrap();
    location(&browser.sign_in(&world, &provider, "nadia").await);
    let request = browser.begin(&provider).await;
    let response = encrypted(&world, &provider, &request, &former);
    let refused = browser.answer(&provider, &response, &request).await;
    assert_eq!(refused.status(), 400);
    change(&world, &provider, json!({ "encryption": true }))
        .expect(200)
        .await;
    let certificate = certificate(&mut browser, &provider).await.unwrap();
    assert_ne!(certificate, former);
    let response = encrypted(&world, &provider, &request, &certificate);
    location(&browser.answer(&provider, &response, &request).await);
}
