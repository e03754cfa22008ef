//! `GET /v1/spaces/{space}/content/page/{page}`, from a table with the answers: by hand one would store the node tree of
//! each page as JSON beside its Markdown.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};

use crate::{
    Peer, access,
    failure::{Failure, NOT_FOUND},
    wire,
};

const PAGE: &str = "SELECT answer FROM peer_pages WHERE space_id = ? AND page_id = ?";

pub async fn read(
    State(peer): State<Arc<Peer>>,
    Path((space, page)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let access = access::in_space(&peer, &headers, &space).await?;
    let answer: Option<String> = sqlx::query_scalar(PAGE)
        .bind(access.object)
        .bind(wire::parse_id(&page).unwrap_or_default())
        .fetch_optional(&peer.db)
        .await?;
    let answer = answer.ok_or(NOT_FOUND)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}
