//! `GET /v1/spaces/{space}/comments`, the latest first, with `limit` and `page`.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, Query, State},
    http::HeaderMap,
};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    Peer, access,
    around::{self, Reaction, Replier},
    failure::{Failure, invalid},
    members::{Next, Paging},
    users::{self, Urls, User},
    wire,
};

const PAGE: &str = "
    SELECT comment.id, comment.body, comment.posted_at, comment.revision_id, comment.page_id, comment.status,
        comment.author_id AS user_id, user.display_name, user.email, user.photo_url
    FROM comments comment
    JOIN users user ON user.id = comment.author_id
    WHERE comment.list_id = ? AND comment.id < ?
    ORDER BY comment.id DESC
    LIMIT ?";

const COUNT: &str = "SELECT comments FROM peer_comments WHERE list_id = ?";

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    body: String,
    posted_at: i64,
    revision_id: Uuid,
    page_id: Option<Uuid>,
    status: String,
    #[sqlx(flatten)]
    author: users::Row,
}

#[derive(Serialize)]
pub struct Comments {
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    count: i64,
    items: Vec<Comment>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    object: &'static str,
    id: String,
    posted_by: User,
    posted_at: String,
    reactions: Vec<Reaction>,
    replies: i64,
    repliers: Vec<Replier>,
    body: Body,
    target: Target,
    urls: Urls,
    permissions: Permissions,
    status: String,
}

#[derive(Serialize)]
struct Body {
    markdown: String,
}

#[derive(Serialize)]
struct Target {
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<Page>,
    space: String,
    revision: String,
}

#[derive(Serialize)]
struct Page {
    id: String,
}

#[derive(Serialize)]
struct Permissions {
    view: bool,
    edit: bool,
    reply: bool,
    delete: bool,
}

pub async fn list(
    State(peer): State<Arc<Peer>>,
    Path(space): Path<String>,
    Query(paging): Query<Paging>,
    headers: HeaderMap,
) -> Result<Json<Comments>, Failure> {
    let access = access::in_space(&peer, &headers, &space).await?;
    let limit = paging.limit;
    if limit > 1000 {
        return Err(invalid("`limit` is 0 to 1000."));
    }
    let after = match &paging.page {
        Some(page) => wire::parse_id(page).ok_or(invalid("`page` is not of this list."))?,
        None => Uuid::max(),
    };
    let mut rows: Vec<Row> = sqlx::query_as(PAGE)
        .bind(access.object)
        .bind(after)
        .bind(limit as i64 + 1)
        .fetch_all(&peer.db)
        .await?;
    let count = sqlx::query_scalar(COUNT)
        .bind(access.object)
        .fetch_optional(&peer.db)
        .await?
        .unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut repliers = around::repliers(&peer, &ids).await?;
    let mut reactions = around::reactions(&peer, &ids).await?;
    let next = rows.last().filter(|_| more).map(|row| Next { page: wire::id(row.id) });
    let items = rows.into_iter().map(|row| {
        let repliers = repliers.remove(&row.id).unwrap_or_default();
        let reactions = reactions.remove(&row.id).unwrap_or_default();
        comment(&peer, &access, row, repliers, reactions)
    });
    let items = items.collect();
    Ok(Json(Comments { next, count, items }))
}

/// A comment on the space as a whole that its author sees.
pub fn posted(
    peer: &Peer,
    space: Uuid,
    id: Uuid,
    revision_id: Uuid,
    author: users::Row,
    body: String,
    posted_at: i64,
) -> Comment {
    let access = access::Access {
        object: space,
        user: author.user_id,
        level: access::ADMIN,
    };
    let row = Row {
        id,
        body,
        posted_at,
        revision_id,
        page_id: None,
        status: "open".to_owned(),
        author,
    };
    comment(peer, &access, row, Vec::new(), Vec::new())
}

fn comment(
    peer: &Peer,
    access: &access::Access,
    row: Row,
    repliers: Vec<Replier>,
    reactions: Vec<Reaction>,
) -> Comment {
    let (id, space) = (wire::id(row.id), wire::id(access.object));
    Comment {
        object: "comment",
        permissions: Permissions {
            view: true,
            edit: row.author.user_id == access.user,
            reply: true,
            delete: true,
        },
        posted_by: User::of(peer, row.author),
        posted_at: wire::time(row.posted_at),
        reactions,
        replies: repliers.iter().map(|replier| replier.count).sum(),
        repliers,
        body: Body { markdown: row.body },
        urls: Urls {
            location: format!("{}/v1/spaces/{space}/comments/{id}", peer.base),
        },
        target: Target {
            page: row.page_id.map(|page| Page { id: wire::id(page) }),
            space,
            revision: wire::id(row.revision_id),
        },
        id,
        status: row.status,
    }
}
