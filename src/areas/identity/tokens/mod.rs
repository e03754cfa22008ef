//! The API tokens of a user.

pub mod store;
mod view;

use entity::{
    identity::tokens::Model,
    ids::{SamlProviderId, TokenId, UserId},
    organizations::sessions,
    timestamp::Timestamp,
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorRule, ErrorType},
    models::{ApiTokenList, CreateApiToken, CreatedApiToken},
    operations::tokens::{ListUserTokensQuery, TokensApi},
};
use platform::db::{Tx, rows};

use crate::{
    access::{Caller, tokens as secrets},
    areas::identity::Identity,
    kernel::{
        Kernel,
        audit::{Actor, AuditTarget, Changed, SystemAction},
        lists::List,
    },
};

impl TokensApi for Identity {
    async fn list_user_tokens(&self, caller: Caller, query: ListUserTokensQuery) -> Result<ApiTokenList, ApiError> {
        let list = List::new(&self.kernel, ("tokens", caller.user_id), query.page, query.limit);
        let rows = store::of(caller.user_id);
        let page = list.newest_first(rows, |row| row.id, view::token).await?;
        Ok(page.into())
    }

    async fn create_user_token(
        &self,
        caller: Caller,
        body: CreateApiToken,
    ) -> Result<Created<CreatedApiToken>, ApiError> {
        if caller.identity.of_session {
            let message = "The token of a session creates no tokens. Create one on the account page.";
            return Err(ApiError::new(ErrorType::Forbidden, message));
        }
        let CreateApiToken { label, expires_at } = body;
        let expires_at = expires_at.map(|end| Timestamp::from(end.0));
        if expires_at.is_some_and(|end| end <= self.kernel.clock.now()) {
            return Err(ApiError::invalid_member(
                "/body/expiresAt",
                ErrorRule::Past,
                "`expiresAt` has to be in the future.",
            ));
        }
        let new = insert(
            &self.kernel,
            &caller,
            caller.user_id,
            caller.identity.saml_provider,
            &label,
            expires_at,
        )
        .await?;
        Ok(Created {
            location: self.kernel.urls.token(new.row.id),
            body: view::created(new.row, new.secret),
        })
    }

    async fn delete_user_token(&self, caller: Caller, token_id: TokenId) -> Result<(), ApiError> {
        remove(self, &caller, caller.user_id, token_id).await
    }
}

/// A new token with its secret, which is not stored.
pub struct NewToken {
    pub row: Model,
    pub secret: String,
}

/// Makes a token with a random secret; for the command line.
pub async fn create(
    kernel: &Kernel,
    user: UserId,
    label: &str,
    expires_at: Option<Timestamp>,
) -> Result<NewToken, ApiError> {
    insert(kernel, SystemAction::CreateToken, user, None, label, expires_at).await
}

/// Makes a token for somebody who has signed in at a provider.
pub async fn create_signed_in(
    kernel: &Kernel,
    user: UserId,
    provider: SamlProviderId,
    label: &str,
    expires_at: Timestamp,
) -> Result<NewToken, ApiError> {
    let by = SystemAction::CreateTokenSignedIn;
    insert(kernel, by, user, Some(provider), label, Some(expires_at)).await
}

/// Makes the token of a session, or lets it expire later. The token ends with the session. Returns false if the session has
/// ended.
pub async fn keep_of_session(
    identity: &Identity,
    session: &sessions::Model,
    label: &str,
    secret: &str,
    expires_at: Timestamp,
) -> Result<bool, ApiError> {
    let id = session.id;
    let row = Model {
        saml_provider_id: Some(session.provider_id),
        session_id: Some(id),
        ..new_row(&identity.kernel, session.user_id, label, secret, Some(expires_at))
    };
    let work = move |tx: Tx| async move {
        if !store::lock_session(&tx, id).await? {
            return Ok(Changed::nothing(false));
        }
        if store::extend(&tx, &row).await? {
            return Ok(Changed::nothing(true));
        }
        store::insert_of_session(&tx, &row).await?;
        Ok(Changed::of(target(&row), true))
    };
    let kept = identity.kernel.write(SystemAction::CreateTokenOfSession, work).await?;
    // Requests of a moment ago may have found when it was to expire.
    identity.access.forget_tokens();
    Ok(kept)
}

async fn insert(
    kernel: &Kernel,
    by: impl Into<Actor>,
    user: UserId,
    provider: Option<SamlProviderId>,
    label: &str,
    expires_at: Option<Timestamp>,
) -> Result<NewToken, ApiError> {
    let secret = secrets::generate().map_err(|e| ApiError::internal(e.to_string()))?;
    let row = Model {
        saml_provider_id: provider,
        ..new_row(kernel, user, label, &secret, expires_at)
    };
    let work = move |tx| async move {
        store::insert(&tx, &row).await?;
        Ok(Changed::of(target(&row), row))
    };
    let row = kernel.write(by, work).await?;
    Ok(NewToken { row, secret })
}

/// The row of a token with the given secret.
pub fn new_row(kernel: &Kernel, user: UserId, label: &str, secret: &str, expires_at: Option<Timestamp>) -> Model {
    let hint_start = secret.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    Model {
        id: kernel.ids.next(),
        user_id: user,
        label: label.to_owned(),
        hash: secrets::hash(secret).to_vec(),
        hint: secret.get(hint_start..).unwrap_or_default().to_owned(),
        created_at: kernel.clock.now(),
        expires_at,
        last_used_at: None,
        saml_provider_id: None,
        session_id: None,
    }
}

/// Ends a token from the next request on; an absent one is fine. For the command line.
pub async fn revoke(identity: &Identity, user: UserId, token: TokenId) -> Result<(), ApiError> {
    remove(identity, SystemAction::RevokeToken, user, token).await
}

/// Ends all tokens of a user, from the next request on.
pub async fn revoke_all(identity: &Identity, user: UserId) -> Result<(), ApiError> {
    let work = move |tx: Tx| async move {
        let tokens = store::remove_all(&tx, user).await?;
        let changed = Changed::nothing(());
        Ok(tokens.iter().fold(changed, |changed, token| changed.and(target(token))))
    };
    identity.kernel.write(SystemAction::RevokeToken, work).await?;
    identity.access.forget_tokens();
    Ok(())
}

async fn remove(identity: &Identity, by: impl Into<Actor>, user: UserId, token: TokenId) -> Result<(), ApiError> {
    let work = move |tx: Tx| async move {
        let Some(row) = rows::remove(&tx, store::of(user), token).await? else {
            return Ok(Changed::nothing(()));
        };
        // It would make the same token again.
        if let Some(session) = row.session_id {
            store::end_session(&tx, session).await?;
        }
        Ok(Changed::of(target(&row), ()))
    };
    identity.kernel.write(by, work).await?;
    identity.access.forget_tokens();
    Ok(())
}

fn target(token: &Model) -> AuditTarget {
    AuditTarget::of_user(token.user_id, "token", token.id).labelled(&token.label)
}

/// All tokens of a user, the earliest first; for the command line.
pub async fn list(kernel: &Kernel, user: UserId) -> Result<Vec<Model>, ApiError> {
    Ok(store::all(kernel.db.read(), user).await?)
}
