//! Published sites, and how visitors ask for and read their content.

use entity::ids::OrganizationId;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    world::World,
};

/// A published site.
pub struct Published {
    pub site: Value,
    pub spaces: Vec<Value>,
    pub address: String,
}

impl Published {
    /// A published site with these spaces, each with one page that says which space it is of.
    pub async fn new(world: &World, titles: &[&str]) -> Self {
        let spaces = spaces(world, titles).await;
        let all: Vec<&Value> = spaces.iter().collect();
        let site = world.new_site("Manuals", &all).await;
        Self::of(world, site, spaces).await
    }

    /// The same with a section for each space.
    pub async fn in_sections(world: &World, titles: &[&str]) -> Self {
        let spaces = spaces(world, titles).await;
        let site = world.new_site("Manuals", &[]).await;
        for space in &spaces {
            let add = world.on_site(&world.admin, "addSectionToSite", &site);
            add.json(json!({ "spaceId": space["id"] })).expect(201).await;
        }
        Self::of(world, site, spaces).await
    }

    async fn of(world: &World, site: Value, spaces: Vec<Value>) -> Self {
        let site = world.on_site(&world.admin, "publishSite", &site).expect(200).await;
        let address = site["urls"]["published"].as_str().unwrap().to_owned();
        Self { site, spaces, address }
    }

    pub async fn set(&self, world: &World, change: Value) {
        let update = world.on_site(&world.admin, "updateSiteById", &self.site);
        update.json(change).expect(200).await;
    }

    /// Shows the site at an address below another domain, whose owner names the organization.
    pub async fn set_proxy(&self, world: &World, proxy: &str) {
        let host = proxy.split('/').next().unwrap();
        prove(world, host, world.organization);
        self.set(world, json!({ "proxy": proxy })).await;
    }

    /// A token for a visitor with these claims, signed with the key of the site.
    pub async fn token(&self, world: &World, mut claims: Value) -> String {
        let auth = world.on_site(&world.admin, "getSitePublishingAuthById", &self.site);
        let key = auth.expect(200).await["privateKey"].as_str().unwrap().to_owned();
        claims["exp"] = json!(now(world) + 60);
        sign(&claims, &key, Algorithm::HS256)
    }
}

async fn spaces(world: &World, titles: &[&str]) -> Vec<Value> {
    let mut spaces = Vec::new();
    for title in titles {
        let text = format!("Of {title}, for <code class=\"expression\">visitor.claims.name ?? 'all'</code>.");
        spaces.push(world.new_space_with_page(title, "Start", &text).await);
    }
    spaces
}

/// The owner of the domain names an organization.
pub fn prove(world: &World, hostname: &str, organization: OrganizationId) {
    let text = format!("organization={organization}");
    world.service.names.set(&format!("_bindery.{hostname}"), &[text]);
}

pub fn sign(claims: &Value, key: &str, algorithm: Algorithm) -> String {
    sign_with(&Header::new(algorithm), claims, key)
}

pub fn sign_with(header: &Header, claims: &Value, key: &str) -> String {
    encode(header, claims, &EncodingKey::from_secret(key.as_bytes())).unwrap()
}

pub fn id(object: &Value) -> &str {
    object["id"].as_str().unwrap()
}

pub fn now(world: &World) -> i64 {
    world.app().kernel.clock.now().to_utc().timestamp()
}

/// Anybody may ask.
pub fn resolve<'a>(world: &'a World, url: &str, visitor: Value) -> Call<'a> {
    let call = world.stranger.client.call("resolvePublishedContentByUrl");
    call.json(json!({ "url": url, "visitor": visitor }))
}

pub async fn find(world: &World, url: &str) -> Value {
    resolve(world, url, json!({})).expect(200).await
}

pub fn visitor(world: &World, found: &Value) -> Client {
    let client = world.nobody();
    client.with_token(found["apiToken"].as_str().unwrap()).named("visitor")
}

/// The text of the page at the address, as the visitor reads it.
pub fn read<'a>(visitor: &'a Client, found: &Value) -> Call<'a> {
    let call = match found["revision"].as_str() {
        Some(revision) => visitor.call("getPageInRevisionByPath").path("revisionId", revision),
        None => visitor.call("getPageByPath"),
    };
    let call = call.path("spaceId", found["space"].as_str().unwrap());
    let call = call.path("pagePath", "start").query("format", "markdown");
    call.query("evaluated", "true")
}
