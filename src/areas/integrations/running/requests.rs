//! Requests of scripts: to this server without leaving the process, and to others by the outgoing client.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use entity::ids::{IntegrationId, OrganizationId};
use platform::outbound::{FetchLimits, IncomingResponse, OnBehalf, Outbound, OutgoingRequest, Oversize};
use poem::http::{HeaderMap, HeaderName, HeaderValue, Method};
use scripts::{Fetch, FetchFuture, FetchRequest, FetchResponse};
use url::Url;

use super::own_service::OwnService;

use crate::kernel::urls::Urls;

/// The time of one request, with the wait for its turn.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// Headers that the client sets itself, and those of a single connection.
const OF_CONNECTION: [&str; 9] = [
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "proxy-authorization",
];

/// Makes the requests of one integration.
pub struct ScriptRequests {
    pub urls: Arc<Urls>,
    pub outbound: Arc<Outbound>,
    pub own_service: OwnService,
    pub integration: IntegrationId,
    /// The organization that owns the integration.
    pub owner: OrganizationId,
}

impl Fetch for ScriptRequests {
    fn fetch(&self, request: FetchRequest, max_body: usize) -> FetchFuture<'_> {
        Box::pin(self.answer(request, max_body))
    }
}

impl ScriptRequests {
    async fn answer(&self, request: FetchRequest, max_body: usize) -> Result<FetchResponse, String> {
        let request = outgoing(request)?;
        let url = Url::parse(&request.url).map_err(|_| "The URL is not valid.")?;
        let response = match own_path(&self.urls, url) {
            Some(path) => {
                self.own_service
                    .call(self.integration, &path, request, max_body)
                    .await?
            }
            None => self.send(request, max_body).await?,
        };
        Ok(incoming(response))
    }

    async fn send(&self, request: OutgoingRequest, max_body: usize) -> Result<IncomingResponse, String> {
        let limits = FetchLimits {
            bytes: max_body,
            oversize: Oversize::Refuse,
            time: TIME_LIMIT,
            // All integrations of an owner share what one user may have.
            on_behalf: OnBehalf {
                tenant: *self.integration.as_uuid(),
                user: Some(*self.owner.as_uuid()),
            },
        };
        let url = request.url.clone();
        let response = self.outbound.send(request, limits).await;
        response.map_err(|error| format!("{url} {error}."))
    }
}

/// The path and the query of an address of this server. `None`: the address is another one.
pub fn own_path(urls: &Urls, mut url: Url) -> Option<String> {
    url.set_fragment(None);
    let rest = urls
        .is_own(url.as_str())
        .then(|| url.as_str().strip_prefix(urls.base()))??;
    Some(match rest.starts_with('/') {
        true => rest.to_owned(),
        false => format!("/{rest}"),
    })
}

fn outgoing(request: FetchRequest) -> Result<OutgoingRequest, String> {
    let FetchRequest {
        method,
        url,
        headers: sent,
        body,
    } = request;
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| "The method is not valid.")?;
    if matches!(method, Method::CONNECT | Method::TRACE) {
        return Err(format!("The method {method} is not allowed."));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in sent {
        let name = HeaderName::try_from(&name).map_err(|_| format!("The header name {name} is not valid."))?;
        let value = header_value(&value).ok_or_else(|| format!("The value of the header {name} is not valid."))?;
        if !OF_CONNECTION.contains(&name.as_str()) {
            headers.append(name, value);
        }
    }
    Ok(OutgoingRequest {
        method,
        url,
        headers,
        body: Bytes::from(body),
    })
}

/// A header as scripts see it: each character is a byte.
pub fn header_value(text: &str) -> Option<HeaderValue> {
    let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
    HeaderValue::from_bytes(&bytes.ok()?).ok()
}

/// The text of a header for a script.
pub fn header_text(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

fn incoming(response: IncomingResponse) -> FetchResponse {
    let headers = response.headers.iter();
    FetchResponse {
        status: response.status.as_u16(),
        headers: headers
            .map(|(name, value)| (name.as_str().to_owned(), header_text(value)))
            .collect(),
        body: response.body.to_vec(),
    }
}
