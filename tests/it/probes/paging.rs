//! Lists: every one of the contract is walked page by page.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{
    contract::{self, Operation},
    database::{TestDatabase, on_each_database},
    paths::texts,
    places::make,
    world::World,
};

on_each_database![
    every_list_is_walked_completely,
    limits_are_kept,
    cursors_of_other_lists_are_refused,
    pages_stay_stable_while_rows_come_and_go,
];

/// Searching with a body has tests of its own.
fn lists() -> impl Iterator<Item = Operation> {
    contract::operations().filter(|operation| operation.is_paged() && operation.method == "get")
}

/// A world in which every list has several items.
async fn populated(database: TestDatabase) -> World {
    let world = World::new(database).await;
    for i in 0..5 {
        world.token_of(&world.admin).await;
        bindery::areas::organizations::organizations::create(
            &world.app().kernel,
            world.admin.id,
            &format!("Organization {i}"),
        )
        .await
        .unwrap();
        let team = world
            .admin
            .client
            .call("createOrganizationTeam")
            .path("organizationId", world.organization);
        let members = [&world.admin, &world.edit, &world.read].map(|person| person.id.to_string());
        team.json(json!({ "title": format!("Team {i}"), "members": members }))
            .expect(201)
            .await;
    }
    for i in 0..5 {
        let create = world.admin.client.call("createSpace").here(&world);
        let body = json!({ "title": format!("Space {i}"), "parent": world.collection });
        let made = create.json(body).expect(201).await;
        let mark = world.admin.client.call("markSpaceAsTemplate");
        mark.space(made["id"].as_str().unwrap()).expect(200).await;
        let create = world.admin.client.call("createCollection").here(&world);
        create
            .json(json!({ "title": format!("Collection {i}") }))
            .expect(201)
            .await;
        // On the heap, because the stack of a test does not hold all of them.
        Box::pin(make(&world.admin, world.organization, world.space)).await;
        Box::pin(world.add_to_change_requests(i)).await;
        Box::pin(world.add_to_content(i)).await;
        Box::pin(world.add_to_comments(i)).await;
        Box::pin(world.add_to_site()).await;
        Box::pin(world.add_to_specs(i)).await;
        Box::pin(world.add_translation()).await;
        Box::pin(world.add_to_conversations(i)).await;
        Box::pin(world.add_to_installations()).await;
        Box::pin(world.add_to_deliveries()).await;
        Box::pin(world.add_to_insights()).await;
    }
    let members = [&world.admin, &world.edit, &world.read, &world.guest].map(|person| person.id.to_string());
    let call = world.admin.client.call("updateMembersInOrganizationTeam");
    let call = call
        .path("organizationId", world.organization)
        .path("teamId", world.team);
    call.json(json!({ "add": members })).expect(204).await;
    let people = [&world.admin, &world.edit, &world.read, &world.guest, &world.comment].map(|person| person.id);
    world.share(json!({ "users": people })).await;
    world.share_sites(json!({ "users": people })).await;
    let teams = world.admin.client.call("listTeamsInOrganizationById").here(&world);
    let teams = texts(&teams.expect(200).await, "/id");
    world.share(json!({ "teams": teams })).await;
    world.share_sites(json!({ "teams": teams })).await;
    world
}

/// The items of a page. The ranks of results of a search are those within one response, so they differ with the size of pages.
fn items(page: &Value) -> Vec<String> {
    let without_rank = |item: &Value| {
        let mut item = item.clone();
        let pages = item.get_mut("pages").and_then(Value::as_array_mut);
        for result in pages.into_iter().flatten() {
            result.as_object_mut().unwrap().remove("rank");
        }
        item.as_object_mut().unwrap().remove("rank");
        item.to_string()
    };
    page["items"].as_array().unwrap().iter().map(without_rank).collect()
}

/// All items of a list, in pages of a size.
async fn walk(world: &World, operation: &Operation, size: i64) -> Vec<String> {
    let mut walked: Vec<String> = Vec::new();
    let mut page: Option<String> = None;
    loop {
        let mut call = world.allowed(operation).query("limit", size);
        if let Some(page) = &page {
            call = call.query("page", page);
        }
        let answer = call.expect(200).await;
        walked.extend(items(&answer));
        let count = usize::try_from(answer["count"].as_u64().unwrap()).unwrap();
        assert!(walked.len() <= count, "{} does not end", operation.id);
        match answer["next"]["page"].as_str() {
            Some(next) => page = Some(next.to_owned()),
            None => {
                assert_eq!(walked.len(), count, "{}", operation.id);
                return walked;
            }
        }
    }
}

async fn every_list_is_walked_completely(database: TestDatabase) {
    let world = Box::pin(populated(database)).await;
    for operation in lists() {
        let expected = walk(&world, &operation, operation.limits().1).await;
        assert!(expected.len() >= 5, "{} has too few items to be walked", operation.id);
        for size in [1, 2, 3] {
            let walked = walk(&world, &operation, size).await;
            assert_eq!(walked, expected, "{} in pages of {size}", operation.id);
            assert_eq!(
                walked.iter().collect::<HashSet<_>>().len(),
                walked.len(),
                "{}",
                operation.id
            );
        }
    }
}

async fn limits_are_kept(database: TestDatabase) {
    let world = Box::pin(populated(database)).await;
    for operation in lists() {
        let (least, most) = operation.limits();
        if least == 0 {
            let none = world.allowed(&operation).query("limit", 0).expect(200).await;
            assert_eq!(none["items"], json!([]), "{}", operation.id);
            assert!(none["count"].as_u64().unwrap() >= 5, "{}", operation.id);
            assert!(none.get("next").is_none(), "{}", operation.id);
        }
        world.allowed(&operation).query("limit", most + 1).expect(400).await;
        world.allowed(&operation).query("limit", least - 1).expect(400).await;
    }
    for i in 0..60 {
        world.token_of(&world.admin).await;
        assert!(i < 60);
    }
    let page = world.admin.client.call("listUserTokens").expect(200).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 50);
}

async fn cursors_of_other_lists_are_refused(database: TestDatabase) {
    let world = Box::pin(populated(database)).await;
    let mut cursors: Vec<(&str, String)> = Vec::new();
    for operation in lists() {
        let page = world.allowed(&operation).query("limit", 1).expect(200).await;
        cursors.push((operation.id, page["next"]["page"].as_str().unwrap().to_owned()));
    }
    let forged = ["x", "AAAA", "%", "eyJhIjoxfQ", "..", "\u{1F600}"].map(|text| ("nowhere", text.to_owned()));
    cursors.extend(forged);
    for operation in lists() {
        for (from, cursor) in &cursors {
            let answer = world.allowed(&operation).query("page", cursor).send().await;
            if *from == operation.id {
                answer.expect(200);
                let mut changed = cursor.clone().into_bytes();
                let last = changed.len() - 3;
                changed[last] = if changed[last] == b'A' { b'B' } else { b'A' };
                let changed = String::from_utf8(changed).unwrap();
                world
                    .allowed(&operation)
                    .query("page", changed)
                    .send()
                    .await
                    .has_detail("/query/page", "page");
            } else {
                answer.has_detail("/query/page", "page");
            }
        }
    }
    // Another order, another filter, another organization: another list.
    let members = || {
        world
            .admin
            .client
            .call("listMembersInOrganizationById")
            .path("organizationId", world.organization)
    };
    let page = members().query("limit", 1).expect(200).await;
    let cursor = page["next"]["page"].as_str().unwrap().to_owned();
    members().query("page", &cursor).query("order", "asc").expect(400).await;
    members()
        .query("page", &cursor)
        .query("sort", "lastSeenAt")
        .expect(400)
        .await;
    members().query("page", &cursor).query("role", "read").expect(400).await;
    members().query("page", &cursor).query("search", "e").expect(400).await;
    let elsewhere = world.other_admin.client.call("listMembersInOrganizationById");
    elsewhere
        .path("organizationId", world.other_organization)
        .query("page", &cursor)
        .expect(400)
        .await;
}

async fn pages_stay_stable_while_rows_come_and_go(database: TestDatabase) {
    let world = Box::pin(populated(database)).await;
    let teams = || {
        world
            .admin
            .client
            .call("listTeamsInOrganizationById")
            .path("organizationId", world.organization)
    };
    let whole = teams().expect(200).await;
    let first = teams().query("limit", 2).expect(200).await;
    // A new team stands before the first page, a deleted one stood on it: the rest is the same.
    let create = world
        .admin
        .client
        .call("createOrganizationTeam")
        .path("organizationId", world.organization);
    create.json(json!({ "title": "Newest" })).expect(201).await;
    let gone = first["items"][0]["id"].as_str().unwrap();
    let delete = world
        .admin
        .client
        .call("removeTeamFromOrganizationById")
        .path("organizationId", world.organization);
    delete.path("teamId", gone).expect(204).await;
    let next = first["next"]["page"].as_str().unwrap();
    let rest = teams().query("limit", 100).query("page", next).expect(200).await;
    assert_eq!(items(&rest), items(&whole)[2..]);
}
