//! Changes of both sides, and repositories that refuse.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    git::{Repository, export, import, last_operation, problem, run_operations, succeeded},
    import::{markdown, outline, tree},
    texts::write,
    world::World,
};

on_each_database![
    a_conflict_becomes_a_change_request,
    a_preview_is_a_revision_beside_the_content,
    bad_requests_and_repositories_are_refused,
    access_is_checked_again_when_an_operation_runs,
    without_the_program_nothing_is_synchronized
];

async fn edit(world: &World, text: &str) {
    let call = world.admin.client.call("getPageByPath").space(world.space);
    let page = call.path("pagePath", "readme").expect(200).await["id"].clone();
    let change = json!({ "operation": "update_page", "page": page, "document": { "markdown": text } });
    write(world, world.space, vec![change]).await;
}

async fn a_conflict_becomes_a_change_request(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = Repository::of(&[("README.md", "# Grip\n\nOne.\n"), ("other.md", "# Other\n")]);
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    repository.write("README.md", "# Grip\n\nOne, from Git.\n");
    repository.write("other.md", "# Other\n\nMore.\n");
    repository.commit("Change the first line");
    edit(&world, "One, from here.").await;
    succeeded(&import(&world, world.space, &repository, json!({})).await);
    let call = |operation: &str| world.admin.client.call(operation).space(world.space);
    let requests = call("listChangeRequestsForSpace").expect(200).await;
    assert_eq!(requests["items"].as_array().unwrap().len(), 1);
    let request = &requests["items"][0];
    assert_eq!(request["subject"], "Git: Change the first line");
    assert_eq!(request["status"], "open");
    assert_eq!(markdown(&world, world.space, "readme").await.trim(), "One, from here.");
    let tip = repository.tip();
    let refused = export(&world, world.space, &repository, json!({})).await;
    assert!(problem(&refused).contains("has the changes of the branch"), "{refused}");
    assert_eq!(repository.tip(), tip);

    // Somebody solves it.
    let id = request["id"].as_str().unwrap();
    let of_request = |operation: &str| call(operation).path("changeRequestId", id);
    let updated = of_request("updateChangeRequest").json(json!({})).expect(200).await;
    assert_eq!(updated["result"], "conflicts");
    let conflicts = of_request("listChangeRequestConflicts").expect(200).await;
    let conflict = conflicts["items"][0]["id"].as_str().unwrap();
    let resolve = of_request("resolveChangeRequestConflict").path("conflictId", conflict);
    resolve.json(json!({ "resolution": "theirs" })).expect(200).await;
    let merged = of_request("mergeChangeRequest").json(json!({})).expect(200).await;
    assert_eq!(merged["result"], "merge");
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    repository.pull();
    let here = markdown(&world, world.space, "readme").await;
    assert_eq!(repository.read("README.md"), format!("# Grip\n\n{}\n", here.trim()));
    assert_eq!(repository.read("other.md"), "# Other\n\nMore.\n");
    assert_eq!(markdown(&world, world.space, "other").await.trim(), "More.");
}

async fn a_preview_is_a_revision_beside_the_content(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = Repository::of(&[("README.md", "# Grip\n\nOne.\n")]);
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    let before = tree(&world, world.space).await;
    let revisions = world
        .admin
        .client
        .call("listRevisions")
        .space(world.space)
        .expect(200)
        .await;
    repository.write("new.md", "# New\n");
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "--message", "Propose"]);
    repository.git(&["push", "--quiet", "origin", "HEAD:refs/pull/7/head"]);
    let done = import(
        &world,
        world.space,
        &repository,
        json!({ "ref": "refs/pull/7/head", "standalone": true }),
    )
    .await;
    succeeded(&done);
    assert_eq!(tree(&world, world.space).await, before);
    assert_eq!(
        world
            .admin
            .client
            .call("listRevisions")
            .space(world.space)
            .expect(200)
            .await,
        revisions
    );
    succeeded(&export(&world, world.space, &repository, json!({})).await);
}

async fn bad_requests_and_repositories_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let refused = async |body: serde_json::Value, pointer: &str| {
        let call = world
            .admin
            .client
            .call("importGitRepository")
            .space(world.space)
            .json(body);
        let answer = call.send().await;
        answer.expect(400);
        assert_eq!(answer.details()[0].0, pointer);
    };
    for url in [
        "ext::sh",
        "--upload-pack=x",
        "gopher://example.com/x",
        "https://example.com/a b",
        "",
    ] {
        refused(json!({ "url": url, "ref": "refs/heads/main" }), "/body/url").await;
    }
    for reference in [
        "main",
        "refs/heads/",
        "refs/heads/..",
        "refs/heads/-x..y",
        "refs/stash",
        "--all",
        "refs/heads/a\u{7f}",
    ] {
        refused(
            json!({ "url": "https://example.com/a/b.git", "ref": reference }),
            "/body/ref",
        )
        .await;
    }
    for (url, reference, pointer) in [
        ("ext::sh", "refs/heads/main", "/body/url"),
        ("https://example.com/a/b.git", "refs/tags/v1", "/body/ref"),
    ] {
        let body = json!({ "url": url, "ref": reference, "commitMessage": "Write" });
        let call = world.admin.client.call("exportToGitRepository").space(world.space);
        let answer = call.json(body).send().await;
        answer.expect(400);
        assert_eq!(answer.details()[0].0, pointer);
    }
    let private = json!({ "url": "http://127.0.0.1:1/a/b.git", "ref": "refs/heads/main" });
    world
        .admin
        .client
        .call("importGitRepository")
        .space(world.space)
        .json(private)
        .expect(204)
        .await;
    run_operations(&world).await;
    let operation = last_operation(&world, world.space).await;
    assert!(problem(&operation).contains("not public"), "{operation}");

    let repository = Repository::of(&[("README.md", "# Grip\n"), ("docs/a.md", "# A\n")]);
    let none = import(&world, world.space, &repository, json!({ "ref": "refs/heads/other" })).await;
    assert!(problem(&none).contains("refs/heads/other"), "{none}");
    let none = import(
        &world,
        world.space,
        &repository,
        json!({ "repoProjectDirectory": "nowhere" }),
    )
    .await;
    assert!(problem(&none).contains("no files"), "{none}");
    let outside = import(
        &world,
        world.space,
        &repository,
        json!({ "repoProjectDirectory": "../x" }),
    )
    .await;
    problem(&outside);
    succeeded(
        &import(
            &world,
            world.space,
            &repository,
            json!({ "repoProjectDirectory": "/docs/", "force": true }),
        )
        .await,
    );
    assert_eq!(outline(&tree(&world, world.space).await["pages"]), "A=a");
    // Somebody who may only read.
    let call = world.read.client.call("importGitRepository").space(world.space);
    call.json(json!({ "url": repository.url(), "ref": "refs/heads/main" }))
        .expect(403)
        .await;
}

async fn access_is_checked_again_when_an_operation_runs(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = Repository::of(&[("README.md", "# Grip\n")]);
    let before = tree(&world, world.space).await;
    let body = json!({ "url": repository.url(), "ref": "refs/heads/main", "force": true });
    world
        .edit
        .client
        .call("importGitRepository")
        .space(world.space)
        .json(body)
        .expect(204)
        .await;
    let call = world.admin.client.call("updateMemberInOrganizationById");
    let call = call
        .path("organizationId", world.organization)
        .path("userId", world.edit.id);
    call.json(json!({ "role": "read" })).expect(200).await;
    run_operations(&world).await;
    let operation = last_operation(&world, world.space).await;
    assert!(problem(&operation).contains("may not edit"), "{operation}");
    assert_eq!(tree(&world, world.space).await, before);
}

async fn without_the_program_nothing_is_synchronized(database: TestDatabase) {
    let world = World::with(database, |flags| flags.git_program = Some("/nonexistent".to_owned())).await;
    let missing = |answer: serde_json::Value| assert_eq!(answer["error"]["type"], "git-unavailable");
    let body = json!({ "url": "https://example.com/a/b.git", "ref": "refs/heads/main" });
    let call = world.admin.client.call("importGitRepository").space(world.space);
    missing(call.json(body.clone()).expect(412).await);
    let mut body = body;
    body["commitMessage"] = json!("Write");
    let call = world.admin.client.call("exportToGitRepository").space(world.space);
    missing(call.json(body).expect(412).await);
    let space = world.new_space_with_page("Followed", "Safety", "Mind the gap.").await;
    let call = world.admin.client.call("installGitSyncProviderOnTarget");
    let made = call
        .json(json!({ "target": { "type": "space", "spaceId": space["id"] } }))
        .expect(201)
        .await;
    let call = world.admin.client.call("updateGitSyncInstallationById");
    let call = call.path("installationId", made["id"].as_str().unwrap());
    let body = json!({ "repository": { "url": "https://example.com/a/b.git" }, "priority": "git" });
    missing(call.json(body).expect(412).await);
}
