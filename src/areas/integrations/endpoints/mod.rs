//! Public endpoints of integrations: requests of anybody, answered by scripts.

mod address;
mod cookies;
mod headers;

use std::collections::BTreeMap;

use bytes::Bytes;
use entity::{ids::DeliveryId, integrations::Model};
use openapi::error::{ApiError, ErrorType};
use poem::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use url::form_urlencoded;

use self::address::EndpointAddress;
pub use self::address::PREFIX;

use crate::{
    areas::integrations::{
        Integrations, integration_access,
        place::Place,
        running::{RunFailure, ScriptAnswer, ScriptEvent},
    },
    kernel::urls::VISITOR_AUTH_PATH,
};

/// The path of the published script of a site, below the endpoint of its installation.
pub const SCRIPT: &str = "/script.js";

/// The query parameters of this path that are members of the event.
const LOCATION: &str = "location";
const ACTION: &str = "action";

/// A request at an endpoint.
pub struct EndpointRequest<'a> {
    /// In lower case.
    pub method: &'static str,
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub headers: &'a HeaderMap,
    /// `None`: the method has none.
    pub body: Option<Bytes>,
}

/// An answer of a script for the caller.
pub struct EndpointAnswer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Integrations {
    /// Lets the script of an integration answer a request.
    pub async fn answer_endpoint(&self, request: EndpointRequest<'_>) -> Result<EndpointAnswer, ApiError> {
        let address = EndpointAddress::parse(request.path);
        let address = address.ok_or_else(|| ApiError::not_found("integration"))?;
        let integration = integration_access::find_by_name(self.kernel.db.read(), address.integration).await?;
        let integration = integration.ok_or_else(|| ApiError::not_found("integration"))?;
        let path = self.kernel.urls.public_path(address.endpoint);
        let event = ScriptEvent {
            integration: integration.id,
            installation: address.installation,
            place: address.place,
            payload: self.payload(&address, &request).to_string(),
            body: request.body,
        };
        let answer = self.ask_script(event, Ok).await;
        let ScriptAnswer { status, headers, body } = answer.map_err(|failure| failed(&integration, failure))?;
        let status = StatusCode::from_u16(status).map_err(ApiError::internal)?;
        Ok(EndpointAnswer {
            status,
            headers: headers::of_answer(&headers, &path, &integration.manifest)?,
            body,
        })
    }

    /// The event of a request.
    fn payload(&self, address: &EndpointAddress<'_>, request: &EndpointRequest<'_>) -> Value {
        let id: DeliveryId = self.kernel.ids.next();
        let sent = headers::of_request(request.headers);
        let mut payload = match (address.place, address.rest, request.method) {
            (Some(Place::Site(_)), SCRIPT, "get") => json!({ "type": "fetch_published_script" }),
            (Some(Place::Site(_)), VISITOR_AUTH_PATH, "get") => {
                visitor_authentication(request.query, sent.get(headers::COOKIE))
            }
            _ => {
                let query = request.query.map_or_else(String::new, |query| format!("?{query}"));
                let url = format!("{}{}{query}", self.kernel.urls.base(), request.path);
                json!({
                    "type": "fetch",
                    "request": { "method": request.method, "url": url, "headers": sent },
                })
            }
        };
        if let Some(members) = payload.as_object_mut() {
            members.insert("eventId".to_owned(), json!(id));
            let installation = address.installation.map(|id| ("installationId", json!(id)));
            let space = address.place.and_then(Place::space).map(|id| ("spaceId", json!(id)));
            let site = address.place.and_then(Place::site).map(|id| ("siteId", json!(id)));
            let ids = [installation, space, site].into_iter().flatten();
            members.extend(ids.map(|(name, id)| (name.to_owned(), id)));
        }
        payload
    }
}

/// The event of a visitor who signs in or out.
fn visitor_authentication(query: Option<&str>, sent: Option<&String>) -> Value {
    let query = query.unwrap_or_default();
    let mut parameters: BTreeMap<_, _> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let (location, action) = (parameters.remove(LOCATION), parameters.remove(ACTION));
    let cookies: BTreeMap<_, _> = cookies::parse(sent.map_or("", String::as_str)).collect();
    let mut payload = json!({
        "type": "fetch_visitor_authentication",
        "searchParams": parameters,
        "cookies": cookies,
    });
    if let Some(members) = payload.as_object_mut() {
        members.extend(location.map(|location| (LOCATION.to_owned(), json!(location))));
        let logout = action.filter(|action| action == "logout");
        members.extend(logout.map(|action| (ACTION.to_owned(), json!(action))));
    }
    payload
}

/// The error for a caller who waits for a script. What the script says of it is for its author and for the operator.
pub fn failed(integration: &Model, failure: RunFailure) -> ApiError {
    match failure {
        RunFailure::Gone => ApiError::not_found("installation"),
        RunFailure::Failed { reason, .. } => {
            tracing::warn!(
                integration = integration.name,
                reason,
                "a script of an integration failed"
            );
            ApiError::new(
                ErrorType::IntegrationFailed,
                "The integration did not answer. The log of the server has the reason with the request id.",
            )
        }
    }
}
