//! Custom hostnames: who gets a name, and what the name leads to.

use bindery::areas::publishing::custom_hostnames::CheckCustomHostnames;
use chrono::TimeDelta;
use entity::ids::OrganizationId;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    process::command,
    published::{Published, find, prove, resolve},
    world::{Person, World},
};

on_each_database![
    a_hostname_leads_to_its_site_once_its_records_are_right,
    a_hostname_of_an_organization_leads_to_its_default_content,
    claims_without_records_take_nothing_from_others,
    a_new_hostname_replaces_the_former_one_when_it_passes,
    hostnames_of_the_server_are_nobodys,
    records_are_checked_from_time_to_time,
    records_are_looked_for_three_days,
    a_check_takes_nothing_from_others,
    a_check_of_the_active_hostname_keeps_the_one_that_waits,
    proxies_learn_which_hostnames_are_shown,
    doctor_finds_hostnames_with_wrong_records,
];

const NAME: &str = "docs.tidewater.example";

async fn world(database: TestDatabase) -> World {
    World::with(database, |flags| {
        flags.sites_url = Some("https://{site}.sites.example".to_owned())
    })
    .await
}

fn on<'a>(person: &'a Person, operation: &str, hostname: &str) -> Call<'a> {
    person.client.call(operation).path("hostname", hostname)
}

fn of_site(site: &Value) -> Value {
    json!({ "target": { "type": "site", "site": site["id"] } })
}

fn of_organization(organization: OrganizationId) -> Value {
    json!({ "target": { "type": "organization", "organization": organization } })
}

async fn a_hostname_leads_to_its_site_once_its_records_are_right(database: TestDatabase) {
    let world = world(database).await;
    let published = Published::new(&world, &["One"]).await;
    let names = &world.service.names;
    let check = async || on(&world.admin, "dnsRevalidateCustomHostname", NAME).send().await;
    let status = async || on(&world.admin, "getCustomHostname", NAME).expect(200).await;
    let site = async || {
        world
            .on_site(&world.admin, "getSiteById", &published.site)
            .expect(200)
            .await
    };

    let set = on(&world.admin, "setCustomHostname", NAME).json(of_site(&published.site));
    let claimed = set.expect(200).await;
    assert_eq!(
        claimed,
        json!({
            "object": "custom-hostname", "hostname": NAME, "isActive": false, "status": "dns_no_cname",
            "target": { "type": "site", "site": published.site["id"] },
            "urls": { "location": format!("{}/v1/custom-hostnames/{NAME}", world.service.base) },
        })
    );
    assert_eq!(site().await.get("hostname"), None);
    names.set_alias(NAME, "elsewhere.example");
    check().await.has_detail("/path/hostname", "dns-records");
    assert_eq!(status().await["status"], "dns_wrong_cname");
    // Whoever claims a name that leads here already is not its owner yet.
    names.set_alias(NAME, "Manuals.Sites.Example");
    check().await.has_detail("/path/hostname", "dns-records");
    assert_eq!(
        (&status().await["status"], &status().await["isActive"]),
        (&json!("dns_passed"), &json!(false))
    );
    prove(&world, NAME, world.other_organization);
    check().await.expect(400);
    resolve(&world, &format!("https://{NAME}/"), json!({}))
        .expect(404)
        .await;

    prove(&world, NAME, world.organization);
    check().await.expect(204);
    assert_eq!(
        (&status().await["status"], &status().await["isActive"]),
        (&json!("live"), &json!(true))
    );
    let seen = site().await;
    assert_eq!(seen["hostname"], NAME);
    assert_eq!(seen["urls"]["published"], format!("https://{NAME}/"));
    let found = find(&world, &format!("https://{NAME}/start")).await;
    assert_eq!(
        (&found["site"], &found["pathname"]),
        (&published.site["id"], &json!("/start"))
    );
    assert_eq!((&found["siteBasePath"], &found["basePath"]), (&json!("/"), &json!("/")));
    assert_eq!(found["canonicalUrl"], format!("https://{NAME}/start"));

    names.set_alias(NAME, "elsewhere.example");
    check().await.expect(400);
    assert_eq!(site().await.get("hostname"), None);
    names.set_alias(NAME, "sites.example");
    check().await.expect(204);
    on(&world.admin, "removeCustomHostname", NAME).expect(204).await;
    assert_eq!(site().await.get("hostname"), None);
    on(&world.admin, "getCustomHostname", NAME).expect(404).await;
    on(&world.admin, "removeCustomHostname", NAME).expect(204).await;
}

async fn a_hostname_of_an_organization_leads_to_its_default_content(database: TestDatabase) {
    let world = world(database).await;
    let published = Published::new(&world, &["One"]).await;
    world.service.names.set_alias(NAME, "sites.example");
    prove(&world, NAME, world.organization);
    let set = on(&world.admin, "setCustomHostname", NAME).json(of_organization(world.organization));
    assert_eq!(set.expect(200).await["isActive"], true);
    let base = format!("https://{NAME}/");
    resolve(&world, &base, json!({})).expect(404).await;
    let update = world.admin.client.call("updateOrganizationById").here(&world);
    let content = json!({ "type": "site", "site": published.site["id"] });
    let organization = update.json(json!({ "defaultContent": content })).expect(200).await;
    assert_eq!(organization["customHostname"], NAME);
    assert_eq!(find(&world, &base).await["site"], published.site["id"]);
    // The target changes with another request, and goes with the site.
    let set = on(&world.admin, "setCustomHostname", NAME).json(of_site(&published.site));
    assert_eq!(set.expect(200).await["isActive"], true);
    let organization = world
        .admin
        .client
        .call("getOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(organization.get("customHostname"), None);
    world
        .on_site(&world.admin, "deleteSiteById", &published.site)
        .expect(204)
        .await;
    on(&world.admin, "getCustomHostname", NAME).expect(404).await;
}

async fn claims_without_records_take_nothing_from_others(database: TestDatabase) {
    let world = world(database).await;
    let (ours, theirs) = (
        of_organization(world.organization),
        of_organization(world.other_organization),
    );
    let set = |person, body: &Value| on(person, "setCustomHostname", NAME).json(body.clone());
    // A claim that came first does not keep the owner out.
    assert_eq!(set(&world.other_admin, &theirs).expect(200).await["isActive"], false);
    world.service.names.set_alias(NAME, "sites.example");
    prove(&world, NAME, world.organization);
    assert_eq!(set(&world.admin, &ours).expect(200).await["isActive"], true);
    for operation in ["setCustomHostname", "dnsRevalidateCustomHostname"] {
        let call = on(&world.other_admin, operation, NAME);
        let call = if operation == "setCustomHostname" {
            call.json(theirs.clone())
        } else {
            call
        };
        assert_eq!(call.expect(409).await["error"]["type"], "hostname-taken");
    }
    // Each sees only the claim of the own organization.
    let seen = on(&world.other_admin, "getCustomHostname", NAME).expect(200).await;
    assert_eq!(seen["target"]["organization"], world.other_organization.to_string());
    on(&world.other_admin, "removeCustomHostname", NAME).expect(204).await;
    on(&world.other_admin, "getCustomHostname", NAME).expect(404).await;
    assert_eq!(
        on(&world.admin, "getCustomHostname", NAME).expect(200).await["isActive"],
        true
    );
    // Nobody sets a name for what is not theirs.
    set(&world.other_admin, &ours).expect(404).await;
    set(&world.other_admin, &of_site(&json!({ "id": world.own("siteId") })))
        .expect(404)
        .await;
    set(&world.create, &ours).expect(403).await;
    // The domain has another owner.
    prove(&world, NAME, world.other_organization);
    assert_eq!(set(&world.other_admin, &theirs).expect(200).await["isActive"], true);
    assert_eq!(
        on(&world.admin, "getCustomHostname", NAME).expect(200).await["isActive"],
        false
    );
    let organization = world
        .admin
        .client
        .call("getOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(organization.get("customHostname"), None);
}

async fn a_new_hostname_replaces_the_former_one_when_it_passes(database: TestDatabase) {
    let world = world(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let set = async |hostname: &str| {
        let call = on(&world.admin, "setCustomHostname", hostname).json(of_site(&site));
        call.expect(200).await["isActive"].clone()
    };
    let hostname = async || {
        let site = world.on_site(&world.admin, "getSiteById", &site).expect(200).await;
        site["hostname"].clone()
    };
    for name in ["old.tidewater.example", "new.tidewater.example"] {
        world.service.names.set_alias(name, "sites.example");
    }
    prove(&world, "old.tidewater.example", world.organization);
    assert_eq!(set("old.tidewater.example").await, true);
    assert_eq!(set("other.tidewater.example").await, false);
    assert_eq!(set("new.tidewater.example").await, false);
    // Only the last one waits.
    on(&world.admin, "getCustomHostname", "other.tidewater.example")
        .expect(404)
        .await;
    assert_eq!(hostname().await, "old.tidewater.example");
    prove(&world, "new.tidewater.example", world.organization);
    on(&world.admin, "dnsRevalidateCustomHostname", "new.tidewater.example")
        .expect(204)
        .await;
    assert_eq!(hostname().await, "new.tidewater.example");
    on(&world.admin, "getCustomHostname", "old.tidewater.example")
        .expect(404)
        .await;
    let list = world.admin.client.call("listSites").here(&world).expect(200).await;
    assert_eq!(list["items"][0]["hostname"], "new.tidewater.example");
}

async fn hostnames_of_the_server_are_nobodys(database: TestDatabase) {
    let world = world(database).await;
    let hostname = "manuals.sites.example";
    world.service.names.set_alias(hostname, "sites.example");
    prove(&world, hostname, world.organization);
    let set = on(&world.admin, "setCustomHostname", hostname).json(of_organization(world.organization));
    let set = set.expect(200).await;
    assert_eq!(
        (&set["status"], &set["isActive"]),
        (&json!("invalid_domain"), &json!(false))
    );
    for bad in [
        "tidewater.example",
        "Docs.tidewater.example",
        "docs.tidewater.example.",
        "a..b.example",
        "127.0.0.1:80",
    ] {
        let set = on(&world.admin, "setCustomHostname", bad).json(of_organization(world.organization));
        set.send().await.has_detail("/path/hostname", "pattern");
    }
}

/// Checks what is due after this time.
async fn check_after(world: &World, time: TimeDelta) {
    world.clock().advance(time);
    let kinds = Kinds::default().with_periodic(CheckCustomHostnames(std::sync::Arc::clone(&world.app().publishing)));
    Runner::new(world.app().kernel.jobs.clone(), kinds)
        .run_due()
        .await
        .unwrap();
}

/// The status of the hostname, and whether it is active.
async fn state(person: &Person, hostname: &str) -> (String, bool) {
    let seen = on(person, "getCustomHostname", hostname).expect(200).await;
    let status = seen["status"].as_str().unwrap().to_owned();
    (status, seen["isActive"].as_bool().unwrap())
}

fn is(status: &str, active: bool) -> (String, bool) {
    (status.to_owned(), active)
}

async fn records_are_checked_from_time_to_time(database: TestDatabase) {
    let world = world(database).await;
    let published = Published::new(&world, &["One"]).await;
    let names = &world.service.names;
    let set = on(&world.admin, "setCustomHostname", NAME).json(of_site(&published.site));
    assert_eq!(set.expect(200).await["status"], "dns_no_cname");
    prove(&world, NAME, world.organization);
    names.set_alias(NAME, "sites.example");
    check_after(&world, TimeDelta::seconds(59)).await;
    assert_eq!(state(&world.admin, NAME).await, is("dns_no_cname", false));
    check_after(&world, TimeDelta::minutes(1)).await;
    assert_eq!(state(&world.admin, NAME).await, is("live", true));
    let found = find(&world, &format!("https://{NAME}/start")).await;
    assert_eq!(found["site"], published.site["id"]);

    // A mistake in the zone does not end it at once.
    names.set_alias(NAME, "elsewhere.example");
    check_after(&world, TimeDelta::hours(5)).await;
    assert_eq!(state(&world.admin, NAME).await, is("live", true));
    check_after(&world, TimeDelta::hours(1)).await;
    assert_eq!(state(&world.admin, NAME).await, is("dns_wrong_cname", true));
    find(&world, &format!("https://{NAME}/start")).await;
    names.set_alias(NAME, "sites.example");
    check_after(&world, TimeDelta::hours(1)).await;
    assert_eq!(state(&world.admin, NAME).await, is("live", true));
    names.set_alias(NAME, "elsewhere.example");
    for _ in 0..29 {
        check_after(&world, TimeDelta::hours(1)).await;
        assert!(state(&world.admin, NAME).await.1);
    }
    check_after(&world, TimeDelta::hours(1)).await;
    assert_eq!(state(&world.admin, NAME).await, is("dns_wrong_cname", false));
    resolve(&world, &format!("https://{NAME}/"), json!({}))
        .expect(404)
        .await;
    // The records are right again.
    names.set_alias(NAME, "sites.example");
    check_after(&world, TimeDelta::hours(6)).await;
    assert_eq!(state(&world.admin, NAME).await, is("live", true));

    let events = world
        .admin
        .client
        .call("listOrganizationAuditEvents")
        .here(&world)
        .expect(200)
        .await;
    let checks = events["items"].as_array().unwrap().iter();
    let checks: Vec<&Value> = checks
        .filter(|event| event["action"] == "customHostnames.check")
        .collect();
    // One for each change of the outcome.
    assert_eq!(checks.len(), 6, "{checks:#?}");
}

async fn records_are_looked_for_three_days(database: TestDatabase) {
    let world = world(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let names = &world.service.names;
    let set = on(&world.admin, "setCustomHostname", NAME).json(of_site(&site));
    set.expect(200).await;
    names.take_asked();
    for (wait, is_asked) in [(1, true), (2, true), (1, false), (0, false), (30, false)] {
        check_after(&world, TimeDelta::days(wait)).await;
        let asked = names.take_asked().contains(&format!("{NAME}."));
        assert_eq!(asked, is_asked, "{wait}");
    }
    // Whoever asks again is waited for again.
    on(&world.admin, "dnsRevalidateCustomHostname", NAME).expect(400).await;
    names.set_alias(NAME, "sites.example");
    prove(&world, NAME, world.organization);
    check_after(&world, TimeDelta::minutes(1)).await;
    assert_eq!(state(&world.admin, NAME).await, is("live", true));
}

async fn a_check_takes_nothing_from_others(database: TestDatabase) {
    let world = world(database).await;
    let names = &world.service.names;
    let both = [world.organization, world.other_organization].map(|of| format!("organization={of}"));
    names.set(&format!("_bindery.{NAME}"), &both[..1]);
    let set = |person, organization| on(person, "setCustomHostname", NAME).json(of_organization(organization));
    set(&world.other_admin, world.other_organization).expect(200).await;
    names.set_alias(NAME, "sites.example");
    assert_eq!(
        set(&world.admin, world.organization).expect(200).await["isActive"],
        true
    );
    // The records name both.
    names.set(&format!("_bindery.{NAME}"), &both);
    for _ in 0..8 {
        check_after(&world, TimeDelta::hours(1)).await;
        assert_eq!(state(&world.admin, NAME).await, is("live", true));
    }
    // The former owner is no longer named.
    names.set(&format!("_bindery.{NAME}"), &both[1..]);
    for _ in 0..48 {
        check_after(&world, TimeDelta::hours(1)).await;
    }
    assert_eq!(state(&world.admin, NAME).await, is("dns_passed", false));
    assert_eq!(state(&world.other_admin, NAME).await, is("live", true));
}

async fn a_check_of_the_active_hostname_keeps_the_one_that_waits(database: TestDatabase) {
    const NEW: &str = "new.tidewater.example";
    let world = world(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let names = &world.service.names;
    names.set_alias(NAME, "sites.example");
    prove(&world, NAME, world.organization);
    for (name, active) in [(NAME, true), (NEW, false)] {
        let set = on(&world.admin, "setCustomHostname", name).json(of_site(&site));
        assert_eq!(set.expect(200).await["isActive"], active);
    }
    check_after(&world, TimeDelta::hours(7)).await;
    assert_eq!(state(&world.admin, NAME).await, is("live", true));
    names.set_alias(NEW, "sites.example");
    prove(&world, NEW, world.organization);
    check_after(&world, TimeDelta::hours(7)).await;
    assert_eq!(state(&world.admin, NEW).await, is("live", true));
    on(&world.admin, "getCustomHostname", NAME).expect(404).await;
}

/// A published site with the hostname, which is active.
async fn active_hostname(world: &World) {
    let published = Published::new(world, &["One"]).await;
    world.service.names.set_alias(NAME, "manuals.sites.example");
    prove(world, NAME, world.organization);
    let set = on(&world.admin, "setCustomHostname", NAME).json(of_site(&published.site));
    assert_eq!(set.expect(200).await["isActive"], true);
}

async fn proxies_learn_which_hostnames_are_shown(database: TestDatabase) {
    let world = world(database).await;
    let nobody = Client::new(&world.service.base);
    let ask = async |domain: &str| {
        let path = format!("/hostnames/allowed?domain={domain}");
        nobody.get(&path).await.status().as_u16()
    };
    assert_eq!(ask(NAME).await, 404);
    active_hostname(&world).await;
    let own = world
        .service
        .base
        .trim_start_matches("http://")
        .split(':')
        .next()
        .unwrap();
    for shown in [NAME, own, "sites.example"] {
        assert_eq!(ask(shown).await, 200, "{shown}");
    }
    for other in [
        "elsewhere.example",
        "no-such-site.sites.example",
        "",
        "%00",
        "docs.tidewater.example%2Fpath",
        "docs.tidewater.example:443",
        "user@docs.tidewater.example",
    ] {
        assert_eq!(ask(other).await, 404, "{other}");
    }
    assert_eq!(nobody.get("/hostnames/allowed").await.status(), 404);
}

async fn doctor_finds_hostnames_with_wrong_records(database: TestDatabase) {
    let url = database.url().to_owned();
    let world = world(database).await;
    active_hostname(&world).await;
    let server = world.service.names.address.to_string();
    let examine = async || {
        let (home, url, server) = (world.service.data().to_owned(), url.clone(), server.clone());
        let examine = move || {
            let flags = [
                "doctor",
                "--json",
                "--dns-server",
                &server,
                "--sites-url",
                "https://{site}.sites.example",
            ];
            command(&home, &url, &flags)
        };
        let output = tokio::task::spawn_blocking(examine).await.unwrap();
        let checks: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        checks.into_iter().find(|check| check["check"] == "hostnames").unwrap()
    };
    assert_eq!(examine().await["warning"], false);
    world.service.names.set_alias(NAME, "elsewhere.example");
    let found = examine().await;
    let text = found["found"].as_str().unwrap();
    assert!(
        found["warning"] == true && text.contains("does not lead to sites.example"),
        "{text}"
    );
}
