"""A site that publishes a space, and a visitor who reads it."""

import os

from bindery_client import AuthenticatedClient
from bindery_client.api.published_content import (
    get_published_content_site,
    get_site_publishing_preview_by_id,
    resolve_published_content_by_url,
)
from bindery_client.api.site_redirects import create_site_redirect, get_site_redirect_by_source
from bindery_client.api.site_search import search_site_content
from bindery_client.api.sites import create_site, get_site_by_id, publish_site, unpublish_site
from bindery_client.models.create_site import CreateSite
from bindery_client.models.create_site_redirect import CreateSiteRedirect
from bindery_client.models.published_content_lookup import PublishedContentLookup
from bindery_client.models.published_content_site import PublishedContentSite
from bindery_client.models.published_site_content import PublishedSiteContent
from bindery_client.models.search_site_in_scope import SearchSiteInScope
from bindery_client.models.search_space_result_list import SearchSpaceResultList
from bindery_client.models.site import Site
from bindery_client.models.site_preview import SitePreview
from bindery_client.models.site_redirect_match import SiteRedirectMatch
from bindery_client.models.site_redirect_to_site_space import SiteRedirectToSiteSpace
from bindery_client.models.site_search_specific import SiteSearchSpecific
from bindery_client.models.site_structure_site_spaces import SiteStructureSiteSpaces


def publish(client: AuthenticatedClient, organization: str, space: str) -> None:
    created = create_site.sync(organization, client=client, body=CreateSite(title="Manuals", spaces=[space]))
    assert isinstance(created, Site), created
    site = created.id
    published = publish_site.sync(organization, site, client=client)
    assert isinstance(published, Site), published
    address = published.urls.published
    assert isinstance(address, str)

    found = find(client, address)
    assert found.space == space
    visitor = AuthenticatedClient(base_url=os.environ["BINDERY_URL"], token=found.api_token)
    shown = get_published_content_site.sync(organization, site, client=visitor)
    assert isinstance(shown, PublishedContentSite), shown
    assert isinstance(shown.structure, SiteStructureSiteSpaces), shown.structure
    item = shown.structure.structure[0]
    assert item.space.id == space
    scope = SiteSearchSpecific(mode="specific", site_space_ids=[item.id])
    results = search_site_content.sync(organization, site, client=visitor, body=SearchSiteInScope(query="fing", scope=scope))
    assert isinstance(results, SearchSpaceResultList), results
    assert results.items[0].pages[0].title == "Changing the fingers"
    assert get_site_by_id.sync_detailed(organization, site, client=visitor).status_code == 401

    destination = SiteRedirectToSiteSpace(kind="site-space", site_space_id=item.id)
    redirect = CreateSiteRedirect(source="/former", destination=destination)
    assert create_site_redirect.sync_detailed(organization, site, client=client, body=redirect).status_code == 201
    target = get_site_redirect_by_source.sync(organization, site, client=visitor, source="/former")
    assert isinstance(target, SiteRedirectMatch), target
    assert target.target == address

    unpublish_site.sync(organization, site, client=client)
    assert get_published_content_site.sync_detailed(organization, site, client=visitor).status_code == 404
    preview = get_site_publishing_preview_by_id.sync(organization, site, client=client)
    assert isinstance(preview, SitePreview), preview
    assert find(client, preview.url).space == space


def find(client: AuthenticatedClient, url: str) -> PublishedSiteContent:
    found = resolve_published_content_by_url.sync(client=client, body=PublishedContentLookup(url=url))
    assert isinstance(found, PublishedSiteContent), found
    return found
