//! Sites, which publish spaces of their organization.

pub mod create;
mod proxies;
mod proxy_job;
pub mod store;
pub mod view;

use entity::{
    ids::SiteId,
    organizations::members::MemberRole,
    publishing::sites::{Column, Entity, Model, SiteVisibility},
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorRule},
    guard::OrganizationLevel,
    models::{CreateSite, SCANNED_TO, Site, SiteAdaptiveContent, SiteAgentsContext, SiteList, UpdateSite},
    operations::sites::{ListSitesQuery, SitesApi},
    values::Maybe,
};
use platform::db::{Keyset, Scan, fold, rows};
use sea_orm::Select;
use serde_json::json;

pub use self::proxy_job::CheckProxies;

use self::proxies::NewProxy;
use crate::{
    access::{OrganizationAccess, site_levels},
    areas::{
        joins::address_names::is_of_other_organization,
        publishing::{
            Publishing,
            guard::SiteAccess,
            layout::Layout,
            structure::{
                self,
                edit::unknown_item,
                site::{lock, of, spaces_of, target},
            },
        },
    },
    kernel::{Kernel, audit::Changed, hooks::SitePublishing, lists::List, urls::Urls, wire::ToStored},
};

impl SitesApi for Publishing {
    async fn list_sites(&self, access: OrganizationAccess, query: ListSitesQuery) -> Result<SiteList, ApiError> {
        let ListSitesQuery {
            page,
            limit,
            space,
            title,
            published,
            r#type,
        } = query;
        let scope = ("sites", access.organization, space, &title, published, &r#type);
        let list = List::new(&self.kernel, scope, page, limit);
        let plans = r#type
            .as_ref()
            .map(|plans| plans.iter().copied().map(ToStored::to_stored).collect());
        let filters = store::SiteFilters {
            space,
            title: title.clone(),
            published,
            plans,
        };
        let member = access.member();
        let rows = filters.rows(&member);
        let (db, order) = (self.kernel.db.read(), Keyset::descending([(Entity, Column::Id)]));
        let (run, key) = (|query: Select<Entity>| query.all(db), |row: &Model| row.id);
        let (page, count) = if filters.need_scan() {
            let scan = Scan::new(rows, order, |sites| filters.apply(sites), SCANNED_TO);
            list.load_scan(&scan, run, key).await?
        } else {
            let page = order.page(rows.clone(), list.after()?, list.limit, run, key).await?;
            let count = list.count(rows, &page).await?;
            (page, count)
        };
        let sites = page.items.iter().map(|row| row.id).collect();
        let levels = site_levels::levels(db, &member, sites).await?;
        let view = |row: Model| view::site(&self.kernel.urls, &row, levels.on(row.id));
        Ok(list.answer(page, count, view)?.into())
    }

    async fn create_site(
        &self,
        access: OrganizationAccess,
        body: Option<CreateSite>,
    ) -> Result<Created<Site>, ApiError> {
        let row = create::create(&self.kernel, &access, body).await?;
        Ok(Created {
            location: self.kernel.urls.site(row.organization_id, row.id),
            body: view::site(&self.kernel.urls, &row, access.role),
        })
    }

    async fn get_site_by_id(&self, access: SiteAccess) -> Result<Site, ApiError> {
        Ok(view::site(&self.kernel.urls, &access.row, access.level))
    }

    async fn update_site_by_id(&self, access: SiteAccess, body: UpdateSite) -> Result<Site, ApiError> {
        require_short(&self.kernel.urls, body.basename.as_deref())?;
        let payload = serde_json::to_value(&body)?;
        let (organization, site, level) = (access.member.organization, access.row.id, access.level);
        let proxy = match body.proxy.clone().into_change() {
            Some(proxy) => Some(NewProxy::check(&self.kernel, organization, proxy).await?),
            None => None,
        };
        let hooks = self.kernel.hooks.clone();
        let work = move |tx| async move {
            let row = lock(&tx, organization, site).await?;
            require_publisher(level, &row, &body)?;
            let visibilities = hooks
                .visibility_changes(&tx, organization, &spaces_of(site, None))
                .await?;
            let before = Layout::load(&tx, site).await?;
            let mut after = before.clone();
            set_defaults(&mut after, &body)?;
            structure::store::save(&tx, &row, &before, &after).await?;
            if let Some(basename) = &body.basename
                && is_of_other_organization(&tx, organization, basename).await?
            {
                return Err(store::basename_is_taken());
            }
            let mut changed = apply(row, body);
            if let Some(proxy) = proxy {
                changed = proxy.set(&tx, changed).await?;
            }
            let row = store::update(&tx, changed).await?;
            hooks.visibility_changed(&tx, visibilities).await?;
            Changed::of(target(&row), row).with(payload)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(view::site(&self.kernel.urls, &row, level))
    }

    async fn delete_site_by_id(&self, access: OrganizationAccess, site_id: SiteId) -> Result<(), ApiError> {
        let (organization, hooks) = (access.organization, self.kernel.hooks.clone());
        let work = move |tx| async move {
            let Some(row) = rows::find(&tx, of(organization), site_id).await? else {
                return Ok(Changed::nothing(()));
            };
            let visibilities = hooks
                .visibility_changes(&tx, organization, &spaces_of(site_id, None))
                .await?;
            if row.published {
                hooks.site_published(&tx, publishing(&row, false)).await?;
            }
            hooks.site_removed(&tx, site_id).await?;
            store::remove(&tx, organization, site_id).await?;
            hooks.visibility_changed(&tx, visibilities).await?;
            Ok(Changed::of(target(&row), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn publish_site(&self, access: SiteAccess) -> Result<Site, ApiError> {
        set_published(&self.kernel, access, true).await
    }

    async fn unpublish_site(&self, access: SiteAccess) -> Result<Site, ApiError> {
        set_published(&self.kernel, access, false).await
    }
}

async fn set_published(kernel: &Kernel, access: SiteAccess, published: bool) -> Result<Site, ApiError> {
    let (organization, site, now) = (access.member.organization, access.row.id, kernel.clock.now());
    let hooks = kernel.hooks.clone();
    let work = move |tx| async move {
        let row = lock(&tx, organization, site).await?;
        if row.published == published {
            return Ok(Changed::nothing(row));
        }
        let visibilities = hooks
            .visibility_changes(&tx, organization, &spaces_of(site, None))
            .await?;
        let published_at = if published { Some(now) } else { row.published_at };
        let changed = Model {
            published,
            published_at,
            ..row
        };
        let row = store::update(&tx, changed).await?;
        hooks.site_published(&tx, publishing(&row, published)).await?;
        hooks.visibility_changed(&tx, visibilities).await?;
        Changed::of(target(&row), row).with(json!({ "published": published }))
    };
    let row = kernel.write(&access.caller, work).await?;
    kernel.jobs.wake();
    Ok(view::site(&kernel.urls, &row, access.level))
}

fn publishing(site: &Model, published: bool) -> SitePublishing {
    SitePublishing {
        organization: site.organization_id,
        site: site.id,
        published,
    }
}

/// Refuses a name that cannot be a part of the host, if the operator serves sites at hosts of their own.
fn require_short(urls: &Urls, basename: Option<&str>) -> Result<(), ApiError> {
    let (Some(basename), Some(longest)) = (basename, urls.sites().longest_name()) else {
        return Ok(());
    };
    if basename.len() <= longest {
        return Ok(());
    }
    let message = format!("`basename` is a part of the hostname of the site, which has at most {longest} characters.");
    Err(ApiError::invalid_member("/body/basename", ErrorRule::TooLong, message))
}

/// Requires what publishing needs of a member who makes a published site open to everyone, because its content becomes public, and
/// of one who gives levels to others.
fn require_publisher(level: Option<MemberRole>, site: &Model, change: &UpdateSite) -> Result<(), ApiError> {
    let after: Option<SiteVisibility> = change.visibility.map(ToStored::to_stored);
    let opens = after.is_some_and(is_open) && !is_open(site.visibility);
    let gives_levels = !matches!(change.default_level, Maybe::Absent);
    if (site.published && opens) || gives_levels {
        site_levels::require(level, OrganizationLevel::Admin)?;
    }
    Ok(())
}

/// Returns whether everyone reads a published site.
fn is_open(visibility: SiteVisibility) -> bool {
    match visibility {
        SiteVisibility::Public | SiteVisibility::Unlisted => true,
        SiteVisibility::ShareLink | SiteVisibility::VisitorAuth => false,
    }
}

/// The default site space is one of the default section, which the same request may choose.
fn set_defaults(layout: &mut Layout, change: &UpdateSite) -> Result<(), ApiError> {
    if let Some(section) = change.default_site_section {
        layout
            .section(section)
            .ok_or_else(|| unknown_item("/body/defaultSiteSection"))?;
        layout.set_default_section(section);
    }
    if let Some(item) = change.default_site_space {
        let section = layout.default_section().map(|section| section.id);
        let found = layout.site_space(item).filter(|item| item.section_id == section);
        found.ok_or_else(|| unknown_item("/body/defaultSiteSpace"))?;
        layout.set_default_site_space(item);
    }
    Ok(())
}

fn apply(row: Model, change: UpdateSite) -> Model {
    let UpdateSite {
        title,
        visibility,
        basename,
        adaptive_content,
        agents_context,
        default_level,
        styleguide,
        default_site_space: _,
        default_site_section: _,
        proxy: _,
    } = change;
    let visibility: Option<SiteVisibility> = visibility.map(ToStored::to_stored);
    let title = title.unwrap_or(row.title);
    Model {
        title_folded: fold(&title),
        title,
        visibility: visibility.unwrap_or(row.visibility),
        basename: basename.unwrap_or(row.basename),
        adaptive_content: adaptive_content.map_or(row.adaptive_content, |SiteAdaptiveContent { enabled }| enabled),
        in_agents_context: agents_context
            .map_or(row.in_agents_context, |context| context == SiteAgentsContext::Included),
        default_level: match default_level.into_change() {
            Some(level) => level.map(ToStored::to_stored),
            None => row.default_level,
        },
        styleguide: styleguide.into_change().unwrap_or(row.styleguide),
        ..row
    }
}
