//! The tunnel to which the events of an integration in development go instead of its script.

use std::time::Duration;

use bytes::Bytes;
use entity::{ids::OrganizationId, integrations};
use platform::outbound::{FetchError, FetchLimits, IncomingResponse, OnBehalf, Outbound, OutgoingRequest, Oversize};
use poem::http::{HeaderMap, HeaderValue, Method, header};

/// The path at which a script takes its events.
const PATH: &str = "/v1";

/// The largest answer, in bytes: that of a script.
const MAX_ANSWER: usize = 10 * 1024 * 1024;

/// An event as it is sent.
pub struct Form<'a> {
    pub event: &'a str,
    pub environment: &'a str,
    pub body: Option<&'a [u8]>,
}

/// The tunnel that gets the events of an installation on this organization. `None`: the script gets them.
pub fn address(row: &integrations::Model, installed_on: Option<OrganizationId>) -> Option<&str> {
    let is_own = installed_on.is_none_or(|organization| organization == row.organization_id);
    row.tunnel_url.as_deref().filter(|_| row.tunnel_all || is_own)
}

/// Sends an event to the tunnel.
pub async fn send(
    outbound: &Outbound,
    row: &integrations::Model,
    address: &str,
    form: Form<'_>,
    time: Duration,
) -> Result<IncomingResponse, FetchError> {
    let boundary = boundary(&form);
    let mut headers = HeaderMap::new();
    let kind = HeaderValue::try_from(format!("multipart/form-data; boundary={boundary}"));
    headers.insert(header::CONTENT_TYPE, kind.map_err(|_| FetchError::Invalid)?);
    let request = OutgoingRequest {
        method: Method::POST,
        url: format!("{}{PATH}", address.trim_end_matches('/')),
        headers,
        body: form.encode(&boundary),
    };
    let limits = FetchLimits {
        bytes: MAX_ANSWER,
        oversize: Oversize::Refuse,
        time,
        on_behalf: OnBehalf {
            tenant: *row.id.as_uuid(),
            user: Some(*row.organization_id.as_uuid()),
        },
    };
    outbound.send(request, limits).await
}

/// A text that is in none of the parts.
fn boundary(form: &Form<'_>) -> String {
    let is_in = |part: &[u8], text: &str| part.windows(text.len()).any(|window| window == text.as_bytes());
    let parts = [
        form.event.as_bytes(),
        form.environment.as_bytes(),
        form.body.unwrap_or_default(),
    ];
    let mut number = 0_u32;
    loop {
        let text = format!("bindery-event-{number}");
        if !parts.iter().any(|part| is_in(part, &text)) {
            return text;
        }
        number = number.wrapping_add(1);
    }
}

impl Form<'_> {
    /// The form as `multipart/form-data` (RFC 7578).
    fn encode(&self, boundary: &str) -> Bytes {
        let mut text = Vec::new();
        let mut add = |head: &str, part: &[u8]| {
            text.extend_from_slice(
                format!("--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n").as_bytes(),
            );
            text.extend_from_slice(part);
            text.extend_from_slice(b"\r\n");
        };
        add("name=\"event\"", self.event.as_bytes());
        add("name=\"environment\"", self.environment.as_bytes());
        if let Some(body) = self.body {
            let head = "name=\"fetch-body\"; filename=\"fetch-body\"\r\nContent-Type: application/octet-stream";
            add(head, body);
        }
        text.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        Bytes::from(text)
    }
}
