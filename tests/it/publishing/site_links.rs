//! Links to other addresses in the structure of sites.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    published::{Published, find, id, resolve, visitor},
    sites::add,
    world::World,
};

on_each_database![
    links_stand_among_sections,
    visitors_see_links_by_draft_and_condition,
    links_need_sections,
    bad_links_are_refused,
];

const STATUS: &str = "https://status.tidewater.example/";

fn change<'a>(world: &'a World, site: &Value, operation: &str, link: &Value) -> Call<'a> {
    let call = world.on_site(&world.create, operation, site);
    call.path("siteExternalLinkId", id(link))
}

async fn links_stand_among_sections(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["One", "Two"]).await;
    let site = &published.site;
    let group = add(&world, site, "addSectionGroupToSite", json!({ "title": "Group" })).await;
    let body = json!({ "title": "Status", "url": STATUS, "icon": "signal", "parent": id(&group),
        "description": "Is it up?", "localizedTitle": { "de": "Zustand" }, "localizedDescription": { "de": "Läuft es?" } });
    let link = add(&world, site, "addExternalLinkToSite", body.clone()).await;
    assert_eq!(link["object"], "site-external-link");
    for member in [
        "title",
        "url",
        "icon",
        "description",
        "localizedTitle",
        "localizedDescription",
    ] {
        assert_eq!(link[member], body[member], "{member}");
    }
    assert_eq!((&link["sectionGroup"], &link["draft"]), (&group["id"], &json!(false)));
    let expected = json!([["One", ["One"]], ["Two", ["Two"]], ["Group", ["Status"]]]);
    assert_eq!(world.outline(site).await, expected);
    // A group hands on what is in it, and links are sorted like sections.
    let call = world.on_site(&world.create, "deleteSiteSectionGroupById", site);
    call.path("siteSectionGroupId", id(&group)).expect(204).await;
    let sections = world.on_site(&world.read, "listSiteSections", site).expect(200).await;
    let two = &sections["items"][1];
    let pointer = |item: &Value| json!({ "type": item["object"], "id": item["id"] });
    let body = json!({ "item": pointer(&link), "position": { "before": pointer(two) } });
    let call = world.on_site(&world.create, "sortSiteStructure", site);
    let moved = call.json(body).expect(200).await;
    assert_eq!((&moved["id"], moved.get("sectionGroup")), (&link["id"], None));
    assert_eq!(
        world.outline(site).await,
        json!([["One", ["One"]], "Status", ["Two", ["Two"]]])
    );

    let body = json!({ "title": "Health", "url": "http://tidewater.example/health", "icon": null,
        "description": null, "localizedTitle": null, "localizedDescription": null });
    let changed = change(&world, site, "updateSiteExternalLinkById", &link)
        .json(body)
        .expect(200)
        .await;
    let expected = json!({ "object": "site-external-link", "id": link["id"], "title": "Health",
        "url": "http://tidewater.example/health", "draft": false });
    assert_eq!(changed, expected);
    let group = add(&world, site, "addSectionGroupToSite", json!({ "title": "Group" })).await;
    for (parent, expected) in [(group["id"].clone(), group.get("id")), (Value::Null, None)] {
        let call = change(&world, site, "updateSiteExternalLinkById", &link);
        let moved = call.json(json!({ "parent": parent })).expect(200).await;
        assert_eq!(moved.get("sectionGroup"), expected);
    }
    for _ in 0..2 {
        change(&world, site, "deleteSiteExternalLinkById", &link)
            .expect(204)
            .await;
    }
    change(&world, site, "updateSiteExternalLinkById", &link)
        .json(json!({}))
        .expect(404)
        .await;
    assert_eq!(
        world.outline(site).await,
        json!([["One", ["One"]], ["Two", ["Two"]], ["Group", []]])
    );
}

async fn visitors_see_links_by_draft_and_condition(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::in_sections(&world, &["One"]).await;
    let site = &published.site;
    published
        .set(&world, json!({ "adaptiveContent": { "enabled": true } }))
        .await;
    let group = add(&world, site, "addSectionGroupToSite", json!({ "title": "Group" })).await;
    let partner = "visitor.claims.unsigned.partner";
    for body in [
        json!({ "title": "Open", "url": STATUS, "parent": id(&group) }),
        json!({ "title": "Draft", "url": STATUS, "draft": true }),
        json!({ "title": "Partners", "url": STATUS, "condition": partner }),
    ] {
        add(&world, site, "addExternalLinkToSite", body).await;
    }
    let titles = async |claims: Value| {
        let found = resolve(&world, &published.address, json!({ "unsignedClaims": claims }))
            .expect(200)
            .await;
        let client = visitor(&world, &found);
        let call = client.call("getSiteStructure").here(&world);
        let structure = call.path("siteId", id(site)).expect(200).await["structure"].clone();
        // Conditions are for those who edit the site.
        assert!(!structure.to_string().contains(partner));
        let entries = structure.as_array().unwrap().iter();
        let entries = entries.flat_map(|entry| entry["children"].as_array().cloned().unwrap_or(vec![entry.clone()]));
        entries
            .map(|entry| entry["title"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(json!({})).await, ["One", "Open"]);
    assert_eq!(titles(json!({ "partner": true })).await, ["One", "Open", "Partners"]);
    let expected = json!([["One", ["One"]], ["Group", ["Open"]], "Draft", "Partners"]);
    assert_eq!(world.outline(site).await, expected);
    // With its last link, the group has nothing to show.
    let structure = world.on_site(&world.read, "getSiteStructure", site).expect(200).await;
    let open = &structure["structure"][1]["children"][0];
    let call = change(&world, site, "updateSiteExternalLinkById", open);
    call.json(json!({ "draft": true, "condition": "true" }))
        .expect(200)
        .await;
    assert_eq!(titles(json!({})).await, ["One"]);
}

async fn links_need_sections(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let body = json!({ "title": "Status", "url": STATUS });
    let refused = world.on_site(&world.create, "addExternalLinkToSite", &published.site);
    let refused = refused.json(body.clone()).send().await;
    refused.expect(400);
    refused.has_detail("/body", "no-sections");
    let empty = world.new_site("Links", &[]).await;
    add(&world, &empty, "addExternalLinkToSite", body).await;
    let structure = world.on_site(&world.read, "getSiteStructure", &empty).expect(200).await;
    assert_eq!(structure["type"], "sections");
    assert_eq!(world.outline(&empty).await, json!(["Status"]));
    find(&world, &published.address).await;
}

async fn bad_links_are_refused(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Links", &[]).await;
    let link = add(
        &world,
        &site,
        "addExternalLinkToSite",
        json!({ "title": "Status", "url": STATUS }),
    )
    .await;
    for (member, value, at, rule) in [
        ("url", json!("javascript:alert(1)"), "url", "pattern"),
        ("parent", json!("x"), "parent", "site-item"),
        ("condition", json!("1 +"), "condition", "condition"),
        (
            "localizedTitle",
            json!({ "tlh": "x" }),
            "localizedTitle/tlh",
            "language",
        ),
        (
            "localizedDescription",
            json!({ "tlh": "x" }),
            "localizedDescription/tlh",
            "language",
        ),
    ] {
        let mut body = json!({ "title": "Other", "url": STATUS });
        body[member] = value.clone();
        let new = world.on_site(&world.create, "addExternalLinkToSite", &site).json(body);
        let changed = change(&world, &site, "updateSiteExternalLinkById", &link).json(json!({ member: value }));
        for refused in [new.send().await, changed.send().await] {
            refused.expect(400);
            refused.has_detail(&format!("/body/{at}"), rule);
        }
    }
}
