//! Spaces that nobody sees before they have their content.

use content::{initial, revisions::Origin};
use entity::{
    content::revisions,
    ids::RevisionId,
    library::{nodes, spaces},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Tx, rows};
use sea_orm::{DbErr, EntityTrait};

use crate::{
    access::node_levels::Member,
    areas::library::tree::{self, deletion, purge, store::NewNode},
    kernel::Kernel,
};

/// A space that is deleted until its content is complete. The purge of deleted spaces removes what a killed process leaves.
#[derive(Clone)]
pub struct UnfinishedSpace {
    pub node: nodes::Model,
    /// The revision that it has at first, which holds nothing.
    pub empty: RevisionId,
}

impl UnfinishedSpace {
    /// Stores a space without content.
    pub async fn create(kernel: &Kernel, creator: Member, new: NewNode, row: spaces::Model) -> Result<Self, ApiError> {
        let (id, empty, now) = (row.id, row.revision_id, kernel.clock.now());
        let content = initial::first(None)?;
        let revision = content.revision(empty, Origin::edits(id, vec![], creator.user), now);
        let work = move |tx| async move {
            let node = tree::store::insert(&tx, &creator, new).await?;
            rows::insert(&tx, &row).await?;
            content.store(&tx, &revision).await?;
            content.index(&tx, id, row.language).await?;
            deletion::delete(&tx, id, now).await?;
            Ok::<_, ApiError>(nodes::Model {
                deleted_at: Some(now),
                ..node
            })
        };
        let node = kernel.db.write(work).await?;
        Ok(Self { node, empty })
    }

    /// Shows the space, whose content is complete.
    pub async fn finish(&self, tx: &Tx, now: Timestamp) -> Result<nodes::Model, ApiError> {
        tree::store::reload_deleted(tx, &self.node, now).await?;
        deletion::restore(tx, self.node.id, now).await?;
        tree::reload(tx, &self.node).await
    }

    /// Removes the space as soon as possible.
    pub async fn discard(&self, kernel: &Kernel) -> Result<(), DbErr> {
        let id = self.node.id;
        kernel
            .db
            .write(move |tx| async move { purge::begin_now(&tx, id).await })
            .await
    }

    /// Removes the revision that held nothing, when the space gets another one.
    pub async fn remove_empty_revision(&self, tx: &Tx) -> Result<(), DbErr> {
        revisions::Entity::delete_by_id(self.empty).exec(tx).await.map(drop)
    }
}
