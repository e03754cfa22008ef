//! Installing on organizations, changing such installations, and uninstalling.

use entity::{
    ids::OrganizationId,
    integrations::{
        self,
        installations::{InstallationSelection, InstallationStatus, Model},
    },
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::UpdateIntegrationInstallation,
};
use platform::db::{Tx, rows};
use sea_orm::{ActiveModelTrait, IntoActiveModel};
use serde_json::{Value, json};

use super::{
    configuration::{self, Configuration, Form},
    events::{self, Setup},
    store,
};
use crate::{
    areas::{
        integrations::{
            installation_access::{DeletableInstallationAccess, InstallationAccess, InstallationTargetAccess},
            integrations::store as integration_store,
            place::PlaceKind,
        },
        organizations::organizations,
    },
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        wire::{ToStored, ToWire},
    },
};

/// Installs an integration, or approves the scopes of its present version where it is installed already.
pub async fn install(kernel: &Kernel, access: InstallationTargetAccess) -> Result<Model, ApiError> {
    let (organization, integration) = (access.organization, access.integration);
    let own_kernel = kernel.clone();
    let work = move |tx: Tx| async move {
        let kernel = own_kernel;
        // Two requests may install the integration at the same time.
        organizations::store::lock(&tx, organization).await?;
        let integration = reload(&tx, &integration).await?;
        if let Some(row) = store::find_on(&tx, integration.id, organization).await? {
            let change = Change::of(&kernel, &integration, row)?.with_approval();
            return change.save(&tx, &kernel, &integration).await;
        }
        let row = new_row(&kernel, &integration, organization)?;
        rows::insert(&tx, &row).await?;
        events::record_setup(&tx, &kernel, &row, None).await?;
        Changed::of(target(&integration, &row), row.clone()).with(json!({ "scopes": row.approved_scopes }))
    };
    let row = kernel.write(&access.caller, work).await?;
    kernel.jobs.wake();
    Ok(row)
}

/// Changes an installation.
pub async fn update(
    kernel: &Kernel,
    access: InstallationAccess,
    body: UpdateIntegrationInstallation,
) -> Result<Model, ApiError> {
    let is_person = access.caller.identity.integration.is_none();
    if !is_person && (body.space_selection.is_some() || body.site_selection.is_some()) {
        let message = "The spaces and sites of an installation are selected by admins of the organization.";
        return Err(ApiError::forbidden(message));
    }
    let (own_kernel, integration, installation) = (kernel.clone(), access.integration, access.installation.id);
    let work = move |tx: Tx| async move {
        let kernel = own_kernel;
        let integration = reload(&tx, &integration).await?;
        let row = store::lock(&tx, installation).await?;
        if let Some(ids) = &body.external_ids {
            store::put_external_ids(&tx, &row, None, ids).await?;
        }
        let change = Change::of(&kernel, &integration, row)?.with(&integration, body)?;
        let change = if is_person { change.with_approval() } else { change };
        change.save(&tx, &kernel, &integration).await
    };
    let row = kernel.write(&access.caller, work).await?;
    kernel.jobs.wake();
    Ok(row)
}

pub async fn uninstall(kernel: &Kernel, access: DeletableInstallationAccess) -> Result<(), ApiError> {
    let Some((integration, installation)) = access.found else {
        return Ok(());
    };
    let own_kernel = kernel.clone();
    let work = move |tx: Tx| async move {
        let kernel = own_kernel;
        let of_organization = store::of_organization(installation.organization_id);
        let Some(row) = rows::remove(&tx, of_organization, installation.id).await? else {
            return Ok(Changed::nothing(()));
        };
        let configuration = configuration::open(&kernel, &row)?;
        events::record_deletion(&tx, &kernel, &row, &configuration).await?;
        Ok(Changed::of(target(&integration, &row), ()))
    };
    kernel.write(&access.caller, work).await?;
    kernel.jobs.wake();
    Ok(())
}

/// The integration as it is inside the write transaction.
pub async fn reload(tx: &Tx, integration: &integrations::Model) -> Result<integrations::Model, ApiError> {
    let found = integration_store::find(tx, integration.id).await?;
    found.ok_or_else(|| ApiError::not_found("integration"))
}

/// The status after a change.
pub fn status(is_ready: bool) -> InstallationStatus {
    match is_ready {
        true => InstallationStatus::Active,
        false => InstallationStatus::Pending,
    }
}

fn new_row(
    kernel: &Kernel,
    integration: &integrations::Model,
    organization: OrganizationId,
) -> Result<Model, ApiError> {
    let form = Form::of_organization(integration)?;
    let configuration = form.complete(Configuration::new());
    let (id, now) = (kernel.ids.next(), kernel.clock.now());
    Ok(Model {
        id,
        integration_id: integration.id,
        organization_id: organization,
        status: status(form.is_complete(&configuration)),
        space_selection: InstallationSelection::Selected,
        site_selection: InstallationSelection::Selected,
        approved_scopes: integration.scopes.clone(),
        configuration: configuration::seal(kernel, id, &configuration)?,
        external_ids: json!([]),
        space_count: 0,
        created_at: now,
        updated_at: now,
    })
}

/// A change of an installation, with what the installation was before.
struct Change {
    old: Model,
    row: Model,
    before: Setup,
    configuration: Configuration,
    is_approved: bool,
    members: Vec<&'static str>,
}

impl Change {
    fn of(kernel: &Kernel, integration: &integrations::Model, row: Model) -> Result<Self, ApiError> {
        let configuration = configuration::open(kernel, &row)?;
        Ok(Self {
            before: Setup {
                status: row.status,
                configuration: configuration.clone(),
            },
            is_approved: approves(&row.approved_scopes, &integration.scopes),
            old: row.clone(),
            row,
            configuration,
            members: Vec::new(),
        })
    }

    fn with(
        mut self,
        integration: &integrations::Model,
        body: UpdateIntegrationInstallation,
    ) -> Result<Self, ApiError> {
        let UpdateIntegrationInstallation {
            external_ids,
            configuration,
            space_selection,
            site_selection,
        } = body;
        if let Some(ids) = external_ids {
            self.row.external_ids = serde_json::to_value(ids)?;
            self.members.push("externalIds");
        }
        if let Some(configuration) = configuration {
            let form = Form::of_organization(integration)?;
            form.check(&configuration)?;
            self.configuration = form.complete(configuration);
            self.members.push("configuration");
        }
        if let Some(selection) = space_selection {
            self.row.space_selection = selection.to_stored();
            require_target(
                integration,
                PlaceKind::Space,
                self.row.space_selection,
                "/body/space_selection",
            )?;
            self.members.push("space_selection");
        }
        if let Some(selection) = site_selection {
            self.row.site_selection = selection.to_stored();
            require_target(
                integration,
                PlaceKind::Site,
                self.row.site_selection,
                "/body/site_selection",
            )?;
            self.members.push("site_selection");
        }
        Ok(self)
    }

    /// Approves the scopes of the present version.
    fn with_approval(self) -> Self {
        Self {
            is_approved: true,
            ..self
        }
    }

    async fn save(
        self,
        tx: &Tx,
        kernel: &Kernel,
        integration: &integrations::Model,
    ) -> Result<Changed<Model>, ApiError> {
        let Self {
            old,
            row: changed,
            before,
            configuration,
            is_approved,
            members,
        } = self;
        let form = Form::of_organization(integration)?;
        let changed = Model {
            status: status(is_approved && form.is_complete(&configuration)),
            approved_scopes: match is_approved {
                true => integration.scopes.clone(),
                false => changed.approved_scopes,
            },
            configuration: match configuration == before.configuration {
                true => changed.configuration,
                false => configuration::seal(kernel, changed.id, &configuration)?,
            },
            ..changed
        };
        if changed == old {
            return Ok(Changed::nothing(changed));
        }
        let changed = Model {
            updated_at: kernel.clock.now(),
            ..changed
        };
        let row = changed.into_active_model().reset_all().update(tx).await?;
        let after = Setup {
            status: row.status,
            configuration,
        };
        if after != before {
            events::record_setup(tx, kernel, &row, Some(&before)).await?;
        }
        let details = json!({ "members": members, "status": row.status.to_wire(), "scopes": row.approved_scopes });
        Changed::of(target(integration, &row), row).with(details)
    }
}

/// Returns whether all scopes of an integration are approved.
fn approves(approved: &Value, scopes: &Value) -> bool {
    let approved = approved.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut scopes = scopes.as_array().into_iter().flatten();
    scopes.all(|scope| approved.contains(scope))
}

/// Refuses to install on all spaces or sites what may not be installed there.
fn require_target(
    integration: &integrations::Model,
    kind: PlaceKind,
    selection: InstallationSelection,
    pointer: &str,
) -> Result<(), ApiError> {
    if selection == InstallationSelection::Selected || kind.is_allowed_by(integration.target) {
        return Ok(());
    }
    Err(not_allowed_on(kind, pointer))
}

pub fn not_allowed_on(kind: PlaceKind, pointer: &str) -> ApiError {
    let message = format!("The integration cannot be installed on a {}.", kind.name());
    ApiError::invalid_member(pointer, ErrorRule::InstallationTarget, message)
}

pub fn target(integration: &integrations::Model, row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "integration-installation", row.id).labelled(&integration.name)
}
