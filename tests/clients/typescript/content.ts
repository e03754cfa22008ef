// Content from the first page to a merge, as docs/tour.md does it with curl.
import assert from "node:assert/strict";
import type { Client } from "openapi-fetch";
import { derive } from "./derived.js";
import { discuss } from "./discussion.js";
import { publish } from "./publishing.js";
import type { components, paths } from "../generated/typescript/schema.js";

type Changes = components["schemas"]["UpdateContent"];

const TEXT = "Switch off the compressed air.\n\nLoosen four screws.\n";

function editing(page: string, markdown: string): Changes {
  return { changes: [{ operation: "update_page", page, document: { markdown } }] };
}

export async function walk(api: Client<paths>, organizationId: string): Promise<void> {
  const space = await api.POST("/v1/orgs/{organizationId}/spaces", {
    params: { path: { organizationId } },
    body: { title: "Gripper G4" },
  });
  assert(space.data, JSON.stringify(space.error));
  const path = { spaceId: space.data.id };

  const written = await api.POST("/v1/spaces/{spaceId}/content", {
    params: { path },
    body: {
      changes: [
        { operation: "insert_page", title: "Changing the fingers", ref: "fingers", document: { markdown: TEXT } },
        { operation: "insert_page", title: "Start", document: { markdown: "Begin with [them](./fingers.md)." } },
      ],
    },
  });
  assert(written.data, JSON.stringify(written.error));
  const first = written.data.revision;

  const found = await api.GET("/v1/spaces/{spaceId}/search", { params: { path, query: { query: "fing" } } });
  const page = found.data?.items[0] ?? assert.fail("the page is not found");
  assert.equal(page.title, "Changing the fingers");

  await discuss(api, path.spaceId, page.id);
  await publish(api, organizationId, path.spaceId);
  await derive(api, organizationId, path.spaceId);
  await propose(api, path, page.id);

  const restored = await api.POST("/v1/spaces/{spaceId}/revisions/{revisionId}/restore", {
    params: { path: { ...path, revisionId: first } },
  });
  assert.equal(restored.response.status, 201, JSON.stringify(restored.error));
  assert.equal(await text(api, path, page.id), `# Changing the fingers\n\n${TEXT.trimEnd()}`);
}

// A change request that is reviewed, comes into conflict with its space, is resolved and merged.
async function propose(api: Client<paths>, path: { spaceId: string }, page: string): Promise<void> {
  const created = await api.POST("/v1/spaces/{spaceId}/change-requests", {
    params: { path },
    body: { subject: "Say which screws" },
  });
  assert(created.data, JSON.stringify(created.error));
  const request = { ...path, changeRequestId: created.data.id };
  const edited = await api.POST("/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content", {
    params: { path: request },
    body: editing(page, "Switch off the compressed air.\n\nLoosen the four screws at the back."),
  });
  assert.equal(edited.response.status, 200, JSON.stringify(edited.error));
  const review = await api.POST("/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", {
    params: { path: request },
    body: { status: "approved" },
  });
  assert.equal(review.data?.outdated, false);

  await api.POST("/v1/spaces/{spaceId}/content", {
    params: { path },
    body: editing(page, "Switch off the compressed air.\n\nLoosen two screws."),
  });
  const merge = () =>
    api.POST("/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge", { params: { path: request } });
  assert.equal((await merge()).data?.result, "conflicts");
  const conflicts = await api.GET("/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts", {
    params: { path: request },
  });
  assert.deepEqual(
    conflicts.data?.items.map((conflict) => conflict.page),
    [page],
  );
  const resolved = await api.POST(
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts/{conflictId}/resolve",
    { params: { path: { ...request, conflictId: page } }, body: { resolution: "ours" } },
  );
  assert.equal(resolved.response.status, 200, JSON.stringify(resolved.error));
  assert.equal((await merge()).data?.result, "merge");
  assert.match(await text(api, path, page), /at the back/);

  const history = await api.GET("/v1/spaces/{spaceId}/revisions", { params: { path } });
  assert.equal(history.data?.items[0]?.type, "merge");
}

async function text(api: Client<paths>, path: { spaceId: string }, pageId: string): Promise<string> {
  const read = await api.GET("/v1/spaces/{spaceId}/content/page/{pageId}", {
    params: { path: { ...path, pageId }, query: { format: "markdown" } },
  });
  assert(read.data && "markdown" in read.data, JSON.stringify(read.error));
  return read.data.markdown?.trimEnd() ?? assert.fail("the page has no text");
}
