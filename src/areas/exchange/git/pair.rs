//! The commit and the revision that have the same content.

use entity::{
    exchange::{
        git_commits,
        git_entries::{self, GitEntryKind},
        git_syncs::{self, GitProvider},
    },
    ids::{ChangeRequestId, FileId, NodeId, PageId, ReusableContentId, RevisionId},
    timestamp::Timestamp,
};
use git::Oid;
use uuid::Uuid;

use super::{git_tree::GitTree, request::Request};
use crate::areas::exchange::{
    export::{Exported, KnownPaths},
    import::KnownFiles,
};

/// With what is to be stored of it.
#[derive(Clone)]
pub struct Pair {
    pub address: String,
    pub reference: String,
    pub directory: String,
    pub known_hosts: Option<String>,
    pub provider: Option<GitProvider>,
    pub tree_url: Option<String>,
    pub commit: Oid,
    pub revision: RevisionId,
    pub change_request: Option<ChangeRequestId>,
    pub timestamp: Option<Timestamp>,
    /// `None`: those that are stored.
    pub entries: Option<Vec<git_entries::Model>>,
    pub commits: Vec<git_commits::Model>,
}

/// Returns the pair of a synchronization, if it is one with the branch that a request names.
pub fn stored(sync: &git_syncs::Model, request: &Request, address: &str) -> Option<(Oid, RevisionId)> {
    let is_same = sync.address.as_deref() == Some(address)
        && sync.reference.as_deref() == Some(request.reference.as_str())
        && sync.directory == request.directory;
    let commit = sync
        .commit
        .as_deref()
        .and_then(|commit| commit.try_into().ok())
        .map(Oid);
    Some((commit.filter(|_| is_same)?, sync.revision_id?))
}

/// The entries of the objects whose files are in a tree.
pub fn entries(
    space: NodeId,
    files: impl IntoIterator<Item = (Uuid, GitEntryKind, String)>,
    tree: &GitTree,
) -> Vec<git_entries::Model> {
    let found = files.into_iter().filter_map(|(object_id, kind, path)| {
        let oid = tree.oid(&path)?;
        Some(git_entries::Model {
            space_id: space,
            object_id,
            kind,
            path,
            oid: oid.0.to_vec(),
        })
    });
    found.collect()
}

/// The paths of exported objects.
pub fn of_export(exported: &Exported) -> Vec<(Uuid, GitEntryKind, String)> {
    let paths = exported.paths();
    let pages = paths
        .pages()
        .map(|(id, path)| (*id.as_uuid(), GitEntryKind::Page, path.to_owned()));
    let files = paths
        .files()
        .map(|(id, path)| (*id.as_uuid(), GitEntryKind::File, path.to_owned()));
    let contents = paths
        .contents()
        .map(|(id, path)| (*id.as_uuid(), GitEntryKind::ReusableContent, path.to_owned()));
    pages.chain(files).chain(contents).collect()
}

/// The paths of imported objects.
pub fn of_import(files: &KnownFiles) -> Vec<(Uuid, GitEntryKind, String)> {
    let pages = files
        .pages
        .iter()
        .map(|(path, page)| (*page.id.as_uuid(), GitEntryKind::Page, path.clone()));
    let others = files
        .files
        .iter()
        .map(|(path, id)| (*id.as_uuid(), GitEntryKind::File, path.clone()));
    let contents = files
        .contents
        .iter()
        .map(|(path, id)| (*id.as_uuid(), GitEntryKind::ReusableContent, path.clone()));
    pages.chain(others).chain(contents).collect()
}

/// The objects of paths, for an import.
pub fn known_files(entries: &[git_entries::Model]) -> KnownFiles {
    let mut known = KnownFiles::default();
    for entry in entries {
        let (path, id) = (entry.path.clone(), entry.object_id);
        match entry.kind {
            GitEntryKind::Page => known.add_page(path, PageId::from_uuid(id)),
            GitEntryKind::File => drop(known.files.insert(path, FileId::from_uuid(id))),
            GitEntryKind::ReusableContent => drop(known.contents.insert(path, ReusableContentId::from_uuid(id))),
        }
    }
    known
}

/// The paths of objects, for an export.
pub fn known_paths(entries: &[git_entries::Model]) -> KnownPaths {
    let mut known = KnownPaths::default();
    for entry in entries {
        let (path, id) = (entry.path.clone(), entry.object_id);
        match entry.kind {
            GitEntryKind::Page => drop(known.pages.insert(PageId::from_uuid(id), (path, None))),
            GitEntryKind::File => drop(known.files.insert(FileId::from_uuid(id), path)),
            GitEntryKind::ReusableContent => drop(known.contents.insert(ReusableContentId::from_uuid(id), path)),
        }
    }
    known
}
