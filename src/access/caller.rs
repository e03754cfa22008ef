//! Callers: the user or the integration of a token, and the operation of the request.

use std::sync::Arc;

use entity::{
    ids::{IntegrationId, OrganizationId, UserId},
    organizations::{audit_events::ActorType, members::MemberRole},
    timestamp::Timestamp,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{
    call::{Call, Operation},
    error::ApiError,
    work,
};
use platform::{
    db::{Reads, Tx},
    request_context::RequestContext,
};

use super::{
    basis::Basis,
    identity::{Identity, Installed},
    levels::Member,
    request_context,
};
use crate::kernel::audit::{AccessCheck, Actor};

/// The user or the integration of a valid token, and the operation that they call.
#[derive(Clone)]
pub struct Caller {
    pub user_id: UserId,
    /// The user as the token names them.
    pub identity: Arc<Identity>,
    pub operation: &'static Operation,
    context: Option<Arc<RequestContext>>,
    basis: Basis,
    pub allowed_at: Timestamp,
}

impl Caller {
    pub fn new(identity: Arc<Identity>, call: Call<'_>, now: Timestamp) -> Self {
        let context = request_context::of(call.request).cloned();
        if let Some(context) = &context {
            context.set_operation(call.operation.id);
            context.set_caller(identity.user_id);
            work::set_user(identity.user_id.as_uuid().as_u128());
        }
        Self {
            user_id: identity.user_id,
            identity,
            operation: call.operation,
            context,
            basis: Basis::Token,
            allowed_at: now,
        }
    }

    /// Notes on what the guard let the caller in.
    pub fn allowed_by(self, basis: Basis) -> Self {
        Self { basis, ..self }
    }

    /// Refuses unless the caller still has the access with which the request began. For the transactions of its writes.
    pub async fn check_again(&self, tx: &Tx, now: Timestamp) -> Result<(), ApiError> {
        self.basis
            .check(tx, Some(tx), &self.identity, self.operation, now)
            .await
    }

    /// The same outside of a transaction.
    pub(super) async fn check_now(&self, db: &Reads, now: Timestamp) -> Result<(), ApiError> {
        self.basis.check(db, None, &self.identity, self.operation, now).await
    }

    /// The integration whose own token the request has. `None`: a person, a visitor or an installation.
    pub fn integration(&self) -> Option<IntegrationId> {
        let integration = self.identity.integration.as_ref()?;
        integration.installation.is_none().then_some(integration.id)
    }

    /// The installation whose token the request has. `None`: a person, a visitor or an integration itself.
    pub fn installation(&self) -> Option<&Installed> {
        self.identity.integration.as_ref()?.installation.as_ref()
    }

    /// The caller as a member of an organization, in which people have a role.
    pub fn member(&self, organization: OrganizationId, role: Option<MemberRole>) -> Member {
        Member {
            installation: self.installation().copied(),
            ..Member::new(organization, self.user_id, role)
        }
    }

    /// The token of a person, or the integration or installation, whose tokens are made anew all the time. What one of them was
    /// answered is for no other.
    pub fn credential(&self) -> String {
        let Some(integration) = &self.identity.integration else {
            return format!("token {}", self.identity.token_id);
        };
        match &integration.installation {
            None => format!("integration {}", integration.id),
            Some(installation) => format!("installation {}", installation.id),
        }
    }

    pub fn request_id(&self) -> Option<&str> {
        self.context.as_deref().map(RequestContext::request_id)
    }
}

impl AccessCheck for Caller {
    fn check_again<'a>(&'a self, tx: &'a Tx, now: Timestamp) -> BoxFuture<'a, Result<(), ApiError>> {
        self.check_again(tx, now).boxed()
    }
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        let (kind, id, label) = match &caller.identity.integration {
            None => (ActorType::User, caller.user_id.to_string(), &caller.identity.email),
            Some(integration) => match &integration.installation {
                None => (ActorType::Integration, integration.id.to_string(), &integration.name),
                Some(installation) => (ActorType::Installation, installation.id.to_string(), &integration.name),
            },
        };
        let label = label.as_str();
        Self::caller(
            (kind, id, label),
            caller.operation,
            caller.request_id(),
            Arc::new(caller.clone()),
        )
    }
}

impl AsRef<Caller> for Caller {
    fn as_ref(&self) -> &Caller {
        self
    }
}
