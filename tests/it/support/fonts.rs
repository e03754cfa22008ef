//! Fonts of organizations.

use entity::ids::OrganizationId;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use url::Url;

use super::world::{Person, World};

/// The bytes of fonts as far as the server looks at them.
pub const WOFF2: &[u8] = b"wOF2 and glyphs";
pub const WOFF: &[u8] = b"wOFF and glyphs";

/// Asks for the address of an upload of so many bytes.
pub async fn begin(person: &Person, organization: OrganizationId, size: usize) -> Value {
    begin_file(person, organization, ("tide.woff2", "customization_font"), size).await
}

/// Asks for the address of an upload of a file, by its name and kind.
pub async fn begin_file(
    person: &Person,
    organization: OrganizationId,
    (name, kind): (&str, &str),
    size: usize,
) -> Value {
    let file = json!({ "name": name, "type": "application/octet-stream", "size": size });
    let call = person.client.call("generateStorageUploadURL").within(organization);
    call.json(json!({ "file": file, "kind": kind })).expect(201).await
}

/// Uploads a file for an import, and returns its key.
pub async fn upload_import(person: &Person, organization: OrganizationId, name: &str, bytes: &[u8]) -> Value {
    let upload = begin_file(person, organization, (name, "import_file"), bytes.len()).await;
    assert_eq!(send(person, &upload["url"], bytes).await.status(), 204);
    upload["key"].clone()
}

/// Sends bytes to the address of an upload.
pub async fn send(person: &Person, url: &Value, bytes: &[u8]) -> Response {
    let path = Url::parse(url.as_str().unwrap()).unwrap().path().to_owned();
    let put = person.client.request(Method::PUT, &path);
    put.body(bytes.to_vec()).send().await.unwrap()
}

/// Uploads a file, and returns its key.
pub async fn upload(person: &Person, organization: OrganizationId, bytes: &[u8]) -> String {
    let upload = begin(person, organization, bytes.len()).await;
    assert_eq!(send(person, &upload["url"], bytes).await.status(), 204);
    upload["key"].as_str().unwrap().to_owned()
}

/// A new font with one file.
pub async fn create(person: &Person, organization: OrganizationId, family: &str) -> Value {
    let key = upload(person, organization, WOFF2).await;
    let call = person.client.call("createCustomFont").within(organization);
    let faces = json!([{ "weight": 400, "storageKey": key }]);
    let body = json!({ "fontFamily": family, "fontFaces": faces });
    call.json(body).expect(201).await
}

/// The font as the customization of a site takes it.
pub fn chosen(font: &Value) -> Value {
    let mut font = font.clone();
    font.as_object_mut().unwrap().remove("permissions");
    font
}

impl World {
    /// Uploads a file, and returns its key.
    pub async fn upload_font(&self, bytes: &[u8]) -> String {
        upload(&self.create, self.organization, bytes).await
    }

    /// A new font of the organization with one file.
    pub async fn new_font(&self, family: &str) -> Value {
        create(&self.create, self.organization, family).await
    }
}
