//! Exports: a commit with what has changed in a space.

use entity::{authoring::change_requests, identity::users, ids::RevisionId};
use git::{CommitInfo, Oid, PushOutcome, Rejection, Signature};
use sea_orm::EntityTrait;
use url::Url;

use super::{
    Ended, SyncError,
    changes::FileChange,
    git_tree::GitTree,
    import, messages,
    prepared::{Prepared, REVISION},
    sync::Sync,
};
use crate::areas::authoring::editor::write::load_revision;

/// Attempts while others push to the branch.
const ATTEMPTS: usize = 3;
/// The name of the committer.
const COMMITTER: &str = "Bindery";

pub async fn run(sync: &mut Sync<'_>) -> Result<Ended, SyncError> {
    for _ in 0..ATTEMPTS {
        if let Some(ended) = attempt(sync).await? {
            return Ok(ended);
        }
    }
    Err(SyncError::Refused("Others push to the branch all the time.".to_owned()))
}

/// `None`: somebody else has pushed meanwhile.
async fn attempt(sync: &mut Sync<'_>) -> Result<Option<Ended>, SyncError> {
    let mut tip = sync.cache.ls_remote(&mut sync.remote, &sync.reference).await?;
    if let (Some(tip), Some((commit, revision))) = (tip, sync.pair())
        && commit == tip
        && revision == sync.head().await?.id
    {
        return Ok(Some(Ended {
            is_idle: true,
            revision: Some(revision),
            pair: Some(sync.new_pair(tip, revision)),
            ..Ended::default()
        }));
    }
    match (tip, sync.pair()) {
        (Some(present), Some((commit, _))) if present != commit => {
            if let Some(pair) = import::bring(sync).await?.pair {
                tip = Some(pair.commit);
                let conflict = pair.change_request;
                sync.save(pair).await?;
                if conflict.is_some() {
                    let message = "The branch has changes that cannot be merged. A change request has them.";
                    return Err(SyncError::Refused(message.to_owned()));
                }
            }
        }
        (Some(present), _) => {
            if sync.cache.fetch(&mut sync.remote, &sync.reference).await? != present {
                return Ok(None);
            }
        }
        (None, _) => {}
    }
    let pair = sync.pair().filter(|_| tip.is_some());
    let head = sync.head().await?.id;
    let tree = GitTree::of(&sync.cache, tip, &sync.request.directory).await?;
    if pair.is_none() && !sync.request.force && tree.paths().next().is_some() {
        return Err(SyncError::Refused(import::BOTH_HAVE_CONTENT.to_owned()));
    }
    let mut difference = Prepared::load(sync, pair.map(|(_, revision)| revision), head, &tree).await?;
    let changes = difference.changes(sync, &tree).await?;
    let written = write(sync, tip, head, &tree, changes).await?;
    let Some((commit, message)) = written else {
        let pair = match tip {
            Some(tip) => Some(difference.pair(sync, tip, head, None).await?),
            None => None,
        };
        return Ok(Some(Ended {
            revision: Some(head),
            pair,
            ..Ended::default()
        }));
    };
    match sync.cache.push(&mut sync.remote, &sync.reference, tip, commit).await? {
        PushOutcome::Pushed => {}
        PushOutcome::Rejected(Rejection::Stale) => return Ok(None),
        PushOutcome::Rejected(Rejection::Denied(message)) => {
            return Err(SyncError::Refused(format!(
                "The repository refused the commit: {message}"
            )));
        }
    }
    let pair = difference.pair(sync, commit, head, Some(message)).await?;
    Ok(Some(Ended {
        revision: Some(head),
        pair: Some(pair),
        ..Ended::default()
    }))
}

/// Writes the commit, and returns it with its message. `None`: nothing changes.
async fn write(
    sync: &Sync<'_>,
    tip: Option<Oid>,
    head: RevisionId,
    tree: &GitTree,
    changes: Vec<FileChange>,
) -> Result<Option<(Oid, String)>, SyncError> {
    if changes.is_empty() {
        return Ok(None);
    }
    let (info, message) = commit_info(sync, head).await?;
    let mut commit = sync.cache.begin_commit(tip, &info).await?;
    for change in changes {
        match change {
            FileChange::Put(path, bytes) => commit.put(&tree.full(&path), tree.mode(&path), &bytes).await?,
            FileChange::Delete(path) => commit.delete(&tree.full(&path)).await?,
        }
    }
    Ok(commit.finish().await?.map(|commit| (commit, message)))
}

/// The author is who wrote the revision, the committer the server.
async fn commit_info(sync: &Sync<'_>, head: RevisionId) -> Result<(CommitInfo, String), SyncError> {
    let contents = &sync.exchange.contents;
    let revision = load_revision(contents, sync.space(), head).await?;
    let time = sync.now().to_utc().timestamp();
    let base = Url::parse(sync.exchange.kernel.urls.base());
    let host = base
        .as_ref()
        .ok()
        .and_then(|base| base.host_str())
        .unwrap_or("localhost");
    let committer = Signature {
        name: COMMITTER.to_owned(),
        email: format!("bindery@{host}"),
        time,
    };
    let author = match revision.author {
        Some(author) => users::Entity::find_by_id(author).one(contents.kernel.db.read()).await?,
        None => None,
    };
    let author = author.map_or_else(
        || committer.clone(),
        |user| Signature {
            name: user.display_name,
            email: user.email,
            time,
        },
    );
    let merged = match revision.merged_from {
        Some(id) => {
            change_requests::Entity::find_by_id(id)
                .one(contents.kernel.db.read())
                .await?
        }
        None => None,
    };
    let trailer = merged
        .as_ref()
        .map(|request| format!("Change-Request: {}\n", request.id))
        .unwrap_or_default();
    let message = match &sync.request.message {
        Some(message) => message.clone(),
        None => messages::of(sync.request.template.as_deref(), merged.as_ref()),
    };
    let info = CommitInfo {
        author,
        committer,
        message: format!("{}\n\n{trailer}{REVISION}: {head}\n", message.trim_end()),
    };
    Ok((info, message))
}
