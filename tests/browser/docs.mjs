// What a person does with the docs page: authorize with a token, try an operation out, come back later.
//
//   node docs.mjs BASE_URL TOKEN DIRECTORY_FOR_SCREENSHOTS
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";

const [baseUrl, token, screenshots] = process.argv.slice(2);

/** Chromium asks for services of its vendor when it starts; these flags keep it to the page. */
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
];

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

async function authorize({ page }) {
  await page.locator(".btn.authorize.unlocked").click();
  const dialog = page.locator(".dialog-ux");
  await dialog.locator("input").fill(token);
  await dialog.locator("button[type=submit]").click();
  await dialog.getByText("Authorized", { exact: true }).waitFor();
  await screenshot(page, "authorized");
  await dialog.locator(".btn-done").click();
  await page.locator(".btn.authorize.locked").waitFor();
}

async function tryOut({ page, organization }) {
  const operation = page.locator(OPERATION);
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".try-out__btn").click();
  await expect200(operation, organization);
  await operation.locator(".live-responses-table").scrollIntoViewIfNeeded();
  await screenshot(page, "answer");
}

async function reload({ page, organization }) {
  await page.reload();
  await page.locator(".btn.authorize.locked").waitFor();
  const operation = page.locator(OPERATION);
  if (!(await operation.locator(".try-out__btn").isVisible())) {
    await operation.locator(".opblock-summary-control").click();
  }
  await operation.locator(".try-out__btn").click();
  await expect200(operation, organization);
  await screenshot(page, "reloaded");
}

async function openObject({ page, organization }) {
  await page.goto(organization.urls.app);
  const operation = page.locator("#operations-organizations-getOrganizationById");
  await operation.locator(".try-out__btn").click();
  const id = operation.locator('tr[data-param-name="organizationId"] input');
  assert.equal(await id.inputValue(), organization.id);
  await expect200(operation, organization);
  await screenshot(page, "object");
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

async function screenshot(page, name) {
  const file = path.join(screenshots, `${name}.png`);
  await page.screenshot({ path: file });
  console.log(`        ${file}`);
}

async function get(location) {
  const response = await fetch(baseUrl + location, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200, location);
  return response.json();
}

async function openPage(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  page.setDefaultTimeout(15_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  return { page, errors };
}

async function run(context) {
  let passed = 0;
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(context);
      passed += 1;
      console.log(`ok      ${name}`);
    } catch (error) {
      console.log(`FAILED  ${name}\n${error.stack}`);
      await screenshot(context.page, "failed");
      break;
    }
  }
  return passed;
}

await mkdir(screenshots, { recursive: true });
const contract = await get("/openapi.json");
const [organization] = (await get("/v1/orgs")).items;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  // Chromium's own sandbox does not work for root, as whom a container runs.
  chromiumSandbox: process.getuid() !== 0,
  args: QUIET,
});
try {
  const passed = await run({ ...(await openPage(browser)), contract, organization });
  const failed = Object.keys(steps).length - passed;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await browser.close();
}
