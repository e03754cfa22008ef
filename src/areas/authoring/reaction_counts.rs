//! Numbers of reactions to a comment with each emoji, kept as [`super::count_parts`] says.

use entity::{
    authoring::comments::reaction_counts::{Column, Entity, Model},
    ids::CommentId,
};
use platform::db::Tx;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, Func, Query, SelectStatement},
};
use uuid::Uuid;

use super::count_parts;

/// The names of the columns of [`sums_of`].
pub const COMMENT: &str = "comment_id";
pub const EMOJI: &str = "emoji";
pub const REACTIONS: &str = "reactions";

/// The numbers of reactions to these comments, by emoji, of those that anybody has reacted with.
pub fn sums_of(comments: impl IntoIterator<Item = CommentId>) -> SelectStatement {
    let reactions: Expr = Func::sum(Expr::col((Entity, Column::Reactions))).into();
    Query::select()
        .expr_as(Expr::col((Entity, Column::CommentId)), COMMENT)
        .expr_as(Expr::col((Entity, Column::Emoji)), EMOJI)
        .expr_as(reactions.clone(), REACTIONS)
        .from(Entity)
        .and_where(Expr::col((Entity, Column::CommentId)).is_in(comments))
        .group_by_columns([(Entity, Column::CommentId), (Entity, Column::Emoji)])
        .and_having(reactions.gt(0))
        .take()
}

/// Adds to the number of reactions with each emoji, in the transaction that changes the reactions. `part` is a new id.
pub async fn add(
    tx: &Tx,
    comment: CommentId,
    changes: impl IntoIterator<Item = (String, i32)>,
    part: Uuid,
) -> Result<(), DbErr> {
    let part_id = count_parts::part_of_change(tx, part);
    let (mut parts, mut removed) = (Vec::new(), Vec::new());
    for (emoji, reactions) in changes {
        if reactions < 0 {
            removed.push(emoji.clone());
        }
        parts.push(Model {
            comment_id: comment,
            emoji,
            part_id,
            reactions,
        });
    }
    count_parts::add(tx, parts).await?;
    if removed.is_empty() {
        return Ok(());
    }
    // What nobody reacts with any more leaves no row.
    Entity::delete_many()
        .filter(Column::CommentId.eq(comment))
        .filter(Column::Emoji.is_in(removed))
        .filter(Column::PartId.eq(part_id))
        .filter(Column::Reactions.eq(0))
        .exec(tx)
        .await?;
    Ok(())
}
