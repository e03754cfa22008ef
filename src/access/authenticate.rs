//! Authentication of requests by the `Authorization` header.

use std::sync::Arc;

use entity::{
    identity::{tokens, users},
    ids::{OrganizationId, SamlProviderId, SessionId, TokenId, UserId},
    organizations::saml_providers,
    timestamp::Timestamp,
};
use openapi::{call::Call, error::ApiError};
use platform::db::positional::{self, Columns, FromColumns};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait, sea_query::Expr,
};

use super::{
    Caller,
    identity::Identity,
    integration_callers::ScopedIntegration,
    integration_tokens::IntegrationTokens,
    state::Access,
    tokens::{KnownToken, MAX_LENGTH, TokenHash, bearer, hash},
};

/// Tokens of one transaction.
const USES_AT_ONCE: usize = 100;

impl Access {
    /// The caller of a request, or 401.
    pub async fn authenticate(&self, call: Call<'_>) -> Result<Caller, ApiError> {
        let token = bearer(call.request).ok_or_else(ApiError::unauthorized)?;
        if IntegrationTokens::is_token(token) {
            return self.authenticate_integration(call, token).await;
        }
        let hash = hash(token);
        let now = self.clock.now();
        let known = match self.tokens.get(&hash, now) {
            Some(known) => known,
            None => {
                let before = self.tokens.begin(now);
                let known = self.find_token(&hash).await?.ok_or_else(ApiError::unauthorized)?;
                self.tokens.insert(hash, before, known.clone());
                known
            }
        };
        if !known.is_valid(now) {
            return Err(ApiError::unauthorized());
        }
        self.tokens.note_use(known.identity.token_id, now);
        Ok(Caller::new(known.identity, call, now))
    }

    /// The integration or the installation that calls. Refuses operations that the contract does not open to it.
    async fn authenticate_integration(&self, call: Call<'_>, token: &str) -> Result<Caller, ApiError> {
        let now = self.clock.now();
        let subject = self.integration_tokens.read(token, now);
        let subject = subject.ok_or_else(ApiError::unauthorized)?;
        let found = ScopedIntegration::find(self.db.read(), subject).await?;
        let found = found.ok_or_else(ApiError::unauthorized)?;
        found.require(call.operation)?;
        Ok(Caller::new(Arc::new(found.into_identity()), call, now))
    }

    /// Whom a valid token names, for whoever proves to be that user.
    pub async fn identify(&self, token: &str) -> Result<Option<Arc<Identity>>, DbErr> {
        if token.len() > MAX_LENGTH {
            return Ok(None);
        }
        let now = self.clock.now();
        let known = self.find_token(&hash(token)).await?;
        let valid = known.filter(|known| known.is_valid(now));
        Ok(valid.map(|known| known.identity))
    }

    /// The token and its user, unless the user is suspended.
    async fn find_token(&self, hash: &TokenHash) -> Result<Option<KnownToken>, DbErr> {
        let found = tokens::Entity::find()
            .select_only()
            .columns([tokens::Column::Id, tokens::Column::UserId, tokens::Column::ExpiresAt])
            .column(tokens::Column::SessionId)
            .column(users::Column::Email)
            .column(users::Column::EmailVerified)
            .columns([saml_providers::Column::Id, saml_providers::Column::OrganizationId])
            .inner_join(users::Entity)
            .left_join(saml_providers::Entity)
            .filter(tokens::Column::Hash.eq(hash.to_vec()))
            .filter(users::Column::SuspendedAt.is_null())
            .build(self.db.read().get_database_backend());
        let found: Option<TokenRow> = positional::row(self.db.read(), found).await?;
        Ok(found.map(|row| KnownToken {
            expires_at: row.expires_at,
            identity: Arc::new(Identity {
                user_id: row.user_id,
                token_id: row.token_id,
                of_session: row.session.is_some(),
                email: row.email,
                email_verified: row.email_verified,
                saml_provider: row.saml_provider,
                signed_in_to: row.signed_in_to,
                integration: None,
            }),
        }))
    }

    /// Stores when tokens were last used; called periodically, not by requests.
    pub async fn store_token_uses(&self) -> Result<(), DbErr> {
        let uses = self.tokens.take_uses();
        for uses in uses.chunks(USES_AT_ONCE) {
            let uses = uses.to_vec();
            let work = move |tx| async move {
                for (token, used) in uses {
                    tokens::Entity::update_many()
                        .col_expr(tokens::Column::LastUsedAt, Expr::value(used))
                        .filter(tokens::Column::Id.eq(token))
                        .exec(&tx)
                        .await?;
                }
                Ok::<_, DbErr>(())
            };
            self.db.write(work).await?;
        }
        Ok(())
    }
}

struct TokenRow {
    token_id: TokenId,
    user_id: UserId,
    expires_at: Option<Timestamp>,
    session: Option<SessionId>,
    email: String,
    email_verified: bool,
    saml_provider: Option<SamlProviderId>,
    signed_in_to: Option<OrganizationId>,
}

impl FromColumns for TokenRow {
    fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
        Ok(Self {
            token_id: columns.read()?,
            user_id: columns.read()?,
            expires_at: columns.read()?,
            session: columns.read()?,
            email: columns.read()?,
            email_verified: columns.read()?,
            saml_provider: columns.read()?,
            signed_in_to: columns.read()?,
        })
    }
}
