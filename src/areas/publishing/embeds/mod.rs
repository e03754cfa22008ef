//! Pages of the web that texts embed.

mod fetch;
mod view;

use std::sync::Arc;

use entity::ids::{NodeId, OrganizationId};
use openapi::{
    error::{ApiError, ErrorRule},
    models::Embed,
    operations::embeds::{EmbedsApi, GetEmbedByUrlInSpaceQuery, GetEmbedByUrlQuery},
};
use platform::outbound::{FetchError, OnBehalf};
use url::Url;
use uuid::Uuid;

use crate::{
    access::{Caller, SpaceAccess},
    areas::publishing::Publishing,
};

/// Seconds after which the server may have finished what it fetches.
const RETRY_AFTER: u32 = 5;

impl EmbedsApi for Publishing {
    async fn get_embed_by_url(&self, caller: Caller, query: GetEmbedByUrlQuery) -> Result<Embed, ApiError> {
        let user = *caller.user_id.as_uuid();
        let on_behalf = OnBehalf {
            tenant: user,
            user: Some(user),
        };
        embed(self, on_behalf, None, &query.url).await
    }

    async fn get_embed_by_url_in_space(
        &self,
        access: SpaceAccess,
        query: GetEmbedByUrlInSpaceQuery,
    ) -> Result<Embed, ApiError> {
        let organization: OrganizationId = access.row.node.organization_id;
        let user = match access.site {
            None => *access.caller.user_id.as_uuid(),
            // Anybody may have sites, and visitors of them: these all share what one user may have.
            Some(_) => Uuid::nil(),
        };
        let on_behalf = OnBehalf {
            tenant: *organization.as_uuid(),
            user: Some(user),
        };
        embed(self, on_behalf, Some((organization, access.row.node.id)), &query.url).await
    }
}

/// The page at an address as it is known, without waiting for it. `None`: it is not known yet; `ask` reads it.
pub async fn known(publishing: &Publishing, url: &str) -> Option<Arc<embeds::Embed>> {
    publishing.embeds.known(&without_fragment(url)?).await
}

/// Reads the page at an address for the visitors of an organization, so that it is known.
pub async fn ask(publishing: &Publishing, organization: OrganizationId, url: &str) -> Result<(), ApiError> {
    let on_behalf = OnBehalf {
        tenant: *organization.as_uuid(),
        user: Some(Uuid::nil()),
    };
    embed(publishing, on_behalf, None, url).await.map(drop)
}

fn without_fragment(url: &str) -> Option<String> {
    let mut address = Url::parse(url).ok()?;
    address.set_fragment(None);
    Some(address.into())
}

/// `space`: where blocks of integrations may show the page.
async fn embed(
    publishing: &Publishing,
    on_behalf: OnBehalf,
    space: Option<(OrganizationId, NodeId)>,
    url: &str,
) -> Result<Embed, ApiError> {
    let invalid = |_| ApiError::invalid_member("/query/url", ErrorRule::Format, "The address is not a URL.");
    let mut address = Url::parse(url).map_err(invalid)?;
    address.set_fragment(None);
    let block = match space {
        Some((organization, space)) => publishing.link_blocks.find(organization, space, &address).await?,
        None => None,
    };
    let found = publishing
        .embeds
        .get(
            on_behalf,
            address.as_str(),
            fetch::read(&publishing.kernel, on_behalf, &address),
        )
        .await;
    match found {
        Ok(embed) => Ok(match block {
            Some(block) => view::in_block(&embed, block),
            None => view::embed(&embed),
        }),
        Err(error) => Err(match &*error {
            FetchError::Client(error) => ApiError::internal(format!("{error:#}")),
            error => ApiError::overloaded(format!("The address {error}."), RETRY_AFTER),
        }),
    }
}
