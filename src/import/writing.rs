//! One transaction makes the book the content of a space.

use content::{draft::Draft, index::Index, objects::Content, pages::Snapshot, revisions::Origin};
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
    target::{Found, Target},
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
    target: &Target,
    book: Book,
    counts: &Counts,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let said = json!({
        "pages": counts.pages,
        "files": counts.files,
        "unresolvedLinks": counts.unresolved,
    });
    match &target.into {
        Found::Space(node) => replace(app, node, target.member, book, said).await,
        Found::New(title) => create(app, title, target.member, book, said).await,
    }
}

/// Somebody who writes at the same time comes before or after, never in between.
async fn replace(
    app: &App,
    node: &nodes::Model,
    member: Member,
    book: Book,
    said: Value,
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
        let by = (SystemAction::Import.into(), spaces::target(node));
        let published = publish_revision(app, by, &mut content, &head, draft, origin, said.clone()).await?;
        Ok(published.map(|revision| (node.id, revision)))
    })
    .await
}

/// The space and its content come together.
async fn create(
    app: &App,
    title: &str,
    member: Member,
    book: Book,
    mut said: Value,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let new = NewNode::new(app, nodes::NodeKind::Space, None, title.to_owned());
    let space = spaces::new_row(new.id, None, app.ids.next())?;
    let (id, revision_id) = (space.id, space.revision_id);
    let mut content = Content::new(app.db.read(), &app.content.objects, id);
    let snapshot = content.run(|objects| book.snapshot(objects)).await?;
    drop(book);
    let draft = Draft::of(&mut content, &Snapshot::default(), snapshot).await?;
    let index = Index::of(&mut content, id, &draft.changes, true).await?;
    let origin = Origin::edits(id, vec![], member.user);
    let revision = draft.revision(revision_id, origin, app.clock.now());
    if let Some(said) = said.as_object_mut() {
        said.insert("revision".to_owned(), json!(revision_id));
    }
    let work = move |tx| async move {
        let node = tree::store::insert(&tx, &member, new).await?;
        rows::insert(&tx, &space).await?;
        draft.store(&tx, &revision).await?;
        index.store(&tx).await?;
        Changed::of(spaces::target(&node), ()).with(said)
    };
    app.write(SystemAction::Import, work).await?;
    Ok((id, revision_id))
}
