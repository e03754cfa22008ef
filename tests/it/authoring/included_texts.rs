//! Texts with reusable contents in the places of their tags.

use entity::ids::{NodeId, ReusableContentId};
use serde_json::{Value, json};

use crate::support::{
    client::{Call, Client},
    content::reusable_content,
    database::{TestDatabase, on_each_database},
    published::{find, id, visitor},
    texts::add,
    world::World,
};

on_each_database![
    reusable_contents_take_the_places_of_their_tags,
    an_answer_has_a_bounded_length,
    conditions_hold_in_included_texts,
];

async fn content(world: &World, space: NodeId, markdown: &str) -> ReusableContentId {
    reusable_content(world.app(), world.admin.id, space, markdown).await
}

fn tag(content: ReusableContentId) -> String {
    format!("{{% include \"/reusable-contents/{content}\" %}}")
}

fn types(document: &Value) -> Vec<&str> {
    let nodes = document["nodes"].as_array().unwrap().iter();
    nodes.map(|node| node["type"].as_str().unwrap()).collect()
}

async fn reusable_contents_take_the_places_of_their_tags(database: TestDatabase) {
    let world = World::new(database).await;
    let space: NodeId = id(&world.new_space("Book").await).parse().unwrap();
    let inner = content(&world, space, "Deep.").await;
    let empty = content(&world, space, "").await;
    let outer = content(&world, space, &format!("Mind the air.\n\n{}", tag(inner))).await;
    let text = format!("Before.\n\n{}\n\n{}\n\nAfter.", tag(outer), tag(empty));
    let page = add(&world, space, &[("Page", &text)]).await["Page"].clone();
    let client = &world.admin.client;
    let revision = client.call("getCurrentRevision").space(space).expect(200).await;
    let request = client.call("createChangeRequest").space(space);
    let request = request.json(json!({})).expect(201).await;
    let read = |operation: &str, page: &str| -> Call<'_> {
        let call = client.call(operation).space(space);
        let call = match operation {
            name if name.contains("InRevision") => call.path("revisionId", id(&revision)),
            name if name.contains("InChangeRequest") => call.path("changeRequestId", id(&request)),
            _ => call,
        };
        match operation {
            name if name.ends_with("Path") => call.path("pagePath", "page"),
            name if name.starts_with("getReusable") => call.path("reusableContentId", outer),
            _ => call.path("pageId", page),
        }
    };
    let plain = ["paragraph", "reusable-content", "reusable-content", "paragraph"];
    let included = [
        "paragraph",
        "paragraph",
        "reusable-content",
        "reusable-content",
        "paragraph",
    ];
    for (operation, document, plain, included) in [
        ("getPageById", "/document", &plain[..], &included[..]),
        ("getPageByPath", "/document", &plain, &included),
        ("getPageInRevisionById", "/document", &plain, &included),
        ("getPageInRevisionByPath", "/document", &plain, &included),
        ("getPageInChangeRequestById", "/document", &plain, &included),
        ("getPageInChangeRequestByPath", "/document", &plain, &included),
        ("getPageDocumentInRevisionById", "", &plain, &included),
        (
            "getReusableContentDocumentInRevisionById",
            "",
            &["paragraph", "reusable-content"],
            &["paragraph", "paragraph"],
        ),
    ] {
        let mut tags = Vec::new();
        for (dereferenced, expected) in [("false", plain), ("true", included), ("reusable-contents", included)] {
            let call = || read(operation, &page).query("dereferenced", dereferenced);
            let answer = call().send().await;
            let body = answer.expect(200);
            assert_eq!(
                types(body.pointer(document).unwrap()),
                expected,
                "{operation} {dereferenced}"
            );
            let tag = answer.headers["etag"].to_str().unwrap().to_owned();
            call().header("If-None-Match", &tag).expect(304).await;
            tags.push(tag);
        }
        assert_ne!(tags[0], tags[1], "{operation}");
        assert_eq!(
            types(read(operation, &page).expect(200).await.pointer(document).unwrap()),
            plain
        );
    }
    let markdown = read("getPageById", &page).query("format", "markdown");
    let markdown = markdown
        .query("format.markdown.refs", "stable")
        .query("dereferenced", "true");
    let expected = format!(
        "# Page\n\nBefore.\n\nMind the air.\n\n{}\n\n{}\n\nAfter.",
        tag(inner),
        tag(empty)
    );
    assert_eq!(
        markdown.expect(200).await["markdown"].as_str().unwrap().trim_end(),
        expected
    );
}

async fn an_answer_has_a_bounded_length(database: TestDatabase) {
    let world = World::new(database).await;
    let space: NodeId = id(&world.new_space("Book").await).parse().unwrap();
    let large = content(&world, space, &"Mind the air. ".repeat(15_000)).await;
    let short = content(&world, space, "Deep.").await;
    for (tags, expected) in [(2, "paragraph"), (3, "reusable-content")] {
        let text = [vec![tag(large); tags], vec![tag(short)]].concat().join("\n\n");
        let page = add(&world, space, &[(&format!("Page {tags}"), &text)]).await[&format!("Page {tags}")].clone();
        let read = || {
            world
                .admin
                .client
                .call("getPageById")
                .space(space)
                .path("pageId", &page)
        };
        let answer = read().query("dereferenced", "reusable-contents").expect(200).await;
        let types = types(&answer["document"]);
        assert_eq!(types, [vec![expected; tags], vec!["paragraph"]].concat());
        // Relative Markdown includes texts by itself.
        let answer = read().query("format", "markdown").expect(200).await;
        let markdown = answer["markdown"].as_str().unwrap();
        let kept = if tags == 2 { 0 } else { tags };
        assert_eq!(markdown.matches(&tag(large)).count(), kept);
        assert_eq!(markdown.matches("Mind the air.").count(), (tags - kept) * 15_000);
        assert!(markdown.contains("Deep."));
    }
}

async fn conditions_hold_in_included_texts(database: TestDatabase) {
    let world = World::new(database).await;
    let new = world.new_space("Book").await;
    let space: NodeId = id(&new).parse().unwrap();
    let block = |text: &str| format!("{{% if visitor.claims.unsigned.staff %}}\n{text}\n{{% endif %}}");
    let mixed = content(&world, space, &format!("For all.\n\n{}", block("For staff."))).await;
    let secret = content(&world, space, "In a hidden block.").await;
    let text = format!("{}\n\n{}", tag(mixed), block(&tag(secret)));
    let page = add(&world, space, &[("Page", &text)]).await["Page"].clone();
    let site = world.new_site("Docs", &[&new]).await;
    let published = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let read = async |client: &Client| {
        let call = client.call("getPageById").space(space).path("pageId", &page);
        let page = call.query("dereferenced", "reusable-contents").expect(200).await;
        page["document"].to_string()
    };
    let visitor = visitor(
        &world,
        &find(&world, published["urls"]["published"].as_str().unwrap()).await,
    );
    for (client, staff) in [(&visitor, false), (&world.admin.client, true)] {
        let text = read(client).await;
        assert!(text.contains("For all."), "{text}");
        for hidden in ["For staff.", "In a hidden block."] {
            assert_eq!(text.contains(hidden), staff, "{hidden}: {text}");
        }
    }
}
