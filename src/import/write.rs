//! The write of an import: one transaction makes the book the content of a space.

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    objects::Content,
    pages::Snapshot,
    revisions::Origin,
};
use entity::{
    ids::{NodeId, RevisionId},
    nodes,
};
use platform::db::rows;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::{
    Counts,
    book::Book,
    target::{ImportTarget, TargetSpace},
};
use crate::{
    access::node_levels::Member,
    app::{
        App,
        audit::{Changed, SystemAction},
        content_writes::retry_stale,
    },
    areas::{
        authoring::editor::write::{load_head, publish_revision},
        library::{
            spaces,
            tree::{self, store::NewNode},
        },
    },
};

pub(super) async fn write(
    app: &App,
    target: &ImportTarget,
    book: Book,
    counts: &Counts,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let details = json!({
        "pages": counts.pages,
        "files": counts.files,
        "unresolvedLinks": counts.unresolved,
    });
    match &target.space {
        TargetSpace::Existing(node) => replace(app, node, target.member, book, details).await,
        TargetSpace::New(title) => create(app, title, target.member, book, details).await,
    }
}

/// Replaces the content of a space. Concurrent writes come before or after the import.
async fn replace(
    app: &App,
    node: &nodes::Model,
    member: Member,
    book: Book,
    details: Value,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let mut content = Content::new(app.db.read(), &app.content.objects, node.id);
    let snapshot = content.run(|objects| book.snapshot(objects)).await?;
    drop(book);
    let content = Mutex::new(content);
    retry_stale(async || {
        let mut content = content.lock().await;
        let head = load_head(app, node.id).await?;
        let draft = Draft::of(&mut content, &head.snapshot, snapshot).await?;
        if draft.is_empty() {
            return Ok(Some((node.id, head.id)));
        }
        let origin = Origin::edits(node.id, vec![head.id], member.user);
        let by = (SystemAction::Import.into(), tree::target(node));
        let origin = (origin, SearchUpdate::All);
        let published = publish_revision(app, by, &mut content, &head, draft, origin, details.clone()).await?;
        Ok(published.map(|revision| (node.id, revision)))
    })
    .await
}

/// Creates a space with its content.
async fn create(
    app: &App,
    title: &str,
    member: Member,
    book: Book,
    mut details: Value,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let new = NewNode::new(app, nodes::NodeKind::Space, None, title.to_owned());
    let space = spaces::new_row(new.id, None, app.ids.next())?;
    let (id, revision_id) = (space.id, space.revision_id);
    let mut content = Content::new(app.db.read(), &app.content.objects, id);
    let snapshot = content.run(|objects| book.snapshot(objects)).await?;
    drop(book);
    let draft = Draft::of(&mut content, &Snapshot::default(), snapshot).await?;
    let context = (&app.db, &app.work);
    let index = Index::of(context, &mut content, id, &draft.changes, SearchUpdate::All).await?;
    let origin = Origin::edits(id, vec![], member.user);
    let revision = draft.revision(revision_id, origin, app.clock.now());
    if let Some(details) = details.as_object_mut() {
        details.insert("revision".to_owned(), json!(revision_id));
    }
    let work = move |tx| async move {
        let node = tree::store::insert(&tx, &member, new).await?;
        rows::insert(&tx, &space).await?;
        draft.store(&tx, &revision).await?;
        index.store(&tx).await?;
        Changed::of(tree::target(&node), ()).with(details)
    };
    app.write(SystemAction::Import, work).await?;
    Ok((id, revision_id))
}
