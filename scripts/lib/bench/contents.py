"""What is asked about the content of a space."""

import dataclasses
import re
from collections import Counter
from urllib.parse import quote

from client import Client
from load import Scenario
from scenarios import read

# How many different pages are read, and how many of them are looked at for words to search.
READ = 1_000
SAMPLED = 200
QUERIES = 50
# Connections for answers with thousands of pages.
FEW = 4


def reading(server, token, _organization, space):
    content = f"{space.path}/content"
    some = spread(documents(server, token, space), READ)
    by_id = [f"{content}/page/{page['id']}" for page in some]
    by_path = [f"{content}/path/{quote(page['path'])}" for page in some]
    pages = {
        "page by id": by_id,
        "page by id, as Markdown": [f"{path}?format=markdown" for path in by_id],
        "page by path": by_path,
    }
    whole = {f"whole revision, {FEW} at once": [content], f"all pages, {FEW} at once": [f"{content}/pages"]}
    fresh = [Scenario.reading(name, token, paths) for name, paths in pages.items()]
    fresh += [Scenario.reading(name, token, paths, connections=FEW) for name, paths in whole.items()]
    return fresh + [kept(server, scenario) for scenario in fresh]


def pages_by_id(server, token, space):
    """What the peer answers too."""
    some = spread(documents(server, token, space), READ)
    return Scenario.reading("page by id", token, [f"{space.path}/content/page/{page['id']}" for page in some])


def kept(server, scenario):
    """The same for those who have the answer already. Its tag is that of all its requests."""
    with Client(server, scenario.token) as client:
        tag = client.get(scenario.path).etag
    return dataclasses.replace(scenario, name=f"{scenario.name}, 304", status=304, if_none_match=tag)


def searches(server, token, organization, space, everywhere=True):
    pages = spread(documents(server, token, space), SAMPLED)
    titles = [page["title"] for page in pages]
    frequent, rare = words(text(server, token, space, page) for page in pages)
    queries = {
        "a title": titles,
        "a rare word": rare,
        "a frequent word": frequent,
        "two frequent words": [f"{one} {other}" for one, other in zip(frequent, frequent[1:])],
        "three letters": sorted({word[:3] for word in rare}),
    }
    here = {f"search for {name}": searched(space.path, several) for name, several in queries.items()}
    if everywhere:
        here["… in the organization"] = searched(f"/v1/orgs/{organization}", titles)
    return [Scenario.reading(name, token, paths) for name, paths in here.items()]


def searched(path, queries):
    return [f"{path}/search?query={quote(query)}" for query in queries]


def links(server, token, _organization, space):
    some = [f"{space.path}/content/page/{page['id']}" for page in spread(documents(server, token, space), READ)]
    lists = {
        "links of the space": [links_of(space)],
        "broken links of the space": [f"{links_of(space)}?status=broken"],
        "links of a page": [f"{page}/links" for page in some],
        "what links to a page": [f"{page}/backlinks" for page in some],
    }
    return [Scenario.reading(name, token, paths) for name, paths in lists.items()]


def links_of(space):
    return f"{space.path}/links"


def words(texts):
    """Those that are in most of the texts, and some that are in one only."""
    counts = Counter(word for text in texts for word in set(re.findall(r"\b[a-z]{4,}\b", text)))
    ordered = [word for word, _ in counts.most_common()]
    return ordered[:QUERIES], spread(sorted(word for word, count in counts.items() if count == 1), QUERIES)


def documents(server, token, space):
    """All pages that have texts, in their order."""
    found, following = [], list(reversed(read(server, f"{space.path}/content/pages", token)["pages"]))
    while following:
        page = following.pop()
        if page["type"] == "document":
            found.append(page)
        following.extend(reversed(page.get("pages", [])))
    return found


def text(server, token, space, page):
    """Empty where the answer has none."""
    return read(server, f"{space.path}/content/page/{page['id']}?format=markdown", token).get("markdown", "")


def spread(items, count):
    """At most so many of them, from beginning to end."""
    step = max(len(items) // count, 1)
    return items[::step][:count]
