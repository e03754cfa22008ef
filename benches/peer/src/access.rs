//! From the token and the organization's id to a membership.

use axum::http::{HeaderMap, header};
use chrono::Utc;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    Peer,
    failure::{FORBIDDEN, Failure, NOT_FOUND, UNAUTHORIZED},
    wire,
};

const ROLES: [&str; 6] = ["read", "comment", "edit", "review", "create", "admin"];

const MEMBERSHIP: &str = "
    SELECT token.user_id, token.expires_at, member.role, member.disabled
    FROM api_tokens token
    JOIN users user ON user.id = token.user_id AND user.suspended_at IS NULL
    LEFT JOIN members member ON member.user_id = token.user_id AND member.organization_id = ?
    WHERE token.hash = ?";

const IN_SPACE: &str = "
    SELECT token.user_id, token.expires_at, member.role, member.disabled
    FROM api_tokens token
    JOIN users user ON user.id = token.user_id AND user.suspended_at IS NULL
    LEFT JOIN nodes node ON node.id = ? AND node.kind = 'space' AND node.deleted_at IS NULL
    LEFT JOIN members member ON member.user_id = token.user_id AND member.organization_id = node.organization_id
    WHERE token.hash = ?";

#[derive(sqlx::FromRow)]
struct Row {
    user_id: Uuid,
    expires_at: Option<i64>,
    role: Option<String>,
    disabled: Option<bool>,
}

pub struct Access {
    /// The organization or the space that the path names.
    pub object: Uuid,
    pub user: Uuid,
    /// 0 for a guest, then the roles in their order.
    pub level: usize,
}

pub const READ: usize = 1;
pub const CREATE: usize = 5;
pub const ADMIN: usize = 6;

pub async fn member(peer: &Peer, headers: &HeaderMap, organization: &str) -> Result<Access, Failure> {
    find(peer, headers, organization, MEMBERSHIP).await
}

/// Only admins: what else lets people read a space is left out.
pub async fn in_space(peer: &Peer, headers: &HeaderMap, space: &str) -> Result<Access, Failure> {
    let access = find(peer, headers, space, IN_SPACE).await?;
    if access.level < ADMIN {
        Err(FORBIDDEN)
    } else {
        Ok(access)
    }
}

async fn find(peer: &Peer, headers: &HeaderMap, object: &str, statement: &'static str) -> Result<Access, Failure> {
    let hash = token_hash(headers)?;
    let object = wire::parse_id(object).unwrap_or_default();
    let row: Option<Row> = sqlx::query_as(statement)
        .bind(object)
        .bind(&hash[..])
        .fetch_optional(&peer.db)
        .await?;
    let row = row.ok_or(UNAUTHORIZED)?;
    if row.expires_at.is_some_and(|end| end <= Utc::now().timestamp_millis()) {
        return Err(UNAUTHORIZED);
    }
    if row.disabled != Some(false) {
        return Err(NOT_FOUND);
    }
    Ok(Access {
        object,
        user: row.user_id,
        level: level(row.role.as_deref()),
    })
}

/// The stored hash of the token of a request.
pub fn token_hash(headers: &HeaderMap) -> Result<[u8; 32], Failure> {
    let header = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header.and_then(|value| value.strip_prefix("Bearer "));
    Ok(Sha256::digest(token.ok_or(UNAUTHORIZED)?).into())
}

pub fn level(role: Option<&str>) -> usize {
    let place = role.and_then(|role| ROLES.iter().position(|known| *known == role));
    place.map_or(0, |place| place + 1)
}
