//! The addresses of a published site.

use entity::sites;

use crate::app::urls::Urls;

/// The address for readers, which ends with a slash.
pub fn of_site(urls: &Urls, site: &sites::Model) -> String {
    urls.published_site(site.proxy.as_deref(), site.hostname.as_deref(), &site.basename)
}

/// The address of the server itself, where another one fetches what it shows.
pub fn behind_proxy(urls: &Urls, site: &sites::Model) -> String {
    urls.sites().of(&site.basename)
}
