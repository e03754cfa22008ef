//! Change requests that the server opens by itself.

use entity::{
    authoring::change_requests::Model,
    ids::{ChangeRequestId, RevisionId, UserId},
    library::nodes,
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Tx, rows};

use super::{Status, counters};

/// An open change request with content of its own.
#[derive(Debug, Clone)]
pub struct NewProposal {
    pub id: ChangeRequestId,
    pub subject: String,
    pub created_by: UserId,
    /// The revision of the space that the content starts from.
    pub initial: RevisionId,
    /// The revision with the content, which the caller stores.
    pub revision: RevisionId,
    pub now: Timestamp,
}

pub async fn insert_proposal(tx: &Tx, node: &nodes::Model, new: &NewProposal) -> Result<(), ApiError> {
    let counted = counters::count_new(tx, node.id).await?;
    counters::move_status(tx, node.id, Status::Draft, Status::Open).await?;
    let request = Model {
        id: new.id,
        space_id: node.id,
        number: counted.change_requests,
        status: Status::Open,
        subject: new.subject.clone(),
        description: None,
        links: None,
        created_by: new.created_by,
        created_at: new.now,
        updated_at: new.now,
        revision_id: new.revision,
        initial_id: new.initial,
        ancestor_id: None,
        merged_id: None,
        merged_at: None,
        merged_by: None,
        organization_id: node.organization_id,
        conversations_issues_cluster_id: None,
    };
    rows::insert(tx, &request).await?;
    Ok(())
}
