//! Callers: the user of a token, and the operation of the request.

use std::{ops::Deref, sync::Arc};

use entity::ids::{TokenId, UserId};
use openapi::call::{Call, Operation};

use crate::http::RequestContext;

/// The user of a token.
#[derive(Clone, Debug)]
pub struct Identity {
    pub user_id: UserId,
    pub token_id: TokenId,
    /// Lower-case.
    pub email: String,
    pub email_verified: bool,
}

impl Identity {
    /// The domain of the user's email address, if the address is verified.
    pub fn verified_domain(&self) -> Option<&str> {
        let (_, domain) = self.email.rsplit_once('@')?;
        self.email_verified.then_some(domain)
    }
}

/// The user of a valid token, and the operation that they call.
#[derive(Clone)]
pub struct Caller {
    identity: Arc<Identity>,
    pub operation: &'static Operation,
    context: Option<Arc<RequestContext>>,
}

impl Caller {
    pub(super) fn new(identity: Arc<Identity>, call: Call<'_>) -> Self {
        tracing::Span::current().record("operation", call.operation.id);
        let context = RequestContext::of(call.request).cloned();
        if let Some(context) = &context {
            context.set_caller(identity.user_id);
        }
        Self {
            identity,
            operation: call.operation,
            context,
        }
    }

    pub fn request_id(&self) -> Option<&str> {
        self.context.as_deref().map(RequestContext::request_id)
    }
}

impl Deref for Caller {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        &self.identity
    }
}
