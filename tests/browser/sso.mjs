// What a person does with single sign-on, at a real identity provider: sign in, make a token, call the API, be removed.
//
//   node sso.mjs BASE_URL TOKEN DIRECTORY_FOR_SCREENSHOTS SERVER_PROGRAM DATA_DIRECTORY
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { main } from "./steps.mjs";

const [baseUrl, token, screenshots, server, dataDirectory] = process.argv.slice(2);

const DOMAIN = "pelican.example";
const PASSWORD = "lighthouse-9";
const PEOPLE = {
  nadia: { password: PASSWORD, mail: `nadia@${DOMAIN}`, displayName: "Nadia Haddad", subject: "p-1" },
  mateo: { password: PASSWORD, mail: `mateo@${DOMAIN}`, displayName: "Mateo Silva" },
  /** The provider encrypts what it says of this person, with the key in the metadata of the service. */
  sealed: { password: PASSWORD, mail: `sealed@${DOMAIN}`, displayName: "Sealed", encrypted: true },
};
const NADIA = PEOPLE.nadia;

/** The looks in which each page is checked. */
const LOOKS = [
  { name: "light-wide", colorScheme: "light", width: 1280 },
  { name: "dark-wide", colorScheme: "dark", width: 1280 },
  { name: "light-narrow", colorScheme: "light", width: 360 },
  { name: "dark-narrow", colorScheme: "dark", width: 360 },
];

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The identity provider, a process of its own. */
let provider;

/** The steps run in this order in one page; each builds on the one before. */
const steps = {
  "an organization adds the provider": addProvider,
  "nobody is signed in yet": openAsStranger,
  "a wrong password lets nobody in": enterWrongPassword,
  "a person finds the provider by the email address, signs in and lands on the account page": signIn,
  "the person is a member in the default team": checkMember,
  "the account page is accessible in every look": checkAccount,
  "the person makes a token and calls the API": makeToken,
  "the documentation page sends requests with the session": tryOutWithSession,
  "the documentation page leads through signing in and back": signInFromDocs,
  "who is removed is out": removeMember,
  "the identity provider does not bring them back": signInAgain,
  "an existing account is linked after a proof": linkAccount,
  "an encrypted assertion signs a person in": signInEncrypted,
  "signing in and out works without JavaScript": signInWithoutScripts,
  "the pages ran without errors": ranWithoutErrors,
};

async function addProvider(context) {
  const { organization } = context;
  await api("PATCH", `/orgs/${organization.id}`, { emailDomains: [DOMAIN] }, 200);
  await command("org", "verify-domain", organization.id, DOMAIN);
  const team = await api("PUT", `/orgs/${organization.id}/teams`, { title: "Lighthouse keepers" });
  const wanted = { label: "Pelican", defaultRole: "comment", defaultTeam: team.id, encryption: true };
  const pending = await api("POST", `/orgs/${organization.id}/saml`, wanted, 201);
  assert.equal(pending.status, "pending");
  const address = await startProvider(pending.service.entityID);
  const xml = await (await fetch(`${address}/metadata`)).text();
  const path = `/orgs/${organization.id}/saml/${pending.id}`;
  const active = await api("PUT", `${path}/metadata`, { xml }, 200);
  assert.equal(active.status, "active");
  Object.assign(context, { team, startUrl: active.service.startURL, identityProvider: address });
}

async function openAsStranger({ page, screenshot }) {
  const response = await page.goto(`${baseUrl}/account/`);
  assert.equal(response.status(), 401);
  await checkEveryLook(page, screenshot, "stranger");
}

async function enterWrongPassword({ page, startUrl, identityProvider }) {
  await page.goto(startUrl);
  assert.equal(new URL(page.url()).origin, identityProvider);
  await logIn(page, "not the password");
  await page.getByRole("alert").waitFor();
  const response = await page.goto(`${baseUrl}/account/`);
  assert.equal(response.status(), 401);
}

async function signIn({ page, screenshot, organization }) {
  await page.goto(`${baseUrl}/account/`);
  await page.getByLabel("Email address").fill(`someone.else@${DOMAIN}`);
  await page.getByRole("button", { name: "Continue" }).click();
  await checkEveryLook(page, screenshot, "sign-in");
  await page.getByRole("link", { name: `Continue with Pelican of ${organization.title}` }).click();
  await logIn(page, PASSWORD);
  await page.waitForURL(`${baseUrl}/account/`);
  await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
  await page.getByText(NADIA.mail).first().waitFor();
}

async function checkMember(context) {
  const { organization, team } = context;
  const members = await api("GET", `/orgs/${organization.id}/members?search=nadia`);
  const member = members.items.find(({ user }) => user.email === NADIA.mail);
  assert.equal(member.user.displayName, NADIA.displayName);
  assert.deepEqual([member.role, member.sso, member.teams], ["comment", true, 1]);
  const inTeam = await api("GET", `/orgs/${organization.id}/teams/${team.id}/members`);
  assert.deepEqual(inTeam.items.map(({ organization }) => organization.id), [member.user.id]);
  context.member = member;
}

async function checkAccount({ page, screenshot }) {
  await checkEveryLook(page, screenshot, "account");
}

async function makeToken(context) {
  const { page, screenshot, organization, member } = context;
  await page.getByLabel("Name", { exact: true }).fill("Laptop");
  await page.getByRole("button", { name: "Make a token" }).click();
  const made = await page.locator("code").textContent();
  await checkEveryLook(page, screenshot, "new-token");
  const user = await api("GET", "/user", undefined, 200, made);
  assert.equal(user.id, member.user.id);
  await api("GET", `/orgs/${organization.id}`, undefined, 200, made);
  await page.getByRole("link", { name: "Back to your account" }).click();
  await page.getByRole("button", { name: "Revoke: Laptop" }).waitFor();
  await checkEveryLook(page, screenshot, "account-with-token");
  context.made = made;
}

/** The operation `GET /v1/user`, as the address of the page opens it. */
const OPERATION = "#/users/getAuthenticatedUser";

async function tryOutWithSession({ page, screenshot }) {
  await page.goto(`${baseUrl}/docs/${OPERATION}`);
  await page.getByText(`Signed in as ${NADIA.mail}`).waitFor();
  await page.locator(".btn.authorize.locked").waitFor();
  await sendRequest(page, 200);
  await page.locator(".live-responses-table").getByText(NADIA.displayName).first().waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
  await screenshot("docs-signed-in");
  // The browser keeps nothing of the session but its cookie.
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage)), "{}");
}

async function signInFromDocs({ page, screenshot, organization }) {
  await page.goto(`${baseUrl}/account/`);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "You are not signed in" }).waitFor();
  await page.goto(`${baseUrl}/docs/${OPERATION}`);
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  await sendRequest(page, 401);
  await page.evaluate(() => window.scrollTo(0, 0));
  await screenshot("docs-signed-out");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email address").fill(NADIA.mail);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("link", { name: `Continue with Pelican of ${organization.title}` }).click();
  await logIn(page, PASSWORD);
  await page.waitForURL(`${baseUrl}/docs/${OPERATION}`);
  await page.getByText(`Signed in as ${NADIA.mail}`).waitFor();
  await sendRequest(page, 200);
  await page.goto(`${baseUrl}/account/`);
}

/** Tries the open operation out. */
async function sendRequest(page, status) {
  const operation = page.locator("#operations-users-getAuthenticatedUser");
  await operation.locator(".try-out__btn").click();
  await operation.locator("button.execute").click();
  await operation.locator(".live-responses-table .response .response-col_status").first().getByText(String(status)).waitFor();
}

async function removeMember({ page, organization, member, made }) {
  await api("DELETE", `/orgs/${organization.id}/members/${member.user.id}`, undefined, 204);
  await api("GET", `/orgs/${organization.id}`, undefined, 401, made);
  const response = await page.reload();
  assert.equal(response.status(), 401);
}

async function signInAgain({ page, screenshot, startUrl }) {
  await page.goto(startUrl);
  await logIn(page, PASSWORD);
  await page.getByRole("heading", { level: 1, name: "You are not signed in" }).waitFor();
  await checkEveryLook(page, screenshot, "refused");
}

/** Mateo has an account, and belongs to no organization. */
async function linkAccount({ page, screenshot, startUrl, organization }) {
  await command("user", "create", PEOPLE.mateo.mail, "--name", "Mateo");
  const made = await command("token", "create", PEOPLE.mateo.mail, "--label", "own");
  const [own] = made.match(/bnd_\S+/);
  await page.goto(startUrl);
  await logIn(page, PASSWORD, "mateo");
  await page.getByRole("heading", { level: 1, name: "Is this account yours?" }).waitFor();
  await checkEveryLook(page, screenshot, "proof");
  await page.getByLabel("Token of the account").fill("bnd_not_the_token");
  await page.getByRole("button", { name: "Continue with a token" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Token of the account").fill(own);
  await page.getByRole("button", { name: "Continue with a token" }).click();
  await page.waitForURL(`${baseUrl}/account/`);
  const members = await api("GET", `/orgs/${organization.id}/members?search=mateo`);
  assert.deepEqual(members.items.map(({ user, sso }) => [user.email, sso]), [[PEOPLE.mateo.mail, true]]);
  // As a member who came by single sign-on: the token that proved the account does not reach the organization.
  await api("GET", `/orgs/${organization.id}`, undefined, 401, own);
}

async function signInEncrypted({ page, startUrl }) {
  await page.goto(startUrl);
  const [sent] = await Promise.all([page.waitForRequest(/\/acs$/), logIn(page, PASSWORD, "sealed")]);
  const response = Buffer.from(new URLSearchParams(sent.postData()).get("SAMLResponse"), "base64").toString();
  assert.match(response, /EncryptedAssertion/);
  assert.doesNotMatch(response, /sealed@/);
  await page.getByRole("button", { name: `Continue as ${PEOPLE.sealed.mail}` }).click();
  await page.waitForURL(`${baseUrl}/account/`);
  await page.getByText(PEOPLE.sealed.mail).first().waitFor();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
}

/** Somebody else may have led the browser to the provider, so the person says that they want to be signed in. */
async function signInWithoutScripts({ browser, startUrl }) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(startUrl);
  await logIn(page, PASSWORD, "mateo");
  // Without scripts, the page of the provider has a button to go on.
  await page.locator("input[type=submit], button").first().click();
  await page.getByRole("heading", { level: 1, name: "Is this you?" }).waitFor();
  await page.getByRole("button", { name: `Continue as ${PEOPLE.mateo.mail}` }).click();
  await page.waitForURL(`${baseUrl}/account/`);
  await page.getByRole("button", { name: "Sign out everywhere", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "You are not signed in" }).waitFor();
  await context.close();
}

/** The console notes the answers 400, 401 and 403, which are expected. */
async function ranWithoutErrors({ errors }) {
  assert.deepEqual(errors.filter((error) => !/status of 40[013]/.test(error)), []);
}

async function logIn(page, password, user = "nadia") {
  await page.getByLabel("User").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Checks the page in light and dark, narrow and wide: axe finds nothing, and nothing is wider than the window. */
async function checkEveryLook(page, screenshot, name) {
  const before = page.viewportSize();
  for (const look of LOOKS) {
    await page.setViewportSize({ width: look.width, height: 800 });
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await screenshot(`${name}-${look.name}`, { fullPage: true });
    await checkAccessibility(page, `${name}, ${look.name}`);
    const [needed, there] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return [scrollWidth, clientWidth];
    });
    assert.ok(needed <= there, `${name}, ${look.name}: the page is ${needed} wide, and the window ${there}`);
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null });
}

async function checkAccessibility(page, where) {
  // Through the debugger: the policy of the page forbids scripts.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const found = violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) }));
  assert.deepEqual(found, [], where);
}

async function startProvider(service) {
  const idp = new URL("../sso/idp.py", import.meta.url).pathname;
  // pysaml2 names an algorithm that its library of cryptography has moved.
  provider = spawn("python3", ["-W", "ignore:CFB has been moved", idp, service], { stdio: ["pipe", "pipe", "inherit"] });
  provider.stdin.end(JSON.stringify(PEOPLE));
  for await (const line of createInterface({ input: provider.stdout })) return line;
  throw new Error("the identity provider did not start");
}

async function command(...words) {
  const env = { ...process.env, BINDERY_DATA_DIR: dataDirectory };
  return (await promisify(execFile)(server, words, { env })).stdout;
}

async function api(method, path, body, status, as = token) {
  const headers = { authorization: `Bearer ${as}`, "content-type": "application/json" };
  const response = await fetch(`${baseUrl}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  const ok = status === undefined ? response.ok : response.status === status;
  assert.ok(ok, `${method} ${path}: ${response.status} ${text}`);
  return text && JSON.parse(text);
}

await main({
  steps,
  screenshots,
  prepare: async () => ({ organization: (await api("GET", "/orgs")).items[0] }),
  cleanUp: async () => provider?.kill(),
});
