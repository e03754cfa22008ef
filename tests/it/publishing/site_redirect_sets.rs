//! Redirects of sites that are made together, and their number.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::Published,
    redirects::{create, external, look_up, status, target},
    world::World,
};

on_each_database![
    entries_of_a_request_are_made_on_their_own,
    a_site_has_a_limited_number_of_redirects,
];

async fn entries_of_a_request_are_made_on_their_own(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let (site, address) = (&published.site, &published.address);
    let upsert = async |entries: Value| {
        let call = world.on_site(&world.create, "bulkUpsertSiteRedirects", site);
        let results = call.json(json!({ "redirects": entries })).expect(200).await;
        results["results"].as_array().unwrap().clone()
    };
    let url = external("https://tidewater.example/");
    let path = json!({ "kind": "path", "spaceId": published.spaces[0]["id"], "path": "start" });
    let first = upsert(json!([
        { "source": "/live", "destination": path, "permanent": true },
        { "source": "/draft", "destination": url, "intent": "draft" },
        { "source": "/loop", "destination": external(&format!("{address}loop")) },
        { "source": "/none", "intent": "publish" },
        { "source": "/none" },
        { "source": "/plain", "destination": url, "captureWildcard": true },
        { "source": "/absent", "destination": null },
        { "source": "/wrong", "destination": { "kind": "site-section", "siteSectionId": "x" } },
        { "source": "/twice", "destination": url },
        { "source": "/twice", "destination": path },
    ]))
    .await;
    let statuses: Vec<_> = first.iter().map(|result| result["status"].as_str().unwrap()).collect();
    let expected = [
        "created", "created", "error", "error", "error", "error", "deleted", "error", "created", "updated",
    ];
    assert_eq!(statuses, expected);
    assert_eq!((&first[1]["draft"], &first[0]["draft"]), (&json!(true), &json!(false)));
    assert_eq!(first[8]["id"], first[9]["id"]);
    assert_eq!(target(&world, site, "/live").await, format!("{address}start"));
    assert_eq!(target(&world, site, "/twice").await, format!("{address}start"));
    for source in ["/draft", "/loop", "/plain", "/wrong"] {
        assert_eq!(status(&world, site, source).await, 404, "{source}");
    }
    // A draft that is published leaves its source to a new draft in the same request.
    let second = upsert(json!([
        { "source": "/draft", "intent": "publish" },
        { "source": "/draft", "destination": url, "intent": "draft" },
        { "source": "/draft", "intent": "publish" },
        { "source": "/live", "destination": url },
        { "source": "/twice", "destination": null },
        { "source": "/draft", "intent": "publish", "destination": url },
    ]))
    .await;
    let statuses: Vec<_> = second.iter().map(|result| result["status"].as_str().unwrap()).collect();
    assert_eq!(
        statuses,
        ["published", "created", "error", "updated", "deleted", "error"]
    );
    assert_eq!(second[0]["id"], first[1]["id"]);
    let found = look_up(&world, &world.read, site, "/live").expect(200).await;
    assert_eq!(
        (&found["redirect"]["id"], &found["redirect"]["permanent"]),
        (&first[0]["id"], &json!(true))
    );
    assert_eq!(target(&world, site, "/draft").await, "https://tidewater.example/");
    assert_eq!(status(&world, site, "/twice").await, 404);
    // As many statements for many entries as for one.
    let mut taken = Vec::new();
    for count in [1, 100] {
        let entry = |number| json!({ "source": format!("/bulk/{count}/{number}"), "destination": path });
        let entries: Vec<Value> = (0..count).map(entry).collect();
        let before = world.app().kernel.db.statements();
        upsert(json!(entries)).await;
        taken.push(world.app().kernel.db.statements() - before);
    }
    assert_eq!(taken[0], taken[1]);
}

async fn a_site_has_a_limited_number_of_redirects(database: TestDatabase) {
    let world = World::new(database).await;
    let site = world.new_site("Manuals", &[]).await;
    let entry = |number: usize| json!({ "source": format!("/{number}"), "destination": external("https://tidewater.example/") });
    for part in 0..4 {
        let entries: Vec<Value> = (0..500).map(|number| entry(part * 500 + number)).collect();
        let call = world.on_site(&world.create, "bulkUpsertSiteRedirects", &site);
        let results = call.json(json!({ "redirects": entries })).expect(200).await;
        assert!(
            results["results"]
                .as_array()
                .unwrap()
                .iter()
                .all(|result| result["status"] == "created")
        );
    }
    let refused = create(&world, &site, entry(2000)).expect(409).await;
    assert_eq!(refused["error"]["type"], "too-many-redirects");
    let call = world.on_site(&world.create, "bulkUpsertSiteRedirects", &site);
    let results = call
        .json(json!({ "redirects": [entry(2000), entry(0)] }))
        .expect(200)
        .await;
    assert_eq!(
        (&results["results"][0]["status"], &results["results"][1]["status"]),
        (&json!("error"), &json!("updated"))
    );
    assert_eq!(target(&world, &site, "/1999").await, "https://tidewater.example/");
}
