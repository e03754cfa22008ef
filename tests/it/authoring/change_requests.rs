//! Change requests: creating, finding, changing, listing, and who takes part.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::{each, node_id, texts},
    recount::counters_are_right,
    requests::request_id,
    targets::{safe_documents, unsafe_documents},
    world::{Person, World},
};

on_each_database![
    a_change_request_starts_as_a_draft_of_what_the_space_holds,
    a_change_request_is_named_by_id_or_number,
    every_status_but_merged_follows_every_other,
    merged_change_requests_keep_their_status,
    subject_and_description_change,
    descriptions_have_no_targets_that_run_in_a_browser,
    new_content_of_the_space_makes_outdated,
    lists_are_filtered,
    lists_are_sorted_by_change_or_creation,
    the_list_of_an_organization_shows_what_the_caller_may_read,
    contributors_are_those_who_did_something,
    many_who_create_at_once_get_numbers_of_their_own,
    change_requests_go_and_come_back_with_their_space,
    links_lead_to_other_addresses,
];

fn get<'a>(by: &'a Person, world: &World, name: impl ToString) -> Call<'a> {
    let call = by.client.call("getChangeRequestById").space(world.space);
    call.path("changeRequestId", name)
}

/// The subjects of a list.
async fn subjects(call: Call<'_>) -> Vec<String> {
    let list = call.expect(200).await;
    let subjects = texts(&list, "/subject");
    assert_eq!(list["count"], subjects.len());
    subjects
}

/// A list of change requests.
type ListOf = for<'a> fn(&'a Person, &World) -> Call<'a>;

fn of_space<'a>(by: &'a Person, world: &World) -> Call<'a> {
    by.client.call("listChangeRequestsForSpace").space(world.space)
}

fn of_organization<'a>(by: &'a Person, world: &World) -> Call<'a> {
    by.client.call("listChangeRequestsForOrganization").here(world)
}

async fn counters(world: &World) -> Value {
    let space = world
        .admin
        .client
        .call("getSpaceById")
        .space(world.space)
        .expect(200)
        .await;
    json!([
        space["changeRequests"],
        space["changeRequestsOpen"],
        space["changeRequestsDraft"]
    ])
}

async fn a_change_request_starts_as_a_draft_of_what_the_space_holds(database: TestDatabase) {
    let world = World::new(database).await;
    let space = world
        .admin
        .client
        .call("getSpaceById")
        .space(world.space)
        .expect(200)
        .await;
    // The first one is that of the probes.
    assert_eq!(counters(&world).await, json!([1, 0, 1]));
    world.clock().advance(TimeDelta::seconds(5));
    let create = || world.edit.client.call("createChangeRequest").space(world.space);
    let answer = create().json(json!({ "subject": "Grüße & <Gripper>" })).send().await;
    let made = answer.expect(201);
    let id = made["id"].as_str().unwrap();
    assert_eq!(answer.headers["location"], made["urls"]["location"].as_str().unwrap());
    let location = made["urls"]["location"].as_str().unwrap();
    assert!(location.ends_with(&format!("/v1/spaces/{}/change-requests/{id}", world.space)));
    let expected = json!({
        "object": "change-request", "id": id, "number": 2, "status": "draft", "subject": "Grüße & <Gripper>",
        "createdBy": made["createdBy"], "createdAt": "2026-11-21T12:00:05.000Z", "updatedAt": "2026-11-21T12:00:05.000Z",
        "space": world.space.to_string(), "revision": space["revision"], "revisionInitial": space["revision"],
        "comments": 0, "outdated": false, "urls": made["urls"],
    });
    assert_eq!(made, expected);
    assert_eq!(made["createdBy"]["id"], world.edit.id.to_string());
    assert_eq!(get(&world.read, &world, id).expect(200).await, made);
    // Without a body the subject is empty, and what nobody knows has no effect.
    assert_eq!(create().expect(201).await["subject"], "");
    let odd = json!({ "subject": "Odd", "agentTaskId": 3 });
    assert_eq!(create().json(odd).expect(201).await["number"], 4);
    create().json(json!({ "subject": "x".repeat(101) })).expect(400).await;
    let template = create().json(json!({ "template": { "id": "x" } })).send().await;
    template.has_detail("/body/template/id", "unknown-template");
    assert_eq!(counters(&world).await, json!([4, 0, 4]));
    counters_are_right(&world.app().kernel.db, "after creating").await;
    // Another space has its own numbers, and a copy has none.
    let copy = world
        .admin
        .client
        .call("duplicateSpace")
        .space(world.space)
        .expect(201)
        .await;
    assert_eq!(copy["changeRequests"], 0);
    let first = world.admin.client.call("createChangeRequest").space(node_id(&copy));
    assert_eq!(first.expect(201).await["number"], 1);
}

async fn a_change_request_is_named_by_id_or_number(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Second").await;
    for name in [made["id"].as_str().unwrap(), "2"] {
        assert_eq!(get(&world.read, &world, name).expect(200).await, made);
    }
    for name in ["3", "02", "+2", "2.0", " 2", "-2", "99999999999", "４"] {
        get(&world.admin, &world, name).expect(404).await;
    }
    // That of another space is none of this one, for whoever sees both too.
    let copy = world
        .admin
        .client
        .call("duplicateSpace")
        .space(world.space)
        .expect(201)
        .await;
    for name in [made["id"].as_str().unwrap(), "2"] {
        let call = world.admin.client.call("getChangeRequestById").space(node_id(&copy));
        call.path("changeRequestId", name).expect(404).await;
    }
}

async fn every_status_but_merged_follows_every_other(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Walks").await;
    let counted = |status: &str| json!([2, usize::from(status == "open"), 1 + usize::from(status == "draft")]);
    for status in [
        "draft", "open", "open", "draft", "archived", "archived", "open", "archived", "draft",
    ] {
        world.clock().advance(TimeDelta::seconds(1));
        let before = world.read_request(&made).await;
        let after = world.patch(&made, json!({ "status": status })).await;
        assert_eq!(after["status"], status);
        assert_eq!(after["updatedAt"] == before["updatedAt"], before["status"] == status);
        assert_eq!(counters(&world).await, counted(status), "{status}");
        counters_are_right(&world.app().kernel.db, status).await;
    }
    let merged = world.admin.client.call("updateChangeRequestById").space(world.space);
    let merged = merged.path("changeRequestId", 2).json(json!({ "status": "merged" }));
    merged.send().await.has_detail("/body/status", "enum");
}

async fn merged_change_requests_keep_their_status(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Merged").await;
    world.patch(&made, json!({ "status": "open" })).await;
    world.set_merged(&made).await;
    assert_eq!(counters(&world).await, json!([2, 0, 1]));
    for status in ["draft", "open", "archived"] {
        let call = world.edit.client.call("updateChangeRequestById").space(world.space);
        let call = call.path("changeRequestId", request_id(&made));
        let answer = call.json(json!({ "status": status, "subject": "Never" })).send().await;
        assert_eq!(answer.expect(409)["error"]["type"], "change-request-merged");
    }
    let after = world.patch(&made, json!({ "subject": "Still changes" })).await;
    assert_eq!(
        (&after["status"], &after["subject"]),
        (&json!("merged"), &json!("Still changes"))
    );
    world.set_content().await;
    assert_eq!(world.read_request(&made).await["outdated"], false);
    counters_are_right(&world.app().kernel.db, "after merging").await;
}

/// A document of one paragraph.
fn paragraph(text: &str) -> Value {
    let leaf = json!({ "object": "leaf", "text": text, "marks": [] });
    let text = json!({ "object": "text", "leaves": [leaf] });
    let block = json!({ "object": "block", "type": "paragraph", "nodes": [text] });
    json!({ "object": "document", "data": {}, "nodes": [block] })
}

async fn subject_and_description_change(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Before").await;
    let mut description = paragraph("Switch off the compressed air.");
    // What other servers compute is kept.
    description["meta"] = json!({ "token": "a token" });
    description["nodes"].as_array_mut().unwrap().extend([
        json!({
            "object": "block", "type": "integration", "isVoid": true, "meta": { "token": "another", "spaceId": "a space" },
            "data": { "integration": "status-board", "block": "status", "props": {} },
        }),
        json!({
            "object": "block", "type": "openapi-schemas", "isVoid": true,
            "data": { "grouped": false, "schemas": ["Robot"], "title": "A robot", "ref": { "kind": "openapi", "spec": "robots" } },
        }),
    ]);
    let after = world
        .patch(&made, json!({ "subject": "After", "description": description }))
        .await;
    let mut expected = made.clone();
    expected["subject"] = json!("After");
    expected["description"] = description.clone();
    assert_eq!(after, expected);
    assert_eq!(world.patch(&made, json!({})).await, expected);
    let list = of_space(&world.read, &world).query("status", "draft").expect(200).await;
    assert_eq!(list["items"][0], expected);
    // Without a text there is none.
    let empty = json!({ "object": "document", "data": {}, "nodes": [] });
    for nothing in [empty, paragraph(""), paragraph(" \n")] {
        world.patch(&made, json!({ "description": description })).await;
        let after = world.patch(&made, json!({ "description": nothing })).await;
        assert!(after.get("description").is_none(), "{after}");
        assert_eq!(after["subject"], "After");
    }
    let call = world.edit.client.call("updateChangeRequestById").space(world.space);
    let answer = call
        .path("changeRequestId", 2)
        .json(json!({ "subject": "x".repeat(101) }));
    answer.send().await.has_detail("/body/subject", "max-length");
}

async fn descriptions_have_no_targets_that_run_in_a_browser(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Before").await;
    for (description, pointer) in unsafe_documents() {
        let call = world.edit.client.call("updateChangeRequestById").space(world.space);
        let call = call.path("changeRequestId", request_id(&made));
        let body = json!({ "subject": "Never", "description": description });
        let answer = call.json(body).send().await;
        answer.has_detail(&format!("/body/description{pointer}"), "unsafe-target");
    }
    assert_eq!(world.read_request(&made).await, made);
    for description in safe_documents() {
        let after = world.patch(&made, json!({ "description": description })).await;
        assert_eq!(after["description"], description);
    }
}

async fn new_content_of_the_space_makes_outdated(database: TestDatabase) {
    let world = World::new(database).await;
    let old = world.change_request(&world.edit, "Old").await;
    let revision = world.set_content().await;
    let new = world.change_request(&world.edit, "New").await;
    assert_eq!(new["revisionInitial"], revision.to_string());
    assert_eq!(world.read_request(&old).await["outdated"], true);
    let list = of_space(&world.read, &world).query("status", "draft").expect(200).await;
    assert_eq!(each(&list, "/outdated"), [json!(false), json!(true), json!(true)]);
}

async fn lists_are_filtered(database: TestDatabase) {
    let world = World::new(database).await;
    let mut made = Vec::new();
    for (by, subject, status) in [
        (&world.edit, "A", "open"),
        (&world.review, "B", "open"),
        (&world.edit, "C", "archived"),
        (&world.edit, "D", "draft"),
        (&world.edit, "E", "open"),
    ] {
        let request = world.change_request(by, subject).await;
        world.patch(&request, json!({ "status": status })).await;
        made.push(request);
    }
    world.contributed(request_id(&made[0]), world.read.id).await;
    world.contributed(request_id(&made[1]), world.read.id).await;
    let ask = world
        .edit
        .client
        .call("requestReviewersForChangeRequest")
        .space(world.space);
    let ask = ask.path("changeRequestId", request_id(&made[1]));
    ask.json(json!({ "users": [world.comment.id] })).expect(200).await;
    let (edit, read, comment) = (
        world.edit.id.to_string(),
        world.read.id.to_string(),
        world.comment.id.to_string(),
    );
    let cases: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (vec![], "EBA"),
        (vec![("status", "open")], "EBA"),
        (vec![("status", "archived")], "C"),
        (vec![("status", "merged")], ""),
        (
            vec![("status", "archived"), ("status", "draft")],
            "DCExplain how to store the fingers",
        ),
        (
            vec![("status", "draft"), ("status", "open")],
            "EDBAExplain how to store the fingers",
        ),
        (
            vec![
                ("status", "merged"),
                ("status", "open"),
                ("status", "draft"),
                ("status", "archived"),
            ],
            "EDCBAExplain how to store the fingers",
        ),
        (
            vec![("creator", &edit), ("status", "open"), ("status", "archived")],
            "ECA",
        ),
        (vec![("creator", &edit)], "EA"),
        (vec![("creator", &edit), ("status", "draft")], "D"),
        (vec![("contributor", &read)], "BA"),
        (vec![("contributor", &read), ("creator", &edit)], "A"),
        (vec![("contributor", &edit)], ""),
        (vec![("requestedReviewer", &comment)], "B"),
        (vec![("requestedReviewer", &comment), ("creator", &edit)], ""),
        (vec![("creator", "nobody")], ""),
        (vec![("contributor", "")], ""),
        (vec![("requestedReviewer", "'; DROP TABLE change_requests;")], ""),
        (vec![("conversationsIssuesCluster", "any")], ""),
    ];
    for (query, expected) in cases {
        for call in [of_space(&world.read, &world), of_organization(&world.read, &world)] {
            let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
            assert_eq!(subjects(call).await.join(""), expected, "{query:?}");
        }
    }
    for of in [of_space as ListOf, of_organization] {
        let list = || {
            let list = of(&world.read, &world).query("status", "open");
            list.query("status", "draft").query("limit", 1)
        };
        let mut found = Vec::new();
        let mut page = list().expect(200).await;
        while let Some(next) = page["next"]["page"].as_str() {
            found.extend(texts(&page, "/subject"));
            page = list().query("page", next).expect(200).await;
        }
        found.extend(texts(&page, "/subject"));
        assert_eq!(found.join(""), "EDBAExplain how to store the fingers");
    }
    let answer = of_space(&world.read, &world).query("status", "closed").send().await;
    answer.has_detail("/query/status/0", "enum");
    let twice = of_space(&world.read, &world)
        .query("status", "open")
        .query("status", "open");
    twice.send().await.has_detail("/query/status", "unique-items");
}

async fn lists_are_sorted_by_change_or_creation(database: TestDatabase) {
    let world = World::new(database).await;
    let mut made = Vec::new();
    for subject in ["A", "B", "C", "D"] {
        world.clock().advance(TimeDelta::seconds(1));
        made.push(world.change_request(&world.edit, subject).await);
    }
    for (index, subject) in [(1, "B2"), (0, "A2")] {
        world.clock().advance(TimeDelta::seconds(1));
        world.patch(&made[index], json!({ "subject": subject })).await;
    }
    world.patch(&made[2], json!({ "status": "open" })).await;
    let edit = world.edit.id.to_string();
    for of in [of_space as ListOf, of_organization] {
        let list = |by_edit: bool| {
            let list = of(&world.read, &world).query("status", "draft").query("status", "open");
            match by_edit {
                true => list.query("creator", &edit),
                false => list,
            }
        };
        let first = "Explain how to store the fingers";
        assert_eq!(subjects(list(false)).await, ["C", "A2", "B2", "D", first]);
        for (order, expected) in [
            ("updatedAt", ["C", "A2", "B2", "D"]),
            ("createdAt", ["D", "C", "B2", "A2"]),
        ] {
            let of_creator = list(true).query("orderBy", order);
            assert_eq!(subjects(of_creator).await, expected, "{order}");
            let mut found = Vec::new();
            let mut page = list(false).query("orderBy", order).query("limit", 1).expect(200).await;
            while let Some(next) = page["next"]["page"].as_str() {
                found.extend(texts(&page, "/subject"));
                let next = list(false)
                    .query("orderBy", order)
                    .query("limit", 1)
                    .query("page", next);
                page = next.expect(200).await;
            }
            assert_eq!(found, expected, "{order}");
        }
        let page = list(false).query("limit", 1).expect(200).await;
        let next = page["next"]["page"].as_str().unwrap();
        let other = list(false).query("orderBy", "createdAt").query("page", next);
        other.send().await.has_detail("/query/page", "page");
    }
}

async fn the_list_of_an_organization_shows_what_the_caller_may_read(database: TestDatabase) {
    let world = World::new(database).await;
    let create = async |title: &str, default: Value| {
        let space = world.admin.client.call("createSpace").here(&world);
        let space = node_id(&space.json(json!({ "title": title })).expect(201).await);
        let level = world.admin.client.call("updateSpaceById").space(space);
        level.json(json!({ "defaultLevel": default })).expect(200).await;
        let request = world.admin.client.call("createChangeRequest").space(space);
        request.json(json!({ "subject": title })).expect(201).await;
        space
    };
    let secret = create("Secret", Value::Null).await;
    create("Members", json!("inherit")).await;
    let gone = create("Gone", json!("read")).await;
    world.admin.client.call("deleteSpaceById").space(gone).expect(204).await;
    let drafts = async |person: &Person| subjects(of_organization(person, &world).query("status", "draft")).await;
    let first = "Explain how to store the fingers";
    assert_eq!(drafts(&world.admin).await, ["Members", "Secret", first]);
    assert_eq!(drafts(&world.read).await, ["Members", first]);
    assert_eq!(drafts(&world.guest).await, Vec::<String>::new());
    let share = world.admin.client.call("inviteToSpace").space(secret);
    let body = json!({ "users": [world.guest.id, world.team_member.id], "role": "read" });
    share.json(body).expect(204).await;
    assert_eq!(drafts(&world.guest).await, ["Secret"]);
    assert_eq!(drafts(&world.team_member).await, ["Members", "Secret", first]);
    of_organization(&world.stranger, &world).expect(404).await;
    // Those of a space, and those of the spaces of a site.
    let drafts_of = async |person: &Person, filter: &str, id: &str| {
        subjects(
            of_organization(person, &world)
                .query("status", "draft")
                .query(filter, id),
        )
        .await
    };
    let secret = secret.to_string();
    assert_eq!(drafts_of(&world.admin, "space", &secret).await, ["Secret"]);
    assert_eq!(drafts_of(&world.read, "space", &secret).await, Vec::<String>::new());
    let site = world.admin.client.call("createSite").here(&world);
    let site = site.json(json!({ "title": "Both", "spaces": [secret, world.space] }));
    let site = site.expect(201).await["id"].as_str().unwrap().to_owned();
    assert_eq!(drafts_of(&world.admin, "site", &site).await, ["Secret", first]);
    assert_eq!(drafts_of(&world.read, "site", &site).await, [first]);
    assert_eq!(drafts_of(&world.admin, "site", &secret).await, Vec::<String>::new());
    // A page of what the admin sees continues nothing that others see.
    let page = of_organization(&world.admin, &world)
        .query("status", "draft")
        .query("limit", 1);
    let page = page.expect(200).await["next"]["page"].as_str().unwrap().to_owned();
    let other = of_organization(&world.read, &world)
        .query("status", "draft")
        .query("page", page);
    other.send().await.has_detail("/query/page", "page");
}

async fn contributors_are_those_who_did_something(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Together").await;
    let list = async || {
        let call = world
            .read
            .client
            .call("getContributorsByChangeRequestId")
            .space(world.space);
        let list = call.path("changeRequestId", 2).expect(200).await;
        assert_eq!(list["count"], list["items"].as_array().unwrap().len());
        list
    };
    assert_eq!(
        list().await["items"],
        json!([]),
        "creating one is not taking part in it"
    );
    for person in [&world.edit, &world.review, &world.edit, &world.edit] {
        world.clock().advance(TimeDelta::seconds(1));
        world.contributed(request_id(&made), person.id).await;
    }
    let list = list().await;
    assert_eq!(texts(&list, "/user/displayName"), ["edit", "review"]);
    assert_eq!(each(&list, "/count"), [json!(3), json!(1)]);
    assert_eq!(texts(&list, "/actionType"), ["edit", "edit"]);
    assert_eq!(
        texts(&list, "/updatedAt"),
        ["2026-11-21T12:00:04.000Z", "2026-11-21T12:00:02.000Z"]
    );
}

async fn many_who_create_at_once_get_numbers_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let people = [&world.admin, &world.edit, &world.review, &world.create];
    let calls = people.iter().cycle().take(16).map(|person| {
        let call = person.client.call("createChangeRequest").space(world.space);
        call.json(json!({ "subject": "At once" })).send()
    });
    let mut numbers = Vec::new();
    for answer in join_all(calls).await {
        numbers.push(answer.expect(201)["number"].as_u64().unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (2..18).collect::<Vec<u64>>());
    // And many who change one.
    let statuses = ["open", "draft", "archived"].iter().cycle().take(12);
    let calls = statuses.map(|status| {
        let call = world.edit.client.call("updateChangeRequestById").space(world.space);
        call.path("changeRequestId", 2).json(json!({ "status": status })).send()
    });
    for answer in join_all(calls).await {
        answer.expect(200);
    }
    counters_are_right(&world.app().kernel.db, "after all at once").await;
}

async fn change_requests_go_and_come_back_with_their_space(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Kept").await;
    let delete = world.admin.client.call("deleteSpaceById").space(world.space);
    delete.expect(204).await;
    get(&world.admin, &world, 2).expect(404).await;
    let restore = world.admin.client.call("restoreSpace").space(world.space);
    restore.expect(200).await;
    assert_eq!(get(&world.admin, &world, 2).expect(200).await, made);
}

async fn links_lead_to_other_addresses(database: TestDatabase) {
    let world = World::new(database).await;
    let made = world.change_request(&world.edit, "Linked").await;
    assert!(made.get("links").is_none(), "{made}");
    let address = |number: u32| json!({ "kind": "url", "url": format!("https://tickets.example/{number}") });
    let links = json!([{ "ref": address(1), "title": "One" }, { "ref": address(2) }]);
    let after = world.patch(&made, json!({ "links": links })).await;
    let (one, two) = (&after["links"][0], &after["links"][1]);
    assert_eq!((&one["ref"], &one["title"]), (&address(1), &json!("One")));
    assert_eq!((&two["ref"], two.get("title")), (&address(2), None));
    assert_ne!(one["id"], two["id"]);
    assert_eq!(world.read_request(&made).await["links"], after["links"]);
    let list = of_space(&world.read, &world).query("status", "draft").expect(200).await;
    assert_eq!(list["items"][0]["links"], after["links"]);
    // A link keeps its id if it is named.
    let changed = json!([{ "ref": address(3) }, { "id": one["id"], "ref": address(4) }]);
    let again = world.patch(&made, json!({ "links": changed })).await;
    assert_eq!(again["links"][1], json!({ "id": one["id"], "ref": address(4) }));
    assert_ne!(again["links"][0]["id"], two["id"]);
    assert_eq!(
        world.patch(&made, json!({ "subject": "Other" })).await["links"],
        again["links"]
    );

    let patch = async |links: Value| {
        let call = world.edit.client.call("updateChangeRequestById").space(world.space);
        let call = call.path("changeRequestId", request_id(&made));
        call.json(json!({ "links": links })).send().await
    };
    let gone = json!([{ "id": one["id"], "ref": address(1) }, { "id": two["id"], "ref": address(2) }]);
    patch(gone).await.has_detail("/body/links/1/id", "unknown");
    let twice = json!([{ "id": one["id"], "ref": address(1) }, { "id": one["id"], "ref": address(2) }]);
    patch(twice).await.has_detail("/body/links/1/id", "unknown");
    let script = json!([{ "ref": { "kind": "url", "url": "javascript:alert(1)" } }]);
    patch(script).await.has_detail("/body/links/0/ref/url", "unsafe-target");
    let many: Vec<Value> = (0..11).map(|number| json!({ "ref": address(number) })).collect();
    patch(json!(many)).await.has_detail("/body/links", "max-items");
    assert_eq!(world.read_request(&made).await["links"], again["links"]);
    let without = world.patch(&made, json!({ "links": [] })).await;
    assert!(without.get("links").is_none(), "{without}");
}
