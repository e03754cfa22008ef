//! Audit events: each write records one in its own transaction.

use std::sync::Arc;

use entity::{
    ids::{AuditEventId, OrganizationId, UserId},
    organizations::audit_events::{ActorType, Column, Entity, Model},
    timestamp::Timestamp,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{call::Operation, error::ApiError};
use platform::{
    db::{Tx, rows},
    request_context::RequestContext,
};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryOrder, QuerySelect};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Kernel, audit_actions, idempotency::Marker};

pub use super::audit_actions::SystemAction;

/// The actor and the action of an event.
#[derive(Clone)]
pub struct Actor {
    /// `None`: the service itself.
    access: Option<Arc<dyn AccessCheck>>,
    kind: ActorType,
    id: String,
    label: Option<String>,
    action: String,
    request_id: Option<String>,
}

/// The access with which a request began, checked again in the transaction of its write.
pub trait AccessCheck: Send + Sync {
    fn check_again<'a>(&'a self, tx: &'a Tx, now: Timestamp) -> BoxFuture<'a, Result<(), ApiError>>;

    /// Called in the same transaction, if it has changed something.
    fn changed<'a>(&'a self, _tx: &'a Tx, _now: Timestamp) -> BoxFuture<'a, Result<(), ApiError>> {
        std::future::ready(Ok(())).boxed()
    }
}

impl Actor {
    /// Who calls an operation: the kind, the id and the label.
    pub fn caller(
        (kind, id, label): (ActorType, String, &str),
        operation: &'static Operation,
        request_id: Option<&str>,
        access: Arc<dyn AccessCheck>,
    ) -> Self {
        Self {
            access: Some(access),
            kind,
            id,
            label: Some(label.to_owned()),
            action: audit_actions::of_operation(operation),
            request_id: request_id.map(str::to_owned),
        }
    }

    /// The service itself, for somebody who may withdraw what they asked for until it is done.
    pub fn on_behalf(action: SystemAction, access: Arc<dyn AccessCheck>) -> Self {
        Self {
            access: Some(access),
            ..action.into()
        }
    }

    /// Returns whether a caller acts, or the service for one, and not the service itself or an operator.
    pub fn has_caller(&self) -> bool {
        self.access.is_some()
    }
}

/// The service itself, or an operator on the command line.
impl From<SystemAction> for Actor {
    fn from(action: SystemAction) -> Self {
        Self {
            access: None,
            kind: ActorType::System,
            id: "bindery".to_owned(),
            label: None,
            action: action.name().to_owned(),
            request_id: None,
        }
    }
}

/// The readers of an event.
#[derive(Clone, Copy)]
enum AuditScope {
    /// The admins of the organization.
    Organization(OrganizationId),
    /// The user whom the change concerns.
    User(UserId),
}

impl AuditScope {
    fn organization(self) -> Option<OrganizationId> {
        match self {
            Self::Organization(organization) => Some(organization),
            Self::User(_) => None,
        }
    }

    fn user(self) -> Option<UserId> {
        match self {
            Self::Organization(_) => None,
            Self::User(user) => Some(user),
        }
    }
}

/// The object that a write changed.
#[derive(Clone)]
pub struct AuditTarget {
    scope: AuditScope,
    kind: &'static str,
    id: String,
    label: Option<String>,
}

impl AuditTarget {
    /// An object of an organization; `kind` is its `object` on the wire.
    pub fn in_organization(organization: OrganizationId, kind: &'static str, id: impl ToString) -> Self {
        Self::of(AuditScope::Organization(organization), kind, id)
    }

    /// An object that belongs to no organization, such as the user.
    pub fn of_user(user: UserId, kind: &'static str, id: impl ToString) -> Self {
        Self::of(AuditScope::User(user), kind, id)
    }

    fn of(scope: AuditScope, kind: &'static str, id: impl ToString) -> Self {
        Self {
            scope,
            kind,
            id: id.to_string(),
            label: None,
        }
    }

    /// Adds the name that people know the object by.
    pub fn labelled(self, label: impl Into<String>) -> Self {
        Self {
            label: Some(label.into()),
            ..self
        }
    }
}

/// The result of a write, with the objects that it changed and details of each change.
pub struct Changed<T> {
    events: Vec<(AuditTarget, Value)>,
    result: T,
}

impl<T> Changed<T> {
    pub fn of(target: AuditTarget, result: T) -> Self {
        Self {
            events: vec![(target, json!({}))],
            result,
        }
    }

    /// The write changed nothing: no event is recorded.
    pub fn nothing(result: T) -> Self {
        Self {
            events: Vec::new(),
            result,
        }
    }

    /// Adds details of the change: an object without secrets.
    pub fn with(mut self, payload: impl Serialize) -> Result<Self, ApiError> {
        if let Some((_, details)) = self.events.last_mut() {
            *details = serde_json::to_value(payload)?;
        }
        Ok(self)
    }

    /// Adds another event, such as that of a second organization.
    pub fn and(mut self, target: AuditTarget) -> Self {
        self.events.push((target, json!({})));
        self
    }
}

impl<T> Changed<T> {
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Changed<U> {
        Changed {
            events: self.events,
            result: convert(self.result),
        }
    }
}

impl Changed<()> {
    /// A change without a result, or no change.
    pub fn if_some(target: Option<AuditTarget>) -> Self {
        match target {
            Some(target) => Self::of(target, ()),
            None => Self::nothing(()),
        }
    }
}

impl Kernel {
    /// Runs `work` in a write transaction that first checks again what the caller may do, and then records the events
    /// of its changes: see [`platform::db::Db::write`] for what a closure may do. The first changes of a request with an
    /// idempotency key are made with its marker.
    pub async fn write<F, Fut, T>(&self, by: impl Into<Actor>, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(Tx) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<Changed<T>, ApiError>> + Send + 'static,
        T: Send + 'static,
    {
        let (by, ids, clock) = (by.into(), self.ids.clone(), self.clock.clone());
        let pending = Marker::pending();
        let marker = pending.clone();
        let recorded = move |tx: Tx| async move {
            // A write may have waited for others: what is true now counts.
            let now = clock.now();
            if let Some(access) = &by.access {
                access.check_again(&tx, now).await?;
            }
            let Changed { events, result } = work(tx.share()).await?;
            let marker = marker.filter(|_| !events.is_empty());
            if let Some(marker) = &marker {
                marker.store(&tx, now).await?;
            }
            if let Some(access) = by.access.as_ref().filter(|_| !events.is_empty()) {
                access.changed(&tx, now).await?;
            }
            for (target, payload) in events {
                insert(&tx, ids.next(), by.clone(), target, payload, now).await?;
            }
            Ok::<(T, bool), ApiError>((result, marker.is_some()))
        };
        let (result, is_marked) = self.db.write(recorded).await?;
        if let Some(marker) = pending.filter(|_| is_marked) {
            marker.note_stored();
        }
        RequestContext::with_current(RequestContext::note_commit);
        Ok(result)
    }
}

/// Returns the id and the time of the event with the greatest id.
pub async fn newest(db: &impl ConnectionTrait) -> Result<Option<(AuditEventId, Timestamp)>, DbErr> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::OccurredAt])
        .order_by_desc(Column::Id)
        .limit(1)
        .into_tuple()
        .one(db)
        .await
}

async fn insert(
    tx: &Tx,
    id: AuditEventId,
    by: Actor,
    target: AuditTarget,
    payload: Value,
    now: Timestamp,
) -> Result<(), DbErr> {
    let row = Model {
        id,
        organization_id: target.scope.organization(),
        occurred_at: now,
        action: by.action,
        actor_type: by.kind,
        actor_id: by.id,
        actor_label: by.label,
        target_type: target.kind.to_owned(),
        target_id: target.id,
        target_label: target.label,
        request_id: by.request_id,
        payload,
        user_id: target.scope.user(),
    };
    rows::insert_later(tx, &row).await
}
