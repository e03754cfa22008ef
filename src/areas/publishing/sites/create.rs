//! New sites.

use entity::{ids::SiteSpaceId, sites::Model};
use openapi::{
    error::{ApiError, ErrorType},
    models::CreateSite,
};
use platform::db::{Tx, fold};
use serde_json::json;

use super::store;
use crate::{
    access::OrganizationAccess,
    app::{App, audit::Changed, wire::ToStored},
    areas::publishing::structure::{
        self,
        edit::free_path,
        layout::Layout,
        site::{Publication, check_publications, lock, target},
    },
};

pub async fn create(app: &App, access: &OrganizationAccess, body: Option<CreateSite>) -> Result<Model, ApiError> {
    // A missing body is equal to an empty one, whose defaults the contract declares.
    let body = match body {
        Some(body) => body,
        None => serde_json::from_value(json!({}))?,
    };
    match insert(app, access, body.clone()).await {
        // Another node took the name at the same time: now it is seen.
        Err(error) if error.kind() == ErrorType::BasenameTaken => insert(app, access, body).await,
        other => other,
    }
}

async fn insert(app: &App, access: &OrganizationAccess, body: CreateSite) -> Result<Model, ApiError> {
    let payload = serde_json::to_value(&body)?;
    let CreateSite {
        r#type,
        title,
        visibility,
        spaces,
    } = body;
    let spaces = spaces.unwrap_or_default();
    let publications = spaces.into_iter().enumerate().map(Publication::listed);
    let publications: Vec<Publication> = publications.collect();
    let ids: Vec<SiteSpaceId> = publications.iter().map(|_| app.ids.next()).collect();
    let row = Model {
        id: app.ids.next(),
        organization_id: access.organization,
        plan: r#type.to_stored(),
        title_folded: fold(&title),
        basename: free_path(&title, "site", |_| false),
        title,
        visibility: visibility.to_stored(),
        proxy: None,
        hostname: None,
        published: false,
        adaptive_content: false,
        in_agents_context: true,
        site_spaces_count: 0,
        version: 0,
        created_at: app.clock.now(),
        published_at: None,
        favicon: None,
    };
    let member = access.member();
    let work = move |tx: Tx| async move {
        let mut row = row;
        if store::is_basename_taken(&tx, row.organization_id, &row.basename).await? {
            row.basename = distinct_basename(&row);
        }
        let mut layout = Layout::default();
        let spaces = check_publications(&tx, &member, &publications).await?;
        for (id, space) in ids.into_iter().zip(spaces) {
            layout.add_site_space(row.id, id, None, &space)?;
        }
        store::insert(&tx, &row).await?;
        structure::store::save(&tx, &row, &Layout::default(), &layout).await?;
        let row = lock(&tx, row.organization_id, row.id).await?;
        Changed::of(target(&row), row).with(payload)
    };
    app.write(&access.caller, work).await
}

/// The name with the last characters of the id, which are random.
fn distinct_basename(row: &Model) -> String {
    const CHARACTERS: usize = 6;
    let id = row.id.to_string();
    let end = id.get(id.len().saturating_sub(CHARACTERS)..).unwrap_or(&id);
    format!("{}-{end}", row.basename)
}
