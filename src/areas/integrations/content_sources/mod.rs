//! Content sources: pages that the scripts of integrations compute.
//!
//! Jobs compute the pages after each change of the content of a space with such an integration, and every hour: the pages of a source
//! change without a change in the space, and so do scripts. Readers get what was computed last.

mod answers;

use std::{collections::BTreeMap, sync::Arc};

use chrono::TimeDelta;
use content::pages::ComputedPages;
use entity::{
    ids::{DeliveryId, IntegrationId, IntegrationInstallationId, JobId, NodeId},
    library::nodes,
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    hash::Hash,
    jobs::{JobContext, JobError, JobKind, PeriodicJob, enqueue},
};
use sea_orm::{DbErr, EntityTrait};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::answers::ScriptPage;
use super::{
    Integrations,
    integration_access::find_by_name,
    integration_installations::store,
    place::Place,
    running::{RunFailure, ScriptEvent},
};
use crate::{
    areas::content::{
        Contents,
        computed::{StoredPage, integration_of, integration_source, source_hash},
    },
    kernel::Kernel,
};

/// Spaces that one step of the hourly job looks at.
const SPACES_AT_ONCE: u64 = 500;

/// Computes the pages of the content sources in a space.
pub struct ComputeContent {
    integrations: Arc<Integrations>,
    contents: Arc<Contents>,
}

#[derive(Serialize, Deserialize)]
pub struct SpaceToCompute {
    space: NodeId,
}

impl ComputeContent {
    pub fn new(integrations: Arc<Integrations>, contents: Arc<Contents>) -> Self {
        Self { integrations, contents }
    }

    /// Stores a job in the transaction of a change.
    pub async fn enqueue(tx: &Tx, jobs: Vec<(JobId, NodeId)>, now: Timestamp) -> Result<(), DbErr> {
        let jobs = jobs.into_iter().map(|(id, space)| (id, SpaceToCompute { space }));
        enqueue::<Self>(tx, jobs.collect::<Vec<_>>(), now).await
    }
}

impl JobKind for ComputeContent {
    const NAME: &'static str = "compute-content";
    /// A slow script does not keep those of others waiting.
    const CONCURRENCY: usize = 4;
    type Payload = SpaceToCompute;

    async fn run(&self, _: &JobContext, payload: SpaceToCompute) -> Result<(), JobError> {
        let computed = compute(&self.integrations, &self.contents, payload.space).await;
        computed.map_err(|error: ApiError| JobError::Retryable(error.to_string()))
    }
}

async fn compute(integrations: &Integrations, contents: &Contents, space: NodeId) -> Result<(), ApiError> {
    let Some(revision) = contents.current_revision(space).await? else {
        return Ok(());
    };
    let placeholders = contents.placeholders(&[revision]).await?;
    let mut sources: BTreeMap<Hash, &ComputedPages> = BTreeMap::new();
    for (_, page) in &placeholders {
        if let Some(source) = integration_source(page) {
            sources.insert(source_hash(source)?, source);
        }
    }
    let mut computed: Vec<(Hash, Option<Vec<StoredPage>>)> = Vec::new();
    for (hash, source) in sources {
        match pages_of(integrations, space, source).await {
            Ok(pages) => computed.push((hash, Some(pages))),
            // There are no pages of an integration that is not active on the space any more.
            Err(RunFailure::Gone) => {}
            // The pages stay as they were computed last.
            Err(RunFailure::Failed { reason, .. }) => {
                tracing::warn!(%space, source = source.kind, "an integration computed no pages: {reason}");
                computed.push((hash, None));
            }
        }
    }
    contents.store_computed(space, computed).await
}

/// A content source in a space.
struct Source<'a> {
    integration: IntegrationId,
    installation: IntegrationInstallationId,
    space: NodeId,
    id: &'a str,
}

async fn pages_of(
    integrations: &Integrations,
    space: NodeId,
    source: &ComputedPages,
) -> Result<Vec<StoredPage>, RunFailure> {
    let db = integrations.kernel.db.read();
    let (name, id) = integration_of(&source.kind).ok_or(RunFailure::Gone)?;
    let integration = find_by_name(db, name).await?.ok_or(RunFailure::Gone)?;
    let node = nodes::Entity::find_by_id(space)
        .one(db)
        .await?
        .ok_or(RunFailure::Gone)?;
    let installation = store::find_on(db, integration.id, node.organization_id).await?;
    let of = Source {
        integration: integration.id,
        installation: installation.ok_or(RunFailure::Gone)?.id,
        space,
        id,
    };
    let event = of.event(integrations, "content_compute_revision", &json!(source.props));
    let pages = integrations.ask_script(event, |answer| answers::pages(&answer, &source.kind));
    let pages = pages.await?;
    let texts = of.texts(integrations, &pages).await?;
    Ok(stored(pages, "", &mut texts.into_iter()))
}

impl Source<'_> {
    fn event(&self, integrations: &Integrations, event_type: &'static str, props: &Value) -> ScriptEvent {
        let id: DeliveryId = integrations.kernel.ids.next();
        let payload = json!({
            "type": event_type,
            "eventId": id,
            "installationId": self.installation,
            "spaceId": self.space,
            "sourceId": self.id,
            "props": props,
            "dependencies": {},
        });
        ScriptEvent {
            integration: self.integration,
            installation: Some(self.installation),
            place: Some(Place::Space(self.space)),
            payload: payload.to_string(),
            body: None,
        }
    }

    /// The texts of pages and of those below them, each page before its subpages.
    async fn texts(&self, integrations: &Integrations, pages: &[ScriptPage]) -> Result<Vec<String>, RunFailure> {
        let mut texts = Vec::new();
        let mut waiting: Vec<&ScriptPage> = pages.iter().rev().collect();
        while let Some(page) = waiting.pop() {
            texts.push(self.text(integrations, page).await?);
            waiting.extend(page.pages.iter().rev());
        }
        Ok(texts)
    }

    async fn text(&self, integrations: &Integrations, page: &ScriptPage) -> Result<String, RunFailure> {
        let Some(computed) = &page.computed else {
            return Ok(String::new());
        };
        let event = self.event(integrations, "content_compute_document", &json!(computed.props));
        let (answer, asked) = integrations.begin_asking(event).await?;
        let document = match answers::document(&answer) {
            Ok(Some(document)) => document,
            Ok(None) => return asked.end(Ok(String::new())),
            Err(reason) => return asked.end(Err(reason)),
        };
        let bytes = rich_text::text_bytes(&document);
        let render = move || answers::markdown(&document);
        asked.end(integrations.kernel.work.run(bytes, render).await?)
    }
}

/// The pages with their texts, which are in the same order.
fn stored(pages: Vec<ScriptPage>, parent: &str, texts: &mut std::vec::IntoIter<String>) -> Vec<StoredPage> {
    let mut stored_pages = Vec::with_capacity(pages.len());
    for page in pages {
        let key = page.key(parent);
        let markdown = texts.next().unwrap_or_default();
        let below = stored(page.pages, &key, texts);
        stored_pages.push(StoredPage {
            title: page.title,
            slug: page.slug,
            description: page.description,
            markdown,
            props: page.computed.map(|computed| computed.props).unwrap_or_default(),
            pages: below,
            key,
        });
    }
    stored_pages
}

/// Has the content sources of all spaces computed again.
pub struct RefreshContent(pub Kernel);

impl JobKind for RefreshContent {
    const NAME: &'static str = "refresh-content";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let kernel = &self.0;
        let mut after: Option<NodeId> = None;
        loop {
            let spaces = store::spaces_with_sources(kernel.db.read(), after, SPACES_AT_ONCE).await?;
            let Some(last) = spaces.last() else {
                return Ok(());
            };
            after = Some(*last);
            let jobs: Vec<(JobId, NodeId)> = spaces.iter().map(|space| (kernel.ids.next(), *space)).collect();
            let now = kernel.clock.now();
            let work = move |tx: Tx| {
                let jobs = jobs.clone();
                async move { ComputeContent::enqueue(&tx, jobs, now).await }
            };
            kernel.db.write(work).await?;
            kernel.jobs.wake();
        }
    }
}

impl PeriodicJob for RefreshContent {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
