//! The outbox: events are rows written in the transaction of the change, and are delivered by jobs.
//!
//! Each installation, integration and webhook has a queue, whose events are delivered in order; an event that has failed twice is overtaken.
//! What visitors do is in another queue of the installation, without order. A queue with pending events names the one job that delivers
//! them, so no two processes work on it at once. Nothing happens while queues are empty.

mod add;
mod answered;
mod deliver_job;
mod integration_event;
mod payload;
mod purge_job;
mod recipient;
mod remove_job;
mod store;

use entity::integrations::deliveries;
use openapi::models::DeliveryStatus;

pub use self::{
    add::{NewDelivery, add, add_sealed, run_now, sealed, send_again},
    answered::{AnsweredEvent, record_answered},
    deliver_job::{Attempt, DeliverEvents, DeliverToSlow, Outcome, SendDelivery},
    integration_event::{NewEvent, integration_event},
    payload::{open, seal},
    purge_job::PurgeDeliveries,
    recipient::Recipient,
    remove_job::{DeletedRecipient, RemoveDeliveries, remove_later},
    store::{count_pending, of_queue, tried, waiting},
};

use crate::kernel::wire::wire_enums;

wire_enums! {
    deliveries::DeliveryStatus as DeliveryStatus { Pending, Success, Failed }
}
