//! Content that is meant to do harm, and what is no text at all.

use serde_json::{Value, json};

use crate::support::{
    client::{Answer, Call},
    database::{TestDatabase, on_each_database},
    published::{Published, find, id},
    targets::unsafe_documents,
    texts::without_title,
    world::World,
};

on_each_database![
    texts_with_forbidden_characters_are_refused,
    control_characters_come_back_as_they_were,
    pages_cannot_go_under_themselves,
    siblings_have_slugs_of_their_own,
    slugs_lead_to_their_pages,
    descriptions_are_lines_without_controls,
    titles_and_labels_are_one_visible_line,
    targets_that_run_in_a_browser_are_removed,
];

fn writing(world: &World) -> Call<'_> {
    let call = world.admin.client.call("updateSpaceContent");
    call.path("spaceId", world.space)
}

async fn write(world: &World, changes: Value) -> Answer {
    writing(world).json(json!({ "changes": changes })).send().await
}

async fn titles(world: &World) -> Vec<String> {
    let call = world.admin.client.call("listPages").path("spaceId", world.space);
    let pages = call.expect(200).await;
    let pages = pages["pages"].as_array().unwrap();
    pages
        .iter()
        .map(|page| page["title"].as_str().unwrap().to_owned())
        .collect()
}

async fn texts_with_forbidden_characters_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let before = titles(&world).await;
    let page = |text: &str| {
        format!(
            r#"{{"changes": [{{"operation": "insert_page", "title": "a", "document": {{"markdown": "{text}"}}}}]}}"#
        )
    };
    // Half of a pair of surrogates has no form in UTF-8.
    for text in [r"\ud800", r"\udc00\ud800", r"\u12", "\u{1}"] {
        writing(&world).raw(page(text)).send().await.expect(400);
    }
    let mut bytes = page("~").into_bytes();
    for byte in &mut bytes {
        // No character of UTF-8 begins with it.
        *byte = if *byte == b'~' { 0xff } else { *byte };
    }
    let path = format!("/v1/spaces/{}/content", world.space);
    let request = world.admin.client.request(reqwest::Method::POST, &path);
    let answer = request
        .header("content-type", "application/json")
        .body(bytes)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 400);
    // PostgreSQL keeps no NUL; both databases refuse it alike.
    let nul = json!([{ "operation": "insert_page", "title": "a", "document": { "markdown": "a\u{0}b" } }]);
    write(&world, nul).await.expect(400);
    let nul = json!([{ "operation": "insert_page", "title": "a\u{0}b", "document": {} }]);
    write(&world, nul).await.expect(400);
    assert_eq!(titles(&world).await, before);
}

/// The Markdown of a page, without the line break at its end.
async fn markdown(world: &World, path: &str) -> String {
    let read = world.admin.client.call("getPageByPath").path("spaceId", world.space);
    let page = read
        .path("pagePath", path)
        .query("format", "markdown")
        .expect(200)
        .await;
    without_title(&page).trim_end().to_owned()
}

async fn control_characters_come_back_as_they_were(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "One\u{7} two\u{202e} three\u{feff} four\u{85} five\u{200b}";
    let changes = json!([{ "operation": "insert_page", "title": "Odd", "document": { "markdown": text } }]);
    write(&world, changes).await.expect(200);
    let read = markdown(&world, "odd").await;
    assert_eq!(read, text);
}

async fn pages_cannot_go_under_themselves(database: TestDatabase) {
    let world = World::new(database).await;
    let page = |slug: &str| json!({ "operation": "insert_page", "title": "Page", "slug": slug, "document": {} });
    let above = write(&world, json!([page("above")])).await.expect(200);
    let above = above["changes"][0]["page"]["id"].clone();
    let mut below = page("below");
    below["into"] = above.clone();
    let below = write(&world, json!([below])).await.expect(200);
    let ids = [above, below["changes"][0]["page"]["id"].clone()];
    let id = |index: usize| ids[index].clone();
    for into in [id(0), id(1)] {
        let moved = json!([{ "operation": "update_page", "page": id(0), "into": into }]);
        let answer = write(&world, moved).await;
        answer.expect(400);
        assert_eq!(answer.details()[0].0, "/body/changes/0/into");
    }
    // Neither in two steps, of which each alone would be possible.
    let swapped = json!([
        { "operation": "update_page", "page": id(1), "into": null },
        { "operation": "update_page", "page": id(0), "into": id(1) },
        { "operation": "update_page", "page": id(1), "into": id(0) },
    ]);
    let answer = write(&world, swapped).await;
    answer.expect(400);
    assert_eq!(answer.details()[0].0, "/body/changes/2/into");
}

async fn siblings_have_slugs_of_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let page = |slug: &str| json!({ "operation": "insert_page", "title": "Same", "slug": slug, "document": {} });
    write(&world, json!([page("same")])).await.expect(200);
    let answer = write(&world, json!([page("other"), page("same")])).await;
    answer.expect(400);
    assert_eq!(answer.details()[0].0, "/body/changes/1/slug");
    let answer = write(&world, json!([page("twice"), page("twice")])).await;
    answer.expect(400);
    assert_eq!(answer.details()[0].0, "/body/changes/1/slug");
    // The same to readers, and to file systems.
    for [first, twin] in [["caf\u{e9}", "cafe\u{301}"], ["Setup", "setup"]] {
        let answer = write(&world, json!([page(first), page(twin)])).await;
        answer.has_detail("/body/changes/1/slug", "unique");
    }
}

/// A slash parts a path, and addresses drop dots.
async fn slugs_lead_to_their_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["Guide"]).await;
    let space = id(&published.spaces[0]);
    for slug in ["..", ".", "a/b", "care/fingers"] {
        let page = json!({ "operation": "insert_page", "title": "Same", "document": {} });
        let mut with_slug = page.clone();
        with_slug["slug"] = json!(slug);
        let write = world.admin.client.call("updateSpaceContent").path("spaceId", space);
        let answer = write.json(json!({ "changes": [with_slug] })).expect(200).await;
        let id = answer["changes"][0]["page"]["id"].as_str().unwrap();
        let read = world.admin.client.call("getPageById").path("spaceId", space);
        let page = read.path("pageId", id).expect(200).await;
        let path = page["path"].as_str().unwrap();
        let read = world.admin.client.call("getPageByPath").path("spaceId", space);
        assert_eq!(
            read.path("pagePath", path).expect(200).await["id"],
            page["id"],
            "{slug}"
        );
        let found = find(&world, &format!("{}{path}", published.address)).await;
        assert_eq!(found["pathname"], format!("/{path}"));
        let delete = json!({ "operation": "delete_page", "page": page["id"] });
        let write = world.admin.client.call("updateSpaceContent").path("spaceId", space);
        write.json(json!({ "changes": [delete] })).expect(200).await;
    }
}

async fn descriptions_are_lines_without_controls(database: TestDatabase) {
    let world = World::new(database).await;
    let page = |text: &str| json!([{ "operation": "insert_page", "title": "a", "description": text, "document": {} }]);
    let collection = async |text: &str| {
        let call = world.admin.client.call("updateCollectionById");
        let call = call.path("collectionId", world.collection);
        call.json(json!({ "description": text })).send().await
    };
    for sign in [
        "\u{1}", "\u{8}", "\u{b}", "\u{c}", "\u{1b}", "\u{7f}", "\u{85}", "\u{9f}", "\u{202a}", "\u{202e}", "\u{2066}",
        "\u{2069}",
    ] {
        let text = format!("a{sign}b");
        let answer = write(&world, page(&text)).await;
        answer.has_detail("/body/changes/0/description", "pattern");
        collection(&text).await.has_detail("/body/description", "pattern");
        // As front matter, in the words of YAML.
        let written = format!(
            "---\ndescription: \"a\\U{:08x}b\"\n---\n\n# b\n",
            u32::from(sign.chars().next().unwrap())
        );
        let front = json!([{ "operation": "insert_page", "document": { "markdown": written } }]);
        let answer = write(&world, front).await;
        answer.expect(400);
        assert_eq!(answer.details()[0].1, "front-matter");
    }
    let text = "One\n\ttwo\r\nthree \u{200f}\u{ad}four";
    write(&world, page(text)).await.expect(200);
    assert_eq!(collection(text).await.expect(200)["description"], text);
}

async fn titles_and_labels_are_one_visible_line(database: TestDatabase) {
    let world = World::new(database).await;
    for sign in [
        "\n",
        "\u{7}",
        "\u{7f}",
        "\u{85}",
        "\u{ad}",
        "\u{180e}",
        "\u{200b}",
        "\u{2028}",
        "\u{202e}",
        "\u{2066}",
        "\u{feff}",
        "\u{fff9}",
        "\u{34f}",
        "\u{61c}",
        "\u{115f}",
        "\u{1160}",
        "\u{17b4}",
        "\u{17b5}",
        "\u{3164}",
        "\u{ffa0}",
        "\u{1d173}",
        "\u{1d17a}",
        "\u{e0001}",
    ] {
        let text = format!("a{sign}b");
        let page = json!([{ "operation": "insert_page", "title": text, "document": {} }]);
        let answer = write(&world, page).await;
        answer.expect(400);
        answer.has_detail("/body/changes/0/title", "pattern");
        let page = json!([{ "operation": "insert_page", "title": "a", "slug": text, "document": {} }]);
        write(&world, page).await.has_detail("/body/changes/0/slug", "pattern");
        let provider = world.admin.client.call("createOrganizationSAMLProvider").here(&world);
        let answer = provider.json(json!({ "label": text })).send().await;
        answer.has_detail("/body/label", "pattern");
        let space = world.admin.client.call("updateSpaceById").path("spaceId", world.space);
        let answer = space.json(json!({ "title": text })).send().await;
        answer.expect(400);
        answer.has_detail("/body/title", "pattern");
        let token = world.admin.client.call("createUserToken");
        let answer = token.json(json!({ "label": text })).send().await;
        answer.expect(400);
        answer.has_detail("/body/label", "pattern");
    }
    // What may not be empty shows something.
    for text in [
        " ",
        "\u{a0}",
        "\u{2800}",
        "\u{200c}\u{200d}",
        "\u{200e}\u{200f}",
        "\u{fe00}\u{fe0f}",
        "\u{e0100}\u{e01ef}",
        " \u{e0067}\u{e007f}",
    ] {
        let page = json!([{ "operation": "insert_page", "title": text, "document": {} }]);
        write(&world, page).await.has_detail("/body/changes/0/title", "pattern");
        let token = world.admin.client.call("createUserToken");
        let answer = token.json(json!({ "label": text })).send().await;
        answer.has_detail("/body/label", "pattern");
        let user = world.admin.client.call("updateUserById").path("userId", world.admin.id);
        let answer = user.json(json!({ "displayName": text })).send().await;
        answer.has_detail("/body/displayName", "pattern");
    }
    // Joiners and marks belong to writing, and emoji.
    for title in [
        "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
        "👩\u{200d}🔬",
        "a\u{200f}b",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "\u{845b}\u{e0100}",
    ] {
        let page = json!([{ "operation": "insert_page", "title": title, "document": {} }]);
        write(&world, page).await.expect(200);
    }
}

async fn targets_that_run_in_a_browser_are_removed(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "[a](javascript:b) ![c](data:image/png;base64,d) <a href=\"java&#10;script:e\">f</a> \
                <a href=\"java&Tab;script&colon;i\">j</a> [g](https://h.example)";
    let page = json!([{ "operation": "insert_page", "title": "Links", "document": { "markdown": text } }]);
    write(&world, page).await.expect(200);
    let read = markdown(&world, "links").await;
    assert_eq!(read, "a c f j [g](https://h.example)");
    let post = world
        .admin
        .client
        .call("postCommentInSpace")
        .path("spaceId", world.space);
    let posted = post
        .json(json!({ "body": { "markdown": "[a](javascript:b)" } }))
        .expect(200)
        .await;
    assert_eq!(posted["body"]["markdown"], "a");
    for (nodes, pointer) in unsafe_documents() {
        let page = json!([{ "operation": "insert_page", "title": "Nodes", "document": { "document": nodes } }]);
        let answer = write(&world, page).await;
        answer.has_detail(&format!("/body/changes/0/document/document{pointer}"), "unsafe-target");
    }
}
