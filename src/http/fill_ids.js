// `?spaceId=…` in the address of the page fills in this id wherever an operation takes it.
const fillIds = (response) => {
  const ids = new URLSearchParams(location.search);
  if (ids.size > 0 && response.url.endsWith("/openapi.json") && response.text) {
    const contract = JSON.parse(response.text, (_, value) => {
      if (value && value.in === "path" && ids.has(value.name)) {
        delete value.examples;
        value.example = ids.get(value.name);
      }
      return value;
    });
    response.text = JSON.stringify(contract);
  }
  return response;
};
