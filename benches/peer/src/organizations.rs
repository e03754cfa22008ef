//! `GET /v1/orgs/{organization}`

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    Peer, access,
    access::{ADMIN, CREATE, READ},
    failure::{Failure, NOT_FOUND},
    wire,
};

const ORGANIZATION: &str = "
    SELECT id, title, hostname, type, use_case, community_type, default_role, sso, ai, invite_links, plan, merge_rules,
        logo, created_at,
        EXISTS (SELECT 1 FROM team_members WHERE organization_id = ?1 AND user_id = ?2 AND role = 'owner') AS owns_team
    FROM organizations WHERE id = ?1";

const DOMAINS: &str = "SELECT domain FROM organization_email_domains WHERE organization_id = ? ORDER BY position";

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    title: String,
    hostname: Option<String>,
    r#type: String,
    use_case: Option<String>,
    community_type: Option<String>,
    default_role: Option<String>,
    sso: bool,
    ai: bool,
    invite_links: bool,
    plan: String,
    #[sqlx(json)]
    merge_rules: Value,
    logo: Option<String>,
    created_at: i64,
    owns_team: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    object: &'static str,
    id: String,
    title: String,
    created_at: String,
    email_domains: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<String>,
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    use_case: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    community_type: Option<String>,
    default_role: Option<String>,
    sso: bool,
    ai: bool,
    invite_links: bool,
    plan: String,
    merge_rules: Value,
    urls: Urls,
    trial: Trial,
    permissions: Permissions,
}

#[derive(Serialize)]
struct Urls {
    location: String,
    app: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    logo: Option<String>,
}

#[derive(Serialize)]
struct Trial {
    status: &'static str,
    count: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Permissions {
    view: bool,
    access: bool,
    admin: bool,
    own_team: bool,
    create_content: bool,
    #[serde(rename = "createOpenAPISpec")]
    create_open_api_spec: bool,
    ingest_conversations: bool,
    view_billing: bool,
    list_members: bool,
    list_teams: bool,
    list_integrations: bool,
    list_installations: bool,
    install_integration: bool,
}

pub async fn read(
    State(peer): State<Arc<Peer>>,
    Path(organization): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Organization>, Failure> {
    let access = access::member(&peer, &headers, &organization).await?;
    let row: Option<Row> = sqlx::query_as(ORGANIZATION)
        .bind(access.object)
        .bind(access.user)
        .fetch_optional(&peer.db)
        .await?;
    let row = row.ok_or(NOT_FOUND)?;
    let domains = sqlx::query_scalar(DOMAINS)
        .bind(access.object)
        .fetch_all(&peer.db)
        .await?;
    Ok(Json(organization_of(&peer, row, domains, access.level)))
}

fn organization_of(peer: &Peer, row: Row, email_domains: Vec<String>, level: usize) -> Organization {
    let (reads, creates, admin) = (level >= READ, level >= CREATE, level >= ADMIN);
    let id = wire::id(row.id);
    Organization {
        object: "organization",
        title: row.title,
        created_at: wire::time(row.created_at),
        email_domains,
        hostname: row.hostname,
        r#type: row.r#type,
        use_case: row.use_case,
        community_type: row.community_type,
        default_role: row.default_role,
        sso: row.sso,
        ai: row.ai,
        invite_links: row.invite_links,
        plan: row.plan,
        merge_rules: row.merge_rules,
        urls: Urls {
            location: format!("{}/v1/orgs/{id}", peer.base),
            app: format!(
                "{}/docs/?organizationId={id}#/organizations/getOrganizationById",
                peer.base
            ),
            logo: row.logo,
        },
        id,
        trial: Trial {
            status: "notapplicable",
            count: 0,
        },
        permissions: Permissions {
            view: true,
            access: true,
            admin,
            own_team: admin || row.owns_team,
            create_content: creates,
            create_open_api_spec: creates,
            ingest_conversations: admin,
            view_billing: admin,
            list_members: reads,
            list_teams: reads,
            list_integrations: reads,
            list_installations: admin,
            install_integration: admin,
        },
    }
}
