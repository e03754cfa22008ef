//! New sites.

use entity::{
    ids::{OrganizationId, SiteSpaceId},
    library::nodes::DefaultLevel,
    publishing::sites::Model,
};
use openapi::{error::ApiError, models::CreateSite};
use platform::{
    config::MAX_LABEL,
    db::{Tx, fold},
};
use serde_json::json;

use super::store;

use crate::{
    access::{OrganizationAccess, node_levels::Member},
    areas::{
        joins::address_names::retry_taken,
        publishing::{
            layout::Layout,
            structure::{
                self,
                edit::made_path,
                site::{Publication, check_publications, lock, target},
            },
        },
    },
    kernel::{Kernel, audit::Changed, wire::ToStored},
};

pub async fn create(kernel: &Kernel, access: &OrganizationAccess, body: Option<CreateSite>) -> Result<Model, ApiError> {
    // A missing body is equal to an empty one, whose defaults the contract declares.
    let body = match body {
        Some(body) => body,
        None => serde_json::from_value(json!({}))?,
    };
    retry_taken(async || {
        let payload = serde_json::to_value(&body)?;
        let (member, site) = (access.member(), NewSite::new(kernel, access.organization, body.clone()));
        let work = move |tx: Tx| async move {
            let row = site.insert(&tx, &member).await?;
            Changed::of(target(&row), row).with(payload)
        };
        kernel.write(&access.caller, work).await
    })
    .await
}

/// A site to insert, with the spaces that it begins with.
#[derive(Clone)]
pub struct NewSite {
    row: Model,
    publications: Vec<Publication>,
    /// One for each publication.
    ids: Vec<SiteSpaceId>,
}

impl NewSite {
    pub fn new(kernel: &Kernel, organization: OrganizationId, body: CreateSite) -> Self {
        let CreateSite {
            r#type,
            title,
            visibility,
            spaces,
        } = body;
        let spaces = spaces.unwrap_or_default();
        let publications = spaces.into_iter().enumerate().map(Publication::listed);
        let publications: Vec<Publication> = publications.collect();
        let row = Model {
            id: kernel.ids.next(),
            organization_id: organization,
            plan: r#type.to_stored(),
            title_folded: fold(&title),
            basename: made_path(&title, "site", LONGEST_NAME),
            title,
            visibility: visibility.to_stored(),
            proxy: None,
            active_proxy: None,
            proxy_failing_since: None,
            proxy_next_check_at: None,
            hostname: None,
            published: false,
            adaptive_content: false,
            in_agents_context: true,
            site_spaces_count: 0,
            version: 0,
            created_at: kernel.clock.now(),
            published_at: None,
            favicon: None,
            default_level: Some(DefaultLevel::Inherit),
            styleguide: None,
        };
        Self {
            row,
            ids: publications.iter().map(|_| kernel.ids.next()).collect(),
            publications,
        }
    }

    pub fn with_adaptive_content(mut self, enabled: bool) -> Self {
        self.row.adaptive_content = enabled;
        self
    }

    /// Inserts the site for a member who administers its spaces.
    pub async fn insert(&self, tx: &Tx, member: &Member) -> Result<Model, ApiError> {
        let mut row = self.row.clone();
        if store::is_basename_taken(tx, row.organization_id, &row.basename).await? {
            row.basename = distinct_basename(&row);
        }
        let mut layout = Layout::default();
        let spaces = check_publications(tx, member, &self.publications).await?;
        for (id, space) in self.ids.iter().zip(spaces) {
            layout.add_site_space(row.id, *id, None, &space, None)?;
        }
        store::insert(tx, &row).await?;
        structure::store::save(tx, &row, &Layout::default(), &layout).await?;
        lock(tx, row.organization_id, row.id).await
    }
}

/// The characters of the id that make a name distinct.
const DISTINCT: usize = 6;

/// The longest name that is made from a title. It is a label of a hostname, also with a hyphen and what makes it distinct, so
/// that the operator can serve sites at hosts of their own.
const LONGEST_NAME: usize = MAX_LABEL - 1 - DISTINCT;

/// The name with the last characters of the id, which are random.
fn distinct_basename(row: &Model) -> String {
    let id = row.id.to_string();
    let end = id.get(id.len().saturating_sub(DISTINCT)..).unwrap_or(&id);
    format!("{}-{end}", row.basename)
}
