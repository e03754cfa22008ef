//! Events of installations: set up, changed, and removed.

use entity::integrations::{
    content_installations,
    installations::{self, InstallationStatus},
};
use openapi::error::ApiError;
use platform::db::Tx;
use serde_json::{Map, Value, json};

use super::configuration::Configuration;
use crate::{
    areas::integrations::{integration_events, outbox::NewEvent, place::Place},
    kernel::{Kernel, wire::ToWire},
};

/// The status and the configuration of an installation.
#[derive(Clone, PartialEq)]
pub struct Setup {
    pub status: InstallationStatus,
    pub configuration: Configuration,
}

/// Records that an installation on an organization was set up. `previous`: what it had before, unless it is new.
pub async fn record_setup(
    tx: &Tx,
    kernel: &Kernel,
    row: &installations::Model,
    previous: Option<&Setup>,
) -> Result<(), ApiError> {
    let members = setup(row.status, previous)?;
    record(tx, kernel, row, ("installation_setup", members)).await
}

/// Records that an integration was uninstalled from an organization.
pub async fn record_deletion(
    tx: &Tx,
    kernel: &Kernel,
    row: &installations::Model,
    configuration: &Configuration,
) -> Result<(), ApiError> {
    record(tx, kernel, row, ("installation_deleted", deletion(configuration))).await
}

/// Records that an installation on a space or a site was set up.
pub async fn record_setup_at_place(
    tx: &Tx,
    kernel: &Kernel,
    installation: &installations::Model,
    row: &content_installations::Model,
    previous: Option<&Setup>,
) -> Result<(), ApiError> {
    let place = Place::of(row);
    let name = match place {
        Place::Space(_) => "space_installation_setup",
        Place::Site(_) => "site_installation_setup",
    };
    let members = at_place(setup(row.status, previous)?, place);
    record(tx, kernel, installation, (name, members)).await
}

/// Records that an integration was removed from a space or a site.
pub async fn record_deletion_at_place(
    tx: &Tx,
    kernel: &Kernel,
    installation: &installations::Model,
    place: Place,
    configuration: &Configuration,
) -> Result<(), ApiError> {
    let name = match place {
        Place::Space(_) => "space_installation_deleted",
        Place::Site(_) => "site_installation_deleted",
    };
    let members = at_place(deletion(configuration), place);
    record(tx, kernel, installation, (name, members)).await
}

type Members = Map<String, Value>;

fn setup(status: InstallationStatus, previous: Option<&Setup>) -> Result<Members, ApiError> {
    let mut members = Members::from_iter([("status".to_owned(), serde_json::to_value(status.to_wire())?)]);
    if let Some(Setup { status, configuration }) = previous {
        let previous = json!({ "status": status.to_wire(), "configuration": configuration });
        members.insert("previous".to_owned(), previous);
    }
    Ok(members)
}

fn deletion(configuration: &Configuration) -> Members {
    let previous = json!({ "configuration": configuration });
    Members::from_iter([("previous".to_owned(), previous)])
}

fn at_place(mut members: Members, place: Place) -> Members {
    let (name, id) = match place {
        Place::Space(space) => ("spaceId", json!(space)),
        Place::Site(site) => ("siteId", json!(site)),
    };
    members.insert(name.to_owned(), id);
    members
}

async fn record(
    tx: &Tx,
    kernel: &Kernel,
    installation: &installations::Model,
    (name, mut members): (&str, Members),
) -> Result<(), ApiError> {
    members.insert("type".to_owned(), json!(name));
    members.insert("installationId".to_owned(), json!(installation.id));
    let event = NewEvent {
        integration: installation.integration_id,
        installation: Some(installation.id),
        payload: Value::Object(members),
        due: kernel.clock.now(),
    };
    Ok(integration_events::record(tx, kernel, event).await?)
}
