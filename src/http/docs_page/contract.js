// What the documentation page adds to Swagger UI.

// Swagger UI takes ten times as long for a large document of OpenAPI 3.1 as for one of 3.0, so it gets the contract as 3.0.
// `?spaceId=…` in the address of the page fills in this id wherever an operation takes it.
const prepareContract = (response) => {
  if (!response.url.endsWith("/openapi.json") || !response.text) {
    return response;
  }
  const ids = new URLSearchParams(location.search);
  const contract = JSON.parse(response.text, (_, value) => {
    if (value?.in === "path" && ids.has(value.name)) {
      delete value.examples;
      value.example = ids.get(value.name);
    }
    return isObject(value) ? earlierSchema(value) : value;
  });
  contract.openapi = "3.0.3";
  // Swagger UI does not follow references in the parameters of a path, but in those of an operation.
  for (const path of Object.values(contract.paths)) {
    const { parameters = [], ...operations } = path;
    delete path.parameters;
    for (const operation of Object.values(operations)) {
      operation.parameters = [...parameters, ...(operation.parameters ?? [])];
    }
  }
  response.text = JSON.stringify(contract);
  return response;
};

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Rewrites what a schema of OpenAPI 3.0 says differently. */
const earlierSchema = ({ $ref, ...schema }) => {
  if (typeof schema.const === "string" || typeof schema.const === "boolean") {
    schema.enum = [schema.const];
    delete schema.const;
  }
  if (Array.isArray(schema.examples)) {
    schema.example = schema.examples[0];
    delete schema.examples;
  }
  if (Array.isArray(schema.type)) {
    schema.nullable = schema.type.includes("null");
    schema.type = schema.type.find((type) => type !== "null");
  }
  for (const alternatives of ["oneOf", "anyOf"]) {
    const values = Array.isArray(schema[alternatives]) ? schema[alternatives] : [];
    if (values.some(({ type }) => type === "null")) {
      schema.nullable = true;
      schema[alternatives] = values.filter(({ type }) => type !== "null");
    }
  }
  if (typeof $ref !== "string") {
    return $ref === undefined ? schema : { $ref, ...schema };
  }
  const beside = Object.keys(schema).length > 0 && $ref.startsWith("#/components/schemas/");
  return beside ? { allOf: [{ $ref }], ...schema } : { $ref };
};

// Swagger UI reads every document as YAML, which takes a second for a large one in JSON.
const parseAsJson = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson: (_, { specActions, specSelectors }) => (text) =>
          specActions.updateJsonSpec(JSON.parse(text || specSelectors.specStr())),
      },
    },
  },
});

/** The name of the security scheme in the contract. */
const SCHEME = "bearer";

/** Milliseconds before the token expires at which the page asks for it again. */
const RENEWED_BEFORE = 10 * 60 * 1000;

// People who have signed in send requests with a token of their session, unless they have entered another one.
let session = {};

const askForSession = async () => {
  try {
    const response = await fetch("../account/docs-token", { method: "POST", body: new URLSearchParams() });
    session = response.ok ? await response.json() : {};
  } catch {
    session = {};
  }
};

const useSession = async () => {
  if (window.ui.authSelectors.authorized().has(SCHEME)) {
    return;
  }
  await askForSession();
  if (session.token) {
    window.ui.preauthorizeApiKey(SCHEME, session.token);
  }
  showSession();
};

// The token expires unless the page asks for it again.
const renewSession = async (request) => {
  if (session.expiresAt - Date.now() < RENEWED_BEFORE) {
    await askForSession();
    if (!session.token) {
      window.ui.authActions.logout([SCHEME]);
    }
    showSession();
  }
  return request;
};

const showSession = () => {
  const account = document.createElement("a");
  account.style.color = "#1b5fb4";
  account.href = "../account/";
  let parts = [];
  if (session.token) {
    account.textContent = "Account";
    parts = [`Signed in as ${session.email}. Requests are sent with a token of this session. `, account];
  } else if (session.canSignIn) {
    account.textContent = "Sign in";
    // The operation that is open then stands in the address.
    account.addEventListener("click", () => {
      account.search = new URLSearchParams({ returnTo: `/docs/${location.search}${location.hash}` });
    });
    parts = [account, " to try operations out without a token."];
  }
  sessionPlace().replaceChildren(...parts);
};

const sessionPlace = () => {
  let place = document.getElementById("session");
  if (!place) {
    place = document.createElement("p");
    place.id = "session";
    place.setAttribute("role", "status");
    place.style.cssText = "max-width: 1460px; margin: 0 auto; padding: 12px 20px 0; font: 14px sans-serif; color: #3b4151";
    document.getElementById("swagger-ui").before(place);
  }
  return place;
};
