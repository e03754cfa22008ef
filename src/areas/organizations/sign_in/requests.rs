//! Requests to identity providers, which nothing stores before they are answered: anybody may begin any number of them.
//!
//! The name of a request holds its id, its end and a signature of the server for the provider. The browser that began keeps
//! a signature of the id and of how the sign-in began.

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use entity::{
    ids::{SamlProviderId, SamlRequestId, SiteId},
    timestamp::Timestamp,
};
use platform::secrets::{Secrets, signature};
use subtle::ConstantTimeEq;

/// Bytes of the signature in a name: with more, the name is too long for a `RelayState`, which has at most 80 bytes.
const NAME_SIGNATURE: usize = 16;

/// Bytes of a mailed code: nobody guesses it, and people can copy it.
const MAILED_BYTES: usize = 16;

/// The keys of requests, of the cookies beside them, and of the codes that are mailed.
#[derive(Clone)]
pub struct Keys {
    names: [u8; 32],
    browsers: [u8; 32],
    mailed: [u8; 32],
}

/// A request that this server has made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub id: SamlRequestId,
    pub expires_at: Timestamp,
    /// The site that a visitor reads. `None`: a person gets a session.
    pub site: Option<SiteId>,
}

/// How a sign-in began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beginning {
    /// The path where the person goes on; that of a visitor is one of the site.
    pub return_to: String,
    /// Whether a page of this server led to the provider. Anybody else can send a browser there, to sign it in as somebody of
    /// theirs.
    pub own: bool,
}

impl Keys {
    pub fn of(secrets: &Secrets) -> Self {
        Self {
            names: secrets.derive("names of SAML requests"),
            browsers: secrets.derive("browsers of SAML requests"),
            mailed: secrets.derive("mailed codes of SAML requests"),
        }
    }

    /// The id of a request in XML, where ids begin with a letter or `_`.
    pub fn name(&self, provider: SamlProviderId, request: Request) -> String {
        let Request { id, expires_at, site } = request;
        let end = expires_at.as_millis();
        let parts = match site {
            Some(site) => format!("{id}-{end}-{site}"),
            None => format!("{id}-{end}"),
        };
        let signed = signature(self.names, &format!("{provider} {parts}"));
        let signed = HEXLOWER.encode(signed.get(..NAME_SIGNATURE).unwrap_or_default());
        format!("_{parts}-{signed}")
    }

    /// The request of a name. `None`: this server did not make it for the provider.
    pub fn request(&self, provider: SamlProviderId, name: &str) -> Option<Request> {
        let (parts, _) = name.strip_prefix('_')?.rsplit_once('-')?;
        let mut parts = parts.splitn(3, '-');
        let (id, end) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let request = Request {
            id,
            expires_at: Timestamp::from_millis(end),
            site: parts.next().map(str::parse).transpose().ok()?,
        };
        let ours: bool = self.name(provider, request).as_bytes().ct_eq(name.as_bytes()).into();
        ours.then_some(request)
    }

    /// What the browser keeps that began a request.
    pub fn browser(&self, id: SamlRequestId, beginning: &Beginning) -> String {
        let Beginning { return_to, own } = beginning;
        let signed = signature(self.browsers, &format!("{id} {own} {return_to}"));
        let path = BASE64URL_NOPAD.encode(return_to.as_bytes());
        format!("{}.{own}.{path}", HEXLOWER.encode(&signed))
    }

    /// How a request began, if the browser is the one that began it.
    pub fn beginning(&self, id: SamlRequestId, browser: &str) -> Option<Beginning> {
        let (own, path) = browser.split_once('.')?.1.split_once('.')?;
        let beginning = Beginning {
            return_to: String::from_utf8(BASE64URL_NOPAD.decode(path.as_bytes()).ok()?).ok()?,
            own: own.parse().ok()?,
        };
        let ours: bool = self.browser(id, &beginning).as_bytes().ct_eq(browser.as_bytes()).into();
        ours.then_some(beginning)
    }

    /// The code that is mailed to the address of an account.
    pub fn mailed(&self, id: SamlRequestId) -> String {
        let signed = signature(self.mailed, &id.to_string());
        HEXLOWER.encode(signed.get(..MAILED_BYTES).unwrap_or_default())
    }

    pub fn is_mailed(&self, id: SamlRequestId, code: &str) -> bool {
        self.mailed(id).as_bytes().ct_eq(code.as_bytes()).into()
    }
}
