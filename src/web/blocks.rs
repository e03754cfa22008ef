//! Blocks of integrations: documents that pages show in frames, so that no page waits for a script.

use entity::ids::NodeId;
use openapi::{
    error::ApiError,
    models::{BlockIntegration, ContentKitRenderOutput, RenderIntegrationUi},
    operations::integration_rendering::IntegrationRenderingApi,
};
use platform::secrets::Secrets;
use poem::{
    Request, Response,
    http::{StatusCode, header},
};
use serde_json::{Value, json};
use url::form_urlencoded;
use validator::Validate;
use web::{Href, MAX_STATE, component, style::STYLE, words};

use super::{
    answer::{self, HTML},
    site::Site,
    tree::{decoded, encoded},
};

use crate::{app::App, areas::integrations::integration_access::RenderedIntegrationAccess, kernel::signatures};

/// The beginning of the paths of the documents.
pub const PATH: &str = "~/blocks/";

/// Bytes of the query. Blocks with more data are links.
const MAX_QUERY: usize = 5_000;

/// The last parameter of the query: nobody but authors says what a block shows, and its script gets no other request.
const SIGNATURE: &str = "&signature=";

/// The purpose of the key that signs.
const KEY: &str = "blocks";

/// The address of the document with a block of a page of a space. `None`: its data is too long for an address.
pub fn href(
    secrets: &Secrets,
    site: &Site,
    (space, language): (NodeId, &str),
    block: &BlockIntegration,
) -> Option<Href> {
    if site.is_static {
        return None;
    }
    let data = &block.data;
    let mut request = json!({
        "componentId": data.block, "props": data.props,
        "context": { "type": "document", "theme": "light", "spaceId": space, "editable": false },
    });
    if let (Some(action), Some(members)) = (&data.action, request.as_object_mut()) {
        members.insert("action".to_owned(), json!(action));
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query
        .append_pair("language", language)
        .append_pair("request", &request.to_string());
    let query = query.finish();
    let name = encoded(&data.integration);
    let signature = signatures::sign(secrets.derive(KEY), &signed(site, &data.integration, &query));
    (query.len() <= MAX_QUERY).then(|| site.href(&format!("{PATH}{name}?{query}{SIGNATURE}{signature}")))
}

/// The text that is signed.
fn signed(site: &Site, integration: &str, query: &str) -> String {
    format!("{}/{integration}?{query}", site.visit.site.id)
}

/// Returns whether the server has made the address.
fn is_signed(secrets: &Secrets, site: &Site, integration: &str) -> bool {
    let parts = site.url.query().and_then(|query| query.rsplit_once(SIGNATURE));
    parts.is_some_and(|(query, signature)| {
        signatures::verify(secrets.derive(KEY), &signed(site, integration, query), signature)
    })
}

/// Answers with the document of a block of an integration. A block that cannot be shown says so.
pub async fn answer(app: &App, request: &Request, site: &Site, name: &str) -> Result<Response, ApiError> {
    let name = decoded(name);
    let asked = asked_for(site).filter(|_| is_signed(&app.kernel.secrets, site, &name));
    let output = match asked {
        Some(body) => render(app, site, &name, body).await,
        None => Err(ApiError::not_found("block")),
    };
    let (status, output) = match output {
        Ok(output) => (StatusCode::OK, Some(output)),
        Err(error) => (error.status(), None),
    };
    let element = output
        .as_ref()
        .and_then(|output| Some((output.get("element")?, output.get("state")?)));
    let styles = [site.href(&format!("~/assets/{}", STYLE.name))];
    let words = words(&parameter(site, "language").unwrap_or_default());
    let computation = app.kernel.work.start(MAX_STATE).await?;
    let made = computation.run(|| component(element, words, &styles));
    let mut response = answer::text(request, status, HTML, made.html);
    let policy = answer::policy("frame-src", &made.frames);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}

fn parameter(site: &Site, name: &str) -> Option<String> {
    let mut pairs = site.url.query_pairs();
    pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
}

/// The block that the address asks for. `None`: it asks for none, or breaks a rule of requests.
fn asked_for(site: &Site) -> Option<RenderIntegrationUi> {
    let text = parameter(site, "request").filter(|text| text.len() <= MAX_QUERY)?;
    let body: RenderIntegrationUi = serde_json::from_str(&text).ok()?;
    body.validate().ok().map(|()| body)
}

async fn render(app: &App, site: &Site, name: &str, body: RenderIntegrationUi) -> Result<Value, ApiError> {
    let caller = site.access().caller;
    let access = RenderedIntegrationAccess::of_visitor(app.kernel.db.read(), caller, site.reader(), name).await?;
    match app.integrations.render_integration_ui_with_post(access, body).await? {
        ContentKitRenderOutput::ContentKitElementOutput(output) => Ok(serde_json::to_value(output)?),
        ContentKitRenderOutput::ContentKitCompleteOutput(_) => Err(ApiError::not_found("block")),
    }
}
