//! The write of an import: texts, files and links are stored in small transactions, which have no effect yet. One short
//! transaction makes the book the content of the space, and then its pages are added to the search index.
//!
//! An import that is killed before that transaction leaves the content as it was, and a new space deleted. The next import
//! of the same directory into the same content goes on: see [`super::ids::ImportIds`]. An import that is killed after the
//! transaction leaves jobs that index the rest.

use std::sync::Arc;

use content::{
    draft::Draft,
    index::{Index, SearchUpdate},
    revisions::Origin,
};
use entity::{
    ids::{NodeId, RevisionId},
    library::nodes,
};
use openapi::error::ApiError;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::{
    Counts, Progress,
    book::Book,
    target::{ImportTarget, TargetSpace},
};
use crate::{
    access::node_levels::Member,
    areas::exchange::Exchange,
    areas::{
        authoring::editor::write::{NewRevision, load_head, publish_revision},
        content::search_jobs::IndexPages,
        library::{
            spaces::{self, unfinished::UnfinishedSpace},
            tree::{self, store::NewNode},
        },
    },
    kernel::audit::Actor,
};

pub(super) async fn write(
    exchange: &Exchange,
    (target, actor): (&ImportTarget, Actor),
    book: Book,
    counts: &Counts,
    progress: &dyn Progress,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let details = json!({
        "pages": counts.pages,
        "files": counts.files,
        "unresolvedLinks": counts.unresolved,
    });
    progress.start_phase("Writing", 0);
    let written = match &target.space {
        TargetSpace::Existing(node) => replace(exchange, node, (target.member, actor), book, details).await,
        TargetSpace::New(title) => create(exchange, title, (target.member, actor), book, details).await,
    }?;
    progress.start_phase("Indexing", 0);
    // Servers that work on the database help.
    let kinds = Kinds::default().with(IndexPages(Arc::clone(&exchange.contents)));
    Runner::new(exchange.kernel.jobs.clone(), kinds).run_due().await?;
    Ok(written)
}

/// Replaces the content of a space. Concurrent writes come before or after the import.
async fn replace(
    exchange: &Exchange,
    node: &nodes::Model,
    (member, actor): (Member, Actor),
    mut book: Book,
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

/// Creates a space with its content.
async fn create(
    exchange: &Exchange,
    title: &str,
    (member, actor): (Member, Actor),
    book: Book,
    details: Value,
) -> anyhow::Result<(NodeId, RevisionId)> {
    let new = NewNode::new(&exchange.kernel, nodes::NodeKind::Space, None, title.to_owned());
    let row = spaces::new_row(new.id, None, exchange.kernel.ids.next())?;
    let space = UnfinishedSpace::create(&exchange.kernel, member, new, row).await?;
    let written = replace(exchange, &space.node, (member, actor), book, details).await?;
    let is_empty = written.1 == space.empty;
    let now = exchange.kernel.clock.now();
    let work = move |tx| async move {
        space.finish(&tx, now).await?;
        if !is_empty {
            space.remove_empty_revision(&tx).await?;
        }
        Ok::<_, ApiError>(())
    };
    exchange.kernel.db.write(work).await?;
    Ok(written)
}
