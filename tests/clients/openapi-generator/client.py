"""Uses the Python client that openapi-generator made from the published contract."""

import os

import bindery_api
from bindery_api.exceptions import NotFoundException


def main() -> None:
    configuration = bindery_api.Configuration(
        host=os.environ["BINDERY_URL"], access_token=os.environ["BINDERY_TOKEN"]
    )
    with bindery_api.ApiClient(configuration) as client:
        organizations = bindery_api.OrganizationsApi(client).list_organizations_for_authenticated_user(limit=10)
        organization = organizations.items[0].id
        teams = bindery_api.TeamsApi(client)

        created = teams.create_organization_team(organization, bindery_api.CreateTeam(title="Generated in Python"))
        assert created.title == "Generated in Python", created
        assert teams.get_team_in_organization_by_id(organization, created.id) == created
        try:
            teams.get_team_in_organization_by_id(organization, "nobody")
            raise AssertionError("there is no team `nobody`")
        except NotFoundException as absent:
            assert absent.data.error.type == "not-found", absent


if __name__ == "__main__":
    main()
