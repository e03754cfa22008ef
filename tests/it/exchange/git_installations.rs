//! Spaces that follow their branch by themselves.

use chrono::TimeDelta;
use data_encoding::HEXLOWER;
use entity::{
    exchange::{git_operations, git_syncs},
    ids::NodeId,
};
use platform::secrets::signature;
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    git::{Repository, follow},
    import::{markdown, outline, tree},
    texts::write,
    world::World,
};

on_each_database![
    the_branch_wins_and_both_sides_follow,
    the_space_wins,
    somebody_has_to_say_which_side_wins,
    many_edits_make_one_commit_and_nothing_goes_round,
    merges_have_the_message_of_the_template,
    webhooks_prove_who_sends_them,
    pull_requests_become_revisions_beside_the_content,
    a_sync_that_fails_says_so_and_is_tried_again,
    secrets_are_in_no_answer_and_sealed,
    a_space_without_installation_follows_nothing,
    others_see_no_installation,
];

/// The time after which the server looks at a branch again.
const LATER: TimeDelta = TimeDelta::minutes(6);

struct Installed<'a> {
    world: &'a World,
    space: NodeId,
    id: String,
}

impl<'a> Installed<'a> {
    /// On a new space with a page.
    async fn new(world: &'a World) -> Self {
        let space = world.new_space_with_page("Followed", "Safety", "Mind the gap.").await;
        let space: NodeId = space["id"].as_str().unwrap().parse().unwrap();
        let call = world.admin.client.call("installGitSyncProviderOnTarget");
        let body = json!({ "target": { "type": "space", "spaceId": space } });
        let made = call.json(body).expect(201).await;
        assert_eq!(made["status"], "pending");
        let id = made["id"].as_str().unwrap().to_owned();
        Self { world, space, id }
    }

    /// On a new space, which follows a repository whose content has replaced that of the space.
    async fn following(world: &'a World, repository: &Repository) -> Self {
        let installed = Self::new(world).await;
        let body = json!({ "repository": { "url": repository.url() }, "priority": "git" });
        installed
            .call("updateGitSyncInstallationById")
            .json(body)
            .expect(200)
            .await;
        follow(world).await;
        assert_eq!(installed.info().await["operation"]["state"], "success");
        installed
    }

    fn call(&self, operation: &str) -> Call<'a> {
        let call = self.world.admin.client.call(operation);
        call.path("installationId", &self.id)
    }

    async fn read(&self) -> Value {
        self.call("getGitSyncInstallationById").expect(200).await
    }

    async fn info(&self) -> Value {
        let call = self.world.admin.client.call("getSpaceGitInfo").space(self.space);
        call.expect(200).await
    }

    async fn retry(&self) {
        let call = self.world.admin.client.call("retryGitSync").space(self.space);
        call.expect(204).await;
        follow(self.world).await;
    }

    /// Inserts a page.
    async fn edit(&self, title: &str) {
        let page = json!({ "operation": "insert_page", "title": title, "document": { "markdown": "New." } });
        write(self.world, self.space, vec![page]).await;
    }

    async fn later(&self) {
        self.world.clock().advance(LATER);
        follow(self.world).await;
    }

    async fn outline(&self) -> String {
        outline(&tree(self.world, self.space).await["pages"])
    }
}

fn book() -> Repository {
    Repository::of(&[("README.md", "# Grip\n\nOne.\n"), ("care.md", "# Care\n\nTwo.\n")])
}

fn commits(repository: &Repository) -> usize {
    repository.at_host(&["rev-list", "--count", "main"]).parse().unwrap()
}

async fn the_branch_wins_and_both_sides_follow(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    assert_eq!(installed.outline().await, "Grip=readme, Care=care");
    assert_eq!(commits(&repository), 1);
    let read = installed.read().await;
    assert_eq!(read["status"], "active");
    assert_eq!(
        read["repository"],
        json!({ "url": repository.url(), "branch": "refs/heads/main" })
    );
    let info = installed.info().await;
    assert_eq!(info["installationId"], read["id"]);
    assert_eq!(info["installationStatus"], "active");
    assert!(
        info.get("lastError").is_none() && info["nextTryAt"].is_string(),
        "{info}"
    );

    installed.edit("Safety").await;
    world.clock().advance(TimeDelta::seconds(6));
    follow(&world).await;
    assert_eq!(commits(&repository), 2);
    assert!(repository.changed().contains(&"A safety.md".to_owned()));
    let message = repository.at_host(&["show", "--no-patch", "--format=%B", "main"]);
    assert!(
        message.starts_with("GitBook: No commit message\n\nRevision: "),
        "{message}"
    );

    repository.pull();
    repository.write("care.md", "# Care\n\nTwo, from Git.\n");
    repository.commit("Change it there");
    installed.later().await;
    assert_eq!(markdown(&world, installed.space, "care").await.trim(), "Two, from Git.");
    assert_eq!(commits(&repository), 3);
}

async fn the_space_wins(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::new(&world).await;
    let body = json!({
        "repository": { "url": repository.url() },
        "providerConfiguration": { "branch": "refs/heads/main" },
        "projectDirectory": "/docs/",
        "priority": "gitbook",
    });
    let updated = installed
        .call("updateGitSyncInstallationById")
        .json(body)
        .expect(200)
        .await;
    assert_eq!(updated["projectDirectory"], "docs");
    follow(&world).await;
    repository.pull();
    assert_eq!(repository.read("docs/safety.md"), "# Safety\n\nMind the gap.\n");
    assert_eq!(repository.read("care.md"), "# Care\n\nTwo.\n");

    installed.call("uninstallGitSyncInstallation").expect(204).await;
    installed.call("getGitSyncInstallationById").expect(404).await;
}

async fn somebody_has_to_say_which_side_wins(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::new(&world).await;
    let update = |body: Value| installed.call("updateGitSyncInstallationById").json(body);
    let refused = update(json!({ "repository": { "url": repository.url() } }))
        .expect(409)
        .await;
    assert_eq!(refused["error"]["type"], "git-both-sides");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("2 files, 2 of them Markdown"), "{message}");
    follow(&world).await;
    assert_eq!(installed.read().await["status"], "pending");
    assert!(installed.outline().await.contains("Safety=safety"));
    assert_eq!(commits(&repository), 1);

    // Where one side has nothing, the other one is taken.
    let empty = Repository::empty();
    update(json!({ "repository": { "url": empty.url() } }))
        .expect(200)
        .await;
    follow(&world).await;
    assert_eq!(installed.info().await["operation"]["direction"], "export");
    assert_eq!(commits(&empty), 1);
}

async fn many_edits_make_one_commit_and_nothing_goes_round(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    for title in ["One", "Two", "Three"] {
        installed.edit(title).await;
    }
    follow(&world).await;
    assert_eq!(commits(&repository), 1);
    world.clock().advance(TimeDelta::seconds(6));
    follow(&world).await;
    assert_eq!(commits(&repository), 2);
    repository.pull();
    repository.write("new.md", "# New\n");
    repository.commit("Add");
    let revisions = async || {
        let call = world.admin.client.call("listRevisions").space(installed.space);
        call.expect(200).await["count"].clone()
    };
    installed.later().await;
    let (commits_before, before) = (commits(&repository), revisions().await);
    for _ in 0..4 {
        installed.later().await;
    }
    assert_eq!((commits(&repository), revisions().await), (commits_before, before));
    // Looks that find nothing leave nothing.
    let db = world.app().kernel.db.read();
    let kept = git_operations::Entity::find().all(db).await.unwrap();
    assert_eq!(kept.len(), 3, "{kept:?}");

    // Both sides change at once.
    repository.write("care.md", "# Care\n\nTwo, from Git.\n");
    repository.commit("Change it there");
    installed.edit("Four").await;
    for _ in 0..3 {
        installed.later().await;
    }
    repository.pull();
    assert_eq!(repository.read("four.md"), "# Four\n\nNew.\n");
    assert_eq!(markdown(&world, installed.space, "care").await.trim(), "Two, from Git.");
    assert_eq!(commits(&repository), commits_before + 2);
}

async fn merges_have_the_message_of_the_template(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    let merge = async |subject: &str, title: &str| {
        let call = |operation: &str| world.admin.client.call(operation).space(installed.space);
        let request = call("createChangeRequest")
            .json(json!({ "subject": subject }))
            .expect(201)
            .await;
        let request = request["id"].as_str().unwrap().to_owned();
        let page = json!({ "operation": "insert_page", "title": title, "document": { "markdown": "New." } });
        let edit = call("updateChangeRequestContent").path("changeRequestId", &request);
        edit.json(json!({ "changes": [page] })).expect(200).await;
        let merge = call("mergeChangeRequest").path("changeRequestId", &request);
        merge.json(json!({})).expect(200).await;
        world.clock().advance(TimeDelta::seconds(6));
        follow(&world).await;
        let message = repository.at_host(&["show", "--no-patch", "--format=%B", "main"]);
        assert!(
            message.contains(&format!("\n\nChange-Request: {request}\nRevision: ")),
            "{message}"
        );
        message.lines().next().unwrap().to_owned()
    };
    assert_eq!(merge("New fingers", "One").await, "GITBOOK-1: New fingers");
    let body = json!({ "commitMessageTemplate": "docs: {change_request_subject} (#{change_request_number})" });
    installed
        .call("updateGitSyncInstallationById")
        .json(body)
        .expect(200)
        .await;
    follow(&world).await;
    assert_eq!(merge("Older fingers", "Two").await, "docs: Older fingers (#2)");
}

async fn webhooks_prove_who_sends_them(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    let webhook = installed.read().await["webhook"].clone();
    let (url, secret) = (webhook["url"].as_str().unwrap(), webhook["secret"].as_str().unwrap());
    let path = &url[url.find("/git-webhooks/").unwrap()..];
    let body = r#"{"ref":"refs/heads/main"}"#;
    let key: [u8; 32] = secret.as_bytes().try_into().unwrap();
    let signed = HEXLOWER.encode(&signature(key, body));
    let wrong = HEXLOWER.encode(&signature(key, "{}"));
    let client = world.nobody();
    let send = async |header: &str, value: &str| {
        let request = client.request(reqwest::Method::POST, path).header(header, value);
        request.body(body).send().await.unwrap().status().as_u16()
    };
    for (header, value) in [
        ("X-Hub-Signature-256", wrong.clone()),
        ("X-Hub-Signature-256", format!("sha256={wrong}")),
        ("X-Hub-Signature-256", signed.clone()),
        ("X-Gitea-Signature", wrong),
        ("X-Gitea-Signature", String::new()),
        ("X-Gitlab-Token", format!("{secret}x")),
        ("X-Gitlab-Token", String::new()),
        ("X-Nothing", signed.clone()),
    ] {
        assert_eq!(send(header, &value).await, 401, "{header}: {value}");
    }
    for (number, (header, value)) in [
        ("X-Hub-Signature-256", format!("sha256={signed}")),
        ("X-Gitea-Signature", signed),
        ("X-Gitlab-Token", secret.to_owned()),
    ]
    .iter()
    .enumerate()
    {
        let text = format!("Change {number}");
        repository.write("care.md", &format!("# Care\n\n{text}\n"));
        repository.commit(&text);
        follow(&world).await;
        assert_ne!(markdown(&world, installed.space, "care").await.trim(), text);
        assert_eq!(send(header, value).await, 204, "{header}");
        // Long before the next look at the branch.
        world.clock().advance(TimeDelta::seconds(6));
        follow(&world).await;
        assert_eq!(markdown(&world, installed.space, "care").await.trim(), text);
    }
    for (method, path, status) in [
        (reqwest::Method::GET, path, 405),
        (reqwest::Method::POST, "/git-webhooks/nothing", 404),
    ] {
        let answer = client.request(method, path).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{path}");
    }
    installed.call("uninstallGitSyncInstallation").expect(204).await;
    assert_eq!(send("X-Gitlab-Token", secret).await, 404);
}

async fn pull_requests_become_revisions_beside_the_content(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    let before = tree(&world, installed.space).await;
    let first = git_operations::Entity::find().order_by_desc(git_operations::Column::Id);
    let first = first.one(world.app().kernel.db.read()).await.unwrap().unwrap().id;
    repository.git(&["checkout", "--quiet", "-b", "proposal"]);
    repository.write("proposed.md", "# Proposed\n");
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "--message", "Propose"]);
    for reference in ["refs/pull/7/head", "refs/merge-requests/8/head"] {
        repository.git(&["push", "--quiet", "origin", &format!("HEAD:{reference}")]);
    }
    let webhook = installed.read().await["webhook"].clone();
    let (url, secret) = (webhook["url"].as_str().unwrap(), webhook["secret"].as_str().unwrap());
    let path = &url[url.find("/git-webhooks/").unwrap()..];
    let client = world.nobody();
    let send = async |header: &str, event: &str, body: Value| {
        let request = client
            .request(reqwest::Method::POST, path)
            .header("X-Gitlab-Token", secret);
        let answer = request
            .header(header, event)
            .body(body.to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status().as_u16(), 204, "{body}");
        follow(&world).await;
        // An export that waits for more edits comes before.
        world.clock().advance(TimeDelta::seconds(6));
        follow(&world).await;
    };
    let imported = async || {
        let found = git_operations::Entity::find().order_by_asc(git_operations::Column::Id);
        let found = found.all(world.app().kernel.db.read()).await.unwrap();
        let of_requests = found.into_iter().filter(|operation| operation.id > first);
        let made = of_requests.map(|operation| operation.revision_id.unwrap_or_else(|| panic!("{operation:?}")));
        made.collect::<Vec<_>>()
    };
    let of = |head: u64, action: &str| {
        let ends = json!({ "head": { "repo": { "id": head } }, "base": { "repo": { "id": 1 } } });
        json!({ "action": action, "number": 7, "pull_request": ends })
    };
    send("X-GitHub-Event", "pull_request", of(1, "synchronize")).await;
    let made = imported().await;
    assert_eq!(made.len(), 1);
    let call = world.admin.client.call("getRevisionById").space(installed.space);
    let revision = call.path("revisionId", made[0]).expect(200).await;
    assert!(outline(&revision["pages"]).contains("Proposed"), "{revision}");
    assert_eq!(revision["git"]["message"], "Propose");
    assert_eq!(tree(&world, installed.space).await, before);

    send("X-Gitea-Event", "pull_request", of(2, "opened")).await;
    send("X-GitHub-Event", "pull_request", of(1, "labeled")).await;
    assert_eq!(imported().await.len(), 1);
    let change = installed.call("updateGitSyncInstallationById");
    change
        .json(json!({ "previewExternalBranches": true }))
        .expect(200)
        .await;
    send("X-Gitea-Event", "pull_request", of(2, "opened")).await;
    let request = json!({ "action": "open", "iid": 8, "source_project_id": 3, "target_project_id": 3 });
    send(
        "X-Gitlab-Event",
        "Merge Request Hook",
        json!({ "object_attributes": request }),
    )
    .await;
    assert_eq!(imported().await.len(), 3);
    assert_eq!(tree(&world, installed.space).await, before);
}

async fn a_sync_that_fails_says_so_and_is_tried_again(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    repository.hide();
    installed.edit("Four").await;
    installed.later().await;
    let info = installed.info().await;
    assert_eq!(info["operation"]["state"], "failure");
    assert!(info["lastError"].as_str().unwrap().contains("no repository"), "{info}");
    let tries = async || {
        let rows = git_syncs::Entity::find()
            .all(world.app().kernel.db.read())
            .await
            .unwrap();
        let row = rows.into_iter().find(|row| row.space_id == installed.space).unwrap();
        row.failures
    };
    let metric = async || {
        let answer = world.nobody().get("/metrics").await;
        answer.text().await.unwrap()
    };
    assert!(metric().await.contains("\nbindery_git_syncs_failing 1\n"));
    let first = tries().await;
    // Within an hour, the delay has grown to more than ten minutes.
    for _ in 0..9 {
        installed.later().await;
    }
    let then = tries().await;
    assert!(first < then && then < first + 5, "{first} {then}");
    installed.retry().await;
    assert_eq!(tries().await, then + 1);

    repository.show();
    installed.retry().await;
    assert_eq!(tries().await, 0);
    assert!(installed.info().await.get("lastError").is_none());
    assert!(metric().await.contains("\nbindery_git_syncs_failing 0\n"));
    assert!(repository.changed().contains(&"A four.md".to_owned()));
    // The space of the world follows nothing.
    world
        .admin
        .client
        .call("retryGitSync")
        .space(world.space)
        .expect(404)
        .await;
}

async fn secrets_are_in_no_answer_and_sealed(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::new(&world).await;
    let update = |body: Value| installed.call("updateGitSyncInstallationById").json(body);
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nNevertell\n-----END OPENSSH PRIVATE KEY-----\n";
    let mut answers = Vec::new();
    for repository in [
        json!({ "url": "https://wren:Nevertell@127.0.0.1:1/a/b.git" }),
        json!({ "url": "https://127.0.0.1:1/a/b.git", "token": "Nevertell" }),
        json!({ "url": "ssh://git@127.0.0.1:1/a/b.git", "sshKey": key }),
    ] {
        answers.push(
            update(json!({ "repository": repository, "priority": "git" }))
                .expect(200)
                .await,
        );
        follow(&world).await;
        answers.extend([installed.read().await, installed.info().await]);
        let db = world.app().kernel.db.read();
        for row in git_syncs::Entity::find().all(db).await.unwrap() {
            let row = format!(
                "{row:?}{}",
                String::from_utf8_lossy(&row.setup.clone().unwrap_or_default())
            );
            assert!(!row.contains("Nevertell"));
        }
    }
    assert!(answers.iter().all(|answer| !answer.to_string().contains("Nevertell")));
    let events = world
        .admin
        .client
        .call("listOrganizationAuditEvents")
        .here(&world)
        .expect(200)
        .await;
    assert!(!events.to_string().contains("Nevertell"));
    for (repository, member) in [
        (json!({ "url": "https://127.0.0.1:1/a/b.git", "sshKey": key }), "sshKey"),
        (json!({ "url": "ssh://git@127.0.0.1:1/a/b.git", "token": "x" }), "token"),
        (json!({ "url": "ext::sh -c x" }), "url"),
        (json!({ "url": "--upload-pack=x" }), "url"),
        (json!({ "branch": "refs/heads/a..b" }), "branch"),
    ] {
        let answer = update(json!({ "repository": repository })).send().await;
        answer.expect(400);
        assert_eq!(answer.details()[0].0, format!("/body/repository/{member}"));
    }
}

async fn a_space_without_installation_follows_nothing(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    let again = world.admin.client.call("installGitSyncProviderOnTarget");
    let body = json!({ "target": { "type": "space", "spaceId": installed.space } });
    let refused = again.json(body).expect(409).await;
    assert_eq!(refused["error"]["type"], "git-installed");
    installed.edit("Four").await;
    installed.call("uninstallGitSyncInstallation").expect(204).await;
    installed.later().await;
    assert_eq!(commits(&repository), 1);
    repository.write("new.md", "# New\n");
    repository.commit("Add");
    installed.later().await;
    assert!(!installed.outline().await.contains("New"));

    // A space that is deleted follows nothing either.
    let other = Installed::following(&world, &repository).await;
    let call = |operation: &str| world.admin.client.call(operation).space(other.space);
    call("deleteSpaceById").expect(204).await;
    other.call("getGitSyncInstallationById").expect(404).await;
    other.later().await;
}

async fn others_see_no_installation(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let installed = Installed::following(&world, &repository).await;
    for (person, status) in [(&world.stranger, 404), (&world.create, 403)] {
        let call = |operation: &str| person.client.call(operation).path("installationId", &installed.id);
        call("getGitSyncInstallationById").expect(status).await;
        let update = call("updateGitSyncInstallationById");
        update.json(json!({ "priority": "git" })).expect(status).await;
        call("uninstallGitSyncInstallation").expect(status).await;
        let body = json!({ "target": { "type": "space", "spaceId": world.space } });
        let install = person.client.call("installGitSyncProviderOnTarget");
        install.json(body).expect(status).await;
        let retry = person.client.call("retryGitSync").space(installed.space);
        retry.expect(status).await;
    }
    let legacy = world
        .admin
        .client
        .call("deleteLegacyGitInstallation")
        .space(installed.space);
    legacy.expect(204).await;
    let of_site = world.admin.client.call("installGitSyncProviderOnTarget");
    let site = json!({ "target": { "type": "site", "siteId": world.own("siteId") } });
    of_site.json(site).expect(400).await;

    let space = json!({ "id": installed.space });
    let site = world.new_site("With Git", &[&space]).await;
    let list = world.on_site(&world.admin, "listSiteGitSyncInstallations", &site);
    let list = list.expect(200).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["id"], installed.id);
    assert!(list["items"][0].get("webhook").is_none());
}
