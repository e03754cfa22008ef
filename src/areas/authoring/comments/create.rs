//! New comments and replies.

use entity::{
    authoring::{
        change_requests::contributors::ContributorAction,
        comments::{CommentStatus, Model},
    },
    ids::{CommentId, UserId},
};
use openapi::{
    error::ApiError,
    models::{Comment, CommentFormat, CommentReply, CommentText, PostComment, PostCommentReply},
};
use platform::db::{Tx, is_foreign_key_violation, rows};
use serde_json::json;

use super::{
    anchor::{self, CommentAnchor},
    body, comment_not_found, comment_target, participants, reply_not_found, reply_target,
    scope::{CommentScope, CommentedContent},
    store,
    view::CommentView,
};
use crate::{
    areas::{
        authoring::{
            Authoring, change_requests::record_contribution, comment_counts::CountChange,
            comments::engagement::ReplySummary,
        },
        identity::users,
        library::tree,
    },
    kernel::{Kernel, audit::Changed},
};

pub async fn create_comment(
    authoring: &Authoring,
    scope: CommentScope,
    comment: PostComment,
) -> Result<Comment, ApiError> {
    let PostComment {
        page,
        node,
        table_cell,
        body,
    } = comment;
    let text = body::to_markdown(&authoring.kernel, "/body/body", body).await?;
    let anchor = anchor::resolve(authoring, &scope.place, page, node, table_cell).await?;
    let comment = new_comment(&authoring.kernel, &scope.place, scope.rights.user, text, anchor);
    let (space, row) = (scope.node.clone(), comment.clone());
    let work = move |tx| async move {
        tree::reload(&tx, &space).await?;
        let posted = comment_target(&space, row.id);
        let payload = json!({ "space": row.space_id, "changeRequest": row.change_request_id, "page": row.page_id });
        insert(&tx, row).await?;
        Changed::of(posted, ()).with(payload)
    };
    authoring.kernel.write(&scope.caller, work).await?;
    authoring.count_parts.changed().await;
    let (view, body) = load_posted(&authoring.kernel, &scope, &comment, CommentFormat::Markdown).await?;
    view.comment(comment.into(), body, ReplySummary::default(), Vec::new())
        .ok_or_else(comment_not_found)
}

pub async fn create_reply(
    authoring: &Authoring,
    scope: CommentScope,
    to: CommentId,
    reply: PostCommentReply,
    format: CommentFormat,
) -> Result<CommentReply, ApiError> {
    let text = body::to_markdown(&authoring.kernel, "/body/body", reply.body).await?;
    // A comment never moves, and a foreign key detects its deletion: no lock is needed.
    let first = store::find(authoring.kernel.db.read(), &scope.place, to).await?;
    first.ok_or_else(comment_not_found)?;
    let reply = Model {
        parent_id: Some(to),
        list_id: *to.as_uuid(),
        ..new_comment(
            &authoring.kernel,
            &scope.place,
            scope.rights.user,
            text,
            CommentAnchor::default(),
        )
    };
    let (space, row) = (scope.node.clone(), reply.clone());
    let work = move |tx| async move {
        tree::reload(&tx, &space).await?;
        let posted = reply_target(&space, row.id);
        insert(&tx, row).await?;
        Changed::of(posted, ()).with(json!({ "comment": to }))
    };
    authoring.kernel.write(&scope.caller, work).await?;
    authoring.count_parts.changed().await;
    let (view, body) = load_posted(&authoring.kernel, &scope, &reply, format).await?;
    view.reply(to, reply.into(), body, Vec::new())
        .ok_or_else(reply_not_found)
}

/// A comment on the current content.
pub fn new_comment(
    kernel: &Kernel,
    place: &CommentedContent,
    author: UserId,
    text: String,
    anchor: CommentAnchor,
) -> Model {
    let (cell_record, cell_definition) = match anchor.cell {
        Some(cell) => (Some(cell.record), Some(cell.definition)),
        None => (None, None),
    };
    Model {
        id: kernel.ids.next(),
        space_id: place.space,
        change_request_id: place.change_request,
        review_id: None,
        parent_id: None,
        list_id: place.list(),
        author_id: author,
        body: text,
        posted_at: kernel.clock.now(),
        edited_at: None,
        revision_id: place.revision,
        page_id: anchor.page,
        node: anchor.node,
        cell_record,
        cell_definition,
        status: CommentStatus::Open,
        resolved_at: None,
        resolved_by: None,
    }
}

/// Inserts a comment or a reply, with what is kept beside it. Of the rows that it reads, other requests write only those of
/// first and last comments of a person, so PostgreSQL rarely has to retry it.
pub async fn insert(tx: &Tx, comment: Model) -> Result<(), ApiError> {
    let (request, author, now) = (comment.change_request_id, comment.author_id, comment.posted_at);
    match rows::insert(tx, &comment).await {
        Ok(()) => {}
        // The parent comment was deleted.
        Err(e) if is_foreign_key_violation(&e) => return Err(comment_not_found()),
        Err(e) => return Err(e.into()),
    }
    // No other part of a list has the id of the comment.
    CountChange::added(&comment).write(tx, *comment.id.as_uuid()).await?;
    participants::add(tx, &comment).await?;
    if let Some(request) = request {
        record_contribution(tx, request, author, ContributorAction::Comment, now).await?;
    }
    Ok(())
}

/// The posted comment as posted: another request may have changed or deleted it since.
async fn load_posted<'a>(
    kernel: &'a Kernel,
    scope: &CommentScope,
    posted: &Model,
    format: CommentFormat,
) -> Result<(CommentView<'a>, CommentText), ApiError> {
    let people = users::views_of(kernel, vec![posted.author_id]).await?;
    let body = body::from_markdown(kernel, vec![posted.body.clone()], format).await?;
    let body = body.into_iter().next().ok_or_else(comment_not_found)?;
    Ok((CommentView::new(kernel, scope, people), body))
}
