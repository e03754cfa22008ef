//! The commenters of a content and the repliers to a comment, kept as comments change, so that no read collects them from
//! the comments.

use entity::authoring::comments::{
    Column, Entity, Model,
    commenters::{self, Column as Commenter},
    repliers::{self, Column as Replier},
};
use platform::db::Tx;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, Order, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, Func, OnConflict, Query, UnionType},
};
use uuid::Uuid;

/// Adds the author of a comment or a reply.
pub async fn add(tx: &Tx, comment: &Model) -> Result<(), DbErr> {
    add_commenter(tx, comment).await?;
    let Some(parent) = comment.parent_id else {
        return Ok(());
    };
    let first = repliers::Model {
        comment_id: parent,
        user_id: comment.author_id,
        replies: 1,
        replied_at: comment.posted_at,
    };
    let one_more = OnConflict::columns([Replier::CommentId, Replier::UserId])
        .value(Replier::Replies, Expr::col((repliers::Entity, Replier::Replies)).add(1))
        .update_column(Replier::RepliedAt)
        .to_owned();
    let insert = repliers::Entity::insert(first.into_active_model().reset_all()).on_conflict(one_more);
    tx.execute_later(&insert.into_query()).await
}

/// Adds the author to the commenters unless they are one. The row is looked for by the statement and not only met by its
/// conflict: on PostgreSQL a conflict that does nothing is no read, so that a concurrent [`remove`] of the row, which does
/// not see the new comment, would not be a serialization failure.
async fn add_commenter(tx: &Tx, comment: &Model) -> Result<(), DbErr> {
    let content = content_of(comment);
    let known = commenters::Entity::find()
        .select_only()
        .expr(Expr::value(1))
        .filter(Commenter::ContentId.eq(content))
        .filter(Commenter::UserId.eq(comment.author_id));
    let commenter = Query::select()
        .expr(Expr::value(content))
        .expr(Expr::value(comment.author_id))
        .expr(Expr::value(comment.space_id))
        .and_where(Expr::exists(known.into_query()).not())
        .take();
    let once = OnConflict::columns([Commenter::ContentId, Commenter::UserId])
        .do_nothing()
        .to_owned();
    let insert = Query::insert()
        .into_table(commenters::Entity)
        .columns([Commenter::ContentId, Commenter::UserId, Commenter::SpaceId])
        .select_from(commenter)
        .map_err(|error| DbErr::Custom(error.to_string()))?
        .on_conflict(once)
        .take();
    tx.execute_later(&insert).await
}

/// Removes the author of a comment or a reply, and the repliers to it, where nothing else by them is left. Called before
/// the comment is deleted.
pub async fn remove(db: &impl ConnectionTrait, comment: &Model) -> Result<(), DbErr> {
    let mut people = repliers::Entity::find()
        .select_only()
        .column(Replier::UserId)
        .filter(Replier::CommentId.eq(comment.id));
    let author = Entity::find_by_id(comment.id).select_only().column(Column::AuthorId);
    QueryTrait::query(&mut people).union(UnionType::Distinct, author.into_query());
    commenters::Entity::delete_many()
        .filter(Commenter::ContentId.eq(content_of(comment)))
        .filter(Commenter::UserId.in_subquery(people.into_query()))
        .filter(Expr::exists(others_by_commenter(comment).into_query()).not())
        .exec(db)
        .await?;
    match comment.parent_id {
        Some(_) => remove_reply(db, comment).await,
        None => Ok(()),
    }
}

/// What a commenter has posted on the content besides a comment and its replies.
fn others_by_commenter(comment: &Model) -> Select<Entity> {
    let on_content = match comment.change_request_id {
        Some(request) => Column::ChangeRequestId.eq(request),
        None => Column::ChangeRequestId.is_null(),
    };
    let not_below = Condition::any()
        .add(Column::ParentId.is_null())
        .add(Column::ParentId.ne(comment.id));
    let by_commenter = Expr::col((Entity, Column::AuthorId)).equals((commenters::Entity, Commenter::UserId));
    Entity::find()
        .select_only()
        .expr(Expr::value(1))
        .filter(Column::SpaceId.eq(comment.space_id))
        .filter(on_content)
        .filter(by_commenter)
        .filter(Column::Id.ne(comment.id))
        .filter(not_below)
}

async fn remove_reply(db: &impl ConnectionTrait, reply: &Model) -> Result<(), DbErr> {
    let of_replier = Condition::all()
        .add(Replier::CommentId.eq(reply.list_id))
        .add(Replier::UserId.eq(reply.author_id));
    let last = Entity::find()
        .select_only()
        .column(Column::PostedAt)
        .filter(Column::ListId.eq(reply.list_id))
        .filter(Column::AuthorId.eq(reply.author_id))
        .filter(Column::Id.ne(reply.id))
        .order_by(Column::Id, Order::Desc)
        .limit(1);
    let last = [Expr::from(last.into_query()), Expr::col(Replier::RepliedAt)];
    repliers::Entity::update_many()
        .col_expr(Replier::Replies, Expr::col(Replier::Replies).sub(1))
        .col_expr(Replier::RepliedAt, Func::coalesce(last).into())
        .filter(of_replier.clone())
        .exec(db)
        .await?;
    repliers::Entity::delete_many()
        .filter(of_replier)
        .filter(Replier::Replies.lte(0))
        .exec(db)
        .await?;
    Ok(())
}

/// The id of the commented content: the change request, else the space.
fn content_of(comment: &Model) -> Uuid {
    match comment.change_request_id {
        Some(request) => *request.as_uuid(),
        None => *comment.space_id.as_uuid(),
    }
}
