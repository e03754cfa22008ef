//! Wire types of reviews.

use entity::{
    authoring::change_requests::reviews::ReviewStatus as Stored,
    ids::{NodeId, RevisionId},
};
use openapi::models::{ChangeRequestReview, ChangeRequestReviewUrls, Comment, RequestedReviewer, ReviewStatus};

use super::store::{RequestedReviewerRow, ReviewRow};
use crate::{
    areas::identity::users::view::user,
    kernel::{
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    Stored = ReviewStatus { ChangesRequested, Approved }
}

/// A review of a change request of this space, whose content is `present`, with the comment that was posted with it.
pub fn review(
    urls: &Urls,
    space: NodeId,
    present: RevisionId,
    row: ReviewRow,
    comment: Option<Comment>,
) -> ChangeRequestReview {
    let ReviewRow {
        review,
        reviewer,
        requester,
    } = row;
    ChangeRequestReview {
        object: Default::default(),
        id: review.id.to_string(),
        revision: review.revision_id.to_string(),
        reviewer: user(urls, reviewer),
        requested_by: requester.map(|requester| user(urls, requester)),
        status: review.status.to_wire(),
        outdated: review.revision_id != present,
        comment,
        created_at: time(review.created_at),
        updated_at: time(review.updated_at),
        urls: ChangeRequestReviewUrls {
            location: urls.review(space, review.change_request_id, review.id),
        },
    }
}

pub fn requested(urls: &Urls, row: RequestedReviewerRow) -> RequestedReviewer {
    RequestedReviewer {
        object: Default::default(),
        revision: row.request_row.revision_id.to_string(),
        requested_by: user(urls, row.requester),
        created_at: time(row.request_row.created_at),
        kind: Default::default(),
        user: user(urls, row.reviewer),
    }
}
