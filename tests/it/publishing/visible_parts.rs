//! Reusable contents, files and texts, as visitors of a site read them: those that pages show them.

use std::collections::BTreeSet;

use entity::ids::NodeId;
use serde_json::json;

use crate::support::{
    adaptive::{AdaptiveSpace, PARTNER, document, head, node, set},
    client::Client,
    database::{TestDatabase, on_each_database},
    published::{find, id, visitor},
    texts,
    world::World,
};

on_each_database![
    parts_of_hidden_pages_are_hidden,
    parts_that_visible_pages_share_are_read,
    texts_are_those_of_visible_pages,
    previews_have_the_parts_of_what_they_show,
    parts_that_other_spaces_show_are_read,
    files_that_the_site_leads_to_are_read,
    conditions_cost_no_statements_once_a_revision_was_read,
    spaces_without_conditions_show_all_parts,
];

async fn parts_of_hidden_pages_are_hidden(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let secret = format!("{} {}\n\n{}", "Secret.", book.link("secret.txt"), book.include("outer"));
    book.page(&world, "Partners", PARTNER, &secret).await;
    let open = format!("Open. {}\n\n{}", book.link("open.txt"), book.include("open"));
    book.page(&world, "Open", "", &open).await;
    let cover = json!({ "operation": "insert_page", "title": "Covered", "document": { "markdown":
        format!("---\ncover: /files/{}\n---\n\nText", book.parts["cover.txt"]) } });
    texts::write(&world, node(&book.published), vec![cover]).await;
    let [other, partner] = book.open_to_partners(&world).await;
    let revision = head(&world, &book.published).await;
    let open = set(["cover.txt", "open", "open.txt"]);
    assert_eq!(book.read(&world, &other, &revision).await, open);
    assert_eq!(book.listed(&other, &revision).await, open);
    let all: BTreeSet<String> = book.parts.keys().cloned().collect();
    for client in [&partner, &world.read.client] {
        assert_eq!(book.read(&world, client, &revision).await, all);
        assert_eq!(book.listed(client, &revision).await, all);
    }
}

async fn parts_that_visible_pages_share_are_read(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let text = format!("{}\n\n{}", book.link("secret.txt"), book.include("outer"));
    book.page(&world, "Partners", PARTNER, &text).await;
    book.page(&world, "Open", "", &format!("And so on.\n\n{text}")).await;
    let [other, _] = book.open_to_partners(&world).await;
    let revision = head(&world, &book.published).await;
    let shared = set(["deep.txt", "inner", "outer", "secret.txt"]);
    assert_eq!(book.read(&world, &other, &revision).await, shared);
    assert_eq!(book.listed(&other, &revision).await, shared);
}

async fn texts_are_those_of_visible_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let (published, space) = (&book.published, node(&book.published));
    let change =
        json!({ "operation": "insert_page", "title": "First", "ref": "First", "document": { "markdown": "First." } });
    let page = texts::write(&world, space, vec![change]).await["First"].clone();
    let first = book.text_of(&world, &page).await;
    texts::write(&world, space, vec![texts::edit(&page, "Second.")]).await;
    let second = book.text_of(&world, &page).await;
    let draft = world.admin.client.call("createChangeRequest").space(space);
    let draft = draft.json(json!({ "subject": "Draft" })).expect(201).await;
    let write = world.admin.client.call("updateChangeRequestContent").space(space);
    let write = write.path("changeRequestId", id(&draft));
    write
        .json(json!({ "changes": [texts::edit(&page, "Draft.")] }))
        .expect(200)
        .await;
    let read = world.admin.client.call("getPageInChangeRequestById").space(space);
    let read = read.path("changeRequestId", id(&draft)).path("pageId", &page);
    let drafted = read.expect(200).await["documentId"].as_str().unwrap().to_owned();
    let client = visitor(&world, &find(&world, &published.address).await);
    let statuses = async |client: &Client| {
        let mut statuses = Vec::new();
        for text in [&first, &second, &drafted] {
            statuses.push(document(client, published, text).await);
        }
        statuses
    };
    assert_eq!(statuses(&client).await, [404, 200, 404]);
    assert_eq!(statuses(&world.read.client).await, [200, 200, 200]);

    let partners = book.page(&world, "Partners", PARTNER, "Secret.").await;
    let [other, partner] = book.open_to_partners(&world).await;
    assert_eq!(document(&other, published, &partners).await, 404);
    assert_eq!(document(&partner, published, &partners).await, 200);
    // A page that everybody sees may have the same text.
    assert_eq!(book.page(&world, "Twin", "", "Secret.").await, partners);
    assert_eq!(document(&other, published, &partners).await, 200);

    texts::write(&world, space, vec![texts::delete(&page)]).await;
    let client = visitor(&world, &find(&world, &published.address).await);
    assert_eq!(document(&client, published, &second).await, 404);
}

async fn previews_have_the_parts_of_what_they_show(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let space = node(&book.published);
    book.page(&world, "Partners", PARTNER, "Secret.").await;
    book.open_to_partners(&world).await;
    let draft = world.admin.client.call("createChangeRequest").space(space);
    let draft = draft.json(json!({ "subject": "Draft" })).expect(201).await;
    let write = world.admin.client.call("updateChangeRequestContent").space(space);
    let write = write.path("changeRequestId", id(&draft));
    let write = write.query("compat", false);
    let text = format!("New. {}\n\n{}", book.link("open.txt"), book.include("outer"));
    let page = json!({ "operation": "insert_page", "title": "New", "ref": "New", "document": { "markdown": text } });
    let written = texts::ids(&write.json(json!({ "changes": [page] })).expect(200).await);
    let read = world.admin.client.call("getPageInChangeRequestById").space(space);
    let read = read.path("changeRequestId", id(&draft)).path("pageId", &written["New"]);
    let text = read.expect(200).await["documentId"].as_str().unwrap().to_owned();
    let preview = world.on_site(&world.read, "getSitePublishingPreviewById", &book.published.site);
    let preview = preview.expect(200).await["url"].as_str().unwrap().to_owned();
    let address = preview.replace("?token", &format!("~/changes/{}/?token", id(&draft)));
    let found = find(&world, &address).await;
    let client = visitor(&world, &found);
    let revision = found["revision"].as_str().unwrap();
    for (operation, name) in [
        ("getFileInRevisionById", "open.txt"),
        ("getReusableContentDocumentInRevisionById", "outer"),
        ("getReusableContentDocumentInRevisionById", "inner"),
        ("getFileInRevisionById", "deep.txt"),
    ] {
        let statuses = book.statuses(&client, revision, &[operation], &book.parts[name]).await;
        assert_eq!(statuses, [200], "{name}");
    }
    let hidden = book.statuses(&client, revision, &["getFileInRevisionById"], &book.parts["secret.txt"]);
    assert_eq!(hidden.await, [404]);
    assert_eq!(document(&client, &book.published, &text).await, 200);
    let outer = book.document(&world, &book.parts["outer"]).await;
    assert_eq!(document(&client, &book.published, &outer).await, 200);
    let public = visitor(&world, &find(&world, &book.published.address).await);
    assert_eq!(document(&public, &book.published, &text).await, 404);
}

async fn parts_that_other_spaces_show_are_read(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let space = node(&book.published);
    book.page(&world, "Partners", PARTNER, "Secret.").await;
    let [client, _] = book.open_to_partners(&world).await;
    let revision = head(&world, &book.published).await;
    let elsewhere = world.new_space("Two").await;
    let text = |condition: &str| {
        let text = format!(
            "{{% include \"/spaces/{space}/reusable-contents/{}\" %}}\n\n[File](/spaces/{space}/files/{})",
            book.parts["outer"], book.parts["open.txt"]
        );
        json!({ "operation": "insert_page", "title": "Guest", "ref": "Guest", "condition": condition,
            "document": { "markdown": text } })
    };
    let second: NodeId = id(&elsewhere).parse().unwrap();
    let page = texts::write(&world, second, vec![text("")]).await["Guest"].clone();
    let read = async || book.read(&world, &client, &revision).await;
    assert_eq!(read().await, set([]), "the site does not show the other space");
    let add = world.on_site(&world.admin, "addSpaceToSite", &book.published.site);
    let add = add.json(json!({ "spaceId": elsewhere["id"] }));
    add.expect(201).await;
    assert_eq!(read().await, set(["deep.txt", "inner", "open.txt", "outer"]));
    let hide = json!({ "operation": "update_page", "page": page, "condition": PARTNER });
    texts::write(&world, second, vec![hide]).await;
    assert_eq!(read().await, set([]));
}

async fn files_that_the_site_leads_to_are_read(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    book.page(&world, "Partners", PARTNER, "Secret.").await;
    let [client, _] = book.open_to_partners(&world).await;
    let revision = head(&world, &book.published).await;
    let to = |file: &str| json!({ "kind": "file", "file": book.parts[file], "space": book.published.spaces[0]["id"] });
    let settings = world.on_site(&world.admin, "getSiteCustomizationById", &book.published.site);
    let mut settings = settings.expect(200).await;
    settings["header"]["links"] = json!([
        { "title": "Terms", "to": to("open.txt") },
        { "title": "Prices", "to": to("secret.txt"), "condition": PARTNER },
    ]);
    let update = world.on_site(&world.admin, "updateSiteCustomizationById", &book.published.site);
    update.json(settings).expect(200).await;
    assert_eq!(book.read(&world, &client, &revision).await, set(["open.txt"]));
}

async fn conditions_cost_no_statements_once_a_revision_was_read(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let text = format!("{}\n\n{}", book.link("open.txt"), book.include("outer"));
    book.page(&world, "Open", "", &text).await;
    let statements = async |revision: &str| {
        let [other, _] = book.open_to_partners(&world).await;
        book.read(&world, &other, revision).await;
        let mut taken = Vec::new();
        for (operation, part) in [("getFileById", "open.txt"), ("getReusableContentById", "outer")] {
            let name = if part == "outer" { "reusableContentId" } else { "fileId" };
            let before = world.app().kernel.db.statements();
            let call = book.call(&other, operation, revision).path(name, &book.parts[part]);
            call.expect(200).await;
            taken.push(world.app().kernel.db.statements() - before);
        }
        taken
    };
    let without = statements(&head(&world, &book.published).await).await;
    for number in 0..20 {
        book.page(&world, &format!("Partners {number}"), PARTNER, &text).await;
    }
    assert_eq!(statements(&head(&world, &book.published).await).await, without);
}

async fn spaces_without_conditions_show_all_parts(database: TestDatabase) {
    let world = World::new(database).await;
    let book = AdaptiveSpace::new(&world).await;
    let client = visitor(&world, &find(&world, &book.published.address).await);
    let revision = head(&world, &book.published).await;
    let all: BTreeSet<String> = book.parts.keys().cloned().collect();
    assert_eq!(book.read(&world, &client, &revision).await, all);
    assert_eq!(book.listed(&client, &revision).await, all);
}
