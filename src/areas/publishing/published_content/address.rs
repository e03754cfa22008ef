//! Addresses as readers open them: the site, and the path in it.

use entity::{
    ids::ShareLinkId,
    organizations,
    publishing::sites::{Column, Entity, Model, default_content},
};
use openapi::error::ApiError;
use platform::db::{positional, rows};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select, sea_query::Expr};
use url::Url;

use crate::{
    areas::publishing::{Publishing, visits::VisitorKeys},
    kernel::Kernel,
};

/// The number of segments of a path that may belong to the address of a proxy.
const MAX_PROXY_SEGMENTS: usize = 16;

pub struct Address {
    pub site: Model,
    /// The path of the site in the address, with a slash at both ends.
    pub base_path: String,
    /// The beginning of canonical addresses in the site, with a slash at its end.
    pub canonical: String,
    /// The rest of the path, without a slash at its start; as it was sent, with what is percent-encoded in it.
    pub rest: String,
}

impl Address {
    /// The published site that an address belongs to.
    pub async fn find(publishing: &Publishing, url: &Url) -> Result<Option<Self>, ApiError> {
        let path = url.path();
        let origin = url.origin().ascii_serialization();
        let plain = format!("{origin}{path}");
        if let Some((name, rest)) = publishing.kernel.urls.sites().split(&plain) {
            let site = named(&publishing.kernel, name).await?;
            return Ok(site.map(|site| Self::new(&publishing.kernel, site, path, rest)));
        }
        if let Some(site) = site_of_hostname(&publishing.kernel, url).await? {
            return Ok(Some(Self::new(
                &publishing.kernel,
                site,
                path,
                path.trim_start_matches('/'),
            )));
        }
        let proxies = proxies(url);
        let found = published()
            .filter(Column::ActiveProxy.is_in(proxies.iter().map(|(proxy, _)| proxy.clone())))
            .all(publishing.kernel.db.read())
            .await?;
        let longest = proxies.into_iter().rev().find_map(|(proxy, rest)| {
            let mut sites = found.iter();
            let site = sites.find(|site| site.active_proxy.as_deref() == Some(proxy.as_str()))?;
            Some((site.clone(), rest))
        });
        Ok(longest.map(|(site, rest)| Self::new(&publishing.kernel, site, path, &rest)))
    }

    /// The share link whose key begins the rest of the path, and the path after the key.
    pub fn share_link(&self, keys: &VisitorKeys) -> Option<(ShareLinkId, &str)> {
        let (key, rest) = self.rest.split_once('/').unwrap_or((&self.rest, ""));
        Some((keys.share_link(key)?, rest))
    }

    fn new(kernel: &Kernel, site: Model, path: &str, rest: &str) -> Self {
        let base = path.strip_suffix(rest).unwrap_or(path).trim_end_matches('/');
        Self {
            canonical: kernel.urls.site_for_readers(&site),
            site,
            base_path: format!("{base}/"),
            rest: rest.to_owned(),
        }
    }
}

/// Returns whether sites are served at the host of an address.
pub async fn is_host_of_sites(kernel: &Kernel, url: &Url) -> Result<bool, ApiError> {
    let Some(host) = url.host_str() else {
        return Ok(false);
    };
    if kernel.urls.sites().is_served_at(host) || site_of_hostname(kernel, url).await?.is_some() {
        return Ok(true);
    }
    let proxied = published().filter(Column::ActiveProxy.starts_with(format!("{host}/")));
    Ok(rows::is_any(kernel.db.read(), proxied).await?)
}

fn published() -> Select<Entity> {
    Entity::find().filter(Column::Published.eq(true))
}

/// The site whose name this is, or the default content of the organization whose name this is.
async fn named(kernel: &Kernel, name: &str) -> Result<Option<Model>, ApiError> {
    let named = published().filter(Column::Basename.eq(name));
    match positional::model(kernel.db.read(), named).await? {
        Some(site) => Ok(Some(site)),
        None => default_content(kernel, organizations::Column::Hostname.eq(name)).await,
    }
}

/// The published site that a custom hostname leads to, by itself or as the default content of an organization.
async fn site_of_hostname(kernel: &Kernel, url: &Url) -> Result<Option<Model>, ApiError> {
    let Some(host) = url.host_str() else {
        return Ok(None);
    };
    match positional::model(kernel.db.read(), published().filter(Column::Hostname.eq(host))).await? {
        Some(site) => Ok(Some(site)),
        None => default_content(kernel, organizations::Column::CustomHostname.eq(host)).await,
    }
}

/// The published site that is the default content of an organization.
async fn default_content(kernel: &Kernel, organization: Expr) -> Result<Option<Model>, ApiError> {
    let content = default_content::Entity::find()
        .select_only()
        .column(default_content::Column::SiteId)
        .inner_join(organizations::Entity)
        .filter(organization);
    let site = published().filter(Column::Id.in_subquery(content.into_query()));
    Ok(positional::model(kernel.db.read(), site).await?)
}

/// The addresses of proxies that an address can be below, the shortest first, each with the rest of the path.
fn proxies(url: &Url) -> Vec<(String, String)> {
    let (Some(host), Some(segments)) = (url.host_str(), url.path_segments()) else {
        return Vec::new();
    };
    let segments: Vec<&str> = segments.collect();
    let longest = segments.len().min(MAX_PROXY_SEGMENTS);
    let split = (1..=longest).filter_map(|end| segments.split_at_checked(end));
    split
        .map(|(proxy, rest)| (format!("{host}/{}", proxy.join("/")), rest.join("/")))
        .collect()
}
