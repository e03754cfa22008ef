//! What every write leaves behind: an event in the same transaction.

use entity::{
    audit_events::{ActorType, Model},
    ids::{AuditEventId, OrganizationId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Tx, rows};
use sea_orm::{ConnectionTrait, DbErr};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    access::Caller,
    app::{App, audit_actions},
};

pub use super::audit_actions::SystemAction;

/// Who does what.
#[derive(Clone)]
pub struct Actor {
    kind: ActorType,
    id: String,
    label: Option<String>,
    action: String,
    request_id: Option<String>,
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        Self {
            kind: ActorType::User,
            id: caller.user_id.to_string(),
            label: Some(caller.email.clone()),
            action: audit_actions::of_operation(caller.operation),
            request_id: caller.request_id().map(str::to_owned),
        }
    }
}

/// The service itself, or its operator on the command line.
impl From<SystemAction> for Actor {
    fn from(action: SystemAction) -> Self {
        Self {
            kind: ActorType::System,
            id: "bindery".to_owned(),
            label: None,
            action: action.name().to_owned(),
            request_id: None,
        }
    }
}

/// What a write changed.
#[derive(Clone)]
pub struct Target {
    organization: Option<OrganizationId>,
    kind: &'static str,
    id: String,
    label: Option<String>,
}

impl Target {
    /// Something in an organization; `kind` is its `object` on the wire.
    pub fn in_organization(organization: OrganizationId, kind: &'static str, id: impl ToString) -> Self {
        Self {
            organization: Some(organization),
            ..Self::outside(kind, id)
        }
    }

    /// Something that belongs to no organization.
    pub fn outside(kind: &'static str, id: impl ToString) -> Self {
        Self {
            organization: None,
            kind,
            id: id.to_string(),
            label: None,
        }
    }

    /// How people call it.
    pub fn labelled(self, label: impl Into<String>) -> Self {
        Self {
            label: Some(label.into()),
            ..self
        }
    }
}

/// The result of a write, with what it changed.
pub struct Changed<T> {
    event: Option<(Target, Value)>,
    result: T,
}

impl<T> Changed<T> {
    pub fn of(target: Target, result: T) -> Self {
        Self {
            event: Some((target, json!({}))),
            result,
        }
    }

    /// The write found everything as it should be.
    pub fn nothing(result: T) -> Self {
        Self { event: None, result }
    }

    /// Says more about the change: an object without secrets.
    pub fn with(self, payload: impl Serialize) -> Result<Self, ApiError> {
        let payload = serde_json::to_value(payload)?;
        Ok(Self {
            event: self.event.map(|(target, _)| (target, payload)),
            ..self
        })
    }
}

impl Changed<()> {
    /// A change whose only result is whether it happened.
    pub fn if_some(target: Option<Target>) -> Self {
        match target {
            Some(target) => Self::of(target, ()),
            None => Self::nothing(()),
        }
    }
}

impl App {
    /// Runs `work` in a write transaction that also holds the event of what it changed: see [`platform::db::Db::write`] for
    /// what a closure may do.
    pub async fn write<F, Fut, T>(&self, by: impl Into<Actor>, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(Tx) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = Result<Changed<T>, ApiError>> + Send + 'static,
        T: Send + 'static,
    {
        let (by, id, now) = (by.into(), self.ids.next(), self.clock.now());
        let recorded = move |tx: Tx| async move {
            let Changed { event, result } = work(tx.share()).await?;
            if let Some((target, payload)) = event {
                insert(&tx, id, by, target, payload, now).await?;
            }
            Ok::<T, ApiError>(result)
        };
        self.db.write(recorded).await
    }
}

async fn insert(
    db: &impl ConnectionTrait,
    id: AuditEventId,
    by: Actor,
    target: Target,
    payload: Value,
    now: Timestamp,
) -> Result<(), DbErr> {
    let row = Model {
        id,
        organization_id: target.organization,
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
    };
    rows::insert(db, &row).await
}
