//! Redirects of sites.

use serde_json::{Value, json};

use super::{
    client::Call,
    world::{Person, World},
};

pub fn create<'a>(world: &'a World, site: &Value, body: Value) -> Call<'a> {
    world.on_site(&world.create, "createSiteRedirect", site).json(body)
}

pub fn external(url: &str) -> Value {
    json!({ "kind": "external", "url": url })
}

pub fn look_up<'a>(world: &World, person: &'a Person, site: &Value, source: &str) -> Call<'a> {
    world
        .on_site(person, "getSiteRedirectBySource", site)
        .query("source", source)
}

pub async fn target(world: &World, site: &Value, source: &str) -> String {
    let found = look_up(world, &world.read, site, source).expect(200).await;
    found["target"].as_str().unwrap().to_owned()
}

pub async fn status(world: &World, site: &Value, source: &str) -> u16 {
    look_up(world, &world.read, site, source).send().await.status
}
