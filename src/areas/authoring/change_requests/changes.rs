//! The changes of a change request.

use openapi::{
    error::ApiError, models::RevisionSemanticChanges, operations::change_requests::GetChangeRequestChangesQuery,
};

use crate::{
    access::ChangeRequestAccess,
    areas::authoring::{Authoring, editor::write, reader::RevisionReader},
};

/// Before the merge: the differences from the revision of the space that the change request last pulled in. After the
/// merge: the changes that the merge made in the space.
pub async fn get_changes(
    authoring: &Authoring,
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
            let merged = write::load_revision(&authoring.contents, space, merged).await?;
            (merged.parents.first().copied(), merged.id)
        }
    };
    let before = match before {
        Some(before) => write::load_revision(&authoring.contents, space, before).await?.snapshot,
        None => Default::default(),
    };
    let mut reader = RevisionReader::open(authoring, space, after, None).await?;
    let (changes, more) = reader.semantic_changes(&before, query.limit).await?;
    Ok(RevisionSemanticChanges {
        merged_from: None,
        changes,
        more,
    })
}
