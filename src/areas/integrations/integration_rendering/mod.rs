//! Components that the scripts of integrations render, such as blocks in pages.

mod lz_string;
mod output;
mod subject;

use entity::ids::DeliveryId;
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ContentKitContext, ContentKitRenderOutput, RenderIntegrationUi},
    operations::integration_rendering::{IntegrationRenderingApi, RenderIntegrationUiWithGetQuery},
};
use platform::request_context::RequestContext;
use serde_json::{Map, Value, json};
use validator::Validate;

use self::subject::Subject;

use crate::areas::integrations::{
    Integrations,
    endpoints::failed,
    integration_access::RenderedIntegrationAccess,
    place::Place,
    running::{ScriptAnswer, ScriptEvent},
};

/// The longest request, in UTF-16 code units.
const MAX_REQUEST: usize = 256 * 1024;

impl IntegrationRenderingApi for Integrations {
    async fn render_integration_ui_with_get(
        &self,
        access: RenderedIntegrationAccess,
        query: RenderIntegrationUiWithGetQuery,
    ) -> Result<ContentKitRenderOutput, ApiError> {
        let request = decompress(&query.request)?;
        render(self, access, request).await
    }

    async fn render_integration_ui_with_post(
        &self,
        access: RenderedIntegrationAccess,
        body: RenderIntegrationUi,
    ) -> Result<ContentKitRenderOutput, ApiError> {
        render(self, access, body).await
    }
}

/// A request in the query, which keeps the same rules as one in the body.
fn decompress(compressed: &str) -> Result<RenderIntegrationUi, ApiError> {
    let refused = |message: String| ApiError::invalid_member("/query/request", ErrorRule::LzString, message);
    let text = lz_string::decompress(compressed, MAX_REQUEST);
    let text = text.ok_or_else(|| refused("The text is not compressed by LZ-string.".to_owned()))?;
    let request: RenderIntegrationUi = serde_json::from_str(&text)
        .map_err(|error| refused(format!("The text is not the JSON of a request: {error}.")))?;
    request
        .validate()
        .map_err(|_| refused("The request breaks a rule of the body of `renderIntegrationUIWithPost`.".to_owned()))?;
    Ok(request)
}

async fn render(
    integrations: &Integrations,
    access: RenderedIntegrationAccess,
    request: RenderIntegrationUi,
) -> Result<ContentKitRenderOutput, ApiError> {
    let RenderIntegrationUi {
        component_id,
        props,
        state,
        mut context,
        action,
    } = request;
    let subject = Subject::find(integrations, &access, &context).await?;
    if let ContentKitContext::ContentKitDocumentContext(document) = &mut context {
        document.editable &= subject.may_edit;
    }
    let id: DeliveryId = integrations.kernel.ids.next();
    let mut payload = Map::new();
    let mut add = |name: &str, value: Value| drop(payload.insert(name.to_owned(), value));
    add("type", json!("ui_render"));
    add("eventId", json!(id));
    add("installationId", json!(subject.installation));
    match subject.place {
        Some(Place::Space(space)) => add("spaceId", json!(space)),
        Some(Place::Site(site)) => add("siteId", json!(site)),
        None => {}
    }
    // Nobody knows who a visitor is.
    if access.site.is_none() {
        add("auth", json!({ "userId": access.caller.user_id }));
    }
    add("componentId", json!(component_id));
    add("props", serde_json::to_value(props)?);
    if let Some(state) = state {
        add("state", serde_json::to_value(state)?);
    }
    add("context", serde_json::to_value(context)?);
    if let Some(action) = action {
        add("action", serde_json::to_value(action)?);
    }
    let event = ScriptEvent {
        integration: access.row.id,
        installation: Some(subject.installation),
        place: subject.place,
        payload: Value::Object(payload).to_string(),
        body: None,
    };
    let read = |answer: ScriptAnswer| -> Result<_, String> { Ok((output::read(&answer)?, output::max_age(&answer))) };
    let rendered = integrations.ask_script(event, read).await;
    let (rendered, max_age) = rendered.map_err(|failure| failed(&access.row, failure))?;
    if let Some(seconds) = max_age {
        RequestContext::with_current(|context| context.set_max_age(seconds));
    }
    Ok(rendered)
}
