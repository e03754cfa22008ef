//! What a change request changes.

use openapi::{
    error::ApiError, models::RevisionSemanticChanges, operations::change_requests::GetChangeRequestChangesQuery,
};

use crate::{
    access::ChangeRequestAccess,
    app::App,
    areas::authoring::{editor::publish, reader::Reading},
};

/// As long as it is not merged, what differs from the content of the space that it has pulled in; then, what the merge
/// changed in the space.
pub async fn of_request(
    app: &App,
    access: ChangeRequestAccess,
    query: GetChangeRequestChangesQuery,
) -> Result<RevisionSemanticChanges, ApiError> {
    let (request, space) = (access.request, access.row.node.id);
    let (before, after) = match request.merged_id {
        None => (
            Some(request.ancestor_id.unwrap_or(request.initial_id)),
            request.revision_id,
        ),
        Some(merged) => {
            let merged = publish::require(app, space, merged).await?;
            (merged.parents.first().copied(), merged.id)
        }
    };
    let before = match before {
        Some(before) => publish::require(app, space, before).await?.snapshot,
        None => Default::default(),
    };
    let mut reading = Reading::of(app, space, after, None).await?;
    let (changes, more) = reading.differences(&before, query.limit).await?;
    Ok(RevisionSemanticChanges {
        merged_from: None,
        changes,
        more,
    })
}
