// The contract in the form that Swagger UI reads fastest.

// Swagger UI takes ten times as long for a large document of OpenAPI 3.1 as for one of 3.0, so it gets the contract as 3.0.
// `?spaceId=…` in the address of the page fills in this id wherever an operation takes it.
export const prepareContract = (response) => {
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
  contract["x-published-version"] = contract.openapi;
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
export const parseAsJson = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson: (_, { specActions, specSelectors }) => (text) =>
          specActions.updateJsonSpec(JSON.parse(text || specSelectors.specStr())),
      },
    },
  },
});
