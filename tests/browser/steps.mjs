// Steps of a person in Chromium, one after the other in one page.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";

/** Chromium asks for services of its vendor when it starts; these flags keep it to the page. */
const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
];

/**
 * Runs all steps in a new browser, and ends the process with the line `N passed, M failed`. `prepare` returns what the steps
 * get besides `page`, `errors`, `screenshot` and `browser`; `cleanUp` runs in any case. Steps after a failed one do not run.
 */
export async function main({ steps, screenshots, prepare = async () => ({}), cleanUp = async () => {} }) {
  await mkdir(screenshots, { recursive: true });
  const browser = await launch();
  try {
    const passed = await run(steps, { ...(await openPage(browser, screenshots)), ...(await prepare()), browser });
    const failed = Object.keys(steps).length - passed;
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await cleanUp();
  }
}

function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Chromium's own sandbox does not work for root, as whom a container runs.
    chromiumSandbox: process.getuid() !== 0,
    args: QUIET,
  });
}

async function openPage(browser, screenshots) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  page.setDefaultTimeout(15_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(`${message.text()} ${message.location().url}`));
  const screenshot = async (name, options = {}) => {
    const file = path.join(screenshots, `${name}.png`);
    await page.screenshot({ path: file, ...options });
    console.log(`        ${file}`);
  };
  return { page, errors, screenshot };
}

async function run(steps, context) {
  let passed = 0;
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(context);
      passed += 1;
      console.log(`ok      ${name}`);
    } catch (error) {
      console.log(`FAILED  ${name}\n${error.stack}`);
      await context.screenshot("failed");
      break;
    }
  }
  return passed;
}
