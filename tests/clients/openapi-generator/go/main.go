// Uses the Go client that openapi-generator made from the published contract.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"bindery.example/bindery/api"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("BINDERY_URL")}}
	client := api.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("BINDERY_TOKEN"))

	organizations, _, err := client.OrganizationsAPI.ListOrganizationsForAuthenticatedUser(ctx).Limit(10).Execute()
	if err != nil {
		return fmt.Errorf("list organizations: %w", err)
	}
	organization := organizations.Items[0].Id

	create := client.TeamsAPI.CreateOrganizationTeam(ctx, organization)
	created, _, err := create.CreateTeam(*api.NewCreateTeam("Generated in Go")).Execute()
	if err != nil {
		return fmt.Errorf("create a team: %w", err)
	}
	read, _, err := client.TeamsAPI.GetTeamInOrganizationById(ctx, organization, created.Id).Execute()
	if err != nil {
		return fmt.Errorf("read the team: %w", err)
	}
	if read.Title != "Generated in Go" {
		return fmt.Errorf("the title of the team is %q", read.Title)
	}
	_, absent, err := client.TeamsAPI.GetTeamInOrganizationById(ctx, organization, "nobody").Execute()
	if err == nil || absent == nil || absent.StatusCode != http.StatusNotFound {
		return fmt.Errorf("there is no team `nobody`: %v", err)
	}
	return nil
}
