//! What the browser of a visitor sends as proof of who they are, and keeps.

use entity::ids::SiteId;
use poem::Request;
use url::{Url, form_urlencoded};

use crate::{
    areas::publishing::published_content::{Visitor, address::Address},
    kernel::{cookies::cookie, urls::PREVIEW as PREVIEW_PATH},
};

/// The parameter of addresses with a token that is signed with the key of the site.
const TOKEN: &str = "jwt_token";

/// The parameter of addresses of previews.
const PREVIEW: &str = "token";

const VISITOR_COOKIE: &str = "bindery-visitor";
const PREVIEW_COOKIE: &str = "bindery-preview";

/// Longer values do not fit into the head of a request.
const MAX_TOKEN: usize = 3_500;

pub struct Proof {
    in_address: Option<(&'static str, String)>,
    visitor: Option<String>,
    preview: Option<String>,
}

impl Proof {
    pub fn of(request: &Request, url: &Url) -> Self {
        let is_preview = is_preview(url);
        let name = if is_preview { PREVIEW } else { TOKEN };
        let in_address = url
            .query_pairs()
            .find(|(key, value)| key == name && value.len() <= MAX_TOKEN);
        let in_address = in_address.map(|(_, value)| (name, value.into_owned()));
        let kept = |name| cookie(request, name, MAX_TOKEN).map(str::to_owned);
        let sent = in_address.as_ref().map(|(_, value)| value.clone());
        Self {
            visitor: sent.clone().or_else(|| kept(VISITOR_COOKIE)).filter(|_| !is_preview),
            preview: sent.or_else(|| kept(PREVIEW_COOKIE)).filter(|_| is_preview),
            in_address,
        }
    }

    /// The address, with the token of a preview that the browser has kept.
    pub fn address(&self, url: &Url) -> Url {
        let mut url = url.clone();
        if let Some(preview) = self.preview.as_ref().filter(|_| self.in_address.is_none()) {
            url.query_pairs_mut().append_pair(PREVIEW, preview);
        }
        url
    }

    pub fn visitor(&self) -> Visitor {
        Visitor::in_query(self.visitor.clone())
    }
}

/// The address without the proof, and the cookie with it. `None`: the address has none.
pub fn keep(proof: &Proof, url: &Url, address: &Address) -> Option<(String, String)> {
    let (name, value) = proof.in_address.as_ref()?;
    let cookie = if *name == PREVIEW {
        PREVIEW_COOKIE
    } else {
        VISITOR_COOKIE
    };
    // What may stand in a cookie: tokens have no other characters.
    let is_plain = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(&byte));
    // Two slashes would begin the name of another host; and the cookie is for paths that begin with that of the site.
    let path = format!("/{}", url.path().trim_start_matches('/'));
    let path = if format!("{path}/") == address.base_path {
        &address.base_path
    } else {
        &path
    };
    let query = url.query_pairs().filter(|(key, _)| key != name);
    let mut rest = form_urlencoded::Serializer::new(String::new());
    rest.extend_pairs(query);
    let rest = rest.finish();
    let to = if rest.is_empty() {
        path.clone()
    } else {
        format!("{path}?{rest}")
    };
    let secure = if url.scheme() == "https" { "; Secure" } else { "" };
    let base = &address.base_path;
    is_plain.then(|| {
        (
            to,
            format!("{cookie}={value}; Path={base}; HttpOnly; SameSite=Lax{secure}"),
        )
    })
}

/// Returns whether an address is that of a preview of a site.
pub fn is_preview(url: &Url) -> bool {
    let after = url.path().split_once(&format!("/{PREVIEW_PATH}/"));
    let site = after.and_then(|(_, rest)| rest.split('/').next());
    site.is_some_and(|site| site.parse::<SiteId>().is_ok())
}
