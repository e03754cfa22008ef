//! Replies and reactions of many comments at once.

use std::{cmp::Reverse, collections::HashMap};

use entity::{
    comments::{Column, Entity, reactions},
    ids::{CommentId, UserId},
    timestamp::Timestamp,
};
use platform::db::{
    ReadRows, count,
    positional::{self, Columns, FromColumns},
};
use sea_orm::{
    DbErr,
    sea_query::{
        CaseStatement, Expr, ExprTrait, Func, Order, OverStatement, Query, SelectStatement, UnionType, WindowStatement,
    },
};

/// The maximum number of users that an answer names per comment who replied, and per emoji who reacted.
const MAX_LISTED_PEOPLE: u16 = 100;

/// Up to this number, all rows are read and counted in memory. Above, the database counts and returns only the rows of
/// named users: slower, but memory stays bounded when thousands reacted.
const IN_MEMORY_ROWS: u16 = 2_000;

/// The names of subqueries and of their columns.
const ALL: &str = "engagement";
const RANKED: &str = "ranked";
const COMMENT: &str = "comment_id";
const USER: &str = "user_id";
const EMOJI: &str = "emoji";
const AT: &str = "happened_at";
const TIMES: &str = "times";
const TOTAL: &str = "total";
const RANK: &str = "row_rank";

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

/// A row with the number for all users, if the database counted.
struct RankedEngagementRow {
    row: EngagementRow,
    total: i64,
}

impl FromColumns for RankedEngagementRow {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            row: columns.read()?,
            total: columns.read()?,
        })
    }
}

/// Loads the replies and reactions of the comments. One query; a second one above [`IN_MEMORY_ROWS`].
pub async fn load_for_comments(db: &impl ReadRows, comments: &[CommentId]) -> Result<Engagement, DbErr> {
    let mut found = repliers_query(comments);
    found.union(UnionType::All, reactions_query(comments));
    load(db, comments, found).await
}

/// Loads the reactions of the replies, in the same way.
pub async fn load_for_replies(db: &impl ReadRows, replies: &[CommentId]) -> Result<Engagement, DbErr> {
    load(db, replies, reactions_query(replies)).await
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

async fn load(db: &impl ReadRows, comments: &[CommentId], found: SelectStatement) -> Result<Engagement, DbErr> {
    let mut engagement = Engagement::default();
    if comments.is_empty() {
        return Ok(engagement);
    }
    let limited = found.clone().limit(u64::from(IN_MEMORY_ROWS).saturating_add(1)).take();
    let rows: Vec<EngagementRow> = positional::rows(db, &limited).await?;
    if rows.len() <= IN_MEMORY_ROWS.into() {
        rows.into_iter().for_each(|row| engagement.add(row, None));
    } else {
        let rows: Vec<RankedEngagementRow> = positional::rows(db, &top_ranked(found)).await?;
        rows.into_iter()
            .for_each(|RankedEngagementRow { row, total }| engagement.add(row, Some(total)));
    }
    engagement.sort_and_truncate();
    Ok(engagement)
}

/// The rows of named users only, with the counts of all users.
fn top_ranked(found: SelectStatement) -> SelectStatement {
    let column = |name: &'static str| Expr::col((ALL, name));
    let by_comment_and_emoji = || {
        let mut window = WindowStatement::partition_by((ALL, COMMENT));
        window.partition_by((ALL, EMOJI));
        window
    };
    // The most recent replier and the earliest reaction rank first.
    let time = CaseStatement::new()
        .case(column(EMOJI).is_null(), Expr::val(0).sub(column(AT)))
        .finally(column(AT));
    let order = by_comment_and_emoji()
        .order_by_expr(time.into(), Order::Asc)
        .order_by((ALL, USER), Order::Asc)
        .take();
    let ranked = Query::select()
        .columns(EngagementRow::COLUMNS.iter().map(|name| (ALL, *name)))
        .expr_window_as(Func::sum(column(TIMES)), by_comment_and_emoji(), TOTAL)
        .expr_window_as(Func::cust("row_number"), order, RANK)
        .from_subquery(found, ALL)
        .take();
    Query::select()
        .columns(EngagementRow::COLUMNS.iter().copied())
        // A sum is a decimal on PostgreSQL.
        .expr_as(Expr::col(TOTAL).cast_as("bigint"), TOTAL)
        .from_subquery(ranked, RANKED)
        .and_where(Expr::col(RANK).lte(i64::from(MAX_LISTED_PEOPLE)))
        .take()
}

/// The users who replied to each comment, with their number of replies.
fn repliers_query(comments: &[CommentId]) -> SelectStatement {
    let column = |column: Column| Expr::col((Entity, column));
    let lists = comments.iter().map(|comment| *comment.as_uuid());
    // The list of replies has the id of their comment.
    let by = [(Entity, Column::ListId), (Entity, Column::AuthorId)];
    let expressions = EngagementExpressions {
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

/// The reactions to each comment.
fn reactions_query(comments: &[CommentId]) -> SelectStatement {
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
    expressions
        .select()
        .from(Entity)
        .and_where(column(Column::CommentId).is_in(comments.iter().copied()))
        .take()
}
