//! Markdown of pages: what is read and written back unchanged changes nothing.
//!
//! A real book is not part of this repository. `BINDERY_TEST_BOOK` names a folder with the sources of "Everything curl", 2026.

use std::path::Path;

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{directory, imported, page, tree},
    world::World,
};

on_each_database![
    the_title_is_the_first_heading,
    links_are_paths_or_ids,
    pages_are_written_back_unchanged,
    edits_of_what_was_read_keep_the_rest,
    conditions_that_the_page_has_can_be_written_back,
];

const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/areas/library/templates/built_in");

/// Texts with everything that has another form for readers.
const BOOK: &[(&str, &str)] = &[
    (
        "SUMMARY.md",
        "# Contents\n\n* [Home](README.md)\n* [manual](manual.md)\n* [Rule](rule.md)\n* [Links](sub/README.md)\n  * [Deep](sub/deep.md)\n\
         * [Empty](empty.md)\n* [Front](front.md)\n* [C# & \\*stars\\*](sharp.md)\n* [Templates](templates.md)\n* [Cells](cells.md)\n",
    ),
    ("README.md", "# Home\n\nHello.\n"),
    (
        "manual.md",
        "# Manual\n\n# First part\n\nOne.\n\n# Second part\n\nTwo.\n",
    ),
    (
        "rule.md",
        "---\n\n# Under a rule\n\nWords that must stay.\n\n---\n\nEnd.\n",
    ),
    (
        "sub/README.md",
        "# Links\n\n## Part\n\n[home](../README.md) [down](deep.md#part) [self](README.md#part) [here](#part) [gone](gone.md#x) [out](../../x.md)\n\n\
         <a href=\"deep.md\">Deep</a> <img src=\"../p.png\" alt=\"x\"> ![p](../p.png) [ref][r] [web](https://example.com/a.md)\n\n\
         {% include \"../shared/note.md\" %}\n\n> {% include \"../shared/note.md\" %}\n\n\
         <figure><img src=\"../p.png\" alt=\"\"><figcaption><p>Words</p></figcaption></figure>\n\n\
         <table data-view=\"cards\"><thead><tr><th></th><th data-card-target data-type=\"content-ref\"></th></tr></thead><tbody>\
         <tr><td>A</td><td><a href=\"deep.md\">deep.md</a></td></tr></tbody></table>\n\n\
         {% content-ref url=\"deep.md\" %}\n[deep.md](deep.md)\n{% endcontent-ref %}\n\n{% file src=\"../p.png\" %}\n\n\
         ```\n[home](../README.md)\n{% include \"../shared/note.md\" %}\n```\n\n[r]: deep.md\n",
    ),
    (
        "sub/deep.md",
        "# Deep\n\n## Part\n\n[up](README.md) [home](/README.md)\n",
    ),
    (
        "shared/note.md",
        "## Note\n\n[deep](../sub/deep.md) and\n\n* a list\n  * of two\n",
    ),
    ("empty.md", "# Empty\n"),
    (
        "front.md",
        "---\ntitle: Front\ndescription: >-\n  Two parts: the second\nicon: bolt\nhidden: true\ncover: p.png\ncoverY: 3\nlayout:\n  width: wide\n\
         tags:\n  - a\nvars:\n  v: '1.10'\nother:\n  - 1\nif: visitor.claims.beta\n---\n\n# Another heading\n\n    code\n",
    ),
    (
        "sharp.md",
        "# C# & \\*stars\\* {#own}\n\nText\\\nwith a break\r\nand lines.\r\n",
    ),
    (
        "templates.md",
        "# Templates\n\nBefore.\n\n{% if RegularPrice %}\nSale! Instead of {{ RegularPrice }}\n{% endif %}\n\nAfter.\n",
    ),
    (
        "cells.md",
        "# Cells\n\n| Role | Rights |\n| --- | --- |\n| a | <p>ITEM:A</p><p>ITEM:B</p> |\n| b | <ul><li>x</li></ul> |\n",
    ),
    ("p.png", "not a picture"),
];

/// The ids and paths of all pages with a text.
fn texts(pages: &Value, found: &mut Vec<(String, String)>) {
    for page in pages.as_array().into_iter().flatten() {
        if page["type"] == "document" {
            let member = |name: &str| page[name].as_str().unwrap().to_owned();
            found.push((member("id"), member("path")));
        }
        texts(&page["pages"], found);
    }
}

async fn read(world: &World, space: NodeId, page: &str, refs: &str) -> String {
    let call = world.admin.client.call("getPageById").space(space).path("pageId", page);
    let call = call.query("format", "markdown").query("format.markdown.refs", refs);
    call.expect(200).await["markdown"].as_str().unwrap().to_owned()
}

async fn write(world: &World, space: NodeId, pages: &[(String, String)]) -> Value {
    let changes = pages.iter().map(
        |(page, markdown)| json!({ "operation": "update_page", "page": page, "document": { "markdown": markdown } }),
    );
    let changes: Vec<Value> = changes.collect();
    let call = world.admin.client.call("updateSpaceContent").space(space);
    call.json(json!({ "changes": changes })).expect(200).await
}

async fn revision(world: &World, space: NodeId) -> Value {
    world
        .admin
        .client
        .call("getCurrentRevision")
        .space(space)
        .expect(200)
        .await["id"]
        .clone()
}

/// Writes all pages as they are read, in both forms of links.
async fn assert_unchanged(world: &World, directory: &Path) -> NodeId {
    let (space, _) = imported(world, directory).await;
    let before = revision(world, space).await;
    let mut pages = Vec::new();
    texts(&tree(world, space).await["pages"], &mut pages);
    assert!(!pages.is_empty());
    for refs in ["relative", "stable"] {
        for some in pages.chunks(50) {
            let mut written = Vec::new();
            for (page, _) in some {
                written.push((page.clone(), read(world, space, page, refs).await));
            }
            write(world, space, &written).await;
            if revision(world, space).await == before {
                continue;
            }
            for ((page, path), (_, markdown)) in some.iter().zip(&written) {
                let again = read(world, space, page, refs).await;
                assert_eq!(&again, markdown, "{path}");
            }
            panic!("the pages are read as before, but not the same: {some:?}");
        }
    }
    space
}

async fn pages_are_written_back_unchanged(database: TestDatabase) {
    // Many pages of a book in one write.
    let world = World::with(database, |flags| flags.body_limit = Some("4MiB".to_owned())).await;
    assert_unchanged(&world, directory(BOOK).path()).await;
    for template in ["api-reference", "changelog", "handbook", "product-guide", "runbook"] {
        assert_unchanged(&world, &Path::new(TEMPLATES).join(template)).await;
    }
    if let Ok(book) = std::env::var("BINDERY_TEST_BOOK") {
        assert_unchanged(&world, Path::new(&book)).await;
    }
}

async fn the_title_is_the_first_heading(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, _) = imported(&world, directory(BOOK).path()).await;
    let markdown = async |path: &str| page(&world, space, path).await["markdown"].as_str().unwrap().to_owned();
    assert_eq!(
        markdown("manual").await,
        "# Manual\n\n# First part\n\nOne.\n\n# Second part\n\nTwo."
    );
    assert_eq!(markdown("empty").await, "# Empty");
    assert_eq!(
        markdown("rule").await,
        "# Rule\n\n---\n\n# Under a rule\n\nWords that must stay.\n\n---\n\nEnd."
    );
    let front = markdown("front").await;
    assert!(
        front.starts_with("---\ndescription: 'Two parts: the second'\n"),
        "{front}"
    );
    assert!(
        front.ends_with("\n---\n\n# Front\n\n# Another heading\n\n    code"),
        "{front}"
    );
    let sharp = page(&world, space, "sharp").await;
    assert_eq!(sharp["title"], "C# & *stars*");
    assert_eq!(
        sharp["markdown"],
        "# C\\# & \\*stars\\*\n\nText\\\nwith a break\nand lines."
    );
}

async fn links_are_paths_or_ids(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, _) = imported(&world, directory(BOOK).path()).await;
    let mut pages = Vec::new();
    texts(&tree(&world, space).await["pages"], &mut pages);
    let id = |path: &str| {
        pages
            .iter()
            .find(|(_, of)| of == path)
            .unwrap_or_else(|| panic!("{path}: {pages:?}"))
            .0
            .clone()
    };
    let (links, deep) = (id("sub"), id("sub/deep"));
    let readable = read(&world, space, &links, "relative").await;
    for expected in [
        "[home](readme.md) [down](sub/deep.md#part) [self](sub.md#part) [here](#part) [gone](gone.md#x)",
        "\n## Note\n\n[deep](sub/deep.md) and\n\n* a list\n  * of two\n\n> ## Note\n>\n> [deep](sub/deep.md) and\n>\n> * a list\n>   * of two\n",
        "{% content-ref url=\"sub/deep.md\" %}\n[deep.md](sub/deep.md)\n{% endcontent-ref %}",
        "[r]: sub/deep.md",
        "![p](/files/",
        "```\n[home](../README.md)\n{% include",
    ] {
        assert!(readable.contains(expected), "{expected}\n\n{readable}");
    }
    assert!(readable.contains("<a href=\"sub/deep.md\">Deep</a>"), "{readable}");
    assert!(readable.contains("<img src=\"/files/"), "{readable}");
    let stable = read(&world, space, &links, "stable").await;
    for expected in [
        format!("[down](/pages/{deep}#part)"),
        format!("<a href=\"/pages/{deep}\">Deep</a>"),
        "<img src=\"/files/".to_owned(),
        format!("\n\n> ## Note\n>\n> [deep](/pages/{deep})"),
    ] {
        assert!(stable.contains(&expected), "{expected}\n\n{stable}");
    }
    assert_eq!(
        read(&world, space, &deep, "relative").await,
        "# Deep\n\n## Part\n\n[up](../sub.md) [home](../readme.md)"
    );
}

async fn edits_of_what_was_read_keep_the_rest(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, _) = imported(&world, directory(BOOK).path()).await;
    let mut pages = Vec::new();
    texts(&tree(&world, space).await["pages"], &mut pages);
    let (page, _) = pages.iter().find(|(_, path)| path == "sub").unwrap();
    let stable = read(&world, space, page, "stable").await;
    let readable = read(&world, space, page, "relative").await;
    let edited = readable
        .replace("# Links", "# Other title")
        .replace("[here]", "New words [here]");
    write(&world, space, &[(page.clone(), edited)]).await;
    let expected = stable
        .replace("# Links", "# Other title")
        .replace("[here]", "New words [here]");
    assert_eq!(read(&world, space, page, "stable").await, expected);
    // A member of the request wins over the heading, which was the title.
    let change =
        json!({ "operation": "update_page", "page": page, "title": "Third", "document": { "markdown": expected } });
    let call = world.admin.client.call("updateSpaceContent").space(space);
    call.json(json!({ "changes": [change] })).expect(200).await;
    assert_eq!(
        read(&world, space, page, "stable").await,
        expected.replace("# Other title", "# Third")
    );
}

async fn conditions_that_the_page_has_can_be_written_back(database: TestDatabase) {
    let world = World::new(database).await;
    let (space, report) = imported(&world, directory(BOOK).path()).await;
    let problem = report.problems.iter().find(|it| it.path == "templates.md").unwrap();
    assert_eq!((problem.line, problem.is_error), (Some(5), true));
    assert!(
        problem.message.contains("Nobody sees the block") && problem.message.contains("`RegularPrice`"),
        "{problem:?}"
    );
    let mut pages = Vec::new();
    texts(&tree(&world, space).await["pages"], &mut pages);
    let (page, _) = pages.iter().find(|(_, path)| path == "templates").unwrap();
    let read = read(&world, space, page, "relative").await;
    let nodes = world
        .admin
        .client
        .call("getPageById")
        .space(space)
        .path("pageId", page)
        .expect(200)
        .await;
    let update = async |document: Value| {
        let change = json!({ "operation": "update_page", "page": page, "document": document });
        let call = world.admin.client.call("updateSpaceContent").space(space);
        call.json(json!({ "changes": [change] })).send().await
    };
    let before = revision(&world, space).await;
    update(json!({ "markdown": read })).await.expect(200);
    update(json!({ "document": nodes["document"] })).await.expect(200);
    assert_eq!(revision(&world, space).await, before);
    update(json!({ "markdown": read.replace("Before.", "Earlier.") }))
        .await
        .expect(200);
    let other = update(json!({ "markdown": read.replace("{% if RegularPrice", "{% if OtherPrice") })).await;
    other.has_detail("/body/changes/0/document/markdown", "condition");
}
