//! Installing on single spaces and sites, changing such installations, and uninstalling.

use entity::integrations::{
    self,
    content_installations::Model,
    installations::{self, InstallationSelection},
};
use openapi::{error::ApiError, models::UpdateIntegrationContentInstallation};
use platform::db::Tx;
use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel};
use serde_json::json;

use super::{
    configuration::{self, Configuration, Form},
    events::{self, Setup},
    store,
    write::{not_allowed_on, reload, status},
};
use crate::{
    areas::integrations::{
        installation_access::{DeletablePlaceInstallationAccess, PlaceInstallationAccess, unknown},
        place::Place,
    },
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        wire::ToWire,
    },
};

/// The installation on a space or a site: its row, or one with the defaults of the configuration where all are selected. `None`: it is not
/// installed there.
pub async fn find(
    db: &impl ConnectionTrait,
    kernel: &Kernel,
    integration: &integrations::Model,
    installation: &installations::Model,
    place: Place,
) -> Result<Option<Model>, ApiError> {
    if let Some(row) = store::find_at(db, installation.id, place).await? {
        return Ok(Some(row));
    }
    let kind = place.kind();
    let is_on_all =
        kind.selection(installation) == InstallationSelection::All && kind.is_allowed_by(integration.target);
    match is_on_all {
        true => Ok(Some(new_row(kernel, integration, installation, place)?)),
        false => Ok(None),
    }
}

/// A row with the defaults of the configuration.
pub fn new_row(
    kernel: &Kernel,
    integration: &integrations::Model,
    installation: &installations::Model,
    place: Place,
) -> Result<Model, ApiError> {
    let form = Form::of_place(integration, place.kind())?;
    let configuration = form.complete(Configuration::new());
    let (id, now) = (place.installation_id(installation.id), kernel.clock.now());
    Ok(Model {
        id,
        installation_id: installation.id,
        integration_id: installation.integration_id,
        space_id: place.space(),
        site_id: place.site(),
        status: status(form.is_complete(&configuration)),
        configuration: configuration::seal_at_place(kernel, id, &configuration)?,
        external_ids: json!([]),
        created_at: now,
        updated_at: now,
    })
}

/// Installs on a space or a site that the member at `pointer` of the request names.
pub async fn install(
    kernel: &Kernel,
    access: PlaceInstallationAccess,
    pointer: &'static str,
) -> Result<Model, ApiError> {
    let PlaceInstallationAccess {
        caller,
        integration,
        installation,
        place,
    } = access;
    let own_kernel = kernel.clone();
    let work = move |tx: Tx| async move {
        let kernel = own_kernel;
        let integration = reload(&tx, &integration).await?;
        let installation = store::lock(&tx, installation.id).await?;
        if !place.kind().is_allowed_by(integration.target) {
            return Err(not_allowed_on(place.kind(), pointer));
        }
        store::require_place(&tx, installation.organization_id, place).await?;
        if let Some(row) = store::find_at(&tx, installation.id, place).await? {
            return Ok(Changed::nothing(row));
        }
        let row = new_row(&kernel, &integration, &installation, place)?;
        store::insert_at(&tx, &row).await?;
        events::record_setup_at_place(&tx, &kernel, &installation, &row, None).await?;
        Ok(Changed::of(target(&integration, &installation, place), row))
    };
    let row = kernel.write(&caller, work).await?;
    kernel.jobs.wake();
    Ok(row)
}

pub async fn update(
    kernel: &Kernel,
    access: PlaceInstallationAccess,
    body: UpdateIntegrationContentInstallation,
) -> Result<Model, ApiError> {
    let PlaceInstallationAccess {
        caller,
        integration,
        installation,
        place,
    } = access;
    let own_kernel = kernel.clone();
    let work = move |tx: Tx| async move {
        let kernel = own_kernel;
        let integration = reload(&tx, &integration).await?;
        let installation = store::lock(&tx, installation.id).await?;
        store::require_place(&tx, installation.organization_id, place).await?;
        let row = find(&tx, &kernel, &integration, &installation, place).await?;
        let row = row.ok_or_else(unknown)?;
        change(&tx, &kernel, (&integration, &installation), row, body).await
    };
    let row = kernel.write(&caller, work).await?;
    kernel.jobs.wake();
    Ok(row)
}

async fn change(
    tx: &Tx,
    kernel: &Kernel,
    (integration, installation): (&integrations::Model, &installations::Model),
    before: Model,
    body: UpdateIntegrationContentInstallation,
) -> Result<Changed<Model>, ApiError> {
    let UpdateIntegrationContentInstallation {
        external_ids,
        configuration,
    } = body;
    let place = Place::of(&before);
    let mut members = Vec::new();
    let setup_before = Setup {
        status: before.status,
        configuration: configuration::open_at_place(kernel, &before)?,
    };
    let form = Form::of_place(integration, place.kind())?;
    let mut changed = before.clone();
    let mut setup = setup_before.clone();
    if let Some(configuration) = configuration {
        form.check(&configuration)?;
        setup.configuration = form.complete(configuration);
        changed.configuration = configuration::seal_at_place(kernel, changed.id, &setup.configuration)?;
        members.push("configuration");
    }
    if let Some(ids) = &external_ids {
        changed.external_ids = serde_json::to_value(ids)?;
        members.push("externalIds");
    }
    setup.status = status(form.is_complete(&setup.configuration));
    changed.status = setup.status;
    if setup == setup_before && changed.external_ids == before.external_ids {
        return Ok(Changed::nothing(before));
    }
    changed.updated_at = kernel.clock.now();
    // An installation on all spaces or sites has a row for one of them once the two differ.
    if store::find_at(tx, installation.id, place).await?.is_none() {
        store::insert_at(tx, &changed).await?;
    } else {
        changed = changed.into_active_model().reset_all().update(tx).await?;
    }
    if let Some(ids) = &external_ids {
        store::put_external_ids(tx, installation, Some(changed.id), ids).await?;
    }
    if setup != setup_before {
        events::record_setup_at_place(tx, kernel, installation, &changed, Some(&setup_before)).await?;
    }
    let details = json!({ "members": members, "status": changed.status.to_wire() });
    Changed::of(target(integration, installation, place), changed).with(details)
}

pub async fn uninstall(kernel: &Kernel, access: DeletablePlaceInstallationAccess) -> Result<(), ApiError> {
    let Some((integration, installation, place)) = access.found else {
        return Ok(());
    };
    let own_kernel = kernel.clone();
    let work = move |tx: Tx| async move {
        let kernel = own_kernel;
        let installation = store::lock(&tx, installation.id).await?;
        let Some(row) = store::find_at(&tx, installation.id, place).await? else {
            return Ok(Changed::nothing(()));
        };
        let configuration = configuration::open_at_place(&kernel, &row)?;
        store::remove_at(&tx, &row).await?;
        events::record_deletion_at_place(&tx, &kernel, &installation, place, &configuration).await?;
        Ok(Changed::of(target(&integration, &installation, place), ()))
    };
    kernel.write(&access.caller, work).await?;
    kernel.jobs.wake();
    Ok(())
}

fn target(integration: &integrations::Model, installation: &installations::Model, place: Place) -> AuditTarget {
    let kind = match place {
        Place::Space(_) => "integration-space-installation",
        Place::Site(_) => "integration-site-installation",
    };
    let id = place.installation_id(installation.id);
    AuditTarget::in_organization(installation.organization_id, kind, id).labelled(&integration.name)
}
