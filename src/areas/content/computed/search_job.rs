//! The search entries of computed pages, which jobs bring up to date when the content or a specification has changed.
//!
//! A job is written in the transaction of the change, and makes the entries of the state that it finds: it makes no difference
//! how often and in which order jobs run.

use std::{collections::HashSet, sync::Arc};

use content::{index::search_entries, pages::PageContent, revisions::Revision};
use entity::{
    content::search::pages::Section,
    ids::{JobId, NodeId, OrganizationId, PageId, RevisionId},
    library::{nodes, spaces},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs::{JobContext, JobError, JobKind, enqueue},
};
use rich_text::{DocumentLimits, IdPathResolver};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, RelationTrait};
use search::index::{self, PageEntry};
use serde::{Deserialize, Serialize};

use super::{ComputedTree, dependency::is_computed, specifications};

use crate::{
    areas::content::{Contents, content_writes::retry_stale},
    kernel::Kernel,
};

/// Pages of one transaction.
const PAGES_AT_ONCE: usize = 200;

/// Spaces that one step looks at.
const SPACES_AT_ONCE: u64 = 100;

/// Brings the search entries of the computed pages of a space up to date.
pub struct IndexComputedPages(pub Arc<Contents>);

#[derive(Serialize, Deserialize)]
pub struct SpaceToIndex {
    space: NodeId,
}

impl IndexComputedPages {
    /// Stores a job in the transaction of a change.
    pub async fn enqueue(tx: &Tx, job: JobId, space: NodeId, now: Timestamp) -> Result<(), DbErr> {
        enqueue::<Self>(tx, vec![(job, SpaceToIndex { space })], now).await
    }
}

impl JobKind for IndexComputedPages {
    const NAME: &'static str = "index-computed-pages";
    type Payload = SpaceToIndex;

    async fn run(&self, _: &JobContext, payload: SpaceToIndex) -> Result<(), JobError> {
        let refreshed = retry_stale(async || refresh(&self.0, payload.space).await).await;
        refreshed.map_err(|error: ApiError| JobError::Retryable(error.to_string()))
    }
}

/// `None`: the content or a specification has changed meanwhile.
async fn refresh(contents: &Contents, space: NodeId) -> Result<Option<()>, ApiError> {
    let Some(revision) = contents.current_revision(space).await? else {
        return Ok(Some(()));
    };
    let tree = contents.computed_tree(&revision).await?.unwrap_or_default();
    let language = search_entries::language(contents.kernel.db.read(), space).await?;
    let made = Arc::clone(&tree);
    let entries = tokio::task::spawn_blocking(move || entries(&made, language)).await;
    let entries = Arc::new(entries.map_err(ApiError::internal)?);
    let state = (&*revision, &*tree);
    let kept: HashSet<PageId> = tree.pages().map(|page| page.id).collect();
    let mut outdated = index::list_pages(contents.kernel.db.read(), space).await?;
    outdated.retain(|page| is_computed(*page) && !kept.contains(page));
    for batch in outdated.chunks(PAGES_AT_ONCE) {
        let batch: Arc<[PageId]> = batch.into();
        let removed = store(&contents.kernel, state, move |tx| {
            let batch = Arc::clone(&batch);
            async move { index::remove(&tx, space, &batch).await }
        });
        if !removed.await? {
            return Ok(None);
        }
    }
    for from in (0..entries.len()).step_by(PAGES_AT_ONCE) {
        let entries = Arc::clone(&entries);
        let replaced = store(&contents.kernel, state, move |tx| {
            let batch = entries
                .iter()
                .skip(from)
                .take(PAGES_AT_ONCE)
                .cloned()
                .collect::<Vec<_>>();
            async move { index::replace(&tx, space, &batch).await }
        });
        if !replaced.await? {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// Runs a step in a transaction. Returns whether the state is still the one that the step is for.
async fn store<F>(
    kernel: &Kernel,
    (revision, tree): (&Revision, &ComputedTree),
    step: impl Fn(Tx) -> F + Clone + Send + Sync + 'static,
) -> Result<bool, DbErr>
where
    F: Future<Output = Result<(), DbErr>> + Send,
{
    let (space, current) = (revision.space, revision.id);
    let (wanted, expected) = tree.specifications();
    let (wanted, expected) = (Arc::new(wanted), Arc::new(expected));
    let work = move |tx: Tx| {
        let (wanted, expected, step) = (Arc::clone(&wanted), Arc::clone(&expected), step.clone());
        async move {
            let found = spaces::Entity::find_by_id(space)
                .filter(spaces::Column::RevisionId.eq(current))
                .select_only()
                .column(spaces::Column::Id)
                .into_tuple::<NodeId>();
            if found.one(&tx).await?.is_none() {
                return Ok(false);
            }
            let now = specifications::load(&tx, specifications::in_organization_of(&[space]), &wanted).await?;
            if now != *expected {
                return Ok(false);
            }
            step(tx).await?;
            Ok::<_, DbErr>(true)
        }
    };
    kernel.db.write(work).await
}

fn entries(tree: &ComputedTree, language: Option<spaces::Language>) -> Vec<PageEntry> {
    let entries = tree.pages().map(|page| {
        let words = page.description.iter().map(|words| Section {
            anchor: None,
            title: String::new(),
            body: words.clone(),
        });
        let description = tree.description(page.id).unwrap_or_default();
        // A description was checked when its outline was made.
        let extracted = rich_text::extract(description, &DocumentLimits::default(), &IdPathResolver, &mut drop);
        let sections = extracted.unwrap_or_default();
        let sections = sections.into_iter().map(|section| Section {
            anchor: section.anchor,
            title: section.title,
            body: section.body,
        });
        let entry = PageEntry::new(page.id, &page.title, words.chain(sections).collect(), language);
        entry.with_no_index(page.no_index)
    });
    entries.collect()
}

/// Finds the spaces whose computed pages are those of a specification, and has them indexed.
pub struct IndexSpecification(pub Arc<Contents>);

#[derive(Clone, Serialize, Deserialize)]
pub struct SpecificationToIndex {
    pub organization: OrganizationId,
    /// The slug and the id, by which placeholders name it.
    pub names: Vec<String>,
}

impl JobKind for IndexSpecification {
    const NAME: &'static str = "index-openapi-spec";
    type Payload = SpecificationToIndex;

    async fn run(&self, _: &JobContext, payload: SpecificationToIndex) -> Result<(), JobError> {
        let contents = &self.0;
        let mut after: Option<NodeId> = None;
        loop {
            let spaces = spaces_of(&contents.kernel, payload.organization, after).await?;
            let Some((last, _)) = spaces.last() else {
                return Ok(());
            };
            after = Some(*last);
            let revisions = spaces.into_iter().map(|(_, revision)| revision).collect();
            let revisions = contents.state.revisions(&contents.kernel.db, revisions).await?;
            let placeholders = contents.placeholders(&revisions).await?;
            let of_specification = placeholders.into_iter().filter(|(_, page)| match &page.content {
                PageContent::Computed { source } => {
                    source.specifications.values().any(|name| payload.names.contains(name))
                }
                _ => false,
            });
            let found: HashSet<NodeId> = of_specification.map(|(space, _)| space).collect();
            let jobs: Vec<(JobId, NodeId)> = found
                .into_iter()
                .map(|space| (contents.kernel.ids.next(), space))
                .collect();
            let now = contents.kernel.clock.now();
            let work = move |tx| {
                let jobs = jobs
                    .iter()
                    .map(|(id, space)| (*id, SpaceToIndex { space: *space }))
                    .collect();
                async move { enqueue::<IndexComputedPages>(&tx, jobs, now).await }
            };
            contents.kernel.db.write(work).await?;
            contents.kernel.jobs.wake();
        }
    }
}

/// The next spaces of an organization, with their current revisions.
async fn spaces_of(
    kernel: &Kernel,
    organization: OrganizationId,
    after: Option<NodeId>,
) -> Result<Vec<(NodeId, RevisionId)>, DbErr> {
    let mut found = spaces::Entity::find()
        .select_only()
        .columns([spaces::Column::Id, spaces::Column::RevisionId])
        .join(JoinType::InnerJoin, spaces::Relation::Nodes.def())
        .filter(nodes::Column::OrganizationId.eq(organization))
        .order_by_asc(spaces::Column::Id)
        .limit(SPACES_AT_ONCE);
    if let Some(after) = after {
        found = found.filter(spaces::Column::Id.gt(after));
    }
    found.into_tuple().all(kernel.db.read()).await
}
