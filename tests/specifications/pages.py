"""The pages that are computed from a specification."""

import concurrent.futures
import functools

from bindery import until

READERS = 4
KINDS = ("operation:", "webhook:")


def check(bindery, checks, slug, source):
    """A space of a specification has a page for each operation and webhook, and all of its pages say what they have to."""
    computed = {"type": "builtin:openapi", "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": slug}}}}
    made = bindery.successful("POST", f"/orgs/{bindery.organization}/spaces", {"title": slug, "computedSource": computed})
    space = f"/spaces/{made['id']}"
    pages = list(flat(bindery.get(f"{space}/content/pages")["pages"]))
    checks.equal("different paths", len({page["path"] for page in pages}), len(pages))
    entries = {key(page): page for page in pages if key(page).startswith(KINDS)}
    checks.equal("titles", {key: page["title"] for key, page in entries.items()}, source.titles())
    with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
        texts = pool.map(functools.partial(read, bindery, space), pages)
        for page, nodes in zip(pages, texts):
            check_page(checks, source, page, nodes)
    check_search(bindery, checks, space, entries)


def flat(pages):
    for page in pages:
        yield page
        yield from flat(page.get("pages", ()))


def key(page):
    props = page.get("computed", {}).get("props", {})
    return props.get("page") or props.get("doc") or ""


def read(bindery, space, page):
    # A page without a text has no document.
    return bindery.get(f"{space}/content/page/{page['id']}").get("document", {"nodes": []})["nodes"]


def check_page(checks, source, page, nodes):
    kind, _, rest = key(page).partition(":")
    if key(page).startswith(KINDS):
        method, _, path = rest.partition(" ")
        found = [(node["type"], node["data"].get("path", node["data"].get("name")), node["data"].get("method")) for node in nodes]
        checks.equal(page["path"], found, [(f"openapi-{kind}", path, method)])
    elif kind == "models":
        found = [name for node in nodes for name in node["data"]["schemas"]]
        checks.equal(page["path"], found, [name for name in source.schemas() if "," not in name])
    elif kind != "info":
        # A description, and links to the pages below.
        links = [node["data"]["ref"]["page"] for node in nodes if node["type"] == "content-ref"]
        checks.equal(page["path"], links, [below["id"] for below in page["pages"]])


def check_search(bindery, checks, space, entries):
    """The last operation or webhook is found by its path or name, as soon as the pages are in the search."""
    wanted = list(entries.values())[-1]
    _, _, words = wanted["description"].partition(" ")
    find = lambda: [hit["id"] for hit in bindery.get(f"{space}/search?{bindery.query(query=words)}")["items"]]
    checks.equal("found", wanted["id"] in until(find, lambda found: wanted["id"] in found), True)
