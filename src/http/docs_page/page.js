// The documentation page: Swagger UI with the operations on the first screen.
import { parseAsJson, prepareContract } from "./contract.js";
import { renewSession, useSession } from "./session.js";

/** Returns the tags with the operations that have all words in their tag, method, path, id or summary. */
const findOperations = (taggedOperations, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/);
  const matches = (tag) => (entry) => {
    const operation = entry.get("operation");
    const texts = [tag, entry.get("method"), entry.get("path"), operation.get("operationId"), operation.get("summary")];
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return taggedOperations
    .map((entry, tag) => entry.update("operations", (operations) => operations.filter(matches(tag))))
    .filter((entry) => entry.get("operations").size > 0);
};

/** The title first, and the introduction behind a fold. */
const info = (_, { React }) => {
  const element = React.createElement;
  return function Info({ info, getComponent, externalDocs }) {
    const Markdown = getComponent("Markdown", true);
    const VersionStamp = getComponent("VersionStamp");
    const OpenAPIVersion = getComponent("OpenAPIVersion");
    const documents = ["openapi.json", "openapi.yaml", "openapi-3.0.json"];
    return element(
      "div",
      { className: "info" },
      element(
        "h1",
        { className: "title" },
        info.get("title"),
        element(
          "span",
          null,
          element(VersionStamp, { version: info.get("version") }),
          element(OpenAPIVersion),
        ),
      ),
      element(
        "details",
        null,
        element("summary", null, "About this API"),
        element(Markdown, { source: info.get("description") }),
        externalDocs && element(Markdown, { source: externalDocs.get("description") }),
        element("p", null, "License: ", info.getIn(["license", "name"])),
      ),
      element(
        "ul",
        { className: "documents" },
        documents.map((name) => element("li", { key: name }, element("a", { href: `../${name}` }, name))),
      ),
    );
  };
};

/** The version of the published document, instead of the one that Swagger UI gets. */
const openApiVersion = (_, { React, specSelectors }) =>
  function OpenApiVersion() {
    const [major, minor] = specSelectors.specJson().get("x-published-version").split(".");
    const text = React.createElement("pre", { className: "version" }, `OpenAPI ${major}.${minor}`);
    return React.createElement("small", { className: "version-stamp" }, text);
  };

const filter = (_, { React }) =>
  function Filter({ layoutSelectors, layoutActions }) {
    const phrase = layoutSelectors.currentFilter();
    return React.createElement(
      "div",
      { className: "filter-container" },
      React.createElement(
        "div",
        { className: "filter wrapper" },
        React.createElement("input", {
          className: "operation-filter-input",
          type: "search",
          placeholder: "Find operations by path, summary or id",
          "aria-label": "Find operations by path, summary or id",
          value: typeof phrase === "string" ? phrase : "",
          onChange: ({ target }) => layoutActions.updateFilter(target.value || true),
        }),
      ),
    );
  };

/** The tags under the names of their groups. */
const operations = (Operations, { React }) =>
  function GroupedOperations(props) {
    const { specSelectors, layoutSelectors } = props;
    const tagged = specSelectors.taggedOperations();
    if (tagged.size === 0) {
      const text = `No operation has “${layoutSelectors.currentFilter()}” in its path, summary or id.`;
      return React.createElement("p", { className: "nothing-found", role: "status" }, text);
    }
    const groups = specSelectors.specJson().get("x-tagGroups").map((group) => {
      const shown = tagged.filter((_, tag) => group.get("tags").includes(tag));
      if (shown.size === 0) {
        return null;
      }
      const selectors = { ...specSelectors, taggedOperations: () => shown };
      return React.createElement(
        "section",
        { className: "tag-group", key: group.get("name") },
        React.createElement("h2", null, group.get("name")),
        React.createElement(Operations, { ...props, specSelectors: selectors }),
      );
    });
    return React.createElement("div", null, groups.toArray());
  };

/** Shorter phrases are in too many operations to draw them at each key. */
const SHORTEST_PHRASE = 3;

/** While operations are looked for, tags are open, unless somebody closes them. Swagger UI has bound the original to the state. */
const isShown = (original) => (state, thing, byDefault) => {
  const phrase = state.get("filter");
  const isFound = thing[0] === "operations-tag" && typeof phrase === "string" && phrase.length >= SHORTEST_PHRASE;
  return original(thing, byDefault || isFound);
};

const changes = () => ({
  fn: { opsFilter: findOperations },
  wrapComponents: { info, operations, FilterContainer: filter, OpenAPIVersion: openApiVersion },
  statePlugins: { layout: { wrapSelectors: { isShown } } },
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

window.ui = SwaggerUIBundle({
  // Relative to /docs/, so that it works behind a proxy that adds a prefix.
  url: "../openapi.json",
  dom_id: "#swagger-ui",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [parseAsJson, changes],
  layout: "BaseLayout",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: true,
  validatorUrl: "none",
  responseInterceptor: prepareContract,
  requestInterceptor: renewSession,
  onComplete: useSession,
});
