//! Domains and campaigns in URLs.

use url::Url;

/// The query parameters of a campaign: source, medium, name, term and content.
pub const CAMPAIGN: [&str; 5] = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];

/// Longer values are cut.
const MAX_VALUE: usize = 256;

/// The host of a URL in lower case, without `www.`. `None`: there is none.
pub fn domain(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let domain = host.strip_prefix("www.").unwrap_or(host);
    (!domain.is_empty()).then(|| domain.to_ascii_lowercase())
}

/// The values of [`CAMPAIGN`] in the query of a URL, the first one of each. Empty ones count as absent.
pub fn campaign(url: &str) -> [Option<String>; CAMPAIGN.len()] {
    let mut found = [const { None }; CAMPAIGN.len()];
    // Most addresses have no campaign.
    if !url.contains("utm_") {
        return found;
    }
    let Ok(url) = Url::parse(url) else {
        return found;
    };
    for (name, value) in url.query_pairs() {
        let places = CAMPAIGN.iter().zip(&mut found);
        for (_, place) in places.filter(|(known, place)| **known == name && place.is_none()) {
            let value: String = value.chars().filter(|c| !c.is_control()).take(MAX_VALUE).collect();
            *place = (!value.is_empty()).then_some(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_those_of_hosts() {
        for (url, expected) in [
            ("https://www.Search.example/q?a=b", Some("search.example")),
            ("https://docs.tidewater.example:8443/", Some("docs.tidewater.example")),
            ("http://[::1]/", Some("[::1]")),
            ("mailto:ada@tidewater.example", None),
            ("", None),
            ("not a url", None),
        ] {
            assert_eq!(domain(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn campaigns_are_query_parameters() {
        let url = "https://a.example/?utm_source=news&utm_medium=&utm_campaign=caf%C3%A9+spring&utm_source=other&utm_unknown=x";
        let [source, medium, name, term, content] = campaign(url);
        assert_eq!(source.as_deref(), Some("news"));
        assert_eq!(name.as_deref(), Some("café spring"));
        assert_eq!((medium, term, content), (None, None, None));
        assert_eq!(campaign("https://a.example/utm_source=no"), [const { None }; 5]);
        let long = campaign(&format!("https://a.example/?utm_term={}", "x".repeat(5000)));
        assert_eq!(long[3].as_ref().map(String::len), Some(MAX_VALUE));
    }
}
