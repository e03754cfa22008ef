//! `GET /v1/orgs/{organization}/members`, the latest first, with `limit` and `page`.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, Query, State},
    http::HeaderMap,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Peer, access,
    access::READ,
    failure::{FORBIDDEN, Failure, invalid},
    spaces::Spaces,
    users::{self, User},
    wire,
};

/// The page after a key, in either order.
macro_rules! page {
    ($after:literal, $order:literal) => {
        concat!(
            "SELECT member.user_id, member.role, member.disabled, member.sso, member.joined_at, member.last_seen_at,
                member.teams_count, user.display_name, user.email, user.photo_url
            FROM members member
            JOIN users user ON user.id = member.user_id
            WHERE member.organization_id = ? AND (member.joined_at, member.user_id) ",
            $after,
            " (?, ?) ORDER BY member.joined_at ",
            $order,
            ", member.user_id ",
            $order,
            " LIMIT ?"
        )
    };
}

const LATEST_FIRST: &str = page!("<", "DESC");
const EARLIEST_FIRST: &str = page!(">", "ASC");

const COUNTS: &str = "SELECT members_count, (SELECT count(*) FROM sites WHERE organization_id = organizations.id) FROM organizations WHERE id = ?";

#[derive(sqlx::FromRow)]
pub struct Row {
    #[sqlx(flatten)]
    pub user: users::Row,
    pub role: Option<String>,
    disabled: bool,
    sso: bool,
    joined_at: i64,
    last_seen_at: Option<i64>,
    teams_count: i64,
}

#[derive(Serialize)]
pub struct Members {
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    count: i64,
    items: Vec<Member>,
}

#[derive(Serialize)]
pub struct Next {
    pub page: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Member {
    object: &'static str,
    id: String,
    role: Option<String>,
    user: User,
    disabled: bool,
    joined_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen_at: Option<String>,
    sso: bool,
    spaces: i64,
    sites: i64,
    teams: i64,
}

#[derive(Deserialize)]
pub struct Paging {
    pub page: Option<String>,
    order: Option<String>,
    #[serde(default = "default_limit")]
    pub limit: usize,
}

fn default_limit() -> usize {
    50
}

pub async fn list(
    State(peer): State<Arc<Peer>>,
    Path(organization): Path<String>,
    Query(paging): Query<Paging>,
    headers: HeaderMap,
) -> Result<Json<Members>, Failure> {
    let access = access::member(&peer, &headers, &organization).await?;
    if access.level < READ {
        return Err(FORBIDDEN);
    }
    let limit = paging.limit;
    if limit > 1000 {
        return Err(invalid("`limit` is 0 to 1000."));
    }
    let (statement, start) = match paging.order.as_deref() {
        Some("asc") => (EARLIEST_FIRST, (i64::MIN, Uuid::nil())),
        _ => (LATEST_FIRST, (i64::MAX, Uuid::max())),
    };
    let (joined_at, user) = match &paging.page {
        Some(page) => key_of(page).ok_or(invalid("`page` is not of this list."))?,
        None => start,
    };
    let mut rows: Vec<Row> = sqlx::query_as(statement)
        .bind(access.object)
        .bind(joined_at)
        .bind(user)
        .bind(limit as i64 + 1)
        .fetch_all(&peer.db)
        .await?;
    let (count, sites) = sqlx::query_as(COUNTS).bind(access.object).fetch_one(&peer.db).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let spaces = Spaces::of(&peer, access.object, &rows).await?;
    let last = rows.last().filter(|_| more);
    let next = last.map(|row| Next { page: cursor(row) });
    let items = rows
        .into_iter()
        .map(|row| member_of(&peer, &spaces, sites, row))
        .collect();
    Ok(Json(Members { next, count, items }))
}

fn cursor(row: &Row) -> String {
    format!("{}.{}", row.joined_at, wire::id(row.user.user_id))
}

fn key_of(page: &str) -> Option<(i64, Uuid)> {
    let (joined_at, user) = page.split_once('.')?;
    Some((joined_at.parse().ok()?, wire::parse_id(user)?))
}

fn member_of(peer: &Peer, spaces: &Spaces, sites: i64, row: Row) -> Member {
    let spaces = spaces.seen_by(&row);
    // Guests see none.
    let sites = if row.role.is_some() { sites } else { 0 };
    Member {
        object: "member",
        id: wire::id(row.user.user_id),
        role: row.role,
        user: User::of(peer, row.user),
        disabled: row.disabled,
        joined_at: wire::time(row.joined_at),
        last_seen_at: row.last_seen_at.map(wire::time),
        sso: row.sso,
        spaces,
        sites,
        teams: row.teams_count,
    }
}
