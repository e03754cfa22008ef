//! Pages of the web that texts embed.

mod fetch;
mod view;

use entity::ids::OrganizationId;
use openapi::{
    error::{ApiError, ErrorRule},
    models::Embed,
    operations::embeds::{EmbedsApi, GetEmbedByUrlInSpaceQuery, GetEmbedByUrlQuery},
};
use platform::outbound::FetchError;
use url::Url;
use uuid::Uuid;

use crate::{
    access::{Caller, SpaceAccess},
    app::App,
};

/// Seconds after which the server may have finished what it fetches.
const RETRY_AFTER: u32 = 5;

impl EmbedsApi for App {
    async fn get_embed_by_url(&self, caller: Caller, query: GetEmbedByUrlQuery) -> Result<Embed, ApiError> {
        embed(self, *caller.user_id.as_uuid(), &query.url).await
    }

    async fn get_embed_by_url_in_space(
        &self,
        access: SpaceAccess,
        query: GetEmbedByUrlInSpaceQuery,
    ) -> Result<Embed, ApiError> {
        let organization: OrganizationId = access.row.node.organization_id;
        embed(self, *organization.as_uuid(), &query.url).await
    }
}

/// The embed of a page, which is fetched on behalf of `tenant`.
async fn embed(app: &App, tenant: Uuid, url: &str) -> Result<Embed, ApiError> {
    let invalid = |_| ApiError::invalid_member("/query/url", ErrorRule::Format, "The address is not a URL.");
    let mut address = Url::parse(url).map_err(invalid)?;
    address.set_fragment(None);
    let found = app
        .embeds
        .get(address.as_str(), fetch::read(app, tenant, &address))
        .await;
    match found {
        Ok(embed) => Ok(view::embed(&embed)),
        Err(error) => Err(match &*error {
            FetchError::Client(error) => ApiError::internal(format!("{error:#}")),
            error => ApiError::overloaded(format!("The address {error}."), RETRY_AFTER),
        }),
    }
}
