//! Organizations, and members, that require single sign-on.

use bindery::areas::organizations::members;
use serde_json::{Value, json};

use crate::support::{
    browser::{Browser, between, location},
    client::{Answer, Call, Client},
    database::{TestDatabase, on_each_database},
    published::{Published, id, read, resolve, visitor},
    saml::set_up,
    world::World,
};

on_each_database![
    an_organization_requires_single_sign_on,
    a_member_is_required_to_sign_in,
    requiring_sso_needs_a_sign_in_by_it,
    the_last_way_in_stays,
    a_token_of_another_organization_does_not_count,
    tokens_end_with_their_provider,
    an_exempt_member_gets_in,
    previews_are_of_members_who_have_signed_in,
];

fn patch<'a>(world: &World, client: &'a Client, sso: bool) -> Call<'a> {
    let call = client.call("updateOrganizationById").here(world);
    call.json(json!({ "sso": sso }))
}

/// A client with a token of somebody who has signed in, for the first time if they had an account before.
async fn signed_in(world: &World, provider: &Value, person: &str) -> Client {
    let mut browser = Browser::new(world);
    let mut last = browser.sign_in(world, provider, person).await;
    let known = [&world.admin, &world.edit]
        .into_iter()
        .find(|known| known.email == person);
    if let Some(known) = known.filter(|_| last.status() == 200) {
        let code = between(&last.text().await.unwrap(), "name=\"code\" value=\"", "\"");
        last = browser.prove(&code, &known.token).await;
    }
    location(&last);
    world.nobody().with_token(&browser.make_token("Signed in").await)
}

/// Deletes the providers of the organization.
async fn without_providers(world: &World) {
    let admin = &world.admin.client;
    let list = admin
        .call("listSAMLProvidersInOrganizationById")
        .here(world)
        .expect(200)
        .await;
    for provider in list["items"].as_array().unwrap() {
        let delete = admin.call("deleteOrganizationSAMLProvider").here(world);
        delete
            .path("samlProviderId", provider["id"].as_str().unwrap())
            .expect(204)
            .await;
    }
}

/// An organization that requires single sign-on, its provider, and its admin as they have signed in.
async fn requiring(world: &World) -> (Value, Client) {
    without_providers(world).await;
    let provider = set_up(world, json!({ "defaultRole": "read" })).await;
    let admin = signed_in(world, &provider, &world.admin.email).await;
    assert_eq!(patch(world, &admin, true).expect(200).await["sso"], true);
    (provider, admin)
}

/// The status and the type of an error.
fn error(answer: &Answer) -> (u16, Value) {
    let body: Value = serde_json::from_str(&answer.text).unwrap();
    (answer.status, body["error"]["type"].clone())
}

fn is_refused(answer: &Answer) {
    assert_eq!(error(answer), (401, json!("sso-required")), "{}", answer.text);
    let challenge = answer.headers["www-authenticate"].to_str().unwrap();
    assert_eq!(challenge, "Bearer error=\"insufficient_user_authentication\"");
}

/// The ids of a list of organizations.
async fn organizations(client: &Client) -> Vec<String> {
    let list = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let items = list["items"].as_array().unwrap().iter();
    assert_eq!(list["count"], items.len());
    items.map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

/// Calls about the organization, its content and its people.
fn calls<'a>(world: &World, client: &'a Client) -> Vec<Call<'a>> {
    vec![
        client.call("getOrganizationById").here(world),
        client.call("listSpacesInOrganizationById").here(world),
        client.call("getSpaceById").space(world.space),
        client.call("listPages").space(world.space),
        client.call("getCollectionById").path("collectionId", world.collection),
        client.call("listSSOProviderLoginsInOrganization").here(world),
        client.call("getTeamInOrganizationById").in_team(world),
    ]
}

async fn an_organization_requires_single_sign_on(database: TestDatabase) {
    let world = World::new(database).await;
    let here = world.organization.to_string();
    let (provider, admin) = requiring(&world).await;
    for call in calls(&world, &world.admin.client) {
        is_refused(&call.send().await);
    }
    assert!(!organizations(&world.admin.client).await.contains(&here));
    for call in calls(&world, &admin) {
        call.expect(200).await;
    }
    assert!(organizations(&admin).await.contains(&here));
    // What is the user's own stays.
    world.admin.client.call("getAuthenticatedUser").expect(200).await;
    let other = world.admin.client.call("getUserById").path("userId", world.edit.id);
    other.expect(404).await;
    admin
        .call("getUserById")
        .path("userId", world.edit.id)
        .expect(200)
        .await;

    // A token made by such a token is as good as it, and one made by another is not.
    let made = |client: Client| async move {
        let call = client.call("createUserToken");
        let made = call.json(json!({ "label": "Next" })).expect(201).await;
        client.with_token(made["token"].as_str().unwrap())
    };
    let (next, worse) = (made(admin.clone()).await, made(world.admin.client.clone()).await);
    next.call("getSpaceById").space(world.space).expect(200).await;
    is_refused(&worse.call("getSpaceById").space(world.space).send().await);

    // Whoever joins by signing in gets in, and nobody else without it.
    let nadia = signed_in(&world, &provider, "nadia").await;
    nadia.call("getOrganizationById").here(&world).expect(200).await;
    is_refused(&world.read.client.call("getOrganizationById").here(&world).send().await);
    // Strangers learn nothing from it.
    let stranger = world.stranger.client.call("getOrganizationById").here(&world);
    assert_eq!(stranger.send().await.status, 404);

    assert_eq!(patch(&world, &admin, false).expect(200).await["sso"], false);
    for call in calls(&world, &world.admin.client) {
        call.expect(200).await;
    }
}

async fn a_member_is_required_to_sign_in(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let read = async |client: &Client| client.call("getSpaceById").space(world.space).send().await;
    let edit = signed_in(&world, &provider, &world.edit.email).await;
    assert_eq!(
        read(&world.edit.client).await.status,
        200,
        "signing in alone changes nothing"
    );
    let mark = world
        .admin
        .client
        .call("setUserAsSSOMemberForOrganization")
        .here(&world);
    mark.path("userId", world.edit.id).expect(200).await;
    is_refused(&read(&world.edit.client).await);
    assert_eq!(read(&edit).await.status, 200);
    assert_eq!(read(&world.read.client).await.status, 200);
}

async fn requiring_sso_needs_a_sign_in_by_it(database: TestDatabase) {
    let world = World::new(database).await;
    without_providers(&world).await;
    let refused = patch(&world, &world.admin.client, true).send().await;
    assert_eq!(error(&refused), (409, json!("no-saml-provider")));
    let provider = set_up(&world, json!({})).await;
    let refused = patch(&world, &world.admin.client, true).send().await;
    assert_eq!(error(&refused), (409, json!("sso-unproven")));
    let admin = signed_in(&world, &provider, &world.admin.email).await;
    patch(&world, &admin, true).expect(200).await;
    // Requiring it again needs no proof beyond getting in.
    patch(&world, &admin, true).expect(200).await;
}

async fn the_last_way_in_stays(database: TestDatabase) {
    let world = World::new(database).await;
    let (provider, admin) = requiring(&world).await;
    let on = |operation: &str, provider: &Value| {
        let call = admin.call(operation).here(&world);
        call.path("samlProviderId", provider["id"].as_str().unwrap())
    };
    let deleted = on("deleteOrganizationSAMLProvider", &provider).send().await;
    assert_eq!(error(&deleted), (409, json!("saml-provider-needed")));
    let without = on("updateOrganizationSAMLProvider", &provider).json(json!({ "entityID": "" }));
    assert_eq!(error(&without.send().await), (409, json!("saml-provider-needed")));
    let body = json!({ "label": "Second", "entityID": provider["entityID"], "ssoURL": provider["ssoURL"],
        "certificate": provider["certificate"] });
    let call = admin.call("createOrganizationSAMLProvider").here(&world);
    let second = call.json(body).expect(201).await;
    on("deleteOrganizationSAMLProvider", &second).expect(204).await;
    on("deleteOrganizationSAMLProvider", &provider).expect(409).await;
}

async fn a_token_of_another_organization_does_not_count(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let here = signed_in(&world, &provider, &world.admin.email).await;
    members::add(&world.app().kernel, world.other_organization, world.admin.id, None)
        .await
        .unwrap();
    let call = || here.call("getOrganizationById").within(world.other_organization);
    call().expect(200).await;
    let mark = world.other_admin.client.call("setUserAsSSOMemberForOrganization");
    let mark = mark.within(world.other_organization).path("userId", world.admin.id);
    mark.expect(200).await;
    is_refused(&call().send().await);
    here.call("getOrganizationById").here(&world).expect(200).await;
}

async fn tokens_end_with_their_provider(database: TestDatabase) {
    let world = World::new(database).await;
    let provider = set_up(&world, json!({})).await;
    let edit = signed_in(&world, &provider, &world.edit.email).await;
    let mark = world
        .admin
        .client
        .call("setUserAsSSOMemberForOrganization")
        .here(&world);
    mark.path("userId", world.edit.id).expect(200).await;
    edit.call("getSpaceById").space(world.space).expect(200).await;
    let delete = world.admin.client.call("deleteOrganizationSAMLProvider").here(&world);
    delete
        .path("samlProviderId", provider["id"].as_str().unwrap())
        .expect(204)
        .await;
    edit.call("getSpaceById").space(world.space).expect(401).await;
    edit.call("getAuthenticatedUser").expect(401).await;
}

async fn an_exempt_member_gets_in(database: TestDatabase) {
    let world = World::new(database).await;
    requiring(&world).await;
    let exempt = |exempt| members::set_sso_exempt(&world.app().kernel, world.organization, world.admin.id, exempt);
    let call = || world.admin.client.call("getSpaceById").space(world.space);
    exempt(true).await.unwrap();
    call().expect(200).await;
    assert!(
        organizations(&world.admin.client)
            .await
            .contains(&world.organization.to_string())
    );
    exempt(false).await.unwrap();
    is_refused(&call().send().await);
    exempt(true).await.unwrap();
    // The identity provider has failed: nobody has to be able to sign in to end the requirement, or to make it again.
    patch(&world, &world.admin.client, false).expect(200).await;
    world
        .read
        .client
        .call("getSpaceById")
        .space(world.space)
        .expect(200)
        .await;
    patch(&world, &world.admin.client, true).expect(200).await;
}

async fn previews_are_of_members_who_have_signed_in(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let (site, space) = (id(&published.site), id(&published.spaces[0]));
    let request = world.admin.client.call("createChangeRequest").path("spaceId", space);
    let request = request.json(json!({ "subject": "New page" })).expect(201).await;
    let end = world.on_site(&world.admin, "unpublishSite", &published.site);
    end.expect(200).await;
    let preview = async |client: &Client| {
        let call = client.call("getSitePublishingPreviewById").here(&world);
        call.path("siteId", site).send().await
    };
    let address = |answer: &Answer| answer.expect(200)["url"].as_str().unwrap().to_owned();
    let before = address(&preview(&world.admin.client).await);
    let found = resolve(&world, &before, json!({})).expect(200).await;
    let visitor_before = visitor(&world, &found);
    read(&visitor_before, &found).expect(200).await;
    let (provider, admin) = requiring(&world).await;

    // Who has not come that way, shows nothing.
    is_refused(&preview(&world.admin.client).await);
    resolve(&world, &before, json!({})).expect(404).await;
    read(&visitor_before, &found).expect(404).await;
    let structure = visitor_before.call("getSiteStructure").here(&world);
    structure.path("siteId", site).expect(404).await;

    let after = address(&preview(&admin).await);
    let found = resolve(&world, &after, json!({})).expect(200).await;
    let client = visitor(&world, &found);
    let structure = client.call("getSiteStructure").here(&world);
    structure.path("siteId", site).expect(200).await;
    client.call("getSpaceById").path("spaceId", space).expect(200).await;
    read(&client, &found).expect(200).await;
    let draft = after.replace("?token", &format!("~/changes/{}/?token", id(&request)));
    let draft = resolve(&world, &draft, json!({})).expect(200).await;
    let of_draft = visitor(&world, &draft);
    let read_request = of_draft.call("getChangeRequestById").path("spaceId", space);
    read_request.path("changeRequestId", id(&request)).expect(200).await;

    // The preview ends with the provider, like the token that it was made with.
    let body = json!({ "label": "Second", "entityID": "https://second.example", "ssoURL": provider["ssoURL"],
        "certificate": provider["certificate"] });
    let create = admin.call("createOrganizationSAMLProvider").here(&world);
    create.json(body).expect(201).await;
    members::set_sso_exempt(&world.app().kernel, world.organization, world.admin.id, true)
        .await
        .unwrap();
    let delete = world.admin.client.call("deleteOrganizationSAMLProvider").here(&world);
    let delete = delete.path("samlProviderId", id(&provider)).send().await;
    members::set_sso_exempt(&world.app().kernel, world.organization, world.admin.id, false)
        .await
        .unwrap();
    assert_eq!(delete.status, 204, "{}", delete.text);
    resolve(&world, &after, json!({})).expect(404).await;
    read(&client, &found).expect(404).await;
}
