// `?spaceId=…` in the address of the page fills in this id wherever an operation takes it.
const fillIds = (response) => {
  if (!response.url.endsWith("/openapi-3.0.json") || !response.text) {
    return response;
  }
  const ids = new URLSearchParams(location.search);
  const contract = JSON.parse(response.text, (_, value) => {
    if (value && value.in === "path" && ids.has(value.name)) {
      delete value.examples;
      value.example = ids.get(value.name);
    }
    return value;
  });
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

// Swagger UI reads every document as YAML, which takes seconds for a large one in JSON.
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
