//! Change requests: drafts of the content of a space that are reviewed and merged.

pub mod change_request_conflicts;
pub mod change_request_content;
mod changes;
mod content_update;
mod contributors;
mod counters;
mod create;
mod links;
mod list;
mod merge;
mod patch;
mod proposal;
pub mod rules;
pub mod store;
pub mod view;

use std::collections::HashMap;

use content::revisions::Revision;
use entity::{
    authoring::change_requests::{ChangeRequestStatus as Status, Model},
    ids::{ChangeRequestId, NodeId},
    library::nodes,
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorRule},
    models::{
        ChangeRequest, ChangeRequestList, ContributorList, CreateChangeRequest, EditChangeRequest, MergedChangeRequest,
        RevisionSemanticChanges, UpdatedChangeRequest,
    },
    operations::change_requests::{
        ChangeRequestsApi, GetChangeRequestChangesQuery, GetContributorsByChangeRequestIdQuery,
        ListChangeRequestsForOrganizationQuery, ListChangeRequestsForSpaceQuery,
    },
};

use crate::{
    access::{ChangeRequestAccess, OrganizationAccess, ReadableChangeRequestAccess, SpaceAccess, rows},
    areas::authoring::{Authoring, comment_counts},
    kernel::{Kernel, audit::AuditTarget},
};
pub use content_update::{ContentUpdate, NewConflict, compare_and_set_content};
pub use contributors::record_contribution;
pub use counters::move_status;
pub use patch::ChangeRequestPatch;
pub use proposal::{NewProposal, insert_proposal};
use store::{ChangeRequestWithComments, ChangeRequestWithCreator};

impl ChangeRequestsApi for Authoring {
    async fn list_change_requests_for_space(
        &self,
        access: SpaceAccess,
        query: ListChangeRequestsForSpaceQuery,
    ) -> Result<ChangeRequestList, ApiError> {
        list::list_of_space(&self.kernel, &access, query).await
    }

    async fn create_change_request(
        &self,
        access: SpaceAccess,
        body: Option<CreateChangeRequest>,
    ) -> Result<Created<ChangeRequest>, ApiError> {
        let body = create::create(&self.contents, &access, body).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn list_change_requests_for_organization(
        &self,
        access: OrganizationAccess,
        query: ListChangeRequestsForOrganizationQuery,
    ) -> Result<ChangeRequestList, ApiError> {
        list::list_of_organization(&self.kernel, &access, query).await
    }

    async fn get_change_request_by_id(&self, access: ReadableChangeRequestAccess) -> Result<ChangeRequest, ApiError> {
        let mut found = load(&self.kernel, access.space, access.request).await?;
        if access.by_visitor {
            let merger = found.merged_by.as_mut();
            for user in [Some(&mut found.created_by), merger].into_iter().flatten() {
                user.email = None;
            }
            found.conversations_issues_cluster = None;
        }
        Ok(found)
    }

    async fn update_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        body: EditChangeRequest,
    ) -> Result<ChangeRequest, ApiError> {
        patch::update(&self.kernel, &access, body).await
    }

    async fn merge_change_request(&self, access: ChangeRequestAccess) -> Result<MergedChangeRequest, ApiError> {
        // On the heap: the stack of a worker has room for all that a merge calls only without its own state.
        Box::pin(merge::merge(&self.contents, access)).await
    }

    async fn update_change_request(&self, access: ChangeRequestAccess) -> Result<UpdatedChangeRequest, ApiError> {
        Box::pin(merge::update(&self.contents, access)).await
    }

    async fn get_contributors_by_change_request_id(
        &self,
        access: ChangeRequestAccess,
        query: GetContributorsByChangeRequestIdQuery,
    ) -> Result<ContributorList, ApiError> {
        contributors::list(&self.kernel, &access, query).await
    }

    async fn get_change_request_changes(
        &self,
        access: ChangeRequestAccess,
        query: GetChangeRequestChangesQuery,
    ) -> Result<RevisionSemanticChanges, ApiError> {
        changes::get_changes(self, access, query).await
    }
}

pub fn target(node: &nodes::Model, request: &Model) -> AuditTarget {
    AuditTarget::in_organization(node.organization_id, "change-request", request.id).labelled(&request.subject)
}

/// The change request of the space that a body names by its id or number as `changeRequestId`.
pub async fn of_space(kernel: &Kernel, access: SpaceAccess, named: &str) -> Result<ChangeRequestAccess, ApiError> {
    let found = match rows::matching_id_or_number(named) {
        Some(named) => store::find_named(kernel.db.read(), access.row.node.id, named).await?,
        None => None,
    };
    let message = "`changeRequestId` is not a change request of the space.";
    let unknown = || ApiError::invalid_member("/body/changeRequestId", ErrorRule::UnknownChangeRequest, message);
    let request = found.ok_or_else(unknown)?;
    let SpaceAccess {
        caller,
        member,
        row,
        level,
        site: _,
    } = access;
    Ok(ChangeRequestAccess {
        caller,
        member,
        row,
        level,
        request,
    })
}

/// Loads a change request.
pub async fn load(kernel: &Kernel, space: NodeId, request: ChangeRequestId) -> Result<ChangeRequest, ApiError> {
    load_optional(kernel, space, request).await?.ok_or_else(not_found)
}

/// Loads a change request. `None` if it does not exist.
async fn load_optional(
    kernel: &Kernel,
    space: NodeId,
    request: ChangeRequestId,
) -> Result<Option<ChangeRequest>, ApiError> {
    let found = store::find_counted(kernel.db.read(), space, request).await;
    let view = |ChangeRequestWithComments { row, comments }| {
        view::change_request(&kernel.urls, row, platform::db::count(comments))
    };
    found?.map(view).transpose()
}

/// The change request that a revision merged, for whoever reads a space; visitors of a site see nothing of how its content came about.
pub async fn load_merged_for(
    kernel: &Kernel,
    access: &SpaceAccess,
    revision: &Revision,
) -> Result<Option<ChangeRequest>, ApiError> {
    match access.site {
        Some(_) => Ok(None),
        None => load_merged_by(kernel, revision).await,
    }
}

/// Loads the change request that a revision merged, if it still exists.
pub async fn load_merged_by(kernel: &Kernel, revision: &Revision) -> Result<Option<ChangeRequest>, ApiError> {
    match revision.merged_from {
        Some(request) => load_optional(kernel, revision.space, request).await,
        None => Ok(None),
    }
}

/// Loads several change requests, each of its space.
pub async fn load_many(
    kernel: &Kernel,
    wanted: Vec<(NodeId, ChangeRequestId)>,
) -> Result<HashMap<ChangeRequestId, ChangeRequest>, ApiError> {
    let rows = store::find_all(kernel.db.read(), &wanted).await?;
    let ids: Vec<ChangeRequestId> = rows.iter().map(|row| row.request.id).collect();
    Ok(ids.into_iter().zip(views(kernel, rows).await?).collect())
}

/// Wire types of change requests with their numbers of open comments. One query.
async fn views(kernel: &Kernel, rows: Vec<ChangeRequestWithCreator>) -> Result<Vec<ChangeRequest>, ApiError> {
    let lists = rows.iter().map(|row| *row.request.id.as_uuid()).collect();
    let counts = comment_counts::load(kernel.db.read(), lists).await?;
    let view = |row: ChangeRequestWithCreator| {
        let counts = counts.get(row.request.id.as_uuid()).copied().unwrap_or_default();
        view::change_request(&kernel.urls, row, counts.open)
    };
    rows.into_iter().map(view).collect()
}

fn not_found() -> ApiError {
    ApiError::not_found("change request")
}
