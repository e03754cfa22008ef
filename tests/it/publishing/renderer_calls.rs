//! Visits of a site in a renderer, call by call.

use entity::ids::NodeId;
use serde_json::{Value, json};

use crate::support::{
    computed::{add_computed, gripper},
    content::reusable_content,
    database::{TestDatabase, on_each_database},
    published::{Published, id},
    renderer::{Renderer, flat, items, page_by_id},
    texts::{edit, insert, upload, write},
    world::World,
};

on_each_database![
    a_home_page_and_a_page_with_references_are_shown,
    pages_of_specifications_are_shown,
    results_of_a_search_lead_to_their_pages,
    paths_without_a_page_are_redirected_or_not_found,
    pages_are_read_as_markdown,
    all_pages_of_a_site_are_read_as_markdown,
    previews_show_a_site_and_a_change_request,
    share_links_and_claims_of_visitors_stay_in_the_visit,
];

/// A published site with two sections: one with a page that refers to everything, and one with the pages of a specification.
struct Site {
    world: World,
    published: Published,
}

impl Site {
    async fn new(database: TestDatabase) -> Self {
        let world = World::new(database).await;
        let published = Published::in_sections(&world, &["Guide", "Robots"]).await;
        world.process_document("gripper", &gripper()).await;
        add_computed(&world, node(&published.spaces[1]), "Interface", "gripper").await;
        Self { world, published }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.published.address)
    }

    fn guide(&self) -> &Value {
        &self.published.spaces[0]
    }
}

fn node(space: &Value) -> NodeId {
    id(space).parse().unwrap()
}

async fn a_home_page_and_a_page_with_references_are_shown(database: TestDatabase) {
    let site = Site::new(database).await;
    let (world, guide) = (&site.world, node(site.guide()));
    let renderer = Renderer::new(world);
    let home = renderer.open(&site.at("")).await.page();
    assert_eq!(home.page["title"], "Untitled");
    assert_eq!(home.document().await["object"], "document");
    let start = renderer.open(&site.at("start")).await.page();
    let file = write(world, guide, vec![upload("file.txt")]).await["file.txt"].clone();
    let inner = reusable_content(world.app(), world.admin.id, guide, "Mind the fingers.").await;
    let text = format!("Mind the air.\n\n{{% include \"/reusable-contents/{inner}\" %}}");
    let content = reusable_content(world.app(), world.admin.id, guide, &text).await;
    let robots = id(&site.published.spaces[1]);
    let text = format!(
        "[Start](/pages/{page}), [its end](/pages/{page}#end), [the file](/files/{file}), [robots](/spaces/{robots}), \
         [the author](/users/{author}), [elsewhere](https://tidewater.example/)\n\n{{% include \"/reusable-contents/{content}\" %}}\n\n\
         {{% openapi-operation spec=\"gripper\" path=\"/grip\" method=\"get\" %}}\n{{% endopenapi-operation %}}\n",
        page = id(&start.page),
        author = world.admin.id,
    );
    write(world, guide, vec![insert("References", &text)]).await;
    let page = renderer.open(&site.at("references")).await.page();
    assert_eq!(page.page["title"], "References");
    let document = page.document().await.to_string();
    assert!(document.contains("Mind the air."), "{document}");
    for kind in ["page", "file", "url", "openapi", "space", "user", "reusable-content"] {
        assert!(document.contains(&format!("\"kind\":\"{kind}\"")), "{kind}: {document}");
    }
}

async fn pages_of_specifications_are_shown(database: TestDatabase) {
    let site = Site::new(database).await;
    let renderer = Renderer::new(&site.world);
    let home = renderer.open(&site.at("robots")).await.page();
    let pages: Vec<&Value> = flat(&home.revision["pages"])
        .into_iter()
        .filter(|page| page["type"] == "document" && page["path"].as_str().unwrap().starts_with("interface/"))
        .collect();
    let mut blocks = 0;
    for page in pages {
        let address = site.at(&format!("robots/{}", page["path"].as_str().unwrap()));
        let shown = renderer.open(&address).await.page();
        assert_eq!(shown.page["id"], page["id"]);
        let text = shown.document().await.to_string();
        blocks += text.matches("\"kind\":\"openapi\"").count();
    }
    // Three operations, a webhook, and the schemas.
    assert_eq!(blocks, 5);
}

async fn results_of_a_search_lead_to_their_pages(database: TestDatabase) {
    let site = Site::new(database).await;
    let renderer = Renderer::new(&site.world);
    let home = renderer.open(&site.at("")).await.page();
    let current = json!({ "mode": "current", "siteSpaceId": home.item["id"] });
    let default = json!({ "scope": { "mode": "default", "currentSiteSpace": home.item["id"], "restrictTo": "currentSiteSpace" } });
    for (scope, count) in [(json!({ "mode": "all" }), 2), (current, 1), (default, 1)] {
        let mut body = scope.clone();
        body["query"] = json!("start");
        let call = home.client.call("searchSiteContent").here(&site.world);
        let found = call
            .path("siteId", id(&site.published.site))
            .json(body)
            .expect(200)
            .await;
        let found = found["items"].as_array().unwrap();
        assert_eq!(found.len(), count, "{scope}: {found:?}");
        for space in found {
            let item = items(&home.site["structure"])
                .into_iter()
                .find(|item| item["space"]["id"] == space["id"]);
            let base = item.unwrap()["urls"]["published"].as_str().unwrap();
            for page in space["pages"].as_array().unwrap() {
                let path = page["path"].as_str().unwrap();
                let shown = renderer.open(&format!("{base}{path}")).await.page();
                assert_eq!((&shown.page["id"], &shown.page["title"]), (&page["id"], &page["title"]));
            }
        }
    }
}

async fn paths_without_a_page_are_redirected_or_not_found(database: TestDatabase) {
    let site = Site::new(database).await;
    let (world, renderer) = (&site.world, Renderer::new(&site.world));
    let start = renderer.open(&site.at("start")).await.page();
    let destination = json!({ "kind": "site-page", "siteSpaceId": start.item["id"], "pageId": start.page["id"] });
    for source in ["/old", "/robots/old"] {
        let create = world.on_site(&world.admin, "createSiteRedirect", &site.published.site);
        let body = json!({ "source": source, "destination": destination });
        create.json(body).expect(201).await;
    }
    for path in ["old", "robots/old"] {
        let target = renderer.open(&site.at(path)).await.redirect();
        let shown = renderer.open(&target).await.page();
        assert_eq!(shown.page["id"], start.page["id"], "{path}");
    }
    for path in ["nowhere", "robots/nowhere", "start/nowhere", "a/b/c/d/e"] {
        let shown = renderer.open(&site.at(path)).await.page();
        assert!(shown.page.is_null(), "{path}: {}", shown.page);
    }
    // A page of the default section whose path begins like a section.
    write(world, node(site.guide()), vec![insert("Robots", "About robots.")]).await;
    let above = renderer.open(&site.at("guide/robots")).await.page();
    let mut below = insert("Arms", "About arms.");
    below["into"] = above.page["id"].clone();
    write(world, node(site.guide()), vec![below]).await;
    let target = renderer.open(&site.at("robots/arms")).await.redirect();
    let shown = renderer.open(&target).await.page();
    assert_eq!(shown.page["title"], "Arms");
    assert_eq!(
        renderer.open(&site.at("robots/start")).await.page().page["title"],
        "Start"
    );
}

async fn pages_are_read_as_markdown(database: TestDatabase) {
    let site = Site::new(database).await;
    let (world, renderer) = (&site.world, Renderer::new(&site.world));
    let start = renderer.open(&site.at("start")).await.page();
    let text = format!("See [the start](/pages/{}).", id(&start.page));
    write(world, node(site.guide()), vec![insert("More", &text)]).await;
    let mut visit = renderer.open(&site.at("more.md")).await.page();
    let path = visit.found["pathname"].as_str().unwrap().strip_suffix(".md").unwrap();
    visit.page = flat(&visit.revision["pages"])
        .into_iter()
        .find(|page| page["path"] == path)
        .unwrap()
        .clone();
    let markdown = visit.markdown(&visit.page).await;
    let (_, link) = markdown.split_once("[the start](").unwrap();
    let target = link.strip_prefix("/pages/").unwrap();
    let target = page_by_id(&visit.revision["pages"], &target[..target.find(')').unwrap()]);
    assert_eq!(target.unwrap()["title"], "Start");
}

async fn all_pages_of_a_site_are_read_as_markdown(database: TestDatabase) {
    let site = Site::new(database).await;
    let visit = Renderer::new(&site.world).open(&site.at("llms-full.txt")).await.page();
    assert_eq!(
        (&visit.found["pathname"], &visit.page),
        (&json!("llms-full.txt"), &Value::Null)
    );
    let mut all = String::new();
    for item in items(&visit.site["structure"]) {
        assert!(item["urls"]["published"].is_string());
        let space = visit.in_item(item).await;
        for page in flat(&space.revision["pages"]) {
            if page["type"] == "document" {
                all.push_str(&space.markdown(page).await);
            }
        }
    }
    for text in ["Of Guide,", "Of Robots,", "openapi-operation"] {
        assert!(all.contains(text), "{text}: {all}");
    }
}

async fn previews_show_a_site_and_a_change_request(database: TestDatabase) {
    let site = Site::new(database).await;
    let (world, published) = (&site.world, &site.published);
    let start = Renderer::new(world).open(&site.at("start")).await.page();
    let request = world
        .admin
        .client
        .call("createChangeRequest")
        .path("spaceId", id(site.guide()));
    let request = request.json(json!({ "subject": "Another start" })).expect(201).await;
    let change = world
        .admin
        .client
        .call("updateChangeRequestContent")
        .path("spaceId", id(site.guide()));
    let change = change.path("changeRequestId", id(&request));
    let edit = edit(id(&start.page), "As proposed.");
    change.json(json!({ "changes": [edit] })).expect(200).await;
    world
        .on_site(&world.admin, "unpublishSite", &published.site)
        .expect(200)
        .await;

    let address = world.on_site(&world.read, "getSitePublishingPreviewById", &published.site);
    let address = address.expect(200).await["url"].as_str().unwrap().to_owned();
    let (renderer, address) = Renderer::of_preview(world, &address);
    for (path, text) in [
        ("start", "Of Guide,"),
        ("~/changes/1/start", "As proposed."),
        ("robots/start", "Of Robots,"),
    ] {
        let shown = renderer.open(&format!("{address}{path}")).await.page();
        assert_eq!(
            (&shown.found["preview"], &shown.page["title"]),
            (&json!(true), &json!("Start")),
            "{path}"
        );
        let document = shown.document().await.to_string();
        assert!(document.contains(text), "{path}: {document}");
    }
}

async fn share_links_and_claims_of_visitors_stay_in_the_visit(database: TestDatabase) {
    let site = Site::new(database).await;
    let (world, published) = (&site.world, &site.published);
    published
        .set(
            world,
            json!({ "visibility": "share-link", "adaptiveContent": { "enabled": true } }),
        )
        .await;
    let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let link = link["urls"]["published"].as_str().unwrap();
    let text = "{% if visitor.claims.unsigned.staff %}\nFor staff.\n{% endif %}\n";
    write(world, node(site.guide()), vec![insert("Rules", text)]).await;
    let mut renderer = Renderer::new(world);
    for is_staff in [false, true] {
        renderer.visitor["unsignedClaims"] = json!({ "staff": is_staff });
        let shown = renderer.open(&format!("{link}rules")).await.page();
        assert!(shown.found["shareKey"].is_string() && shown.found["contextId"].is_string());
        let document = shown.document().await.to_string();
        assert_eq!(document.contains("For staff."), is_staff, "{document}");
    }
    published.set(world, json!({ "visibility": "visitor-auth" })).await;
    let token = published.token(world, json!({ "name": "Ines" })).await;
    renderer.visitor["jwtToken"] = json!(token);
    let shown = renderer.open(&site.at("start")).await.page();
    let document = shown.document().await.to_string();
    assert!(document.contains("Of Guide, for"), "{document}");
}
