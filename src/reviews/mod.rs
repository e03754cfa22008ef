//! Reviews of change requests, and who is asked for one.

mod requesting;
pub mod store;
mod view;

use entity::change_requests::reviews::Model;
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        ChangeRequestReview, ChangeRequestReviewList, RequestReviewers, RequestedReviewerList, RequestedReviewers,
        SubmitReview,
    },
    operations::reviews::{GetRequestedReviewersByChangeRequestIdQuery, GetReviewsByChangeRequestIdQuery, ReviewsApi},
};
use sea_orm::PaginatorTrait;
use serde_json::json;

use crate::{
    access::ChangeRequestAccess,
    app::App,
    audit::{Changed, Target},
    change_requests,
    errors::database,
    paging::List,
};

impl ReviewsApi for App {
    async fn get_reviews_by_change_request_id(
        &self,
        access: ChangeRequestAccess,
        query: GetReviewsByChangeRequestIdQuery,
    ) -> Result<ChangeRequestReviewList, ApiError> {
        let GetReviewsByChangeRequestIdQuery { page, limit, outdated } = query;
        let request = access.request;
        let list = List::new(self, ("reviews", request.id, outdated), page, limit);
        let db = self.db.read();
        let found = store::of_request(request.id, request.revision_id, outdated);
        let page = store::page(db, found.clone(), list.after()?, list.limit)
            .await
            .map_err(database)?;
        let count = found.count(db).await.map_err(database)?;
        let view = |row| view::review(&self.urls, request.space_id, request.revision_id, row);
        Ok(list.answer(page, count, view)?.into())
    }

    async fn submit_change_request_review(
        &self,
        access: ChangeRequestAccess,
        body: SubmitReview,
    ) -> Result<Created<ChangeRequestReview>, ApiError> {
        let SubmitReview { status } = body;
        let (node, request, reviewer) = (access.row.node, access.request, access.caller.user_id);
        let (id, now) = (self.ids.next(), self.clock.now());
        let work = move |tx| async move {
            let request = change_requests::store::again(&tx, &node, &request).await?;
            change_requests::store::require_active(&request)?;
            let review = Model {
                id,
                change_request_id: request.id,
                revision_id: request.revision_id,
                reviewer_id: reviewer,
                requested_by: store::take_back(&tx, request.id, reviewer).await?,
                status: view::stored_status(status),
                created_at: now,
                updated_at: now,
            };
            let revision = review.revision_id;
            store::insert(&tx, review).await?;
            let found = store::find(&tx, request.id, id).await?;
            let row = found.ok_or_else(unknown)?;
            let target = Target::in_organization(node.organization_id, "change-request-review", id);
            let payload = json!({ "changeRequest": request.id, "revision": revision, "status": status });
            Changed::of(target, (row, request)).with(payload)
        };
        let (row, request) = self.write(&access.caller, work).await?;
        let body = view::review(&self.urls, request.space_id, request.revision_id, row);
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_change_request_review_by_id(
        &self,
        access: ChangeRequestAccess,
        review_id: String,
    ) -> Result<ChangeRequestReview, ApiError> {
        let request = access.request;
        let review = review_id.parse().map_err(|_| unknown())?;
        let found = store::find(self.db.read(), request.id, review)
            .await
            .map_err(database)?;
        let row = found.ok_or_else(unknown)?;
        Ok(view::review(&self.urls, request.space_id, request.revision_id, row))
    }

    async fn get_requested_reviewers_by_change_request_id(
        &self,
        access: ChangeRequestAccess,
        query: GetRequestedReviewersByChangeRequestIdQuery,
    ) -> Result<RequestedReviewerList, ApiError> {
        let request = access.request.id;
        let list = List::new(self, ("requested-reviewers", request), query.page, query.limit);
        let db = self.db.read();
        let page = store::asked_page(db, request, list.after()?, list.limit)
            .await
            .map_err(database)?;
        let count = store::asked(request).count(db).await.map_err(database)?;
        Ok(list.answer(page, count, |row| view::requested(&self.urls, row))?.into())
    }

    async fn request_reviewers_for_change_request(
        &self,
        access: ChangeRequestAccess,
        body: RequestReviewers,
    ) -> Result<RequestedReviewers, ApiError> {
        requesting::ask(self, &access, body).await
    }

    async fn remove_requested_reviewer_from_change_request(
        &self,
        access: ChangeRequestAccess,
        user_id: String,
    ) -> Result<(), ApiError> {
        let Ok(user) = user_id.parse() else {
            return Ok(());
        };
        let (node, request) = (access.row.node, access.request);
        let work = move |tx| async move {
            let asked = store::take_back(&tx, request.id, user).await?;
            let target = asked.map(|_| change_requests::target(&node, &request));
            Changed::if_some(target).with(json!({ "user": user }))
        };
        self.write(&access.caller, work).await
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("review")
}
