//! Changes to the subject, description, status and links of change requests.

use entity::{
    authoring::change_requests::{ActiveModel, Model},
    ids::IssuesClusterId,
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{ChangeRequest, Document, DocumentBlock, EditChangeRequest, InlineNode},
    values::Maybe,
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{Set, Unchanged},
    ConnectionTrait,
};
use serde_json::Value;

use super::{Status, counters, links::NewLinks, load, store, target};
use crate::{
    access::ChangeRequestAccess,
    kernel::{Kernel, audit::Changed, document_targets, wire::ToStored},
};

pub async fn update(
    kernel: &Kernel,
    access: &ChangeRequestAccess,
    body: EditChangeRequest,
) -> Result<ChangeRequest, ApiError> {
    let payload = serde_json::to_value(&body)?;
    let EditChangeRequest {
        subject,
        description,
        status,
        links,
        conversations_issues_cluster,
    } = body;
    let patch = ChangeRequestPatch {
        status: status.map(ToStored::to_stored),
        links: links.map(|links| NewLinks::parse(kernel, links)).transpose()?,
        cluster: match conversations_issues_cluster {
            Maybe::Absent => None,
            Maybe::Null => Some(None),
            Maybe::Value(cluster) => Some(Some(cluster)),
        },
        ..ChangeRequestPatch::new(subject, description)?
    };
    let (node, request, now) = (access.row.node.clone(), access.request.clone(), kernel.clock.now());
    let work = move |tx| async move {
        let request = store::lock(&tx, &node, &request).await?;
        match patch.apply(&tx, &request, now).await? {
            Some(changed) => Changed::of(target(&node, &changed), ()).with(payload),
            None => Ok(Changed::nothing(())),
        }
    };
    kernel.write(&access.caller, work).await?;
    load(kernel, access.row.node.id, access.request.id).await
}

/// The members to change. `None`: unchanged.
#[derive(Clone, Default)]
pub struct ChangeRequestPatch {
    pub subject: Option<String>,
    /// `Some(None)` clears it.
    pub description: Option<Option<Value>>,
    pub status: Option<Status>,
    pub links: Option<NewLinks>,
    /// The cluster of issues. `Some(None)` clears it.
    pub cluster: Option<Option<IssuesClusterId>>,
}

impl ChangeRequestPatch {
    /// `description` is the member of this name of the body.
    pub fn new(subject: Option<String>, description: Option<Document>) -> Result<Self, ApiError> {
        if let Some(description) = &description {
            document_targets::require_safe("/body/description", description)?;
        }
        Ok(Self {
            subject,
            description: description.as_ref().map(as_stored).transpose()?,
            status: None,
            links: None,
            cluster: None,
        })
    }

    /// Returns the changed change request. `None` if nothing changed.
    pub async fn apply(
        self,
        db: &impl ConnectionTrait,
        request: &Model,
        now: Timestamp,
    ) -> Result<Option<Model>, ApiError> {
        if self.status.is_some() && request.status == Status::Merged {
            return Err(store::merged_error());
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
            counters::move_status(db, request.space_id, request.status, status).await?;
            row.status = Set(status);
        }
        let links = self.links.map(|links| links.stored(request)).transpose()?;
        if let Some(links) = links.filter(|links| *links != request.links) {
            row.links = Set(links);
        }
        if let Some(cluster) = self.cluster {
            let cluster = store::present_cluster(db, request.organization_id, cluster).await?;
            if cluster != request.conversations_issues_cluster_id {
                row.conversations_issues_cluster_id = Set(cluster);
            }
        }
        if !row.is_changed() {
            return Ok(None);
        }
        row.updated_at = Set(now);
        Ok(Some(row.update(db).await?))
    }
}

/// The description as stored. `None` if it has no text.
fn as_stored(description: &Document) -> Result<Option<Value>, ApiError> {
    if description.nodes.iter().all(is_blank) {
        return Ok(None);
    }
    serde_json::to_value(description).map(Some).map_err(ApiError::internal)
}

/// Returns whether a block is an empty paragraph, which editors leave behind when a text is deleted.
fn is_blank(block: &DocumentBlock) -> bool {
    let DocumentBlock::BlockParagraph(paragraph) = block else {
        return false;
    };
    paragraph.nodes.iter().flatten().all(|node| match node {
        InlineNode::Text(text) => text.leaves.iter().all(|leaf| leaf.text.trim().is_empty()),
        InlineNode::Inline(_) => false,
    })
}
