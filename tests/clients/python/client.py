"""Uses the client that openapi-python-client made from the published contract."""

import os

from bindery_client import AuthenticatedClient
from bindery_client.api.organizations import list_organizations_for_authenticated_user as list_organizations
from bindery_client.api.teams import create_organization_team, get_team_in_organization_by_id
from bindery_client.models.create_team import CreateTeam
from bindery_client.models.error import Error
from bindery_client.models.organization_list import OrganizationList
from bindery_client.models.team import Team

from content import walk
from visits import ask_for_help, visit


def main() -> None:
    client = AuthenticatedClient(base_url=os.environ["BINDERY_URL"], token=os.environ["BINDERY_TOKEN"])

    organizations = list_organizations.sync(client=client, limit=10)
    assert isinstance(organizations, OrganizationList), organizations
    organization = organizations.items[0]

    created = create_organization_team.sync(organization.id, client=client, body=CreateTeam(title="Made in Python"))
    assert isinstance(created, Team), created
    assert created.title == "Made in Python"

    read = get_team_in_organization_by_id.sync(organization.id, created.id, client=client)
    assert read == created, read

    absent = get_team_in_organization_by_id.sync_detailed(organization.id, "nobody", client=client)
    assert absent.status_code == 404
    assert isinstance(absent.parsed, Error), absent.content
    assert absent.parsed.error.code == 404
    assert absent.parsed.error.type_ == "not-found"

    walk(client, organization.id)
    visit(client, organization.id)
    ask_for_help(client, organization.id)


if __name__ == "__main__":
    main()
