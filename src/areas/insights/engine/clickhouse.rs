//! ClickHouse as the engine, over its HTTP interface.
//!
//! A chunk is one insert with the id of the chunk as its token: ClickHouse recognizes it when it is sent again, so that the batches
//! can be deleted after the answer. Until the insert, answers do not have the events.

use std::{
    collections::HashSet,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use entity::{ids::SiteId, publishing::sites, timestamp::Timestamp};
use futures_util::future::{BoxFuture, FutureExt};
use insights::{
    Event, Query, Value,
    clickhouse::{self, Row, Statement, Unreadable},
};
use platform::{config::ClickHouseAddress, db::Tx, outbound};
use reqwest::{Client, RequestBuilder, Response, StatusCode, header::CONTENT_TYPE};
use sea_orm::{EntityTrait, PaginatorTrait};
use secrecy::ExposeSecret;
use url::Url;

use super::{Chunk, Engine, EngineError, ExportRange, batches, compute};
use crate::kernel::Kernel;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The time of a statement. Callers with less time go away sooner.
const TIME_LIMIT: Duration = Duration::from_secs(90);

/// The time of a deletion, which rewrites parts of the table.
const DELETION_TIME_LIMIT: Duration = Duration::from_secs(15 * 60);

/// Bytes of an answer. A longer one is an error.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// Characters of an error in logs.
const MAX_ERROR: usize = 500;

/// The error codes of ClickHouse that say something about a query.
const TOO_MANY_ROWS: &str = "158";
const MEMORY_LIMIT_EXCEEDED: &str = "241";
/// The table was dropped behind the back of this server.
const UNKNOWN_TABLE: &str = "60";

/// Between the members of a form: no value of a parameter holds a line break.
const BOUNDARY: &str = "bindery-parameter";

pub struct ClickHouseEngine {
    kernel: Kernel,
    address: ClickHouseAddress,
    /// Created at the first use, because most processes do not need it.
    client: OnceLock<Client>,
    /// The table was there.
    is_prepared: AtomicBool,
}

impl ClickHouseEngine {
    pub fn new(kernel: &Kernel, address: ClickHouseAddress) -> Self {
        Self {
            kernel: kernel.clone(),
            address,
            client: OnceLock::new(),
            is_prepared: AtomicBool::new(false),
        }
    }

    /// Creates the table, unless it exists.
    async fn prepare(&self) -> Result<(), EngineError> {
        if !self.is_prepared.load(Ordering::Relaxed) {
            self.execute(&clickhouse::create(), TIME_LIMIT).await?;
            self.is_prepared.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn store_chunk(&self, chunk: Chunk) -> Result<(), EngineError> {
        self.prepare().await?;
        let Chunk {
            id,
            site,
            batches,
            events,
        } = chunk;
        let (statement, body) = compute(|| {
            let site = site.to_string();
            let rows = events.iter().map(|event| Row { site: &site, event });
            clickhouse::insert(id.as_uuid().as_u128(), rows)
        });
        let mut url = self.url();
        url.query_pairs_mut().append_pair("query", &statement.text);
        self.answer(|client| client.post(url).body(body), TIME_LIMIT).await?;
        let work = move |tx: Tx| async move { batches::remove_chunk(&tx, id, batches).await };
        let removed = self.kernel.db.write(work).await;
        // The batches may be gone because the site is: then the events have come after the others were deleted.
        if matches!(removed, Err(EngineError::Stale)) && !self.exists(site).await? {
            self.delete_events_of(site).await?;
        }
        removed
    }

    async fn exists(&self, site: SiteId) -> Result<bool, EngineError> {
        Ok(sites::Entity::find_by_id(site).count(self.kernel.db.read()).await? > 0)
    }

    async fn query(&self, site: SiteId, query: Query) -> Result<Vec<Vec<Value>>, EngineError> {
        self.prepare().await?;
        let statement = clickhouse::select(&query, &site.to_string());
        let answered = self.execute(&statement, TIME_LIMIT).await;
        let answer = answered.map_err(|failure| match failure.code.as_deref() {
            Some(TOO_MANY_ROWS | MEMORY_LIMIT_EXCEEDED) => EngineError::TooManyGroups,
            _ => failure.into(),
        })?;
        Ok(compute(|| clickhouse::read(&query, &answer))?)
    }

    async fn events(&self, site: SiteId, range: ExportRange) -> Result<Vec<Event>, EngineError> {
        self.prepare().await?;
        let ExportRange { from, to, skip, limit } = range;
        let site = site.to_string();
        let statement = clickhouse::select_events(&site, from.as_millis(), to.as_millis(), skip, limit);
        let answer = self.execute(&statement, TIME_LIMIT).await?;
        Ok(compute(|| clickhouse::read_events(&answer))?)
    }

    async fn delete(&self, statement: Statement) -> Result<(), EngineError> {
        self.prepare().await?;
        self.execute(&statement, DELETION_TIME_LIMIT).await?;
        Ok(())
    }

    async fn delete_events_of(&self, site: SiteId) -> Result<(), EngineError> {
        self.delete(clickhouse::delete_site(&site.to_string())).await
    }

    async fn has_days(&self, from: Timestamp, to: Timestamp) -> Result<bool, EngineError> {
        self.prepare().await?;
        let statement = clickhouse::any_between(start_of_day(from), start_of_day(to));
        Ok(!self.execute(&statement, TIME_LIMIT).await?.is_empty())
    }

    async fn delete_days_before(&self, time: Timestamp) -> Result<(), EngineError> {
        self.delete(clickhouse::delete_before(start_of_day(time))).await
    }

    /// The address with the name of the database. A status is sent after the statement has ended, so that it tells of every error.
    fn url(&self) -> Url {
        let mut url = self.address.url.clone();
        url.query_pairs_mut()
            .append_pair("database", &self.address.database)
            .append_pair("wait_end_of_query", "1");
        url
    }

    /// Sends a statement with its parameters as a form: an address has no room for long ones.
    async fn execute(&self, statement: &Statement, time: Duration) -> Result<Vec<u8>, Failure> {
        let mut form = String::new();
        let mut add = |name: &str, value: &str| {
            form += &format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        };
        add("query", &statement.text);
        for (name, value) in &statement.parameters {
            add(&format!("param_{name}"), value);
        }
        form += &format!("--{BOUNDARY}--\r\n");
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let url = self.url();
        self.answer(|client| client.post(url).header(CONTENT_TYPE, kind).body(form), time)
            .await
    }

    async fn answer(
        &self,
        request: impl FnOnce(&Client) -> RequestBuilder,
        time: Duration,
    ) -> Result<Vec<u8>, Failure> {
        let password = self.address.password.expose_secret();
        let request = request(self.client()?)
            .basic_auth(&self.address.user, Some(password))
            .timeout(time);
        let response = request.send().await?;
        let status = response.status();
        let code = code_of(&response);
        let body = read(response).await?;
        if status == StatusCode::OK && code.is_none() {
            return Ok(body);
        }
        if code.as_deref() == Some(UNKNOWN_TABLE) {
            self.is_prepared.store(false, Ordering::Relaxed);
        }
        let text: String = String::from_utf8_lossy(&body).trim().chars().take(MAX_ERROR).collect();
        Err(Failure {
            reason: format!("it responds with the status {}: {text}", status.as_u16()),
            code,
        })
    }

    fn client(&self) -> Result<&Client, Failure> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = outbound::of_operator().map_err(|error| Failure::new(format!("{error:#}")))?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// The beginning of the day (UTC) of a time.
const fn start_of_day(time: Timestamp) -> i64 {
    let time = time.as_millis();
    time - time.rem_euclid(DAY)
}

/// The code of the error that ClickHouse tells in a header.
fn code_of(response: &Response) -> Option<String> {
    let code = response.headers().get("X-ClickHouse-Exception-Code")?;
    Some(code.to_str().ok()?.to_owned())
}

async fn read(mut response: Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await? {
        if part.len() > MAX_ANSWER - body.len() {
            return Err(Failure::new(format!("it answers with more than {MAX_ANSWER} bytes")));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

/// A statement without its answer.
struct Failure {
    reason: String,
    /// The code of the error, if ClickHouse told one.
    code: Option<String>,
}

impl Failure {
    const fn new(reason: String) -> Self {
        Self { reason, code: None }
    }
}

impl From<reqwest::Error> for Failure {
    /// The address is left out, because it has the statement.
    fn from(error: reqwest::Error) -> Self {
        Self::new(format!("{:#}", anyhow::Error::from(error.without_url())))
    }
}

/// Callers learn only that insights are not available; the reason is for the operator.
impl From<Failure> for EngineError {
    fn from(Failure { reason, .. }: Failure) -> Self {
        tracing::warn!(%reason, "cannot use ClickHouse for insights; check BINDERY_INSIGHTS_URL and the server behind it");
        Self::Away(reason)
    }
}

impl From<Unreadable> for EngineError {
    fn from(error: Unreadable) -> Self {
        Failure::new(error.to_string()).into()
    }
}

impl Engine for ClickHouseEngine {
    fn store<'a>(&'a self, chunk: Chunk) -> BoxFuture<'a, Result<(), EngineError>> {
        self.store_chunk(chunk).boxed()
    }

    /// ClickHouse merges the parts of its table by itself.
    fn merge(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        async { Ok(()) }.boxed()
    }

    fn aggregate<'a>(&'a self, site: SiteId, query: Query) -> BoxFuture<'a, Result<Vec<Vec<Value>>, EngineError>> {
        self.query(site, query).boxed()
    }

    fn export<'a>(&'a self, site: SiteId, range: ExportRange) -> BoxFuture<'a, Result<Vec<Event>, EngineError>> {
        self.events(site, range).boxed()
    }

    fn delete_visitors<'a>(
        &'a self,
        site: SiteId,
        visitors: &'a HashSet<u64>,
    ) -> BoxFuture<'a, Result<(), EngineError>> {
        self.delete(clickhouse::delete_visitors(&site.to_string(), visitors))
            .boxed()
    }

    fn delete_site<'a>(&'a self, site: SiteId) -> BoxFuture<'a, Result<(), EngineError>> {
        self.delete_events_of(site).boxed()
    }

    fn has_events<'a>(&'a self, from: Timestamp, to: Timestamp) -> BoxFuture<'a, Result<bool, EngineError>> {
        self.has_days(from, to).boxed()
    }

    fn delete_before<'a>(&'a self, time: Timestamp) -> BoxFuture<'a, Result<(), EngineError>> {
        self.delete_days_before(time).boxed()
    }
}
