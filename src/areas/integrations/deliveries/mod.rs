//! Sending events: to scripts and to webhooks.

mod script;
mod webhook;

use entity::integrations::{deliveries::Model, delivery_queues};
use futures_util::future::{BoxFuture, FutureExt};

use super::outbox::{Attempt, Outcome, SendDelivery};
use crate::areas::integrations::Integrations;

impl SendDelivery for Integrations {
    fn send<'a>(&'a self, queue: &'a delivery_queues::Model, delivery: &'a Model) -> BoxFuture<'a, Attempt> {
        async move {
            match (queue.webhook_id, delivery.integration_id) {
                (Some(webhook), _) => webhook::send(&self.kernel, webhook, delivery).await,
                (None, Some(integration)) => script::send(self, integration, delivery).await,
                (None, None) => without_response(Outcome::Refused("The event has no receiver.".to_owned())),
            }
        }
        .boxed()
    }
}

/// The secret key of the server has changed since the event.
fn cannot_be_opened() -> Attempt {
    let failure = "The event cannot be opened with the secret key of this server.";
    without_response(Outcome::Failed(failure.to_owned()))
}

fn without_response(outcome: Outcome) -> Attempt {
    Attempt {
        outcome,
        response_status: None,
        logs: None,
    }
}
