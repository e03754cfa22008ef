//! The yardstick of `scripts/bench`: reads and a write of the server, written by hand with axum and sqlx, on a database that
//! the server made. Nothing here is generated or general. There is no token cache: one statement finds token and
//! membership together. Left out are request ids, metrics, logs, limits, and the note of when a token was last used.
//!
//! `peer DATABASE_FILE ADDRESS`

mod access;
mod around;
mod comments;
mod failure;
mod members;
mod nodes;
mod organizations;
mod pages;
mod posts;
mod search;
mod spaces;
mod users;
mod wire;

use std::{env, error::Error, sync::Arc, time::Duration};

use axum::{Router, routing::get};
use sqlx::{
    ConnectOptions, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::net::TcpListener;

/// The allocator of the server, so that the comparison is not one of allocators.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub struct Peer {
    pub db: SqlitePool,
    /// The only connection that writes.
    pub writer: SqlitePool,
    /// The address in `urls`.
    pub base: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(file), Some(address)) = (arguments.next(), arguments.next()) else {
        return Err("usage: peer DATABASE_FILE ADDRESS".into());
    };
    let peer = Peer {
        writer: connect_writer(&file).await?,
        db: connect(&file).await?,
        base: format!("http://{address}"),
    };
    let routes = Router::new()
        .route("/readyz", get(async || "ready"))
        .route("/v1/orgs/{organization}", get(organizations::read))
        .route("/v1/orgs/{organization}/members", get(members::list))
        .route("/v1/orgs/{organization}/spaces", get(nodes::list))
        .route("/v1/spaces/{space}", get(nodes::read))
        .route("/v1/spaces/{space}/comments", get(comments::list).post(posts::post))
        .route("/v1/spaces/{space}/content/page/{page}", get(pages::read))
        .route("/v1/spaces/{space}/search", get(search::search))
        .with_state(Arc::new(peer));
    let listener = TcpListener::bind(address).await?;
    Ok(axum::serve(listener, routes).await?)
}

/// Answers after the bytes are on the disk, like the server.
async fn connect_writer(file: &str) -> Result<SqlitePool, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .disable_statement_logging();
    SqlitePoolOptions::new()
        .max_connections(1)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options)
        .await
}

/// The settings of the server's readers; sqlx prepares each statement once a connection.
async fn connect(file: &str) -> Result<SqlitePool, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .row_buffer_size(256)
        .disable_statement_logging();
    SqlitePoolOptions::new()
        .max_connections(4)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options)
        .await
}
