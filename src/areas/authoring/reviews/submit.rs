//! Submitting reviews.

use entity::{
    authoring::{change_requests::reviews::Model, comments},
    ids::ReviewId,
    organizations::members::MemberRole,
};
use openapi::{
    error::ApiError,
    models::{ChangeRequestReview, CommentFormat, CommentText, SubmitReview},
};
use platform::db::rows;
use serde_json::json;

use super::{not_found, review_views, store};
use crate::{
    access::ChangeRequestAccess,
    areas::authoring::{
        Authoring, change_requests,
        comments::{CommentAnchor, CommentedContent, body, create},
    },
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        wire::ToStored,
    },
};

pub async fn submit_review(
    authoring: &Authoring,
    mut access: ChangeRequestAccess,
    review: SubmitReview,
) -> Result<ChangeRequestReview, ApiError> {
    let SubmitReview { status, comment } = review;
    let (node, request, reviewer) = (access.row.node.clone(), access.request.clone(), access.caller.user_id);
    let is_reviewer = access.level >= MemberRole::Review;
    let (id, now): (ReviewId, _) = (authoring.kernel.ids.next(), authoring.kernel.clock.now());
    let content = CommentedContent::of_request(&request);
    let comment = comment_text(&authoring.kernel, comment).await?;
    let comment =
        comment.map(|text| create::new_comment(&authoring.kernel, &content, reviewer, text, CommentAnchor::default()));
    let work = move |tx| async move {
        let request = change_requests::store::lock(&tx, &node, &request).await?;
        change_requests::store::require_active(&request)?;
        let requested_by = store::delete_request(&tx, request.id, reviewer).await?;
        if requested_by.is_none() && !is_reviewer {
            return Err(ApiError::forbidden("The request for a review was removed."));
        }
        let review = Model {
            id,
            change_request_id: request.id,
            revision_id: request.revision_id,
            reviewer_id: reviewer,
            requested_by,
            status: status.to_stored(),
            created_at: now,
            updated_at: now,
        };
        rows::insert(&tx, &review).await?;
        let posted = comment.as_ref().map(|comment| comment.id);
        if let Some(comment) = comment {
            let comment = comments::Model {
                review_id: Some(id),
                revision_id: review.revision_id,
                ..comment
            };
            create::insert(&tx, comment).await?;
        }
        let row = store::find(&tx, request.id, id).await?.ok_or_else(not_found)?;
        let target = AuditTarget::in_organization(node.organization_id, "change-request-review", id);
        let payload =
            json!({ "changeRequest": request.id, "revision": review.revision_id, "status": status, "comment": posted });
        Changed::of(target, (row, request)).with(payload)
    };
    let (row, request) = authoring.kernel.write(&access.caller, work).await?;
    authoring.count_parts.changed().await;
    access.request = request;
    let reviews = review_views(&authoring.kernel, access, vec![row], CommentFormat::Markdown).await?;
    reviews.into_iter().next().ok_or_else(not_found)
}

/// The text of the comment to post. `None` if it is blank.
async fn comment_text(kernel: &Kernel, comment: Option<CommentText>) -> Result<Option<String>, ApiError> {
    let Some(comment) = comment else {
        return Ok(None);
    };
    let text = body::to_markdown(kernel, "/body/comment", comment).await?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}
