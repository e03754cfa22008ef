//! Hooks: what a context does when another context, which does not know it, changes something.

use std::sync::Arc;

use entity::{
    ids::{IssuesClusterId, NodeId, OrganizationId, RevisionId, SiteId, UserId},
    timestamp::Timestamp,
};
use futures_util::future::{BoxFuture, FutureExt, ready};
use openapi::{error::ApiError, models::ContentVisibility};
use platform::{
    db::{Clock, Db, IdSource, Tx},
    secrets::Secrets,
};
use sea_orm::{DbErr, sea_query::SelectStatement};
use serde_json::Value;

use super::{
    audit::{AuditTarget, Changed},
    urls::Urls,
};

/// What the hooks of a write need of the kernel.
pub struct HookContext<'a> {
    pub tx: &'a Tx,
    pub ids: &'a IdSource,
    pub urls: &'a Urls,
    pub secrets: &'a Secrets,
    pub now: Timestamp,
}

/// New content of a space.
#[derive(Debug, Clone, Copy)]
pub struct ContentChange {
    pub space: NodeId,
    pub revision: RevisionId,
    /// `None`: the service itself.
    pub author: Option<UserId>,
}

/// A site that is published, or is not any more.
#[derive(Debug, Clone, Copy)]
pub struct SitePublishing {
    pub organization: OrganizationId,
    pub site: SiteId,
    pub published: bool,
}

/// Spaces with their visibilities.
pub type Visibilities = Vec<(NodeId, ContentVisibility)>;

/// The hooks of one context. A hook without an implementation does nothing.
pub trait ContextHooks: Send + Sync + 'static {
    /// The content of a space has changed, in this transaction.
    fn content_changed<'a>(&'a self, _: &'a HookContext<'a>, _: &'a ContentChange) -> BoxFuture<'a, Result<(), DbErr>> {
        ready(Ok(())).boxed()
    }

    /// The visibility of the spaces that a query of their ids selects may change in this transaction. Returns their present
    /// visibilities if the context needs to know the changes.
    fn visibility_changes<'a>(
        &'a self,
        _: &'a HookContext<'a>,
        _: OrganizationId,
        _spaces: &'a SelectStatement,
    ) -> BoxFuture<'a, Result<Visibilities, DbErr>> {
        ready(Ok(Vec::new())).boxed()
    }

    /// The changes that [`Self::visibility_changes`] announced have been made.
    fn visibility_changed<'a>(
        &'a self,
        _: &'a HookContext<'a>,
        _before: &'a [(NodeId, ContentVisibility)],
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        ready(Ok(())).boxed()
    }

    /// A site has been published or unpublished, in this transaction.
    fn site_published<'a>(&'a self, _: &'a HookContext<'a>, _: &'a SitePublishing) -> BoxFuture<'a, Result<(), DbErr>> {
        ready(Ok(())).boxed()
    }

    /// A site is about to be deleted, in this transaction.
    fn site_removed<'a>(&'a self, _: &'a HookContext<'a>, _: SiteId) -> BoxFuture<'a, Result<(), ApiError>> {
        ready(Ok(())).boxed()
    }

    /// Spaces are about to leave their organization, in this transaction.
    fn spaces_leave<'a>(&'a self, _: &'a HookContext<'a>) -> BoxFuture<'a, Result<(), DbErr>> {
        ready(Ok(())).boxed()
    }

    /// The spaces that a query of their ids selects are deleted or leave their organization, in this transaction. Returns the
    /// events of what has changed with that.
    fn spaces_removed<'a>(
        &'a self,
        _: &'a HookContext<'a>,
        _spaces: &'a SelectStatement,
    ) -> BoxFuture<'a, Result<Vec<HookEvent>, ApiError>> {
        ready(Ok(Vec::new())).boxed()
    }

    /// A cluster of issues is merged into another one, and deleted afterwards, in this transaction.
    fn clusters_merged<'a>(
        &'a self,
        _: &'a HookContext<'a>,
        _former: IssuesClusterId,
        _present: IssuesClusterId,
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        ready(Ok(())).boxed()
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
pub struct Hooks {
    contexts: Arc<[&'static dyn ContextHooks]>,
    clock: Clock,
    ids: IdSource,
    urls: Arc<Urls>,
    secrets: Secrets,
}

/// The visibilities of spaces before a change, for each context.
pub struct VisibilitiesBefore(Vec<Visibilities>);

impl Hooks {
    pub fn new(
        contexts: impl IntoIterator<Item = &'static dyn ContextHooks>,
        clock: Clock,
        ids: IdSource,
        urls: Arc<Urls>,
        secrets: Secrets,
    ) -> Self {
        Self {
            contexts: contexts.into_iter().collect(),
            clock,
            ids,
            urls,
            secrets,
        }
    }

    pub fn context<'a>(&'a self, tx: &'a Tx) -> HookContext<'a> {
        HookContext {
            tx,
            ids: &self.ids,
            urls: &self.urls,
            secrets: &self.secrets,
            now: self.clock.now(),
        }
    }

    pub async fn content_changed(&self, tx: &Tx, change: ContentChange) -> Result<(), DbErr> {
        let context = self.context(tx);
        for hooks in self.contexts.iter() {
            hooks.content_changed(&context, &change).await?;
        }
        Ok(())
    }

    /// Called before a write that may change visibilities. Pass the result to [`Self::visibility_changed`] after it.
    pub async fn visibility_changes(
        &self,
        tx: &Tx,
        organization: OrganizationId,
        spaces: &SelectStatement,
    ) -> Result<VisibilitiesBefore, DbErr> {
        let (context, mut before) = (self.context(tx), Vec::new());
        for hooks in self.contexts.iter() {
            before.push(hooks.visibility_changes(&context, organization, spaces).await?);
        }
        Ok(VisibilitiesBefore(before))
    }

    pub async fn visibility_changed(&self, tx: &Tx, before: VisibilitiesBefore) -> Result<(), DbErr> {
        let context = self.context(tx);
        for (hooks, before) in self.contexts.iter().zip(&before.0) {
            if !before.is_empty() {
                hooks.visibility_changed(&context, before).await?;
            }
        }
        Ok(())
    }

    pub async fn site_published(&self, tx: &Tx, publishing: SitePublishing) -> Result<(), DbErr> {
        let context = self.context(tx);
        for hooks in self.contexts.iter() {
            hooks.site_published(&context, &publishing).await?;
        }
        Ok(())
    }

    pub async fn site_removed(&self, tx: &Tx, site: SiteId) -> Result<(), ApiError> {
        let context = self.context(tx);
        for hooks in self.contexts.iter() {
            hooks.site_removed(&context, site).await?;
        }
        Ok(())
    }

    pub async fn spaces_leave(&self, tx: &Tx) -> Result<(), DbErr> {
        let context = self.context(tx);
        for hooks in self.contexts.iter() {
            hooks.spaces_leave(&context).await?;
        }
        Ok(())
    }

    pub async fn spaces_removed(&self, tx: &Tx, spaces: &SelectStatement) -> Result<Vec<HookEvent>, ApiError> {
        let (context, mut events) = (self.context(tx), Vec::new());
        for hooks in self.contexts.iter() {
            events.extend(hooks.spaces_removed(&context, spaces).await?);
        }
        Ok(events)
    }

    pub async fn clusters_merged(
        &self,
        tx: &Tx,
        former: IssuesClusterId,
        present: IssuesClusterId,
    ) -> Result<(), DbErr> {
        let context = self.context(tx);
        for hooks in self.contexts.iter() {
            hooks.clusters_merged(&context, former, present).await?;
        }
        Ok(())
    }

    pub async fn space_purged(&self, db: &Db, space: NodeId) -> Result<(), DbErr> {
        // Higher contexts refer to the rows of lower ones.
        for hooks in self.contexts.iter().rev() {
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
