//! What a page asks a person before they are signed in.

use entity::organizations::{self, saml_providers::requests::Model as Answered};
use openapi::error::ApiError;
use sea_orm::EntityTrait;

use super::{Failure, store};

use crate::{areas::identity::users::store as users_store, kernel::Kernel};

/// Whom and what a question is about.
pub struct Question {
    /// What the answer has to bring.
    pub code: String,
    /// The address of the account.
    pub email: String,
    pub organization: String,
    /// The label of the provider.
    pub provider: String,
}

/// The question of an answered request.
pub(super) async fn of(kernel: &Kernel, request: &Answered, code: String) -> Result<Question, Failure> {
    let db = kernel.db.read();
    let provider = store::provider(db, request.provider_id)
        .await?
        .ok_or(Failure::Expired)?;
    let organization = organizations::Entity::find_by_id(provider.organization_id)
        .one(db)
        .await?;
    let user = users_store::find(db, request.user_id).await?;
    let missing = || Failure::Error(ApiError::not_found("user"));
    Ok(Question {
        code,
        email: user.ok_or_else(missing)?.email,
        organization: organization.ok_or_else(missing)?.title,
        provider: provider.label,
    })
}
