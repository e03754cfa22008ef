//! Redirects of sites: paths that lead elsewhere.

mod bulk;
mod lookup;
mod matching;
mod table;
mod targets;

use std::sync::Arc;

use entity::{
    ids::{SiteId, SiteRedirectId, SiteSectionId},
    publishing::sites::redirects::{Column, Entity, Model},
};
use openapi::{
    answer::Created,
    error::ApiError,
    models::{
        BulkUpsertSiteRedirects, CreateSiteRedirect, SiteRedirect, SiteRedirectDestination,
        SiteRedirectDestinationInput, SiteRedirectList, SiteRedirectMatch, SiteRedirectOrder,
        SiteRedirectUpsertResults, UpdateSiteRedirect,
    },
    operations::site_redirects::{GetSiteRedirectBySourceQuery, ListSiteRedirectsQuery, SiteRedirectsApi},
    values::Inner,
};
use platform::db::{Keyset, Tx, contains, fold, rows};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};
use serde_json::json;

use self::{
    bulk::Upserts,
    matching::normal_form,
    table::{Refusal, Table},
    targets::Targets,
};

use crate::{
    areas::publishing::{
        Publishing,
        guard::{ReadableSiteAccess, SiteAccess},
        sites,
        structure::site::{lock, target},
    },
    kernel::{Kernel, audit::Changed, lists::List, wire::time},
};

const DESTINATION: &str = "/body/destination";

impl SiteRedirectsApi for Publishing {
    async fn list_site_redirects(
        &self,
        access: SiteAccess,
        query: ListSiteRedirectsQuery,
    ) -> Result<SiteRedirectList, ApiError> {
        let ListSiteRedirectsQuery {
            page,
            limit,
            search,
            draft,
            order_by,
        } = query;
        let (db, site) = (self.kernel.db.read(), access.row.id);
        let list = List::new(
            &self.kernel,
            ("site-redirects", site, &search, draft, order_by),
            page,
            limit,
        );
        let mut found = of(site).filter(Column::Draft.eq(draft));
        if let Some(search) = &search {
            found = found.filter(contains((Entity, Column::SourceFolded), &normal_form(search)));
        }
        let views = async |rows: Vec<Model>| rows.into_iter().map(view).collect();
        let page = match order_by {
            SiteRedirectOrder::CreatedAt => {
                let order = Keyset::descending([Column::Id]);
                let load = |found: Select<Entity>, after, limit| {
                    order.page(found, after, limit, |query| query.all(db), |row: &Model| row.id)
                };
                list.load(found, load, views).await?
            }
            SiteRedirectOrder::UpdatedAt => {
                let order = Keyset::descending([Column::UpdatedAt, Column::Id]);
                let key = |row: &Model| (row.updated_at, row.id);
                let load =
                    |found: Select<Entity>, after, limit| order.page(found, after, limit, |query| query.all(db), key);
                list.load(found, load, views).await?
            }
            SiteRedirectOrder::Source => {
                let order = Keyset::ascending([Column::Source]);
                let key = |row: &Model| row.source.clone();
                let load =
                    |found: Select<Entity>, after, limit| order.page(found, after, limit, |query| query.all(db), key);
                list.load(found, load, views).await?
            }
        };
        Ok(page.into())
    }

    async fn create_site_redirect(
        &self,
        access: SiteAccess,
        body: CreateSiteRedirect,
    ) -> Result<Created<SiteRedirect>, ApiError> {
        let CreateSiteRedirect {
            source,
            destination,
            capture_wildcard,
            draft,
            permanent,
        } = body;
        let source = normal_form(&source);
        let targets = load_targets(self, &access, vec![destination.clone()]).await?;
        let destination = targets.check(destination, DESTINATION).map_err(Refusal::Destination)?;
        let (organization, site, now) = (access.member.organization, access.row.id, self.kernel.clock.now());
        let row = Model {
            id: self.kernel.ids.next(),
            site_id: site,
            draft,
            source_folded: fold(&source),
            source,
            destination: serde_json::to_value(destination)?,
            capture_wildcard,
            permanent,
            created_at: now,
            updated_at: now,
        };
        let row = put(&self.kernel, &access, targets, move |_| Ok(row)).await?;
        Ok(Created {
            location: self.kernel.urls.site_redirect(organization, site, row.id),
            body: view(row)?,
        })
    }

    async fn bulk_upsert_site_redirects(
        &self,
        access: SiteAccess,
        body: BulkUpsertSiteRedirects,
    ) -> Result<SiteRedirectUpsertResults, ApiError> {
        let entries = body.redirects;
        let sent = entries.iter().filter_map(|entry| entry.destination.inner().cloned());
        let targets = load_targets(self, &access, sent.collect()).await?;
        let ids: Vec<SiteRedirectId> = entries.iter().map(|_| self.kernel.ids.next()).collect();
        let (organization, site, now) = (access.member.organization, access.row.id, self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let mut table = Table::load(&tx, site.id).await?;
            let mut upserts = Upserts {
                table: &mut table,
                targets: &targets,
                site: site.id,
                now,
            };
            let results: Result<Vec<_>, ApiError> = entries
                .into_iter()
                .zip(ids)
                .map(|(entry, id)| upserts.make(entry, id))
                .collect();
            let results = SiteRedirectUpsertResults { results: results? };
            if !table.is_changed() {
                return Ok(Changed::nothing(results));
            }
            table.save(&tx).await?;
            let site = sites::store::update(&tx, site).await?;
            let payload = json!({ "redirects": &results.results });
            Changed::of(target(&site), results).with(payload)
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn update_site_redirect_by_id(
        &self,
        access: SiteAccess,
        site_redirect_id: SiteRedirectId,
        body: UpdateSiteRedirect,
    ) -> Result<SiteRedirect, ApiError> {
        let found = rows::find(self.kernel.db.read(), of(access.row.id), site_redirect_id).await?;
        found.ok_or_else(unknown)?;
        let UpdateSiteRedirect {
            source,
            destination,
            capture_wildcard,
            draft,
            permanent,
        } = body;
        let sent: Option<SiteRedirectDestinationInput> = destination.map(Into::into);
        let targets = load_targets(self, &access, sent.iter().cloned().collect()).await?;
        let destination = sent.map(|sent| targets.check(sent, DESTINATION)).transpose();
        let destination = destination.map_err(Refusal::Destination)?;
        let destination = destination.map(serde_json::to_value).transpose()?;
        let now = self.kernel.clock.now();
        let change = move |table: &Table| {
            let row = table.get(site_redirect_id).ok_or_else(unknown)?.clone();
            let source = source.map_or(row.source, |source| normal_form(&source));
            Ok(Model {
                source_folded: fold(&source),
                source,
                destination: destination.unwrap_or(row.destination),
                capture_wildcard: capture_wildcard.unwrap_or(row.capture_wildcard),
                draft: draft.unwrap_or(row.draft),
                permanent: permanent.unwrap_or(row.permanent),
                updated_at: now,
                ..row
            })
        };
        view(put(&self.kernel, &access, targets, change).await?)
    }

    async fn delete_site_redirect_by_id(
        &self,
        access: SiteAccess,
        site_redirect_id: SiteRedirectId,
    ) -> Result<(), ApiError> {
        let (organization, site) = (access.member.organization, access.row.id);
        let work = move |tx: Tx| async move {
            let site = lock(&tx, organization, site).await?;
            let Some(removed) = rows::remove(&tx, of(site.id), site_redirect_id).await? else {
                return Ok(Changed::nothing(()));
            };
            let site = sites::store::update(&tx, site).await?;
            let payload = json!({ "redirect": removed.id, "source": removed.source });
            Changed::of(target(&site), ()).with(payload)
        };
        self.kernel.write(&access.caller, work).await
    }

    async fn get_site_redirect_by_source(
        &self,
        access: ReadableSiteAccess,
        query: GetSiteRedirectBySourceQuery,
    ) -> Result<SiteRedirectMatch, ApiError> {
        lookup::follow(self, access, query.source).await
    }
}

/// The destinations that a request names, and those of all redirects of the site, which can lead on from there.
async fn load_targets(
    publishing: &Publishing,
    access: &SiteAccess,
    sent: Vec<SiteRedirectDestinationInput>,
) -> Result<Arc<Targets>, ApiError> {
    let table = Table::load(publishing.kernel.db.read(), access.row.id).await?;
    let mut destinations = sent;
    for row in table.rows() {
        let stored: SiteRedirectDestination = serde_json::from_value(row.destination.clone())?;
        destinations.push(stored.into());
    }
    let mut targets = Targets::new(&publishing.kernel, access).await?;
    targets.load(publishing, destinations).await?;
    Ok(Arc::new(targets))
}

/// Stores the redirect that `change` makes of those of the site.
async fn put<F>(kernel: &Kernel, access: &SiteAccess, targets: Arc<Targets>, change: F) -> Result<Model, ApiError>
where
    F: FnOnce(&Table) -> Result<Model, ApiError> + Clone + Send + 'static,
{
    let (organization, site) = (access.member.organization, access.row.id);
    let work = move |tx: Tx| async move {
        let site = lock(&tx, organization, site).await?;
        let mut table = Table::load(&tx, site.id).await?;
        let row = change(&table)?;
        table.put(row.clone(), &targets)?;
        table.save(&tx).await?;
        let site = sites::store::update(&tx, site).await?;
        let payload =
            json!({ "redirect": row.id, "source": row.source, "draft": row.draft, "destination": row.destination });
        Changed::of(target(&site), row).with(payload)
    };
    kernel.write(&access.caller, work).await
}

fn of(site: SiteId) -> Select<Entity> {
    Entity::find().filter(Column::SiteId.eq(site))
}

fn view(row: Model) -> Result<SiteRedirect, ApiError> {
    let mut destination: SiteRedirectDestination = serde_json::from_value(row.destination)?;
    if let SiteRedirectDestination::SiteRedirectToSection(to) = &mut destination
        && let Ok(section) = to.site_section_id.parse::<SiteSectionId>()
    {
        // As the section itself shows it, although the request may have named it in another form.
        to.site_section_id = section.to_string();
    }
    Ok(SiteRedirect {
        object: Default::default(),
        id: row.id.to_string(),
        source: row.source,
        draft: row.draft,
        capture_wildcard: row.capture_wildcard,
        permanent: row.permanent,
        destination,
        created_at: time(row.created_at),
        updated_at: Some(time(row.updated_at)),
    })
}

fn unknown() -> ApiError {
    ApiError::not_found("redirect")
}
