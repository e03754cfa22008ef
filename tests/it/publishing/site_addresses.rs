//! Addresses of what a site shows lead back to it, also when sections, site spaces and pages have the same paths.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, resolve},
    redirects::{create, target},
    renderer::{Renderer, flat},
    world::World,
};

on_each_database![
    a_section_takes_no_address_of_a_site_space,
    a_site_space_takes_no_address_of_a_page,
    pages_behind_the_path_of_a_section_are_redirected_to,
    pages_behind_the_path_of_a_site_space_are_redirected_to,
    addresses_lead_back_whatever_the_paths,
    pages_with_the_path_of_their_space_are_found,
    beginnings_of_addresses_agree_whatever_the_paths,
];

async fn site_spaces(world: &World, site: &Value) -> Vec<Value> {
    let list = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    list["items"].as_array().unwrap().clone()
}

fn published_at(object: &Value) -> &str {
    object["urls"]["published"].as_str().unwrap()
}

async fn preview_of(world: &World, site: &Value, item: &Value) -> Value {
    let call = world.on_site(&world.read, "getSitePublishingPreviewById", site);
    let preview = call.query("siteSpace", id(item)).expect(200).await;
    find(world, preview["url"].as_str().unwrap()).await
}

/// Creates a redirect that appends what comes after its source.
async fn redirect(world: &World, site: &Value, source: &str, destination: &Value) {
    let body = json!({ "source": format!("{source}/*"), "destination": destination, "captureWildcard": true });
    create(world, site, body).expect(201).await;
}

async fn a_section_takes_no_address_of_a_site_space(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["Two", "Three"]).await;
    let (site, base) = (&published.site, &published.address);
    let add = world.on_site(&world.admin, "addSectionToSite", site);
    let section = add.json(json!({ "spaceId": published.spaces[1]["id"] }));
    let section = section.expect(201).await;
    assert_eq!((&section["path"], published_at(&section)), (&json!("three"), &**base));
    let items = site_spaces(&world, site).await;
    let addresses: Vec<&str> = items.iter().map(published_at).collect();
    let expected = ["", "three/three/", "three-2/"].map(|path| format!("{base}{path}"));
    assert_eq!(addresses, expected);
    for item in &items {
        let to_item = json!({ "kind": "site-space", "siteSpaceId": item["id"] });
        let source = format!("/to/{}", id(item));
        let body = json!({ "source": source, "destination": to_item });
        create(&world, site, body).expect(201).await;
        assert_eq!(target(&world, site, &source).await, published_at(item));
        let found = find(&world, published_at(item)).await;
        assert_eq!(found["siteSpace"], item["id"]);
        assert_eq!(found["canonicalUrl"], item["urls"]["published"]);
        assert_eq!(preview_of(&world, site, item).await["siteSpace"], item["id"]);
    }
    // The space itself names the older of its two places.
    let space = world.admin.client.call("getSpaceById");
    let space = space.path("spaceId", id(&published.spaces[1])).expect(200).await;
    assert_eq!(published_at(&space), published_at(&items[1]));
}

async fn a_site_space_takes_no_address_of_a_page(database: TestDatabase) {
    let world = World::new(database).await;
    let alpha = world.new_space_with_page("Alpha", "Beta", "A page.").await;
    let beta = world.new_space("Beta").await;
    let site = world.new_site("Manuals", &[&alpha, &beta]).await;
    let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let items = site_spaces(&world, &site).await;
    let base = published_at(&site);
    let of_page = format!("{base}alpha/beta");
    let found = find(&world, &of_page).await;
    assert_eq!((&found["space"], &found["pathname"]), (&alpha["id"], &json!("/beta")));
    assert_eq!(found["canonicalUrl"], of_page);
    let page = world.admin.client.call("getPageByPath").path("spaceId", id(&alpha));
    let page = page.path("pagePath", "beta").expect(200).await;
    let to_page = json!({ "kind": "site-page", "siteSpaceId": items[0]["id"], "pageId": page["id"] });
    let body = json!({ "source": "/to/page", "destination": to_page });
    create(&world, &site, body).expect(201).await;
    assert_eq!(target(&world, &site, "/to/page").await, of_page);
    // What a wildcard stands for is a part of the path, too.
    let to_alpha = json!({ "kind": "site-space", "siteSpaceId": items[0]["id"] });
    redirect(&world, &site, "/to/alpha", &to_alpha).await;
    assert_eq!(target(&world, &site, "/to/alpha/beta").await, of_page);
    assert_eq!(target(&world, &site, "/to/alpha/start").await, format!("{base}start"));
    assert_eq!(find(&world, &format!("{base}beta")).await["space"], beta["id"]);
}

/// Few paths, so that many of them collide.
const PATHS: [&str; 3] = ["a", "b", "c"];

/// Adds a page with a page below to a space; the condition is that of both.
async fn add_pages(world: &World, space: &Value, titles: [&str; 2], condition: Option<&str>) {
    let write = async |change: Value| {
        let call = world.admin.client.call("updateSpaceContent").path("spaceId", id(space));
        call.json(json!({ "changes": [change] })).expect(200).await
    };
    let mut outer = json!({ "operation": "insert_page", "title": titles[0], "document": { "markdown": "Outer." } });
    if let Some(condition) = condition {
        outer["condition"] = json!(condition);
    }
    write(outer).await;
    let call = world.admin.client.call("getPageByPath").path("spaceId", id(space));
    let outer = call.path("pagePath", titles[0].to_lowercase()).expect(200).await;
    write(json!({ "operation": "insert_page", "title": titles[1], "into": id(&outer), "document": { "markdown": "Inner." } })).await;
}

fn redirect_to(address: String) -> Value {
    json!({ "target": "content", "redirect": address })
}

/// A renderer that knows the site from one of its pages makes the address of another page without asking.
async fn pages_behind_the_path_of_a_section_are_redirected_to(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["Guide", "Api", "Shop"]).await;
    let (site, base, spaces) = (&published.site, &published.address, &published.spaces);
    let guide = find(&world, base).await;
    assert_eq!(guide["space"], spaces[0]["id"]);
    let at = async |path: &str| find(&world, &format!("{base}{path}")).await;
    // The name of the only site space can follow.
    assert_eq!(at("api").await["complete"], false);
    assert_eq!(at("api/api").await["complete"], true);
    add_pages(&world, &spaces[0], ["Api", "Calls"], None).await;
    add_pages(
        &world,
        &spaces[0],
        ["Shop", "Prices"],
        Some("visitor.claims.unsigned.staff"),
    )
    .await;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;

    let found = at("api/calls").await;
    assert_eq!(found, redirect_to(format!("{base}guide/api/calls")));
    let found = at("guide/api/calls").await;
    assert_eq!(
        (&found["space"], &found["pathname"]),
        (&spaces[0]["id"], &json!("/api/calls"))
    );
    // The section comes first, and an address that begins with its path may be that of a page elsewhere.
    for (path, pathname) in [
        ("api", "/"),
        ("api/start", "/start"),
        ("api/nowhere", "/nowhere"),
        ("api/calls/x", "/calls/x"),
    ] {
        let found = at(path).await;
        assert_eq!(
            (&found["space"], &found["pathname"], &found["complete"]),
            (&spaces[1]["id"], &json!(pathname), &json!(false)),
            "{path}"
        );
    }
    // Whoever does not see a page is not told of it.
    let found = at("shop/prices").await;
    assert_eq!((&found["space"], &found["complete"]), (&spaces[2]["id"], &json!(true)));
    let staff = json!({ "unsignedClaims": { "staff": true } });
    let found = resolve(&world, &format!("{base}shop/prices"), staff).expect(200).await;
    assert_eq!(found, redirect_to(format!("{base}guide/shop/prices")));
    // The key of a share link stays in the address.
    published.set(&world, json!({ "visibility": "share-link" })).await;
    let create = world.on_site(&world.admin, "createSiteShareLink", site);
    let link = create.json(json!({ "name": "Partners" })).expect(201).await;
    let link = published_at(&link);
    let found = find(&world, &format!("{link}api/calls")).await;
    assert_eq!(found, redirect_to(format!("{link}guide/api/calls")));
}

async fn pages_behind_the_path_of_a_site_space_are_redirected_to(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let base = &published.address;
    add_pages(&world, &published.spaces[0], ["Two", "Parts"], None).await;
    let found = find(&world, &format!("{base}two/parts")).await;
    assert_eq!(found, redirect_to(format!("{base}one/two/parts")));
    let found = find(&world, &format!("{base}two/start")).await;
    assert_eq!(
        (&found["space"], &found["complete"]),
        (&published.spaces[1]["id"], &json!(false))
    );
    published.set_proxy(&world, "tidewater.example/docs").await;
    let found = find(&world, "https://tidewater.example/docs/two/parts").await;
    assert_eq!(
        found,
        redirect_to("https://tidewater.example/docs/one/two/parts".to_owned())
    );
}

async fn addresses_lead_back_whatever_the_paths(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["A", "B"]).await;
    let site = &published.site;
    for title in ["C", "D"] {
        let space = world.new_space(title).await;
        let add = world.on_site(&world.admin, "addSectionToSite", site);
        add.json(json!({ "spaceId": space["id"] })).expect(201).await;
    }
    let sections = world.on_site(&world.read, "listSiteSections", site).expect(200).await;
    let last = id(&sections["items"][1]).to_owned();
    let space = world.new_space("E").await;
    let add = world.on_site(&world.admin, "addSpaceToSite", site);
    let body = json!({ "spaceId": space["id"], "sectionId": last });
    add.json(body).expect(201).await;
    for item in site_spaces(&world, site).await {
        let to_item = json!({ "kind": "site-space", "siteSpaceId": item["id"] });
        redirect(&world, site, &format!("/to/{}", id(&item)), &to_item).await;
    }
    let mut chance = StdRng::seed_from_u64(7);
    let mut long = 0;
    for _ in 0..12 {
        change_by_chance(&world, &published, &mut chance).await;
        long += check(&world, &published, &mut chance).await;
    }
    assert!(long > 10, "only {long} addresses needed a name that others leave out");
}

/// Gives a section or a site space another path, or makes it the default. Paths that are taken are refused.
async fn change_by_chance(world: &World, published: &Published, chance: &mut StdRng) {
    let site = &published.site;
    let items = site_spaces(world, site).await;
    let item = items.choose(chance).unwrap();
    let section = item["section"].as_str().unwrap();
    let path = json!({ "path": PATHS.choose(chance).unwrap() });
    let call = match chance.random_range(0..6) {
        0 => {
            let update = world.on_site(&world.admin, "updateSiteById", site);
            update.json(json!({ "defaultSiteSection": section }))
        }
        1 | 2 => {
            let update = world.on_site(&world.admin, "updateSiteSectionById", site);
            let update = update.path("siteSectionId", section);
            update.json(json!({ "defaultSiteSpace": item["id"] }))
        }
        3 => {
            let update = world.on_site(&world.admin, "updateSiteSectionById", site);
            update.path("siteSectionId", section).json(path)
        }
        _ => {
            let update = world.on_site(&world.admin, "updateSiteSpaceById", site);
            update.path("siteSpaceId", id(item)).json(path)
        }
    };
    let status = call.send().await.status;
    assert!([200, 409].contains(&status), "{status}");
}

/// Returns how many addresses of pages name more than the addresses of their site spaces.
async fn check(world: &World, published: &Published, chance: &mut StdRng) -> usize {
    let (site, base) = (&published.site, &published.address);
    let sections = world.on_site(&world.read, "listSiteSections", site).expect(200).await;
    let mut long = 0;
    for section in sections["items"].as_array().unwrap() {
        let path = section["path"].as_str().unwrap();
        assert_eq!(find(world, published_at(section)).await["siteSection"], section["id"]);
        for item in section["siteSpaces"].as_array().unwrap() {
            let found = find(world, published_at(item)).await;
            assert_eq!((&found["siteSpace"], &found["pathname"]), (&item["id"], &json!("/")));
            assert_eq!(found["canonicalUrl"], item["urls"]["published"]);
            assert_eq!(item["space"]["urls"]["published"], item["urls"]["published"]);
            let page = [*PATHS.choose(chance).unwrap(), *PATHS.choose(chance).unwrap()].join("/");
            let whole = format!("{base}{path}/{}/{page}", item["path"].as_str().unwrap());
            let found = find(world, &whole).await;
            let canonical = found["canonicalUrl"].as_str().unwrap();
            let again = find(world, canonical).await;
            assert_eq!(
                (&again["siteSpace"], &again["pathname"]),
                (&item["id"], &json!(format!("/{page}")))
            );
            let source = format!("/to/{}/{page}", id(item));
            assert_eq!(target(world, site, &source).await, canonical);
            long += usize::from(canonical != format!("{}{page}", published_at(item)));
        }
    }
    long
}

/// The pages of a space as the renderer links to them from the home page: their addresses, with their ids.
async fn menu(world: &World, item: &Value) -> Vec<(String, Value)> {
    let call = world.admin.client.call("listPages").path("spaceId", id(&item["space"]));
    let pages = call.expect(200).await;
    let base = published_at(item);
    let link = |page: &&Value| (format!("{base}{}", page["path"].as_str().unwrap()), page["id"].clone());
    flat(&pages["pages"]).iter().map(link).collect()
}

async fn pages_with_the_path_of_their_space_are_found(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["Guide", "Petstore"]).await;
    for space in &published.spaces {
        add_pages(&world, space, ["Petstore", "Pets"], None).await;
    }
    let renderer = Renderer::new(&world);
    let items = site_spaces(&world, &published.site).await;
    let links = menu(&world, &items[1]).await;
    assert_eq!(links.len(), 4);
    for (address, page) in links {
        let shown = renderer.open(&address).await.page();
        assert_eq!(shown.page["id"], page, "{address}");
        assert_eq!(find(&world, &address).await["canonicalUrl"], address);
    }
    // The page of the default section shares the address of the other section, and has a longer one.
    let address = format!("{}guide/petstore/pets", published.address);
    let shown = renderer.open(&address).await.page();
    assert_eq!(shown.found["space"], published.spaces[0]["id"]);
    assert_eq!(shown.page["title"], "Pets");
    // A site of one space, too.
    let space = world.new_space("Petstore").await;
    add_pages(&world, &space, ["Petstore", "Pets"], None).await;
    let site = world.new_site("Pets", &[&space]).await;
    world.on_site(&world.admin, "publishSite", &site).expect(200).await;
    let items = site_spaces(&world, &site).await;
    for (address, page) in menu(&world, &items[0]).await {
        assert_eq!(renderer.open(&address).await.page().page["id"], page, "{address}");
        let found = by_address(&world, &address).await;
        assert_eq!(found["page"]["id"], page, "{address}");
    }
}

async fn by_address(world: &World, address: &str) -> Value {
    let call = world.admin.client.call("getContentByUrl").query("url", address);
    call.expect(200).await
}

/// The segments of a path in the site that the renderer looks up as a whole.
const LOOKED_UP: usize = 3;

async fn beginnings_of_addresses_agree_whatever_the_paths(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["A", "B"]).await;
    let site = &published.site;
    published.set_proxy(&world, "tidewater.example/docs").await;
    let mut spaces = published.spaces.clone();
    for title in ["C", "A"] {
        let space = world.new_space(title).await;
        let add = world.on_site(&world.admin, "addSectionToSite", site);
        add.json(json!({ "spaceId": space["id"] })).expect(201).await;
        spaces.push(space);
    }
    for (space, titles) in spaces.iter().zip([["A", "B"], ["B", "A"], ["C", "A"], ["A", "A"]]) {
        add_pages(&world, space, titles, None).await;
    }
    let renderer = Renderer::new(&world);
    let mut chance = StdRng::seed_from_u64(3);
    for _ in 0..6 {
        change_by_chance(&world, &published, &mut chance).await;
        let (mut addresses, mut known) = (BTreeSet::new(), BTreeSet::new());
        for item in site_spaces(&world, site).await {
            let base = published_at(&item).to_owned();
            let home = format!("{} ", id(&item));
            known.insert(home.clone());
            for (address, _) in menu(&world, &item).await {
                known.insert(format!("{home}{}", address.strip_prefix(&base).unwrap()));
                let path = address.strip_prefix("https://tidewater.example/docs/").unwrap();
                let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
                addresses.extend(ends.map(|end| path[..end].to_owned()));
            }
        }
        for path in addresses {
            let mut found = renderer
                .look_up(&format!("https://tidewater.example/docs/{path}"))
                .await;
            if let Some(redirect) = found["redirect"].as_str() {
                found = renderer.look_up(redirect).await;
                assert!(found.get("redirect").is_none(), "{path}: {found}");
            }
            let page = found["pathname"].as_str().unwrap();
            let page = format!("{} {page}", found["siteSpace"].as_str().unwrap());
            assert!(
                known.contains(&page) || path.split('/').count() > LOOKED_UP,
                "{path}: {page} {known:?}"
            );
        }
    }
}
