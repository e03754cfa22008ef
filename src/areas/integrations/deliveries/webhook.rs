//! Requests to webhooks, in the form of Standard Webhooks.

use std::time::Duration;

use bytes::Bytes;
use entity::{
    ids::WebhookId,
    integrations::{deliveries::Model, webhooks},
};
use platform::outbound::{FetchError, FetchLimits, IncomingResponse, OnBehalf, OutgoingRequest, Oversize};
use poem::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use sea_orm::EntityTrait;

use super::{cannot_be_opened, without_response};
use crate::{
    areas::integrations::{
        outbox::{Attempt, Outcome, open},
        webhooks::sign,
    },
    kernel::Kernel,
};

/// The time to the response, including the wait for other requests on behalf of the organization.
const TIME_LIMIT: Duration = Duration::from_secs(20);

pub async fn send(kernel: &Kernel, webhook: WebhookId, delivery: &Model) -> Attempt {
    // Read for each event: what has just changed counts.
    let found = webhooks::Entity::find_by_id(webhook).one(kernel.db.read()).await;
    let webhook = match found {
        Ok(Some(webhook)) if webhook.enabled => webhook,
        Ok(_) => return without_response(Outcome::Refused("The webhook is disabled.".to_owned())),
        Err(error) => {
            tracing::warn!(%error, "a webhook cannot be read");
            return without_response(Outcome::Failed("The webhook could not be read.".to_owned()));
        }
    };
    let Ok(payload) = open(&kernel.secrets, delivery) else {
        return cannot_be_opened();
    };
    let Some(headers) = headers(kernel, &webhook, delivery, &payload) else {
        let failure = "The secret cannot be opened with the secret key of this server. Replace the secret.";
        return without_response(Outcome::Failed(failure.to_owned()));
    };
    let request = OutgoingRequest {
        method: Method::POST,
        url: webhook.url,
        headers,
        body: Bytes::from(payload),
    };
    let limits = FetchLimits {
        // Nothing of the response but its status counts.
        bytes: 0,
        oversize: Oversize::Cut,
        time: TIME_LIMIT,
        on_behalf: OnBehalf {
            tenant: *webhook.organization_id.as_uuid(),
            user: None,
        },
    };
    attempt(kernel.outbound.send(request, limits).await)
}

/// `None`: the secret cannot be opened.
fn headers(kernel: &Kernel, webhook: &webhooks::Model, delivery: &Model, payload: &str) -> Option<HeaderMap> {
    let now = kernel.clock.now();
    let (id, timestamp) = (delivery.id.to_string(), now.to_utc().timestamp().to_string());
    let message = format!("{id}.{timestamp}.{payload}");
    let signatures = sign(kernel, webhook, &message, now).ok()?;
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("webhook-id", HeaderValue::from_str(&id).ok()?);
    headers.insert("webhook-timestamp", HeaderValue::from_str(&timestamp).ok()?);
    headers.insert("webhook-signature", HeaderValue::from_str(&signatures).ok()?);
    Some(headers)
}

fn attempt(sent: Result<IncomingResponse, FetchError>) -> Attempt {
    match sent {
        Ok(response) => Attempt {
            outcome: outcome(response.status),
            response_status: Some(response.status.as_u16()),
            logs: None,
        },
        Err(error) => without_response(Outcome::Failed(format!("The address {error}."))),
    }
}

fn outcome(status: StatusCode) -> Outcome {
    let failure = || format!("The address responded with the status {}.", status.as_u16());
    match status {
        // The receiver wants no further requests (Standard Webhooks).
        StatusCode::GONE => Outcome::Gone(failure()),
        status if status.is_success() => Outcome::Delivered,
        _ => Outcome::Failed(failure()),
    }
}
