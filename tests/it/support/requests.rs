//! Change requests in states that tests need.

use bindery::areas::authoring::change_requests;
use entity::{
    authoring::change_requests::{ChangeRequestStatus, Column, Entity, conflicts, contributors::ContributorAction},
    ids::{ChangeRequestId, RevisionId, UserId},
    library::spaces,
    organizations::members::MemberRole,
};
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};

use super::world::{Person, World};

/// The id of a change request.
pub fn request_id(object: &Value) -> ChangeRequestId {
    object["id"].as_str().unwrap().parse().unwrap()
}

impl World {
    /// A new change request in the space.
    pub async fn change_request(&self, by: &Person, subject: &str) -> Value {
        let create = by.client.call("createChangeRequest").space(self.space);
        create.json(json!({ "subject": subject })).expect(201).await
    }

    /// Changes a change request of the space.
    pub async fn patch(&self, request: &Value, body: Value) -> Value {
        let call = self.admin.client.call("updateChangeRequestById").space(self.space);
        let call = call.path("changeRequestId", request_id(request));
        call.json(body).expect(200).await
    }

    pub async fn read_request(&self, request: &Value) -> Value {
        let call = self.admin.client.call("getChangeRequestById").space(self.space);
        call.path("changeRequestId", request_id(request)).expect(200).await
    }

    /// One more in each list about change requests.
    pub async fn add_to_change_requests(&self, number: usize) {
        let open = self.change_request(&self.admin, "One more").await;
        self.patch(&open, json!({ "status": "open" })).await;
        let place = |operation: &str| {
            let call = self.admin.client.call(operation).space(self.space);
            call.path("changeRequestId", self.own("changeRequestId"))
        };
        let asked = self.member(&format!("asked-{number}"), Some(MemberRole::Review)).await;
        let ask = place("requestReviewersForChangeRequest");
        ask.json(json!({ "users": [asked.id] })).expect(200).await;
        let review = place("submitChangeRequestReview");
        let said = json!({ "status": "approved", "comment": { "markdown": "Good" } });
        review.json(said).expect(201).await;
        let request = self.own("changeRequestId").parse().unwrap();
        self.contributed(request, asked.id).await;
        self.add_conflict(request).await;
    }

    /// Notes a conflict about something.
    async fn add_conflict(&self, request: ChangeRequestId) {
        use conflicts::{ConflictKind, ConflictSubject, Entity, Model};
        let ids = &self.app().kernel.ids;
        let row = Model {
            change_request_id: request,
            subject_id: ids.next(),
            subject: ConflictSubject::Page,
            kind: ConflictKind::EditEdit,
            base_id: ids.next(),
            ours_id: ids.next(),
            theirs_id: ids.next(),
            created_at: self.app().kernel.clock.now(),
        };
        let work = move |tx| async move {
            let row = row.into_active_model().reset_all();
            Entity::insert(row).exec_without_returning(&tx).await
        };
        self.app().kernel.db.write(work).await.unwrap();
    }

    /// Notes an edit of somebody.
    pub async fn contributed(&self, request: ChangeRequestId, user: UserId) {
        let now = self.app().kernel.clock.now();
        let work = move |tx| async move {
            change_requests::record_contribution(&tx, request, user, ContributorAction::Edit, now).await
        };
        self.app().kernel.db.write(work).await.unwrap();
    }

    /// Gives a change request of the space another status, as a merge does.
    pub async fn set_merged(&self, request: &Value) {
        let (space, request) = (self.space, request_id(request));
        let work = move |tx| async move {
            let row = Entity::find_by_id(request).one(&tx).await?.unwrap();
            change_requests::move_status(&tx, space, row.status, ChangeRequestStatus::Merged).await?;
            let update = Entity::update_many().col_expr(Column::Status, Expr::value(ChangeRequestStatus::Merged));
            update.filter(Column::Id.eq(request)).exec(&tx).await?;
            Ok::<_, DbErr>(())
        };
        self.app().kernel.db.write(work).await.unwrap();
    }

    /// Gives a change request another content; there is nothing in it.
    pub async fn set_revision(&self, request: &Value) -> RevisionId {
        let (request, revision) = (request_id(request), self.app().kernel.ids.next());
        let work = move |tx| async move {
            let update = Entity::update_many().col_expr(Column::RevisionId, Expr::value(revision));
            update.filter(Column::Id.eq(request)).exec(&tx).await?;
            Ok::<_, DbErr>(())
        };
        self.app().kernel.db.write(work).await.unwrap();
        revision
    }

    /// Gives the space another content; there is nothing in it.
    pub async fn set_content(&self) -> RevisionId {
        let (space, revision) = (self.space, self.app().kernel.ids.next());
        let work = move |tx| async move {
            let update = spaces::Entity::update_many().col_expr(spaces::Column::RevisionId, Expr::value(revision));
            update.filter(spaces::Column::Id.eq(space)).exec(&tx).await?;
            Ok::<_, DbErr>(())
        };
        self.app().kernel.db.write(work).await.unwrap();
        revision
    }
}
