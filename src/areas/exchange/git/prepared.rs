//! Two revisions as files: what a commit has to change.

use std::collections::HashSet;

use entity::{exchange::git_commits, ids::RevisionId};
use git::{Oid, hash_object};

use super::{
    SyncError,
    changes::{Difference, FileChange},
    git_tree::GitTree,
    pair::{self, Pair},
    sync::Sync,
};
use crate::areas::{
    authoring::editor::write::load_revision,
    exchange::{
        export::{Exported, KnownPaths, Parts},
        import::names::is_markdown,
    },
};

/// The line of the message of a commit that names the exported revision.
pub const REVISION: &str = "Revision";

/// Returns the pair of a commit that the server made with an exported revision, before it was stopped. `None`: the commit is not what an
/// export of the revision makes of the commit before; anybody may write its message.
pub async fn adopt(
    sync: &Sync<'_>,
    commit: Oid,
    (before, after): (&GitTree, &GitTree),
    (old, exported): (RevisionId, RevisionId),
) -> Result<Option<Pair>, SyncError> {
    let contents = &sync.exchange.contents;
    let found = contents
        .state
        .revision(&contents.kernel.db, sync.space(), exported)
        .await?;
    if found.is_none() {
        return Ok(None);
    }
    let mut prepared = Prepared::load(sync, Some(old), exported, before).await?;
    let mut expected = before.oids();
    for change in prepared.changes(sync, before).await? {
        match change {
            FileChange::Put(path, bytes) => drop(expected.insert(path, hash_object(&bytes))),
            FileChange::Delete(path) => drop(expected.remove(&path)),
        }
    }
    match expected == after.oids() {
        true => Ok(Some(prepared.pair(sync, commit, exported, None).await?)),
        false => Ok(None),
    }
}

/// Both revisions with their paths.
pub struct Prepared {
    old: Option<Exported>,
    new: Exported,
}

impl Prepared {
    pub async fn load(
        sync: &Sync<'_>,
        old: Option<RevisionId>,
        head: RevisionId,
        tree: &GitTree,
    ) -> Result<Self, SyncError> {
        let contents = &sync.exchange.contents;
        let mut content = sync.content();
        let mut known = KnownPaths::default();
        let mut before = None;
        if let Some(old) = old {
            known = pair::known_paths(&sync.entries().await?);
            let used: HashSet<&str> = known.all().collect();
            known.taken = tree
                .paths()
                .filter(|path| !used.contains(path) && *path != tree.summary())
                .map(str::to_owned)
                .collect();
            let revision = load_revision(contents, sync.space(), old).await?;
            let parts = Parts::load(&mut content, revision.snapshot).await?;
            let ids = parts.pages().map(|page| page.id);
            known.without_file = ids.filter(|id| !known.pages.contains_key(id)).collect();
            let exported = Exported::new(parts, &known);
            for (id, (_, slugs)) in &mut known.pages {
                *slugs = Some(exported.paths().slugs(*id).to_owned());
            }
            before = Some(exported);
        }
        let revision = load_revision(contents, sync.space(), head).await?;
        let new = Exported::new(Parts::load(&mut content, revision.snapshot).await?, &known);
        Ok(Self { old: before, new })
    }

    pub async fn changes(&mut self, sync: &Sync<'_>, tree: &GitTree) -> Result<Vec<FileChange>, SyncError> {
        let mut content = sync.content();
        let difference = Difference {
            exchange: sync.exchange,
            space: sync.space(),
            old: self.old.as_ref(),
            new: &self.new,
            tree,
        };
        let mut changes = difference.changes(&mut content).await?;
        if self.old.is_none() {
            // The pages of before are replaced; other files are none of the space's business.
            let written: HashSet<String> = self.new.files().into_keys().collect();
            let former = tree
                .paths()
                .filter(|path| is_markdown(path) && !written.contains(*path) && *path != tree.summary());
            let deletions: Vec<FileChange> = former.map(|path| FileChange::Delete(path.to_owned())).collect();
            changes.splice(0..0, deletions);
        }
        Ok(changes)
    }

    /// The pair of a commit that has the content of a revision. `own`: the message of the commit, if the server made it.
    pub async fn pair(
        &self,
        sync: &Sync<'_>,
        commit: Oid,
        revision: RevisionId,
        own: Option<String>,
    ) -> Result<Pair, SyncError> {
        let tree = GitTree::of(&sync.cache, Some(commit), &sync.request.directory).await?;
        let entries = pair::entries(sync.space(), pair::of_export(&self.new), &tree);
        let commits = own.map(|message| git_commits::Model {
            revision_id: revision,
            space_id: sync.space(),
            oid: commit.0.to_vec(),
            message,
            is_own: true,
            url: sync.commit_url(commit),
            reference: sync.request.reference.clone(),
        });
        Ok(Pair {
            entries: Some(entries),
            commits: commits.into_iter().collect(),
            ..sync.new_pair(commit, revision)
        })
    }
}
