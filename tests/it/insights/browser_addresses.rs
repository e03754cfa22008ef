//! Addresses as browsers have them.

use serde_json::json;

use crate::support::{
    database::{TestDatabase, on_each_database},
    insights::{event, stored},
    published::{Published, find},
    world::World,
};

on_each_database![
    addresses_of_browsers_are_stored,
    addresses_of_browsers_are_taken_elsewhere,
];

async fn addresses_of_browsers_are_stored(database: TestDatabase) {
    let world = World::new(database).await;
    let site = Published::new(&world, &["One"]).await.site;
    let urls = [
        "https://docs.example.com/guide?filter[tag]=pumps",
        "https://docs.example.com/guide?q=a|b",
        "https://docs.example.com/guide?q={name}",
        "https://docs.example.com/guide?discount=50%",
        "https://docs.example.com/guide/[id]",
        "https://docs.example.com/a|b#part^2",
        "https://docs.example.com/guide?path=C:\\pumps",
        "https://docs.example.com/größe",
        "http://localhost:3000/~gitbook/pdf?x=`",
    ];
    let views = urls.map(|url| event("page_view", json!({ "location": { "url": url } })));
    world.track(&world.nobody(), &site, views.to_vec()).await;
    let mut stored: Vec<String> = stored(&world, &site)
        .await
        .iter()
        .map(|event| event["url"].as_str().unwrap().to_owned())
        .collect();
    stored.sort_unstable();
    let mut expected = urls;
    expected.sort_unstable();
    assert_eq!(stored, expected);
}

async fn addresses_of_browsers_are_taken_elsewhere(database: TestDatabase) {
    let world = World::new(database).await;
    let published = Published::new(&world, &["One"]).await;
    let opened = format!("{}start?filter[tag]=a|b&discount=50%#part^2", published.address);
    assert_eq!(find(&world, &opened).await["pathname"], "/start");
    let url = "https://elsewhere.example/größe?q={name}|[x]";
    let create = world.on_site(&world.admin, "createSiteRedirect", &published.site);
    let destination = json!({ "kind": "external", "url": url });
    let redirect = create.json(json!({ "source": "/old", "destination": destination }));
    redirect.expect(201).await;
    let resolve = world.on_site(&world.admin, "getSiteRedirectBySource", &published.site);
    assert_eq!(resolve.query("source", "/old").expect(200).await["target"], url);
}
