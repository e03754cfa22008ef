//! Lists of change requests.

use entity::{
    authoring::change_requests::{Column, Entity},
    ids::{ChangeRequestId, IssuesClusterId, NodeId, OrganizationId, SiteId, UserId},
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{ChangeRequestList, ChangeRequestOrder, SCANNED_TO, WantedChangeRequestStatus},
    operations::change_requests::{ListChangeRequestsForOrganizationQuery, ListChangeRequestsForSpaceQuery},
};
use platform::db::{self, Keyset, Ranges, Scan};
use sea_orm::{Select, TryGetableMany, sea_query::IntoValueTuple};
use serde::{Serialize, de::DeserializeOwned};

use super::store::{self, ChangeRequestFilters, ChangeRequestWithCreator};
use crate::{
    access::{OrganizationAccess, SpaceAccess},
    areas::conversations::conversations::clusters,
    kernel::{Kernel, lists::List, wire::ToStored},
};

/// The filters of the query, as part of the cursor's scope.
#[derive(Serialize)]
struct ChangeRequestListParams {
    statuses: Vec<WantedChangeRequestStatus>,
    creator: Option<UserId>,
    contributor: Option<UserId>,
    reviewer: Option<UserId>,
    cluster: Option<IssuesClusterId>,
    space: Option<NodeId>,
    site: Option<SiteId>,
    order_by: ChangeRequestOrder,
}

impl ChangeRequestListParams {
    fn filters(&self) -> ChangeRequestFilters {
        ChangeRequestFilters {
            statuses: self.statuses.iter().map(|status| status.to_stored()).collect(),
            creator: self.creator,
            contributor: self.contributor,
            reviewer: self.reviewer,
            cluster: self.cluster,
            space: self.space,
            site: self.site,
        }
    }
}

pub async fn list_of_space(
    kernel: &Kernel,
    access: &SpaceAccess,
    query: ListChangeRequestsForSpaceQuery,
) -> Result<ChangeRequestList, ApiError> {
    let (space, organization) = (access.row.node.id, access.row.node.organization_id);
    let params = ChangeRequestListParams {
        statuses: query.status,
        creator: query.creator,
        contributor: query.contributor,
        reviewer: query.requested_reviewer,
        cluster: present_cluster(kernel, organization, query.conversations_issues_cluster).await?,
        space: None,
        site: None,
        order_by: query.order_by,
    };
    let order_by = params.order_by;
    let filters = params.filters();
    let kept = filters.kept_count(&access.row.space);
    let found = filters.apply(Column::SpaceId, space.into());
    let scope = ("change-requests", space, params);
    let list = List::new(kernel, scope, query.page, query.limit);
    match order_by {
        ChangeRequestOrder::UpdatedAt => {
            answer(kernel, list, found, kept, (store::last_changed_first(), last_change)).await
        }
        ChangeRequestOrder::CreatedAt => answer(kernel, list, found, kept, (store::newest_first(), id)).await,
    }
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
        cluster: present_cluster(kernel, member.organization, query.conversations_issues_cluster).await?,
        space: query.space,
        site: query.site,
        order_by: query.order_by,
    };
    let order_by = params.order_by;
    let rows = params
        .filters()
        .apply(Column::OrganizationId, member.organization.into());
    let scope = ("organization-change-requests", member.organization, member.user, params);
    let list = List::new(kernel, scope, query.page, query.limit);
    let filter = |requests| store::with_joins(store::visible_to(&member, requests));
    match order_by {
        ChangeRequestOrder::UpdatedAt => {
            let scan = Scan::new(rows, store::last_changed_first(), filter, SCANNED_TO);
            answer_scan(kernel, list, &scan, last_change).await
        }
        ChangeRequestOrder::CreatedAt => {
            let scan = Scan::new(rows, store::newest_first(), filter, SCANNED_TO);
            answer_scan(kernel, list, &scan, id).await
        }
    }
}

/// The cluster of a filter, which may have been merged into another one.
async fn present_cluster(
    kernel: &Kernel,
    organization: OrganizationId,
    wanted: Option<IssuesClusterId>,
) -> Result<Option<IssuesClusterId>, ApiError> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let present = clusters::present(kernel.db.read(), organization, wanted).await?;
    Ok(Some(present.unwrap_or(wanted)))
}

fn last_change(row: &ChangeRequestWithCreator) -> (Timestamp, ChangeRequestId) {
    (row.request.updated_at, row.request.id)
}

fn id(row: &ChangeRequestWithCreator) -> ChangeRequestId {
    row.request.id
}

async fn answer<S, K>(
    kernel: &Kernel,
    list: List<'_, S>,
    found: Ranges<Entity>,
    kept: Option<u64>,
    (order, key): (Keyset, fn(&ChangeRequestWithCreator) -> K),
) -> Result<ChangeRequestList, ApiError>
where
    S: Serialize,
    K: Serialize + DeserializeOwned + IntoValueTuple + Clone,
{
    let db = kernel.db.read();
    let load = |_, after, limit| store::page(db, &found, &order, (after, limit), key);
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

async fn answer_scan<S, F, K>(
    kernel: &Kernel,
    list: List<'_, S>,
    scan: &Scan<Entity, F>,
    key: fn(&ChangeRequestWithCreator) -> K,
) -> Result<ChangeRequestList, ApiError>
where
    S: Serialize,
    F: Fn(Select<Entity>) -> Select<Entity>,
    K: Serialize + DeserializeOwned + IntoValueTuple + TryGetableMany + Clone + Send,
{
    let run = |query: Select<Entity>| query.into_partial_model().all(kernel.db.read());
    let (page, count) = list.load_scan(scan, run, key).await?;
    let items = super::views(kernel, page.items).await?;
    let page = db::Page { items, next: page.next };
    Ok(list.answer(page, count, |item| item)?.into())
}
