//! What others made of comments: replies and reactions, for many comments at once.

use std::collections::HashMap;

use entity::{
    comments::{Column, Entity, reactions},
    ids::CommentId,
    timestamp::Timestamp,
    users,
};
use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, PartialModelTrait, QueryOrder, QueryResult,
    QuerySelect, Select,
    sea_query::{Expr, ExprTrait, Func, Order, OverStatement, Query, SelectStatement, WindowStatement},
};

use crate::users::store::Shown;

/// How many of the people who replied, or who reacted with an emoji, an answer names.
const NAMED: i64 = 100;

/// The subquery that [`named`] reads from, and its columns.
const FOUND: &str = "found";
const COMMENT: &str = "comment_id";
const USER: &str = "user_id";
const EMOJI: &str = "emoji";
const WRITTEN: &str = "written";
const AT: &str = "happened_at";
const COUNT: &str = "how_often";
const TOTAL: &str = "total";
const RANK: &str = "place";

/// The replies to one comment.
#[derive(Default)]
pub struct Replies {
    pub count: u64,
    /// Who replied last comes first.
    pub repliers: Vec<Replier>,
}

pub struct Replier {
    pub user: Shown,
    pub count: u64,
    pub updated_at: Timestamp,
}

/// An emoji that people reacted to one comment with.
pub struct Reaction {
    emoji: String,
    /// As the first of them sent it.
    pub written: String,
    pub count: u64,
    /// Who reacted first comes first.
    pub users: Vec<(Shown, Timestamp)>,
}

/// A person, and what they did.
struct Row {
    user: Shown,
    comment: CommentId,
    emoji: Option<String>,
    written: Option<String>,
    at: Timestamp,
    count: i64,
    total: i64,
}

impl FromQueryResult for Row {
    fn from_query_result(result: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        Ok(Self {
            user: Shown::from_query_result(result, prefix)?,
            comment: result.try_get(prefix, COMMENT)?,
            emoji: result.try_get(prefix, EMOJI)?,
            written: result.try_get(prefix, WRITTEN)?,
            at: result.try_get(prefix, AT)?,
            count: result.try_get(prefix, COUNT)?,
            total: result.try_get(prefix, TOTAL)?,
        })
    }
}

/// The replies to each of the comments; one without any is not in the answer. One query.
pub async fn replies(db: &impl ConnectionTrait, comments: &[CommentId]) -> Result<HashMap<CommentId, Replies>, DbErr> {
    let mut found: HashMap<CommentId, Replies> = HashMap::new();
    if comments.is_empty() {
        return Ok(found);
    }
    for row in named(repliers(comments)).all(db).await? {
        let replies = found.entry(row.comment).or_default();
        replies.count = number(row.total);
        replies.repliers.push(Replier {
            user: row.user,
            count: number(row.count),
            updated_at: row.at,
        });
    }
    Ok(found)
}

/// The reactions to each of the comments or replies; one without any is not in the answer. One query.
pub async fn reactions(
    db: &impl ConnectionTrait,
    comments: &[CommentId],
) -> Result<HashMap<CommentId, Vec<Reaction>>, DbErr> {
    let mut found: HashMap<CommentId, Vec<Reaction>> = HashMap::new();
    if comments.is_empty() {
        return Ok(found);
    }
    for row in named(reacting(comments)).all(db).await? {
        let reactions = found.entry(row.comment).or_default();
        let emoji = row.emoji.unwrap_or_default();
        let known = reactions.iter_mut().find(|reaction| reaction.emoji == emoji);
        match known {
            Some(reaction) => reaction.users.push((row.user, row.at)),
            None => reactions.push(Reaction {
                emoji,
                written: row.written.unwrap_or_default(),
                count: number(row.total),
                users: vec![(row.user, row.at)],
            }),
        }
    }
    for reactions in found.values_mut() {
        // The database has sorted by place: all firsts, all seconds and so on.
        reactions.sort_by(|one, other| (one.since(), &one.emoji).cmp(&(other.since(), &other.emoji)));
    }
    Ok(found)
}

impl Reaction {
    fn since(&self) -> Option<Timestamp> {
        self.users.first().map(|(_, at)| *at)
    }
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

/// The people that a subquery finds, with all that it says about them, in its order and no more than may be named.
fn named(found: SelectStatement) -> sea_orm::Selector<sea_orm::SelectModel<Row>> {
    let column = |name: &'static str| Expr::col((FOUND, name));
    let mut query: Select<users::Entity> = Shown::select_cols(users::Entity::find().select_only());
    for name in [COMMENT, EMOJI, WRITTEN, AT, COUNT] {
        query = query.column_as(column(name), name);
    }
    // A sum is a decimal on PostgreSQL.
    query = query.column_as(column(TOTAL).cast_as("bigint"), TOTAL);
    let theirs = column(USER).equals((users::Entity, users::Column::Id));
    QuerySelect::query(&mut query)
        .join_subquery(JoinType::InnerJoin, found, FOUND, theirs)
        .and_where(column(RANK).lte(NAMED));
    query
        .order_by(column(COMMENT), Order::Asc)
        .order_by(column(RANK), Order::Asc)
        .into_model()
}

/// Who has replied to each of the comments, and how often.
fn repliers(comments: &[CommentId]) -> SelectStatement {
    let count = || Expr::from(Func::count(Expr::col((Entity, Column::Id))));
    let last = || Expr::from(Func::max(Expr::col((Entity, Column::PostedAt))));
    let all = WindowStatement::partition_by((Entity, Column::ParentId));
    let latest_first = WindowStatement::partition_by((Entity, Column::ParentId))
        .order_by_expr(last(), Order::Desc)
        .order_by((Entity, Column::AuthorId), Order::Desc)
        .take();
    let lists = comments.iter().map(|comment| *comment.as_uuid());
    Query::select()
        .from(Entity)
        .expr_as(Expr::col((Entity, Column::ParentId)), COMMENT)
        .expr_as(Expr::col((Entity, Column::AuthorId)), USER)
        .expr_as(Expr::value(None::<String>), EMOJI)
        .expr_as(Expr::value(None::<String>), WRITTEN)
        .expr_as(last(), AT)
        .expr_as(count(), COUNT)
        .expr_window_as(Func::sum(count()), all, TOTAL)
        .expr_window_as(Func::cust("row_number"), latest_first, RANK)
        .and_where(Expr::col((Entity, Column::ListId)).is_in(lists))
        .group_by_columns([(Entity, Column::ParentId), (Entity, Column::AuthorId)])
        .take()
}

/// Who has reacted to each of the comments, and with what.
fn reacting(comments: &[CommentId]) -> SelectStatement {
    use reactions::{Column, Entity};
    let of_emoji = || {
        let mut window = WindowStatement::partition_by((Entity, Column::CommentId));
        window.partition_by((Entity, Column::Emoji));
        window
    };
    let first_first = of_emoji()
        .order_by((Entity, Column::ReactedAt), Order::Asc)
        .order_by((Entity, Column::UserId), Order::Asc)
        .take();
    let once: i64 = 1;
    Query::select()
        .from(Entity)
        .expr_as(Expr::col((Entity, Column::CommentId)), COMMENT)
        .expr_as(Expr::col((Entity, Column::UserId)), USER)
        .expr_as(Expr::col((Entity, Column::Emoji)), EMOJI)
        .expr_as(Expr::col((Entity, Column::Written)), WRITTEN)
        .expr_as(Expr::col((Entity, Column::ReactedAt)), AT)
        .expr_as(Expr::value(once), COUNT)
        .expr_window_as(Func::count(Expr::col((Entity, Column::UserId))), of_emoji(), TOTAL)
        .expr_window_as(Func::cust("row_number"), first_first, RANK)
        .and_where(Expr::col((Entity, Column::CommentId)).is_in(comments.iter().copied()))
        .take()
}
