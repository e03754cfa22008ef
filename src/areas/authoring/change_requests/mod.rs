//! Change requests: content that is worked on beside the content of its space, and merged into it.

mod advancing;
mod changes;
mod contributing;
mod counters;
mod editing;
mod listing;
mod merging;
pub mod rules;
pub mod store;
pub mod view;

use std::collections::HashMap;

use content::revisions::Revision;
use entity::{
    change_requests::{ChangeRequestStatus as Status, Model},
    ids::{ChangeRequestId, NodeId},
    nodes,
};
use openapi::{
    answer::Created,
    error::ApiError,
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
    access::{ChangeRequestAccess, OrganizationAccess, SpaceAccess},
    app::{App, audit::Target, open_comments},
};

pub use advancing::{Advance, Conflict, advance};
pub use contributing::contributed;
pub use counters::settle;
pub use editing::Edit;
use store::{Counted, Row};

impl ChangeRequestsApi for App {
    async fn list_change_requests_for_space(
        &self,
        access: SpaceAccess,
        query: ListChangeRequestsForSpaceQuery,
    ) -> Result<ChangeRequestList, ApiError> {
        listing::of_space(self, &access, query).await
    }

    async fn create_change_request(
        &self,
        access: SpaceAccess,
        body: Option<CreateChangeRequest>,
    ) -> Result<Created<ChangeRequest>, ApiError> {
        let body = editing::create(self, &access, body).await?;
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
        listing::of_organization(self, &access, query).await
    }

    async fn get_change_request_by_id(&self, access: ChangeRequestAccess) -> Result<ChangeRequest, ApiError> {
        load(self, access.row.node.id, access.request.id).await
    }

    async fn update_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        body: EditChangeRequest,
    ) -> Result<ChangeRequest, ApiError> {
        editing::update(self, &access, body).await
    }

    async fn merge_change_request(&self, access: ChangeRequestAccess) -> Result<MergedChangeRequest, ApiError> {
        merging::merge(self, access).await
    }

    async fn update_change_request(&self, access: ChangeRequestAccess) -> Result<UpdatedChangeRequest, ApiError> {
        merging::update(self, access).await
    }

    async fn get_contributors_by_change_request_id(
        &self,
        access: ChangeRequestAccess,
        query: GetContributorsByChangeRequestIdQuery,
    ) -> Result<ContributorList, ApiError> {
        contributing::list(self, &access, query).await
    }

    async fn get_change_request_changes(
        &self,
        access: ChangeRequestAccess,
        query: GetChangeRequestChangesQuery,
    ) -> Result<RevisionSemanticChanges, ApiError> {
        changes::of_request(self, access, query).await
    }
}

pub fn target(node: &nodes::Model, request: &Model) -> Target {
    Target::in_organization(node.organization_id, "change-request", request.id).labelled(&request.subject)
}

/// A change request as it is now.
pub async fn load(app: &App, space: NodeId, request: ChangeRequestId) -> Result<ChangeRequest, ApiError> {
    of_merge(app, space, request).await?.ok_or_else(unknown)
}

/// The change request that a revision of its space comes from, if it is still there.
async fn of_merge(app: &App, space: NodeId, request: ChangeRequestId) -> Result<Option<ChangeRequest>, ApiError> {
    let found = store::find_counted(app.db.read(), space, request).await;
    let view = |Counted { row, comments }| view::change_request(&app.urls, row, platform::db::count(comments));
    found?.map(view).transpose()
}

/// The change request that a revision merged, if it still exists.
pub async fn merged_by(app: &App, revision: &Revision) -> Result<Option<ChangeRequest>, ApiError> {
    match revision.merged_from {
        Some(request) => of_merge(app, revision.space, request).await,
        None => Ok(None),
    }
}

/// The same for several revisions, each with its space.
pub async fn of_merges(
    app: &App,
    wanted: Vec<(NodeId, ChangeRequestId)>,
) -> Result<HashMap<ChangeRequestId, ChangeRequest>, ApiError> {
    let rows = store::find_all(app.db.read(), &wanted).await?;
    let ids: Vec<ChangeRequestId> = rows.iter().map(|row| row.request.id).collect();
    Ok(ids.into_iter().zip(all(app, rows).await?).collect())
}

/// Change requests with how many of their comments are open. One query.
async fn all(app: &App, rows: Vec<Row>) -> Result<Vec<ChangeRequest>, ApiError> {
    let places = rows.iter().map(|row| *row.request.id.as_uuid()).collect();
    let open = open_comments::open(app.db.read(), places).await?;
    let view = |row: Row| {
        let comments = open.get(row.request.id.as_uuid()).copied().unwrap_or_default();
        view::change_request(&app.urls, row, comments)
    };
    rows.into_iter().map(view).collect()
}

fn unknown() -> ApiError {
    ApiError::not_found("change request")
}
