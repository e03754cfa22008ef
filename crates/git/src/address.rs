//! Addresses of repositories.

use std::fmt;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::Credentials;

const MAX_LENGTH: usize = 2000;

/// User of SSH addresses without one.
const SSH_USER: &str = "git";

/// Protocols that are allowed besides HTTPS and SSH.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Protocols {
    pub http: bool,
    pub file: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Https,
    Http,
    Ssh,
    File,
}

/// The address of a repository, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteAddress {
    protocol: Protocol,
    host: Option<(Host, u16)>,
    text: String,
}

/// Why an address is refused. The text completes a sentence that begins with the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressError(&'static str);

const TOO_LONG: AddressError = AddressError("is too long");
const CHARACTERS: AddressError = AddressError("must contain no blanks and no control characters");
const OPTION: AddressError = AddressError("must not begin with `-`");
const PROTOCOL: AddressError = AddressError("must begin with `https://` or `ssh://`, or have the form `git@host:path`");
const HTTP: AddressError =
    AddressError("must begin with `https://`; this server does not use unencrypted HTTP for repositories");
const FILE: AddressError = AddressError("must not name a directory of the server");
const INVALID: AddressError = AddressError("is not a valid URL");
const HOST: AddressError = AddressError("has no valid host name");
const USER: AddressError = AddressError("has no valid user name or password");
const PASSWORD: AddressError = AddressError("must contain no password, because SSH signs in with a key");
const PATH: AddressError = AddressError("names no repository");
const QUERY: AddressError = AddressError("must contain no `?` and no `#`");

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for AddressError {}

impl RemoteAddress {
    /// Parses an address, and takes the secrets out of it.
    pub fn parse(text: &str, protocols: Protocols) -> Result<(Self, Option<Credentials>), AddressError> {
        if text.len() > MAX_LENGTH {
            return Err(TOO_LONG);
        }
        if text.starts_with('-') {
            return Err(OPTION);
        }
        if text.contains(|character: char| character.is_control() || character.is_whitespace()) {
            return Err(CHARACTERS);
        }
        let scheme = text.find(|character: char| !(character.is_ascii_alphanumeric() || "+-.".contains(character)));
        let (scheme, rest) = text.split_at(scheme.unwrap_or(text.len()));
        match scheme.to_ascii_lowercase().as_str() {
            // The form of git for a program that fetches: `ext::`.
            _ if rest.starts_with("::") => Err(PROTOCOL),
            "https" if rest.starts_with("://") => http(text, Protocol::Https),
            "http" if rest.starts_with("://") && !protocols.http => Err(HTTP),
            "http" if rest.starts_with("://") => http(text, Protocol::Http),
            "ssh" if rest.starts_with("://") => Ok((ssh_url(text)?, None)),
            "file" if rest.starts_with("://") => Ok((file(Url::parse(text).ok(), protocols)?, None)),
            "" if rest.starts_with('/') => Ok((file(Url::from_file_path(text).ok(), protocols)?, None)),
            _ if rest.starts_with("://") => Err(PROTOCOL),
            _ => Ok((scp(text)?, None)),
        }
    }

    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The host and the port, which the caller resolves and checks.
    pub fn host(&self) -> Option<(&Host, u16)> {
        self.host.as_ref().map(|(host, port)| (host, *port))
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn http(text: &str, protocol: Protocol) -> Result<(RemoteAddress, Option<Credentials>), AddressError> {
    let mut url = Url::parse(text).map_err(|_| INVALID)?;
    let credentials = secret(&url)?;
    let host = checked_host(url.host_str().unwrap_or_default())?;
    let port = url.port_or_known_default().ok_or(INVALID)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(QUERY);
    }
    if url.path().trim_matches('/').is_empty() {
        return Err(PATH);
    }
    let cleaned = url.set_username("").and_then(|()| url.set_password(None));
    cleaned.map_err(|()| INVALID)?;
    url.set_host(Some(&host.to_string())).map_err(|_| HOST)?;
    let address = RemoteAddress {
        protocol,
        host: Some((host, port)),
        text: url.into(),
    };
    Ok((address, credentials))
}

/// Takes the secret out of a URL, where it may be the password, or the user name (`https://TOKEN@host`).
fn secret(url: &Url) -> Result<Option<Credentials>, AddressError> {
    let decode = |text| match percent_decode_str(text).decode_utf8() {
        Ok(decoded) if !decoded.contains(|character: char| character.is_control()) => Ok(decoded.into_owned()),
        _ => Err(USER),
    };
    let password = url.password().filter(|password| *password != "x-oauth-basic");
    Ok(match (url.username(), password) {
        ("", None) => None,
        ("", Some(token)) | (token, None) => Some(Credentials::token(decode(token)?.into())),
        (user, Some(password)) => Some(Credentials::Password {
            user: decode(user)?,
            password: decode(password)?.into(),
        }),
    })
}

fn ssh_url(text: &str) -> Result<RemoteAddress, AddressError> {
    let url = Url::parse(text).map_err(|_| INVALID)?;
    if url.password().is_some() {
        return Err(PASSWORD);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(QUERY);
    }
    let user = checked_user(url.username())?;
    let host = checked_host(url.host_str().unwrap_or_default())?;
    let path = url.path();
    if path.trim_matches('/').is_empty() {
        return Err(PATH);
    }
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Ok(RemoteAddress {
        protocol: Protocol::Ssh,
        text: format!("ssh://{user}@{host}{port}{path}"),
        host: Some((host, url.port().unwrap_or(22))),
    })
}

/// `user@host:path`.
fn scp(text: &str) -> Result<RemoteAddress, AddressError> {
    let (user, rest) = match text.split_once('@') {
        Some((user, rest)) if !user.contains([':', '/']) => (user, rest),
        _ => ("", text),
    };
    let colon = match rest.strip_prefix('[') {
        Some(address) => address.find("]:").map(|end| end + 2),
        None => rest.find(':'),
    };
    let (host, path) = colon.and_then(|colon| rest.split_at_checked(colon)).ok_or(PROTOCOL)?;
    let path = path.strip_prefix(':').unwrap_or_default();
    if host.contains('/') {
        return Err(PROTOCOL);
    }
    let (user, host) = (checked_user(user)?, checked_host(host)?);
    if path.trim_matches('/').is_empty() || path.starts_with('-') {
        return Err(PATH);
    }
    Ok(RemoteAddress {
        protocol: Protocol::Ssh,
        text: format!("{user}@{host}:{path}"),
        host: Some((host, 22)),
    })
}

fn file(url: Option<Url>, protocols: Protocols) -> Result<RemoteAddress, AddressError> {
    if !protocols.file {
        return Err(FILE);
    }
    let url = url.filter(|url| url.host().is_none()).ok_or(INVALID)?;
    Ok(RemoteAddress {
        protocol: Protocol::File,
        host: None,
        text: url.into(),
    })
}

/// git decodes URLs before it gives parts of them to `ssh`, so the decoded name is checked.
fn checked_host(text: &str) -> Result<Host, AddressError> {
    let host = Host::parse(text).map_err(|_| HOST)?;
    let Host::Domain(name) = &host else {
        return Ok(host);
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_valid = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    match name.len() <= 253 && name.split('.').all(is_valid) {
        true => Ok(Host::Domain(name.to_owned())),
        false => Err(HOST),
    }
}

fn checked_user(user: &str) -> Result<&str, AddressError> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
    match user {
        "" => Ok(SSH_USER),
        _ if user.starts_with('-') || !user.bytes().all(is_valid) => Err(USER),
        _ => Ok(user),
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    const ALL: Protocols = Protocols { http: true, file: true };

    fn text(address: &str, protocols: Protocols) -> Result<String, AddressError> {
        RemoteAddress::parse(address, protocols).map(|(address, _)| address.to_string())
    }

    #[test]
    fn addresses_are_normalized() {
        for (address, expected) in [
            ("https://Example.com./a/b.git", "https://example.com/a/b.git"),
            ("https://example.com:443/a", "https://example.com/a"),
            ("ssh://example.com/a", "ssh://git@example.com/a"),
            ("ssh://me@example.com:2222/a", "ssh://me@example.com:2222/a"),
            ("ssh://me@[::1]/a", "ssh://me@[::1]/a"),
            ("git@example.com:a/b.git", "git@example.com:a/b.git"),
            ("example.com:/a", "git@example.com:/a"),
            ("me@[::1]:a", "me@[::1]:a"),
            ("git@127.1:a", "git@127.0.0.1:a"),
            ("http://example.com/a", "http://example.com/a"),
            ("/srv/a", "file:///srv/a"),
        ] {
            assert_eq!(text(address, ALL).as_deref(), Ok(expected), "{address}");
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for (address, expected) in [
            ("-oProxyCommand=x", OPTION),
            ("--upload-pack=x", OPTION),
            ("ext::sh -c x", CHARACTERS),
            ("ext::sh", PROTOCOL),
            ("ext::https://example.com/a", PROTOCOL),
            ("git://example.com/a", PROTOCOL),
            ("ftp://example.com/a", PROTOCOL),
            ("example", PROTOCOL),
            ("../a:b", PROTOCOL),
            ("./a", PROTOCOL),
            ("http://example.com/a", HTTP),
            ("file:///a", FILE),
            ("/a", FILE),
            ("https://example.com/a\nb", CHARACTERS),
            ("https://example.com/", PATH),
            ("https://example.com/a?b", QUERY),
            ("https:///", INVALID),
            ("https://-a.example.com/a", HOST),
            ("ssh://-oProxyCommand=x/a", HOST),
            ("ssh://%2doProxyCommand=x/a", HOST),
            ("ssh://-l@example.com/a", USER),
            ("ssh://%2dl@example.com/a", USER),
            ("ssh://me:secret@example.com/a", PASSWORD),
            ("-l@example.com:a", OPTION),
            ("me@-x:a", HOST),
            ("me@example.com:-a", PATH),
            ("me@example.com:", PATH),
        ] {
            assert_eq!(text(address, Protocols::default()), Err(expected), "{address}");
        }
    }

    #[test]
    fn secrets_leave_the_address() {
        for (address, user, secret) in [
            ("https://me:p%40ss@example.com/a", "me", "p@ss"),
            ("https://token@example.com/a", "git", "token"),
            ("https://token:x-oauth-basic@example.com/a", "git", "token"),
            ("https://:token@example.com/a", "git", "token"),
        ] {
            let (address, credentials) = RemoteAddress::parse(address, ALL).unwrap();
            assert_eq!(address.as_str(), "https://example.com/a");
            assert!(!format!("{credentials:?}").contains(secret), "{credentials:?}");
            let Some(Credentials::Password { user: found, password }) = credentials else {
                panic!("{address}");
            };
            assert_eq!((found.as_str(), password.expose_secret()), (user, secret));
        }
        let newline = RemoteAddress::parse("https://me:a%0ab@example.com/a", ALL);
        assert_eq!(newline.map(|_| ()), Err(USER));
    }
}
