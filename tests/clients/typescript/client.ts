// A discussion with the server through types that openapi-typescript made from the published contract.
import assert from "node:assert/strict";
import { env } from "node:process";
import createClient from "openapi-fetch";
import { walk } from "./content.js";
import { askForHelp, visit } from "./visits.js";
import type { components, paths } from "../generated/typescript/schema.js";

type ApiError = components["schemas"]["Error"];

const api = createClient<paths>({
  baseUrl: env["BINDERY_URL"] ?? assert.fail("BINDERY_URL is not set"),
  headers: { Authorization: `Bearer ${env["BINDERY_TOKEN"]}` },
});

const organizations = await api.GET("/v1/orgs", { params: { query: { limit: 10 } } });
assert(organizations.data, JSON.stringify(organizations.error));
const organization = organizations.data.items[0] ?? assert.fail("the administrator has no organization");
assert.equal(organization.object, "organization");

const path = { organizationId: organization.id };
const created = await api.PUT("/v1/orgs/{organizationId}/teams", {
  params: { path },
  body: { title: "Made in TypeScript" },
});
assert.equal(created.response.status, 201, JSON.stringify(created.error));
assert(created.data);

const team = { ...path, teamId: created.data.id };
const read = await api.GET("/v1/orgs/{organizationId}/teams/{teamId}", { params: { path: team } });
assert.deepEqual(read.data, created.data);

const absent = await api.GET("/v1/orgs/{organizationId}/teams/{teamId}", {
  params: { path: { ...path, teamId: "nobody" } },
});
assert.equal(absent.response.status, 404);
const { error }: ApiError = absent.error ?? assert.fail("a 404 has a body");
assert.equal(error.code, 404);
assert.equal(error.type, "not-found");

await walk(api, organization.id);
await visit(api, organization.id);
await askForHelp(api, organization.id);
