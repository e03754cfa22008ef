//! The state of a synchronization on the wire.

use entity::{
    exchange::{
        git_operations::{self, GitDirection, GitOperationState},
        git_syncs::{self, GitProvider},
    },
    ids::GitInstallationId,
};
use openapi::models::{
    GitInstallationProvider, GitInstallationWebhook, GitInstalledConfiguration, GitInstalledRepository,
    GitInstalledTarget, GitSyncInstallation, GitSyncInstallationStatus, GitSyncInstallationUrls,
    GitSyncLatestOperation, GitSyncLatestOperationDirection, GitSyncLatestOperationState, GitSyncState,
};
use platform::jobs::JobKind;
use uuid::Uuid;

use super::{job::RunGitOperation, setup::Setup, webhook};
use crate::{
    areas::joins::git_state::GitSync,
    kernel::{
        Kernel,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    GitDirection as GitSyncLatestOperationDirection { Import, Export }
}

pub fn state(sync: git_syncs::Model, latest: Option<git_operations::Model>) -> GitSyncState {
    GitSyncState {
        last_error: sync.problem.clone(),
        next_try_at: sync.next_poll_at.map(time),
        operation: latest.map(operation),
        operation_timeout: u64::try_from(RunGitOperation::TIME_LIMIT.as_millis()).ok(),
        ..GitSync::from(&sync).state(sync.space_id)
    }
}

/// An installation, for its admins. `with_webhook`: with the secret of the webhook.
pub fn installation(kernel: &Kernel, row: git_syncs::Model, setup: Setup, with_webhook: bool) -> GitSyncInstallation {
    let id = row
        .installation_id
        .unwrap_or_else(|| GitInstallationId::from_uuid(Uuid::nil()));
    let installed_at = row.installed_at.unwrap_or(row.updated_at);
    let webhook = with_webhook.then(|| GitInstallationWebhook {
        url: format!("{}{}{id}", kernel.urls.base(), webhook::PREFIX),
        secret: webhook::secret(&kernel.secrets, id),
    });
    GitSyncInstallation {
        object: Default::default(),
        id: id.to_string(),
        target: GitInstalledTarget {
            r#type: Default::default(),
            space_id: row.space_id.to_string(),
        },
        status: match (row.is_unauthenticated, row.next_poll_at) {
            (true, _) => GitSyncInstallationStatus::Unauthenticated,
            (false, Some(_)) => GitSyncInstallationStatus::Active,
            (false, None) => GitSyncInstallationStatus::Pending,
        },
        provider: row.provider.map(|provider| match provider {
            GitProvider::Github => GitInstallationProvider::Github,
            GitProvider::Gitlab => GitInstallationProvider::Gitlab,
        }),
        provider_configuration: row.provider.map(|_| GitInstalledConfiguration {
            branch: setup.url.as_ref().map(|_| setup.branch().to_owned()),
        }),
        repository: setup.url.clone().map(|url| GitInstalledRepository {
            url,
            branch: setup.branch().to_owned(),
        }),
        priority: setup.priority,
        project_directory: Some(setup.directory).filter(|directory| !directory.is_empty()),
        commit_message_template: setup.template,
        preview_external_branches: setup.previews,
        webhook,
        created_at: time(installed_at),
        created_by: row.installed_by.map(|user| user.to_string()).unwrap_or_default(),
        updated_at: time(row.updated_at),
        urls: GitSyncInstallationUrls {
            location: kernel.urls.git_installation(id),
        },
    }
}

fn operation(row: git_operations::Model) -> GitSyncLatestOperation {
    GitSyncLatestOperation {
        state: match row.state {
            GitOperationState::Queued => GitSyncLatestOperationState::Running,
            GitOperationState::Success => GitSyncLatestOperationState::Success,
            GitOperationState::Failure => GitSyncLatestOperationState::Failure,
        },
        direction: row.direction.to_wire(),
        started_at: time(row.started_at.unwrap_or(row.created_at)),
        ended_at: row.ended_at.map(time),
        error: row.problem,
    }
}
