//! Visitors of published sites: the keys of share links, the keys that sign the tokens of visitors, and the tokens that the
//! server gives visitors to read with. None of them is stored: they are derived from the server's secret key.

use std::{collections::HashSet, mem, ops::Not, sync::Arc};

use chrono::TimeDelta;
use data_encoding::BASE64URL_NOPAD;
use entity::{
    base32,
    ids::{NodeId, OrganizationId, RevisionId, SamlProviderId, ShareLinkId, SiteId, UserId},
    publishing::sites,
    timestamp::Timestamp,
};
use expressions::VisitorClaims;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use moka::sync::Cache;
use platform::secrets::{Secrets, signature};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

use crate::{
    access::tokens::{TokenHash, hash},
    areas::publishing::layout::Drafts,
};

/// The prefix of every token that the server gives visitors.
const PREFIX: &str = "bnv_";

/// The lifetime of the token of a visitor.
const LIFETIME: TimeDelta = TimeDelta::hours(1);

/// The time in which a visitor gets the same token again.
const WINDOW: TimeDelta = TimeDelta::minutes(30);

/// Longer values are no tokens of visitors and are not parsed.
const MAX_LENGTH: usize = 6 * 1024;

/// Longer previews do not fit into an address.
const MAX_PREVIEW: usize = 1536;

/// Longer tokens do not fit into an address everywhere.
const MAX_SIGNED: usize = 4096;

/// The algorithm of all tokens of visitors: a token cannot choose another one.
const ALGORITHM: Algorithm = Algorithm::HS256;

/// Bytes of the tokens whose signature was verified.
const VERIFIED_BYTES: u64 = 4 * 1024 * 1024;

/// Approximate bytes of a verified token, for each byte of its text.
const BYTES_PER_BYTE: usize = 4;

/// The keys of visitors.
#[derive(Clone)]
pub struct VisitorKeys {
    share_links: [u8; 32],
    signing_keys: [u8; 32],
    tokens: [u8; 32],
    previews: [u8; 32],
    /// The tokens of visitors that were read before: their signatures stay valid.
    verified: Cache<TokenHash, Arc<VerifiedToken>>,
}

struct VerifiedToken {
    token: VisitorToken,
    /// Approximate bytes.
    bytes: u32,
}

/// A visit of a site: the site, the proof that let the visitor in, and the claims of the visitor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    pub organization: OrganizationId,
    pub site: SiteId,
    /// The share link with which the visitor came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_link: Option<ShareLinkId>,
    /// The number of the key that signed the visitor's own token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_number: Option<i32>,
    /// The member whose preview this is: the site may be unpublished, and shows only what the member may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_of: Option<UserId>,
    /// A preview shows the drafts of the structure.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub with_drafts: bool,
    /// The provider of the organization at which the member had signed in. Without one, a membership that requires single sign-on
    /// does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_at: Option<SamlProviderId>,
    /// A space, and its revision that the visitor may read although another one may be published meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<(NodeId, RevisionId)>,
    /// The version of the site when the token was issued: a token that is issued after a change is another one.
    #[serde(default)]
    pub version: i64,
    /// Beside the visit in a token.
    #[serde(skip)]
    pub claims: Map<String, Value>,
}

impl VerifiedToken {
    fn is_valid(&self, now: Timestamp) -> bool {
        self.token.exp > now.to_utc().timestamp()
    }
}

impl Visit {
    /// The claims of the visitor, as the conditions of the site take them.
    pub fn claims_on(&self, site: &sites::Model) -> VisitorClaims {
        VisitorClaims::new(*site.organization_id.as_uuid(), site.adaptive_content, &self.claims)
    }

    pub const fn drafts(&self) -> Drafts {
        if self.with_drafts {
            Drafts::With
        } else {
            Drafts::Without
        }
    }

    /// A visit of somebody of whom nothing is known.
    pub fn to(site: &sites::Model) -> Self {
        Self {
            organization: site.organization_id,
            site: site.id,
            share_link: None,
            key_number: None,
            preview_of: None,
            with_drafts: false,
            signed_in_at: None,
            shown: None,
            version: site.version,
            claims: Map::new(),
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct VisitorToken {
    exp: i64,
    /// The claims of the visit, where renderers look for them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    claims: Map<String, Value>,
    visit: Visit,
}

impl VisitorToken {
    fn new(mut visit: Visit, exp: i64) -> Self {
        let claims = mem::take(&mut visit.claims);
        Self { exp, claims, visit }
    }

    /// The content of a token with a valid signature.
    fn read(token: &str, key: &[u8]) -> Option<Self> {
        let mut token: Self = verified(token, key)?;
        token.visit.claims = mem::take(&mut token.claims);
        Some(token)
    }
}

impl VisitorKeys {
    pub fn new(secrets: &Secrets) -> Self {
        Self {
            share_links: secrets.derive("share-links"),
            signing_keys: secrets.derive("visitor-signing-keys"),
            tokens: secrets.derive("visitor-tokens"),
            previews: secrets.derive("site-previews"),
            verified: Cache::builder()
                .weigher(|_, verified: &Arc<VerifiedToken>| verified.bytes)
                .max_capacity(VERIFIED_BYTES)
                .build(),
        }
    }

    /// The key of a share link: its id, and the signature of the id.
    pub fn share_key(&self, link: ShareLinkId) -> String {
        let id = link.to_string();
        let signature = base32::encode(&signature(self.share_links, &id));
        let half = signature.get(..id.len()).unwrap_or_default();
        format!("{id}{half}")
    }

    /// The part of addresses that is the key of the share link of a visit, with a slash at its end; empty without a share link.
    pub fn share_path(&self, visit: &Visit) -> String {
        visit
            .share_link
            .map_or_else(String::new, |link| format!("{}/", self.share_key(link)))
    }

    /// The share link with this key.
    pub fn share_link(&self, key: &str) -> Option<ShareLinkId> {
        let id = key.get(..key.len() / 2)?.parse().ok()?;
        let expected = self.share_key(id);
        bool::from(expected.as_bytes().ct_eq(key.as_bytes())).then_some(id)
    }

    /// A text with the ids of share links in place of their keys.
    pub fn hide_share_keys(&self, mut text: String) -> String {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let found: Vec<(String, ShareLinkId)> = words
            .filter_map(|word| Some((word.to_owned(), self.share_link(word)?)))
            .collect();
        for (key, link) in found {
            text = text.replace(&key, &link.to_string());
        }
        text
    }

    /// The secret key that signs the tokens of the visitors of a site.
    pub fn signing_key(&self, site: SiteId, number: i32) -> String {
        let name = format!("{site} {number}");
        BASE64URL_NOPAD.encode(&signature(self.signing_keys, &name))
    }

    /// The claims of a token that somebody signed for a visitor of a site, and when the token expires. `None`: the signature is of
    /// another key or algorithm, the token has expired, or it never expires.
    pub fn claims(
        &self,
        token: &str,
        site: SiteId,
        number: i32,
        now: Timestamp,
    ) -> Option<(Map<String, Value>, Timestamp)> {
        let key = self.signing_key(site, number);
        let mut claims: Map<String, Value> = verified(token, key.as_bytes())?;
        let expires = claims.remove("exp")?.as_f64()?;
        let is_time = |name: &str| match claims.get(name) {
            Some(time) => time.as_f64().is_some_and(|time| time <= seconds(now)),
            None => true,
        };
        (expires > seconds(now) && is_time("nbf")).then(|| (claims, from_seconds(expires)))
    }

    /// A token that the server signs for a visitor of a site with the key of the site. `None`: the claims are too long for an
    /// address.
    pub fn sign_claims(
        &self,
        site: SiteId,
        number: i32,
        mut claims: Map<String, Value>,
        expires: Timestamp,
    ) -> Option<String> {
        claims.insert("exp".to_owned(), expires.to_utc().timestamp().into());
        let key = self.signing_key(site, number);
        let token = encode(
            &Header::new(ALGORITHM),
            &claims,
            &EncodingKey::from_secret(key.as_bytes()),
        )
        .ok()?;
        (token.len() <= MAX_SIGNED).then_some(token)
    }

    /// A token for a visitor to read with. `None`: the claims are too long.
    pub fn issue(&self, visit: Visit, expires: Timestamp) -> Option<String> {
        let token = sign(visit, expires, &self.tokens)?;
        (PREFIX.len().saturating_add(token.len()) <= MAX_LENGTH).then(|| format!("{PREFIX}{token}"))
    }

    /// When a preview or a signed token expires that is issued now.
    pub fn end(now: Timestamp) -> Timestamp {
        now.plus(LIFETIME)
    }

    /// When a token expires that a visitor gets now to read with. It is the same for half an hour, so that visits without a
    /// difference get equal tokens: renderers keep what they read by the token that they read it with.
    pub fn end_of_token(now: Timestamp) -> Timestamp {
        let millis = now.as_millis();
        let into_window = millis.rem_euclid(WINDOW.num_milliseconds());
        Self::end(Timestamp::from_millis(millis.saturating_sub(into_window)).plus(WINDOW))
    }

    /// The part of an address that shows a preview. `None`: the claims are too long for an address.
    pub fn preview(&self, visit: Visit, expires: Timestamp) -> Option<String> {
        sign(visit, expires, &self.previews).filter(|preview| preview.len() <= MAX_PREVIEW)
    }

    /// Reads the preview in an address: the visit, and the time at which it ends.
    pub fn read_preview(&self, preview: &str, now: Timestamp) -> Option<(Visit, Timestamp)> {
        let token = VisitorToken::read(preview, &self.previews)?;
        let expires = Timestamp::from_millis(token.exp.checked_mul(1000)?);
        (expires > now).then_some((token.visit, expires))
    }

    /// Returns whether a text can only be a token of a visitor.
    pub fn is_token(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// Reads the token of a visitor. `None`: the server did not issue the token, or it has expired.
    pub fn read(&self, token: &str, now: Timestamp) -> Option<Visit> {
        let verified = self.verified(token, hash(token))?;
        verified.is_valid(now).then(|| verified.token.visit.clone())
    }

    fn verified(&self, token: &str, hash: TokenHash) -> Option<Arc<VerifiedToken>> {
        if let Some(known) = self.verified.get(&hash) {
            return Some(known);
        }
        let found = VerifiedToken {
            token: VisitorToken::read(token.strip_prefix(PREFIX)?, &self.tokens)?,
            bytes: u32::try_from(token.len().saturating_mul(BYTES_PER_BYTE)).unwrap_or(u32::MAX),
        };
        let found = Arc::new(found);
        self.verified.insert(hash, Arc::clone(&found));
        Some(found)
    }
}

fn sign(visit: Visit, expires: Timestamp, key: &[u8]) -> Option<String> {
    let exp = expires.to_utc().timestamp();
    let token = VisitorToken::new(visit, exp);
    encode(&Header::new(ALGORITHM), &token, &EncodingKey::from_secret(key)).ok()
}

/// The content of a token with a valid signature. Its time is for the caller to check, by the clock of the server.
fn verified<T: DeserializeOwned + Clone>(token: &str, key: &[u8]) -> Option<T> {
    if token.len() > MAX_LENGTH {
        return None;
    }
    let mut rules = Validation::new(ALGORITHM);
    rules.required_spec_claims = HashSet::from(["exp".to_owned()]);
    rules.validate_exp = false;
    rules.validate_aud = false;
    let token = decode(token, &DecodingKey::from_secret(key), &rules).ok()?;
    // Critical extensions have to be known, and none is.
    token.header.crit.is_none().then_some(token.claims)
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn from_seconds(seconds: f64) -> Timestamp {
    Timestamp::from_millis((seconds * 1000.0) as i64)
}

fn seconds(time: Timestamp) -> f64 {
    let milliseconds = time.to_utc().timestamp_millis();
    // Exact for longer than calendars go.
    milliseconds as f64 / 1000.0
}
