//! The state of a synchronization on the wire.

use entity::exchange::{
    git_operations::{self, GitDirection, GitOperationState},
    git_syncs,
};
use openapi::models::{
    GitSyncLatestOperation, GitSyncLatestOperationDirection, GitSyncLatestOperationState, GitSyncState,
};
use platform::jobs::JobKind;

use super::job::RunGitOperation;
use crate::areas::joins::git_state::GitSync;

pub fn state(sync: git_syncs::Model, latest: Option<git_operations::Model>) -> GitSyncState {
    let of_space = GitSync {
        address: sync.address,
        tree_url: sync.tree_url,
        provider: sync.provider,
        updated_at: sync.updated_at,
    };
    GitSyncState {
        operation: latest.map(operation),
        operation_timeout: u64::try_from(RunGitOperation::TIME_LIMIT.as_millis()).ok(),
        ..of_space.state(sync.space_id)
    }
}

fn operation(row: git_operations::Model) -> GitSyncLatestOperation {
    GitSyncLatestOperation {
        state: match row.state {
            GitOperationState::Queued => GitSyncLatestOperationState::Running,
            GitOperationState::Success => GitSyncLatestOperationState::Success,
            GitOperationState::Failure => GitSyncLatestOperationState::Failure,
        },
        direction: match row.direction {
            GitDirection::Import => GitSyncLatestOperationDirection::Import,
            GitDirection::Export => GitSyncLatestOperationDirection::Export,
        },
        started_at: row.started_at.unwrap_or(row.created_at).to_utc().into(),
        ended_at: row.ended_at.map(|time| time.to_utc().into()),
        error: row.problem,
    }
}
