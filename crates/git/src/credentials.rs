//! Secrets for remotes.

use percent_encoding::percent_decode_str;
use secrecy::SecretString;

use crate::AddressError;

/// The user name for tokens that need none.
const ANY_USER: &str = "git";

/// What proves to a remote who connects.
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

    /// Takes the secret out of a URL, where it may be the password, or the user name (`https://TOKEN@host`).
    pub(crate) fn from_url(user: &str, password: Option<&str>) -> Result<Option<Self>, AddressError> {
        let decode = |text| match percent_decode_str(text).decode_utf8() {
            Ok(decoded) if !decoded.contains(|character: char| character.is_control()) => Ok(decoded.into_owned()),
            _ => Err(AddressError::User),
        };
        let password = password.filter(|password| !password.is_empty() && *password != "x-oauth-basic");
        Ok(match (user, password) {
            ("", None) => None,
            ("", Some(password)) => Some(Self::token(decode(password)?.into())),
            (token, None) => Some(Self::token(decode(token)?.into())),
            (user, Some(password)) => Some(Self::Password {
                user: decode(user)?,
                password: decode(password)?.into(),
            }),
        })
    }
}
