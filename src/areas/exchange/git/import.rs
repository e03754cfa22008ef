//! Imports: what a branch has changed becomes a change of the space.

use std::sync::Arc;

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    merge,
    objects::Content,
    pages::Snapshot,
    revisions::{Origin, Revision},
};
use entity::{
    content::revisions::RevisionKind,
    exchange::git_commits,
    ids::{ChangeRequestId, RevisionId},
};
use git::{Ancestry, ChangeKind, CommitSummary, Oid};
use platform::db::{Reads, Tx};
use serde_json::json;

use super::{
    Ended, SyncError, commit_status,
    git_tree::GitTree,
    pair::{self, Pair},
    prepared::{self, REVISION},
    remote, store,
    sync::Sync,
};
use crate::{
    areas::{
        authoring::{
            change_requests::{NewProposal, insert_proposal},
            editor::write::{NewRevision, load_revision, publish_revision},
        },
        exchange::import::{self, ExistingContent, ImportSource, ImportedSnapshot, KnownFiles, MAX_FILES},
        library::tree,
    },
    kernel::audit::{Changed, SystemAction},
};

/// The longest subject of a change request in characters, as in the contract.
const MAX_SUBJECT: usize = 100;

/// Attempts while others write to the space.
const ATTEMPTS: usize = 20;

pub const BOTH_HAVE_CONTENT: &str = "Both the branch and the space have content. An import or an export with `force`, or `priority` of an \
                                     installation, says which one replaces the other.";
const REWRITTEN: &str = "The branch was rewritten: the commit of the last synchronization is not in it any more. An import with `force` takes the \
                         branch as it is.";

pub async fn run(sync: &mut Sync<'_>) -> Result<Ended, SyncError> {
    let tip = remote::tip(&sync.cache, &mut sync.remote, &sync.reference).await?;
    if let Some((commit, revision)) = sync.pair()
        && commit == tip
        && !sync.request.standalone
    {
        let pair = sync.new_pair(tip, revision);
        return Ok(Ended {
            is_idle: true,
            ..ended(revision, Some(pair))
        });
    }
    bring(sync).await
}

/// Fetches the branch, and brings what it has changed.
pub async fn bring(sync: &mut Sync<'_>) -> Result<Ended, SyncError> {
    let directory = &sync.request.directory;
    let (tip, tree) = GitTree::fetch(&sync.cache, &mut sync.remote, &sync.reference, directory).await?;
    let commit = sync.cache.commit(tip).await?;
    let branch = Branch { tip, commit, tree };
    match sync.pair() {
        _ if sync.request.standalone => standalone(sync, branch).await,
        Some((former, revision)) => update(sync, branch, (former, revision)).await,
        None => replace(sync, branch).await,
    }
}

/// The newest commit of the branch.
struct Branch {
    tip: Oid,
    commit: CommitSummary,
    tree: GitTree,
}

impl Branch {
    /// The pair with a revision that has the content of the commit.
    fn pair(&self, sync: &Sync<'_>, revision: RevisionId, files: &KnownFiles) -> Pair {
        Pair {
            entries: Some(pair::entries(sync.space(), pair::of_import(files), &self.tree)),
            commits: vec![self.stored(sync, revision)],
            ..sync.new_pair(self.tip, revision)
        }
    }

    fn stored(&self, sync: &Sync<'_>, revision: RevisionId) -> git_commits::Model {
        git_commits::Model {
            revision_id: revision,
            space_id: sync.space(),
            oid: self.tip.0.to_vec(),
            message: self.commit.message.trim_end().to_owned(),
            is_own: false,
            url: sync.commit_url(self.tip),
            reference: sync.request.reference.clone(),
        }
    }
}

async fn read(
    sync: &Sync<'_>,
    content: &mut Content<'_, Reads>,
    tree: &GitTree,
    existing: ExistingContent,
) -> Result<ImportedSnapshot, SyncError> {
    let source = (ImportSource::Tree(tree.source()), None);
    let imported = import::snapshot(sync.exchange, content, &sync.target, source, existing).await;
    imported.map_err(SyncError::of_import)
}

/// The first import: the branch replaces the content of the space.
async fn replace(sync: &mut Sync<'_>, branch: Branch) -> Result<Ended, SyncError> {
    let mut content = sync.content();
    let base = sync.head().await?;
    if !sync.request.force && sync.exchange.written_pages(base.space, base.snapshot).await?.is_some() {
        return Err(SyncError::Refused(BOTH_HAVE_CONTENT.to_owned()));
    }
    let existing = ExistingContent::of_snapshot(&mut content, (base.id, base.snapshot), KnownFiles::default()).await?;
    let imported = read(sync, &mut content, &branch.tree, existing).await?;
    for _ in 0..ATTEMPTS {
        let present = sync.head().await?;
        let published = publish(sync, &mut content, &present, imported.snapshot, None).await?;
        if let Some(revision) = published {
            let pair = branch.pair(sync, revision, &imported.files);
            return Ok(ended(revision, Some(pair)));
        }
    }
    Err(busy())
}

/// Makes a revision beside the content of the space.
async fn standalone(sync: &mut Sync<'_>, branch: Branch) -> Result<Ended, SyncError> {
    let mut content = sync.content();
    let base = sync.head().await?;
    let known = pair::known_files(&sync.entries().await?);
    let existing = ExistingContent::of_snapshot(&mut content, (base.id, base.snapshot), known).await?;
    let imported = read(sync, &mut content, &branch.tree, existing).await?;
    let commit = branch.stored(sync, base.id);
    let revision = store_beside(sync, &mut content, &base, imported.snapshot, Some(commit)).await?;
    if sync.request.reports_status {
        commit_status::report(sync, branch.tip, revision).await;
    }
    Ok(ended(revision, None))
}

/// A later import: what the branch has changed since the last one.
async fn update(
    sync: &mut Sync<'_>,
    branch: Branch,
    (former, revision): (Oid, RevisionId),
) -> Result<Ended, SyncError> {
    let contents = &sync.exchange.contents;
    if sync.cache.fetch_commit(&mut sync.remote, former).await.is_err() && !sync.cache.contains(former).await? {
        return rewritten(sync, branch).await;
    }
    let old_tree = GitTree::of(&sync.cache, Some(former), &sync.request.directory).await?;
    if sync.cache.is_ancestor(&mut sync.remote, former, branch.tip).await? == Ancestry::NotAncestor
        && !sync.request.force
    {
        return Err(SyncError::Refused(REWRITTEN.to_owned()));
    }
    if let Some(exported) = own_export(&branch, former) {
        let trees = (&old_tree, &branch.tree);
        if let Some(pair) = prepared::adopt(sync, branch.tip, trees, (revision, exported)).await? {
            return Ok(ended(exported, Some(pair)));
        }
    }
    let base = load_revision(contents, sync.space(), revision).await?;
    let mut content = sync.content();
    let known = pair::known_files(&sync.entries().await?);
    let existing = ExistingContent::of_snapshot(&mut content, (base.id, base.snapshot), known).await?;
    let before = read(sync, &mut content, &old_tree, existing).await?;
    let known = renamed(sync, before.files.clone(), former, &branch).await?;
    let existing = ExistingContent::of_snapshot(&mut content, (base.id, before.snapshot), known).await?;
    let after = read(sync, &mut content, &branch.tree, existing).await?;
    let (old, ours, new) = (before.snapshot, base.snapshot, after.snapshot);
    let work = &contents.kernel.work;
    let changed = content.run_heavy((work, merge::TEXT_BYTES), |objects| {
        let merged = merge::merge(objects, &old, &ours, &new)?;
        Ok(merge::favor(objects, &old, &merged, &new)?.theirs)
    });
    let changed = changed.await?;
    apply(sync, content, branch, &base, (changed, after.files)).await
}

async fn rewritten(sync: &mut Sync<'_>, branch: Branch) -> Result<Ended, SyncError> {
    match sync.request.force {
        true => replace(sync, branch).await,
        false => Err(SyncError::Refused(REWRITTEN.to_owned())),
    }
}

/// The revision that the newest commit says it exported: the server may have made it, and was stopped before it knew.
fn own_export(branch: &Branch, former: Oid) -> Option<RevisionId> {
    let is_next = branch.commit.parents == [former];
    branch.commit.trailer(REVISION).filter(|_| is_next)?.parse().ok()
}

/// Brings the changes of the branch into the space, or into a change request.
async fn apply(
    sync: &mut Sync<'_>,
    mut content: Content<'_, Reads>,
    branch: Branch,
    base: &Arc<Revision>,
    (changed, files): (Snapshot, KnownFiles),
) -> Result<Ended, SyncError> {
    if changed == base.snapshot {
        return Ok(ended(base.id, Some(branch.pair(sync, base.id, &files))));
    }
    let mut beside = None;
    for _ in 0..ATTEMPTS {
        let present = sync.head().await?;
        if present.id == base.id {
            if let Some(revision) = publish(sync, &mut content, &present, changed, None).await? {
                return Ok(ended(revision, Some(branch.pair(sync, revision, &files))));
            }
            continue;
        }
        let Some(merged) = merged(sync, &mut content, base, &present, changed).await? else {
            let proposed = propose_changes(sync, &mut content, &branch, base, changed);
            let (request, revision) = proposed.await?;
            let pair = Pair {
                change_request: Some(request),
                ..branch.pair(sync, revision, &files)
            };
            return Ok(ended(revision, Some(pair)));
        };
        let of_branch = match beside {
            Some(revision) => revision,
            None => store_beside(sync, &mut content, base, changed, None).await?,
        };
        beside = Some(of_branch);
        if let Some(revision) = publish(sync, &mut content, &present, merged, beside).await? {
            let mut pair = branch.pair(sync, of_branch, &files);
            pair.commits.push(branch.stored(sync, revision));
            return Ok(ended(revision, Some(pair)));
        }
    }
    Err(busy())
}

/// Merges what the branch has changed since `base` into the present content. `None`: both have changed the same in different ways.
async fn merged(
    sync: &Sync<'_>,
    content: &mut Content<'_, Reads>,
    base: &Revision,
    present: &Revision,
    changed: Snapshot,
) -> Result<Option<Snapshot>, SyncError> {
    let (base, ours) = (base.snapshot, present.snapshot);
    let work = &sync.exchange.contents.kernel.work;
    let merged = content.run_heavy((work, merge::TEXT_BYTES), |objects| {
        merge::merge(objects, &base, &ours, &changed)
    });
    let merged = merged.await?;
    Ok(merged.conflicts.is_empty().then_some(merged.snapshot))
}

/// Makes a state the content of the space. `None`: somebody else was faster.
async fn publish(
    sync: &Sync<'_>,
    content: &mut Content<'_, Reads>,
    present: &Revision,
    state: Snapshot,
    merged: Option<RevisionId>,
) -> Result<Option<RevisionId>, SyncError> {
    let contents = &sync.exchange.contents;
    let mut draft = Draft::of(content, &present.snapshot, state).await?;
    if draft.is_empty() {
        return Ok(Some(present.id));
    }
    draft.store_ahead(&contents.kernel.db, sync.space()).await?;
    let context = (&contents.kernel.db, &contents.kernel.work);
    Index::store_links_ahead(context, content, sync.space(), &draft.changes).await?;
    let parents = [present.id].into_iter().chain(merged).collect();
    let new = NewRevision {
        origin: Origin::edits(sync.space(), parents, sync.target.author()),
        search: SearchUpdate::Deferred,
        actor: SystemAction::ImportGit.into(),
        target: tree::target(&sync.node),
        details: json!({ "branch": sync.request.reference }),
        directly: false,
    };
    Ok(publish_revision(contents, content, present, draft, new).await?)
}

/// Stores a revision that is in no history: the content of a commit.
async fn store_beside(
    sync: &Sync<'_>,
    content: &mut Content<'_, Reads>,
    base: &Revision,
    state: Snapshot,
    commit: Option<git_commits::Model>,
) -> Result<RevisionId, SyncError> {
    let origin = Origin {
        kind: RevisionKind::Computed,
        ..Origin::edits(sync.space(), vec![base.id], sync.target.author())
    };
    store_revision(sync, content, (base, state), origin, Extra { commit, proposal: None }).await
}

/// Makes a change request of what the branch has changed.
async fn propose_changes(
    sync: &Sync<'_>,
    content: &mut Content<'_, Reads>,
    branch: &Branch,
    base: &Revision,
    changed: Snapshot,
) -> Result<(ChangeRequestId, RevisionId), SyncError> {
    let subject: String = format!("Git: {}", branch.commit.subject())
        .chars()
        .take(MAX_SUBJECT)
        .collect();
    let id = sync.exchange.kernel.ids.next();
    let proposal = NewProposal {
        id,
        subject: subject.replace(|c: char| c.is_control(), " "),
        created_by: sync.target.author(),
        initial: base.id,
        revision: sync.exchange.kernel.ids.next(),
        now: sync.now(),
    };
    let origin = Origin {
        change_request: Some(id),
        ..Origin::edits(sync.space(), vec![base.id], sync.target.author())
    };
    let extra = Extra {
        commit: None,
        proposal: Some(proposal),
    };
    let revision = store_revision(sync, content, (base, changed), origin, extra).await?;
    Ok((id, revision))
}

/// What is written with a revision.
#[derive(Clone)]
struct Extra {
    commit: Option<git_commits::Model>,
    proposal: Option<NewProposal>,
}

async fn store_revision(
    sync: &Sync<'_>,
    content: &mut Content<'_, Reads>,
    (base, state): (&Revision, Snapshot),
    origin: Origin,
    extra: Extra,
) -> Result<RevisionId, SyncError> {
    let contents = &sync.exchange.contents;
    let (space, node) = (sync.space(), sync.node.clone());
    let mut draft = Draft::of(content, &base.snapshot, state).await?;
    draft.store_ahead(&contents.kernel.db, space).await?;
    let context = (&contents.kernel.db, &contents.kernel.work);
    let index = Box::pin(Index::of(context, content, space, &draft.changes, SearchUpdate::None)).await?;
    let id = extra
        .proposal
        .as_ref()
        .map_or_else(|| contents.kernel.ids.next(), |proposal| proposal.revision);
    let revision = Arc::new(draft.revision(id, origin, sync.now()));
    let work = move |tx: Tx| async move {
        tree::reload(&tx, &node).await?;
        if let Some(proposal) = &extra.proposal {
            insert_proposal(&tx, &node, proposal).await?;
        }
        draft.store(&tx, &revision).await?;
        index.store(&tx).await?;
        if let Some(commit) = extra.commit {
            store::insert_commit(
                &tx,
                git_commits::Model {
                    revision_id: id,
                    ..commit
                },
            )
            .await?;
        }
        Changed::of(tree::target(&node), ()).with(json!({ "revision": id }))
    };
    contents.kernel.write(SystemAction::ImportGit, work).await?;
    Ok(id)
}

fn ended(revision: RevisionId, pair: Option<Pair>) -> Ended {
    Ended {
        revision: Some(revision),
        pair,
        ..Ended::default()
    }
}

fn busy() -> SyncError {
    SyncError::Refused("Others edit the space all the time. Try again.".to_owned())
}

/// The files of an earlier commit at their present paths.
async fn renamed(
    sync: &Sync<'_>,
    mut known: KnownFiles,
    former: Oid,
    branch: &Branch,
) -> Result<KnownFiles, SyncError> {
    for change in sync.cache.changes(former, branch.tip, MAX_FILES).await? {
        let ChangeKind::Renamed { from: Ok(from) } = &change.kind else {
            continue;
        };
        let Ok(to) = &change.path else { continue };
        if let (Some(from), Some(to)) = (branch.tree.inner(from), branch.tree.inner(to)) {
            known.rename(from, to);
        }
    }
    Ok(known)
}
