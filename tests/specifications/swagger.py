"""What OpenAPI 3 has to say of a document of Swagger 2.0."""

import urllib.parse

JSON = "application/json"
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


def check(checks, source, made, address):
    found = [server["url"] for server in made.document.get("servers", [])]
    checks.equal("servers", found, servers(source.document, address))
    schemes = made.document.get("components", {}).get("securitySchemes", {})
    checks.equal("security schemes", set(schemes), set(source.document.get("securityDefinitions", {})))
    for (path, method), operation in source.operations().items():
        item = made.document["paths"][path]
        found = upgraded(made, item, item[method])
        checks.equal(f"{method} {path}", found, expected(source, source.document["paths"][path], operation))


def servers(document, address):
    """The host is by default the one that serves the document."""
    served = urllib.parse.urlsplit(address or "")
    host, path = document.get("host") or served.netloc, document.get("basePath", "")
    if not host:
        return [path] if path else []
    return [f"{scheme}://{host}{path.rstrip('/')}" for scheme in document.get("schemes") or [served.scheme or "https"]]


def upgraded(made, item, operation):
    """The parameters of an operation, the media types of its body, and those of each response."""
    parameters = [made.resolved(parameter) for holder in (operation, item) for parameter in holder.get("parameters", ())]
    body = made.resolved(operation.get("requestBody", {}))
    responses = {status: made.resolved(response) for status, response in operation["responses"].items()}
    content = {status: set(response.get("content", ())) for status, response in responses.items()}
    return {(parameter["in"], parameter["name"]) for parameter in parameters}, set(body.get("content", ())), content


def expected(source, item, operation):
    """The same of an operation as it was."""
    parameters = [source.resolved(parameter) for holder in (operation, item) for parameter in holder.get("parameters", ())]
    plain = {(parameter["in"], parameter["name"]) for parameter in parameters if parameter["in"] not in ("body", "formData")}
    consumes, produces = (operation.get(member) or source.document.get(member) or [] for member in ("consumes", "produces"))
    form = [parameter for parameter in parameters if parameter["in"] == "formData"]
    body = set()
    if any(parameter["in"] == "body" for parameter in parameters):
        body = set(consumes or [JSON])
    elif form:
        has_file = any(parameter["type"] == "file" for parameter in form)
        body = {FORM, MULTIPART}.intersection(consumes) or {MULTIPART if has_file else FORM}
    responses = {status: source.resolved(response) for status, response in operation["responses"].items()}
    return plain, body, {status: media(response, produces or [JSON]) for status, response in responses.items()}


def media(response, produces):
    return set(response.get("examples", ())).union(produces if "schema" in response else ())
