//! MCP servers of sites: servers with tools that an assistant of a site may call. This server stores them, and calls none.

mod headers;

use entity::{
    ids::{SiteId, SiteMcpServerId},
    organizations::members::MemberRole,
    publishing::sites::{
        self,
        mcp_servers::{self, Column, Entity, Model},
    },
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorType},
    list::Page,
    models::{
        CreateSiteMcpServer, McpServerTransport, SiteMcpServer, SiteMcpServerList, SiteMcpServerUrls,
        UpdateSiteMcpServer,
    },
    operations::site_mcp_servers::{GetSiteMcpServerByIdQuery, ListSiteMcpServersQuery, SiteMcpServersApi},
};
use platform::{
    db::{Tx, rows},
    outbound::without_query,
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter, QueryOrder, Select,
};
use serde_json::{Value, json};

use self::headers::Headers;

use crate::{
    areas::publishing::{
        Publishing,
        guard::{ReadableSiteAccess, SiteAccess},
        structure::{
            conditions::new_condition,
            list,
            site::{lock, target},
        },
    },
    kernel::{
        audit::Changed,
        lists::List,
        wire::{ToStored, ToWire, wire_enums},
    },
};

/// MCP servers of a site.
const MAX_SERVERS: u64 = 50;

wire_enums! {
    mcp_servers::McpServerTransport = McpServerTransport { Sse, Http }
}

impl SiteMcpServersApi for Publishing {
    async fn list_site_mcp_servers(
        &self,
        access: ReadableSiteAccess,
        query: ListSiteMcpServersQuery,
    ) -> Result<SiteMcpServerList, ApiError> {
        let ListSiteMcpServersQuery {
            page,
            limit,
            share_key: _,
        } = query;
        let list = List::new(&self.kernel, ("site-mcp-servers", access.row.id), page, limit);
        let found = of(access.row.id).order_by_desc(Column::Id);
        let found = shown(self, &access, found.all(self.kernel.db.read()).await?).await?;
        let Page { items, count, next } = list::page(&list, found, |row| row.id)?;
        let items = items.into_iter().map(|row| view_for(self, &access, row));
        let items = items.collect::<Result<_, ApiError>>()?;
        Ok(Page { items, count, next }.into())
    }

    async fn create_site_mcp_server(
        &self,
        access: SiteAccess,
        body: CreateSiteMcpServer,
    ) -> Result<Created<SiteMcpServer>, ApiError> {
        let CreateSiteMcpServer {
            name,
            url,
            transport,
            headers,
            condition,
        } = body;
        let condition = new_condition(condition)?.flatten();
        let headers = headers::replace(&Headers::new(), headers)?;
        let id = self.kernel.ids.next();
        let row = Model {
            id,
            site_id: access.row.id,
            name,
            url,
            transport: transport.to_stored(),
            headers: headers::seal(&self.kernel, id, &headers)?,
            condition,
        };
        let organization = access.member.organization;
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, row.site_id).await?;
            if of(site.id).count(&tx).await? >= MAX_SERVERS {
                let message = format!("A site has at most {MAX_SERVERS} MCP servers.");
                return Err(ApiError::new(ErrorType::TooManySiteItems, message));
            }
            rows::insert(&tx, &row).await?;
            let details = details(&row);
            Changed::of(target(&site), row).with(details)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Ok(Created {
            location: self.kernel.urls.site_mcp_server(organization, row.site_id, row.id),
            body: view(self, &access.row, row)?,
        })
    }

    async fn get_site_mcp_server_by_id(
        &self,
        access: ReadableSiteAccess,
        site_mcp_server_id: SiteMcpServerId,
        _: GetSiteMcpServerByIdQuery,
    ) -> Result<SiteMcpServer, ApiError> {
        let found = rows::find(self.kernel.db.read(), of(access.row.id), site_mcp_server_id).await?;
        let found = shown(self, &access, found.into_iter().collect()).await?;
        let row = found.into_iter().next().ok_or_else(unknown)?;
        view_for(self, &access, row)
    }

    async fn update_site_mcp_server_by_id(
        &self,
        access: SiteAccess,
        site_mcp_server_id: SiteMcpServerId,
        body: UpdateSiteMcpServer,
    ) -> Result<SiteMcpServer, ApiError> {
        let UpdateSiteMcpServer {
            name,
            url,
            transport,
            headers,
            condition,
        } = body;
        let condition = new_condition(condition)?;
        let (organization, site, kernel) = (access.member.organization, access.row.id, self.kernel.clone());
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let row = rows::find(&tx, of(site.id), site_mcp_server_id).await?;
            let row = row.ok_or_else(unknown)?;
            let headers = match headers {
                Some(sent) => {
                    let headers = headers::replace(&headers::open(&kernel, &row)?, sent)?;
                    headers::seal(&kernel, row.id, &headers)?
                }
                None => row.headers,
            };
            let changed = Model {
                name: name.unwrap_or(row.name),
                url: url.unwrap_or(row.url),
                transport: transport.map_or(row.transport, ToStored::to_stored),
                headers,
                condition: condition.unwrap_or(row.condition),
                ..row
            };
            let row = changed.into_active_model().reset_all().update(&tx).await?;
            let details = details(&row);
            Changed::of(target(&site), row).with(details)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        view(self, &access.row, row)
    }

    async fn delete_site_mcp_server_by_id(
        &self,
        access: SiteAccess,
        site_mcp_server_id: SiteMcpServerId,
    ) -> Result<(), ApiError> {
        let (organization, site) = (access.member.organization, access.row.id);
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let Some(removed) = rows::remove(&tx, of(site.id), site_mcp_server_id).await? else {
                return Ok(Changed::nothing(()));
            };
            Changed::of(target(&site), ()).with(details(&removed))
        };
        self.kernel.write(&access.caller, work).await
    }
}

fn of(site: SiteId) -> Select<Entity> {
    Entity::find().filter(Column::SiteId.eq(site))
}

/// The rows that the caller sees. Members see all, and visitors those whose condition holds.
async fn shown(publishing: &Publishing, access: &ReadableSiteAccess, rows: Vec<Model>) -> Result<Vec<Model>, ApiError> {
    let Some(claims) = access.claims() else {
        return Ok(rows);
    };
    let conditions = rows.iter().filter_map(|row| row.condition.as_ref());
    let holding = publishing.contents.holding(claims, conditions.collect()).await?;
    let holds = |row: &Model| row.condition.as_ref().is_none_or(|it| holding.contains(it));
    Ok(rows.into_iter().filter(holds).collect())
}

/// For the audit log: addresses may have secrets in their queries.
fn details(row: &Model) -> Value {
    json!({ "mcpServer": row.id, "name": row.name, "url": without_query(&row.url) })
}

/// The row as the caller sees it: visitors, and members who do not edit the site, see nothing that may be a secret.
fn view_for(publishing: &Publishing, access: &ReadableSiteAccess, row: Model) -> Result<SiteMcpServer, ApiError> {
    let full = view(publishing, &access.row, row)?;
    if access.level >= Some(MemberRole::Create) {
        return Ok(full);
    }
    Ok(SiteMcpServer {
        url: without_query(&full.url).to_owned(),
        headers: Headers::new(),
        condition: None,
        ..full
    })
}

fn view(publishing: &Publishing, site: &sites::Model, row: Model) -> Result<SiteMcpServer, ApiError> {
    let headers = headers::masked(headers::open(&publishing.kernel, &row)?);
    let urls = &publishing.kernel.urls;
    Ok(SiteMcpServer {
        object: Default::default(),
        id: row.id.to_string(),
        name: row.name,
        url: row.url,
        transport: row.transport.to_wire(),
        headers,
        condition: row.condition,
        urls: SiteMcpServerUrls {
            location: urls.site_mcp_server(site.organization_id, site.id, row.id),
        },
    })
}

fn unknown() -> ApiError {
    ApiError::not_found("MCP server")
}
