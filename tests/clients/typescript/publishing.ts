// A site that publishes a space, and a visitor who reads it.
import assert from "node:assert/strict";
import type { Client } from "openapi-fetch";
import type { paths } from "../generated/typescript/schema.js";

export async function publish(api: Client<paths>, organizationId: string, spaceId: string): Promise<void> {
  const created = await api.POST("/v1/orgs/{organizationId}/sites", {
    params: { path: { organizationId } },
    body: { title: "Manuals", spaces: [spaceId] },
  });
  assert(created.data, JSON.stringify(created.error));
  const path = { organizationId, siteId: created.data.id };
  const published = await api.POST("/v1/orgs/{organizationId}/sites/{siteId}/publish", { params: { path } });
  const url = published.data?.urls.published ?? assert.fail("a published site has an address");

  const found = await api.POST("/v1/urls/published", { body: { url } });
  assert(found.data && "apiToken" in found.data, JSON.stringify(found));
  assert.equal(found.data.space, spaceId);
  const headers = { Authorization: `Bearer ${found.data.apiToken}` };
  const site = await api.GET("/v1/orgs/{organizationId}/sites/{siteId}/published", { params: { path }, headers });
  assert(site.data?.structure.type === "siteSpaces", JSON.stringify(site.error));
  const item = site.data.structure.structure[0] ?? assert.fail("the site has a space");
  assert.equal(item.space.id, spaceId);
  const results = await api.POST("/v1/orgs/{organizationId}/sites/{siteId}/search", {
    params: { path },
    headers,
    body: { query: "fing", scope: { mode: "specific", siteSpaceIds: [item.id] } },
  });
  assert.equal(results.data?.items[0]?.pages[0]?.title, "Changing the fingers", JSON.stringify(results.error));
  const refused = await api.GET("/v1/orgs/{organizationId}/sites/{siteId}", { params: { path }, headers });
  assert.equal(refused.response.status, 401);

  const redirect = await api.POST("/v1/orgs/{organizationId}/sites/{siteId}/redirects", {
    params: { path },
    body: { source: "/former", destination: { kind: "site-space", siteSpaceId: item.id } },
  });
  assert.equal(redirect.response.status, 201, JSON.stringify(redirect.error));
  const target = await api.GET("/v1/orgs/{organizationId}/sites/{siteId}/redirect", {
    params: { path, query: { source: "/former" } },
    headers,
  });
  assert.equal(target.data?.target, url);

  await api.POST("/v1/orgs/{organizationId}/sites/{siteId}/unpublish", { params: { path } });
  const gone = await api.GET("/v1/orgs/{organizationId}/sites/{siteId}/published", { params: { path }, headers });
  assert.equal(gone.response.status, 404);
  const preview = await api.GET("/v1/orgs/{organizationId}/sites/{siteId}/publishing/preview", { params: { path } });
  const again = await api.POST("/v1/urls/published", { body: { url: preview.data?.url ?? assert.fail("no preview") } });
  assert(again.data && "space" in again.data && again.data.space === spaceId, JSON.stringify(again));
}
