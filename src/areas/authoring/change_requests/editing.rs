//! New change requests, and changes to their subject, description and status.

use entity::{
    change_requests::{ActiveModel, Model},
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{ChangeRequest, CreateChangeRequest, Document, DocumentBlock, EditChangeRequest, InlineNode},
};
use platform::db::rows;
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{Set, Unchanged},
    ConnectionTrait,
};
use serde_json::{Value, json};

use crate::{
    access::{ChangeRequestAccess, SpaceAccess},
    app::{App, audit::Changed},
    areas::library::tree::moving,
};

use super::{Status, counters, load, store, target, view};

/// Creates a draft that starts from what the space holds now.
pub async fn create(
    app: &App,
    access: &SpaceAccess,
    body: Option<CreateChangeRequest>,
) -> Result<ChangeRequest, ApiError> {
    let subject = body.and_then(|body| body.subject).unwrap_or_default();
    let (node, creator) = (access.row.node.clone(), access.caller.user_id);
    let (id, now, space) = (app.ids.next(), app.clock.now(), node.id);
    let work = move |tx| async move {
        moving::again(&tx, &node).await?;
        let counted = counters::add(&tx, node.id).await?;
        let request = Model {
            id,
            space_id: node.id,
            number: counted.change_requests,
            status: Status::Draft,
            subject,
            description: None,
            created_by: creator,
            created_at: now,
            updated_at: now,
            revision_id: counted.revision_id,
            initial_id: counted.revision_id,
            ancestor_id: None,
            merged_id: None,
        };
        rows::insert(&tx, &request).await?;
        Changed::of(target(&node, &request), ()).with(json!({ "space": node.id, "number": request.number }))
    };
    app.write(&access.caller, work).await?;
    load(app, space, id).await
}

pub async fn update(
    app: &App,
    access: &ChangeRequestAccess,
    body: EditChangeRequest,
) -> Result<ChangeRequest, ApiError> {
    let payload = serde_json::to_value(&body)?;
    let EditChangeRequest {
        subject,
        description,
        status,
    } = body;
    let edit = Edit {
        status: status.map(view::wanted_status),
        ..Edit::new(subject, description)?
    };
    let (node, request, now) = (access.row.node.clone(), access.request.clone(), app.clock.now());
    let work = move |tx| async move {
        let request = store::again(&tx, &node, &request).await?;
        match edit.apply(&tx, &request, now).await? {
            Some(changed) => Changed::of(target(&node, &changed), ()).with(payload),
            None => Ok(Changed::nothing(())),
        }
    };
    app.write(&access.caller, work).await?;
    load(app, access.row.node.id, access.request.id).await
}

/// What to change; none stays as it is.
#[derive(Clone, Default)]
pub struct Edit {
    pub subject: Option<String>,
    /// `Some(None)` takes it away.
    pub description: Option<Option<Value>>,
    pub status: Option<Status>,
}

impl Edit {
    pub fn new(subject: Option<String>, description: Option<Document>) -> Result<Self, ApiError> {
        Ok(Self {
            subject,
            description: description.as_ref().map(as_stored).transpose()?,
            status: None,
        })
    }

    /// Answers the change request as changed; none if it was like that.
    pub async fn apply(
        self,
        db: &impl ConnectionTrait,
        request: &Model,
        now: Timestamp,
    ) -> Result<Option<Model>, ApiError> {
        if self.status.is_some() && request.status == Status::Merged {
            return Err(store::merged());
        }
        let mut row = ActiveModel {
            id: Unchanged(request.id),
            ..Default::default()
        };
        if let Some(subject) = self.subject.filter(|subject| *subject != request.subject) {
            row.subject = Set(subject);
        }
        if let Some(description) = self.description.filter(|text| *text != request.description) {
            row.description = Set(description);
        }
        if let Some(status) = self.status.filter(|status| *status != request.status) {
            counters::settle(db, request.space_id, request.status, status).await?;
            row.status = Set(status);
        }
        if !row.is_changed() {
            return Ok(None);
        }
        row.updated_at = Set(now);
        Ok(Some(row.update(db).await?))
    }
}

/// A description as it is kept: as it was sent, and none without a text.
fn as_stored(description: &Document) -> Result<Option<Value>, ApiError> {
    if description.nodes.iter().all(is_blank) {
        return Ok(None);
    }
    serde_json::to_value(description).map(Some).map_err(ApiError::internal)
}

/// Whether a block is a paragraph of nothing, which editors leave where a text was deleted.
fn is_blank(block: &DocumentBlock) -> bool {
    let DocumentBlock::BlockParagraph(paragraph) = block else {
        return false;
    };
    paragraph.nodes.iter().flatten().all(|node| match node {
        InlineNode::Text(text) => text.leaves.iter().all(|leaf| leaf.text.trim().is_empty()),
        InlineNode::Inline(_) => false,
    })
}
