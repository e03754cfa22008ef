//! What others made of the comments of a page: replies and reactions.

use std::collections::HashMap;

use serde::Serialize;
use sqlx::{QueryBuilder, Sqlite};
use uuid::Uuid;

use crate::{
    Peer,
    users::{self, User},
    wire,
};

const REPLIES: &str = "
    SELECT reply.parent_id AS comment_id, COUNT(*) AS replies, MAX(reply.posted_at) AS last_at,
        reply.author_id AS user_id, user.display_name, user.email, user.photo_url
    FROM comments reply JOIN users user ON user.id = reply.author_id
    WHERE reply.list_id IN ";

const REACTIONS: &str = "
    SELECT reaction.comment_id, reaction.emoji, reaction.written, reaction.reacted_at,
        reaction.user_id, user.display_name, user.email, user.photo_url
    FROM comment_reactions reaction JOIN users user ON user.id = reaction.user_id
    WHERE reaction.comment_id IN ";

#[derive(sqlx::FromRow)]
struct ReplyRow {
    comment_id: Uuid,
    replies: i64,
    last_at: i64,
    #[sqlx(flatten)]
    user: users::Row,
}

#[derive(sqlx::FromRow)]
struct ReactionRow {
    comment_id: Uuid,
    emoji: String,
    written: String,
    reacted_at: i64,
    #[sqlx(flatten)]
    user: users::Row,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replier {
    updated_at: String,
    pub count: i64,
    user: User,
}

#[derive(Serialize)]
pub struct Reaction {
    #[serde(skip)]
    code: String,
    emoji: String,
    count: usize,
    users: Vec<Reacted>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reacted {
    user: User,
    reacted_at: String,
}

/// Who has replied to each comment, the latest first.
pub async fn repliers(peer: &Peer, comments: &[Uuid]) -> Result<HashMap<Uuid, Vec<Replier>>, sqlx::Error> {
    let mut query = among(REPLIES, comments);
    query.push(" GROUP BY reply.parent_id, reply.author_id ORDER BY last_at DESC, reply.author_id");
    let rows: Vec<ReplyRow> = query.build_query_as().fetch_all(&peer.db).await?;
    let mut found: HashMap<Uuid, Vec<Replier>> = HashMap::new();
    for row in rows {
        found.entry(row.comment_id).or_default().push(Replier {
            updated_at: wire::time(row.last_at),
            count: row.replies,
            user: User::of(peer, row.user),
        });
    }
    Ok(found)
}

/// What people reacted to each comment with, in the order in which the emoji came.
pub async fn reactions(peer: &Peer, comments: &[Uuid]) -> Result<HashMap<Uuid, Vec<Reaction>>, sqlx::Error> {
    let mut query = among(REACTIONS, comments);
    query.push(" ORDER BY reaction.reacted_at, reaction.emoji, reaction.user_id");
    let rows: Vec<ReactionRow> = query.build_query_as().fetch_all(&peer.db).await?;
    let mut found: HashMap<Uuid, Vec<Reaction>> = HashMap::new();
    for row in rows {
        let reactions = found.entry(row.comment_id).or_default();
        let reacted = Reacted {
            user: User::of(peer, row.user),
            reacted_at: wire::time(row.reacted_at),
        };
        match reactions.iter_mut().find(|reaction| reaction.code == row.emoji) {
            Some(reaction) => {
                reaction.count += 1;
                reaction.users.push(reacted);
            }
            None => reactions.push(Reaction {
                code: row.emoji,
                emoji: row.written,
                count: 1,
                users: vec![reacted],
            }),
        }
    }
    Ok(found)
}

fn among(start: &'static str, comments: &[Uuid]) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(start);
    query.push("(");
    let mut ids = query.separated(", ");
    for comment in comments {
        ids.push_bind(*comment);
    }
    query.push(")");
    query
}
