//! The write of an import: texts, files and links are stored in small transactions, which have no effect yet. One short
//! transaction makes the book the content of the space, and then its pages are added to the search index.
//!
//! An import that is killed before that transaction leaves the content as it was, and a new space deleted. The next import
//! of the same directory into the same content goes on: see [`super::ids::ImportIds`]. An import that is killed after the
//! transaction leaves jobs that index the rest.

use std::sync::Arc;

use entity::{
    ids::{NodeId, RevisionId},
    library::nodes,
};
use openapi::error::ApiError;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};

use super::{
    Counts, Progress,
    book::Book,
    replace::replace,
    target::{ImportTarget, TargetSpace},
};
use crate::{
    access::node_levels::Member,
    areas::exchange::Exchange,
    areas::{
        content::search_jobs::IndexPages,
        library::{
            spaces::{self, unfinished::UnfinishedSpace},
            tree::store::NewNode,
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
