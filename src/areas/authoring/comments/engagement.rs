//! What others made of comments: replies and reactions, for many comments at once.

use std::{cmp::Reverse, collections::HashMap};

use entity::{
    comments::{Column, Entity, reactions},
    ids::{CommentId, UserId},
    timestamp::Timestamp,
};
use platform::db::{
    count,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{
    ConnectionTrait, DbErr,
    sea_query::{
        CaseStatement, Expr, ExprTrait, Func, Order, OverStatement, Query, SelectStatement, UnionType, WindowStatement,
    },
};

/// How many of the people who replied, or who reacted with an emoji, an answer names.
const NAMED: u16 = 100;

/// So many rows are read, and counted here. Where there are more, the database counts them and gives only those that are
/// named: that takes longer, and bounds the memory for comments that thousands reacted to.
const FEW: u16 = 2_000;

/// The subqueries, and their columns.
const FOUND: &str = "found";
const RANKED: &str = "ranked";
const COMMENT: &str = "comment_id";
const USER: &str = "user_id";
const EMOJI: &str = "emoji";
const AT: &str = "happened_at";
const TIMES: &str = "times";
const TOTAL: &str = "total";
const RANK: &str = "place";

/// What others made of some comments.
#[derive(Default)]
pub struct Around {
    replies: HashMap<CommentId, Replies>,
    reactions: HashMap<CommentId, Vec<Reaction>>,
}

/// The replies to one comment.
#[derive(Default)]
pub struct Replies {
    pub count: u64,
    /// Who replied last comes first.
    pub repliers: Vec<Replier>,
}

pub struct Replier {
    pub user: UserId,
    pub count: u64,
    pub updated_at: Timestamp,
}

/// An emoji that people reacted to one comment with.
pub struct Reaction {
    emoji: String,
    pub count: u64,
    /// Who reacted first comes first.
    pub users: Vec<Reacted>,
}

pub struct Reacted {
    pub user: UserId,
    pub at: Timestamp,
    /// The emoji as they sent it.
    pub written: String,
}

platform::computed_row! {
    /// A person, and what they did: reply so many times, or react with an emoji.
    struct Row from RowExpressions {
        comment_id: CommentId,
        user_id: UserId,
        emoji: Option<String>,
        written: Option<String>,
        happened_at: Timestamp,
        times: i64,
    }
}

/// A row together with how often everybody did the same, where the database has counted.
struct CountedRow {
    row: Row,
    total: i64,
}

impl FromColumns for CountedRow {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            row: columns.next()?,
            total: columns.next()?,
        })
    }
}

/// The replies and reactions to each of the comments. One query, a further one where there are many.
pub async fn comments(db: &impl ConnectionTrait, comments: &[CommentId]) -> Result<Around, DbErr> {
    let mut found = repliers(comments);
    found.union(UnionType::All, reacting(comments));
    read(db, comments, found).await
}

/// The reactions to each of the replies, in the same way.
pub async fn replies(db: &impl ConnectionTrait, replies: &[CommentId]) -> Result<Around, DbErr> {
    read(db, replies, reacting(replies)).await
}

impl Around {
    pub fn take(&mut self, comment: CommentId) -> (Replies, Vec<Reaction>) {
        let replies = self.replies.remove(&comment).unwrap_or_default();
        (replies, self.reactions.remove(&comment).unwrap_or_default())
    }

    /// Everybody who is named, some of them several times.
    pub fn people(&self) -> impl Iterator<Item = UserId> {
        let repliers = self.replies.values().flat_map(|replies| &replies.repliers);
        let reacted = self.reactions.values().flatten().flat_map(|reaction| &reaction.users);
        repliers
            .map(|replier| replier.user)
            .chain(reacted.map(|reacted| reacted.user))
    }

    fn add(&mut self, row: Row, total: Option<i64>) {
        let total = |before: u64| total.map_or(before.saturating_add(count(row.times)), count);
        let Some(emoji) = row.emoji else {
            let replies = self.replies.entry(row.comment_id).or_default();
            replies.count = total(replies.count);
            replies.repliers.push(Replier {
                user: row.user_id,
                count: count(row.times),
                updated_at: row.happened_at,
            });
            return;
        };
        let reacted = Reacted {
            user: row.user_id,
            at: row.happened_at,
            written: row.written.unwrap_or_default(),
        };
        let reactions = self.reactions.entry(row.comment_id).or_default();
        match reactions.iter_mut().find(|reaction| reaction.emoji == emoji) {
            Some(reaction) => {
                reaction.count = total(reaction.count);
                reaction.users.push(reacted);
            }
            None => reactions.push(Reaction {
                emoji,
                count: total(0),
                users: vec![reacted],
            }),
        }
    }

    /// Brings all into the order of the answer, and leaves out whom it does not name.
    fn arrange(&mut self) {
        for Replies { repliers, .. } in self.replies.values_mut() {
            repliers.sort_by_key(|replier| (Reverse(replier.updated_at), replier.user));
            repliers.truncate(NAMED.into());
        }
        for reactions in self.reactions.values_mut() {
            for Reaction { users, .. } in reactions.iter_mut() {
                users.sort_by_key(|reacted| (reacted.at, reacted.user));
                users.truncate(NAMED.into());
            }
            reactions.sort_by(|one, other| (one.since(), &one.emoji).cmp(&(other.since(), &other.emoji)));
        }
    }
}

impl Reaction {
    fn since(&self) -> Option<Timestamp> {
        self.users.first().map(|reacted| reacted.at)
    }
}

async fn read(db: &impl ConnectionTrait, comments: &[CommentId], found: SelectStatement) -> Result<Around, DbErr> {
    let mut around = Around::default();
    if comments.is_empty() {
        return Ok(around);
    }
    let few = found.clone().limit(u64::from(FEW).saturating_add(1)).take();
    let rows: Vec<Row> = positional::rows(db, &few).await?;
    if rows.len() <= FEW.into() {
        rows.into_iter().for_each(|row| around.add(row, None));
    } else {
        let rows: Vec<CountedRow> = positional::rows(db, &many(found)).await?;
        rows.into_iter()
            .for_each(|CountedRow { row, total }| around.add(row, Some(total)));
    }
    around.arrange();
    Ok(around)
}

/// Only who is named, with how often everybody did it.
fn many(found: SelectStatement) -> SelectStatement {
    let column = |name: &'static str| Expr::col((FOUND, name));
    let alike = || {
        let mut window = WindowStatement::partition_by((FOUND, COMMENT));
        window.partition_by((FOUND, EMOJI));
        window
    };
    // Who replied last, and who reacted first.
    let time = CaseStatement::new()
        .case(column(EMOJI).is_null(), Expr::val(0).sub(column(AT)))
        .finally(column(AT));
    let order = alike()
        .order_by_expr(time.into(), Order::Asc)
        .order_by((FOUND, USER), Order::Asc)
        .take();
    let ranked = Query::select()
        .columns(Row::COLUMNS.iter().map(|name| (FOUND, *name)))
        .expr_window_as(Func::sum(column(TIMES)), alike(), TOTAL)
        .expr_window_as(Func::cust("row_number"), order, RANK)
        .from_subquery(found, FOUND)
        .take();
    Query::select()
        .columns(Row::COLUMNS.iter().copied())
        // A sum is a decimal on PostgreSQL.
        .expr_as(Expr::col(TOTAL).cast_as("bigint"), TOTAL)
        .from_subquery(ranked, RANKED)
        .and_where(Expr::col(RANK).lte(i64::from(NAMED)))
        .take()
}

/// Who has replied to each of the comments, and how often.
fn repliers(comments: &[CommentId]) -> SelectStatement {
    let column = |column: Column| Expr::col((Entity, column));
    let lists = comments.iter().map(|comment| *comment.as_uuid());
    // Replies are listed under their comment.
    let by = [(Entity, Column::ListId), (Entity, Column::AuthorId)];
    let expressions = RowExpressions {
        comment_id: column(Column::ListId),
        user_id: column(Column::AuthorId),
        emoji: Expr::value(None::<String>),
        written: Expr::value(None::<String>),
        happened_at: Func::max(column(Column::PostedAt)).into(),
        times: Func::count(column(Column::Id)).into(),
    };
    expressions
        .select()
        .from(Entity)
        .and_where(column(Column::ListId).is_in(lists))
        .group_by_columns(by)
        .take()
}

/// Who has reacted to each of the comments, and with what.
fn reacting(comments: &[CommentId]) -> SelectStatement {
    use reactions::{Column, Entity};
    let column = |column: Column| Expr::col((Entity, column));
    let once: i64 = 1;
    let expressions = RowExpressions {
        comment_id: column(Column::CommentId),
        user_id: column(Column::UserId),
        emoji: column(Column::Emoji),
        written: column(Column::Written),
        happened_at: column(Column::ReactedAt),
        times: Expr::value(once),
    };
    expressions
        .select()
        .from(Entity)
        .and_where(column(Column::CommentId).is_in(comments.iter().copied()))
        .take()
}
