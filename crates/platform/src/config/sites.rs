//! The addresses of sites.

use url::Url;

/// The name of a site stands in an address in place of this.
const PLACEHOLDER: &str = "{site}";

/// Stands for the name of a site where an address is parsed, and needs no escaping in any part of it.
const STAND_IN: &str = "name-of-the-site";

/// The longest label of a hostname.
pub const MAX_LABEL: usize = 63;

/// An address with a place for the name of a site: the first label of the host, or a segment of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitesAddress {
    before: String,
    /// With a slash at the end.
    after: String,
}

impl SitesAddress {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            "an address with {site} as the first part of the host or as a part of the path, such as \
             https://{site}.docs.example.com"
                .to_owned()
        };
        let (before, after) = text.split_once(PLACEHOLDER).ok_or_else(expected)?;
        let first_of_host = before.ends_with("://") && after.starts_with('.');
        let of_path = before.ends_with('/') && !before.ends_with("://") && (after.is_empty() || after.starts_with('/'));
        let url = Url::parse(&format!("{before}{STAND_IN}{after}")).map_err(|_| expected())?;
        let web = matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty();
        let plain = url.query().is_none() && url.fragment().is_none() && !after.contains(PLACEHOLDER);
        if !(web && plain && (first_of_host || of_path)) {
            return Err(expected());
        }
        // The normal form, with which the addresses that readers open are compared: the host in lower case, and no port where it
        // is the default of the scheme.
        let parts = url.as_str().split_once(STAND_IN);
        let parts = parts.filter(|(_, after)| !after.contains(STAND_IN));
        let (before, after) = parts.ok_or_else(expected)?;
        Ok(Self {
            before: before.to_owned(),
            after: format!("{}/", after.trim_end_matches('/')),
        })
    }

    /// Below the address of the server itself.
    pub fn below(public_url: &Url) -> Self {
        Self {
            before: format!("{}/sites/", public_url.as_str().trim_end_matches('/')),
            after: "/".to_owned(),
        }
    }

    /// The address of the site with this name; it ends with a slash.
    pub fn of(&self, name: &str) -> String {
        format!("{}{name}{}", self.before, self.after)
    }

    /// The host of all sites; where the name of a site is a part of the host, the rest of it.
    pub fn host(&self) -> Option<String> {
        let url = Url::parse(&self.of("site")).ok()?;
        let host = url.host_str()?;
        let shared = match self.is_in_host() {
            true => host.strip_prefix("site.")?,
            false => host,
        };
        Some(shared.to_owned())
    }

    /// Returns whether sites are served at a host.
    pub fn is_served_at(&self, host: &str) -> bool {
        self.host().is_some_and(|shared| {
            let name = host.strip_suffix(&shared).and_then(|rest| rest.strip_suffix('.'));
            host == shared || (self.is_in_host() && name.is_some_and(|name| !name.contains('.')))
        })
    }

    /// The longest name that a site can have in its address. `None`: names in paths have no limit.
    pub fn longest_name(&self) -> Option<usize> {
        self.is_in_host().then_some(MAX_LABEL)
    }

    /// Returns whether the name of a site is a part of the host.
    fn is_in_host(&self) -> bool {
        self.before.ends_with("://")
    }

    /// The name of the site that an address belongs to, and the path in the site, without a slash at its start.
    pub fn split<'a>(&self, address: &'a str) -> Option<(&'a str, &'a str)> {
        let rest = address.strip_prefix(&self.before)?;
        let end = rest.find(['/', '.']).unwrap_or(rest.len());
        let (name, rest) = rest.split_at_checked(end)?;
        let path = match rest.strip_prefix(&self.after) {
            Some(path) => path,
            None if rest == self.after.trim_end_matches('/') => "",
            None => return None,
        };
        (!name.is_empty()).then_some((name, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_place_for_the_name() {
        for (text, address) in [
            ("https://{site}.docs.example.com", "https://manual.docs.example.com/"),
            ("https://{site}.docs.example.com/", "https://manual.docs.example.com/"),
            ("https://docs.example.com/{site}", "https://docs.example.com/manual/"),
            ("https://docs.example.com/{site}/", "https://docs.example.com/manual/"),
            ("http://127.0.0.1:8080/a/{site}/b", "http://127.0.0.1:8080/a/manual/b/"),
            (
                "HTTPS://{site}.Docs.Example.com:443",
                "https://manual.docs.example.com/",
            ),
            (
                "https://Docs.Example.com:443/All/{site}",
                "https://docs.example.com/All/manual/",
            ),
            (
                "https://docs.example.com:8443/{site}",
                "https://docs.example.com:8443/manual/",
            ),
            (
                "http://docs.example.com:80/a/../{site}",
                "http://docs.example.com/manual/",
            ),
        ] {
            assert_eq!(SitesAddress::parse(text).unwrap().of("manual"), address);
        }
        for text in [
            "",
            "https://docs.example.com",
            "https://docs-{site}.example.com",
            "https://{site}",
            "https://docs.example.com/x{site}",
            "https://docs.example.com/{site}?a",
            "https://{site}.example.com/{site}",
            "ftp://{site}.example.com",
            "https://docs.example.com/name-of-the-site/{site}",
        ] {
            assert!(SitesAddress::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hosts_of_sites_are_known() {
        for (text, host, other) in [
            (
                "https://{site}.docs.example.com:8443",
                "docs.example.com",
                "a.docs.example.com",
            ),
            (
                "https://docs.example.com/{site}",
                "docs.example.com",
                "docs.example.com",
            ),
        ] {
            let sites = SitesAddress::parse(text).unwrap();
            assert_eq!(sites.host().as_deref(), Some(host));
            assert!(sites.is_served_at(host) && sites.is_served_at(other), "{text}");
            for elsewhere in [
                "a.b.docs.example.com",
                "xdocs.example.com",
                "example.com",
                "docs.example.com.evil",
                "",
            ] {
                assert!(!sites.is_served_at(elsewhere), "{text} {elsewhere}");
            }
        }
        let paths = SitesAddress::parse("https://docs.example.com/{site}").unwrap();
        assert!(!paths.is_served_at("a.docs.example.com"));
    }

    #[test]
    fn addresses_of_sites_are_split() {
        let hosts = SitesAddress::parse("https://{site}.docs.example.com").unwrap();
        assert_eq!(hosts.split("https://manual.docs.example.com"), Some(("manual", "")));
        assert_eq!(
            hosts.split("https://manual.docs.example.com/a/b"),
            Some(("manual", "a/b"))
        );
        assert_eq!(hosts.split("https://manual.docs.example.com.evil.example/"), None);
        assert_eq!(hosts.split("https://docs.example.com/"), None);
        let paths = SitesAddress::below(&Url::parse("http://127.0.0.1:4000").unwrap());
        assert_eq!(paths.split("http://127.0.0.1:4000/sites/manual"), Some(("manual", "")));
        assert_eq!(
            paths.split("http://127.0.0.1:4000/sites/manual/a"),
            Some(("manual", "a"))
        );
        assert_eq!(paths.split("http://127.0.0.1:4000/v1/orgs"), None);
        assert_eq!(paths.split("http://127.0.0.1:4000/sites/"), None);
    }
}
