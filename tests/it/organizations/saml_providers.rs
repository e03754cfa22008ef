//! SAML providers: what is stored of them, and who sees it.

use saml::testing;
use serde_json::{Value, json};

use crate::support::{
    contract,
    database::{TestDatabase, on_each_database},
    paths::texts,
    saml::{ENTITY, SSO, create},
    specs::{Reply, SourceServer},
    teams,
    world::World,
};

on_each_database![
    a_provider_is_set_up_step_by_step,
    a_certificate_is_checked_when_it_is_written,
    the_default_team_is_one_of_the_organization,
    metadata_set_up_a_provider,
    metadata_are_fetched,
    members_see_the_ways_to_sign_in,
    an_organization_has_some_providers_at_most,
];

pub async fn update(world: &World, provider: &Value, change: Value) -> Value {
    let call = world.admin.client.call("updateOrganizationSAMLProvider").here(world);
    let id = provider["id"].as_str().unwrap();
    call.path("samlProviderId", id).json(change).expect(200).await
}

async fn a_provider_is_set_up_step_by_step(database: TestDatabase) {
    let world = World::new(database).await;
    let call = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
    let pending = call.json(json!({ "label": "Later" })).expect(201).await;
    let id = pending["id"].as_str().unwrap();
    let base = format!("{}/saml/{id}", world.nobody().base());
    let location = format!("{}/v1/orgs/{}/saml/{id}", world.nobody().base(), world.organization);
    let expected = json!({
        "object": "saml-provider", "id": id, "label": "Later", "ssoURL": "", "entityID": "", "certificate": "",
        "defaultRole": null, "encryption": false, "createdAt": pending["createdAt"], "status": "pending",
        "service": {
            "acsURL": format!("{base}/acs"),
            "startURL": format!("{base}/start"),
            "entityID": format!("{base}/metadata"),
        },
        "urls": { "location": location },
    });
    assert_eq!(pending, expected);
    let get = async || {
        let call = world.admin.client.call("getOrganizationSAMLProviderById").here(&world);
        call.path("samlProviderId", id).expect(200).await
    };
    assert_eq!(get().await, pending);
    for address in [
        "https://idp.tidewater.example@evil.example/sso",
        "https://a:b@idp.example/sso",
        "https:///a@idp.example",
    ] {
        let call = world.admin.client.call("updateOrganizationSAMLProvider").here(&world);
        let call = call.path("samlProviderId", id);
        call.json(json!({ "ssoURL": address })).expect(400).await;
    }
    let some = update(&world, &pending, json!({ "entityID": ENTITY, "ssoURL": SSO })).await;
    assert_eq!(some["status"], "pending");
    let all = update(
        &world,
        &pending,
        json!({ "certificate": testing::FIRST.certificate, "defaultRole": "edit" }),
    )
    .await;
    assert_eq!(
        (&all["status"], &all["defaultRole"]),
        (&json!("active"), &json!("edit"))
    );
    assert_eq!(all["certificate"], testing::FIRST.certificate);
    assert_eq!(get().await, all);
    let guest = update(
        &world,
        &pending,
        json!({ "label": "Now", "defaultRole": null, "certificate": "" }),
    )
    .await;
    assert_eq!((&guest["label"], &guest["status"]), (&json!("Now"), &json!("pending")));
    assert_eq!(guest["defaultRole"], Value::Null);
    for _ in 0..2 {
        let call = world.admin.client.call("deleteOrganizationSAMLProvider").here(&world);
        call.path("samlProviderId", id).expect(204).await;
    }
    let call = world.admin.client.call("getOrganizationSAMLProviderById").here(&world);
    call.path("samlProviderId", id).expect(404).await;
}

async fn a_certificate_is_checked_when_it_is_written(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = create(&world, testing::FIRST.certificate, json!({})).await;
    let bare: String = testing::SECOND
        .certificate
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    let other = update(&world, &provider, json!({ "certificate": bare })).await;
    assert_eq!(other["certificate"], testing::SECOND.certificate);
    let both = format!("{}{}", testing::FIRST.certificate, testing::ELLIPTIC.certificate);
    let both = update(&world, &provider, json!({ "certificate": both })).await;
    assert_eq!(both["certificate"].as_str().unwrap().matches("BEGIN").count(), 2);
    for (certificate, says) in [
        ("x", "neither PEM nor base64"),
        ("AAAA", "not an X.509 certificate"),
        (testing::EXPIRED, "expired at 2021-01-01"),
        (testing::WEAK, "RSA with 1024 bits"),
        (testing::FIRST.key, "neither PEM nor base64"),
    ] {
        let call = world.admin.client.call("updateOrganizationSAMLProvider").here(&world);
        let call = call.path("samlProviderId", provider["id"].as_str().unwrap());
        let answer = call.json(json!({ "certificate": certificate })).send().await;
        let body = answer.has_detail("/body/certificate", "certificate").expect(400);
        assert!(body.to_string().contains(says), "{body}");
    }
}

async fn the_default_team_is_one_of_the_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = create(&world, testing::FIRST.certificate, json!({ "defaultTeam": world.team })).await;
    assert_eq!(provider["defaultTeam"]["id"], world.team.to_string());
    let listed = world
        .admin
        .client
        .call("listSAMLProvidersInOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(listed["items"][0], provider);
    let call = world.admin.client.call("updateOrganizationSAMLProvider").here(&world);
    let call = call.path("samlProviderId", provider["id"].as_str().unwrap());
    let answer = call.json(json!({ "defaultTeam": world.other_team })).send().await;
    answer.has_detail("/body/defaultTeam", "unknown-team").expect(400);
    let call = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
    let answer = call
        .json(json!({ "label": "x", "defaultTeam": world.other_team }))
        .send()
        .await;
    answer.has_detail("/body/defaultTeam", "unknown-team").expect(400);
    let none = update(&world, &provider, json!({ "defaultTeam": null })).await;
    assert_eq!(none.get("defaultTeam"), None);
    let team = teams::create(&world, "Gone", &[]).await;
    let with_team = update(&world, &provider, json!({ "defaultTeam": team["id"] })).await;
    assert_eq!(with_team["defaultTeam"], team);
    let call = world.admin.client.call("removeTeamFromOrganizationById");
    call.team(world.organization, teams::id(&team)).expect(204).await;
    assert_eq!(update(&world, &provider, json!({})).await.get("defaultTeam"), None);
}

async fn metadata_set_up_a_provider(database: TestDatabase) {
    let world = World::new(database).await;
    let call = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
    let pending = call.json(json!({ "label": "Later" })).expect(201).await;
    let call = || {
        let call = world
            .admin
            .client
            .call("setOrganizationSAMLProviderMetadata")
            .here(&world);
        call.path("samlProviderId", pending["id"].as_str().unwrap())
    };
    let operation = contract::operation("setOrganizationSAMLProviderMetadata");
    let example = operation.body_example().unwrap().clone();
    let active = call().json(example.clone()).expect(200).await;
    assert_eq!(
        (&active["status"], &active["entityID"], &active["ssoURL"]),
        (&json!("active"), &json!(ENTITY), &json!(SSO))
    );
    let expired: String = testing::EXPIRED.lines().filter(|line| !line.starts_with('-')).collect();
    let xml = example["xml"].as_str().unwrap();
    let start = xml.find("<ds:X509Certificate>").unwrap() + "<ds:X509Certificate>".len();
    let end = xml.find("</ds:X509Certificate>").unwrap();
    let old = format!("{}{expired}{}", &xml[..start], &xml[end..]);
    // What is left over from former keys beside the present one does not count, and the audit log says so.
    let between = "</ds:X509Certificate><ds:X509Certificate>";
    let left_over = format!("{}{expired}{between}?{between}{}", &xml[..start], &xml[start..]);
    let call_with = call().json(json!({ "xml": left_over }));
    assert_eq!(call_with.expect(200).await["certificate"], active["certificate"]);
    let events = world.admin.client.call("listOrganizationAuditEvents").here(&world);
    let events = events.query("limit", "1").expect(200).await;
    let event = world.admin.client.call("getOrganizationAuditEvent").here(&world);
    let event = event.path("auditEventId", events["items"][0]["id"].as_str().unwrap());
    assert_eq!(event.expect(200).await["payload"]["ignoredCertificates"], 2);
    for wrong in ["x", "<a/>", &format!("<!DOCTYPE a>{xml}"), &old] {
        let answer = call().json(json!({ "xml": wrong })).send().await;
        answer.has_detail("/body/xml", "saml-metadata").expect(400);
    }
}

async fn metadata_are_fetched(database: TestDatabase) {
    let world = World::with(database, |flags| {
        flags.allow_private_addresses = Some("127.0.0.1".to_owned())
    })
    .await;
    let server = SourceServer::start().await;
    let create = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
    let pending = create.json(json!({ "label": "Later" })).expect(201).await;
    let set = |id: &str, path: &str| {
        let call = world.admin.client.call("setOrganizationSAMLProviderMetadata");
        let call = call.here(&world).path("samlProviderId", id);
        call.json(server.source(path))
    };
    let id = pending["id"].as_str().unwrap();
    let operation = contract::operation("setOrganizationSAMLProviderMetadata");
    let xml = operation.body_example().unwrap()["xml"].as_str().unwrap();
    server.set_text("/metadata", xml);
    let active = set(id, "/metadata").expect(200).await;
    assert_eq!(
        (&active["status"], &active["entityID"], &active["ssoURL"]),
        (&json!("active"), &json!(ENTITY), &json!(SSO))
    );
    server.set_text("/wrong", "<a/>");
    let answer = set(id, "/wrong").send().await;
    answer.has_detail("/body/url", "saml-metadata").expect(400);
    server.set_text("/large", xml.repeat(300));
    server.set("/none", Reply::Status("404 Not Found"));
    for path in ["/large", "/none"] {
        let answer = set(id, path).send().await;
        answer.has_detail("/body/url", "not-fetched").expect(400);
    }
    // Nothing is asked for a provider that is none.
    server.answered();
    let nobody = world.space.to_string();
    assert_eq!(set(&nobody, "/metadata").send().await.status, 404);
    assert_eq!(server.answered(), []);
    let call = world.admin.client.call("getOrganizationSAMLProviderById").here(&world);
    assert_eq!(call.path("samlProviderId", id).expect(200).await["entityID"], ENTITY);
}

async fn members_see_the_ways_to_sign_in(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = create(&world, testing::FIRST.certificate, json!({ "label": "Beta" })).await;
    let call = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
    call.json(json!({ "label": "Pending" })).expect(201).await;
    create(&world, testing::SECOND.certificate, json!({ "label": "Alpha" })).await;
    for person in [&world.admin, &world.guest] {
        let call = person.client.call("listSSOProviderLoginsInOrganization").here(&world);
        let logins = call.expect(200).await;
        let labels = texts(&logins, "/label");
        let own: Vec<&String> = labels
            .iter()
            .filter(|label| ["Alpha", "Beta", "Pending"].contains(&label.as_str()))
            .collect();
        assert_eq!(own, ["Alpha", "Beta"]);
        let beta = logins["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|login| login["label"] == "Beta")
            .unwrap();
        let expected = json!({ "id": provider["id"], "label": "Beta", "startURL": provider["service"]["startURL"] });
        assert_eq!(*beta, expected);
    }
}

async fn an_organization_has_some_providers_at_most(database: TestDatabase) {
    let world = World::new(database).await;
    let create = || {
        let call = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
        call.json(json!({ "label": "One of many" }))
    };
    let list = world
        .admin
        .client
        .call("listSAMLProvidersInOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    for _ in list["count"].as_u64().unwrap()..200 {
        create().expect(201).await;
    }
    let refused = create().expect(409).await;
    assert_eq!(refused["error"]["type"], "too-many-saml-providers");
}
