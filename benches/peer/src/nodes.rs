//! `GET /v1/spaces/{space}` and `GET /v1/orgs/{organization}/spaces`, the latest first, with `limit` and `page`.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, Query, State},
    http::HeaderMap,
};
use chrono::Utc;
use serde::Serialize;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;

use crate::{
    Peer,
    access::{self, ADMIN},
    failure::{FORBIDDEN, Failure, NOT_FOUND, UNAUTHORIZED, invalid},
    members::{Next, Paging},
    wire,
};

/// The columns of a space in the order in which they are read.
macro_rules! columns {
    () => {
        "node.id, node.organization_id, node.parent_id, node.title, node.default_level, node.created_at, node.updated_at,
        space.emoji, space.icon, space.visibility, space.edit_mode, space.language, space.merge_rules, space.revision_id,
        space.change_requests, space.change_requests_open, space.change_requests_draft, counts.open"
    };
}

/// Access and row in one.
const SPACE: &str = concat!(
    "SELECT ",
    columns!(),
    ", token.expires_at, member.role, member.disabled
    FROM api_tokens token
    JOIN users user ON user.id = token.user_id AND user.suspended_at IS NULL
    JOIN nodes node ON node.id = ? AND node.kind = 'space' AND node.deleted_at IS NULL
    JOIN spaces space ON space.id = node.id
    LEFT JOIN peer_comments counts ON counts.list_id = node.id
    LEFT JOIN members member ON member.user_id = token.user_id AND member.organization_id = node.organization_id
    WHERE token.hash = ?"
);

const PAGE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM nodes node
    JOIN spaces space ON space.id = node.id
    LEFT JOIN peer_comments counts ON counts.list_id = node.id
    WHERE node.organization_id = ? AND node.kind = 'space' AND node.deleted_at IS NULL AND node.id < ?
    ORDER BY node.id DESC
    LIMIT ?"
);

const COUNT: &str = "SELECT COUNT(*) FROM nodes WHERE organization_id = ? AND kind = 'space' AND deleted_at IS NULL";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Space {
    object: &'static str,
    id: String,
    title: String,
    emoji: String,
    visibility: String,
    created_at: String,
    updated_at: String,
    edit_mode: String,
    merge_rules: Value,
    urls: Urls,
    organization: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    revision: String,
    default_level: Option<String>,
    comments: i64,
    change_requests: i64,
    change_requests_open: i64,
    change_requests_draft: i64,
    permissions: Permissions,
}

#[derive(Serialize)]
struct Urls {
    location: String,
    app: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Permissions {
    view: bool,
    access: bool,
    admin: bool,
    view_invite_links: bool,
    edit: bool,
    trigger_git_sync: bool,
    comment: bool,
    merge: bool,
    review: bool,
    install_integration: bool,
}

#[derive(Serialize)]
pub struct Spaces {
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    count: i64,
    items: Vec<Space>,
}

/// Only for admins, like the comments.
pub async fn read(
    State(peer): State<Arc<Peer>>,
    Path(space): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Space>, Failure> {
    let hash = access::token_hash(&headers)?;
    let row = sqlx::query(SPACE)
        .bind(wire::parse_id(&space).unwrap_or_default())
        .bind(&hash[..])
        .fetch_optional(&peer.db)
        .await?;
    let row = row.ok_or(NOT_FOUND)?;
    let (expires_at, role, disabled): (Option<i64>, Option<&str>, Option<bool>) =
        (row.try_get(18)?, row.try_get(19)?, row.try_get(20)?);
    if expires_at.is_some_and(|end| end <= Utc::now().timestamp_millis()) {
        return Err(UNAUTHORIZED);
    }
    if disabled != Some(false) {
        return Err(NOT_FOUND);
    }
    if role != Some("admin") {
        return Err(FORBIDDEN);
    }
    Ok(Json(space_of(&peer, &row)?))
}

pub async fn list(
    State(peer): State<Arc<Peer>>,
    Path(organization): Path<String>,
    Query(paging): Query<Paging>,
    headers: HeaderMap,
) -> Result<Json<Spaces>, Failure> {
    let access = access::member(&peer, &headers, &organization).await?;
    if access.level < ADMIN {
        return Err(FORBIDDEN);
    }
    let limit = paging.limit;
    if limit > 1000 {
        return Err(invalid("`limit` is 0 to 1000."));
    }
    let after = match &paging.page {
        Some(page) => wire::parse_id(page).ok_or(invalid("`page` is not of this list."))?,
        None => Uuid::max(),
    };
    let rows = sqlx::query(PAGE)
        .bind(access.object)
        .bind(after)
        .bind(limit as i64 + 1)
        .fetch_all(&peer.db)
        .await?;
    let count = sqlx::query_scalar(COUNT)
        .bind(access.object)
        .fetch_one(&peer.db)
        .await?;
    let more = rows.len() > limit;
    let shown = rows.iter().take(limit).map(|row| space_of(&peer, row));
    let items: Vec<Space> = shown.collect::<Result<_, _>>()?;
    let next = items
        .last()
        .filter(|_| more)
        .map(|space| Next { page: space.id.clone() });
    Ok(Json(Spaces { next, count, items }))
}

fn space_of(peer: &Peer, row: &SqliteRow) -> Result<Space, sqlx::Error> {
    let id = wire::id(row.try_get(0)?);
    let icon = row.try_get(8)?;
    let emoji: Option<String> = row.try_get(7)?;
    let merge_rules: &str = row.try_get(12)?;
    let comments: Option<i64> = row.try_get(17)?;
    Ok(Space {
        object: "space",
        title: row.try_get(3)?,
        emoji: emoji.unwrap_or_else(|| "1f4d3".to_owned()),
        visibility: row.try_get(9)?,
        created_at: wire::time(row.try_get(5)?),
        updated_at: wire::time(row.try_get(6)?),
        edit_mode: row.try_get(10)?,
        merge_rules: serde_json::from_str(merge_rules).unwrap_or_default(),
        urls: Urls {
            location: format!("{}/v1/spaces/{id}", peer.base),
            app: format!("{}/docs/?spaceId={id}#/spaces/getSpaceById", peer.base),
            icon,
        },
        id,
        organization: wire::id(row.try_get(1)?),
        parent: row.try_get::<Option<Uuid>, _>(2)?.map(wire::id),
        language: row.try_get(11)?,
        revision: wire::id(row.try_get(13)?),
        default_level: row.try_get(4)?,
        comments: comments.unwrap_or_default(),
        change_requests: row.try_get(14)?,
        change_requests_open: row.try_get(15)?,
        change_requests_draft: row.try_get(16)?,
        permissions: Permissions {
            view: true,
            access: true,
            admin: true,
            view_invite_links: true,
            edit: true,
            trigger_git_sync: true,
            comment: true,
            merge: true,
            review: true,
            install_integration: true,
        },
    })
}
