//! Words of reusable contents in containers that have no block for a reference.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    content::reusable_content,
    database::{TestDatabase, on_each_database},
    import::{directory, imported, markdown, page, run_index_jobs},
    published::id,
    texts::{add, edit},
    world::World,
};

on_each_database![
    imported_tags_in_containers_are_words,
    written_tags_in_containers_are_words,
    texts_of_other_spaces_are_reported,
    texts_that_cannot_be_seen_are_reported,
];

const NOTICE: &str = "---\ntitle: notice\n---\n\nWear gloves, see [home](../../README.md).\n";
const RUBY: &str = "---\ntitle: sample-ruby\n---\n\nNeeds version 3.\n\n{% code lineNumbers=\"true\" %}\n```ruby\nputs \"hello\"\n```\n{% endcode %}\n";

/// A text with a tag in containers of every kind.
fn in_containers(notice: &str, ruby: &str) -> String {
    format!(
        "{notice}\n\n{{% tabs %}}\n{{% tab title=\"Ruby\" %}}\n{ruby}\n{{% endtab %}}\n\n{{% tab title=\"Notice\" %}}\nBefore.\n\n{notice}\n{{% endtab %}}\n{{% endtabs %}}\n\n\
         {{% stepper %}}\n{{% step %}}\n{ruby}\n{{% endstep %}}\n{{% endstepper %}}\n\n\
         {{% hint style=\"info\" %}}\nTight:\n{notice}\n{{% endhint %}}\n\n\
         {{% columns %}}\n{{% column %}}\n{notice}\n{{% endcolumn %}}\n{{% endcolumns %}}\n\n\
         * Item\n\n  {notice}\n* {notice}\n\n> {notice}\n\n<details>\n\n<summary>More</summary>\n\n{notice}\n\n</details>"
    )
}

/// The text with words in the places of tags, apart from those at the top and in expandables.
fn with_words(notice: &str, tag: &str) -> String {
    let ruby = "Needs version 3.\n\n{% code lineNumbers=\"true\" %}\n```ruby\nputs \"hello\"\n```\n{% endcode %}";
    let expanded = in_containers(notice, ruby).replace("Tight:\n", "Tight:\n\n");
    let expanded = expanded.replacen(notice, tag, 1);
    let (before, after) = expanded.rsplit_once(notice).unwrap();
    format!("{before}{tag}{after}")
}

fn sources(node: &Value, found: &mut Vec<String>) {
    match node {
        Value::Array(items) => items.iter().for_each(|item| sources(item, found)),
        Value::Object(members) => {
            found.extend(members.get("source").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| sources(value, found));
        }
        _ => {}
    }
}

async fn imported_tags_in_containers_are_words(database: TestDatabase) {
    let world = World::new(database).await;
    let tag = |name: &str| format!("{{% include \".gitbook/includes/{name}.md\" %}}");
    let text = format!("# Home\n\n{}\n", in_containers(&tag("notice"), &tag("samples/ruby")));
    let directory = directory(&[
        ("README.md", &text),
        (".gitbook/includes/notice.md", NOTICE),
        (".gitbook/includes/samples/ruby.md", RUBY),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(report.counts.reusable_contents, 2);
    let stored = markdown(&world, space, "readme").await;
    let home = id(&page(&world, space, "readme").await).to_owned();
    let notice = format!("Wear gloves, see [home](/pages/{home}).");
    let (_, content) = stored.split_once("{% include \"/reusable-contents/").unwrap();
    let (content, _) = content.split_once('"').unwrap();
    let reference = format!("{{% include \"/reusable-contents/{content}\" %}}");
    assert_eq!(stored, with_words(&notice, &reference));
    let read = world
        .admin
        .client
        .call("getPageById")
        .space(space)
        .path("pageId", &home);
    let document = read.expect(200).await["document"].clone();
    let mut kept = Vec::new();
    sources(&document, &mut kept);
    // Quotes have no code, and hints no containers.
    assert!(!kept.iter().any(|source| source.contains("include")), "{kept:?}");
    run_index_jobs(&world).await;
    let found = world.admin.client.call("searchSpaceContent").space(space);
    let found = found.query("query", "gloves").expect(200).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    // What is written as it was read stays, although one of the tags is read as the same words.
    let revision = async || {
        world
            .admin
            .client
            .call("getCurrentRevision")
            .space(space)
            .expect(200)
            .await["id"]
            .clone()
    };
    let before = revision().await;
    let file = page(&world, space, "readme").await["markdown"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!file.contains("{% include"), "{file}");
    let update = world.admin.client.call("updateSpaceContent").space(space);
    update
        .json(json!({ "changes": [edit(&home, &file)] }))
        .expect(200)
        .await;
    assert_eq!(revision().await, before);
}

async fn written_tags_in_containers_are_words(database: TestDatabase) {
    let world = World::new(database).await;
    let space: NodeId = id(&world.new_space("Book").await).parse().unwrap();
    let tag = async |text: &str| {
        let content = reusable_content(world.app(), world.admin.id, space, text).await;
        format!("{{% include \"/reusable-contents/{content}\" %}}")
    };
    let (notice, ruby) = (
        tag("Wear gloves.").await,
        tag(RUBY.split_once("---\n\n").unwrap().1).await,
    );
    let page = add(&world, space, &[("Page", &in_containers(&notice, &ruby))]).await["Page"].clone();
    assert_eq!(
        markdown(&world, space, "page").await,
        with_words("Wear gloves.", &notice)
    );
    // Also where a page is written as nodes.
    let source = json!({ "object": "leaf", "text": "", "marks": [], "source": notice });
    let paragraph =
        json!({ "object": "block", "type": "paragraph", "nodes": [{ "object": "text", "leaves": [source] }] });
    let hint = json!({ "object": "block", "type": "hint", "data": { "style": "info" }, "nodes": [paragraph] });
    let document = json!({ "object": "document", "data": {}, "nodes": [hint] });
    let change = json!({ "operation": "update_page", "page": page, "document": { "document": document } });
    let update = world.admin.client.call("updateSpaceContent").space(space);
    update.json(json!({ "changes": [change] })).expect(200).await;
    assert_eq!(
        markdown(&world, space, "page").await,
        "{% hint style=\"info\" %}\nWear gloves.\n{% endhint %}"
    );
}

async fn texts_of_other_spaces_are_reported(database: TestDatabase) {
    let world = World::new(database).await;
    let address = "https://app.example.com/s/AbC1dEf2/~/reusable/GhI3jKl4/";
    let text = format!("# Home\n\nWords.\n\n{{% include \"{address}\" %}}\n");
    let (_, report) = imported(&world, directory(&[("README.md", &text)]).path()).await;
    let [problem] = report.problems.as_slice() else {
        panic!("{:?}", report.problems);
    };
    assert_eq!(
        (problem.path.as_str(), problem.line, problem.is_error),
        ("README.md", Some(5), true)
    );
    assert!(problem.message.contains(address), "{problem:?}");
}

async fn texts_that_cannot_be_seen_are_reported(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "# Home\n\n* {% include \"for-staff.md\" %}\n\n{% include \"for-staff.md\" %}\n";
    let staff = "{% if visitor.claims.unsigned.staff %}\nThe code of the door is 17.\n{% endif %}\n";
    let directory = directory(&[("README.md", text), ("for-staff.md", staff)]);
    let (space, report) = imported(&world, directory.path()).await;
    let [problem] = report.problems.as_slice() else {
        panic!("{:?}", report.problems);
    };
    assert_eq!(
        (problem.path.as_str(), problem.line, problem.is_error),
        ("README.md", Some(3), true)
    );
    assert!(problem.message.contains("`for-staff.md`"), "{problem:?}");
    assert!(!markdown(&world, space, "readme").await.contains("door"));
}
