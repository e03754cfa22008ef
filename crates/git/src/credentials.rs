//! Secrets for remotes.

use secrecy::SecretString;

/// The user name for tokens that need none.
const ANY_USER: &str = "git";

/// Proof of identity for a remote.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// For HTTPS: a password or a token.
    Password { user: String, password: SecretString },
    /// For SSH: the private key, without a passphrase.
    SshKey(SecretString),
}

impl Credentials {
    /// A token for HTTPS.
    pub fn token(token: SecretString) -> Self {
        Self::Password {
            user: ANY_USER.to_owned(),
            password: token,
        }
    }
}
