//! Spaces that are synchronized with branches.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    git::{Repository, export, import, problem, succeeded},
    import::{markdown, outline, tree},
    texts::write,
    world::World,
};

on_each_database![
    an_imported_branch_is_exported_without_a_commit,
    an_edit_changes_its_lines_alone,
    commits_and_edits_meet,
    pages_keep_their_ids_when_files_are_renamed,
    new_moved_and_deleted_pages_become_files,
    an_empty_repository_gets_the_whole_space,
    nothing_is_replaced_unseen,
    operations_in_the_wrong_order_are_left_out,
    a_directory_of_a_monorepo_has_its_own_settings,
    the_commit_of_a_revision_is_told,
    pages_files_and_reusable_contents_name_their_blobs,
];

const SUMMARY: &str = "# Table of contents\n\n* [Grip](README.md)\n* [Care](care/README.md)\n  * [Fingers](care/fingers.md)\n\n## More\n\n\
                       * [Parts](parts.md)\n";

fn book() -> Repository {
    Repository::of(&[
        ("SUMMARY.md", SUMMARY),
        (
            "README.md",
            "Grip\n====\n\n* one\n+ two\n\n[fingers](./care/fingers.md#Cleaning)   ![arm](pics/arm.svg)\n",
        ),
        (
            "care/README.md",
            "---\ndescription:   Care\n---\n# Care\n\n\nFirst.\n\nSecond.\n\nThird.\n",
        ),
        ("care/fingers.md", "# Fingers\r\n\r\n## Cleaning\r\n\r\nWipe them.\r\n"),
        (
            "parts.md",
            "# Parts\n\n{% include \".gitbook/includes/note.md\" %}\n\n- {% include \".gitbook/includes/note.md\" %}\n",
        ),
        (".gitbook/includes/note.md", "Wear gloves.\n"),
        ("pics/arm.svg", "<svg width=\"1\" height=\"1\"/>"),
        ("unlisted.md", "# Unlisted\n"),
        ("src/main.c", "int main() {}\n"),
        (".github/workflows/x.yaml", "on: push\n"),
    ])
}

/// Replaces the text of the page at this path.
async fn edit(world: &World, path: &str, from: &str, to: &str) {
    let call = world.admin.client.call("getPageByPath").space(world.space);
    let page = call
        .path("pagePath", path)
        .query("format", "markdown")
        .expect(200)
        .await;
    let text = page["markdown"].as_str().unwrap();
    assert!(text.contains(from), "{text}");
    let change =
        json!({ "operation": "update_page", "page": page["id"], "document": { "markdown": text.replace(from, to) } });
    write(world, world.space, vec![change]).await;
}

async fn id(world: &World, path: &str) -> Value {
    let call = world.admin.client.call("getPageByPath").space(world.space);
    call.path("pagePath", path).expect(200).await["id"].clone()
}

async fn an_imported_branch_is_exported_without_a_commit(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let before = repository.tip();
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    assert_eq!(
        outline(&tree(&world, world.space).await["pages"]),
        "Grip=readme, Care=care (Fingers=fingers), group More (Parts=parts), Unlisted=unlisted?"
    );
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    assert_eq!(repository.tip(), before);
    let info = world
        .admin
        .client
        .call("getSpaceGitInfo")
        .space(world.space)
        .expect(200)
        .await;
    assert_eq!(info["installationStatus"], "active");
    assert_eq!(info["url"], repository.url());
}

async fn an_edit_changes_its_lines_alone(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    edit(&world, "care", "Second.", "Another one.").await;
    succeeded(
        &export(
            &world,
            world.space,
            &repository,
            json!({ "commitMessage": "GITBOOK-1: Another" }),
        )
        .await,
    );
    assert_eq!(repository.changed(), ["M care/README.md"]);
    let diff = repository.diff();
    assert!(
        diff.ends_with("@@ -9 +9 @@ Second.\n-Second.\n+Another one.") || diff.ends_with("-Second.\n+Another one."),
        "{diff}"
    );
    let commit = repository.at_host(&["show", "--no-patch", "--format=%an <%ae>%n%cn%n%B", "main"]);
    assert!(commit.contains(&format!(" <{}>\n", world.admin.email)), "{commit}");
    assert!(
        commit.contains("\nBindery\nGITBOOK-1: Another\n\nRevision: "),
        "{commit}"
    );

    edit(&world, "care/fingers", "Wipe them.", "Wipe them twice.").await;
    edit(&world, "readme", "one", "one more").await;
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    assert_eq!(repository.changed(), ["M README.md", "M care/fingers.md"]);
    repository.pull();
    assert_eq!(
        repository.read("care/fingers.md"),
        "# Fingers\r\n\r\n## Cleaning\r\n\r\nWipe them twice.\r\n"
    );
    let readme = repository.read("README.md");
    assert!(
        readme.starts_with("Grip\n====\n\n* one more\n+ two\n\n[fingers](./care/fingers.md#Cleaning)"),
        "{readme}"
    );
}

async fn commits_and_edits_meet(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    repository.write(
        "care/README.md",
        "---\ndescription:   Care\n---\n# Care\n\n\nFirst, from Git.\n\nSecond.\n\nThird.\n",
    );
    repository.write("new.md", "# New\n");
    repository.commit("Change it there");
    edit(&world, "care", "Third.", "Third, from here.").await;
    succeeded(&import(&world, world.space, &repository, json!({})).await);
    let care = markdown(&world, world.space, "care").await;
    assert!(
        care.ends_with("\n\nFirst, from Git.\n\nSecond.\n\nThird, from here."),
        "{care}"
    );
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    assert_eq!(repository.changed(), ["M care/README.md"]);
    repository.pull();
    assert!(
        repository
            .read("care/README.md")
            .ends_with("First, from Git.\n\nSecond.\n\nThird, from here.\n")
    );
    let tip = repository.tip();
    succeeded(&import(&world, world.space, &repository, json!({})).await);
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    assert_eq!(repository.tip(), tip);

    // An export imports what it does not know yet.
    repository.write(
        "parts.md",
        &repository.read("parts.md").replace("# Parts", "# Parts\n\nAll."),
    );
    repository.commit("Add a line");
    edit(&world, "care", "Second.", "Second, again.").await;
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    assert!(markdown(&world, world.space, "more/parts").await.contains("All."));
    assert_eq!(repository.changed(), ["M care/README.md"]);
}

async fn pages_keep_their_ids_when_files_are_renamed(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    let (fingers, care) = (id(&world, "care/fingers").await, id(&world, "care").await);
    std::fs::create_dir_all(repository.clone.path().join("upkeep")).unwrap();
    repository.git(&["mv", "care/fingers.md", "upkeep/jaws.md"]);
    repository.git(&["mv", "care/README.md", "upkeep/README.md"]);
    let summary = SUMMARY
        .replace("care/README.md", "upkeep/README.md")
        .replace("care/fingers.md", "upkeep/jaws.md");
    repository.write("SUMMARY.md", &summary);
    repository.write(
        "README.md",
        &repository
            .read("README.md")
            .replace("./care/fingers.md", "./upkeep/jaws.md"),
    );
    repository.commit("Move");
    succeeded(&import(&world, world.space, &repository, json!({})).await);
    assert_eq!(id(&world, "upkeep/jaws").await, fingers);
    assert_eq!(id(&world, "upkeep").await, care);
    let tip = repository.tip();
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    assert_eq!(repository.tip(), tip);
}

async fn new_moved_and_deleted_pages_become_files(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    let (fingers, parts) = (id(&world, "care/fingers").await, id(&world, "more/parts").await);
    write(
        &world,
        world.space,
        vec![
            json!({ "operation": "insert_page", "title": "Safety", "document": { "markdown": "Mind the [fingers](/pages/FINGERS)." .replace("FINGERS", fingers.as_str().unwrap()) } }),
            json!({ "operation": "update_page", "page": fingers, "slug": "jaws" }),
            json!({ "operation": "delete_page", "page": parts }),
        ],
    )
    .await;
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    let mut changed = repository.changed();
    changed.sort();
    assert_eq!(
        changed,
        [
            "A safety.md",
            "D parts.md",
            "M README.md",
            "M SUMMARY.md",
            "R100 care/fingers.md care/jaws.md"
        ]
    );
    repository.pull();
    assert_eq!(
        repository.read("safety.md"),
        "# Safety\n\nMind the [fingers](care/jaws.md).\n"
    );
    assert!(
        repository
            .read("README.md")
            .contains("[fingers](care/jaws.md#cleaning)"),
        "{}",
        repository.read("README.md")
    );
    assert_eq!(repository.read("src/main.c"), "int main() {}\n");
    let (tip, before) = (repository.tip(), tree(&world, world.space).await);
    repository.write("README.md", &(repository.read("README.md") + "\nMore.\n"));
    repository.commit("Add");
    succeeded(&import(&world, world.space, &repository, json!({})).await);
    assert_ne!(repository.tip(), tip);
    assert_eq!(
        outline(&tree(&world, world.space).await["pages"]),
        outline(&before["pages"])
    );
}

async fn an_empty_repository_gets_the_whole_space(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = Repository::empty();
    write(
        &world,
        world.space,
        vec![json!({ "operation": "insert_page", "title": "Safety", "document": { "markdown": "Mind the gap." } })],
    )
    .await;
    succeeded(
        &export(
            &world,
            world.space,
            &repository,
            json!({ "repoProjectDirectory": "docs" }),
        )
        .await,
    );
    repository.git(&["pull", "--quiet", "origin", "main"]);
    assert_eq!(repository.read("docs/safety.md"), "# Safety\n\nMind the gap.\n");
    let tip = repository.tip();
    succeeded(
        &import(
            &world,
            world.space,
            &repository,
            json!({ "repoProjectDirectory": "docs" }),
        )
        .await,
    );
    succeeded(
        &export(
            &world,
            world.space,
            &repository,
            json!({ "repoProjectDirectory": "docs" }),
        )
        .await,
    );
    assert_eq!(repository.tip(), tip);
}

async fn nothing_is_replaced_unseen(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let tip = repository.tip();
    write(
        &world,
        world.space,
        vec![json!({ "operation": "insert_page", "title": "Here", "document": { "markdown": "Kept." } })],
    )
    .await;
    let before = tree(&world, world.space).await;
    let refused = import(&world, world.space, &repository, json!({})).await;
    assert!(problem(&refused).contains("`force`"), "{refused}");
    let refused = export(&world, world.space, &repository, json!({})).await;
    assert!(problem(&refused).contains("`force`"), "{refused}");
    assert_eq!(repository.tip(), tip);
    assert_eq!(tree(&world, world.space).await, before);

    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    assert!(outline(&tree(&world, world.space).await["pages"]).starts_with("Grip=readme"));
    // A branch that was rewritten.
    repository.write("new.md", "# New\n");
    repository.commit("Add");
    succeeded(&import(&world, world.space, &repository, json!({})).await);
    repository.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    repository.write("other.md", "# Other\n");
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "--message", "Rewrite"]);
    repository.git(&["push", "--quiet", "--force", "origin", "main"]);
    let refused = import(&world, world.space, &repository, json!({})).await;
    assert!(problem(&refused).contains("rewritten"), "{refused}");
    edit(&world, "care", "Second.", "Another one.").await;
    let refused = export(&world, world.space, &repository, json!({})).await;
    assert!(problem(&refused).contains("rewritten"), "{refused}");
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    assert!(outline(&tree(&world, world.space).await["pages"]).contains("Other=other?"));
    assert!(markdown(&world, world.space, "care").await.contains("Another one."));
}

async fn operations_in_the_wrong_order_are_left_out(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    succeeded(
        &import(
            &world,
            world.space,
            &repository,
            json!({ "timestamp": "2026-11-20T10:00:00Z", "force": true }),
        )
        .await,
    );
    repository.write("new.md", "# New\n");
    repository.commit("Add");
    succeeded(
        &import(
            &world,
            world.space,
            &repository,
            json!({ "timestamp": "2026-11-20T09:00:00Z" }),
        )
        .await,
    );
    assert!(!outline(&tree(&world, world.space).await["pages"]).contains("New"));
    succeeded(
        &import(
            &world,
            world.space,
            &repository,
            json!({ "timestamp": "2026-11-20T11:00:00Z" }),
        )
        .await,
    );
    assert!(outline(&tree(&world, world.space).await["pages"]).contains("New=new?"));
}

async fn a_directory_of_a_monorepo_has_its_own_settings(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = Repository::of(&[
        ("README.md", "# Code\n"),
        (
            "docs/.gitbook.yaml",
            "root: ./pages\nstructure:\n  summary: toc/CONTENTS.md\n",
        ),
        (
            "docs/pages/toc/CONTENTS.md",
            "# Contents\n\n* [One](../one.md)\n* [Two](../two.md)\n",
        ),
        ("docs/pages/one.md", "# One\n\n[two](two.md)\n"),
        ("docs/pages/two.md", "# Two\n"),
    ]);
    let place = || json!({ "repoProjectDirectory": "docs", "force": true });
    succeeded(&import(&world, world.space, &repository, place()).await);
    assert_eq!(outline(&tree(&world, world.space).await["pages"]), "One=one, Two=two");
    let tip = repository.tip();
    succeeded(&export(&world, world.space, &repository, place()).await);
    assert_eq!(repository.tip(), tip);
    write(
        &world,
        world.space,
        vec![json!({ "operation": "insert_page", "title": "Three", "document": { "markdown": "Text." } })],
    )
    .await;
    succeeded(&export(&world, world.space, &repository, place()).await);
    assert_eq!(
        repository.changed(),
        ["A docs/pages/three.md", "M docs/pages/toc/CONTENTS.md"]
    );
    repository.pull();
    let contents = repository.read("docs/pages/toc/CONTENTS.md");
    assert_eq!(
        contents,
        "# Contents\n\n* [One](../one.md)\n* [Two](../two.md)\n* [Three](../three.md)\n"
    );
}

async fn the_commit_of_a_revision_is_told(database: TestDatabase) {
    let world = World::new(database).await;
    let repository = book();
    let links = json!({ "force": true, "repoCommitURL": "https://git.example.com/a/b/commit", "gitInfo": { "provider": "github" } });
    succeeded(&import(&world, world.space, &repository, links.clone()).await);
    let call = |operation: &str| world.admin.client.call(operation).space(world.space);
    let imported = call("getCurrentRevision").expect(200).await["git"].clone();
    let tip = repository.tip();
    assert_eq!(
        imported,
        json!({
            "oid": tip, "message": "Begin", "createdByGitBook": false, "ref": "refs/heads/main",
            "url": format!("https://git.example.com/a/b/commit/{tip}"),
        })
    );
    let without = call("getCurrentRevision").query("metadata", "false").expect(200).await;
    assert!(without.get("git").is_none());
    edit(&world, "care", "Second.", "Another one.").await;
    assert!(call("getCurrentRevision").expect(200).await.get("git").is_none());
    succeeded(&export(&world, world.space, &repository, links).await);
    let exported = call("getCurrentRevision").expect(200).await["git"].clone();
    assert_eq!(exported["oid"], repository.tip());
    assert_eq!(exported["createdByGitBook"], true);
    assert_eq!(
        call("getSpaceById").expect(200).await["gitSync"]["installationProvider"],
        "github"
    );
}

async fn pages_files_and_reusable_contents_name_their_blobs(database: TestDatabase) {
    let world = World::new(database).await;
    let call = |operation: &str| world.admin.client.call(operation).space(world.space);
    let repository = book();
    succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
    let blob = |path: &str| json!({ "oid": repository.at_host(&["rev-parse", &format!("main:{path}")]), "path": path });
    let revision = call("getCurrentRevision").expect(200).await;
    let pages = &revision["pages"];
    assert_eq!(pages[0]["git"], blob("README.md"));
    assert_eq!(pages[1]["pages"][0]["git"], blob("care/fingers.md"));
    assert_eq!(revision["files"][0]["git"], blob("pics/arm.svg"));
    assert_eq!(
        revision["reusableContents"][0]["git"],
        blob(".gitbook/includes/note.md")
    );
    let listed = call("listFiles").expect(200).await;
    assert_eq!(listed["items"][0]["git"], blob("pics/arm.svg"));
    assert_eq!(
        call("listPages").expect(200).await["pages"][1]["git"],
        blob("care/README.md")
    );
    let page = call("getPageByPath").path("pagePath", "care").expect(200).await;
    assert_eq!(page["git"], blob("care/README.md"));
    assert_eq!(page["pages"][0]["git"], blob("care/fingers.md"));
    let without = call("getPageByPath")
        .path("pagePath", "care")
        .query("metadata", "false");
    assert!(without.expect(200).await.get("git").is_none());
    let content = call("getReusableContentById").path(
        "reusableContentId",
        revision["reusableContents"][0]["id"].as_str().unwrap(),
    );
    assert_eq!(content.expect(200).await["git"], blob(".gitbook/includes/note.md"));

    // A page that was read before is told anew after an export.
    edit(&world, "care", "Second.", "Another one.").await;
    let former = call("getPageByPath").path("pagePath", "care").expect(200).await["git"].clone();
    assert_eq!(former, page["git"]);
    succeeded(&export(&world, world.space, &repository, json!({})).await);
    let exported = call("getPageByPath").path("pagePath", "care").expect(200).await["git"].clone();
    assert_eq!(exported, blob("care/README.md"));
    assert_ne!(exported, former);
}
