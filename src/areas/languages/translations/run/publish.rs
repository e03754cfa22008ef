//! Merging what a run made into the result, and writing both in one transaction.

use std::{collections::BTreeSet, sync::Arc};

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    merge::{self, Favored},
    objects::Content,
    pages::Snapshot,
    revisions::{Origin, Revision},
};
use entity::{
    ids::{ChangeRequestId, RevisionId},
    languages::translations::{Model, TranslationStatus},
    library::spaces::{self, SpaceEditMode},
};
use openapi::error::ApiError;
use platform::db::{Reads, Tx};
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QuerySelect};
use serde_json::json;

use super::{context::RunContext, pages::Made, rest::Rest};

use crate::{
    areas::{
        authoring::{
            change_requests::{NewProposal, insert_proposal},
            editor::write,
        },
        content::search_jobs::IndexJobs,
        languages::translations::{store, target},
        library::tree,
    },
    kernel::audit::{Changed, SystemAction},
};

/// The subject of change requests with new translations of places that people have changed.
const SUBJECT: &str = "New translations of changed places";

pub async fn publish(
    run: &RunContext<'_>,
    made: Made,
    (problem, seconds): (Option<String>, i64),
) -> Result<(), ApiError> {
    let languages = run.languages;
    languages
        .contents
        .write_content(run.result_id(), async || {
            let (head, is_locked) = load_head(run).await?;
            let mut content = run.result_content();
            let states = merge_made(run, &mut content, &made, (head.snapshot, is_locked)).await?;
            let mut drafts = Drafts::of(run, &mut content, &states, &head).await?;
            drafts.store_ahead(run).await?;
            let end = RunEnd {
                problem: problem.clone(),
                seconds,
                untranslated: i64::try_from(made.untranslated).unwrap_or(i64::MAX),
                rest: made.rest.clone(),
                has_engine: made.has_engine,
            };
            Box::pin(drafts.write(run, end)).await
        })
        .await
}

async fn load_head(run: &RunContext<'_>) -> Result<(Arc<Revision>, bool), ApiError> {
    let found = spaces::Entity::find_by_id(run.result_id())
        .select_only()
        .columns([spaces::Column::RevisionId, spaces::Column::EditMode])
        .into_tuple::<(RevisionId, SpaceEditMode)>()
        .one(run.languages.kernel.db.read())
        .await?;
    let (revision, mode) = found.ok_or_else(|| ApiError::not_found("space"))?;
    let head = write::load_revision(&run.languages.contents, run.result_id(), revision).await?;
    Ok((head, mode == SpaceEditMode::Locked))
}

/// The contents that a run leads to.
struct States {
    /// Without what people changed.
    written: Snapshot,
    result: Snapshot,
    /// With the new translations of places that people have changed.
    proposed: Snapshot,
}

async fn merge_made(
    run: &RunContext<'_>,
    content: &mut Content<'_, Reads>,
    made: &Made,
    (head, is_locked): (Snapshot, bool),
) -> Result<States, ApiError> {
    let before = run.written;
    let written = content.run(|objects| made.snapshot(objects, &before)).await?;
    let favored = content.run_heavy((&run.languages.kernel.work, merge::TEXT_BYTES), |objects| {
        let merged = merge::merge(objects, &before, &head, &written)?;
        merge::favor(objects, &before, &merged, &written)
    });
    let Favored { ours, theirs } = favored.await?;
    Ok(States {
        written,
        // The content of a locked space is changed by change requests.
        result: if is_locked { head } else { ours },
        proposed: theirs,
    })
}

/// What a run writes.
struct Drafts {
    head: RevisionId,
    written: Draft,
    result: Draft,
    index: Index,
    proposed: Draft,
    proposed_index: Index,
}

/// What a run reports.
#[derive(Clone)]
struct RunEnd {
    problem: Option<String>,
    seconds: i64,
    untranslated: i64,
    rest: Rest,
    has_engine: bool,
}

impl Drafts {
    async fn of(
        run: &RunContext<'_>,
        content: &mut Content<'_, Reads>,
        states: &States,
        head: &Revision,
    ) -> Result<Self, ApiError> {
        let (languages, space) = (run.languages, run.result_id());
        let written = Draft::of(content, &run.written, states.written).await?;
        let result = Draft::of(content, &head.snapshot, states.result).await?;
        let proposed = Draft::of(content, &states.result, states.proposed).await?;
        let context = (&languages.kernel.db, &languages.kernel.work);
        let index = Index::of(context, content, space, &result.changes, SearchUpdate::Bounded).await?;
        let proposed_index = Index::of(context, content, space, &proposed.changes, SearchUpdate::None).await?;
        Ok(Self {
            head: head.id,
            written,
            result,
            index,
            proposed,
            proposed_index,
        })
    }

    async fn store_ahead(&mut self, run: &RunContext<'_>) -> Result<(), ApiError> {
        for draft in [&mut self.written, &mut self.result, &mut self.proposed] {
            draft.store_ahead(&run.languages.kernel.db, run.result_id()).await?;
        }
        Ok(())
    }

    /// The change request with what the result does not take over. `None`: there is nothing of the kind.
    fn proposal(&self, run: &RunContext<'_>, initial: RevisionId) -> Option<(NewProposal, Revision)> {
        if self.proposed.is_empty() {
            return None;
        }
        let (languages, author, now) = (run.languages, run.row.created_by, run.languages.kernel.clock.now());
        let id: ChangeRequestId = languages.kernel.ids.next();
        let origin = Origin {
            change_request: Some(id),
            ..Origin::edits(run.result_id(), vec![initial], author)
        };
        let revision = self.proposed.revision(languages.kernel.ids.next(), origin, now);
        let proposal = NewProposal {
            id,
            subject: SUBJECT.to_owned(),
            created_by: author,
            initial,
            revision: revision.id,
            now,
        };
        Some((proposal, revision))
    }

    /// `None`: the result has changed meanwhile.
    async fn write(self, run: &RunContext<'_>, end: RunEnd) -> Result<Option<()>, ApiError> {
        let (languages, space, now) = (run.languages, run.result_id(), run.languages.kernel.clock.now());
        let origin = Origin::edits(space, vec![self.head], run.row.created_by);
        let new = (!self.result.is_empty()).then(|| self.result.revision(languages.kernel.ids.next(), origin, now));
        let revision = new.as_ref().map_or(self.head, |new| new.id);
        let proposal = self.proposal(run, revision);
        let jobs = IndexJobs::of(&languages.kernel, space, &self.index);
        let row = ended(run, revision, &self, &end)?;
        let (node, expected, runs, job) = (run.result.clone(), self.head, run.row.runs, run.job);
        let (hooks, next_job) = (languages.kernel.hooks.clone(), languages.kernel.ids.next());
        let Self {
            written,
            result,
            index,
            proposed,
            proposed_index,
            ..
        } = self;
        let kept = [written.clone(), result.clone(), proposed.clone()];
        let has_engine = end.has_engine;
        let work = move |tx: Tx| async move {
            let found = store::find_locked(&tx, row.organization_id, row.id).await?;
            // The translation was deleted, the run was cancelled, or another process has ended it.
            let is_of_run = |present: &Model| {
                let is_running = present.status == TranslationStatus::Running;
                is_running && present.job_id == job && present.runs == runs
            };
            let Some(present) = found.filter(is_of_run) else {
                return Ok(Changed::nothing(Some(false)));
            };
            let node = tree::reload(&tx, &node).await?;
            if let Some(new) = &new {
                if !write::compare_and_set_revision(&tx, &hooks, new, expected, false).await? {
                    return Ok(Changed::nothing(None));
                }
                result.store(&tx, new).await?;
                index.store(&tx).await?;
                jobs.store(&tx).await?;
                tree::store::set_updated_at(&tx, new.space, now).await?;
            }
            written.store_objects(&tx, node.id).await?;
            if let Some((proposal, revision)) = &proposal {
                insert_proposal(&tx, &node, proposal).await?;
                proposed.store(&tx, revision).await?;
                proposed_index.store(&tx).await?;
            }
            let words = match has_engine {
                true => store::words_of_run(&tx, row.organization_id, job).await?,
                false => store::RunWords::default(),
            };
            let row = with_present(row, present, words);
            let row = super::with_following_run(&tx, row, next_job, now).await?;
            let target = target(&row);
            let request = proposal.as_ref().map(|(proposal, _)| proposal.id);
            let payload = json!({ "revision": revision, "words": words.words, "changeRequest": request });
            row.into_active_model().reset_all().update(&tx).await?;
            Changed::of(target, Some(true)).with(payload)
        };
        let outcome = languages.kernel.write(SystemAction::RunTranslation, work).await?;
        if outcome == Some(true) {
            kept.iter()
                .for_each(|draft| draft.keep(&languages.contents.state.objects));
            languages.kernel.jobs.wake();
        }
        Ok(outcome.map(drop))
    }
}

/// The translation after the run, but for what the transaction adds.
fn ended(run: &RunContext<'_>, revision: RevisionId, drafts: &Drafts, end: &RunEnd) -> Result<Model, ApiError> {
    // Some of a page may be in the result, and the rest in the proposal.
    let written = drafts.result.changes.pages.keys();
    let changed: BTreeSet<_> = written.chain(drafts.proposed.changes.pages.keys()).collect();
    let pages = if end.has_engine { changed.len() } else { 0 };
    let pages = i64::try_from(pages).unwrap_or(i64::MAX);
    let (fingerprint, incomplete) = end.rest.clone().stored(&run.fingerprint)?;
    Ok(Model {
        engine: Some(run.languages.translator.kind()),
        problem: end.problem.clone(),
        source_revision_id: run.source.id,
        written: serde_json::to_value(drafts.written.snapshot)?,
        result_revision_id: revision,
        fingerprint,
        incomplete,
        runs: run.row.runs.saturating_add(1),
        total_pages: run.row.total_pages.saturating_add(pages),
        total_seconds: run.row.total_seconds.saturating_add(end.seconds),
        latest_seconds: end.seconds,
        latest_pages: pages,
        latest_untranslated: end.untranslated,
        updated_at: run.languages.kernel.clock.now(),
        ..run.row.clone()
    })
}

/// Adds what has changed since the run began: settings, and another run that was asked for.
fn with_present(row: Model, present: Model, words: store::RunWords) -> Model {
    Model {
        instructions: present.instructions,
        run_again: present.run_again,
        auto_run: present.auto_run,
        next_run_at: present.next_run_at,
        total_words: row.total_words.saturating_add(words.words),
        latest_words: words.words,
        latest_glossary_misses: words.glossary_misses,
        ..row
    }
}
