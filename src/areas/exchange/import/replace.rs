//! Content that becomes that of a space: its texts and links are stored in small transactions, which have no effect yet, and one
//! short transaction makes it the content.

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    objects::{Content, Missing, Objects},
    pages::Snapshot,
    revisions::Origin,
};
use entity::{
    ids::{NodeId, RevisionId},
    library::nodes,
};
use platform::db::Reads;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::{
    access::node_levels::Member,
    areas::{
        authoring::editor::write::{NewRevision, load_head, publish_revision},
        exchange::Exchange,
        library::tree,
    },
    kernel::audit::Actor,
};

/// The content that replaces that of a space.
pub trait NewContent {
    /// Hands the texts over to the content.
    fn put_texts(&mut self, content: &Content<'_, Reads>);
    /// The content with the texts that were handed over.
    fn snapshot(&self, objects: &Objects) -> Result<Snapshot, Missing>;
}

/// Replaces the content of a space. Concurrent writes come before or after the import.
pub async fn replace(
    exchange: &Exchange,
    node: &nodes::Model,
    (member, actor): (Member, Actor),
    mut book: impl NewContent,
    details: Value,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let mut content = exchange.content(node.id);
    book.put_texts(&content);
    let snapshot = content.run(|objects| book.snapshot(objects)).await?;
    drop(book);
    let head = load_head(&exchange.contents, node.id).await?;
    let mut ahead = Draft::of(&mut content, &head.snapshot, snapshot).await?;
    ahead.store_ahead(&exchange.kernel.db, node.id).await?;
    Index::store_links_ahead(
        (&exchange.kernel.db, &exchange.kernel.work),
        &mut content,
        node.id,
        &ahead.changes,
    )
    .await?;
    let content = Mutex::new(content);
    let written = exchange.contents.write_content(node.id, async || {
        let mut content = content.lock().await;
        let head = load_head(&exchange.contents, node.id).await?;
        let draft = ahead.rebase(&mut content, &head.snapshot).await?;
        if draft.is_empty() {
            return Ok(Some((node.id, head.id)));
        }
        // A new space has no content that the import changes.
        let parents = node.deleted_at.is_none().then_some(head.id);
        let origin = Origin::edits(node.id, parents.into_iter().collect(), member.user);
        let new = NewRevision {
            origin,
            search: SearchUpdate::Deferred,
            actor: actor.clone(),
            target: tree::target(node),
            details: details.clone(),
            directly: true,
        };
        let published = publish_revision(&exchange.contents, &mut content, &head, draft, new).await?;
        Ok(published.map(|revision| (node.id, revision)))
    });
    Ok(written.await?)
}
