//! Reviews of change requests, and requests for reviews.

mod request;
pub mod store;
mod submit;
mod view;

use entity::ids::{ReviewId, UserId};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        ChangeRequestReview, ChangeRequestReviewList, CommentFormat, RequestReviewers, RequestedReviewerList,
        RequestedReviewers, SubmitReview,
    },
    operations::reviews::{
        GetChangeRequestReviewByIdQuery, GetRequestedReviewersByChangeRequestIdQuery, GetReviewsByChangeRequestIdQuery,
        ReviewsApi,
    },
};
use serde_json::json;

use crate::{
    access::ChangeRequestAccess,
    areas::authoring::{Authoring, change_requests, comments::queries},
    kernel::{Kernel, audit::Changed, lists::List},
};
use store::{RequestedReviewerRow, ReviewRow};

impl ReviewsApi for Authoring {
    async fn get_reviews_by_change_request_id(
        &self,
        access: ChangeRequestAccess,
        query: GetReviewsByChangeRequestIdQuery,
    ) -> Result<ChangeRequestReviewList, ApiError> {
        let GetReviewsByChangeRequestIdQuery {
            page,
            limit,
            format,
            outdated,
        } = query;
        let request = &access.request;
        let list = List::new(&self.kernel, ("reviews", request.id, outdated), page, limit);
        let db = self.kernel.db.read();
        let found = store::of_request(request.id, request.revision_id, outdated);
        let load = |found, after, limit| store::page(db, found, after, limit);
        let views = async |rows| review_views(&self.kernel, access, rows, format).await;
        Ok(list.load(found, load, views).await?.into())
    }

    async fn submit_change_request_review(
        &self,
        access: ChangeRequestAccess,
        body: SubmitReview,
    ) -> Result<Created<ChangeRequestReview>, ApiError> {
        let body = submit::submit_review(self, access, body).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_change_request_review_by_id(
        &self,
        access: ChangeRequestAccess,
        review_id: ReviewId,
        query: GetChangeRequestReviewByIdQuery,
    ) -> Result<ChangeRequestReview, ApiError> {
        let found = store::find(self.kernel.db.read(), access.request.id, review_id).await?;
        let row = found.ok_or_else(not_found)?;
        let reviews = review_views(&self.kernel, access, vec![row], query.format).await?;
        reviews.into_iter().next().ok_or_else(not_found)
    }

    async fn get_requested_reviewers_by_change_request_id(
        &self,
        access: ChangeRequestAccess,
        query: GetRequestedReviewersByChangeRequestIdQuery,
    ) -> Result<RequestedReviewerList, ApiError> {
        let request = access.request.id;
        let list = List::new(&self.kernel, ("requested-reviewers", request), query.page, query.limit);
        let db = self.kernel.db.read();
        let load = |found, after, limit| store::requests_page(db, found, after, limit);
        let view = |row| view::requested(&self.kernel.urls, row);
        let views = async |rows: Vec<RequestedReviewerRow>| Ok(rows.into_iter().map(view).collect());
        Ok(list.load(store::requests_of(request), load, views).await?.into())
    }

    async fn request_reviewers_for_change_request(
        &self,
        access: ChangeRequestAccess,
        body: RequestReviewers,
    ) -> Result<RequestedReviewers, ApiError> {
        request::request_reviews(&self.kernel, &access, body).await
    }

    async fn remove_requested_reviewer_from_change_request(
        &self,
        access: ChangeRequestAccess,
        user_id: UserId,
    ) -> Result<(), ApiError> {
        let (node, request) = (access.row.node, access.request);
        let work = move |tx| async move {
            let requested_by = store::delete_request(&tx, request.id, user_id).await?;
            let target = requested_by.map(|_| change_requests::target(&node, &request));
            Changed::if_some(target).with(json!({ "user": user_id }))
        };
        self.kernel.write(&access.caller, work).await
    }
}

/// Reviews with the comments that were posted with them.
async fn review_views(
    kernel: &Kernel,
    access: ChangeRequestAccess,
    rows: Vec<ReviewRow>,
    format: CommentFormat,
) -> Result<Vec<ChangeRequestReview>, ApiError> {
    let (space, present) = (access.request.space_id, access.request.revision_id);
    let reviews = rows.iter().map(|row| row.review.id).collect();
    let mut comments = queries::comments_of_reviews(kernel, &access.into(), reviews, format).await?;
    let view = |row: ReviewRow| {
        let comment = comments.remove(&row.review.id);
        view::review(&kernel.urls, space, present, row, comment)
    };
    Ok(rows.into_iter().map(view).collect())
}

fn not_found() -> ApiError {
    ApiError::not_found("review")
}
