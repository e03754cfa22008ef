//! Reading comments and replies.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use entity::{
    comments::CommentStatus,
    ids::{CommentId, ReviewId, UserId},
};
use openapi::{
    error::ApiError,
    models::{
        Comment, CommentFormat, CommentList, CommentReply, CommentReplyList, SortOrder, User, WantedCommentStatus,
    },
    parameters::CommentListQuery,
};

use crate::{
    app::{App, lists::List},
    areas::{
        authoring::comments::engagement::{self, Around},
        identity::users,
    },
};

use super::{
    body,
    scope::Scope,
    store::{self, Filters, Shown},
    unknown, unknown_reply,
    view::View,
};

fn filters(query: &CommentListQuery) -> Filters {
    Filters {
        status: match query.status {
            WantedCommentStatus::All => None,
            WantedCommentStatus::Open => Some(CommentStatus::Open),
            WantedCommentStatus::Resolved => Some(CommentStatus::Resolved),
        },
        page: query.target_page.as_deref().map(|page| page.parse().ok()),
        // An id that cannot be parsed matches nobody.
        authors: query
            .authors
            .as_ref()
            .map(|authors| authors.iter().filter_map(|author| author.parse().ok()).collect()),
    }
}

pub async fn comments(app: &App, scope: Scope, query: CommentListQuery) -> Result<CommentList, ApiError> {
    let found = filters(&query).apply(store::under(scope.place.list()));
    let CommentListQuery {
        page,
        limit,
        order,
        format,
        status,
        target_page,
        authors,
    } = query;
    let which = ("comments", scope.place.list(), order, status, target_page, authors);
    let list = List::new(app, which, page, limit);
    let db = app.db.read();
    let load = |found, after, limit| store::page(db, found, order, after, limit);
    let views = async |rows| Ok(shown(app, &scope, rows, format).await?.into_iter().flatten().collect());
    Ok(list.load(found, load, views).await?.into())
}

pub async fn comment(app: &App, scope: &Scope, id: CommentId, format: CommentFormat) -> Result<Comment, ApiError> {
    let found = store::find(app.db.read(), &scope.place, id).await;
    let row = found?.ok_or_else(unknown)?;
    let shown = shown(app, scope, vec![row.into()], format).await?;
    shown.into_iter().flatten().next().ok_or_else(unknown)
}

/// The comments of a change request that were posted with reviews.
pub async fn of_reviews(
    app: &App,
    scope: &Scope,
    reviews: Vec<ReviewId>,
    format: CommentFormat,
) -> Result<HashMap<ReviewId, Comment>, ApiError> {
    let rows = store::of_reviews(app.db.read(), reviews).await?;
    let reviews: Vec<Option<ReviewId>> = rows.iter().map(|row| row.review_id).collect();
    let comments = shown(app, scope, rows, format).await?;
    let found = reviews.into_iter().zip(comments);
    Ok(found
        .filter_map(|(review, comment)| Some((review?, comment?)))
        .collect())
}

/// In as many statements for many comments as for one, unless thousands have replied and reacted.
async fn shown(
    app: &App,
    scope: &Scope,
    mut rows: Vec<Shown>,
    format: CommentFormat,
) -> Result<Vec<Option<Comment>>, ApiError> {
    let ids: Vec<CommentId> = rows.iter().map(|row| row.id).collect();
    let mut around = engagement::comments(app.db.read(), &ids).await?;
    let view = View::new(app, scope, people(app, &rows, &around).await?);
    let texts = rows.iter_mut().map(|row| mem::take(&mut row.body)).collect();
    let bodies = body::write(texts, format).await?;
    let comments = rows.into_iter().zip(bodies).map(|(row, body)| {
        let (replies, reactions) = around.take(row.id);
        view.comment(row, body, replies, reactions)
    });
    Ok(comments.collect())
}

/// Everybody whom the comments or replies name.
async fn people(app: &App, rows: &[Shown], around: &Around) -> Result<HashMap<UserId, User>, ApiError> {
    let of_row = |row: &Shown| [Some(row.author_id), row.resolved_by].into_iter().flatten();
    let people: HashSet<UserId> = rows.iter().flat_map(of_row).chain(around.people()).collect();
    users::views_of(app, people.into_iter().collect()).await
}

pub async fn replies(
    app: &App,
    scope: Scope,
    comment: CommentId,
    page: Option<String>,
    limit: u32,
    format: CommentFormat,
) -> Result<CommentReplyList, ApiError> {
    let list = List::new(app, ("comment-replies", comment), page, limit);
    let db = app.db.read();
    let first = store::find(db, &scope.place, comment).await?;
    first.ok_or_else(unknown)?;
    let found = store::replies(&scope.place, comment);
    let load = |found, after, limit| store::page(db, found, SortOrder::Asc, after, limit);
    let views = async |rows| shown_replies(app, &scope, comment, rows, format).await;
    Ok(list.load(found, load, views).await?.into())
}

pub async fn reply(
    app: &App,
    scope: &Scope,
    comment: CommentId,
    id: CommentId,
    format: CommentFormat,
) -> Result<CommentReply, ApiError> {
    let found = store::find_reply(app.db.read(), &scope.place, comment, id).await;
    let row = found?.ok_or_else(unknown_reply)?;
    let shown = shown_replies(app, scope, comment, vec![row.into()], format).await?;
    shown.into_iter().next().ok_or_else(unknown_reply)
}

async fn shown_replies(
    app: &App,
    scope: &Scope,
    comment: CommentId,
    mut rows: Vec<Shown>,
    format: CommentFormat,
) -> Result<Vec<CommentReply>, ApiError> {
    let ids: Vec<CommentId> = rows.iter().map(|row| row.id).collect();
    let mut around = engagement::replies(app.db.read(), &ids).await?;
    let view = View::new(app, scope, people(app, &rows, &around).await?);
    let texts = rows.iter_mut().map(|row| mem::take(&mut row.body)).collect();
    let bodies = body::write(texts, format).await?;
    let replies = rows.into_iter().zip(bodies).filter_map(|(row, body)| {
        let (_, reactions) = around.take(row.id);
        view.reply(comment, row, body, reactions)
    });
    Ok(replies.collect())
}
