//! Single sign-on. Where it is required, a membership counts only for tokens that were made after signing in at a provider of
//! the organization.

use entity::{
    ids::OrganizationId,
    organizations::{self, Column as Organization, members::Column},
};
use openapi::error::{ApiError, ErrorType};
use sea_orm::{
    ColumnTrait, Condition,
    sea_query::{Expr, ExprTrait},
};

use super::identity::Identity;

/// Whether a membership requires single sign-on, in a query over members and their organizations.
pub fn is_required() -> Expr {
    let of_organization = Expr::col((organizations::Entity, Organization::Sso));
    Column::Sso
        .into_expr()
        .or(of_organization)
        .and(Column::SsoExempt.eq(false))
}

/// The memberships that count for a caller, in such a query.
pub fn counts_for(identity: &Identity) -> Condition {
    let proven = identity
        .signed_in_to
        .map(|organization| Column::OrganizationId.eq(organization));
    let counts = Condition::any().add(is_required().not());
    proven.into_iter().fold(counts, Condition::add)
}

/// Refuses a membership that does not count. `required`: what [`is_required`] says of it.
pub fn require(identity: &Identity, organization: OrganizationId, required: bool) -> Result<(), ApiError> {
    if required && identity.signed_in_to != Some(organization) {
        return Err(ApiError::new(
            ErrorType::SsoRequired,
            "The organization requires single sign-on. Sign in through its identity provider, and use a token made on the \
             account page.",
        ));
    }
    Ok(())
}
