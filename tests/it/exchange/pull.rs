//! Organizations that are copied from another server.

use serde_json::{Value, json};

use crate::support::{
    computed::{add_computed, gripper},
    database::{TestDatabase, on_each_database},
    process::count_rows,
    pull::{Proxy, Target, row, written},
    specs::process,
    world::World,
};

on_each_database![
    an_organization_is_copied,
    a_pull_brings_a_copy_up_to_date,
    a_dry_run_writes_nothing,
    a_specification_may_come_later_than_its_pages,
];

async fn source(database: &TestDatabase) -> (World, Proxy) {
    let world = World::new(TestDatabase::new(database.backend())).await;
    let proxy = Proxy::before(&world).await;
    (world, proxy)
}

/// The space with this title.
async fn space(target: &Target, title: &str) -> Value {
    let organization = target.organization().await;
    let all = target.get(&format!("orgs/{organization}/spaces")).await;
    let mut found = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|space| space["title"] == title);
    let space = found.next().unwrap_or_else(|| panic!("no {title} in {all}"));
    assert!(found.next().is_none(), "{title} is there twice");
    space.clone()
}

async fn an_organization_is_copied(database: TestDatabase) {
    let (world, proxy) = source(&database).await;
    let target = Target::new(database).await;
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    let organization = target.organization().await;
    assert_eq!(row(&report, "member"), [9, 0, 0, 0], "{report}");
    assert_eq!(row(&report, "team member"), [2, 0, 0, 0], "{report}");
    assert_eq!(row(&report, "file"), [1, 0, 0, 0], "{report}");
    assert_eq!(row(&report, "reusable content"), [1, 0, 0, 0], "{report}");

    // The text of a page leads to the copies of a page and of a file.
    let copy = space(&target, "Gripper G4").await;
    let id = copy["id"].as_str().unwrap();
    let page = target
        .get(&format!(
            "spaces/{id}/content/path/maintenance/changing-the-fingers?format=markdown&format.markdown.refs=stable"
        ))
        .await;
    let above = target.get(&format!("spaces/{id}/content/path/maintenance")).await;
    let files = target.get(&format!("spaces/{id}/content/files")).await;
    let markdown = page["markdown"].as_str().unwrap();
    assert!(
        markdown.contains(&format!("(/pages/{})", above["id"].as_str().unwrap())),
        "{markdown}"
    );
    assert!(
        markdown.contains(&format!("(/files/{})", files["items"][0]["id"].as_str().unwrap())),
        "{markdown}"
    );
    let links = target.get(&format!("spaces/{id}/links?status=broken")).await;
    assert_eq!(links["items"], json!([]), "{links}");
    let url = files["items"][0]["downloadURL"].as_str().unwrap();
    let path = &url[target.client.base().len()..];
    assert!(
        target
            .client
            .get(path)
            .await
            .bytes()
            .await
            .unwrap()
            .starts_with(b"\x89PNG")
    );

    let members = target.get(&format!("orgs/{organization}/members?limit=100")).await;
    let role = |email: &str| {
        let all = members["items"].as_array().unwrap();
        let found = all.iter().find(|member| member["user"]["email"] == email);
        found.unwrap_or_else(|| panic!("no {email} in {members}"))["role"].clone()
    };
    assert_eq!(role(&world.review.email), "review");
    assert_eq!(role(&world.guest.email), Value::Null);
    assert_eq!(role("operator@tidewater.example"), "admin");
    let sites = target.get(&format!("orgs/{organization}/sites")).await;
    let site = sites["items"][0]["id"].as_str().unwrap();
    let structure = target.get(&format!("orgs/{organization}/sites/{site}/structure")).await;
    assert!(!structure["structure"].as_array().unwrap().is_empty(), "{structure}");
    let collections = target.get(&format!("orgs/{organization}/collections")).await;
    assert_eq!(collections["items"][0]["id"], copy["parent"]);
    for kind in ["translation", "secrets", "comments"] {
        assert!(report.contains(kind), "{report}");
    }
}

async fn a_pull_brings_a_copy_up_to_date(database: TestDatabase) {
    let (world, proxy) = source(&database).await;
    let rows = database.reopened();
    let target = Target::new(database).await;
    Box::pin(target.pulled(&proxy, &world, &[])).await;
    let before = count_rows(&rows, ["audit_events", "revisions"]).await;
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert_eq!(written(&report), 0, "{report}");
    assert_eq!(
        count_rows(&rows, ["audit_events", "revisions"]).await,
        before,
        "{report}"
    );

    // Twenty changes: nineteen new pages, and one page with another text.
    let new = (0..18).map(|number| {
        let document = json!({ "markdown": format!("Page {number}") });
        json!({ "operation": "insert_page", "title": format!("New {number}"), "document": document })
    });
    let page = world.own("pageId");
    let other = json!({ "operation": "update_page", "page": page, "document": { "markdown": "Another text." } });
    let empty = json!({ "operation": "insert_page", "title": "Empty", "document": {} });
    let changes: Vec<Value> = new.chain([other, empty]).collect();
    let call = world.admin.client.call("updateSpaceContent").space(world.space);
    call.json(json!({ "changes": changes })).expect(200).await;
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert_eq!(row(&report, "page"), [19, 1, 2, 0], "{report}");
    assert!(!report.contains("Markdown was copied"), "{report}");
    assert_eq!(row(&report, "content of space"), [0, 1, 0, 0], "{report}");
    let [_, revisions] = count_rows(&rows, ["audit_events", "revisions"]).await;
    assert_eq!(revisions, before[1] + 1, "one revision a pull");
    let copy = space(&target, "Gripper G4").await;
    let id = copy["id"].as_str().unwrap();
    let path = format!("spaces/{id}/content/path/maintenance/changing-the-fingers?format=markdown");
    let read = target.get(&path).await;
    assert!(read["markdown"].as_str().unwrap().contains("Another text."), "{read}");

    let gone = json!({ "changes": [{ "operation": "delete_page", "page": page }] });
    let call = world.admin.client.call("updateSpaceContent").space(world.space);
    call.json(gone).expect(200).await;
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert!(report.contains("1 pages and 0 files are not at the source"), "{report}");
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert!(!report.contains("are not at the source"), "{report}");
}

async fn a_dry_run_writes_nothing(database: TestDatabase) {
    let (world, proxy) = source(&database).await;
    let rows = database.reopened();
    let target = Target::new(database).await;
    let tables = ["audit_events", "revisions", "pulled_objects", "users", "organizations"];
    let before = count_rows(&rows, tables).await;
    let report = Box::pin(target.pulled(&proxy, &world, &["--dry-run"])).await;
    assert_eq!(row(&report, "member"), [9, 0, 0, 0], "{report}");
    assert!(report.contains("would be written"), "{report}");
    assert_eq!(count_rows(&rows, tables).await, before);
    let asked = proxy.asked();
    assert!(asked.iter().all(|path| !path.contains("/page/")), "{asked:?}");
}

async fn a_specification_may_come_later_than_its_pages(database: TestDatabase) {
    let (world, proxy) = source(&database).await;
    let put = world.spec_call("createOrUpdateOpenAPISpecBySlug", "gripper");
    let text = gripper().to_string();
    put.json(json!({ "source": { "text": text } })).expect(201).await;
    let page = add_computed(&world, world.space, "Interface", "gripper").await;
    let target = Target::new(database).await;
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert_eq!(row(&report, "specification"), [1, 0, 0, 1], "{report}");
    assert!(
        report.contains("the source of its computed pages is not here"),
        "{report}"
    );

    process(world.app()).await;
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert_eq!(row(&report, "specification"), [1, 0, 1, 0], "{report}");
    assert_eq!(row(&report, "page")[1], 1, "{page}: {report}");
    let copy = space(&target, "Gripper G4").await;
    let path = format!("spaces/{}/content/pages?computed=false", copy["id"].as_str().unwrap());
    let pages = target.get(&path).await.to_string();
    assert!(pages.contains("\"computed\""), "{pages}");
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert_eq!(written(&report), 0, "{report}");
}
