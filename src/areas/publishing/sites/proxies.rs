//! Addresses below other domains, each of which shows one site.

use entity::publishing::sites::{Column, Entity, Model};
use openapi::error::{ApiError, ErrorRule, ErrorType};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::kernel::urls::Urls;

/// The address as it is stored and looked up: hosts are the same in upper and lower case, paths are not.
pub fn normalized(proxy: &str) -> String {
    let (host, path) = proxy.split_once('/').unwrap_or((proxy, ""));
    format!("{}/{path}", host.to_ascii_lowercase())
}

/// Refuses an address at a host of the server itself, which no other server can forward from.
pub fn require_foreign(urls: &Urls, proxy: Option<&str>) -> Result<(), ApiError> {
    let proxy = proxy.map(normalized);
    let host = proxy.as_deref().and_then(|proxy| proxy.split('/').next());
    if !host.is_some_and(|host| urls.is_own_host(host)) {
        return Ok(());
    }
    let message = "`proxy` is below a hostname of the server itself.";
    Err(ApiError::invalid_member("/body/proxy", ErrorRule::OwnHost, message))
}

/// Refuses the address of another site, and one below the address of a site of another organization, whose readers it would
/// take.
pub async fn require_free(db: &impl ConnectionTrait, site: &Model, proxy: &str) -> Result<(), ApiError> {
    let ends = proxy.match_indices('/').map(|(index, _)| index).skip(1);
    let around = ends.chain([proxy.len()]).filter_map(|end| proxy.get(..end));
    let others = Entity::find()
        .filter(Column::Proxy.is_in(around))
        .filter(Column::Id.ne(site.id))
        .all(db)
        .await?;
    let nearest = others.iter().max_by_key(|other| other.proxy.as_ref().map(String::len));
    let is_taken = nearest
        .is_some_and(|other| other.proxy.as_deref() == Some(proxy) || other.organization_id != site.organization_id);
    if is_taken {
        return Err(taken());
    }
    Ok(())
}

pub fn taken() -> ApiError {
    ApiError::new(
        ErrorType::ProxyTaken,
        "`proxy` is the address of another site, or below that of a site of another organization.",
    )
}
