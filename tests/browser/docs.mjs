// What a person does with the docs page: authorize with a token, try an operation out, come back later.
//
//   node docs.mjs BASE_URL TOKEN DIRECTORY_FOR_SCREENSHOTS
import assert from "node:assert/strict";
import { main } from "./steps.mjs";

const [baseUrl, token, screenshots] = process.argv.slice(2);

/** The steps run in this order in one page; each builds on the one before. */
const steps = {
  "the page shows every area of the contract": showsEveryArea,
  "a token authorizes": authorize,
  "an operation answers 200 with the organization": tryOut,
  "the authorization outlives a reload": reload,
  "the address of an object opens its operation with its id": openObject,
  "the page ran without errors": ranWithoutErrors,
};

/** The expandable block of `GET /v1/orgs`. */
const OPERATION = "#operations-organizations-listOrganizationsForAuthenticatedUser";

async function showsEveryArea({ page, contract }) {
  await page.goto(`${baseUrl}/docs/`);
  for (const { name } of contract.tags) {
    await page.locator(`.opblock-tag[data-tag="${name}"]`).waitFor();
  }
  assert.equal(await page.locator(".opblock-tag").count(), contract.tags.length);
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
