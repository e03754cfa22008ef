//! Specifications that visitors of sites read.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    computed::{add_computed, gripper, source},
    content::reusable_content,
    database::{TestDatabase, on_each_database},
    published::{find, resolve, visitor},
    texts::{add, delete, edit, new_space, write},
    world::World,
};

on_each_database![
    visitors_read_the_specifications_that_pages_refer_to,
    specifications_of_hidden_pages_are_hidden,
    specifications_of_hidden_blocks_are_hidden,
    specifications_of_reusable_contents_are_read,
    specifications_that_other_spaces_show_are_read,
    specifications_of_hidden_placeholders_are_not_computed,
    conditions_cost_no_statements_once_a_revision_was_read,
    authors_of_specifications_learn_nothing_about_visitors,
];

const PARTNER: &str = "visitor.claims.unsigned.partner";

fn block(spec: &str) -> String {
    format!("{{% openapi-operation spec=\"{spec}\" path=\"/grip\" method=\"get\" %}}\n{{% endopenapi-operation %}}\n")
}

async fn read(world: &World, visitor: &Client, slug: &str) -> u16 {
    let call = visitor.call("getLatestOpenAPISpecVersionContent").here(world);
    call.path("specSlug", slug).send().await.status
}

/// A visitor of a new site with these spaces.
async fn visit(world: &World, spaces: &[&Value]) -> (Value, Client) {
    let site = world.new_site("Manuals", spaces).await;
    let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let found = find(world, site["urls"]["published"].as_str().unwrap()).await;
    let client = visitor(world, &found);
    (site, client)
}

async fn visitors_read_the_specifications_that_pages_refer_to(database: TestDatabase) {
    let world = World::new(database).await;
    let mut ids = Vec::new();
    for slug in ["computed", "by-slug", "by-id", "secret"] {
        ids.push(world.process_document(slug, &gripper()).await["id"].clone());
    }
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "computed").await;
    let by_id = block(ids[2].as_str().unwrap());
    let pages = add(&world, space, &[("slug", &block("by-slug")), ("id", &by_id)]).await;
    let other = new_space(&world, "Other").await;
    add(&world, other, &[("secret", &block("secret"))]).await;
    let (site, client) = visit(&world, &[&json!({ "id": space.to_string() })]).await;
    for (slug, status) in [
        ("computed", 200),
        ("by-slug", 200),
        ("by-id", 200),
        ("secret", 404),
        ("nothing", 404),
    ] {
        assert_eq!(read(&world, &client, slug).await, status, "{slug}");
    }
    // The past counts for nothing.
    let changes = vec![edit(&pages["slug"], "-"), delete(&pages["id"]), delete(&placeholder)];
    write(&world, space, changes).await;
    for slug in ["computed", "by-slug", "by-id"] {
        assert_eq!(read(&world, &client, slug).await, 404, "{slug}");
    }
    write(&world, space, vec![edit(&pages["slug"], &block("by-slug"))]).await;
    assert_eq!(read(&world, &client, "by-slug").await, 200);
    // Nothing else of the organization, and nothing of others.
    for operation in ["getOpenAPISpecBySlug", "getLatestOpenAPISpecVersion"] {
        let call = client.call(operation).here(&world).path("specSlug", "by-slug");
        assert_eq!(call.send().await.status, 401, "{operation}");
    }
    let call = client
        .call("getLatestOpenAPISpecVersionContent")
        .within(world.other_organization);
    call.path("specSlug", world.foreign("specSlug")).expect(404).await;
    world.on_site(&world.admin, "unpublishSite", &site).expect(200).await;
    assert_eq!(read(&world, &client, "by-slug").await, 404);
}

/// Adds a page with a condition below another one, or at the top level, and gives its id.
async fn page(world: &World, space: NodeId, condition: &str, parent: Option<&str>, text: &str) -> String {
    let change = json!({ "operation": "insert_page", "title": "Page", "ref": "new", "condition": condition,
        "document": { "markdown": text } });
    write(world, space, vec![below(change, parent)]).await["new"].clone()
}

fn below(mut change: Value, parent: Option<&str>) -> Value {
    if let Some(parent) = parent {
        change["into"] = json!(parent);
    }
    change
}

/// A visitor who is a partner and one who is none, of a new site with this space.
async fn visit_as_partner(world: &World, space: NodeId) -> (Value, [Client; 2]) {
    let (site, _) = visit(world, &[&json!({ "id": space.to_string() })]).await;
    let update = world.on_site(&world.admin, "updateSiteById", &site);
    let enabled = json!({ "adaptiveContent": { "enabled": true } });
    update.json(enabled).expect(200).await;
    let address = site["urls"]["published"].as_str().unwrap();
    let partner = json!({ "unsignedClaims": { "partner": true } });
    let partner = resolve(world, address, partner).expect(200).await;
    let other = find(world, address).await;
    let clients = [visitor(world, &partner), visitor(world, &other)];
    (site, clients)
}

async fn include(world: &World, space: NodeId, text: &str) -> String {
    let content = reusable_content(world.app(), world.admin.id, space, text).await;
    format!("{{% include \"/reusable-contents/{content}\" %}}\n")
}

async fn specifications_of_hidden_pages_are_hidden(database: TestDatabase) {
    let world = World::new(database).await;
    let slugs = [
        "computed",
        "block",
        "below",
        "content",
        "nested",
        "open-computed",
        "open",
        "open-content",
        "shared",
        "linked",
    ];
    for slug in slugs {
        world.process_document(slug, &gripper()).await;
    }
    let space = new_space(&world, "Gripper").await;
    let hidden = page(&world, space, PARTNER, None, &block("block")).await;
    let shared = block("shared");
    page(
        &world,
        space,
        "",
        Some(&hidden),
        &format!("{}\n{shared}", block("below")),
    )
    .await;
    let placeholder = json!({ "operation": "insert_computed_page", "title": "Hidden", "computed": source("computed") });
    write(&world, space, vec![below(placeholder, Some(&hidden))]).await;
    add_computed(&world, space, "Open", "open-computed").await;
    let nested = include(&world, space, &block("nested")).await;
    let content = include(&world, space, &format!("{}\n{nested}", block("content"))).await;
    page(&world, space, PARTNER, None, &content).await;
    let content = include(&world, space, &block("open-content")).await;
    let open = format!("{}\n{content}\n{shared}\n[Elsewhere](/openapi/linked)\n", block("open"));
    let open = page(&world, space, "", None, &open).await;
    let (_, [partner, other]) = visit_as_partner(&world, space).await;
    for slug in slugs {
        let is_open = slug.starts_with("open") || slug == "shared";
        let all = if slug == "linked" { 404 } else { 200 };
        assert_eq!(read(&world, &partner, slug).await, all, "{slug}, for partners");
        let expected = if is_open { 200 } else { 404 };
        assert_eq!(read(&world, &other, slug).await, expected, "{slug}, for others");
    }
    // The past counts for nothing, and what is open now does.
    let show = json!({ "operation": "update_page", "page": hidden, "condition": "" });
    write(&world, space, vec![show, edit(&open, "-")]).await;
    for (slug, status) in [
        ("block", 200),
        ("below", 200),
        ("computed", 200),
        ("open", 404),
        ("nested", 404),
    ] {
        assert_eq!(read(&world, &other, slug).await, status, "{slug}");
    }
}

async fn specifications_of_hidden_blocks_are_hidden(database: TestDatabase) {
    let world = World::new(database).await;
    let slugs = ["block", "page", "content", "open", "open-content", "twice"];
    for slug in slugs {
        world.process_document(slug, &gripper()).await;
    }
    let space = new_space(&world, "Gripper").await;
    let within = |condition: &str, text: &str| format!("{{% if {condition} %}}\n{text}\n{{% endif %}}\n\n");
    let secret = include(&world, space, &block("content")).await;
    let mixed = format!("{}\n{}", block("open-content"), within(PARTNER, &secret));
    let mixed = include(&world, space, &mixed).await;
    let [secret, of_page] = [
        within(PARTNER, &block("block")),
        within("page.vars.x == \"1\"", &block("page")),
    ];
    let twice = format!("{}{}", within("false", &block("twice")), block("twice"));
    let text = format!(
        "---\nvars:\n  x: \"2\"\n---\n\n{secret}{of_page}{mixed}\n{}\n{twice}",
        block("open")
    );
    let page = page(&world, space, "", None, &text).await;
    let (_, [partner, other]) = visit_as_partner(&world, space).await;
    for (client, shown) in [
        (&partner, &["block", "content", "open", "open-content", "twice"][..]),
        (&other, &["open", "open-content", "twice"]),
        (&world.read.client, &slugs),
    ] {
        for slug in slugs {
            let expected = if shown.contains(&slug) { 200 } else { 404 };
            assert_eq!(read(&world, client, slug).await, expected, "{slug}");
        }
    }
    write(&world, space, vec![edit(&page, &text.replace("x: \"2\"", "x: \"1\""))]).await;
    assert_eq!(read(&world, &other, "page").await, 200);
}

async fn specifications_of_reusable_contents_are_read(database: TestDatabase) {
    let world = World::new(database).await;
    for slug in ["content", "nested", "secret"] {
        world.process_document(slug, &gripper()).await;
    }
    let space = new_space(&world, "Gripper").await;
    let nested = include(&world, space, &block("nested")).await;
    let content = include(&world, space, &format!("{}\n{nested}", block("content"))).await;
    page(&world, space, "", None, &content).await;
    let (_, client) = visit(&world, &[&json!({ "id": space.to_string() })]).await;
    for (slug, status) in [("content", 200), ("nested", 200), ("secret", 404)] {
        assert_eq!(read(&world, &client, slug).await, status, "{slug}");
    }
}

async fn specifications_that_other_spaces_show_are_read(database: TestDatabase) {
    let world = World::new(database).await;
    world.process_document("guest", &gripper()).await;
    let space = new_space(&world, "Gripper").await;
    page(&world, space, PARTNER, None, "Secret.").await;
    let content = reusable_content(world.app(), world.admin.id, space, &block("guest")).await;
    let elsewhere = new_space(&world, "Elsewhere").await;
    let include = format!("{{% include \"/spaces/{space}/reusable-contents/{content}\" %}}");
    let guest = page(&world, elsewhere, "", None, &include).await;
    let (site, [_, other]) = visit_as_partner(&world, space).await;
    assert_eq!(read(&world, &other, "guest").await, 404, "no page shows the content");
    let add = world.on_site(&world.admin, "addSpaceToSite", &site);
    let add = add.json(json!({ "spaceId": elsewhere.to_string() }));
    add.expect(201).await;
    assert_eq!(read(&world, &other, "guest").await, 200);
    let hide = json!({ "operation": "update_page", "page": guest, "condition": PARTNER });
    write(&world, elsewhere, vec![hide]).await;
    assert_eq!(read(&world, &other, "guest").await, 404);
}

async fn specifications_of_hidden_placeholders_are_not_computed(database: TestDatabase) {
    let world = World::new(database).await;
    for slug in ["open", "secret"] {
        world.process_document(slug, &gripper()).await;
    }
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Open", "open").await;
    let secret = add_computed(&world, space, "Secret", "secret").await;
    let hide = json!({ "operation": "update_page", "page": secret, "condition": PARTNER });
    write(&world, space, vec![hide]).await;
    let (_, [partner, other]) = visit_as_partner(&world, space).await;
    for (client, of_secret) in [(&partner, 200), (&other, 400), (&world.read.client, 200)] {
        for (slug, status) in [("open", 200), ("secret", of_secret)] {
            let mut source = source(slug);
            let pages = client.call("getComputedRevision").space(space);
            let pages = pages.json(json!({ "source": source, "seed": "seed" })).send().await;
            source["props"] = json!({ "doc": "info", "page": "info" });
            let text = client.call("getComputedDocument").space(space);
            let text = text.json(json!({ "source": source, "seed": "seed" })).send().await;
            assert_eq!((pages.status, text.status), (status, status), "{slug}: {}", text.text);
        }
    }
}

async fn conditions_cost_no_statements_once_a_revision_was_read(database: TestDatabase) {
    let world = World::new(database).await;
    for slug in ["computed", "block"] {
        world.process_document(slug, &gripper()).await;
    }
    let space = new_space(&world, "Gripper").await;
    add_computed(&world, space, "Interface", "computed").await;
    page(&world, space, "", None, &block("block")).await;
    let (_, [_, other]) = visit_as_partner(&world, space).await;
    let statements = async || {
        let mut taken = Vec::new();
        for slug in ["computed", "block"] {
            assert_eq!(read(&world, &other, slug).await, 200);
            let before = world.app().kernel.db.statements();
            let call = other.call("getLatestOpenAPISpecVersionContent").here(&world);
            call.path("specSlug", slug).expect(200).await;
            taken.push(world.app().kernel.db.statements() - before);
        }
        taken
    };
    let without = statements().await;
    for _ in 0..20 {
        page(&world, space, PARTNER, None, &block("block")).await;
    }
    assert_eq!(statements().await, without);
}

/// A description may come from anybody, and the address of a picture with a claim in it would tell them the claim.
async fn authors_of_specifications_learn_nothing_about_visitors(database: TestDatabase) {
    let world = World::new(database).await;
    let name = "<code class=\"expression\">visitor.claims.unsigned.partner</code>";
    let picture =
        "![](https://elsewhere.example/<code class=\"expression\">visitor.claims.unsigned.partner</code>.png)";
    let block = format!("{{% if {PARTNER} %}}\nFor Axolotl.\n{{% endif %}}");
    let mut document = gripper();
    for pointer in ["/info/description", "/tags/0/description"] {
        *document.pointer_mut(pointer).unwrap() = json!(format!("By {name}.\n\n{picture}\n\n{block}"));
    }
    world.process_document("gripper", &document).await;
    let space = new_space(&world, "Gripper").await;
    let placeholder = add_computed(&world, space, "Interface", "gripper").await;
    // What the organization writes itself is evaluated.
    let own = page(&world, space, "", None, &format!("By {name}.")).await;
    let (site, _) = visit_as_partner(&world, space).await;
    let claims = json!({ "unsignedClaims": { "partner": "Axolotl" } });
    let found = resolve(&world, site["urls"]["published"].as_str().unwrap(), claims);
    let client = visitor(&world, &found.expect(200).await);
    let tree = client.call("listPages").space(space).expect(200).await;
    let computed = tree["pages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|page| page["id"] == placeholder.as_str());
    let tag = computed.unwrap()["pages"][0]["id"].as_str().unwrap();
    let text = async |page: &str, format: &str, evaluated: &str| {
        let call = client.call("getPageById").space(space).path("pageId", page);
        let call = call.query("format", format).query("evaluated", evaluated);
        call.expect(200).await.to_string()
    };
    for format in ["markdown", "document"] {
        assert!(text(&own, format, "true").await.contains("Axolotl"));
        for evaluated in ["false", "true", "deterministic-only"] {
            for page in [placeholder.as_str(), tag] {
                let text = text(page, format, evaluated).await;
                assert!(text.contains("By "), "{evaluated} {format}: {text}");
                let tells = ["Axolotl", "class=\\\"expression", "\"expression\""]
                    .iter()
                    .find(|it| text.contains(**it));
                assert_eq!(tells, None, "{evaluated} {format}: {text}");
            }
        }
    }
}
