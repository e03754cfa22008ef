// What a visitor of a site does, and a conversation in which somebody asks for help.
import assert from "node:assert/strict";
import type { Client } from "openapi-fetch";
import type { components, paths } from "../generated/typescript/schema.js";

type Event = components["schemas"]["SiteInsightsEvent"];

const VIEW: Event = {
  type: "page_view",
  session: { visitorId: "v", sessionId: "s", cookies: {}, userAgent: "TypeScript", language: "en", referrer: null },
  location: {
    url: "https://docs.tidewater.example/",
    siteSection: null,
    siteSpace: null,
    siteShareKey: null,
    space: null,
    revision: null,
    page: null,
  },
};

export async function visit(api: Client<paths>, organizationId: string): Promise<void> {
  const created = await api.POST("/v1/orgs/{organizationId}/sites", {
    params: { path: { organizationId } },
    body: { title: "Visited" },
  });
  assert(created.data, JSON.stringify(created.error));
  const path = { organizationId, siteId: created.data.id };
  const tracked = await api.POST("/v1/orgs/{organizationId}/sites/{siteId}/insights/events", {
    params: { path },
    body: { events: [VIEW, VIEW] },
  });
  assert.equal(tracked.response.status, 204, JSON.stringify(tracked.error));
  const answer = await api.POST("/v1/orgs/{organizationId}/sites/{siteId}/insights/events/aggregate", {
    params: { path },
    body: { range: "last24Hours", groupBy: [{ column: "eventType" }] },
  });
  const values = answer.data?.columns.map((column) => column.values);
  assert.deepEqual(values, [["page_view"], [2]], JSON.stringify(answer.error));
}

export async function askForHelp(api: Client<paths>, organizationId: string): Promise<void> {
  const params = { path: { organizationId } };
  const ingested = await api.POST("/v1/orgs/{organizationId}/conversations", {
    params,
    body: {
      id: "made-in-typescript",
      subject: "Gripper",
      parts: [{ type: "message", role: "user", body: "The gripper does not open. What can I do?" }],
    },
  });
  assert.equal(ingested.response.status, 204, JSON.stringify(ingested.error));
  const conversations = await api.GET("/v1/orgs/{organizationId}/conversations", { params });
  const subjects = conversations.data?.items.map((conversation) => conversation.subject);
  assert(subjects?.includes("Gripper"), JSON.stringify(conversations.error));
}
