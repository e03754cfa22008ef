//! Running an operation.

use entity::{
    exchange::{
        git_operations::{self, GitDirection},
        git_syncs,
    },
    organizations::members::MemberRole,
};
use git::RefName;
use platform::jobs::JobError;

use super::{Ended, SyncError, export, import, pair, remote, request::Request, setup::Setup, sync::Sync};
use crate::{
    access::node_levels,
    areas::exchange::{
        Exchange,
        import::{ImportDestination, ImportTarget},
    },
};

/// Runs an operation. An error is one that another attempt may not have.
pub async fn run(
    exchange: &Exchange,
    row: git_syncs::Model,
    operation: git_operations::Model,
) -> Result<Ended, JobError> {
    match attempt(exchange, row, operation).await {
        Ok(ended) => Ok(ended),
        Err(error) => Ok(Ended {
            is_unauthenticated: matches!(error, SyncError::Unauthenticated(_)),
            problem: Some(error.problem()?),
            ..Ended::default()
        }),
    }
}

async fn attempt(
    exchange: &Exchange,
    row: git_syncs::Model,
    operation: git_operations::Model,
) -> Result<Ended, SyncError> {
    let setup = match operation.request {
        Some(_) => None,
        None => Some(Setup::of(&exchange.kernel.secrets, &row)?),
    };
    let mut request = match (&operation.request, &setup) {
        (Some(sealed), _) => Request::open(exchange, operation.id, sealed)?,
        (None, Some(setup)) => setup.request(row.provider).ok_or_else(removed)?,
        (None, None) => return Err(removed()),
    };
    if is_late(&row, &request) {
        return Ok(Ended::default());
    }
    let space = operation.space_id;
    let destination = ImportDestination::Space(space.to_string());
    let target = ImportTarget::find(exchange, destination, Some(operation.requested_by)).await;
    let target = target.map_err(SyncError::of_import)?;
    let node = target
        .node()
        .cloned()
        .ok_or_else(|| SyncError::Refused("There is no such space.".to_owned()))?;
    // What was true when somebody asked for it may not be true any more.
    let level = node_levels::level(exchange.kernel.db.read(), &target.member, &node).await?;
    if level.is_none_or(|level| level < MemberRole::Edit) {
        return Err(SyncError::Refused(
            "Who asked for it may not edit the space any more.".to_owned(),
        ));
    }
    let remote = remote::connect(exchange, &request, row.known_hosts.clone()).await?;
    let reference = RefName::parse(&request.reference)?;
    if let Some(setup) = &setup {
        // A side is replaced in the first synchronization alone.
        let is_first = pair::stored(&row, &request, remote.address.as_str()).is_none();
        request.force = is_first && setup.wins(operation.direction);
    }
    let mut sync = Sync {
        exchange,
        cache: remote::cache(exchange, space).await?,
        row,
        request,
        target,
        node,
        remote,
        reference,
    };
    sync.require_no_conflict().await?;
    match operation.direction {
        GitDirection::Import => import::run(&mut sync).await,
        GitDirection::Export => export::run(&mut sync).await,
    }
}

fn removed() -> SyncError {
    SyncError::Refused("The installation was removed.".to_owned())
}

/// Whether an operation that was given a later time was carried out before.
fn is_late(row: &git_syncs::Model, request: &Request) -> bool {
    let is_before = request
        .timestamp
        .zip(row.ordered_at)
        .is_some_and(|(time, latest)| time < latest);
    is_before && !request.force
}
