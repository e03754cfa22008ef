//! Applying templates to change requests.

use content::{
    index::{Index, SearchUpdate},
    objects::Content,
};
use openapi::{error::ApiError, models::ApplyTemplate};

use super::update::{content_update, load_active};

use crate::{
    access::ChangeRequestAccess,
    areas::{
        authoring::{
            change_requests::{compare_and_set_content, store},
            editor::write::{load_revision, require_match},
        },
        content::Contents,
        library::templates::{AppliedTemplate, Destination},
    },
};

/// Adds the content of a template, which stands at `pointer` in the request, to the change request.
pub async fn apply_template(
    contents: &Contents,
    access: &ChangeRequestAccess,
    if_match: Option<&str>,
    (template, pointer): (ApplyTemplate, &'static str),
) -> Result<(), ApiError> {
    store::require_active(&access.request)?;
    let space = access.row.node.id;
    contents
        .write_content(space, async || {
            let request = load_active(&contents.kernel, access).await?;
            require_match(if_match, request.revision_id)?;
            let head = load_revision(contents, space, request.revision_id).await?;
            let destination = Destination {
                space,
                snapshot: head.snapshot,
                pointer,
            };
            let prepare = AppliedTemplate::prepare(contents, &access.member, template.clone(), destination);
            // On the heap: together they take more of the stack than a thread has.
            let template = Box::pin(prepare).await?;
            let mut content = Content::new(contents.kernel.db.read(), &contents.state.objects, space);
            let draft = template.draft(&mut content).await?;
            let context = (&contents.kernel.db, &contents.kernel.work);
            let index = Index::of(context, &mut content, space, &draft.changes, SearchUpdate::None).await?;
            let update = content_update(access, &request, (draft, index), &[]);
            Ok(Box::pin(compare_and_set_content(contents, access, update))
                .await?
                .map(drop))
        })
        .await
}
