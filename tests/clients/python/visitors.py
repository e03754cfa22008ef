"""A site with two sections, of which visitors see what their keys and claims open."""

import base64
import hashlib
import hmac
import json
import os
import time

from bindery_client import AuthenticatedClient
from bindery_client.api.published_content import get_published_content_site, resolve_published_content_by_url
from bindery_client.api.publishing_auth import (
    get_site_publishing_auth_by_id,
    regenerate_site_publishing_auth_by_id,
)
from bindery_client.api.share_links import create_site_share_link, update_site_share_link_by_id
from bindery_client.api.site_sections import add_section_to_site, update_site_section_by_id
from bindery_client.api.sites import create_site, publish_site, update_site_by_id
from bindery_client.api.spaces import create_space
from bindery_client.models.add_site_section import AddSiteSection
from bindery_client.models.create_share_link import CreateShareLink
from bindery_client.models.create_site import CreateSite
from bindery_client.models.create_space import CreateSpace
from bindery_client.models.published_content_lookup import PublishedContentLookup
from bindery_client.models.published_content_site import PublishedContentSite
from bindery_client.models.published_content_visitor import PublishedContentVisitor
from bindery_client.models.published_site_content import PublishedSiteContent
from bindery_client.models.share_link import ShareLink
from bindery_client.models.site import Site
from bindery_client.models.site_adaptive_content import SiteAdaptiveContent
from bindery_client.models.site_publishing_auth import SitePublishingAuth
from bindery_client.models.site_section import SiteSection
from bindery_client.models.site_structure_sections import SiteStructureSections
from bindery_client.models.site_visibility import SiteVisibility
from bindery_client.models.space import Space
from bindery_client.models.update_share_link import UpdateShareLink
from bindery_client.models.update_site import UpdateSite
from bindery_client.models.update_site_section import UpdateSiteSection


def admit(client: AuthenticatedClient, organization: str, space: str) -> None:
    created = create_site.sync(organization, client=client, body=CreateSite(title="Products"))
    assert isinstance(created, Site), created
    site = created.id
    inside = create_space.sync(organization, client=client, body=CreateSpace(title="Inside"))
    assert isinstance(inside, Space), inside

    def add(of: str, title: str) -> SiteSection:
        new = AddSiteSection(space_id=of, title=title)
        section = add_section_to_site.sync(organization, site, client=client, body=new)
        assert isinstance(section, SiteSection), section
        return section

    add(space, "Grippers")
    section = add(inside.id, "For staff")
    staff = UpdateSiteSection(condition="visitor.claims.staff == true")
    changed = update_site_section_by_id.sync(organization, site, section.id, client=client, body=staff)
    assert isinstance(changed, SiteSection), changed

    published = publish_site.sync(organization, site, client=client)
    assert isinstance(published, Site), published
    address = published.urls.published
    assert isinstance(address, str)
    share(client, organization, site, address)
    sign_in(client, organization, site, address)


def share(client: AuthenticatedClient, organization: str, site: str, address: str) -> None:
    """A share link opens the site until it is switched off."""
    change(client, organization, site, UpdateSite(visibility=SiteVisibility.SHARE_LINK))
    assert look_up(client, address) is None
    link = create_site_share_link.sync(organization, site, client=client, body=CreateShareLink(name="Partners"))
    assert isinstance(link, ShareLink), link
    found = look_up(client, link.urls.published)
    assert found is not None
    off = UpdateShareLink(active=False)
    ended = update_site_share_link_by_id.sync(organization, site, link.id, client=client, body=off)
    assert isinstance(ended, ShareLink) and not ended.active, ended
    assert look_up(client, link.urls.published) is None
    visitor = AuthenticatedClient(base_url=os.environ["BINDERY_URL"], token=found.api_token)
    assert get_published_content_site.sync_detailed(organization, site, client=visitor).status_code == 404


def sign_in(client: AuthenticatedClient, organization: str, site: str, address: str) -> None:
    """Claims that the site's key signed decide what a visitor sees, until there is another key."""
    adaptive = SiteAdaptiveContent(enabled=True)
    change(
        client, organization, site, UpdateSite(visibility=SiteVisibility.VISITOR_AUTH, adaptive_content=adaptive)
    )
    auth = get_site_publishing_auth_by_id.sync(organization, site, client=client)
    assert isinstance(auth, SitePublishingAuth), auth
    for claims, titles in (({}, ["Grippers"]), ({"staff": True}, ["Grippers", "For staff"])):
        token = signed({**claims, "exp": int(time.time()) + 60}, auth.private_key)
        found = look_up(client, address, PublishedContentVisitor(jwt_token=token))
        assert found is not None
        visitor = AuthenticatedClient(base_url=os.environ["BINDERY_URL"], token=found.api_token)
        shown = get_published_content_site.sync(organization, site, client=visitor)
        assert isinstance(shown, PublishedContentSite), shown
        assert isinstance(shown.structure, SiteStructureSections), shown.structure
        assert [entry.title for entry in shown.structure.structure] == titles

    renewed = regenerate_site_publishing_auth_by_id.sync(organization, site, client=client)
    assert isinstance(renewed, SitePublishingAuth), renewed
    assert get_published_content_site.sync_detailed(organization, site, client=visitor).status_code == 404
    assert look_up(client, address, PublishedContentVisitor(jwt_token=token)) is None


def change(client: AuthenticatedClient, organization: str, site: str, body: UpdateSite) -> None:
    changed = update_site_by_id.sync(organization, site, client=client, body=body)
    assert isinstance(changed, Site), changed


def look_up(
    client: AuthenticatedClient, url: str, visitor: PublishedContentVisitor | None = None
) -> PublishedSiteContent | None:
    """The content at an address. `None`: the visitor is not let in."""
    body = PublishedContentLookup(url=url)
    if visitor is not None:
        body.visitor = visitor
    found = resolve_published_content_by_url.sync(client=client, body=body)
    return found if isinstance(found, PublishedSiteContent) else None


def signed(claims: dict[str, object], key: str) -> str:
    """A JSON Web Token, by HS256."""

    def encode(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    header = {"alg": "HS256", "typ": "JWT"}
    parts = [encode(json.dumps(part).encode()) for part in (header, claims)]
    signature = hmac.new(key.encode(), ".".join(parts).encode(), hashlib.sha256).digest()
    return ".".join([*parts, encode(signature)])
