//! Requests for reviews.

use std::collections::HashMap;

use entity::{authoring::change_requests::requested_reviewers::Model, ids::UserId, library::nodes};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ErrorDetail, RequestReviewers, RequestedReviewers},
};
use sea_orm::ConnectionTrait;

use super::{
    store::{self, RequestedReviewerRow},
    view,
};
use crate::{
    access::{ChangeRequestAccess, people::PeopleWithAccess},
    areas::{
        authoring::change_requests::{self, ChangeRequestPatch},
        organizations::members,
    },
    kernel::{Kernel, audit::Changed},
};

pub async fn request_reviews(
    kernel: &Kernel,
    access: &ChangeRequestAccess,
    body: RequestReviewers,
) -> Result<RequestedReviewers, ApiError> {
    let payload = serde_json::to_value(&body)?;
    let RequestReviewers {
        users,
        subject,
        description,
    } = body;
    let patch = ChangeRequestPatch::new(subject, description)?;
    let (node, request) = (access.row.node.clone(), access.request.clone());
    let (by, now) = (access.caller.user_id, kernel.clock.now());
    let work = move |tx| async move {
        let request = change_requests::store::lock(&tx, &node, &request).await?;
        change_requests::store::require_active(&request)?;
        let users = resolve(&tx, &node, &users).await?;
        let requests = users.iter().map(|user| Model {
            change_request_id: request.id,
            user_id: *user,
            requested_by: by,
            revision_id: request.revision_id,
            created_at: now,
        });
        let new = store::insert_requests(&tx, requests.collect()).await?;
        let patched = patch.apply(&tx, &request, now).await?;
        let requested = in_order(&users, store::find_requests(&tx, request.id, &users).await?);
        match (new, &patched) {
            (0, None) => Ok(Changed::nothing(requested)),
            (_, patched) => {
                let target = change_requests::target(&node, patched.as_ref().unwrap_or(&request));
                Changed::of(target, requested).with(payload)
            }
        }
    };
    let requested = kernel.write(&access.caller, work).await?.into_iter();
    Ok(RequestedReviewers {
        users: requested.map(|row| view::requested(&kernel.urls, row)).collect(),
    })
}

/// The users that the body names. Refuses users who cannot read the space.
async fn resolve(db: &impl ConnectionTrait, node: &nodes::Model, named: &[String]) -> Result<Vec<UserId>, ApiError> {
    let named: Vec<Option<UserId>> = named.iter().map(|id| id.parse().ok()).collect();
    let users: Vec<UserId> = named.iter().copied().flatten().collect();
    let members = members::store::existing(db, node.organization_id, users.clone()).await?;
    let readers = PeopleWithAccess::to(node).among(db, users.clone()).await?;
    let mut refused = Vec::new();
    for (i, user) in named.iter().enumerate() {
        let pointer = format!("/body/users/{i}");
        match user {
            Some(user) if readers.contains(user) => {}
            Some(user) if members.contains(user) => refused.push(ErrorDetail {
                pointer,
                code: ErrorRule::NoAccess,
                message: "The user has no permission to read the space.".to_owned(),
            }),
            _ => refused.push(members::not_a_member(pointer)),
        }
    }
    ApiError::refuse(refused)?;
    Ok(users)
}

fn in_order(users: &[UserId], rows: Vec<RequestedReviewerRow>) -> Vec<RequestedReviewerRow> {
    let mut rows: HashMap<UserId, RequestedReviewerRow> =
        rows.into_iter().map(|row| (row.request_row.user_id, row)).collect();
    users.iter().filter_map(|user| rows.remove(user)).collect()
}
