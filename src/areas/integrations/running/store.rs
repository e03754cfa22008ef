//! What an event of a script needs from the database.

use std::sync::Arc;

use entity::{
    ids::IntegrationId,
    integrations::{
        self, content_installations,
        installations::{self, InstallationSelection, InstallationStatus},
        scripts,
    },
};
use moka::future::Cache;
use openapi::error::ApiError;
use platform::db::rows;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::{RunFailure, ScriptEvent};

use crate::{
    access::rows::{SpaceRow, find_row},
    areas::{
        integrations::{
            integration_installations::{store::find_at, write_at_place::new_row},
            place::Place,
        },
        publishing::structure::site,
    },
    kernel::Kernel,
};

/// Bytes of the scripts that are kept.
const SCRIPT_BYTES: u64 = 64 * 1024 * 1024;

/// Whom an event concerns.
pub struct Target {
    pub integration: integrations::Model,
    /// `None`: the event is one of the integration itself, or the installation has been deleted.
    pub installation: Option<installations::Model>,
    /// The installation on the space or site of the event.
    pub content: Option<content_installations::Model>,
}

impl Target {
    /// Fails with [`RunFailure::Gone`] if the integration or the installation does not exist any more, or does not get such events.
    pub async fn load(kernel: &Kernel, event: &ScriptEvent, event_type: &str) -> Result<Self, RunFailure> {
        let db = kernel.db.read();
        let integration = integrations::Entity::find_by_id(event.integration).one(db).await?;
        let integration = integration.ok_or(RunFailure::Gone)?;
        let Some(id) = event.installation else {
            return Ok(Self::of_integration(integration));
        };
        let installation = installations::Entity::find_by_id(id)
            .filter(installations::Column::IntegrationId.eq(integration.id))
            .one(db)
            .await?;
        let installation = match installation {
            Some(installation) => installation,
            // The script learns what has been deleted from the event.
            None if is_deletion(event_type) => return Ok(Self::of_integration(integration)),
            None => return Err(RunFailure::Gone),
        };
        let content = match event.place {
            Some(place) => content_at(kernel, &integration, &installation, place).await?,
            None => None,
        };
        let is_there = content.is_some() == event.place.is_some();
        let status = content.as_ref().map_or(installation.status, |row| row.status);
        let is_active = [installation.status, status]
            .into_iter()
            .all(|status| gets(status, event_type));
        if !(is_deletion(event_type) || is_there && is_active) {
            return Err(RunFailure::Gone);
        }
        Ok(Self {
            integration,
            installation: Some(installation),
            content,
        })
    }

    fn of_integration(integration: integrations::Model) -> Self {
        Self {
            integration,
            installation: None,
            content: None,
        }
    }
}

/// The installation on a space or a site, which has no row if it is one on all of them and was never configured there.
async fn content_at(
    kernel: &Kernel,
    integration: &integrations::Model,
    installation: &installations::Model,
    place: Place,
) -> Result<Option<content_installations::Model>, ApiError> {
    let db = kernel.db.read();
    if let Some(row) = find_at(db, installation.id, place).await? {
        return Ok(Some(row));
    }
    let is_on_all = place.kind().selection(installation) == InstallationSelection::All;
    let organization = installation.organization_id;
    let exists = match place {
        Place::Space(space) => is_on_all && find_row::<SpaceRow>(db, organization, space).await?.is_some(),
        Place::Site(site) => is_on_all && rows::find(db, site::of(organization), site).await?.is_some(),
    };
    match exists {
        true => new_row(kernel, integration, installation, place).map(Some),
        false => Ok(None),
    }
}

fn is_deletion(event_type: &str) -> bool {
    event_type.ends_with("installation_deleted")
}

/// Returns whether an installation with this status gets events of a type. A pending one gets those by which it is configured: people
/// are led to a script and back to it when they connect an account.
fn gets(status: InstallationStatus, event_type: &str) -> bool {
    match status {
        InstallationStatus::Active => true,
        InstallationStatus::Pending => {
            event_type.ends_with("installation_setup") || matches!(event_type, "fetch" | "ui_render")
        }
    }
}

/// A script of a version, which does not change.
#[derive(Clone)]
pub struct VersionedScript {
    pub version: i32,
    pub text: Arc<str>,
}

/// The scripts that were used last.
pub struct ScriptCache(Cache<(IntegrationId, i32), VersionedScript>);

impl Default for ScriptCache {
    fn default() -> Self {
        let bytes = |_: &_, script: &VersionedScript| u32::try_from(script.text.len()).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(bytes).max_capacity(SCRIPT_BYTES).build())
    }
}

impl ScriptCache {
    /// The script of an integration: that of its version, or of one that was published since.
    pub async fn get(
        &self,
        db: &impl ConnectionTrait,
        integration: &integrations::Model,
    ) -> Result<VersionedScript, RunFailure> {
        let key = (integration.id, integration.version);
        if let Some(known) = self.0.get(&key).await {
            return Ok(known);
        }
        let script = newest(db, integration.id).await?.ok_or(RunFailure::Gone)?;
        self.0.insert((integration.id, script.version), script.clone()).await;
        Ok(script)
    }
}

/// The newest version and its script, read in one statement so that they belong together.
async fn newest(db: &impl ConnectionTrait, integration: IntegrationId) -> Result<Option<VersionedScript>, DbErr> {
    let row: Option<(i32, String)> = scripts::Entity::find_by_id(integration)
        .select_only()
        .column(integrations::Column::Version)
        .column(scripts::Column::Script)
        .inner_join(integrations::Entity)
        .into_tuple()
        .one(db)
        .await?;
    Ok(row.map(|(version, text)| VersionedScript {
        version,
        text: text.into(),
    }))
}
