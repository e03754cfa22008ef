//! Directories that are imported into spaces which hold something already.

use bindery::areas::exchange::import::{ImportDestination, ImportTarget};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{attempt, directory, outline, put, tree, wanted},
    world::World,
};

on_each_database![an_import_replaces_what_was_there, imported_again_files_keep_their_ids];

async fn an_import_replaces_what_was_there(database: TestDatabase) {
    let world = World::new(database).await;
    let place = || ImportDestination::Space(world.space.to_string());
    let first = directory(&[("README.md", "# One\n\nalpha\n"), ("two.md", "# Two\n")]);
    attempt(&world, wanted(first.path()), place()).await.unwrap();
    let second = directory(&[("README.md", "# Other\n\nomega\n")]);
    let report = attempt(&world, wanted(second.path()), place()).await.unwrap();
    assert_eq!(outline(&tree(&world, world.space).await["pages"]), "Other=readme");
    let call = |operation: &str| world.admin.client.call(operation).space(world.space);
    let revisions = call("listRevisions").expect(200).await;
    let newest = &revisions["items"][0];
    assert_eq!(newest["id"], report.written.unwrap().1.to_string());
    assert_eq!(newest["type"], "edits");
    assert_eq!(newest["parents"][0], revisions["items"][1]["id"]);
    assert_eq!(newest["author"]["id"], world.admin.id.to_string());
    let found = call("searchSpaceContent").query("query", "alpha").expect(200).await;
    assert_eq!(found["items"], serde_json::json!([]));
    let events = world.admin.client.call("listOrganizationAuditEvents");
    let events = events.path("organizationId", world.organization).expect(200).await;
    assert_eq!(events["items"][0]["action"], "content.import");

    let locked = call("updateSpaceById").json(serde_json::json!({ "editMode": "locked" }));
    locked.expect(200).await;
    assert!(attempt(&world, wanted(first.path()), place()).await.is_err());
    let nowhere = ImportDestination::Space(world.collection.to_string());
    assert!(attempt(&world, wanted(first.path()), nowhere).await.is_err());
    let stranger = ImportTarget::find(&world.app().exchange, place(), Some(world.stranger.id)).await;
    assert!(stranger.is_err());
}

async fn imported_again_files_keep_their_ids(database: TestDatabase) {
    let world = World::new(database).await;
    let import = |from: &TempDir| wanted(from.path());
    let place = || ImportDestination::Space(world.space.to_string());
    let text =
        "# A\n\n[b](b.md) [licence](LICENSE) ![x](pics/x.svg) ![y](other/x.svg)\n\n{% include \"shared/note.md\" %}\n";
    let directory = directory(&[
        (
            "SUMMARY.md",
            "* [A](a.md)\n  * [B](b.md)\n  * [Web](https://example.com)\n* [C](c.md)\n\n# Group\n\n* [D](d.md)\n",
        ),
        ("a.md", text),
        ("b.md", "# B\n\n[a](a.md)\n"),
        ("c.md", "# C\n"),
        ("d.md", "# D\n"),
        ("shared/note.md", "# Note\n\n[b](../b.md)\n"),
        ("pics/x.svg", "<svg width=\"1\" height=\"1\"/>"),
        ("other/x.svg", "<svg width=\"2\" height=\"2\"/>"),
        ("LICENSE", "Do what you like.\n"),
    ]);
    let first = attempt(&world, import(&directory), place()).await.unwrap();
    let again = attempt(&world, import(&directory), place()).await.unwrap();
    assert_eq!(
        again.written, first.written,
        "nothing has changed, so there is no new revision"
    );

    let before = tree(&world, world.space).await;
    put(&directory, "b.md", b"# B\n\n[a](a.md) and more\n");
    put(&directory, "c.md", b"# Gone, in a way\n");
    let changed = attempt(&world, import(&directory), place()).await.unwrap();
    assert_ne!(changed.written, first.written);
    let after = tree(&world, world.space).await;
    let page = |tree: &Value, pointer: &str| tree.pointer(&format!("/pages/{pointer}")).unwrap().clone();
    for same in [
        "0/id",
        "0/updatedAt",
        "0/pages/0/id",
        "0/pages/0/createdAt",
        "0/pages/1",
        "1/id",
        "2",
    ] {
        assert_eq!(page(&after, same), page(&before, same), "{same}");
    }
    assert_eq!(page(&after, "1/title"), "Gone, in a way");
    let revision = changed.written.unwrap().1.to_string();
    let changes = world.admin.client.call("getRevisionSemanticChanges").space(world.space);
    let changes = changes.path("revisionId", revision).expect(200).await;
    let changes = changes["changes"].as_array().unwrap();
    let edited = changes.iter().filter(|change| change["type"] == "page_edited");
    assert_eq!((edited.count(), changes.len()), (2, 2), "{changes:?}");
}
