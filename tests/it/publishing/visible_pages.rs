//! Pages and blocks with conditions, as visitors of a site see them.

use bindery::areas::content::search_jobs::IndexPages;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, resolve, visitor},
    world::World,
};

on_each_database![
    conditions_hide_pages_with_what_is_below,
    blocks_with_conditions_are_evaluated_whatever_visitors_ask,
    search_finds_what_the_visitor_sees,
    search_looks_behind_the_best_pages_that_are_hidden,
    pages_without_index_are_found_by_members_only,
    expressions_stay_as_they_are_written_unless_visitors_ask_for_values,
];

/// A site with a page for partners, which has a page below, and a page with a block for partners.
async fn site(world: &World) -> Published {
    let published = Published::new(world, &["One"]).await;
    let space = id(&published.spaces[0]);
    let write = async |changes: Value| {
        let call = world.admin.client.call("updateSpaceContent").path("spaceId", space);
        call.json(json!({ "changes": changes })).expect(200).await
    };
    let partners = json!({ "operation": "insert_page", "title": "Partners", "condition": "visitor.claims.unsigned.partner",
        "document": { "markdown": "The discount is a quincunx." } });
    let mixed = json!({ "operation": "insert_page", "title": "Mixed", "document": { "markdown":
        "Seen by all.\n\n{% if visitor.claims.unsigned.partner %}\nA secret about axolotls.\n{% endif %}" } });
    write(json!([partners, mixed])).await;
    let call = world.admin.client.call("getPageByPath").path("spaceId", space);
    let partners = call.path("pagePath", "partners").expect(200).await;
    write(
        json!([{ "operation": "insert_page", "title": "Prices", "into": id(&partners),
        "document": { "markdown": "---\ntags:\n  - prices\n---\n\nPrices are in drachmas." } }]),
    )
    .await;
    published
        .set(world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    published
}

/// A visitor without claims, and a partner.
async fn visitors(world: &World, published: &Published) -> [Client; 2] {
    let other = resolve(world, &published.address, json!({})).expect(200).await;
    let partner = json!({ "unsignedClaims": { "partner": true } });
    let partner = resolve(world, &published.address, partner).expect(200).await;
    [visitor(world, &other), visitor(world, &partner)]
}

fn titles(pages: &Value) -> Vec<&str> {
    let pages = pages["pages"].as_array().unwrap();
    pages.iter().map(|page| page["title"].as_str().unwrap()).collect()
}

async fn conditions_hide_pages_with_what_is_below(database: TestDatabase) {
    let world = World::new(database).await;
    let published = site(&world).await;
    let space = id(&published.spaces[0]);
    let [other, partner] = visitors(&world, &published).await;
    let pages = partner.call("listPages").path("spaceId", space).expect(200).await;
    assert_eq!(titles(&pages), ["Untitled", "Start", "Partners", "Mixed"]);
    let hidden = &pages["pages"][2];
    let seen = other.call("listPages").path("spaceId", space).send().await;
    let tag = seen.headers["etag"].to_str().unwrap().to_owned();
    assert_eq!(titles(&seen.expect(200)), ["Untitled", "Start", "Mixed"]);
    let revision = other
        .call("getCurrentRevision")
        .path("spaceId", space)
        .expect(200)
        .await;
    assert_eq!(titles(&revision), ["Untitled", "Start", "Mixed"]);
    assert_eq!(revision["tags"], json!([]));
    let of_partner = partner
        .call("getCurrentRevision")
        .path("spaceId", space)
        .expect(200)
        .await;
    assert_eq!(of_partner["tags"][0]["slug"], "prices");
    // What one visitor has read is not the answer to another.
    let again = partner.call("listPages").path("spaceId", space);
    let again = again.header("If-None-Match", &tag).expect(200).await;
    assert_eq!(titles(&again).len(), 4);

    for (path, page) in [("partners", hidden), ("partners/prices", &hidden["pages"][0])] {
        for (client, status) in [(&partner, 200), (&other, 404)] {
            let by_path = client
                .call("getPageByPath")
                .path("spaceId", space)
                .path("pagePath", path);
            by_path.expect(status).await;
            let by_id = client
                .call("getPageById")
                .path("spaceId", space)
                .path("pageId", id(page));
            by_id.expect(status).await;
            for operation in ["getPageInRevisionById", "getPageDocumentInRevisionById"] {
                let call = client.call(operation).path("spaceId", space).path("pageId", id(page));
                call.path("revisionId", id(&revision)).expect(status).await;
            }
        }
    }
    // Members edit what visitors do not see.
    let edited = world.admin.client.call("getPageById").path("spaceId", space);
    edited.path("pageId", id(hidden)).expect(200).await;
}

async fn blocks_with_conditions_are_evaluated_whatever_visitors_ask(database: TestDatabase) {
    let world = World::new(database).await;
    let published = site(&world).await;
    let space = id(&published.spaces[0]);
    let clients = visitors(&world, &published).await;
    for (client, sees) in clients.iter().zip([false, true]) {
        for evaluated in ["false", "true", "deterministic-only"] {
            for format in ["markdown", "document"] {
                let call = client
                    .call("getPageByPath")
                    .path("spaceId", space)
                    .path("pagePath", "mixed");
                let page = call
                    .query("format", format)
                    .query("evaluated", evaluated)
                    .expect(200)
                    .await;
                let text = page.to_string();
                assert!(text.contains("Seen by all."), "{text}");
                assert_eq!(text.contains("axolotls"), sees, "{evaluated} {format}: {text}");
            }
        }
        let call = client.call("getPageByPath").path("spaceId", space);
        let page = call.path("pagePath", "mixed").expect(200).await;
        let call = client.call("getDocumentById").path("spaceId", space);
        let call = call.path("documentId", page["documentId"].as_str().unwrap());
        let text = call.expect(200).await.to_string();
        assert_eq!(text.contains("axolotls"), sees, "{text}");
    }
}

async fn search_finds_what_the_visitor_sees(database: TestDatabase) {
    let world = World::new(database).await;
    let published = site(&world).await;
    let [other, partner] = visitors(&world, &published).await;
    let hits = async |client: &Client, query: &str| {
        let call = client
            .call("searchSiteContent")
            .here(&world)
            .path("siteId", id(&published.site));
        let found = call
            .json(json!({ "query": query, "scope": { "mode": "all" } }))
            .expect(200)
            .await;
        let spaces = found["items"].as_array().unwrap().clone();
        let pages = spaces.iter().flat_map(|space| space["pages"].as_array().unwrap());
        let titles: Vec<String> = pages.map(|page| page["title"].as_str().unwrap().to_owned()).collect();
        (titles, found)
    };
    for (query, page) in [("quincunx", "Partners"), ("drachmas", "Prices"), ("axolotls", "Mixed")] {
        assert_eq!(hits(&world.admin.client, query).await.0, [page], "a member");
        assert_eq!(hits(&partner, query).await.0, [page], "a partner");
        let (titles, found) = hits(&other, query).await;
        assert!(titles.is_empty(), "{query}: {titles:?}");
        assert_eq!((&found["items"], &found["count"]), (&json!([]), &json!(null)));
    }
    assert_eq!(hits(&other, "seen").await.0, ["Mixed"], "what is not hidden is found");
    let (_, found) = hits(&other, "seen axolotls").await;
    assert!(!found.to_string().contains("axolotls"), "{found}");
}

/// The titles of the pages of the first space that a search of the site finds.
async fn hits(world: &World, published: &Published, client: &Client, query: &str) -> Vec<String> {
    let call = client.call("searchSiteContent").here(world);
    let call = call.path("siteId", id(&published.site));
    let found = call.json(json!({ "query": query, "scope": { "mode": "all" } }));
    let found = found.expect(200).await;
    let pages = found["items"][0]["pages"].as_array().cloned().unwrap_or_default();
    let titles = pages.iter().map(|page| page["title"].as_str().unwrap().to_owned());
    titles.collect()
}

async fn search_looks_behind_the_best_pages_that_are_hidden(database: TestDatabase) {
    let world = World::new(database).await;
    let published = site(&world).await;
    let page = |title: String, condition: &str, text: &str| json!({ "operation": "insert_page", "title": title, "condition": condition, "document": { "markdown": text } });
    let hidden = (0..12).map(|number| {
        page(
            format!("Gizmo {number}"),
            "visitor.claims.unsigned.partner",
            "Gizmo of gizmos.",
        )
    });
    let seen = (0..6).map(|number| {
        page(
            format!("Seen {number}"),
            "",
            "There is a gizmo in a long text about other things.",
        )
    });
    let call = world.admin.client.call("updateSpaceContent");
    let call = call.path("spaceId", id(&published.spaces[0]));
    let changes: Vec<Value> = hidden.chain(seen).collect();
    call.json(json!({ "changes": changes })).expect(200).await;
    let [other, partner] = visitors(&world, &published).await;
    for (client, word) in [(&other, "Seen"), (&partner, "Gizmo"), (&world.admin.client, "Gizmo")] {
        let titles = hits(&world, &published, client, "gizmo").await;
        assert_eq!(titles.len(), 5, "{titles:?}");
        assert!(titles.iter().all(|title| title.starts_with(word)), "{titles:?}");
    }
}

async fn pages_without_index_are_found_by_members_only(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let space = id(&published.spaces[0]);
    let write = async |changes: Vec<Value>| {
        let call = world.admin.client.call("updateSpaceContent").path("spaceId", space);
        call.json(json!({ "changes": changes })).expect(200).await
    };
    // More than are looked at for a visitor, all of them better hits than the last page.
    let pages: Vec<Value> = (0..60)
        .map(|number| {
            json!({ "operation": "insert_page", "title": format!("Quokka {number}"), "noIndex": true,
                "document": { "markdown": "# Quokka\n\nQuokkas and numbats." } })
        })
        .collect();
    let written = write(pages[..50].to_vec()).await;
    let zoo = json!({ "operation": "insert_page", "title": "Zoo",
        "document": { "markdown": "There is a quokka in a long text about other things." } });
    write(pages[50..].iter().cloned().chain([zoo]).collect()).await;
    let found = find(&world, &published.address).await;
    let client = visitor(&world, &found);
    assert_eq!(hits(&world, &published, &client, "quokka").await, ["Zoo"]);
    assert!(hits(&world, &published, &client, "numbats").await.is_empty());
    assert!(
        hits(&world, &published, &client, "quoka numbat")
            .await
            .iter()
            .all(|title| title == "Zoo")
    );
    let in_space = async |space: &str, count: u64| {
        let call = world.admin.client.call("searchSpaceContent").path("spaceId", space);
        let found = call.query("query", "numbats").expect(200).await;
        assert_eq!(found["count"], count, "{found}");
    };
    in_space(space, 60).await;

    let set = async |no_index: bool| {
        write(vec![
            json!({ "operation": "update_page", "page": id(&written["changes"][7]["page"]), "noIndex": no_index }),
        ])
        .await
    };
    set(false).await;
    assert_eq!(hits(&world, &published, &client, "numbats").await, ["Quokka 7"]);
    set(true).await;
    assert!(hits(&world, &published, &client, "numbats").await.is_empty());
    in_space(space, 60).await;

    // A copy of the space is searched in the same way.
    let copy = world.admin.client.call("duplicateSpace").path("spaceId", space);
    let copy = copy.expect(201).await;
    let kinds = Kinds::default().with(IndexPages(std::sync::Arc::clone(&world.app().contents)));
    Runner::new(world.app().kernel.jobs.clone(), kinds)
        .run_due()
        .await
        .unwrap();
    let site = world.on_site(&world.admin, "addSpaceToSite", &published.site);
    site.json(json!({ "spaceId": id(&copy) })).expect(201).await;
    in_space(id(&copy), 60).await;
    let call = client
        .call("searchSiteContent")
        .here(&world)
        .path("siteId", id(&published.site));
    let found = call.json(json!({ "query": "quokka", "mode": "all" })).expect(200).await;
    let spaces = found["items"].as_array().unwrap();
    assert_eq!(spaces.len(), 2, "{found}");
    for space in spaces {
        assert_eq!(titles(space), ["Zoo"]);
    }
}

async fn expressions_stay_as_they_are_written_unless_visitors_ask_for_values(database: TestDatabase) {
    let world = World::new(database).await;
    let published = site(&world).await;
    let space = id(&published.spaces[0]);
    let text = "Sum <code class=\"expression\">1+1</code>, <code class=\"expression\">a b</code>, \
        <code class=\"expression\">visitor.claims.unsigned.partner</code>.\n\n\
        {% if visitor.claims.unsigned.partner %}\nFor partners <code class=\"expression\">2+2</code>.\n{% endif %}";
    for (title, text) in [
        ("Short", text.to_owned()),
        ("Long", format!("{text}\n\n{}", "Words. ".repeat(4000))),
    ] {
        let change = json!({ "operation": "insert_page", "title": title, "document": { "markdown": text } });
        let call = world.admin.client.call("updateSpaceContent").path("spaceId", space);
        call.json(json!({ "changes": [change] })).expect(200).await;
    }
    let [other, partner] = visitors(&world, &published).await;
    let read = async |client: &Client, path: &str, format: &str, evaluated: Option<&str>| {
        let call = client
            .call("getPageByPath")
            .path("spaceId", space)
            .path("pagePath", path);
        let call = call.query("format", format);
        let call = match evaluated {
            Some(evaluated) => call.query("evaluated", evaluated),
            None => call,
        };
        let answer = call.send().await;
        let tag = answer.headers["etag"].to_str().unwrap().to_owned();
        (answer.expect(200), tag)
    };
    for path in ["short", "long"] {
        let member = read(&world.admin.client, path, "document", None).await.0;
        let sources = ["1+1", "a b", "visitor.claims.unsigned.partner"];
        for (client, own) in [(&other, None), (&partner, Some("2+2"))] {
            let expected: Vec<&str> = sources.into_iter().chain(own).collect();
            for evaluated in [None, Some("false")] {
                let page = read(client, path, "document", evaluated).await.0;
                // The first block has no condition: it is the one that members read.
                assert_eq!(
                    page["document"]["nodes"][0], member["document"]["nodes"][0],
                    "{evaluated:?}"
                );
                assert_eq!(expressions(&page["document"]), expected, "{page}");
                assert_eq!(page.to_string().contains("For partners"), own.is_some());
                let page = read(client, path, "markdown", evaluated).await.0;
                let shown = page["markdown"].as_str().unwrap();
                for source in &expected {
                    let element = format!("<code class=\"expression\">{source}</code>");
                    assert!(shown.contains(&element), "{source}: {shown:.300}");
                }
                assert!(!shown.contains("{%"), "{shown:.300}");
                assert_eq!(shown.contains("For partners"), own.is_some());
            }
            let (page, some) = read(client, path, "markdown", Some("deterministic-only")).await;
            assert!(page["markdown"].as_str().unwrap().contains("Sum 2, "), "{page:.300}");
            let all = read(client, path, "markdown", Some("true")).await.1;
            let none = read(client, path, "markdown", None).await.1;
            assert!(none != some && none != all && some != all, "{none} {some} {all}");
            // What is kept of one form is not the answer in another.
            assert_eq!(read(client, path, "markdown", Some("false")).await.1, none);
            let call = client
                .call("getPageByPath")
                .path("spaceId", space)
                .path("pagePath", path);
            call.query("format", "markdown")
                .header("If-None-Match", &some)
                .expect(200)
                .await;
            let document = client.call("getDocumentById").path("spaceId", space);
            let document = document.path("documentId", member["documentId"].as_str().unwrap());
            assert_eq!(expressions(&document.expect(200).await), expected);
        }
    }
}

/// The sources of the expressions in nodes.
fn expressions(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().flat_map(expressions).collect(),
        Value::Object(members) if members.get("type").is_some_and(|kind| kind == "expression") => {
            vec![members["data"]["expression"].as_str().unwrap()]
        }
        Value::Object(members) => members.get("nodes").map(expressions).unwrap_or_default(),
        _ => Vec::new(),
    }
}
