//! `GET /v1/spaces/{space}/search`, by the full-text search of SQLite: title before text, word ends cut, the last word as the
//! beginning of one, and the best pages first of those that have some of the words. The database holds one space.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, Query, State},
    http::HeaderMap,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Peer, access, failure::Failure, wire};

const FOUND: &str = "
    SELECT page_id, title, path, snippet(peer_search, 1, '', '', '…', 30)
    FROM peer_search WHERE peer_search MATCH ? ORDER BY bm25(peer_search, 8.0, 1.0) LIMIT 50";

#[derive(Deserialize)]
pub struct Asked {
    query: String,
}

#[derive(Serialize)]
pub struct Results {
    items: Vec<Hit>,
}

#[derive(Serialize)]
struct Hit {
    id: String,
    title: String,
    path: String,
    sections: [Section; 1],
    urls: Urls,
}

#[derive(Serialize)]
struct Section {
    path: String,
    body: String,
}

#[derive(Serialize)]
struct Urls {
    app: String,
}

pub async fn search(
    State(peer): State<Arc<Peer>>,
    Path(space): Path<String>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Json<Results>, Failure> {
    access::in_space(&peer, &headers, &space).await?;
    let found: Vec<(Uuid, String, String, String)> = sqlx::query_as(FOUND)
        .bind(some_words(&asked.query))
        .fetch_all(&peer.db)
        .await?;
    let hit = |(page, title, path, body): (Uuid, String, String, String)| {
        let id = wire::id(page);
        Hit {
            urls: Urls {
                app: format!("{}/pages/{space}/{id}", peer.base),
            },
            sections: [Section {
                path: path.clone(),
                body,
            }],
            id,
            title,
            path,
        }
    };
    Ok(Json(Results {
        items: found.into_iter().map(hit).collect(),
    }))
}

/// Every word in quotes, and a star after the last one.
fn some_words(query: &str) -> String {
    let words = query
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let quoted: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    format!("{}*", quoted.join(" OR "))
}
