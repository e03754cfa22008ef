//! Running an import.

use std::{collections::HashMap, fs, path::PathBuf, sync::Arc, time::Instant};

use entity::{
    exchange::import_runs::{ImportSourceKind, Model},
    ids::{ImportRunId, JobId},
    timestamp::Timestamp,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::error::ApiError;
use platform::db::Tx;
use sea_orm::JsonValue;

use super::{
    fetch::{self, FETCH_TIME, Source, in_background},
    files,
    outcome::Outcome,
    purpose,
    scratch::Scratch,
    store, website,
};
use crate::{
    areas::{
        authoring::editor::write::load_head,
        exchange::{
            Exchange,
            git::{SyncError, once, request::Request},
            import::{self, Import, ImportDestination, ImportSource, ImportTarget, Silent},
        },
    },
    kernel::audit::{AccessCheck, Actor, SystemAction},
};

const HAS_CONTENT: &str =
    "The space has content. An import with `force` replaces it; what was there stays in the history.";

pub async fn run(exchange: &Exchange, row: Model) -> Result<(), SyncError> {
    let destination = ImportDestination::Space(row.space_id.to_string());
    let target = ImportTarget::find(exchange, destination, Some(row.created_by)).await;
    let target = target.map_err(SyncError::of_import)?;
    let head = load_head(&exchange.contents, row.space_id).await?;
    if !row.force && exchange.written_pages(row.space_id, head.snapshot).await?.is_some() {
        return Err(SyncError::Refused(HAS_CONTENT.to_owned()));
    }
    let scratch = Scratch::new(&exchange.scratch, row.id).map_err(anyhow::Error::from)?;
    let Source {
        source,
        addresses,
        problems,
    } = source(exchange, &row, &scratch).await?;
    let import = Import {
        source,
        subdirectory: None,
        dry_run: false,
        strict: false,
        links: Vec::new(),
    };
    let made = import::prepare(exchange, import, &target, Arc::new(Silent)).await;
    let made = made.map_err(SyncError::of_import)?;
    let outcome = Outcome::of(&made.files, &made.report, &addresses, problems);
    let run = RunningImport {
        id: row.id,
        job: row.job_id,
        outcome: serde_json::to_value(outcome).map_err(ApiError::from)?,
    };
    let actor = Actor::on_behalf(SystemAction::ImportRun, Arc::new(run.clone()));
    made.write(exchange, &target, actor, &Silent)
        .await
        .map_err(SyncError::of_import)?;
    // Nothing has changed in the space, or the run is completed.
    let now = exchange.kernel.clock.now();
    let work = move |tx: Tx| async move { run.complete(&tx, now).await };
    Ok(exchange.kernel.db.write(work).await?)
}

async fn source(exchange: &Exchange, row: &Model, scratch: &Scratch) -> Result<Source, SyncError> {
    let source = match row.kind {
        ImportSourceKind::Website => return website::fetch(exchange, row, scratch.path("website")).await,
        ImportSourceKind::File => files::source(exchange, row, scratch).await?,
        ImportSourceKind::Zip => archive(exchange, row, scratch.path("archive.zip")).await?,
        ImportSourceKind::Git => {
            let sealed = row.secret.as_deref().unwrap_or_default();
            let url = exchange.kernel.secrets.open(&purpose(row.id), sealed);
            let url = String::from_utf8_lossy(&url.map_err(ApiError::internal)?).into_owned();
            let request = Request::once(url, row.reference.clone().unwrap_or_default(), row.directory.clone());
            once::source(exchange, &request, scratch.path("repository")).await?
        }
    };
    Ok(Source {
        source,
        addresses: HashMap::new(),
        problems: Vec::new(),
    })
}

async fn archive(exchange: &Exchange, row: &Model, path: PathBuf) -> Result<ImportSource, SyncError> {
    let fetched = fetch::get(exchange, row, &row.url, Instant::now() + FETCH_TIME).await;
    let fetched = fetched.map_err(|error| SyncError::Refused(format!("The address {error}.")))?;
    let open = move || {
        fs::write(&path, &fetched.bytes)?;
        let opened = import::open_archive(fs::File::open(&path)?);
        anyhow::Ok(opened.map_err(|error| SyncError::Refused(format!("The archive cannot be read: {error}."))))
    };
    let opened = in_background(open).await??;
    Ok(ImportSource::Tree(Box::new(opened?)))
}

/// A run whose revision is written only if nobody has cancelled it, and that is completed together with it.
#[derive(Clone)]
struct RunningImport {
    id: ImportRunId,
    job: JobId,
    outcome: JsonValue,
}

impl RunningImport {
    async fn complete(&self, tx: &Tx, now: Timestamp) -> Result<(), ApiError> {
        Ok(store::complete(tx, self.id, self.job, self.outcome.clone(), now).await?)
    }
}

impl AccessCheck for RunningImport {
    fn check_again<'a>(&'a self, tx: &'a Tx, _now: Timestamp) -> BoxFuture<'a, Result<(), ApiError>> {
        async move {
            let active = store::lock_active(tx, self.id, self.job).await?;
            active.map(drop).ok_or_else(|| ApiError::not_found("import run"))
        }
        .boxed()
    }

    fn changed<'a>(&'a self, tx: &'a Tx, now: Timestamp) -> BoxFuture<'a, Result<(), ApiError>> {
        self.complete(tx, now).boxed()
    }
}
