//! Users as their tokens name them.

use entity::ids::{OrganizationId, SamlProviderId, TokenId, UserId};

/// The user of a token.
#[derive(Clone, Debug)]
pub struct Identity {
    pub user_id: UserId,
    pub token_id: TokenId,
    /// Whether the token ends with a session.
    pub of_session: bool,
    /// Lower-case.
    pub email: String,
    pub email_verified: bool,
    /// The provider at which the user had signed in when the token was made, and its organization.
    pub saml_provider: Option<SamlProviderId>,
    pub signed_in_to: Option<OrganizationId>,
}

impl Identity {
    /// The domain of the user's email address, if the address is verified.
    pub fn verified_domain(&self) -> Option<&str> {
        verified_domain(&self.email, self.email_verified)
    }
}

/// The domain of an email address, if the address is verified.
pub fn verified_domain(email: &str, verified: bool) -> Option<&str> {
    let (_, domain) = email.rsplit_once('@')?;
    verified.then_some(domain)
}
