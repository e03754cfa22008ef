//! The user behind a token.

use entity::ids::{TokenId, UserId};
use sea_orm::FromQueryResult;

/// Who calls, by a token that is valid now.
#[derive(Clone, Debug, FromQueryResult)]
pub struct Caller {
    pub user_id: UserId,
    pub token_id: TokenId,
    /// Lower-case.
    pub email: String,
    pub email_verified: bool,
}

impl Caller {
    /// The domain of the caller's address, if the address is known to be theirs.
    pub fn verified_domain(&self) -> Option<&str> {
        let (_, domain) = self.email.rsplit_once('@')?;
        self.email_verified.then_some(domain)
    }
}
