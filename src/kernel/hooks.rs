//! Hooks: what a context does when another context, which does not know it, changes something.

use std::sync::Arc;

use entity::{ids::NodeId, timestamp::Timestamp};
use futures_util::future::{BoxFuture, FutureExt, ready};
use openapi::error::ApiError;
use platform::db::{Db, Tx};
use sea_orm::{DbErr, sea_query::SelectStatement};
use serde_json::Value;

use super::audit::{AuditTarget, Changed};

/// The hooks of one context. A hook without an implementation does nothing.
pub trait ContextHooks: Send + Sync + 'static {
    /// The content of a space has changed, in this transaction.
    fn content_changed<'a>(&'a self, _: &'a Tx, _space: NodeId, _now: Timestamp) -> BoxFuture<'a, Result<(), DbErr>> {
        ready(Ok(())).boxed()
    }

    /// The spaces that a query of their ids selects are deleted or leave their organization, in this transaction. Returns the
    /// events of what has changed with that.
    fn spaces_removed<'a>(
        &'a self,
        _: &'a Tx,
        _spaces: &'a SelectStatement,
    ) -> BoxFuture<'a, Result<Vec<HookEvent>, ApiError>> {
        ready(Ok(Vec::new())).boxed()
    }

    /// A deleted space is removed for good: removes the rows of the context, in transactions of few rows.
    fn space_purged<'a>(&'a self, _: &'a Db, _space: NodeId) -> BoxFuture<'a, Result<(), DbErr>> {
        ready(Ok(())).boxed()
    }
}

/// An audit event of a hook.
pub struct HookEvent {
    pub target: AuditTarget,
    pub details: Value,
}

/// The hooks of all contexts, in their order.
#[derive(Clone)]
pub struct Hooks(Arc<[&'static dyn ContextHooks]>);

impl Hooks {
    pub fn new(contexts: impl IntoIterator<Item = &'static dyn ContextHooks>) -> Self {
        Self(contexts.into_iter().collect())
    }

    pub async fn content_changed(&self, tx: &Tx, space: NodeId, now: Timestamp) -> Result<(), DbErr> {
        for hooks in self.0.iter() {
            hooks.content_changed(tx, space, now).await?;
        }
        Ok(())
    }

    pub async fn spaces_removed(&self, tx: &Tx, spaces: &SelectStatement) -> Result<Vec<HookEvent>, ApiError> {
        let mut events = Vec::new();
        for hooks in self.0.iter() {
            events.extend(hooks.spaces_removed(tx, spaces).await?);
        }
        Ok(events)
    }

    pub async fn space_purged(&self, db: &Db, space: NodeId) -> Result<(), DbErr> {
        // Higher contexts refer to the rows of lower ones.
        for hooks in self.0.iter().rev() {
            hooks.space_purged(db, space).await?;
        }
        Ok(())
    }
}

impl<T> Changed<T> {
    /// Adds the events of hooks.
    pub fn and_all(self, events: Vec<HookEvent>) -> Result<Self, ApiError> {
        let add = |changed: Self, HookEvent { target, details }| changed.and(target).with(details);
        events.into_iter().try_fold(self, add)
    }
}
