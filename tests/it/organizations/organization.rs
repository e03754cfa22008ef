//! Organizations: creating, changing and finding them, and what each caller may do in one.

use bindery::areas::organizations::organizations;
use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    database::{TestDatabase, on_each_database},
    paths::{each, texts},
    world::{DOMAIN, Person, World},
};

on_each_database![
    a_new_organization_belongs_to_its_creator,
    the_operator_chooses_creators_of_organizations,
    everything_can_be_said_at_creation,
    members_of_the_body_change_one_by_one,
    absent_members_stay_and_null_clears,
    a_hostname_belongs_to_one_organization,
    default_content_has_to_exist,
    merge_rules_are_kept_as_written,
    reviewers_have_to_be_members,
    permissions_follow_the_role,
    lists_hold_only_organizations_of_the_caller,
];

fn get<'a>(client: &'a Client, world: &World) -> Call<'a> {
    client.call("getOrganizationById").here(world)
}

fn patch(world: &World) -> Call<'_> {
    world.admin.client.call("updateOrganizationById").here(world)
}

async fn a_new_organization_belongs_to_its_creator(database: TestDatabase) {
    let world = World::new(database).await;
    let client = &world.stranger.client;
    let answer = client
        .call("createOrganization")
        .json(json!({ "title": "Kelp & Söhne" }))
        .send()
        .await;
    let created = answer.expect(201);
    let location = answer.headers["location"].to_str().unwrap();
    assert_eq!(created["urls"]["location"], location);
    let path = location.strip_prefix(&world.service.base).unwrap();
    assert_eq!(client.get(path).await.json::<Value>().await.unwrap(), created);

    assert_eq!(created["title"], "Kelp & Söhne");
    assert_eq!(created["createdAt"], "2026-11-21T12:00:00.000Z");
    let defaults = json!({
        "type": "business", "emailDomains": [], "defaultRole": null, "sso": false, "ai": false, "inviteLinks": true,
        "mergeRules": { "type": "none" },
    });
    for (member, value) in defaults.as_object().unwrap() {
        assert_eq!(&created[member], value, "{member}");
    }
    for absent in [
        "hostname",
        "useCase",
        "communityType",
        "defaultContent",
        "billing",
        "blocked",
    ] {
        assert_eq!(created.get(absent), None, "{absent}");
    }
    assert!(
        created["permissions"]
            .as_object()
            .unwrap()
            .values()
            .all(|allowed| *allowed == true)
    );

    let organization: entity::ids::OrganizationId = created["id"].as_str().unwrap().parse().unwrap();
    let members = client
        .call("listMembersInOrganizationById")
        .within(organization)
        .expect(200)
        .await;
    assert_eq!(each(&members, "/role"), ["admin"]);
    assert_eq!(texts(&members, "/id"), [world.stranger.id.to_string()]);
    world
        .admin
        .client
        .call("getOrganizationById")
        .within(organization)
        .expect(404)
        .await;
}

async fn the_operator_chooses_creators_of_organizations(database: TestDatabase) {
    let world = World::with(database, |flags| {
        flags.organization_creation = Some("admins".to_owned());
        flags.admin_email = Some(format!("Edit@{DOMAIN}"));
    })
    .await;
    let create = async |by: &Person| {
        let call = by.client.call("createOrganization");
        call.json(json!({ "title": "Kelp" })).send().await.status
    };
    for (by, status) in [
        (&world.admin, 201),
        (&world.other_admin, 201),
        (&world.create, 403),
        (&world.guest, 403),
        (&world.stranger, 403),
        // The operator.
        (&world.edit, 201),
    ] {
        assert_eq!(create(by).await, status, "{}", by.email);
    }
}

async fn everything_can_be_said_at_creation(database: TestDatabase) {
    let world = World::new(database).await;
    let body = json!({
        "title": "Kelp", "type": "community", "useCase": "openSourceDocs", "communityType": "openSource",
        "emailDomains": ["B.Example", "a.example", "b.example", "xn--bcher-kva.example"],
    });
    let created = world
        .stranger
        .client
        .call("createOrganization")
        .json(body.clone())
        .expect(201)
        .await;
    for member in ["title", "type", "useCase", "communityType"] {
        assert_eq!(created[member], body[member], "{member}");
    }
    // One spelling, each once, in the order given.
    assert_eq!(
        created["emailDomains"],
        json!(["b.example", "a.example", "xn--bcher-kva.example"])
    );
    for (member, bad) in [
        ("emailDomains", json!(["no domain"])),
        ("emailDomains", json!(["@tidewater.example"])),
    ] {
        let mut body = body.clone();
        body[member] = bad;
        let answer = world.stranger.client.call("createOrganization").json(body).send().await;
        answer.has_detail(&format!("/body/{member}/0"), "pattern");
    }
    let list = world
        .stranger
        .client
        .call("listOrganizationsForAuthenticatedUser")
        .expect(200)
        .await;
    assert_eq!(list["items"], json!([created]));
}

async fn members_of_the_body_change_one_by_one(database: TestDatabase) {
    let world = World::new(database).await;
    let changes = [
        ("title", json!("Tidewater Robotics Labs"), "/title"),
        (
            "emailDomains",
            json!(["labs.tidewater.example", DOMAIN]),
            "/emailDomains",
        ),
        ("hostname", json!("tidewater"), "/hostname"),
        ("defaultRole", json!("comment"), "/defaultRole"),
        ("logo", json!("https://images.tidewater.example/logo.svg"), "/urls/logo"),
        ("ai", json!(true), "/ai"),
        ("inviteLinks", json!(false), "/inviteLinks"),
        (
            "mergeRules",
            json!({ "type": "rules", "rules": [{ "rule": "require_at_least_one_review" }] }),
            "/mergeRules",
        ),
    ];
    let known = crate::support::contract::document();
    let known = known["components"]["schemas"]["UpdateOrganization"]["properties"]
        .as_object()
        .unwrap();
    let tried: Vec<&str> = changes
        .iter()
        .map(|(name, ..)| *name)
        .chain(["defaultContent", "sso"])
        .collect();
    assert!(
        known.keys().all(|name| tried.contains(&name.as_str())),
        "try all of {:?}",
        known.keys()
    );
    let mut expected = get(&world.admin.client, &world).expect(200).await;
    for (name, value, place) in changes {
        let answer = patch(&world).json(json!({ name: value })).expect(200).await;
        let (parent, member) = place.rsplit_once('/').unwrap();
        expected.pointer_mut(parent).unwrap()[member] = value;
        assert_eq!(answer, expected, "after {name}");
        assert_eq!(
            get(&world.admin.client, &world).expect(200).await,
            expected,
            "after {name}"
        );
    }
    let elsewhere = world
        .other_admin
        .client
        .call("getOrganizationById")
        .within(world.other_organization);
    assert_eq!(elsewhere.expect(200).await["title"], "Elsewhere");
}

async fn absent_members_stay_and_null_clears(database: TestDatabase) {
    let world = World::new(database).await;
    let set = json!({
        "hostname": "tidewater", "defaultRole": "edit", "logo": "https://tidewater.example/l.svg", "emailDomains": [DOMAIN],
    });
    let before = patch(&world).json(set).expect(200).await;
    assert_eq!(patch(&world).json(json!({})).expect(200).await, before);
    assert_eq!(patch(&world).json(json!({ "sso": false })).expect(200).await, before);

    let cleared = json!({ "defaultRole": null, "logo": null, "defaultContent": null, "emailDomains": [] });
    let after = patch(&world).json(cleared).expect(200).await;
    assert_eq!(after["defaultRole"], Value::Null);
    assert_eq!(after["urls"].get("logo"), None);
    assert_eq!(after.get("defaultContent"), None);
    assert_eq!(after["emailDomains"], json!([]));
    assert_eq!(after["hostname"], "tidewater");
    for refused in [
        "title",
        "hostname",
        "sso",
        "ai",
        "inviteLinks",
        "mergeRules",
        "emailDomains",
    ] {
        let answer = patch(&world).json(json!({ refused: null })).send().await;
        assert_eq!(answer.details()[0].0, format!("/body/{refused}"), "{}", answer.text);
    }
}

async fn a_hostname_belongs_to_one_organization(database: TestDatabase) {
    let world = World::new(database).await;
    let elsewhere = |body: Value| {
        let call = world.other_admin.client.call("updateOrganizationById");
        call.within(world.other_organization).json(body)
    };
    elsewhere(json!({ "hostname": "tidewater" })).expect(200).await;
    let before = get(&world.admin.client, &world).expect(200).await;
    let body = json!({ "title": "Not this either", "hostname": "tidewater", "emailDomains": ["tidewater.example"] });
    let answer = patch(&world).json(body.clone()).expect(409).await;
    assert_eq!(answer["error"]["type"], "hostname-taken");
    assert_eq!(get(&world.admin.client, &world).expect(200).await, before);
    // One's own may be set again, and one that was given up is free.
    elsewhere(json!({ "hostname": "tidewater" })).expect(200).await;
    elsewhere(json!({ "hostname": "elsewhere" })).expect(200).await;
    patch(&world).json(body).expect(200).await;
    for bad in [
        "Tidewater",
        "-tide",
        "tide-",
        "ti",
        "tide.water",
        "tide_water",
        "tide water",
        "tïde",
        &"x".repeat(33),
    ] {
        let answer = patch(&world).json(json!({ "hostname": bad })).send().await;
        assert_eq!(
            answer.expect(400)["error"]["details"][0]["pointer"],
            "/body/hostname",
            "{bad}"
        );
    }
}

async fn default_content_has_to_exist(database: TestDatabase) {
    let world = World::new(database).await;
    let before = get(&world.admin.client, &world).expect(200).await;
    let content = json!({ "type": "site", "site": "06dk5gnamelecfpecvm11hugcm" });
    let answer = patch(&world)
        .json(json!({ "title": "Other", "defaultContent": content }))
        .send()
        .await;
    answer.has_detail("/body/defaultContent/site", "unknown-site");
    assert_eq!(get(&world.admin.client, &world).expect(200).await, before);
}

/// One rule of each kind.
fn all_rules(user: &Person) -> Value {
    let user = user.id.to_string();
    json!([
        { "rule": "require_specific_reviewers", "users": [user] },
        { "rule": "require_one_of_specific_reviewers", "users": [user] },
        { "rule": "allow_bypass", "users": [user] },
        { "rule": "require_at_least_one_review" },
        { "rule": "require_at_least_one_approved_review" },
        { "rule": "require_all_reviews_approved" },
        { "rule": "require_agent_review" },
        { "rule": "require_author_to_merge" },
        { "rule": "require_up_to_date_change_request" },
        { "rule": "require_change_request_subject" },
        { "rule": "require_change_request_description" },
        { "rule": "custom", "expression": "changeRequest.comments == 0 && \"ä\" != '\\n'" },
    ])
}

async fn merge_rules_are_kept_as_written(database: TestDatabase) {
    let world = World::new(database).await;
    let rules = all_rules(&world.review);
    let kinds = crate::support::contract::document();
    let kinds = &kinds["components"]["schemas"]["MergeRule"]["discriminator"]["mapping"];
    assert_eq!(kinds.as_object().unwrap().len(), rules.as_array().unwrap().len());
    for value in [
        json!({ "type": "rules", "rules": rules }),
        json!({ "type": "inherit" }),
        json!({ "type": "none" }),
    ] {
        let answer = patch(&world).json(json!({ "mergeRules": value })).expect(200).await;
        assert_eq!(answer["mergeRules"], value);
        assert_eq!(get(&world.guest.client, &world).expect(200).await["mergeRules"], value);
    }
}

async fn reviewers_have_to_be_members(database: TestDatabase) {
    let world = World::new(database).await;
    let before = get(&world.admin.client, &world).expect(200).await;
    let (member, foreign) = (world.review.id.to_string(), world.other_admin.id.to_string());
    let rules = json!([
        { "rule": "require_at_least_one_review" },
        { "rule": "require_specific_reviewers", "users": [member, foreign, "nobody"] },
        { "rule": "require_one_of_specific_reviewers", "users": [foreign] },
        { "rule": "allow_bypass", "users": [member, world.review.email] },
    ]);
    let body = json!({ "title": "Other", "emailDomains": [DOMAIN], "mergeRules": { "type": "rules", "rules": rules } });
    let answer = patch(&world).json(body).send().await;
    answer.expect(400);
    let expected = ["1/users/1", "1/users/2", "2/users/0", "3/users/1"];
    let expected = expected.map(|place| (format!("/body/mergeRules/rules/{place}"), "not-a-member".to_owned()));
    assert_eq!(answer.details(), expected);
    assert_eq!(get(&world.admin.client, &world).expect(200).await, before);
}

/// What somebody with this role may do.
fn allowed(role: &str) -> Value {
    let (member, author, admin) = (role != "guest", ["create", "admin"].contains(&role), role == "admin");
    json!({
        "view": true, "access": true,
        "listMembers": member, "listTeams": member, "listIntegrations": member, "listInstallations": admin,
        "createContent": author, "createOpenAPISpec": author,
        "admin": admin, "ownTeam": admin, "ingestConversations": admin, "viewBilling": admin, "installIntegration": admin,
    })
}

async fn permissions_follow_the_role(database: TestDatabase) {
    let world = World::new(database).await;
    for role in ["guest", "read", "comment", "edit", "review", "create", "admin"] {
        let client = &world.person(role).client;
        let organization = get(client, &world).expect(200).await;
        let permissions = &organization["permissions"];
        assert_eq!(*permissions, allowed(role), "{role}");

        let list = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
        assert_eq!(list["items"], json!([organization]), "{role}");
        // What they say is what happens.
        let change = client.call("updateOrganizationById").here(&world).json(json!({}));
        let calls = [
            ("listMembers", client.call("listMembersInOrganizationById").here(&world)),
            ("listTeams", client.call("listTeamsInOrganizationById").here(&world)),
            ("admin", change),
        ];
        for (name, call) in calls {
            let expected = if permissions[name] == true { 200 } else { 403 };
            assert_eq!(call.send().await.status, expected, "{role} {name}");
        }
    }
    let owner = get(&world.team_owner.client, &world).expect(200).await;
    let mut expected = allowed("read");
    expected["ownTeam"] = json!(true);
    assert_eq!(owner["permissions"], expected);
    let member = get(&world.team_member.client, &world).expect(200).await;
    assert_eq!(member["permissions"], allowed("read"));
}

async fn lists_hold_only_organizations_of_the_caller(database: TestDatabase) {
    let world = World::new(database).await;
    let titles = async |person: &Person| {
        let list = person
            .client
            .call("listOrganizationsForAuthenticatedUser")
            .expect(200)
            .await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
        texts(&list, "/title")
    };
    assert_eq!(titles(&world.stranger).await, Vec::<String>::new());
    assert_eq!(titles(&world.guest).await, ["Tidewater Robotics"]);
    let second = organizations::create(&world.app().kernel, world.stranger.id, "Second")
        .await
        .unwrap()
        .id;
    bindery::areas::organizations::members::add(&world.app().kernel, second, world.guest.id, None)
        .await
        .unwrap();
    bindery::areas::organizations::members::add(&world.app().kernel, world.other_organization, world.guest.id, None)
        .await
        .unwrap();
    assert_eq!(
        titles(&world.guest).await,
        ["Tidewater Robotics", "Elsewhere", "Second"]
    );
    bindery::areas::organizations::members::set_disabled(
        &world.app().kernel,
        world.other_organization,
        world.guest.id,
        true,
    )
    .await
    .unwrap();
    assert_eq!(titles(&world.guest).await, ["Tidewater Robotics", "Second"]);
    let leave = world.guest.client.call("removeMemberFromOrganizationById").here(&world);
    leave.path("userId", world.guest.id).expect(204).await;
    assert_eq!(titles(&world.guest).await, ["Second"]);
}
