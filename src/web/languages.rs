//! The variant of a site in a language that the reader prefers.

use openapi::{
    enums::Enumeration,
    models::{PublishedContentSite, SiteSpace},
};
use poem::{Request, http::header};

use super::{frame::variants, site::Site};

use crate::areas::publishing::published_content::Here;

/// Languages of one reader.
const MAX_LANGUAGES: usize = 20;

/// The address of the variant that a reader who comes from elsewhere prefers to the one at the address of the site. `None`: this one.
pub fn preferred(request: &Request, site: &Site, here: &Here, profile: &PublishedContentSite) -> Option<String> {
    // Within the site, the reader has chosen.
    let begin = format!("{}{}", site.url.origin().ascii_serialization(), site.base);
    // Browsers send `Sec-Fetch-Site` to secure addresses only.
    let is_within = request.header("sec-fetch-site") == Some("same-origin")
        || request
            .header("referer")
            .is_some_and(|address| address.starts_with(&begin));
    if !site.rest.is_empty() || is_within {
        return None;
    }
    let variants = variants(&profile.structure, here);
    let shown: Vec<&SiteSpace> = variants.iter().filter(|item| item.hidden != Some(true)).collect();
    let accepted = request.headers().get(header::ACCEPT_LANGUAGE)?.to_str().ok()?;
    let chosen = ordered(accepted).into_iter().find_map(|wanted| {
        let exact = shown.iter().find(|item| has(item, wanted, str::eq_ignore_ascii_case));
        exact.or_else(|| shown.iter().find(|item| has(item, wanted, is_same_language)))
    })?;
    let item = chosen.id.parse().ok().filter(|item| *item != here.item)?;
    let layout = &site.layout;
    let to = site.href(&layout.path_in_site_space(layout.site_space(item)?, ""));
    Some(format!("{}{}", to.as_str(), site.query()))
}

/// The languages of the header, the best first.
fn ordered(accepted: &str) -> Vec<&str> {
    let weighted = accepted.split(',').take(MAX_LANGUAGES).filter_map(|item| {
        let (language, weight) = item.split_once(';').unwrap_or((item, "q=1"));
        let weight: f32 = weight.trim().strip_prefix("q=")?.parse().ok()?;
        (weight > 0.0).then_some((language.trim(), weight))
    });
    let mut weighted: Vec<(&str, f32)> = weighted.collect();
    weighted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    weighted.into_iter().map(|(language, _)| language).collect()
}

fn has(item: &SiteSpace, wanted: &str, is_same: fn(&str, &str) -> bool) -> bool {
    let language = item.space.language.map(Enumeration::as_str);
    language.is_some_and(|language| is_same(language, wanted))
}

fn is_same_language(one: &str, other: &str) -> bool {
    let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    primary(one) == primary(other)
}
