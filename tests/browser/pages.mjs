// What a person and a crawler see of a published site: with and without scripts, in light and dark, on a phone, from right to left.
//
//   node pages.mjs BASE_URL TOKEN DIRECTORY_FOR_SCREENSHOTS
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import { setTimeout } from "node:timers/promises";
import { HtmlValidate } from "html-validate";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { main } from "./steps.mjs";

const [baseUrl, token, screenshots] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Ids may begin with any character in HTML. */
const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: { "valid-id": ["error", { relaxed: true }] },
});

const steps = {
  "a site with every kind of block is written": write,
  "the page shows all of them, and asks no other host": showsEveryBlock,
  "no text becomes a script": runsNoScript,
  "suggestions and results lead to pages": searches,
  "tabs, expandables and notes open without a script": worksWithoutScripts,
  "pages fit a phone, and follow the colors of the reader": adapts,
  "pages from right to left are mirrored": mirrors,
  "a reader says that a page helps": answers,
  "a reader calls an operation from the page": callsOperations,
  "an agent lists the tools, searches and reads": agentReads,
  "a crawler finds no broken link and no invalid HTML": crawl,
  "the pages ran without errors": ranWithoutErrors,
};

const SCRIPT = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`;

const EVERY_BLOCK = `
## First part

A **bold**, *italic*, ~~struck~~ and \`coded\` line with <kbd>Ctrl</kbd>, <mark style="color:red;">red</mark>, :tada:, $a^2$ and a note[^1].

[^1]: The note, with *marks*.

${SCRIPT}

* one
  * two
* [ ] to do
* [x] done

1. first
2. second

> A quote.

***

{% hint style="warning" %}
Careful. <i class="fa-anchor" style="color:blue;">:anchor:</i>
{% endhint %}

{% code title="main.rs" lineNumbers="true" %}
\`\`\`rust
fn main() { println!("<b>"); } // the end
\`\`\`
{% endcode %}

{% tabs %}
{% tab title="Linux" icon="linux" %}
Penguins.
{% endtab %}

{% tab title="Windows" %}
Panes.
{% endtab %}
{% endtabs %}

<details>

<summary>More</summary>

Hidden words.

</details>

{% stepper %}
{% step icon="ship" %}
### Step one

Do it.
{% endstep %}

{% step %}
### Step two

Again.
{% endstep %}
{% endstepper %}

{% columns %}
{% column width="30%" %}
Left.
{% endcolumn %}

{% column %}
Right.
{% endcolumn %}
{% endcolumns %}

| Name | Height |
| --- | ---: |
| One | 1.5 |

<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>Card one</td><td><a href="https://example.com/">x</a></td></tr></tbody></table>

$$
\\frac{1}{2} \\sum_{i=0}^n x_i
$$

{% embed url="https://example.com/video" %}

{% updates format="full" %}
{% update date="2026-01-02" tags="new" %}
Something new.
{% endupdate %}
{% endupdates %}

<a href="https://example.com/" class="button primary" data-icon="sailboat">Press</a>
`;

const OPERATION = `{% openapi-operation spec="tides" path="/tides/{id}" method="put" %}
{% endopenapi-operation %}
`;

/** An API that pages of other hosts may call, and what it was sent. */
const tideServer = { received: [] };

function answerCalls() {
  tideServer.server = http.createServer(async (request, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Methods", "*");
    response.setHeader("Access-Control-Allow-Headers", "authorization, content-type");
    let body = "";
    for await (const part of request) body += part;
    if (request.method !== "OPTIONS") {
      const { authorization, cookie } = request.headers;
      tideServer.received.push({ method: request.method, url: request.url, authorization, cookie, body });
    }
    response.end(SCRIPT.padEnd(100_000, "."));
  });
  return new Promise((resolve) => tideServer.server.listen(0, "127.0.0.1", resolve));
}

function tides() {
  const parameter = (place, name, required) => ({ in: place, name, required, schema: { type: "string" } });
  return {
    openapi: "3.1.0",
    info: { title: "Tides", version: "1" },
    servers: [{ url: "http://127.0.0.1:{port}/v1", variables: { port: { default: String(tideServer.server.address().port) } } }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    paths: {
      "/tides/{id}": {
        put: {
          parameters: [parameter("path", "id", true), parameter("query", "unit", false)],
          requestBody: { content: { "application/json": { example: { height: 1.5 } } } },
          responses: { 200: { description: "The tide." } },
        },
      },
    },
  };
}

async function api(method, path, body) {
  const response = await fetch(`${baseUrl}/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.status === 204 ? null : response.json();
}

const site = {};

async function space(organization, title, language, pages) {
  const created = await api("POST", `orgs/${organization}/spaces`, { title, language });
  const changes = pages.map(([name, markdown]) => ({ operation: "insert_page", title: name, document: { markdown } }));
  await api("POST", `spaces/${created.id}/content`, { changes });
  return created.id;
}

async function specification(organization) {
  const address = `orgs/${organization}/openapi/tides`;
  await api("PUT", address, { source: { text: JSON.stringify(tides()) } });
  while ((await api("GET", address)).processingState !== "complete") await setTimeout(100);
}

async function write() {
  const organization = (await api("GET", "orgs")).items[0].id;
  await specification(organization);
  const many = Array.from({ length: 40 }, (_, number) => [`Page ${number}`, `Words of page ${number}.`]);
  const english = await space(organization, "Every block", "en", [["Every block", EVERY_BLOCK], ["Second page", "Capstans."], ["Tides", OPERATION], ...many]);
  const arabic = await space(organization, "عربي", "ar", [["مرحبا", "## جزء\n\nنص عربي.\n\nEnglish words.\n\n* واحد\n* اثنان"]]);
  const created = await api("POST", `orgs/${organization}/sites`, { title: "Blocks", spaces: [english, arabic] });
  const customization = `orgs/${organization}/sites/${created.id}/customization`;
  const settings = await api("GET", customization);
  await api("PUT", customization, { ...settings, feedback: { enabled: true } });
  const published = await api("POST", `orgs/${organization}/sites/${created.id}/publish`);
  site.address = published.urls.published;
}

async function open(page, path, viewport = { width: 1440, height: 1000 }) {
  await page.setViewportSize(viewport);
  await page.goto(`${site.address}${path}`);
}

async function isAccessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(found, [], name);
}

async function showsEveryBlock({ page, screenshot }) {
  const others = [];
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    if (origin !== new URL(baseUrl).origin && !request.url().startsWith("data:")) others.push(request.url());
  });
  await open(page, "every-block");
  const text = await page.locator("main").innerText();
  for (const word of ["bold", "Careful.", "Penguins.", "Step two", "Left.", "Card one", "Something new.", "Press", "example.com"]) {
    assert.ok(text.includes(word), word);
  }
  await page.locator("math").first().waitFor();
  await screenshot("every-block", { fullPage: true });
  await isAccessible(page, "every block");
  assert.deepEqual(others, []);
}

async function runsNoScript({ page }) {
  const query = encodeURIComponent(SCRIPT);
  for (const path of ["every-block", `~/search?q=${query}`, `nowhere/${query}`]) {
    await open(page, path);
    assert.equal(await page.evaluate(() => window.ran), undefined, path);
  }
}

async function searches({ page, screenshot }) {
  await open(page, "every-block");
  await page.getByRole("searchbox").fill("capstan");
  await page.locator("form.search a", { hasText: "Second page" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Second page" }).waitFor();
  await screenshot("search");
  await isAccessible(page, "search");
  await page.getByRole("heading", { name: "Second page" }).getByRole("link").click();
  await page.getByText("Capstans.").waitFor();
  await open(page, "no/second-thoughts");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await page.locator("main").getByRole("link", { name: "Second page" }).waitFor();
  await isAccessible(page, "not found");
}

async function worksWithoutScripts({ browser }) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await open(page, "every-block");
  assert.equal(await page.getByText("Panes.").isVisible(), false);
  await page.locator("label", { hasText: "Windows" }).click();
  await page.getByText("Panes.").waitFor();
  assert.equal(await page.getByText("Penguins.").isVisible(), false);
  await page.getByText("More", { exact: true }).click();
  await page.getByText("Hidden words.").waitFor();
  await page.locator("button.annotation").click();
  await page.getByText("The note, with").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("capstan");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Second page" }).waitFor();
  await context.close();
}

async function adapts({ page, screenshot }) {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, "every-block", { width: 360, height: 800 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
  await screenshot("phone", { fullPage: false });
  await isAccessible(page, "phone");
  await open(page, "every-block");
  await page.getByRole("button", { name: "Light or dark colors" }).click();
  await screenshot("other-colors");
  await isAccessible(page, "other colors");
  await page.evaluate(() => localStorage.clear());
  await page.emulateMedia({ colorScheme: "light" });
}

async function mirrors({ page, screenshot }) {
  await open(page, "");
  await page.locator(".variants summary").click();
  await page.locator(".variants").getByRole("link", { name: "عربي" }).click();
  await page.locator("nav.contents").getByRole("link", { name: "مرحبا" }).click();
  await page.getByRole("heading", { name: "مرحبا" }).waitFor();
  assert.equal(await page.evaluate(() => document.dir), "rtl");
  const [contents, text] = [await page.locator("nav.contents").boundingBox(), await page.locator("article").boundingBox()];
  assert.ok(contents.x > text.x, "the contents are on the right");
  const english = page.getByText("English words.");
  assert.equal(await english.evaluate((element) => getComputedStyle(element).direction), "ltr");
  await screenshot("right-to-left");
  await isAccessible(page, "right to left");
}

async function answers({ page, screenshot }) {
  await open(page, "second-page");
  await page.getByLabel("In part").check();
  await page.getByText("Add a comment").click();
  await page.getByRole("textbox", { name: "Add a comment" }).fill("More capstans.");
  await screenshot("feedback");
  await isAccessible(page, "feedback");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Thank you for your answer.").waitFor();
}

async function callsOperations({ page, screenshot }) {
  await open(page, "tides");
  await page.getByText("Try it").click();
  const form = page.locator(".try form");
  await form.getByLabel("id").fill("north pier");
  await form.getByLabel("unit").fill("m");
  await form.getByLabel("Authorization").fill("secret");
  await form.getByRole("button", { name: "Send" }).click();
  await form.getByText("200 OK").waitFor();
  assert.deepEqual(tideServer.received, [
    {
      method: "PUT",
      url: "/v1/tides/north%20pier?unit=m",
      authorization: "Bearer secret",
      cookie: undefined,
      body: JSON.stringify({ height: 1.5 }, null, 2),
    },
  ]);
  const shown = await form.locator("figure code").textContent();
  assert.ok(shown.includes(SCRIPT) && shown.length < 70_000, `${shown.length} characters`);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }).includes("secret")), false);
  await screenshot("operation");
  await isAccessible(page, "operation");
}

async function isValid(html, address) {
  const { results } = await validator.validateString(html);
  const found = results.flatMap(({ messages }) => messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} ${selector}`));
  assert.deepEqual(found, [], address);
}

/** The public client of the protocol, with the handshake of earlier revisions and without it. */
async function agentReads() {
  for (const versionNegotiation of [undefined, { mode: "auto" }]) {
    const client = new Client({ name: "reader", version: "1" }, { versionNegotiation });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${site.address}~/mcp`)));
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ["searchDocumentation", "getPage"]);
    const found = await client.callTool({ name: "searchDocumentation", arguments: { query: "capstans" } });
    const url = found.content[0].text.match(/https?:\S+/)[0];
    const read = await client.callTool({ name: "getPage", arguments: { url } });
    assert.match(read.content[0].text, /Capstans\./);
    await client.close();
  }
}

/** Follows the links of all pages of the site, without a browser. */
async function crawl() {
  const missing = await fetch(`${site.address}no/second-thoughts`);
  assert.equal(missing.status, 404);
  await isValid(await missing.text(), "not found");
  const waiting = [site.address, `${site.address}~/search?q=capstan`];
  const seen = new Set(waiting);
  while (waiting.length > 0) {
    const address = waiting.pop();
    const response = await fetch(address);
    assert.equal(response.status, 200, address);
    if (!response.headers.get("content-type").startsWith("text/html")) continue;
    const html = await response.text();
    await isValid(html, address);
    for (const [, link] of html.matchAll(/(?:href|src)="([^"#]*)[^"]*"/g)) {
      const target = new URL(link.replaceAll("&amp;", "&"), address);
      if (target.origin === new URL(baseUrl).origin && !seen.has(target.href)) {
        seen.add(target.href);
        waiting.push(target.href);
      }
    }
  }
  assert.ok(seen.size > 90, `${seen.size} addresses`);
}

function ranWithoutErrors({ errors }) {
  const unexpected = errors.filter((error) => !error.includes("404"));
  assert.deepEqual(unexpected, []);
}

await main({ steps, screenshots, prepare: answerCalls, cleanUp: () => tideServer.server.close() });
