//! The outbox: events are rows written in the transaction of the change, and are delivered by jobs.
//!
//! Each installation, integration and webhook has a queue, whose events are delivered in order. A queue with pending events names
//! the one job that delivers them, so no two processes work on it at once. Nothing happens while queues are empty.

mod add;
mod answered;
mod deliver_job;
mod integration_event;
mod payload;
mod purge_job;
mod remove_job;
mod store;

use entity::integrations::deliveries;
use openapi::models::DeliveryStatus;

pub use self::{
    add::{NewDelivery, Recipient, add, run_now, send_again},
    answered::{AnsweredEvent, record_answered},
    deliver_job::{Attempt, DeliverEvents, Outcome, SendDelivery},
    integration_event::{NewEvent, integration_event},
    payload::{open, seal},
    purge_job::PurgeDeliveries,
    remove_job::{DeletedRecipient, RemoveDeliveries, remove_later},
    store::{count_pending, of_queue},
};

use crate::kernel::wire::wire_enums;

wire_enums! {
    deliveries::DeliveryStatus as DeliveryStatus { Pending, Success, Failed }
}
