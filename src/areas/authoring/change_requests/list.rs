//! Lists of change requests.

use entity::{
    authoring::change_requests::{Column, Entity},
    ids::UserId,
};
use openapi::{
    error::ApiError,
    models::{ChangeRequestList, WantedChangeRequestStatus},
    operations::change_requests::{ListChangeRequestsForOrganizationQuery, ListChangeRequestsForSpaceQuery},
};
use platform::db::{self, Ranges, Scan};
use sea_orm::Select;
use serde::Serialize;

use super::store::{self, ChangeRequestFilters, ChangeRequestWithCreator};
use crate::{
    access::{OrganizationAccess, SpaceAccess},
    kernel::{Kernel, lists::List, wire::ToStored},
};

/// The filters of the query, as part of the cursor's scope.
#[derive(Serialize)]
struct ChangeRequestListParams {
    statuses: Vec<WantedChangeRequestStatus>,
    creator: Option<UserId>,
    contributor: Option<UserId>,
    reviewer: Option<UserId>,
    cluster: Option<String>,
}

impl ChangeRequestListParams {
    fn filters(&self) -> ChangeRequestFilters {
        ChangeRequestFilters {
            statuses: self.statuses.iter().map(|status| status.to_stored()).collect(),
            creator: self.creator,
            contributor: self.contributor,
            reviewer: self.reviewer,
            of_cluster: self.cluster.is_some(),
        }
    }
}

pub async fn list_of_space(
    kernel: &Kernel,
    access: &SpaceAccess,
    query: ListChangeRequestsForSpaceQuery,
) -> Result<ChangeRequestList, ApiError> {
    let space = access.row.node.id;
    let params = ChangeRequestListParams {
        statuses: query.status,
        creator: query.creator,
        contributor: query.contributor,
        reviewer: query.requested_reviewer,
        cluster: query.conversations_issues_cluster,
    };
    let filters = params.filters();
    let kept = filters.kept_count(&access.row.space);
    let found = filters.apply(Column::SpaceId, space.into());
    let scope = ("change-requests", space, params);
    answer(kernel, List::new(kernel, scope, query.page, query.limit), found, kept).await
}

pub async fn list_of_organization(
    kernel: &Kernel,
    access: &OrganizationAccess,
    query: ListChangeRequestsForOrganizationQuery,
) -> Result<ChangeRequestList, ApiError> {
    let member = access.member();
    let params = ChangeRequestListParams {
        statuses: query.status,
        creator: query.creator,
        contributor: query.contributor,
        reviewer: query.requested_reviewer,
        cluster: query.conversations_issues_cluster,
    };
    let rows = params
        .filters()
        .apply(Column::OrganizationId, member.organization.into());
    let scope = ("organization-change-requests", member.organization, member.user, params);
    let list = List::new(kernel, scope, query.page, query.limit);
    let order = store::order();
    let filter = |requests| store::with_joins(store::visible_to(&member, requests));
    let run = |query: Select<Entity>| query.into_partial_model().all(kernel.db.read());
    let key = |row: &ChangeRequestWithCreator| row.request.id;
    let (page, count) = list.load_scan(&Scan::new(rows, order, filter), run, key).await?;
    let items = super::views(kernel, page.items).await?;
    let page = db::Page { items, next: page.next };
    Ok(list.answer(page, count, |item| item)?.into())
}

async fn answer<S: Serialize>(
    kernel: &Kernel,
    list: List<'_, S>,
    found: Ranges<Entity>,
    kept: Option<u64>,
) -> Result<ChangeRequestList, ApiError> {
    let db = kernel.db.read();
    let load = |_, after, limit| store::page(db, &found, after, limit);
    let views = async |rows| super::views(kernel, rows).await;
    let page = match kept {
        Some(count) => {
            list.load_with_count(found.all(), load, async || Ok(Some(count)), views)
                .await?
        }
        None => list.load(found.all(), load, views).await?,
    };
    Ok(page.into())
}
