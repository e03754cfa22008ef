//! The customization of sites and of their site spaces.

use bindery::areas::publishing::site_customization::in_force;
use chrono::TimeDelta;
use entity::publishing::sites::{self, site_space_customizations};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{Published, id},
    world::World,
};

on_each_database![
    settings_are_set_and_read,
    settings_have_the_time_of_their_last_change,
    settings_that_newer_clients_know_are_kept,
    page_actions_are_a_list_and_switches,
    items_of_headers_always_have_links,
    overrides_replace_and_drop_single_members,
    an_announcement_is_whole_or_absent,
    settings_that_harm_readers_are_refused,
    all_settings_of_a_site_are_those_in_force,
    settings_of_other_sites_are_404,
];

async fn settings_are_set_and_read(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    assert_eq!(site["icon"], json!(null));
    let read = async |unmasked: bool| {
        let call = world.on_site(&world.read, "getSiteCustomizationById", &site);
        undated(call.query("unmasked", unmasked).expect(200).await)
    };
    let mut settings = read(false).await;
    assert_eq!(settings["title"], "Manuals");
    assert_eq!(settings["styling"]["sidebar"]["list"], "default");
    assert_eq!(settings["trademark"], json!({ "enabled": false }));
    // What is sent back as it was read stays so.
    let set = async |settings: &Value| {
        let call = world.on_site(&world.create, "updateSiteCustomizationById", &site);
        undated(call.json(settings.clone()).expect(200).await)
    };
    assert_eq!(set(&settings).await, settings);

    settings.as_object_mut().unwrap().remove("title");
    settings["styling"]["primaryColor"] = json!({ "light": "#0B6E4F", "dark": "#fff" });
    settings["styling"]["font"] = json!({
        "id": "tide", "custom": true, "fontFamily": "Tide",
        "fontFaces": [{ "weight": 400, "sources": [{ "url": "https://tidewater.example/tide.woff2", "format": "woff2" }] }],
    });
    settings["favicon"] = json!({ "emoji": "1f4d8" });
    settings["header"]["links"] = json!([{
        "title": "Products", "to": null, "style": "button-primary", "condition": "visitor.claims.plan == 'pro'",
        "links": [{ "title": "Gripper", "to": { "kind": "page", "page": "06dktd9p2u6b0i4l8o1t5f7g3k" } }],
    }]);
    let mut expected = settings.clone();
    expected["title"] = json!("Manuals");
    assert_eq!(set(&settings).await, expected);
    assert_eq!((read(false).await, read(true).await), (expected, settings.clone()));

    // The icon of the site is that of the settings, wherever the site is answered.
    let one = world.on_site(&world.read, "getSiteById", &site).expect(200).await;
    assert_eq!(one["icon"], json!({ "emoji": "1f4d8" }));
    let list = world.read.client.call("listSites").here(&world).expect(200).await;
    let items = list["items"].as_array().unwrap();
    let listed = items.iter().find(|item| item["id"] == site["id"]).unwrap();
    assert_eq!(*listed, one);
    settings["favicon"] = json!({});
    set(&settings).await;
    let one = world.on_site(&world.read, "getSiteById", &site).expect(200).await;
    assert_eq!(one["icon"], json!(null));
}

/// Settings without the time of their last change.
fn undated(mut settings: Value) -> Value {
    settings.as_object_mut().unwrap().remove("updatedAt");
    settings
}

async fn settings_have_the_time_of_their_last_change(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let items = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let item = id(&items["items"][0]);
    let read = async || {
        let of_site = world.on_site(&world.read, "getSiteCustomizationById", site);
        let of_item = world.on_site(&world.read, "getSiteSpaceCustomizationById", site);
        let of_item = of_item.path("siteSpaceId", item).expect(200).await;
        (of_site.expect(200).await, of_item["updatedAt"].clone())
    };
    let set = async |settings: &Value| {
        let call = world.on_site(&world.create, "updateSiteCustomizationById", site);
        call.json(settings.clone()).expect(200).await["updatedAt"].clone()
    };
    let change = async |body: Value| {
        let call = world.on_site(&world.create, "overrideSiteSpaceCustomizationById", site);
        let changed = call.path("siteSpaceId", item).json(body).expect(200).await;
        changed["updatedAt"].clone()
    };
    let (mut settings, of_item) = read().await;
    assert_eq!((&settings["updatedAt"], of_item), (&json!(null), json!(null)));
    settings["themes"]["default"] = json!("dark");
    let first = set(&settings).await;
    assert_eq!(first, json!("2026-11-21T12:00:00.000Z"));
    world.clock().advance(TimeDelta::hours(1));
    // Nothing changes, whatever time is sent.
    settings["updatedAt"] = json!("2027-01-01T00:00:00.000Z");
    assert_eq!(set(&settings).await, first);
    let (settings_read, of_item) = read().await;
    assert_eq!((&settings_read["updatedAt"], of_item), (&first, first.clone()));

    let of_override = change(json!({ "title": "One" })).await;
    assert_eq!(of_override, json!("2026-11-21T13:00:00.000Z"));
    assert_eq!(read().await.1, of_override);
    world.clock().advance(TimeDelta::hours(1));
    assert_eq!(change(json!({ "title": "One" })).await, of_override);
    settings["themes"]["default"] = json!("light");
    let second = set(&settings).await;
    assert_eq!(read().await.1, second);
    assert_eq!(change(json!({ "title": null })).await, second);
}

async fn settings_that_newer_clients_know_are_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let read = async || {
        world
            .on_site(&world.read, "getSiteCustomizationById", &site)
            .expect(200)
            .await
    };
    let set = |settings: &Value| {
        let call = world.on_site(&world.create, "updateSiteCustomizationById", &site);
        call.json(settings.clone())
    };
    let mut settings = read().await;
    let default = json!({ "light": "default-light", "dark": "default-dark" });
    assert_eq!(
        settings["styling"]["codeTheme"],
        json!({ "default": default, "openapi": default })
    );
    assert_eq!(settings["socialAccounts"], json!([]));

    settings["styling"]["codeTheme"]["openapi"] = json!({ "light": "github-light", "dark": "nord" });
    settings["styling"]["headingFont"] = json!("Poppins");
    settings["header"]["primaryLink"] = json!({ "kind": "url", "url": "https://tidewater.example" });
    settings["themes"]["default"] = json!("system");
    settings["ai"] = json!({
        "mode": "assistant", "greeting": "Hello.", "suggestions": ["How do I begin?"], "instructions": "Be brief.",
    });
    settings["socialAccounts"] =
        json!([{ "platform": "mastodon", "handle": "tidewater", "display": { "footer": true, "header": false } }]);
    assert_eq!(undated(set(&settings).expect(200).await), settings);
    assert_eq!(undated(read().await), settings);

    settings["header"]["primaryLink"]["url"] = json!("javascript:alert(1)");
    let refused = set(&settings).expect(400).await;
    let detail = &refused["error"]["details"][0];
    assert_eq!(
        (&detail["pointer"], &detail["code"]),
        (&json!("/body/header/primaryLink"), &json!("unsafe-target"))
    );
}

async fn page_actions_are_a_list_and_switches(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let set = async |change: &dyn Fn(&mut Value)| {
        let read = world.on_site(&world.read, "getSiteCustomizationById", &site);
        let mut settings = read.expect(200).await;
        change(&mut settings);
        let call = world.on_site(&world.create, "updateSiteCustomizationById", &site);
        let set = call.json(settings).expect(200).await;
        (
            set["pageActions"].clone(),
            set["pdf"]["enabled"].clone(),
            set["git"]["showEditLink"].clone(),
        )
    };
    let actions = |items: &[&str], external: bool, markdown: bool| json!({ "items": items, "externalAI": external, "markdown": markdown, "mcp": false });
    let (on, off) = (json!(true), json!(false));
    // A client that knows the list alone, and one that also sends back what it does not know.
    let alone = set(&|settings| {
        let settings = settings.as_object_mut().unwrap();
        settings.remove("pdf");
        settings.remove("git");
        settings["pageActions"] = json!({ "items": ["git", "markdown", "assistant"] });
    });
    assert_eq!(
        alone.await,
        (actions(&["git", "markdown", "assistant"], false, true), off.clone(), on)
    );
    let list = set(&|settings| settings["pageActions"]["items"] = json!(["external-ai"]));
    assert_eq!(
        list.await,
        (actions(&["external-ai"], true, false), off.clone(), off.clone())
    );
    // A client that knows the switches.
    let switch = set(&|settings| settings["pageActions"]["markdown"] = json!(true));
    assert_eq!(
        switch.await,
        (actions(&["external-ai", "markdown"], true, true), off.clone(), off)
    );
}

async fn items_of_headers_always_have_links(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let items = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let item = id(&items["items"][0]);
    let read = world.on_site(&world.read, "getSiteCustomizationById", site);
    let mut settings = read.expect(200).await;
    let sent = json!([{ "title": "Docs", "to": null }]);
    let answered = json!([{ "title": "Docs", "to": null, "links": [] }]);
    settings["header"]["links"] = sent.clone();
    let set = world.on_site(&world.create, "updateSiteCustomizationById", site);
    let set = set.json(settings).expect(200).await;
    let change = world.on_site(&world.create, "overrideSiteSpaceCustomizationById", site);
    let change = change.path("siteSpaceId", item);
    let changed = change.json(json!({ "header": { "links": sent } })).expect(200).await;
    let of_site = world.on_site(&world.read, "getSiteCustomizationById", site);
    let of_item = world.on_site(&world.read, "getSiteSpaceCustomizationById", site);
    let all = world.on_site(&world.read, "getPublishedContentSite", site);
    let all = all.expect(200).await["customizations"].clone();
    for settings in [
        set,
        changed,
        of_site.expect(200).await,
        of_item.path("siteSpaceId", item).expect(200).await,
        all["site"].clone(),
        all["siteSpaces"][item].clone(),
    ] {
        assert_eq!(settings["header"]["links"], answered);
    }
}

async fn overrides_replace_and_drop_single_members(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two"]).await;
    let site = &published.site;
    let items = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let (first, second) = (id(&items["items"][0]), id(&items["items"][1]));
    let read = async |item: &str| {
        let call = world.on_site(&world.read, "getSiteSpaceCustomizationById", site);
        undated(call.path("siteSpaceId", item).expect(200).await)
    };
    let change = async |body: Value| {
        let call = world.on_site(&world.create, "overrideSiteSpaceCustomizationById", site);
        undated(call.path("siteSpaceId", first).json(body).expect(200).await)
    };
    let of_site = world.on_site(&world.read, "getSiteCustomizationById", site);
    let mut of_site = of_site.expect(200).await;
    assert_eq!(read(first).await, of_site);

    let purple = json!({ "light": "#7A1FA2", "dark": "#CE93D8" });
    let icon =
        json!({ "icon": { "light": "https://tidewater.example/a.svg", "dark": "https://tidewater.example/b.svg" } });
    let changed = change(json!({
        "title": "One only", "favicon": icon, "styling": { "primaryColor": purple, "sidebar": { "list": "pill" } },
        "pdf": { "enabled": false },
    }))
    .await;
    let mut expected = of_site.clone();
    expected["title"] = json!("One only");
    expected["favicon"] = icon.clone();
    expected["styling"]["primaryColor"] = purple.clone();
    expected["styling"]["sidebar"]["list"] = json!("pill");
    expected["pdf"]["enabled"] = json!(false);
    expected["pageActions"]["items"] = json!(["external-ai", "markdown"]);
    assert_eq!(changed, expected);
    assert_eq!(
        (read(first).await, read(second).await),
        (expected.clone(), of_site.clone())
    );

    // What is not overridden follows the site.
    of_site["styling"]["theme"] = json!("bold");
    of_site["styling"]["primaryColor"]["light"] = json!("#000000");
    of_site["favicon"] = json!({ "emoji": "1f4d8" });
    let set = world.on_site(&world.create, "updateSiteCustomizationById", site);
    set.json(of_site.clone()).expect(200).await;
    expected["styling"]["theme"] = json!("bold");
    assert_eq!(read(first).await, expected);

    // `null` drops a member, what is left out stays.
    let dropped = json!({ "favicon": null, "styling": { "primaryColor": null }, "pdf": { "enabled": null } });
    expected["favicon"] = of_site["favicon"].clone();
    expected["styling"]["primaryColor"] = of_site["styling"]["primaryColor"].clone();
    expected["pdf"] = of_site["pdf"].clone();
    expected["pageActions"] = of_site["pageActions"].clone();
    assert_eq!(change(dropped).await, expected);
    let rest = json!({ "title": null, "styling": { "sidebar": { "list": null } } });
    assert_eq!(change(rest).await, of_site);
    assert_eq!(stored_overrides(&world).await, 0);

    let primary = json!({ "kind": "url", "url": "https://tidewater.example/one" });
    let theme = json!({ "light": "min-light", "dark": "min-dark" });
    let of_header = json!({ "header": { "primaryLink": primary }, "styling": { "codeTheme": { "openapi": theme } } });
    let changed = change(of_header).await;
    assert_eq!(
        (
            &changed["header"]["primaryLink"],
            &changed["styling"]["codeTheme"]["openapi"]
        ),
        (&primary, &theme)
    );
    assert_eq!(
        changed["styling"]["codeTheme"]["default"],
        of_site["styling"]["codeTheme"]["default"]
    );
    let none = json!({ "header": { "primaryLink": null }, "styling": { "codeTheme": { "openapi": null } } });
    assert_eq!(change(none).await, of_site);

    change(json!({ "themes": { "default": "dark" } })).await;
    for _ in 0..2 {
        let call = world.on_site(&world.create, "deleteSiteSpaceCustomizationById", site);
        call.path("siteSpaceId", first).expect(204).await;
    }
    assert_eq!(read(first).await, of_site);
    change(json!({ "themes": { "default": "dark" } })).await;
    let delete = world.on_site(&world.admin, "deleteSiteSpaceById", site);
    delete.path("siteSpaceId", first).expect(204).await;
    assert_eq!(stored_overrides(&world).await, 0);
}

async fn stored_overrides(world: &World) -> u64 {
    let rows = site_space_customizations::Entity::find();
    rows.count(world.app().kernel.db.read()).await.unwrap()
}

async fn an_announcement_is_whole_or_absent(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let items = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let item = id(&items["items"][0]);
    let change = |body: Value| {
        let call = world.on_site(&world.create, "overrideSiteSpaceCustomizationById", site);
        call.path("siteSpaceId", item).json(body)
    };
    let refused = change(json!({ "announcement": { "enabled": false } }))
        .expect(400)
        .await;
    let details = refused["error"]["details"].as_array().unwrap();
    let missing: Vec<_> = details
        .iter()
        .map(|detail| (&detail["pointer"], &detail["code"]))
        .collect();
    let (message, style) = (json!("/body/announcement/message"), json!("/body/announcement/style"));
    assert_eq!(missing, [(&message, &json!("required")), (&style, &json!("required"))]);

    let refused = change(json!({ "announcement": { "message": "Version 4", "style": "info" } }))
        .expect(400)
        .await;
    assert_eq!(refused["error"]["details"][0]["pointer"], "/body/announcement/enabled");

    let of_site = world.on_site(&world.read, "getSiteCustomizationById", site);
    let mut settings = of_site.expect(200).await;
    let announcement = json!({ "enabled": true, "message": "Version 4", "style": "info",
        "link": { "title": "More", "to": { "kind": "url", "url": "https://tidewater.example/4" } } });
    settings["announcement"] = announcement.clone();
    let set = |settings: &Value| {
        let call = world.on_site(&world.create, "updateSiteCustomizationById", site);
        call.json(settings.clone())
    };
    set(&settings).expect(200).await;
    let link = json!({ "title": "Page", "to": { "kind": "space", "space": id(&published.spaces[0]) } });
    let changed = change(json!({ "announcement": { "enabled": false, "link": link } }))
        .expect(200)
        .await;
    let mut expected = announcement;
    expected["enabled"] = json!(false);
    expected["link"] = link;
    assert_eq!(changed["announcement"], expected);
    // Without an announcement of the site, there is nothing to override a part of.
    settings.as_object_mut().unwrap().remove("announcement");
    set(&settings).expect(200).await;
    let changed = change(json!({ "pdf": { "enabled": false } })).expect(200).await;
    assert_eq!(changed["announcement"], json!(null));
    change(json!({ "announcement": null, "pdf": { "enabled": null } }))
        .expect(200)
        .await;
    assert_eq!(stored_overrides(&world).await, 0);
}

async fn settings_that_harm_readers_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let site = &published.site;
    let items = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let of_site = world.on_site(&world.read, "getSiteCustomizationById", site);
    let settings = of_site.expect(200).await;
    let script = json!({ "title": "Run", "to": { "kind": "url", "url": "JavaScript:alert(1)" } });
    let item = json!({ "title": "Menu", "to": script["to"], "links": [script], "condition": "visitor.claims." });
    let header = json!([{ "title": "Safe", "to": { "kind": "url", "url": "mailto:help@tidewater.example" } }, item]);
    let footer = json!([{ "title": "Group", "links": [{ "title": "Data", "to": { "kind": "url", "url": "data:text/html,x" } }] }]);
    let announcement = json!({ "enabled": true, "message": "Version 4", "style": "info", "link": script });
    let mut whole = settings.clone();
    whole["header"]["links"] = header.clone();
    whole["footer"]["groups"] = footer.clone();
    whole["announcement"] = announcement.clone();
    let primary = json!({ "kind": "url", "url": "https://tidewater.example@other.example/" });
    whole["header"]["primaryLink"] = primary.clone();
    let part = json!({ "header": { "links": header, "primaryLink": primary }, "footer": { "groups": footer }, "announcement": announcement });
    let mut large = settings;
    let link = json!({ "title": "Long", "to": { "kind": "url", "url": format!("https://tidewater.example/{}", "x".repeat(1900)) } });
    large["footer"]["groups"] = json!([{ "title": "Long", "links": vec![link; 20] }]);
    let large_part = json!({ "footer": { "groups": large["footer"]["groups"] } });
    for (operation, hostile, large) in [
        ("updateSiteCustomizationById", whole, large),
        ("overrideSiteSpaceCustomizationById", part, large_part),
    ] {
        let call = |body: Value| {
            let call = world.on_site(&world.create, operation, site);
            let call = match operation {
                "overrideSiteSpaceCustomizationById" => call.path("siteSpaceId", id(&items["items"][0])),
                _ => call,
            };
            call.json(body)
        };
        let refused = call(hostile).expect(400).await;
        let details = refused["error"]["details"].as_array().unwrap().iter();
        let found: Vec<_> = details
            .map(|detail| format!("{} {}", detail["code"], detail["pointer"]))
            .collect();
        let expected = [
            r#""condition" "/body/header/links/1/condition""#,
            r#""unsafe-target" "/body/header/links/1/to""#,
            r#""unsafe-target" "/body/header/links/1/links/0/to""#,
            r#""unsafe-target" "/body/footer/groups/0/links/0/to""#,
            r#""unsafe-target" "/body/announcement/link/to""#,
            r#""unsafe-target" "/body/header/primaryLink""#,
        ];
        assert_eq!(found, expected, "{operation}");
        let refused = call(large).expect(400).await;
        assert_eq!(refused["error"]["details"][0]["code"], "too-long", "{operation}");
    }
}

async fn all_settings_of_a_site_are_those_in_force(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One", "Two", "Three"]).await;
    let site = &published.site;
    let items = world.on_site(&world.read, "listSiteSpaces", site).expect(200).await;
    let items = items["items"].as_array().unwrap();
    let load = async || {
        let row = sites::Entity::find_by_id(id(site).parse::<entity::ids::SiteId>().unwrap());
        row.one(world.app().kernel.db.read()).await.unwrap().unwrap()
    };
    let version = load().await.version;
    for (item, title) in items.iter().zip(["The first", "The second"]) {
        let call = world.on_site(&world.create, "overrideSiteSpaceCustomizationById", site);
        call.path("siteSpaceId", id(item))
            .json(json!({ "title": title }))
            .expect(200)
            .await;
    }
    let row = load().await;
    assert_eq!(row.version, version + 2);
    let before = world.app().kernel.db.statements();
    let loaded = in_force(&world.app().publishing, &row).await.unwrap();
    assert_eq!(world.app().kernel.db.statements() - before, 2);
    in_force(&world.app().publishing, &row).await.unwrap();
    assert_eq!(world.app().kernel.db.statements() - before, 2);
    let read = world
        .on_site(&world.read, "getSiteCustomizationById", site)
        .expect(200)
        .await;
    assert_eq!(serde_json::to_value(&loaded.of_site).unwrap(), read);
    assert_eq!(loaded.of_site_spaces.len(), 3);
    for item in items {
        let call = world.on_site(&world.read, "getSiteSpaceCustomizationById", site);
        let read = call.path("siteSpaceId", id(item)).expect(200).await;
        let settings = &loaded.of_site_spaces[&id(item).parse().unwrap()];
        assert_eq!(serde_json::to_value(settings).unwrap(), read);
    }
}

async fn settings_of_other_sites_are_404(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let other = world.new_site("Other", &[&published.spaces[0]]).await;
    let items = world.on_site(&world.read, "listSiteSpaces", &other).expect(200).await;
    let item = id(&items["items"][0]);
    let body = json!({ "pdf": { "enabled": false } });
    let change = world.on_site(&world.admin, "overrideSiteSpaceCustomizationById", &other);
    change.path("siteSpaceId", item).json(body.clone()).expect(200).await;
    let at = |operation| {
        world
            .on_site(&world.admin, operation, &published.site)
            .path("siteSpaceId", item)
    };
    at("getSiteSpaceCustomizationById").expect(404).await;
    at("overrideSiteSpaceCustomizationById").json(body).expect(404).await;
    at("deleteSiteSpaceCustomizationById").expect(204).await;
    assert_eq!(stored_overrides(&world).await, 1);
    // Whoever only reviews changes no settings.
    let change = world.on_site(&world.review, "overrideSiteSpaceCustomizationById", &other);
    change.path("siteSpaceId", item).json(json!({})).expect(403).await;
    let delete = world.admin.client.call("deleteSiteById").here(&world);
    delete.path("siteId", id(&other)).expect(204).await;
    assert_eq!(stored_overrides(&world).await, 0);
}
