//! Replies and reactions of many comments at once.

use std::{cmp::Reverse, collections::HashMap};

use entity::{
    authoring::comments::{reactions, repliers},
    ids::{CommentId, UserId},
    timestamp::Timestamp,
};
use platform::db::{
    ReadRows, count,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{
    DbErr, JoinType,
    sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement, UnionType},
};

use crate::areas::authoring::{comment_counts, reaction_counts};

/// The maximum number of users that an answer names per comment who replied, and per emoji who reacted.
const MAX_LISTED_PEOPLE: u16 = 100;

/// The position of the last of them.
const LAST_NAMED: u64 = 99;

/// Up to this number, all rows are read and counted in memory. Above, the kept numbers are read, and the rows of named users
/// only: what an answer costs does not grow when thousands react.
const IN_MEMORY_ROWS: u16 = 2_000;

/// The names of subqueries and of a column.
const COUNTED: &str = "counted";
const LATEST: &str = "latest";
const EARLIEST: &str = "earliest";
const TOTAL: &str = "total";

/// The replies and reactions of some comments.
#[derive(Default)]
pub struct Engagement {
    replies: HashMap<CommentId, ReplySummary>,
    reactions: HashMap<CommentId, Vec<ReactionSummary>>,
}

/// The replies to one comment.
#[derive(Default)]
pub struct ReplySummary {
    pub count: u64,
    /// The most recent replier first.
    pub repliers: Vec<ReplierSummary>,
}

pub struct ReplierSummary {
    pub user: UserId,
    pub count: u64,
    pub updated_at: Timestamp,
}

/// The reactions to one comment with one emoji.
pub struct ReactionSummary {
    emoji: String,
    pub count: u64,
    /// The earliest reaction first.
    pub users: Vec<ReactionUser>,
}

pub struct ReactionUser {
    pub user: UserId,
    pub at: Timestamp,
    /// The emoji as the user sent it.
    pub written: String,
}

platform::computed_row! {
    /// The replies of one user to a comment, or a reaction of the user.
    struct EngagementRow from EngagementExpressions {
        comment_id: CommentId,
        user_id: UserId,
        emoji: Option<String>,
        written: Option<String>,
        happened_at: Timestamp,
        times: i64,
    }
}

/// A row with the number for all users.
struct CountedEngagementRow {
    row: EngagementRow,
    total: i64,
}

impl FromColumns for CountedEngagementRow {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            row: columns.read()?,
            total: columns.read()?,
        })
    }
}

/// Loads the replies and reactions of the comments. One query; a second one above [`IN_MEMORY_ROWS`].
pub async fn load_for_comments(db: &impl ReadRows, comments: &[CommentId]) -> Result<Engagement, DbErr> {
    let mut all = repliers_query(comments);
    all.union(UnionType::All, reactions_query(comments));
    let mut named = named_repliers_query(comments);
    named.union(UnionType::All, named_reactions_query(comments));
    load(db, comments, all, named).await
}

/// Loads the reactions of the replies, in the same way.
pub async fn load_for_replies(db: &impl ReadRows, replies: &[CommentId]) -> Result<Engagement, DbErr> {
    load(db, replies, reactions_query(replies), named_reactions_query(replies)).await
}

impl Engagement {
    pub fn take(&mut self, comment: CommentId) -> (ReplySummary, Vec<ReactionSummary>) {
        let replies = self.replies.remove(&comment).unwrap_or_default();
        (replies, self.reactions.remove(&comment).unwrap_or_default())
    }

    /// All named users, possibly with duplicates.
    pub fn people(&self) -> impl Iterator<Item = UserId> {
        let repliers = self.replies.values().flat_map(|replies| &replies.repliers);
        let reacted = self.reactions.values().flatten().flat_map(|reaction| &reaction.users);
        repliers
            .map(|replier| replier.user)
            .chain(reacted.map(|reacted| reacted.user))
    }

    fn add(&mut self, row: EngagementRow, total: Option<i64>) {
        let total = |before: u64| total.map_or(before.saturating_add(count(row.times)), count);
        let Some(emoji) = row.emoji else {
            let replies = self.replies.entry(row.comment_id).or_default();
            replies.count = total(replies.count);
            replies.repliers.push(ReplierSummary {
                user: row.user_id,
                count: count(row.times),
                updated_at: row.happened_at,
            });
            return;
        };
        let reacted = ReactionUser {
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
            None => reactions.push(ReactionSummary {
                emoji,
                count: total(0),
                users: vec![reacted],
            }),
        }
    }

    /// Sorts users in the order of the answer, and drops those beyond the maximum.
    fn sort_and_truncate(&mut self) {
        for ReplySummary { repliers, .. } in self.replies.values_mut() {
            repliers.sort_by_key(|replier| (Reverse(replier.updated_at), replier.user));
            repliers.truncate(MAX_LISTED_PEOPLE.into());
        }
        for reactions in self.reactions.values_mut() {
            for ReactionSummary { users, .. } in reactions.iter_mut() {
                users.sort_by_key(|reacted| (reacted.at, reacted.user));
                users.truncate(MAX_LISTED_PEOPLE.into());
            }
            reactions.sort_by(|one, other| (one.since(), &one.emoji).cmp(&(other.since(), &other.emoji)));
        }
    }
}

impl ReactionSummary {
    fn since(&self) -> Option<Timestamp> {
        self.users.first().map(|reacted| reacted.at)
    }
}

/// `all` are all rows, `named` those of named users with the numbers for all users.
async fn load(
    db: &impl ReadRows,
    comments: &[CommentId],
    mut all: SelectStatement,
    named: SelectStatement,
) -> Result<Engagement, DbErr> {
    let mut engagement = Engagement::default();
    if comments.is_empty() {
        return Ok(engagement);
    }
    let limited = all.limit(u64::from(IN_MEMORY_ROWS).saturating_add(1));
    let rows: Vec<EngagementRow> = positional::rows(db, limited).await?;
    if rows.len() <= IN_MEMORY_ROWS.into() {
        rows.into_iter().for_each(|row| engagement.add(row, None));
    } else {
        let rows: Vec<CountedEngagementRow> = positional::rows(db, &named).await?;
        rows.into_iter()
            .for_each(|CountedEngagementRow { row, total }| engagement.add(row, Some(total)));
    }
    engagement.sort_and_truncate();
    Ok(engagement)
}

/// The users who replied to each comment, with their number of replies.
fn repliers_query(comments: &[CommentId]) -> SelectStatement {
    replier_rows()
        .and_where(Expr::col((repliers::Entity, repliers::Column::CommentId)).is_in(comments.iter().copied()))
        .take()
}

fn replier_rows() -> SelectStatement {
    use repliers::{Column, Entity};
    let column = |column: Column| Expr::col((Entity, column));
    let expressions = EngagementExpressions {
        comment_id: column(Column::CommentId),
        user_id: column(Column::UserId),
        emoji: Expr::value(None::<String>),
        written: Expr::value(None::<String>),
        happened_at: column(Column::RepliedAt),
        times: column(Column::Replies).cast_as("bigint"),
    };
    expressions.select().from(Entity).take()
}

/// The reactions to each comment.
fn reactions_query(comments: &[CommentId]) -> SelectStatement {
    reaction_rows()
        .and_where(Expr::col((reactions::Entity, reactions::Column::CommentId)).is_in(comments.iter().copied()))
        .take()
}

fn reaction_rows() -> SelectStatement {
    use reactions::{Column, Entity};
    let column = |column: Column| Expr::col((Entity, column));
    let once: i64 = 1;
    let expressions = EngagementExpressions {
        comment_id: column(Column::CommentId),
        user_id: column(Column::UserId),
        emoji: column(Column::Emoji),
        written: column(Column::Written),
        happened_at: column(Column::ReactedAt),
        times: Expr::value(once),
    };
    expressions.select().from(Entity).take()
}

/// The latest repliers to each comment, as many as an answer names, and others with the time of the last of them.
fn named_repliers_query(comments: &[CommentId]) -> SelectStatement {
    use repliers::{Column, Entity};
    let comment = || Expr::col((COUNTED, comment_counts::LIST));
    let last_named = Query::select()
        .column((LATEST, Column::RepliedAt))
        .from_as(Entity, LATEST)
        .and_where(Expr::col((LATEST, Column::CommentId)).eq(comment()))
        .order_by((LATEST, Column::RepliedAt), Order::Desc)
        .limit(1)
        .offset(LAST_NAMED)
        .take();
    let of_comment = Expr::col((Entity, Column::CommentId))
        .eq(comment())
        .and(Expr::col((Entity, Column::RepliedAt)).gte(Func::coalesce([last_named.into(), Expr::value(i64::MIN)])));
    let lists = comments.iter().map(|comment| *comment.as_uuid()).collect();
    replier_rows()
        .expr_as(Expr::col((COUNTED, comment_counts::COMMENTS)).cast_as("bigint"), TOTAL)
        .join_subquery(JoinType::InnerJoin, comment_counts::sums_of(lists), COUNTED, of_comment)
        .take()
}

/// The earliest reactions to each comment with each emoji, in the same way.
fn named_reactions_query(comments: &[CommentId]) -> SelectStatement {
    use reactions::{Column, Entity};
    let comment = || Expr::col((COUNTED, reaction_counts::COMMENT));
    let emoji = || Expr::col((COUNTED, reaction_counts::EMOJI));
    let last_named = Query::select()
        .column((EARLIEST, Column::ReactedAt))
        .from_as(Entity, EARLIEST)
        .and_where(Expr::col((EARLIEST, Column::CommentId)).eq(comment()))
        .and_where(Expr::col((EARLIEST, Column::Emoji)).eq(emoji()))
        .order_by((EARLIEST, Column::ReactedAt), Order::Asc)
        .limit(1)
        .offset(LAST_NAMED)
        .take();
    let of_emoji = Expr::col((Entity, Column::CommentId))
        .eq(comment())
        .and(Expr::col((Entity, Column::Emoji)).eq(emoji()))
        .and(Expr::col((Entity, Column::ReactedAt)).lte(Func::coalesce([last_named.into(), Expr::value(i64::MAX)])));
    let counted = reaction_counts::sums_of(comments.iter().copied());
    reaction_rows()
        .expr_as(
            Expr::col((COUNTED, reaction_counts::REACTIONS)).cast_as("bigint"),
            TOTAL,
        )
        .join_subquery(JoinType::InnerJoin, counted, COUNTED, of_emoji)
        .take()
}
