//! Which organizations people with an address in a domain may join.

use bindery::areas::organizations::organizations::{self, ProveEmailDomains};
use chrono::TimeDelta;
use entity::{
    identity::users,
    ids::OrganizationId,
    organizations::{email_domains, members::MemberRole},
};
use platform::jobs::{Kinds, Runner};
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    dns::NameServer,
    service::START,
    world::{DOMAIN, Person, World},
};

on_each_database![
    domains_show_who_allows_them,
    without_an_address_in_a_domain_members_see_their_own_organizations,
    only_verified_addresses_show_a_domain,
    paths_are_decoded_once,
    domains_that_are_not_proven_admit_nobody,
    an_address_does_not_prove_a_mailbox_provider,
    proof_outlives_a_change_of_the_list,
    a_dns_record_proves_a_domain,
    dns_records_are_looked_for_three_days,
    organizations_take_turns_with_their_records,
    addresses_of_other_admins_prove_nothing,
];

/// Gives somebody another verified address.
async fn readdress(world: &World, person: &Person, email: &'static str) {
    let user = person.id;
    let work = move |tx| async move {
        let row = users::ActiveModel {
            id: Set(user),
            email: Set(email.to_owned()),
            ..Default::default()
        };
        row.update(&tx).await
    };
    world.app().kernel.db.write(work).await.unwrap();
    world.app().access.forget_tokens();
}

/// Nobody is asked whether they want to be an admin.
async fn addresses_of_other_admins_prove_nothing(database: TestDatabase) {
    const THEIRS: &str = "harbour.example";
    let world = World::new(database).await;
    let vera = world.member("vera", Some(MemberRole::Admin)).await;
    readdress(&world, &vera, "vera@harbour.example").await;
    readdress(&world, &world.stranger, "colleague@harbour.example").await;
    let join = async || world.stranger.client.call("joinOrganization").here(&world).send().await;
    allow(&world.admin, world.organization, &[THEIRS]).await;
    join().await.expect(404);
    allow(&vera, world.organization, &[THEIRS]).await;
    join().await.expect(204);
}

/// Anybody may have an address there, the admin too.
async fn an_address_does_not_prove_a_mailbox_provider(database: TestDatabase) {
    const PROVIDER: &str = "gmail.com";
    let world = World::new(database).await;
    readdress(&world, &world.admin, "tidewater.robotics@gmail.com").await;
    readdress(&world, &world.stranger, "somebody@gmail.com").await;
    let find = async || {
        let call = world.stranger.client.call("getOrganizationsForEmailDomain");
        call.path("emailDomain", PROVIDER).expect(200).await["organizations"].clone()
    };
    let join = async || world.stranger.client.call("joinOrganization").here(&world).send().await;
    allow(&world.admin, world.organization, &["GMail.com"]).await;
    assert_eq!(find().await, json!([]));
    join().await.expect(404);

    // As earlier versions stored it.
    let organization = world.organization;
    let work = move |tx| async move {
        let row = email_domains::ActiveModel {
            organization_id: Set(organization),
            domain: Set(PROVIDER.to_owned()),
            verified_at: Set(Some(START)),
            ..Default::default()
        };
        row.update(&tx).await
    };
    world.app().kernel.db.write(work).await.unwrap();
    assert_eq!(find().await, json!([]));
    join().await.expect(404);

    world.verify_domain(PROVIDER).await;
    assert_eq!(find().await[0]["title"], "Tidewater Robotics");
    join().await.expect(204);
}

async fn allow(person: &Person, organization: OrganizationId, domains: &[&str]) {
    let call = person.client.call("updateOrganizationById").within(organization);
    call.json(json!({ "emailDomains": domains })).expect(200).await;
}

async fn domains_show_who_allows_them(database: TestDatabase) {
    let world = World::new(database).await;
    let find = async |person: &Person, domain: &str| {
        let call = person
            .client
            .call("getOrganizationsForEmailDomain")
            .path("emailDomain", domain);
        call.expect(200).await["organizations"].clone()
    };
    assert_eq!(find(&world.edit, DOMAIN).await, json!([]));
    allow(&world.admin, world.organization, &["other.example", DOMAIN]).await;
    allow(&world.other_admin, world.other_organization, &["TideWater.example"]).await;
    let unproven = find(&world.edit, DOMAIN).await;
    assert_eq!(unproven.as_array().unwrap().len(), 1, "{unproven}");
    organizations::verify_domain(&world.app().kernel, world.other_organization, "tidewater.EXAMPLE")
        .await
        .unwrap();
    let found = find(&world.edit, "Tidewater.EXAMPLE").await;
    // By title, with what the caller may do in each.
    assert_eq!(
        (&found[0]["title"], &found[1]["title"]),
        (&json!("Elsewhere"), &json!("Tidewater Robotics"))
    );
    assert_eq!(found.as_array().unwrap().len(), 2);
    assert!(
        found[0]["permissions"]
            .as_object()
            .unwrap()
            .values()
            .all(|allowed| *allowed == false)
    );
    let own = world
        .edit
        .client
        .call("getOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(found[1], own);
    allow(&world.other_admin, world.other_organization, &[]).await;
    assert_eq!(find(&world.edit, DOMAIN).await.as_array().unwrap().len(), 1);
}

async fn without_an_address_in_a_domain_members_see_their_own_organizations(database: TestDatabase) {
    let world = World::new(database).await;
    let find = async |person: &Person, domain: &str| {
        let call = person.client.call("getOrganizationsForEmailDomain");
        let found = call.path("emailDomain", domain).expect(200).await;
        let found = found["organizations"].as_array().unwrap().iter();
        found
            .map(|one| one["title"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    const OURS: &str = "ours.example";
    allow(&world.admin, world.organization, &[OURS]).await;
    allow(&world.other_admin, world.other_organization, &[OURS]).await;
    // A member sees the domain whether or not it is proven, as in the organization itself.
    assert_eq!(find(&world.edit, "Ours.Example").await, ["Tidewater Robotics"]);
    for organization in [world.organization, world.other_organization] {
        organizations::verify_domain(&world.app().kernel, organization, OURS)
            .await
            .unwrap();
    }
    assert_eq!(find(&world.edit, OURS).await, ["Tidewater Robotics"]);
    assert_eq!(find(&world.guest, OURS).await, ["Tidewater Robotics"]);
    assert_eq!(find(&world.other_admin, OURS).await, ["Elsewhere"]);
    let none: [&str; 0] = [];
    assert_eq!(find(&world.stranger, OURS).await, none);
    readdress(&world, &world.stranger, "colleague@ours.example").await;
    assert_eq!(find(&world.stranger, OURS).await, ["Elsewhere", "Tidewater Robotics"]);
    for other in ["other.example", "sub.ours.example", "urs.example"] {
        assert_eq!(find(&world.edit, other).await, none, "{other}");
    }
}

async fn only_verified_addresses_show_a_domain(database: TestDatabase) {
    let world = World::new(database).await;
    allow(&world.admin, world.organization, &["nowhere.example"]).await;
    world.verify_domain("nowhere.example").await;
    let call = || {
        let call = world.stranger.client.call("getOrganizationsForEmailDomain");
        call.path("emailDomain", "nowhere.example")
    };
    assert_eq!(
        call().expect(200).await["organizations"][0]["title"],
        "Tidewater Robotics"
    );
    let user = world.stranger.id;
    let work = move |tx| async move {
        let row = users::ActiveModel {
            id: Set(user),
            email_verified: Set(false),
            ..Default::default()
        };
        row.update(&tx).await
    };
    world.app().kernel.db.write(work).await.unwrap();
    world.app().access.forget_tokens();
    assert_eq!(call().expect(200).await["organizations"], json!([]));
}

/// A path that was encoded twice names what it says after one decoding, and that is no domain.
async fn paths_are_decoded_once(database: TestDatabase) {
    let world = World::new(database).await;
    let call = |domain: &str| {
        world
            .edit
            .client
            .call("getOrganizationsForEmailDomain")
            .path("emailDomain", domain)
    };
    allow(&world.admin, world.organization, &["tidewater.example"]).await;
    let found = call("tidewater.example").expect(200).await;
    assert_eq!(found["organizations"].as_array().unwrap().len(), 1);
    call("tidewater%2eexample")
        .send()
        .await
        .has_detail("/path/emailDomain", "pattern");
}

/// The admin has an address in another domain, and the one of the stranger is not proven before the operator says so.
async fn domains_that_are_not_proven_admit_nobody(database: TestDatabase) {
    let world = World::new(database).await;
    let join = async || world.stranger.client.call("joinOrganization").here(&world).send().await;
    let find = async || {
        let call = world.stranger.client.call("getOrganizationsForEmailDomain");
        call.path("emailDomain", "nowhere.example").expect(200).await["organizations"].clone()
    };
    allow(&world.admin, world.organization, &["nowhere.example"]).await;
    let stored = world
        .admin
        .client
        .call("getOrganizationById")
        .here(&world)
        .expect(200)
        .await;
    assert_eq!(stored["emailDomains"], json!(["nowhere.example"]));
    assert_eq!(find().await, json!([]));
    join().await.expect(404);
    for other in ["elsewhere.example", "owhere.example", "sub.nowhere.example"] {
        let unknown = organizations::verify_domain(&world.app().kernel, world.organization, other).await;
        assert!(unknown.is_err(), "{other}");
    }
    world.verify_domain("Nowhere.example").await;
    assert_eq!(find().await.as_array().unwrap().len(), 1);
    join().await.expect(204);
}

async fn proof_outlives_a_change_of_the_list(database: TestDatabase) {
    let world = World::new(database).await;
    allow(&world.admin, world.organization, &["nowhere.example"]).await;
    world.verify_domain("nowhere.example").await;
    allow(&world.admin, world.organization, &[DOMAIN, "nowhere.example"]).await;
    let join = async || world.stranger.client.call("joinOrganization").here(&world).send().await;
    // A domain that was taken off the list has to be proven again.
    allow(&world.admin, world.organization, &[DOMAIN]).await;
    join().await.expect(404);
    allow(&world.admin, world.organization, &["nowhere.example"]).await;
    join().await.expect(404);
    world.verify_domain("nowhere.example").await;
    allow(&world.admin, world.organization, &[DOMAIN, "nowhere.example"]).await;
    join().await.expect(204);
}

async fn with_name_server(database: TestDatabase, server: &NameServer) -> World {
    let address = server.address.to_string();
    World::with(database, |flags| flags.dns_server = Some(address)).await
}

/// Looks up what is due after this time.
async fn look_up_after(world: &World, time: TimeDelta) {
    world.clock().advance(time);
    let kinds = Kinds::default().with_periodic(ProveEmailDomains(std::sync::Arc::clone(&world.app().organizations)));
    Runner::new(world.app().kernel.jobs.clone(), kinds)
        .run_due()
        .await
        .unwrap();
}

async fn a_dns_record_proves_a_domain(database: TestDatabase) {
    let server = NameServer::start().await;
    let world = with_name_server(database, &server).await;
    let join = async || world.stranger.client.call("joinOrganization").here(&world).send().await;
    let text = |organization| format!("organization={organization}");
    allow(&world.admin, world.organization, &["nowhere.example"]).await;
    look_up_after(&world, TimeDelta::zero()).await;
    assert_eq!(server.take_asked(), ["_bindery.nowhere.example."]);
    join().await.expect(404);
    // Not yet due, and somebody else's record.
    server.set(
        "_bindery.nowhere.example",
        &["v=spf1".to_owned(), text(world.other_organization)],
    );
    look_up_after(&world, TimeDelta::seconds(59)).await;
    assert_eq!(server.take_asked(), [""; 0]);
    look_up_after(&world, TimeDelta::seconds(2)).await;
    assert_eq!(server.take_asked().len(), 1);
    join().await.expect(404);
    server.set(
        "_bindery.nowhere.example",
        &["v=spf1".to_owned(), text(world.organization)],
    );
    look_up_after(&world, TimeDelta::minutes(2)).await;
    join().await.expect(204);
    server.take_asked();
    look_up_after(&world, TimeDelta::days(1)).await;
    assert_eq!(server.take_asked(), [""; 0]);
}

async fn dns_records_are_looked_for_three_days(database: TestDatabase) {
    let server = NameServer::start().await;
    let world = with_name_server(database, &server).await;
    let set = async || allow(&world.admin, world.organization, &["nowhere.example"]).await;
    set().await;
    look_up_after(&world, TimeDelta::zero()).await;
    look_up_after(&world, TimeDelta::days(3)).await;
    assert_eq!(server.take_asked().len(), 2);
    look_up_after(&world, TimeDelta::days(3)).await;
    assert_eq!(server.take_asked(), [""; 0]);
    set().await;
    look_up_after(&world, TimeDelta::minutes(1)).await;
    assert_eq!(server.take_asked().len(), 1);
}

/// However many domains one of them has.
async fn organizations_take_turns_with_their_records(database: TestDatabase) {
    let server = NameServer::start().await;
    let world = with_name_server(database, &server).await;
    let many: Vec<String> = (0..200).map(|number| format!("d{number}.example")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    allow(&world.admin, world.organization, &many).await;
    world.clock().advance(TimeDelta::seconds(1));
    allow(&world.other_admin, world.other_organization, &["theirs.example"]).await;
    look_up_after(&world, TimeDelta::zero()).await;
    let asked = server.take_asked();
    let place = asked.iter().position(|name| name == "_bindery.theirs.example.");
    assert!(place.unwrap() < 9, "{place:?}");
    assert_eq!(asked.len(), 201);
}
