//! Absolute URLs in answers.

use content::pages::File;
use entity::ids::{
    AuditEventId, ChangeRequestId, CommentId, ConversationId, ConversationIssueId, CustomFontId, GitInstallationId,
    GlossaryEntryId, ImportRunId, IntegrationInstallationId, InviteId, IssuesClusterId, NodeId, OpenapiSpecId,
    OpenapiSpecVersionId, OrganizationId, PageId, PdfExportId, ReviewId, RevisionId, SamlProviderId, ShareLinkId,
    SiteExternalLinkId, SiteId, SiteMcpServerId, SiteRedirectId, SiteSectionGroupId, SiteSectionId, SiteSpaceId,
    TeamId, TokenId, TranslationId, UserId, WebhookId,
};
use entity::{publishing::sites, timestamp::Timestamp};
use platform::{
    blobs::{FileLink, FileLinks},
    config::SitesAddress,
    hash::Hash,
};
use url::Url;

use crate::kernel::{document_links::DocumentLinks, pdf_links::PdfLinks};

/// The part of addresses before the id of the site that a preview shows.
pub const PREVIEW: &str = "preview";

/// The path at which visitors of a site sign in, below the endpoint of the installation of an integration. Scripts choose other paths
/// themselves.
pub const VISITOR_AUTH_PATH: &str = "/~visitor-auth";

#[derive(Clone, Debug)]
pub struct Urls {
    /// Without a trailing slash.
    base: String,
    files: FileLinks,
    openapi_documents: DocumentLinks,
    pdf: PdfLinks,
    sites: SitesAddress,
}

impl Urls {
    pub fn new(
        public_url: &Url,
        files: FileLinks,
        openapi_documents: DocumentLinks,
        pdf: PdfLinks,
        sites: SitesAddress,
    ) -> Self {
        Self {
            base: public_url.as_str().trim_end_matches('/').to_owned(),
            files,
            openapi_documents,
            pdf,
            sites,
        }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns whether an address belongs to this service.
    pub fn is_own(&self, address: &str) -> bool {
        let rest = address.strip_prefix(&self.base);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    }

    /// The path at which clients reach a path of this server, which may have others before it.
    pub fn public_path(&self, path: &str) -> String {
        let host_and_path = self.base.split_once("://").map_or("", |(_, rest)| rest);
        match host_and_path.split_once('/') {
            Some((_, before)) => format!("/{before}{path}"),
            None => path.to_owned(),
        }
    }

    pub fn user(&self, user: UserId) -> String {
        format!("{}/v1/users/{user}", self.base)
    }

    pub fn organization(&self, organization: OrganizationId) -> String {
        format!("{}/v1/orgs/{organization}", self.base)
    }

    pub fn agent_instructions(&self, organization: OrganizationId) -> String {
        format!("{}/v1/orgs/{organization}/agent-instructions", self.base)
    }

    pub fn space(&self, space: NodeId) -> String {
        format!("{}/v1/spaces/{space}", self.base)
    }

    pub fn change_request(&self, space: NodeId, request: ChangeRequestId) -> String {
        format!("{}/v1/spaces/{space}/change-requests/{request}", self.base)
    }

    pub fn conflicts(&self, space: NodeId, request: ChangeRequestId) -> String {
        format!("{}/conflicts", self.change_request(space, request))
    }

    pub fn review(&self, space: NodeId, request: ChangeRequestId, review: ReviewId) -> String {
        format!("{}/reviews/{review}", self.change_request(space, request))
    }

    /// A comment on the content of a space or of a change request.
    pub fn comment(&self, space: NodeId, request: Option<ChangeRequestId>, comment: CommentId) -> String {
        let place = match request {
            Some(request) => self.change_request(space, request),
            None => self.space(space),
        };
        format!("{place}/comments/{comment}")
    }

    pub fn collection(&self, collection: NodeId) -> String {
        format!("{}/v1/collections/{collection}", self.base)
    }

    pub fn page(&self, space: NodeId, page: PageId) -> String {
        format!("{}/v1/spaces/{space}/content/page/{page}", self.base)
    }

    pub fn revision(&self, space: NodeId, revision: RevisionId) -> String {
        format!("{}/v1/spaces/{space}/revisions/{revision}", self.base)
    }

    /// The download of a file. It is signed instead of needing a token, so that a browser can show the file.
    pub fn file(&self, space: NodeId, file: &File) -> String {
        let link = FileLink {
            space,
            hash: file.blob,
            name: &file.name,
            content_type: &file.content_type,
        };
        format!("{}{}", self.base, self.files.path(&link))
    }

    /// The signatures of the URLs of files.
    pub fn files(&self) -> &FileLinks {
        &self.files
    }

    pub fn team(&self, organization: OrganizationId, team: TeamId) -> String {
        format!("{}/teams/{team}", self.organization(organization))
    }

    pub fn saml_provider(&self, organization: OrganizationId, provider: SamlProviderId) -> String {
        format!("{}/saml/{provider}", self.organization(organization))
    }

    /// A page for the sign-in by a provider: `metadata`, `start` or `acs`.
    pub fn saml_page(&self, provider: SamlProviderId, page: &str) -> String {
        format!("{}/saml/{provider}/{page}", self.base)
    }

    pub fn site(&self, organization: OrganizationId, site: SiteId) -> String {
        format!("{}/sites/{site}", self.organization(organization))
    }

    pub fn site_space(&self, organization: OrganizationId, site: SiteId, item: SiteSpaceId) -> String {
        format!("{}/site-spaces/{item}", self.site(organization, site))
    }

    pub fn site_section(&self, organization: OrganizationId, site: SiteId, item: SiteSectionId) -> String {
        format!("{}/sections/{item}", self.site(organization, site))
    }

    pub fn site_section_group(&self, organization: OrganizationId, site: SiteId, item: SiteSectionGroupId) -> String {
        format!("{}/section-groups/{item}", self.site(organization, site))
    }

    pub fn site_external_link(&self, organization: OrganizationId, site: SiteId, item: SiteExternalLinkId) -> String {
        format!("{}/external-links/{item}", self.site(organization, site))
    }

    pub fn share_link(&self, organization: OrganizationId, site: SiteId, link: ShareLinkId) -> String {
        format!("{}/share-links/{link}", self.site(organization, site))
    }

    pub fn site_redirect(&self, organization: OrganizationId, site: SiteId, redirect: SiteRedirectId) -> String {
        format!("{}/redirects/{redirect}", self.site(organization, site))
    }

    pub fn site_mcp_server(&self, organization: OrganizationId, site: SiteId, server: SiteMcpServerId) -> String {
        format!("{}/mcp-servers/{server}", self.site(organization, site))
    }

    pub fn git_installation(&self, installation: GitInstallationId) -> String {
        format!("{}/v1/git/installations/{installation}", self.base)
    }

    pub fn webhook(&self, organization: OrganizationId, webhook: WebhookId) -> String {
        format!("{}/webhooks/{webhook}", self.organization(organization))
    }

    pub fn translation(&self, organization: OrganizationId, translation: TranslationId) -> String {
        format!("{}/translations/{translation}", self.organization(organization))
    }

    pub fn import_run(&self, organization: OrganizationId, run: ImportRunId) -> String {
        format!("{}/v1/org/{organization}/imports/{run}", self.base)
    }

    pub fn glossary_entry(&self, organization: OrganizationId, entry: GlossaryEntryId) -> String {
        format!("{}/translations-glossary/{entry}", self.organization(organization))
    }

    pub fn custom_font(&self, organization: OrganizationId, font: CustomFontId) -> String {
        format!("{}/fonts/{font}", self.organization(organization))
    }

    /// A file of a font. It needs no token.
    pub fn font_file(&self, font: CustomFontId, hash: Hash, format: &str) -> String {
        format!("{}/files/fonts/{font}/{hash}.{format}", self.base)
    }

    pub fn custom_hostname(&self, hostname: &str) -> String {
        format!("{}/v1/custom-hostnames/{hostname}", self.base)
    }

    /// Returns whether a host is that of the server itself, or that of all sites.
    pub fn is_server_host(&self, host: &str) -> bool {
        let own = Url::parse(&self.base).ok();
        own.is_some_and(|own| own.host_str() == Some(host)) || self.sites.host().as_deref() == Some(host)
    }

    /// Returns whether a host is one of the server itself, or one at which it serves sites by their names.
    pub fn is_own_host(&self, host: &str) -> bool {
        let own = Url::parse(&self.base).ok();
        own.is_some_and(|own| own.host_str() == Some(host)) || self.sites.is_served_at(host)
    }

    /// The address of this site for readers, which ends with a slash.
    pub fn site_for_readers(&self, site: &sites::Model) -> String {
        self.published_site(site.active_proxy.as_deref(), site.hostname.as_deref(), &site.basename)
    }

    /// The address of a site for readers, which ends with a slash.
    pub fn published_site(&self, proxy: Option<&str>, hostname: Option<&str>, basename: &str) -> String {
        match (proxy, hostname) {
            (Some(proxy), _) => format!("https://{proxy}/"),
            (None, Some(hostname)) => format!("https://{hostname}/"),
            (None, None) => self.sites.of(basename),
        }
    }

    /// The beginning of the addresses of previews of a site, with a slash at its end.
    pub fn site_preview(&self, site: SiteId) -> String {
        let sites = self.sites.of(PREVIEW);
        // Names of sites are in hosts, too.
        match sites.ends_with(&format!("/{PREVIEW}/")) {
            true => format!("{sites}{site}/"),
            false => format!("{sites}{PREVIEW}/{site}/"),
        }
    }

    /// Where sites are served to readers.
    pub fn sites(&self) -> &SitesAddress {
        &self.sites
    }

    pub fn conversation(&self, organization: OrganizationId, conversation: ConversationId) -> String {
        format!("{}/conversations/{conversation}", self.organization(organization))
    }

    pub fn conversation_issue(&self, organization: OrganizationId, issue: ConversationIssueId) -> String {
        format!("{}/conversations-issues/{issue}", self.organization(organization))
    }

    pub fn issues_cluster(&self, organization: OrganizationId, cluster: IssuesClusterId) -> String {
        format!("{}/conversations-clusters/{cluster}", self.organization(organization))
    }

    pub fn openapi_spec(&self, organization: OrganizationId, slug: &str) -> String {
        format!("{}/openapi/{slug}", self.organization(organization))
    }

    pub fn openapi_spec_version(&self, organization: OrganizationId, slug: &str, id: OpenapiSpecVersionId) -> String {
        format!("{}/versions/{id}", self.openapi_spec(organization, slug))
    }

    /// The latest document of a public specification.
    pub fn published_openapi_spec(&self, spec: OpenapiSpecId) -> String {
        format!("{}/openapi/{spec}", self.base)
    }

    /// The document of a version. It is signed instead of needing a token.
    pub fn openapi_document(&self, version: OpenapiSpecVersionId) -> String {
        format!("{}{}", self.base, self.openapi_documents.path(version))
    }

    /// The signatures of the URLs of documents.
    pub fn openapi_documents(&self) -> &DocumentLinks {
        &self.openapi_documents
    }

    /// The PDF of an export. It is signed instead of needing a token, and expires.
    pub fn pdf(&self, export: PdfExportId, now: Timestamp) -> String {
        format!("{}{}", self.base, self.pdf.path(export, now))
    }

    /// The signatures of the URLs of PDFs.
    pub fn pdf_links(&self) -> &PdfLinks {
        &self.pdf
    }

    pub fn integration(&self, name: &str) -> String {
        format!("{}/v1/integrations/{name}", self.base)
    }

    /// The beginning of the addresses of the icon and the preview images of an integration. They need no token.
    pub fn integration_assets(&self, name: &str) -> String {
        format!("{}/integration-assets/{name}/", self.base)
    }

    /// Where the script of an integration answers requests.
    pub fn integration_endpoint(&self, name: &str) -> String {
        format!("{}/integrations/{name}", self.base)
    }

    pub fn installation(&self, name: &str, installation: IntegrationInstallationId) -> String {
        format!("{}/v1/integrations/{name}/installations/{installation}", self.base)
    }

    /// Where the script of an integration answers requests for an installation; likewise the addresses below it.
    pub fn installation_endpoint(&self, name: &str, installation: IntegrationInstallationId) -> String {
        format!("{}/integrations/{name}/installations/{installation}", self.base)
    }

    pub fn space_installation(&self, name: &str, installation: IntegrationInstallationId, space: NodeId) -> String {
        format!("{}/spaces/{space}", self.installation(name, installation))
    }

    pub fn space_installation_endpoint(
        &self,
        name: &str,
        installation: IntegrationInstallationId,
        space: NodeId,
    ) -> String {
        format!("{}/spaces/{space}", self.installation_endpoint(name, installation))
    }

    pub fn site_installation(&self, name: &str, installation: IntegrationInstallationId, site: SiteId) -> String {
        format!("{}/sites/{site}", self.installation(name, installation))
    }

    pub fn site_installation_endpoint(
        &self,
        name: &str,
        installation: IntegrationInstallationId,
        site: SiteId,
    ) -> String {
        format!("{}/sites/{site}", self.installation_endpoint(name, installation))
    }

    pub fn token(&self, token: TokenId) -> String {
        format!("{}/v1/user/tokens/{token}", self.base)
    }

    pub fn user_event(&self, event: AuditEventId) -> String {
        format!("{}/v1/user/audit-events/{}", self.base, event.as_uuid())
    }

    pub fn link_invite(&self, organization: OrganizationId, invite: InviteId) -> String {
        format!("{}/link-invites/{invite}", self.organization(organization))
    }

    /// The invite link that a user joins with.
    pub fn invite(&self, organization: OrganizationId, invite: InviteId) -> String {
        format!("{}/v1/orgs/{organization}/invites/{invite}", self.base)
    }

    /// The organization for a person with a browser; likewise the objects below.
    pub fn organization_page(&self, organization: OrganizationId) -> String {
        let ids = format!("organizationId={organization}");
        self.operation_page("organizations", "getOrganizationById", &ids)
    }

    pub fn space_page(&self, space: NodeId) -> String {
        self.operation_page("spaces", "getSpaceById", &format!("spaceId={space}"))
    }

    pub fn collection_page(&self, collection: NodeId) -> String {
        let ids = format!("collectionId={collection}");
        self.operation_page("collections", "getCollectionById", &ids)
    }

    pub fn change_request_page(&self, space: NodeId, request: ChangeRequestId) -> String {
        let ids = format!("spaceId={space}&changeRequestId={request}");
        self.operation_page("change-requests", "getChangeRequestById", &ids)
    }

    pub fn page_page(&self, space: NodeId, page: PageId) -> String {
        let ids = format!("spaceId={space}&pageId={page}");
        self.operation_page("content", "getPageById", &ids)
    }

    pub fn revision_page(&self, space: NodeId, revision: RevisionId) -> String {
        let ids = format!("spaceId={space}&revisionId={revision}");
        self.operation_page("revisions", "getRevisionById", &ids)
    }

    pub fn site_page(&self, organization: OrganizationId, site: SiteId) -> String {
        let ids = format!("organizationId={organization}&siteId={site}");
        self.operation_page("sites", "getSiteById", &ids)
    }

    pub fn issues_cluster_page(&self, organization: OrganizationId, cluster: IssuesClusterId) -> String {
        let ids = format!("organizationId={organization}&clusterId={cluster}");
        self.operation_page("conversations", "getConversationsIssuesCluster", &ids)
    }

    pub fn openapi_spec_page(&self, organization: OrganizationId, slug: &str) -> String {
        let ids = format!("organizationId={organization}&specSlug={slug}");
        self.operation_page("openapi-specs", "getOpenAPISpecBySlug", &ids)
    }

    pub fn integration_page(&self, name: &str) -> String {
        self.operation_page(
            "integrations",
            "getIntegrationByName",
            &format!("integrationName={name}"),
        )
    }

    pub fn installation_page(&self, name: &str, installation: IntegrationInstallationId) -> String {
        let ids = format!("integrationName={name}&installationId={installation}");
        self.operation_page("integration-installations", "getIntegrationInstallationById", &ids)
    }

    /// The section of the documentation page about an operation, with these ids filled in.
    fn operation_page(&self, tag: &str, operation: &str, ids: &str) -> String {
        format!("{}/docs/?{ids}#/{tag}/{operation}", self.base)
    }
}
