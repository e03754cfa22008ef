//! Lists of change requests.

use entity::{change_requests::Entity, ids::UserId};
use openapi::{
    error::ApiError,
    models::{ChangeRequestList, WantedChangeRequestStatus},
    operations::change_requests::{ListChangeRequestsForOrganizationQuery, ListChangeRequestsForSpaceQuery},
};
use sea_orm::Select;
use serde::Serialize;

use crate::{
    access::{OrganizationAccess, SpaceAccess},
    app::{App, lists::List},
};

use super::{
    Status,
    store::{self, Filters},
};

/// The filters as they are asked for.
#[derive(Serialize)]
struct Wanted {
    status: WantedChangeRequestStatus,
    creator: Option<String>,
    contributor: Option<String>,
    reviewer: Option<String>,
    cluster: Option<String>,
}

impl Wanted {
    fn filters(&self) -> Filters {
        // What is no id of a user is nobody.
        let user = |id: &Option<String>| -> Option<Option<UserId>> { id.as_deref().map(|id| id.parse().ok()) };
        Filters {
            status: stored(self.status),
            creator: user(&self.creator),
            contributor: user(&self.contributor),
            reviewer: user(&self.reviewer),
            of_cluster: self.cluster.is_some(),
        }
    }
}

pub async fn of_space(
    app: &App,
    access: &SpaceAccess,
    query: ListChangeRequestsForSpaceQuery,
) -> Result<ChangeRequestList, ApiError> {
    let space = access.row.node.id;
    let wanted = Wanted {
        status: query.status,
        creator: query.creator,
        contributor: query.contributor,
        reviewer: query.requested_reviewer,
        cluster: query.conversations_issues_cluster,
    };
    let found = wanted.filters().apply(store::of_space(space));
    let scope = ("change-requests", space, wanted);
    answer(app, List::new(app, scope, query.page, query.limit), found).await
}

pub async fn of_organization(
    app: &App,
    access: &OrganizationAccess,
    query: ListChangeRequestsForOrganizationQuery,
) -> Result<ChangeRequestList, ApiError> {
    let member = access.member();
    let wanted = Wanted {
        status: query.status,
        creator: query.creator,
        contributor: query.contributor,
        reviewer: query.requested_reviewer,
        cluster: query.conversations_issues_cluster,
    };
    let found = wanted.filters().apply(store::seen_by(&member));
    let scope = ("organization-change-requests", member.organization, member.user, wanted);
    answer(app, List::new(app, scope, query.page, query.limit), found).await
}

async fn answer<S: Serialize>(
    app: &App,
    list: List<'_, S>,
    found: Select<Entity>,
) -> Result<ChangeRequestList, ApiError> {
    let db = app.db.read();
    let load = |found, after, limit| store::page(db, found, after, limit);
    Ok(list
        .load(found, load, async |rows| super::all(app, rows).await)
        .await?
        .into())
}

fn stored(wanted: WantedChangeRequestStatus) -> Status {
    match wanted {
        WantedChangeRequestStatus::Draft => Status::Draft,
        WantedChangeRequestStatus::Open => Status::Open,
        WantedChangeRequestStatus::Archived => Status::Archived,
        WantedChangeRequestStatus::Merged => Status::Merged,
    }
}
