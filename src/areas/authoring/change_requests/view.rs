//! Wire types of change requests.

use entity::{
    authoring::change_requests::{Model, contributors::ContributorAction},
    ids::RevisionId,
};
use openapi::{
    error::ApiError,
    models::{
        ChangeRequest, ChangeRequestStatus, ChangeRequestUrls, Contributor, ContributorActionType,
        EditChangeRequestStatus, WantedChangeRequestStatus,
    },
};
use platform::db::count;

use super::{
    Status, links,
    store::{ChangeRequestWithCreator, ContributorRow},
};
use crate::{
    areas::identity::users::view::user,
    kernel::{
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    Status as ChangeRequestStatus { Draft, Open, Archived, Merged }
    WantedChangeRequestStatus => Status { Draft, Open, Archived, Merged }
    EditChangeRequestStatus => Status { Draft, Open, Archived }
    ContributorAction as ContributorActionType { Edit, Comment }
}

/// A change request with its number of open comments.
pub fn change_request(urls: &Urls, row: ChangeRequestWithCreator, comments: u64) -> Result<ChangeRequest, ApiError> {
    let ChangeRequestWithCreator {
        request,
        creator,
        merger,
        current,
    } = row;
    let outdated = is_outdated(&request, current);
    let links = links::view(request.links)?;
    let description = request.description.map(serde_json::from_value).transpose();
    Ok(ChangeRequest {
        object: Default::default(),
        id: request.id.to_string(),
        number: count(request.number),
        status: request.status.to_wire(),
        subject: request.subject,
        description: description?,
        created_by: user(urls, creator),
        created_at: time(request.created_at),
        updated_at: time(request.updated_at),
        merged_by: merger.map(|merger| user(urls, merger)),
        merged_at: request.merged_at.map(time),
        space: request.space_id.to_string(),
        revision: request.revision_id.to_string(),
        revision_initial: request.initial_id.to_string(),
        revision_merged_ancestor: request.ancestor_id.map(|id| id.to_string()),
        revision_merged: request.merged_id.map(|id| id.to_string()),
        comments,
        outdated,
        links,
        conversations_issues_cluster: request.conversations_issues_cluster_id.map(|id| id.to_string()),
        urls: ChangeRequestUrls {
            app: urls.change_request_page(request.space_id, request.id),
            location: urls.change_request(request.space_id, request.id),
        },
    })
}

/// Returns whether the space has a revision that the change request has not pulled in. A merged one is never outdated.
pub fn is_outdated(request: &Model, current: RevisionId) -> bool {
    let pulled_in = request.ancestor_id.unwrap_or(request.initial_id);
    request.status != Status::Merged && pulled_in != current
}

pub fn contributor(urls: &Urls, row: ContributorRow) -> Contributor {
    Contributor {
        updated_at: time(row.updated_at),
        count: count(row.count),
        user: user(urls, row.user),
        action_type: row.action.to_wire(),
    }
}
