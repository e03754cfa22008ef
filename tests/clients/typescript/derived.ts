// What is made from content: a specification in versions, a translation, a space of a template, and a PDF.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Client } from "openapi-fetch";
import type { paths } from "../generated/typescript/schema.js";

export async function derive(api: Client<paths>, organizationId: string, spaceId: string): Promise<void> {
  await specify(api, organizationId);
  await translate(api, organizationId, spaceId);
  await useTemplate(api, organizationId);
  await print(api, spaceId);
}

// What is made in the background is read until it is there.
async function eventually<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; await setTimeout(100)) {
    const value = await read();
    if (isDone(value)) return value;
    assert(Date.now() < deadline, JSON.stringify(value));
  }
}

async function specify(api: Client<paths>, organizationId: string): Promise<void> {
  const path = { organizationId, specSlug: "fingers" };
  const processed = async () => {
    const read = async () => {
      const spec = await api.GET("/v1/orgs/{organizationId}/openapi/{specSlug}", { params: { path } });
      return spec.data ?? assert.fail(JSON.stringify(spec.error));
    };
    const spec = await eventually(read, (spec) => spec.processingState === "complete");
    assert.equal(spec.lastProcessErrorCode, undefined);
    const latest = await api.GET("/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest", { params: { path } });
    return latest.data?.id ?? assert.fail(JSON.stringify(latest.error));
  };
  const created = await api.POST("/v1/orgs/{organizationId}/openapi", {
    params: { path: { organizationId } },
    body: { slug: path.specSlug, source: { text: specification("/grippers", "/fingers") } },
  });
  assert(created.data, JSON.stringify(created.error));
  const first = await processed();
  const put = await api.PUT("/v1/orgs/{organizationId}/openapi/{specSlug}", {
    params: { path },
    body: { source: { text: specification("/grippers") } },
  });
  assert(put.data, JSON.stringify(put.error));
  const second = await processed();
  assert.notEqual(second, first);
  const changes = await api.GET("/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/changes", {
    params: { path: { ...path, versionId: second } },
  });
  assert(changes.data, JSON.stringify(changes.error));
  const { since, impact, count } = changes.data;
  assert.deepEqual({ since, impact, count }, { since: first, impact: "breaking", count: 1 });
}

function specification(...names: string[]): string {
  const operation = { get: { responses: { 200: { description: "They." } } } };
  const paths = Object.fromEntries(names.map((name) => [name, operation]));
  return JSON.stringify({ openapi: "3.1.0", info: { title: "Fingers", version: "1" }, paths });
}

async function translate(api: Client<paths>, organizationId: string, space: string): Promise<void> {
  const glossary = await api.PUT("/v1/orgs/{organizationId}/translations-glossary", {
    params: { path: { organizationId } },
    body: { operations: [{ type: "insert", translations: { en: "finger", fr: "doigt" } }] },
  });
  assert.equal(glossary.response.status, 204, JSON.stringify(glossary.error));

  const created = await api.POST("/v1/orgs/{organizationId}/translations", {
    params: { path: { organizationId } },
    body: { source: { space, language: "en" }, language: "fr" },
  });
  assert(created.data, JSON.stringify(created.error));
  const path = { organizationId, translationId: created.data.id };
  const completed = (runs: number) => {
    const read = async () => {
      const found = await api.GET("/v1/orgs/{organizationId}/translations/{translationId}", { params: { path } });
      return found.data ?? assert.fail(JSON.stringify(found.error));
    };
    return eventually(read, ({ status, stats }) => status === "completed" && stats.runs >= runs);
  };
  // The server has no engine, so the words are those of the source.
  const first = await completed(1);
  assert.equal(first.engine, "none");
  assert.equal(first.stats.totalWords, 0);
  const run = await api.POST("/v1/orgs/{organizationId}/translations/{translationId}/run", { params: { path } });
  assert.equal(run.response.status, 204, JSON.stringify(run.error));
  await completed(2);
  const deleted = await api.DELETE("/v1/orgs/{organizationId}/translations/{translationId}", { params: { path } });
  assert.equal(deleted.response.status, 204, JSON.stringify(deleted.error));
}

async function useTemplate(api: Client<paths>, organizationId: string): Promise<void> {
  const path = { organizationId };
  const templates = await api.GET("/v1/orgs/{organizationId}/templates", { params: { path } });
  assert(templates.data, JSON.stringify(templates.error));
  const template = templates.data.items.find(({ builtIn, parameters }) => builtIn && parameters.length === 0);
  assert(template, JSON.stringify(templates.data));
  const space = await api.POST("/v1/orgs/{organizationId}/spaces", {
    params: { path },
    body: { title: "Of a template", template: { id: template.id } },
  });
  assert(space.data, JSON.stringify(space.error));
  const content = await api.GET("/v1/spaces/{spaceId}/content/pages", { params: { path: { spaceId: space.data.id } } });
  assert(content.data?.pages.length, JSON.stringify(content.error));
}

async function print(api: Client<paths>, spaceId: string): Promise<void> {
  const pdf = await api.GET("/v1/spaces/{spaceId}/pdf", { params: { path: { spaceId } } });
  assert(pdf.data, JSON.stringify(pdf.error));
  const { url } = pdf.data;
  const answer = await eventually(
    () => fetch(url),
    ({ status }) => status === 200,
  );
  assert.match(await answer.text(), /^%PDF-/);
}
