//! Access to the resources of this context, which stubs ask for before a handler runs.

use std::{net::IpAddr, sync::Arc};

use entity::{
    ids::{OrganizationId, SiteId, TokenId, UserId},
    publishing::sites,
    timestamp::Timestamp,
};
use openapi::{
    call::Call,
    error::ApiError,
    guard::{self, OrganizationLevel, PublishingGuard as _},
};
use platform::db::{QueryTemplate, positional};
use poem::http::{StatusCode, header};
use uuid::Uuid;

use crate::{
    access::{
        Caller,
        basis::Basis,
        grants::{context_guard, name_caller},
        identity::Identity,
        request_context::ClientAddress,
    },
    areas::publishing::{
        guard::{PublishingGuard, SiteAccess},
        visits::{Visit, Visits},
    },
};

context_guard!(InsightsGuard, visits: Visits, publishing: Arc<PublishingGuard>);

impl guard::InsightsGuard for InsightsGuard {
    type TrackedSiteAccess = TrackedSiteAccess;

    async fn tracked_site(
        &self,
        call: Call<'_>,
        organization_id: OrganizationId,
        site_id: SiteId,
    ) -> Result<TrackedSiteAccess, ApiError> {
        let address = call.request.data::<ClientAddress>().map(|address| address.0);
        let caller = match call.request.headers().contains_key(header::AUTHORIZATION) {
            false => nobody(call, self.access.clock.now()),
            true => {
                if let Some((caller, visit)) = self.visits.visitor(&self.access, call, "site").await? {
                    let is_named = (visit.site.organization_id, visit.site.id) == (organization_id, site_id);
                    let row = Some(visit.site.clone()).filter(|_| is_named);
                    return Ok(TrackedSiteAccess {
                        caller,
                        row: row.ok_or_else(|| ApiError::not_found("site"))?,
                        visit: Some(visit.visit.clone()),
                        is_trusted: false,
                        address,
                    });
                }
                let level = OrganizationLevel::Read;
                match self.publishing.site(call, organization_id, site_id, level).await {
                    Ok(SiteAccess { caller, row, .. }) => {
                        return Ok(TrackedSiteAccess {
                            caller,
                            row,
                            visit: None,
                            is_trusted: true,
                            address,
                        });
                    }
                    Err(error) if matches!(error.status(), StatusCode::NOT_FOUND | StatusCode::FORBIDDEN) => {
                        self.access.authenticate(call).await?
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        let found = positional::by_id::<sites::Entity>(self.access.db.read(), &TEMPLATE, *site_id.as_uuid()).await?;
        let published = found.filter(|site| site.published && site.organization_id == organization_id);
        let row = published.ok_or_else(|| ApiError::not_found("site"))?;
        Ok(TrackedSiteAccess {
            caller: caller.allowed_by(Basis::Published(row.id)),
            row,
            visit: None,
            is_trusted: false,
            address,
        })
    }
}

/// Finds a site by its id.
static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();

/// A caller without a token: no user has the nil id.
fn nobody(call: Call<'_>, now: Timestamp) -> Caller {
    let identity = Identity {
        user_id: UserId::from_uuid(Uuid::nil()),
        token_id: TokenId::from_uuid(Uuid::nil()),
        of_session: false,
        email: String::new(),
        email_verified: false,
        saml_provider: None,
        signed_in_to: None,
        integration: None,
    };
    Caller::new(Arc::new(identity), call, now)
}

/// The caller sends events of visitors of a site.
pub struct TrackedSiteAccess {
    pub caller: Caller,
    pub row: sites::Model,
    /// The visit whose token the request is sent with.
    pub visit: Option<Visit>,
    /// Whether the caller has a level on the site, and may say what only a server of the organization can know.
    pub is_trusted: bool,
    /// The address of the request.
    pub address: Option<IpAddr>,
}

name_caller!(TrackedSiteAccess);
