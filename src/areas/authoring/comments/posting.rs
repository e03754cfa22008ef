//! New comments and replies.

use entity::{
    change_requests::contributors::ContributorAction,
    comments::{CommentStatus, Model},
    ids::{CommentId, UserId},
};
use openapi::{
    error::ApiError,
    models::{Comment, CommentFormat, CommentReply, CommentText, PostComment, PostCommentReply},
};
use platform::db::{is_foreign_key_violation, rows};
use sea_orm::ConnectionTrait;
use serde_json::json;

use crate::{
    app::{App, audit::Changed},
    areas::{
        authoring::{change_requests::contributed, comments::engagement::Replies},
        identity::users,
        library::tree::moving,
    },
};

use super::{
    body, reply_target,
    scope::{Place, Scope},
    store, target,
    targets::{self, Target},
    unknown, unknown_reply,
    view::View,
};

pub async fn post(app: &App, scope: Scope, comment: PostComment) -> Result<Comment, ApiError> {
    let PostComment {
        page,
        node,
        table_cell,
        body,
    } = comment;
    let text = body::read("/body/body", body).await?;
    let on = targets::find(app, &scope.place, page, node, table_cell).await?;
    let comment = new(app, &scope.place, scope.rights.user, text, on);
    let (space, row) = (scope.node.clone(), comment.clone());
    let work = move |tx| async move {
        moving::again(&tx, &space).await?;
        let posted = target(&space, row.id);
        let payload = json!({ "space": row.space_id, "changeRequest": row.change_request_id, "page": row.page_id });
        insert(&tx, row).await?;
        Changed::of(posted, ()).with(payload)
    };
    app.write(&scope.caller, work).await?;
    let (view, body) = posted(app, &scope, &comment, CommentFormat::Markdown).await?;
    view.comment(comment.into(), body, Replies::default(), Vec::new())
        .ok_or_else(unknown)
}

pub async fn reply(
    app: &App,
    scope: Scope,
    to: CommentId,
    reply: PostCommentReply,
    format: CommentFormat,
) -> Result<CommentReply, ApiError> {
    let text = body::read("/body/body", reply.body).await?;
    // What a comment is in never changes, and the database knows whether it is there.
    let first = store::find(app.db.read(), &scope.place, to).await?;
    first.ok_or_else(unknown)?;
    let reply = Model {
        parent_id: Some(to),
        list_id: *to.as_uuid(),
        ..new(app, &scope.place, scope.rights.user, text, Target::default())
    };
    let (space, row) = (scope.node.clone(), reply.clone());
    let work = move |tx| async move {
        moving::again(&tx, &space).await?;
        let posted = reply_target(&space, row.id);
        insert(&tx, row).await?;
        Changed::of(posted, ()).with(json!({ "comment": to }))
    };
    app.write(&scope.caller, work).await?;
    let (view, body) = posted(app, &scope, &reply, format).await?;
    view.reply(to, reply.into(), body, Vec::new()).ok_or_else(unknown_reply)
}

/// A comment on what the place holds now.
pub fn new(app: &App, place: &Place, author: UserId, text: String, on: Target) -> Model {
    let (cell_record, cell_definition) = match on.cell {
        Some(cell) => (Some(cell.record), Some(cell.definition)),
        None => (None, None),
    };
    Model {
        id: app.ids.next(),
        space_id: place.space,
        change_request_id: place.change_request,
        review_id: None,
        parent_id: None,
        list_id: place.list(),
        author_id: author,
        body: text,
        posted_at: app.clock.now(),
        edited_at: None,
        revision_id: place.revision,
        page_id: on.page,
        node: on.node,
        cell_record,
        cell_definition,
        status: CommentStatus::Open,
        resolved_at: None,
        resolved_by: None,
    }
}

/// Posts a comment or a reply. Nothing that others post is read, so on PostgreSQL nobody has to try again.
pub async fn insert(db: &impl ConnectionTrait, comment: Model) -> Result<(), ApiError> {
    let (request, author, now) = (comment.change_request_id, comment.author_id, comment.posted_at);
    match rows::insert(db, &comment).await {
        Ok(()) => {}
        // What it replies to was deleted.
        Err(e) if is_foreign_key_violation(&e) => return Err(unknown()),
        Err(e) => return Err(e.into()),
    }
    if let Some(request) = request {
        contributed(db, request, author, ContributorAction::Comment, now).await?;
    }
    Ok(())
}

/// What was posted, as it was posted: it may be changed or deleted by now.
async fn posted<'a>(
    app: &'a App,
    scope: &Scope,
    posted: &Model,
    format: CommentFormat,
) -> Result<(View<'a>, CommentText), ApiError> {
    let people = users::views_of(app, vec![posted.author_id]).await?;
    let body = body::write(vec![posted.body.clone()], format).await?;
    let body = body.into_iter().next().ok_or_else(unknown)?;
    Ok((View::new(app, scope, people), body))
}
