//! Integrations whose scripts run, and requests at their endpoints.

use std::collections::HashMap;

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use super::{
    client::Call,
    published::{Published, id},
    world::World,
};

const SCRIPT: &str = include_str!("scripts.js");

/// An integration that is installed on the first organization, its space, and a site.
pub struct Scripted {
    pub name: String,
    pub installation: String,
    pub published: Published,
}

/// Publishes an integration of the first organization, or its next version, with these members in its manifest.
pub async fn publish(world: &World, name: &str, members: Value) {
    let mut manifest = json!({
        "runtime": "v2",
        "title": "Tide gauge",
        "description": "Answers what the tests ask.",
        "visibility": "private",
        "scopes": ["space:metadata:read", "site:visitor:auth", "site:script:inject"],
        "secrets": { "GAUGE_KEY": "tide-3417" },
        "script": SCRIPT,
        "organization": world.organization.to_string(),
    });
    let members = members.as_object().unwrap().clone();
    manifest.as_object_mut().unwrap().extend(members);
    let call = world.admin.client.call("publishIntegration");
    call.path("integrationName", name).json(manifest).expect(200).await;
}

impl Scripted {
    pub async fn new(world: &World, name: &str, members: Value) -> Self {
        publish(world, name, members).await;
        let admin = &world.admin.client;
        let install = admin.call("installIntegration").path("integrationName", name);
        let install = install.json(json!({ "organization": world.organization }));
        let scripted = Self {
            name: name.to_owned(),
            installation: id(&install.expect(201).await).to_owned(),
            published: Published::new(world, &["One"]).await,
        };
        scripted
            .install_on(world, "installIntegrationOnSpace", json!({ "space": world.space }))
            .await;
        let site = id(&scripted.published.site).to_owned();
        scripted
            .install_on(world, "installIntegrationOnSite", json!({ "siteId": site }))
            .await;
        let space = scripted.published.spaces[0]["id"].clone();
        scripted
            .install_on(world, "installIntegrationOnSpace", json!({ "space": space }))
            .await;
        scripted
    }

    async fn install_on(&self, world: &World, operation: &str, body: Value) {
        let call = world.admin.client.call(operation).path("integrationName", &self.name);
        call.path("installationId", &self.installation)
            .json(body)
            .expect(201)
            .await;
    }

    /// The path of the endpoint of the integration.
    pub fn endpoint(&self) -> String {
        format!("/integrations/{}", self.name)
    }

    pub fn of_installation(&self) -> String {
        format!("{}/installations/{}", self.endpoint(), self.installation)
    }

    pub fn on_space(&self, world: &World) -> String {
        format!("{}/spaces/{}", self.of_installation(), world.space)
    }

    pub fn on_site(&self) -> String {
        format!("{}/sites/{}", self.of_installation(), id(&self.published.site))
    }

    /// A call that asks for a component.
    pub fn render<'a>(&self, call: Call<'a>, component: &str, context: Value) -> Call<'a> {
        call.path("integrationName", &self.name)
            .json(request(component, context))
    }
}

/// A request for a component.
pub fn request(component: &str, context: Value) -> Value {
    json!({ "componentId": component, "props": { "harbor": "north" }, "context": context })
}

/// A block in a page of a space.
pub fn in_page(space: impl ToString) -> Value {
    json!({ "type": "document", "theme": "light", "spaceId": space.to_string(), "editable": true })
}

/// A request without a token.
pub fn ask(world: &World, method: Method, path: &str) -> RequestBuilder {
    world.nobody().request(method, path)
}

pub async fn get(world: &World, path: &str) -> Response {
    ask(world, Method::GET, path).send().await.unwrap()
}

/// The body of an answer, as JSON.
pub async fn told(world: &World, path: &str) -> Value {
    let response = get(world, path).await;
    assert_eq!(response.status(), 200, "{path}");
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// The values of a header.
pub fn headers<'a>(response: &'a Response, name: &str) -> Vec<&'a str> {
    let values = response.headers().get_all(name).iter();
    values.map(|value| value.to_str().unwrap()).collect()
}

/// Compresses a text of ASCII characters as LZ-string does if it never finds a repetition: one code for each character.
pub fn compress(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    let mut bits: Vec<bool> = Vec::new();
    let write =
        |bits: &mut Vec<bool>, value: usize, width: u32| bits.extend((0..width).map(|place| value >> place & 1 == 1));
    let (mut width, mut room, mut entries) = (2, 1_usize, 3_usize);
    let mut known = HashMap::new();
    let mut is_first = true;
    let note = |width: &mut u32, room: &mut usize| {
        *room -= 1;
        if *room == 0 {
            *room = 1 << *width;
            *width += 1;
        }
    };
    for byte in text.bytes() {
        match known.get(&byte) {
            Some(code) => write(&mut bits, *code, width),
            None => {
                write(&mut bits, 0, width);
                write(&mut bits, byte.into(), 8);
                known.insert(byte, entries);
                entries += 1;
                note(&mut width, &mut room);
            }
        }
        if !is_first {
            entries += 1;
            note(&mut width, &mut room);
        }
        is_first = false;
    }
    write(&mut bits, 2, width);
    let value = |six: &[bool]| {
        (0..6).fold(0, |value, place| {
            value << 1 | usize::from(six.get(place) == Some(&true))
        })
    };
    bits.chunks(6).map(|six| char::from(ALPHABET[value(six)])).collect()
}
