//! Pulls from sources that fail, differ, and are interrupted.

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    pull::{Fault, Proxy, Target, row, written},
    world::World,
};

on_each_database![a_source_that_fails_and_differs_is_copied, a_pull_that_is_killed_goes_on,];

/// Titles and pages of all spaces, and the number of everything that a kill could make twice.
async fn outline(target: &Target) -> Value {
    let organization = target.organization().await;
    let spaces = target.get(&format!("orgs/{organization}/spaces?limit=100")).await;
    let mut outlines = Vec::new();
    for space in spaces["items"].as_array().unwrap() {
        let id = space["id"].as_str().unwrap();
        let pages = target.get(&format!("spaces/{id}/content/pages")).await;
        let comments = target.get(&format!("spaces/{id}/comments?format=markdown")).await;
        let pages = crate::support::import::outline(&pages["pages"]);
        outlines.push(json!([
            space["title"],
            pages,
            comments["items"].as_array().unwrap().len()
        ]));
    }
    outlines.sort_by_key(Value::to_string);
    let mut counts = Vec::new();
    for list in ["members", "teams", "collections", "sites"] {
        let all = target.get(&format!("orgs/{organization}/{list}?limit=100")).await;
        counts.push(all["items"].as_array().unwrap().len());
    }
    json!([outlines, counts])
}

async fn a_source_that_fails_and_differs_is_copied(database: TestDatabase) {
    let world = World::new(TestDatabase::new(database.backend())).await;
    let plain = Target::new(TestDatabase::new(database.backend())).await;
    let proxy = Proxy::before(&world).await;
    Box::pin(plain.pulled(&proxy, &world, &[])).await;

    let strange = Proxy::before(&world).await;
    strange.is_strange();
    let faults = [
        Fault::Status(429, Some("0")),
        Fault::Status(503, Some("Sat, 21 Nov 2020 12:00:00 GMT")),
        Fault::Status(502, None),
        Fault::Cut,
    ];
    strange.fail(faults.into_iter().cycle().take(12));
    let target = Target::new(database).await;
    let report = Box::pin(target.pulled(&strange, &world, &[])).await;
    assert_eq!(outline(&target).await, outline(&plain).await, "{report}");
    let report = Box::pin(target.pulled(&strange, &world, &[])).await;
    assert_eq!(written(&report), 0, "{report}");

    // Nothing that can be waited for: the pull ends, and says what it did.
    strange.fail([Fault::Status(429, Some("0")); 31]);
    let output = target.pull(&strange, &world, &[]).await;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && error.contains("the pull goes on then"),
        "{error}"
    );
}

async fn a_pull_that_is_killed_goes_on(database: TestDatabase) {
    let world = World::new(TestDatabase::new(database.backend())).await;
    let proxy = Proxy::before(&world).await;
    let whole = Target::new(TestDatabase::new(database.backend())).await;
    let report = Box::pin(whole.pulled(&proxy, &world, &[])).await;
    let members = row(&report, "member");
    let requests = proxy.asked().len();

    let target = Target::new(database).await;
    for part in 1..4 {
        proxy.stop_after(Some(requests * part / 4));
        let mut child = target.start(&proxy, &world);
        proxy.stuck().await;
        child.kill().unwrap();
        child.wait().unwrap();
    }
    proxy.stop_after(None);
    let report = Box::pin(target.pulled(&proxy, &world, &[])).await;
    assert_eq!(row(&report, "member"), [0, 0, members[0], 0], "{report}");
    assert_eq!(outline(&target).await, outline(&whole).await, "{report}");
}
