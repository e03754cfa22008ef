// What a person does with the docs page: authorize with a token, try an operation out, come back later.
//
//   node docs.mjs BASE_URL TOKEN DIRECTORY_FOR_SCREENSHOTS
import assert from "node:assert/strict";
import { main } from "./steps.mjs";

const [baseUrl, token, screenshots] = process.argv.slice(2);

/** The steps run in this order in one page; each builds on the one before. */
const steps = {
  "the page shows every area of the contract, in its groups": showsEveryArea,
  "the first screen has the name, Authorize and operations": startsWithOperations,
  "operations are found by path, summary and id": findOperations,
  "a token authorizes": authorize,
  "an operation answers 200 with the organization": tryOut,
  "the authorization outlives a reload": reload,
  "the address of an object opens its operation with its id": openObject,
  "the page follows the color scheme, and fits a phone": adapts,
  "the page ran without errors": ranWithoutErrors,
};

/** The expandable block of `GET /v1/orgs`. */
const OPERATION = "#operations-organizations-listOrganizationsForAuthenticatedUser";

async function showsEveryArea({ page, contract }) {
  await page.goto(`${baseUrl}/docs/`);
  for (const { name } of contract.tags) {
    await page.locator(`.opblock-tag[data-tag="${name}"]`).waitFor();
  }
  const groups = await page.locator(".tag-group").evaluateAll((sections) =>
    sections.map((section) => ({
      name: section.querySelector("h2").textContent,
      tags: [...section.querySelectorAll(".opblock-tag")].map((tag) => tag.dataset.tag),
    })),
  );
  assert.deepEqual(groups, contract["x-tagGroups"]);
}

async function startsWithOperations({ page, contract, screenshot }) {
  assert.equal(await page.title(), contract.info.title);
  assert.equal(await page.locator(".version-stamp").textContent(), `OpenAPI ${contract.openapi.slice(0, 3)}`);
  assert.equal(await page.getByRole("heading", { name: "Compatibility" }).isVisible(), false);
  await isOnFirstScreen(page);
  await screenshot("first-screen");
  await page.getByText("About this API").click();
  await page.getByRole("heading", { name: "Compatibility" }).waitFor();
  await page.getByText("About this API").click();
}

/** The name, Authorize, the filter and the first tags are in the window, which has not been scrolled. */
async function isOnFirstScreen(page) {
  const { width, height } = page.viewportSize();
  for (const selector of ["h1.title", ".btn.authorize", ".operation-filter-input", '.opblock-tag[data-tag="tokens"]']) {
    const box = await page.locator(selector).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height, selector);
  }
}

async function findOperations({ page, screenshot }) {
  const filter = page.locator(".operation-filter-input");
  for (const [phrase, expected] of [
    ["/v1/spaces/{spaceId}/duplicate", ["duplicateSpace"]],
    ["Duplicate a space", ["duplicateSpace", "duplicateSiteSpace"]],
    ["getSpaceById", ["getSpaceById"]],
    ["delete SPACES/{spaceid}/template", ["unmarkSpaceAsTemplate"]],
  ]) {
    await filter.fill(phrase);
    await page.locator(`.opblock[id$="-${expected[0]}"]`).waitFor();
    const found = await page.locator(".opblock").evaluateAll((blocks) => blocks.map(({ id }) => id.split("-").at(-1)));
    assert.deepEqual(found, expected, phrase);
  }
  await screenshot("found");
  await filter.fill("no such operation");
  await page.getByText("No operation has “no such operation”").waitFor();
  await filter.fill("");
  await page.locator('.opblock-tag[data-tag="organizations"]').waitFor();
}

async function authorize({ page, screenshot }) {
  await page.locator(".btn.authorize.unlocked").click();
  const dialog = page.locator(".dialog-ux");
  await dialog.locator("input").fill(token);
  await dialog.locator("button[type=submit]").click();
  await dialog.getByText("Authorized", { exact: true }).waitFor();
  await screenshot("authorized");
  await dialog.locator(".btn-done").click();
  await page.locator(".btn.authorize.locked").waitFor();
}

async function tryOut({ page, screenshot, organization }) {
  const operation = page.locator(OPERATION);
  await page.locator('.opblock-tag[data-tag="organizations"]').click();
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".try-out__btn").click();
  await expect200(operation, organization);
  await operation.locator(".live-responses-table").scrollIntoViewIfNeeded();
  await screenshot("answer");
}

async function reload({ page, screenshot, organization }) {
  await page.reload();
  await page.locator(".btn.authorize.locked").waitFor();
  const operation = page.locator(OPERATION);
  if (!(await operation.locator(".try-out__btn").isVisible())) {
    await operation.locator(".opblock-summary-control").click();
  }
  await operation.locator(".try-out__btn").click();
  await expect200(operation, organization);
  await screenshot("reloaded");
}

async function openObject({ page, screenshot, organization }) {
  await page.goto(organization.urls.app);
  const operation = page.locator("#operations-organizations-getOrganizationById");
  await operation.locator(".try-out__btn").click();
  const id = operation.locator('tr[data-param-name="organizationId"] input');
  assert.equal(await id.inputValue(), organization.id);
  await expect200(operation, organization);
  await screenshot("object");
}

async function adapts({ page, screenshot }) {
  await page.goto(`${baseUrl}/docs/`);
  await page.locator(".opblock-tag").first().waitFor();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html.dark-mode").waitFor();
  assert.notEqual(await background(), light);
  await screenshot("dark");
  await page.setViewportSize({ width: 400, height: 800 });
  await isOnFirstScreen(page);
  await screenshot("dark-narrow");
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("html:not(.dark-mode)").waitFor();
  await page.locator('.opblock-tag[data-tag="organizations"]').click();
  await page.locator(`${OPERATION} .opblock-summary-control`).click();
  await page.locator(`${OPERATION} .responses-table`).first().waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400);
  await screenshot("narrow");
}

async function expect200(operation, organization) {
  await operation.locator("button.execute").click();
  const answer = operation.locator(".live-responses-table .response").first();
  await answer.locator(".response-col_status").getByText("200").waitFor();
  await answer.locator(".response-col_description").getByText(organization.title).first().waitFor();
}

async function ranWithoutErrors({ errors }) {
  assert.deepEqual(errors, []);
}

async function get(location) {
  const response = await fetch(baseUrl + location, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200, location);
  return response.json();
}

await main({
  steps,
  screenshots,
  prepare: async () => ({
    contract: await get("/openapi.json"),
    organization: (await get("/v1/orgs")).items[0],
  }),
});
