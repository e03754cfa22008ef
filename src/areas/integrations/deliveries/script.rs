//! Events for scripts.

use entity::{
    ids::{IntegrationId, NodeId, SiteId},
    integrations::deliveries::Model,
};
use serde::Deserialize;

use super::{cannot_be_opened, without_response};
use crate::areas::integrations::{
    Integrations,
    outbox::{Attempt, Outcome, open},
    place::Place,
    running::{RunFailure, ScriptEvent, stored_logs},
};

/// The status of a script that has no handler for the event.
const NOT_INTERESTED: u16 = 406;

/// Where an event happened, as its payload says.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EventPlace {
    space_id: Option<NodeId>,
    site_id: Option<SiteId>,
}

impl EventPlace {
    /// The place whose installation gets the event: what happens on a site is for the one there, although it names the space of the page.
    fn installed(self) -> Option<Place> {
        self.site_id.map(Place::Site).or(self.space_id.map(Place::Space))
    }
}

pub async fn send(integrations: &Integrations, integration: IntegrationId, delivery: &Model) -> Attempt {
    let Ok(payload) = open(&integrations.kernel.secrets, delivery) else {
        return cannot_be_opened();
    };
    let place: EventPlace = serde_json::from_str(&payload).unwrap_or_default();
    let event = ScriptEvent {
        integration,
        installation: delivery.installation_id,
        place: place.installed(),
        payload,
        body: None,
    };
    match integrations.run_script(event).await {
        Ok((answer, logs)) => Attempt {
            outcome: outcome(answer.status),
            response_status: Some(answer.status),
            logs: stored_logs(logs),
        },
        Err(RunFailure::Failed { reason, logs }) => Attempt {
            logs: stored_logs(logs),
            ..without_response(Outcome::Failed(reason))
        },
        Err(RunFailure::Gone) => {
            let reason = "The integration or its installation is not active any more.";
            without_response(Outcome::Refused(reason.to_owned()))
        }
    }
}

fn outcome(status: u16) -> Outcome {
    match status {
        200..=299 | NOT_INTERESTED => Outcome::Delivered,
        _ => Outcome::Failed(format!("The script responded with the status {status}.")),
    }
}
