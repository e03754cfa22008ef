//! Reads of comments and replies.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use entity::{
    authoring::comments::CommentStatus,
    ids::{CommentId, ReviewId, UserId},
};
use openapi::{
    error::ApiError,
    models::{
        Comment, CommentFormat, CommentList, CommentReply, CommentReplyList, SCANNED_TO, SortOrder, User,
        WantedCommentStatus,
    },
    parameters::CommentListQuery,
};
use platform::db::{self, Scan, positional};
use sea_orm::QueryFilter;

use super::{
    body, comment_not_found, reply_not_found,
    scope::CommentScope,
    store::{self, CommentColumns, CommentFilters, MatchingComments},
    view::CommentView,
};
use crate::{
    areas::{
        authoring::{
            comment_counts,
            comments::engagement::{self, Engagement},
        },
        identity::users,
    },
    kernel::{Kernel, lists::List},
};

fn filters(query: &CommentListQuery) -> CommentFilters {
    CommentFilters {
        status: match query.status {
            WantedCommentStatus::All => None,
            WantedCommentStatus::Open => Some(CommentStatus::Open),
            WantedCommentStatus::Resolved => Some(CommentStatus::Resolved),
        },
        page: query.target_page,
        authors: query.authors.clone(),
    }
}

pub async fn list_comments(
    kernel: &Kernel,
    scope: CommentScope,
    query: CommentListQuery,
) -> Result<CommentList, ApiError> {
    let filters = filters(&query);
    let kept = filters.kept_count();
    let MatchingComments { rows, rest } = filters.apply(scope.place.list());
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
    let list = List::new(kernel, which, page, limit);
    let db = kernel.db.read();
    if !rest.is_empty() {
        let scan = Scan::new(
            rows,
            store::order_by_posting(order),
            |rows| rows.filter(rest.clone()),
            SCANNED_TO,
        );
        let run = |query| positional::all(db, query);
        let (page, count) = list.load_scan(&scan, run, |row: &CommentColumns| row.id).await?;
        let items = comment_views(kernel, &scope, page.items, format).await?;
        let page = db::Page {
            items: items.into_iter().flatten().collect(),
            next: page.next,
        };
        return Ok(list.answer(page, count, |item| item)?.into());
    }
    let load = |_, after, limit| store::page(db, &rows, order, after, limit);
    let views = async |rows| {
        let views = comment_views(kernel, &scope, rows, format).await?;
        Ok(views.into_iter().flatten().collect())
    };
    let page = match kept {
        // The numbers of comments are kept by status only.
        Some(status) => {
            let count = async || {
                let counts = comment_counts::load_one(db, scope.place.list()).await?;
                Ok(Some(counts.with_status(status)))
            };
            list.load_with_count(rows.all(), load, count, views).await?
        }
        None => list.load(rows.all(), load, views).await?,
    };
    Ok(page.into())
}

pub async fn get_comment(
    kernel: &Kernel,
    scope: &CommentScope,
    id: CommentId,
    format: CommentFormat,
) -> Result<Comment, ApiError> {
    let found = store::find(kernel.db.read(), &scope.place, id).await;
    let row = found?.ok_or_else(comment_not_found)?;
    let comments = comment_views(kernel, scope, vec![row.into()], format).await?;
    comments.into_iter().flatten().next().ok_or_else(comment_not_found)
}

/// The comments that were posted with these reviews.
pub async fn comments_of_reviews(
    kernel: &Kernel,
    scope: &CommentScope,
    reviews: Vec<ReviewId>,
    format: CommentFormat,
) -> Result<HashMap<ReviewId, Comment>, ApiError> {
    let rows = store::of_reviews(kernel.db.read(), reviews).await?;
    let reviews: Vec<Option<ReviewId>> = rows.iter().map(|row| row.review_id).collect();
    let comments = comment_views(kernel, scope, rows, format).await?;
    let found = reviews.into_iter().zip(comments);
    Ok(found
        .filter_map(|(review, comment)| Some((review?, comment?)))
        .collect())
}

/// The number of queries does not depend on the number of comments, except for one more above thousands of reactions.
async fn comment_views(
    kernel: &Kernel,
    scope: &CommentScope,
    mut rows: Vec<CommentColumns>,
    format: CommentFormat,
) -> Result<Vec<Option<Comment>>, ApiError> {
    let ids: Vec<CommentId> = rows.iter().map(|row| row.id).collect();
    let mut engagement = engagement::load_for_comments(kernel.db.read(), &ids).await?;
    let view = CommentView::new(kernel, scope, people(kernel, &rows, &engagement).await?);
    let texts = rows.iter_mut().map(|row| mem::take(&mut row.body)).collect();
    let bodies = body::from_markdown(kernel, texts, format).await?;
    let comments = rows.into_iter().zip(bodies).map(|(row, body)| {
        let (replies, reactions) = engagement.take(row.id);
        view.comment(row, body, replies, reactions)
    });
    Ok(comments.collect())
}

/// All users that the comments or replies name.
async fn people(
    kernel: &Kernel,
    rows: &[CommentColumns],
    engagement: &Engagement,
) -> Result<HashMap<UserId, User>, ApiError> {
    let of_row = |row: &CommentColumns| [Some(row.author_id), row.resolved_by].into_iter().flatten();
    let people: HashSet<UserId> = rows.iter().flat_map(of_row).chain(engagement.people()).collect();
    users::views_of(kernel, people.into_iter().collect()).await
}

pub async fn list_replies(
    kernel: &Kernel,
    scope: CommentScope,
    comment: CommentId,
    page: Option<String>,
    limit: u32,
    format: CommentFormat,
) -> Result<CommentReplyList, ApiError> {
    let list = List::new(kernel, ("comment-replies", comment), page, limit);
    let db = kernel.db.read();
    let first = store::find(db, &scope.place, comment).await?;
    first.ok_or_else(comment_not_found)?;
    let found = store::in_order(*comment.as_uuid());
    let load = |_, after, limit| store::page(db, &found, SortOrder::Asc, after, limit);
    let views = async |rows| reply_views(kernel, &scope, comment, rows, format).await;
    let count = async || Ok(Some(comment_counts::load_one(db, *comment.as_uuid()).await?.comments));
    Ok(list.load_with_count(found.all(), load, count, views).await?.into())
}

pub async fn get_reply(
    kernel: &Kernel,
    scope: &CommentScope,
    comment: CommentId,
    id: CommentId,
    format: CommentFormat,
) -> Result<CommentReply, ApiError> {
    let found = store::find_reply(kernel.db.read(), &scope.place, comment, id).await;
    let row = found?.ok_or_else(reply_not_found)?;
    let replies = reply_views(kernel, scope, comment, vec![row.into()], format).await?;
    replies.into_iter().next().ok_or_else(reply_not_found)
}

async fn reply_views(
    kernel: &Kernel,
    scope: &CommentScope,
    comment: CommentId,
    mut rows: Vec<CommentColumns>,
    format: CommentFormat,
) -> Result<Vec<CommentReply>, ApiError> {
    let ids: Vec<CommentId> = rows.iter().map(|row| row.id).collect();
    let mut engagement = engagement::load_for_replies(kernel.db.read(), &ids).await?;
    let view = CommentView::new(kernel, scope, people(kernel, &rows, &engagement).await?);
    let texts = rows.iter_mut().map(|row| mem::take(&mut row.body)).collect();
    let bodies = body::from_markdown(kernel, texts, format).await?;
    let replies = rows.into_iter().zip(bodies).filter_map(|(row, body)| {
        let (_, reactions) = engagement.take(row.id);
        view.reply(comment, row, body, reactions)
    });
    Ok(replies.collect())
}
