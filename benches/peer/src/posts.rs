//! `POST /v1/spaces/{space}/comments`: a comment in Markdown on the space as a whole, and its event in the audit log.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
};
use chrono::Utc;
use serde::Deserialize;
use sqlx::Connection;
use uuid::Uuid;

use crate::{
    Peer,
    access::{self, ADMIN},
    comments::{Comment, posted},
    failure::{FORBIDDEN, Failure, NOT_FOUND, UNAUTHORIZED, invalid},
    users, wire,
};

/// Access and what an answer needs in one, in the transaction of the write.
const AUTHOR: &str = "
    SELECT token.user_id, user.display_name, user.email, user.photo_url, token.expires_at, member.role, member.disabled,
        node.organization_id, space.revision_id
    FROM api_tokens token
    JOIN users user ON user.id = token.user_id AND user.suspended_at IS NULL
    JOIN nodes node ON node.id = ? AND node.kind = 'space' AND node.deleted_at IS NULL
    JOIN spaces space ON space.id = node.id
    LEFT JOIN members member ON member.user_id = token.user_id AND member.organization_id = node.organization_id
    WHERE token.hash = ?";

const COMMENT: &str = "
    INSERT INTO comments (id, space_id, list_id, author_id, body, posted_at, revision_id, status)
    VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, 'open')";

const EVENT: &str = "
    INSERT INTO audit_events (id, organization_id, occurred_at, action, actor_type, actor_id, actor_label, target_type,
        target_id, payload)
    VALUES (?, ?, ?, 'comments.post', 'user', ?, ?, 'comment', ?, ?)";

const MAX_TEXT: usize = 10_000;

#[derive(Deserialize)]
pub struct Post {
    body: Text,
}

#[derive(Deserialize)]
struct Text {
    markdown: String,
}

#[derive(sqlx::FromRow)]
struct Author {
    #[sqlx(flatten)]
    user: users::Row,
    expires_at: Option<i64>,
    role: Option<String>,
    disabled: Option<bool>,
    organization_id: Uuid,
    revision_id: Uuid,
}

pub async fn post(
    State(peer): State<Arc<Peer>>,
    Path(space): Path<String>,
    headers: HeaderMap,
    Json(post): Json<Post>,
) -> Result<(StatusCode, Json<Comment>), Failure> {
    let text = post.body.markdown;
    if text.is_empty() || text.len() > MAX_TEXT {
        return Err(invalid("`markdown` has 1 to 10,000 characters."));
    }
    let hash = access::token_hash(&headers)?;
    let space = wire::parse_id(&space).unwrap_or_default();
    let (comment, now) = (Uuid::now_v7(), Utc::now().timestamp_millis());
    let mut writer = peer.writer.acquire().await?;
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await?;
    let author: Option<Author> = sqlx::query_as(AUTHOR)
        .bind(space)
        .bind(&hash[..])
        .fetch_optional(&mut *transaction)
        .await?;
    let author = author.ok_or(NOT_FOUND)?;
    if author.expires_at.is_some_and(|end| end <= now) {
        return Err(UNAUTHORIZED);
    }
    if author.disabled != Some(false) {
        return Err(NOT_FOUND);
    }
    if access::level(author.role.as_deref()) < ADMIN {
        return Err(FORBIDDEN);
    }
    sqlx::query(COMMENT)
        .bind(comment)
        .bind(space)
        .bind(author.user.user_id)
        .bind(&text)
        .bind(now)
        .bind(author.revision_id)
        .execute(&mut *transaction)
        .await?;
    let payload = format!(r#"{{"space":"{}","changeRequest":null,"page":null}}"#, wire::id(space));
    sqlx::query(EVENT)
        .bind(Uuid::now_v7())
        .bind(author.organization_id)
        .bind(now)
        .bind(wire::id(author.user.user_id))
        .bind(author.user.email())
        .bind(wire::id(comment))
        .bind(payload)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    let answer = posted(&peer, space, comment, author.revision_id, author.user, text, now);
    Ok((StatusCode::CREATED, Json(answer)))
}
