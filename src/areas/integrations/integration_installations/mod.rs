//! Installations of integrations on organizations, and on their spaces and sites.

pub mod configuration;
mod events;
pub mod installed;
mod lists;
pub mod store;
pub mod view;
mod write;
pub mod write_at_place;

use entity::integrations::{content_installations, installations};
use openapi::{
    answer::Created,
    error::ApiError,
    list::Page,
    models::{
        InstallIntegration, InstallIntegrationOnSite, InstallIntegrationOnSpace, InstalledIntegrationList,
        IntegrationInstallation, IntegrationInstallationList, IntegrationList, IntegrationSiteInstallation,
        IntegrationSiteInstallationList, IntegrationSpaceInstallation, IntegrationSpaceInstallationList,
        OrganizationInstallationList, OrganizationIntegrationStatus, SpaceIntegrationBlocks,
        UpdateIntegrationContentInstallation, UpdateIntegrationInstallation,
    },
    operations::integration_installations::{
        GetIntegrationSiteInstallationQuery, GetIntegrationSpaceInstallationQuery, InstallIntegrationOnSiteQuery,
        InstallIntegrationOnSpaceQuery, IntegrationInstallationsApi, ListIntegrationInstallationSitesQuery,
        ListIntegrationInstallationSpacesQuery, ListIntegrationInstallationsQuery,
        ListIntegrationSiteInstallationsQuery, ListIntegrationSpaceInstallationsQuery,
        ListOrganizationInstallationsQuery, ListOrganizationIntegrationsStatusQuery, ListSpaceIntegrationsQuery,
        UpdateIntegrationSiteInstallationQuery, UpdateIntegrationSpaceInstallationQuery,
    },
};

use crate::{
    access::{OrganizationAccess, SpaceAccess},
    areas::integrations::{
        Integrations,
        installation_access::{
            DeletableInstallationAccess, DeletablePlaceInstallationAccess, InstallationAccess,
            InstallationTargetAccess, PlaceInstallationAccess, unknown,
        },
        integration_access::{IntegrationAccess, find_by_name},
        integrations::manifest::Manifest,
        place::{Place, PlaceKind},
    },
    kernel::{lists::List, wire::ToWire},
};

impl IntegrationInstallationsApi for Integrations {
    async fn list_integration_installations(
        &self,
        access: IntegrationAccess,
        query: ListIntegrationInstallationsQuery,
    ) -> Result<IntegrationInstallationList, ApiError> {
        let ListIntegrationInstallationsQuery {
            page,
            limit,
            external_id,
        } = query;
        let scope = ("installations", access.row.id, access.caller.user_id, &external_id);
        let list = List::new(&self.kernel, scope, page, limit);
        let (caller, integration) = (&access.caller, &access.row);
        let page = lists::of_integration(&self.kernel, list, caller, integration, external_id.as_deref());
        Ok(page.await?.into())
    }

    async fn install_integration(
        &self,
        access: InstallationTargetAccess,
        _: InstallIntegration,
    ) -> Result<Created<IntegrationInstallation>, ApiError> {
        let name = access.integration.name.clone();
        let row = write::install(&self.kernel, access).await?;
        let body = view::installation(&self.kernel, &name, &row).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_integration_installation_by_id(
        &self,
        access: InstallationAccess,
    ) -> Result<IntegrationInstallation, ApiError> {
        view::installation(&self.kernel, &access.integration.name, &access.installation).await
    }

    async fn update_integration_installation(
        &self,
        access: InstallationAccess,
        body: UpdateIntegrationInstallation,
    ) -> Result<IntegrationInstallation, ApiError> {
        let name = access.integration.name.clone();
        let row = write::update(&self.kernel, access, body).await?;
        view::installation(&self.kernel, &name, &row).await
    }

    async fn uninstall_integration(&self, access: DeletableInstallationAccess) -> Result<(), ApiError> {
        write::uninstall(&self.kernel, access).await
    }

    async fn list_integration_installation_spaces(
        &self,
        access: InstallationAccess,
        query: ListIntegrationInstallationSpacesQuery,
    ) -> Result<IntegrationSpaceInstallationList, ApiError> {
        let ListIntegrationInstallationSpacesQuery { page, limit, extended } = query;
        let page = self.places(&access, PlaceKind::Space, page, limit).await?;
        self.space_page(&access.integration.name, page, extended).await
    }

    async fn install_integration_on_space(
        &self,
        access: PlaceInstallationAccess,
        query: InstallIntegrationOnSpaceQuery,
        _: InstallIntegrationOnSpace,
    ) -> Result<Created<IntegrationSpaceInstallation>, ApiError> {
        let name = access.integration.name.clone();
        let row = write_at_place::install(&self.kernel, access, "/body/space").await?;
        let body = self.space_installation(&name, row, query.extended).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_integration_space_installation(
        &self,
        access: PlaceInstallationAccess,
        query: GetIntegrationSpaceInstallationQuery,
    ) -> Result<IntegrationSpaceInstallation, ApiError> {
        let row = self.at_place(&access).await?;
        self.space_installation(&access.integration.name, row, query.extended)
            .await
    }

    async fn update_integration_space_installation(
        &self,
        access: PlaceInstallationAccess,
        query: UpdateIntegrationSpaceInstallationQuery,
        body: UpdateIntegrationContentInstallation,
    ) -> Result<IntegrationSpaceInstallation, ApiError> {
        let name = access.integration.name.clone();
        let row = write_at_place::update(&self.kernel, access, body).await?;
        self.space_installation(&name, row, query.extended).await
    }

    async fn uninstall_integration_from_space(&self, access: DeletablePlaceInstallationAccess) -> Result<(), ApiError> {
        write_at_place::uninstall(&self.kernel, access).await
    }

    async fn list_integration_installation_sites(
        &self,
        access: InstallationAccess,
        query: ListIntegrationInstallationSitesQuery,
    ) -> Result<IntegrationSiteInstallationList, ApiError> {
        let ListIntegrationInstallationSitesQuery { page, limit, extended } = query;
        let page = self.places(&access, PlaceKind::Site, page, limit).await?;
        self.site_page(&access.integration.name, page, extended).await
    }

    async fn install_integration_on_site(
        &self,
        access: PlaceInstallationAccess,
        query: InstallIntegrationOnSiteQuery,
        _: InstallIntegrationOnSite,
    ) -> Result<Created<IntegrationSiteInstallation>, ApiError> {
        let name = access.integration.name.clone();
        let row = write_at_place::install(&self.kernel, access, "/body/siteId").await?;
        let body = self.site_installation(&name, row, query.extended).await?;
        Ok(Created {
            location: body.urls.location.clone(),
            body,
        })
    }

    async fn get_integration_site_installation(
        &self,
        access: PlaceInstallationAccess,
        query: GetIntegrationSiteInstallationQuery,
    ) -> Result<IntegrationSiteInstallation, ApiError> {
        let row = self.at_place(&access).await?;
        self.site_installation(&access.integration.name, row, query.extended)
            .await
    }

    async fn update_integration_site_installation(
        &self,
        access: PlaceInstallationAccess,
        query: UpdateIntegrationSiteInstallationQuery,
        body: UpdateIntegrationContentInstallation,
    ) -> Result<IntegrationSiteInstallation, ApiError> {
        let name = access.integration.name.clone();
        let row = write_at_place::update(&self.kernel, access, body).await?;
        self.site_installation(&name, row, query.extended).await
    }

    async fn uninstall_integration_from_site(&self, access: DeletablePlaceInstallationAccess) -> Result<(), ApiError> {
        write_at_place::uninstall(&self.kernel, access).await
    }

    async fn list_integration_space_installations(
        &self,
        access: IntegrationAccess,
        query: ListIntegrationSpaceInstallationsQuery,
    ) -> Result<IntegrationSpaceInstallationList, ApiError> {
        let ListIntegrationSpaceInstallationsQuery {
            page,
            limit,
            external_id,
            extended,
        } = query;
        let page = self
            .installed_places(&access, PlaceKind::Space, (page, limit), external_id)
            .await?;
        self.space_page(&access.row.name, page, extended).await
    }

    async fn list_integration_site_installations(
        &self,
        access: IntegrationAccess,
        query: ListIntegrationSiteInstallationsQuery,
    ) -> Result<IntegrationSiteInstallationList, ApiError> {
        let ListIntegrationSiteInstallationsQuery {
            page,
            limit,
            external_id,
            extended,
        } = query;
        let page = self
            .installed_places(&access, PlaceKind::Site, (page, limit), external_id)
            .await?;
        self.site_page(&access.row.name, page, extended).await
    }

    async fn list_organization_installations(
        &self,
        access: OrganizationAccess,
        query: ListOrganizationInstallationsQuery,
    ) -> Result<OrganizationInstallationList, ApiError> {
        let ListOrganizationInstallationsQuery { page, limit, search } = query;
        let page = lists::of_organization(&self.kernel, &access, page, limit, search.as_deref());
        Ok(page.await?.into())
    }

    async fn list_organization_integrations_status(
        &self,
        access: OrganizationAccess,
        query: ListOrganizationIntegrationsStatusQuery,
    ) -> Result<InstalledIntegrationList, ApiError> {
        Ok(lists::statuses(self, &access, query).await?.into())
    }

    async fn get_organization_integration_status(
        &self,
        access: OrganizationAccess,
        integration_name: String,
    ) -> Result<OrganizationIntegrationStatus, ApiError> {
        let db = self.kernel.db.read();
        let integration = find_by_name(db, &integration_name).await?;
        let integration = integration.ok_or_else(unknown)?;
        let installation = store::find_on(db, integration.id, access.organization).await?;
        Ok(OrganizationIntegrationStatus {
            status: installation.ok_or_else(unknown)?.status.to_wire(),
        })
    }

    async fn list_space_integrations(
        &self,
        access: SpaceAccess,
        query: ListSpaceIntegrationsQuery,
    ) -> Result<IntegrationList, ApiError> {
        let place = Place::Space(access.row.node.id);
        let organization = access.row.node.organization_id;
        installed::list(
            &self.kernel,
            &access.caller,
            (organization, place),
            query.search.as_deref(),
        )
        .await
    }

    async fn list_space_integrations_blocks(
        &self,
        access: SpaceAccess,
    ) -> Result<Vec<SpaceIntegrationBlocks>, ApiError> {
        let node = access.row.node;
        let installed = store::installed_on(self.kernel.db.read(), node.organization_id, Place::Space(node.id)).await?;
        let mut blocks = Vec::new();
        for (integration, _) in installed.into_iter().filter(|(integration, _)| integration.has_blocks) {
            let manifest: Manifest = serde_json::from_value(integration.manifest)?;
            blocks.push(SpaceIntegrationBlocks {
                name: integration.name,
                blocks: manifest.blocks,
            });
        }
        Ok(blocks)
    }
}

type Places = Page<content_installations::Model>;

impl Integrations {
    /// The spaces or sites of an installation.
    async fn places(
        &self,
        access: &InstallationAccess,
        kind: PlaceKind,
        page: Option<String>,
        limit: u32,
    ) -> Result<Places, ApiError> {
        let InstallationAccess {
            integration,
            installation,
            ..
        } = access;
        let selection = kind.selection(installation) == installations::InstallationSelection::All;
        let scope = ("installation-places", installation.id, kind, selection);
        let list = List::new(&self.kernel, scope, page, limit);
        lists::places(&self.kernel, list, (integration, installation), kind).await
    }

    /// The spaces or sites of all installations that the caller may change.
    async fn installed_places(
        &self,
        access: &IntegrationAccess,
        kind: PlaceKind,
        (page, limit): (Option<String>, u32),
        external_id: Option<String>,
    ) -> Result<Places, ApiError> {
        let (caller, integration) = (&access.caller, &access.row);
        let scope = ("integration-places", integration.id, kind, caller.user_id, &external_id);
        let list = List::new(&self.kernel, scope, page, limit);
        lists::of_integration_at(list, caller, integration, kind, external_id.as_deref()).await
    }

    async fn space_page(
        &self,
        name: &str,
        page: Places,
        extended: bool,
    ) -> Result<IntegrationSpaceInstallationList, ApiError> {
        let Page { items, count, next } = page;
        let items = view::space_installations(&self.kernel, name, items, extended).await?;
        Ok(Page { items, count, next }.into())
    }

    async fn site_page(
        &self,
        name: &str,
        page: Places,
        extended: bool,
    ) -> Result<IntegrationSiteInstallationList, ApiError> {
        let Page { items, count, next } = page;
        let items = view::site_installations(&self.kernel, name, items, extended).await?;
        Ok(Page { items, count, next }.into())
    }

    async fn at_place(&self, access: &PlaceInstallationAccess) -> Result<content_installations::Model, ApiError> {
        let PlaceInstallationAccess {
            integration,
            installation,
            place,
            ..
        } = access;
        let db = self.kernel.db.read();
        let row = write_at_place::find(db, &self.kernel, integration, installation, *place).await?;
        row.ok_or_else(unknown)
    }

    async fn space_installation(
        &self,
        name: &str,
        row: content_installations::Model,
        extended: bool,
    ) -> Result<IntegrationSpaceInstallation, ApiError> {
        let views = view::space_installations(&self.kernel, name, vec![row], extended).await?;
        views.into_iter().next().ok_or_else(unknown)
    }

    async fn site_installation(
        &self,
        name: &str,
        row: content_installations::Model,
        extended: bool,
    ) -> Result<IntegrationSiteInstallation, ApiError> {
        let views = view::site_installations(&self.kernel, name, vec![row], extended).await?;
        views.into_iter().next().ok_or_else(unknown)
    }
}
