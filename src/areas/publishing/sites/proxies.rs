//! Addresses below other domains, each of which shows one site once the DNS record of its host names the organization.

use entity::{
    ids::OrganizationId,
    publishing::sites::{Column, Entity, Model},
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorRule, ErrorType};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait},
};

use crate::kernel::{
    Kernel,
    dns_proof::{CheckedBy, Proof, names_organization},
};

/// The address that a request sets, and what the check of its host has shown. `None`: the request removes the address.
#[derive(Clone)]
pub struct NewProxy {
    proxy: Option<String>,
    passed: Option<bool>,
    at: Timestamp,
}

impl NewProxy {
    /// Refuses an address at a host of the server itself, which no other server can forward from.
    pub async fn check(kernel: &Kernel, organization: OrganizationId, proxy: Option<String>) -> Result<Self, ApiError> {
        let proxy = proxy.as_deref().map(normalized);
        if proxy
            .as_deref()
            .is_some_and(|proxy| kernel.urls.is_own_host(host(proxy)))
        {
            let message = "`proxy` is below a hostname of the server itself.";
            return Err(ApiError::invalid_member("/body/proxy", ErrorRule::OwnHost, message));
        }
        let passed = match &proxy {
            Some(proxy) => check(kernel, proxy, organization).await,
            None => None,
        };
        Ok(Self {
            proxy,
            passed,
            at: kernel.clock.now(),
        })
    }

    /// The site with the address. A proven one is taken from the site of another organization that has it, because the owner of
    /// the domain names the new one.
    pub async fn set(self, db: &impl ConnectionTrait, site: Model) -> Result<Model, DbErr> {
        let proof = match self.proxy {
            Some(_) if self.proxy == site.proxy => proof(&site).after_check(self.passed, CheckedBy::Caller, self.at),
            Some(_) => Proof::default().after_check(self.passed, CheckedBy::Caller, self.at),
            None => Proof::default(),
        };
        let changed = with_proof(
            Model {
                proxy: self.proxy,
                ..site
            },
            proof,
        );
        if let Some(active) = &changed.active_proxy {
            Entity::update_many()
                .col_expr(Column::ActiveProxy, Expr::value(None::<String>))
                .col_expr(Column::Version, Expr::col(Column::Version).add(1))
                .filter(Column::ActiveProxy.eq(active))
                .filter(Column::OrganizationId.ne(changed.organization_id))
                .exec(db)
                .await?;
        }
        Ok(changed)
    }
}

/// The address as it is stored and looked up: hosts are the same in upper and lower case, paths are not.
fn normalized(proxy: &str) -> String {
    let (host, path) = proxy.split_once('/').unwrap_or((proxy, ""));
    format!("{}/{path}", host.to_ascii_lowercase())
}

fn host(proxy: &str) -> &str {
    proxy.split_once('/').map_or(proxy, |(host, _)| host)
}

/// Returns whether the DNS record of the host names the organization. `None`: the record cannot be looked up.
pub async fn check(kernel: &Kernel, proxy: &str, organization: OrganizationId) -> Option<bool> {
    let named = names_organization(&kernel.dns, host(proxy), organization).await;
    named
        .inspect_err(|error| tracing::debug!(proxy, %error, "the DNS record of a proxy cannot be looked up"))
        .ok()
}

pub fn proof(site: &Model) -> Proof {
    Proof {
        is_active: site.active_proxy.is_some(),
        failing_since: site.proxy_failing_since,
        next_check_at: site.proxy_next_check_at,
    }
}

pub fn with_proof(site: Model, proof: Proof) -> Model {
    Model {
        active_proxy: site.proxy.clone().filter(|_| proof.is_active),
        proxy_failing_since: proof.failing_since,
        proxy_next_check_at: proof.next_check_at,
        ..site
    }
}

pub fn taken() -> ApiError {
    ApiError::new(ErrorType::ProxyTaken, "`proxy` is the address of another site.")
}
