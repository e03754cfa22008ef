"""A section on a published site: 10 sections with 50 spaces of 200 pages, with and without conditions."""

import base64
import hmac
import json
import shutil
import time
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import book
from bench import ROUNDS, SECONDS, in_turns, say
from client import Client
from contents import documents, kept, spread
from content import Space
from load import Scenario
from processes import measured
from tables import print_figures, print_ratios

SECTIONS, SPACES_OF_SECTION, PAGES = 10, 5, 200
# How many addresses and pages are asked for, and how many of the spaces they are in.
READ, READ_SPACES = 1_000, 10
LIMIT = 60
# What browsers and renderers read.
CODING = "gzip"
CONDITION = "visitor.claims.plan == 'pro'"
QUERIES = ["valve", "greasing", "bearing", "pump filter", "the shaft"]


@dataclass(frozen=True)
class Site:
    path: str
    address: str
    # For visitors with a claim, the claims in a token; otherwise none.
    visitor: dict


class Sites:
    def __init__(self, bench):
        self.bench, self.data = bench, bench.place("sites")
        self.spaces = []

    def prepare(self):
        if self.spaces:
            return
        bench, directory = self.bench, self.bench.place("book-of-site")
        book.write(directory, PAGES)
        bench.first_run(self.data)
        organization = bench.organization(self.data)
        for number in range(SECTIONS * SPACES_OF_SECTION):
            say(f"import of space {number + 1}")
            arguments = [bench.program, "import", directory, "--org", organization, "--title", f"Manual {number + 1}"]
            ended = measured(arguments, bench.place("import.log"), LIMIT, **bench.settings(self.data))
            self.spaces.append(Space.printed(self.data, ended))

    def sites(self):
        self.prepare()
        copy = self.bench.place("sites-with-conditions")
        shutil.copytree(self.data, copy)
        for name, place, conditions in [("without conditions", self.data, False), ("with conditions", copy, True)]:
            with self.bench.server(place) as server:
                scenarios = self.scenarios(server, place, conditions)
                figures = dict(zip([one.name for one in scenarios], in_turns([(server, one) for one in scenarios])))
            print(
                f"\n{SECTIONS} sections, {len(self.spaces)} site spaces of {PAGES} pages, {name}; "
                f"medians of {ROUNDS} runs of {SECONDS} s each"
            )
            print_figures("bindery", figures)
            organization, *others = scenarios
            rows = [(one.name, figures[one.name], figures[organization.name]) for one in others]
            print_ratios(f"… : {organization.name}", rows)

    def scenarios(self, server, place, conditions):
        bench, organization = self.bench, f"/v1/orgs/{self.bench.organization(place)}"
        with Client(server, bench.admin) as client:
            site = self.publish(client, organization, conditions)
            visitor = client.post("/v1/urls/published", resolving(site, site.address)).body["apiToken"]
            pages = self.pages(server, visitor)
            addresses = self.addresses(client, site, pages)
        reads = [f"{space.path}/content/path/{quote(page['path'], safe='')}" for space, page in pages]
        # Answers have one tag for each space.
        of_space = [path for path in reads if path.startswith(pages[0][0].path)]
        searches = [json.dumps({"query": query, "scope": {"mode": "all"}}) for query in QUERIES]
        published = Scenario.reading("published site", visitor, [f"{site.path}/published"])
        page = Scenario.reading("page by path", visitor, reads)
        own = Scenario.reading("read an organization", bench.admin, [organization])
        # As readers open them, without a token.
        opened = [urlsplit(address).path for address in addresses] if not conditions else []
        shown = [Scenario.reading("page as HTML", "", opened)] if opened else []
        structure = Scenario.reading("structure of the site", visitor, [f"{site.path}/structure"])
        return [
            own,
            Scenario(
                "resolve an address", bench.admin,
                [f"POST /v1/urls/published {json.dumps(resolving(site, address))}" for address in addresses],
            ),
            published,
            structure,
            page,
            *shown,
            *[one.compressed(CODING) for one in shown],
            published.compressed(CODING),
            structure.compressed(CODING),
            kept(server, Scenario.reading(page.name, visitor, of_space)),
            Scenario("site search", visitor, [f"POST {site.path}/search {body}" for body in searches]),
        ]

    def publish(self, client, organization, conditions):
        path = f"{organization}/sites"
        site = client.post(path, {"title": "Manuals"}).body
        path = f"{path}/{site['id']}"
        for number in range(SECTIONS):
            first, *others = self.spaces[number * SPACES_OF_SECTION :][:SPACES_OF_SECTION]
            section = client.post(f"{path}/sections", {"spaceId": first.id, "title": f"Section {number + 1}"}).body
            for space in others:
                body = {"spaceId": space.id, "sectionId": section["id"]}
                item = client.post(f"{path}/site-spaces", body).body
                if conditions:
                    client.send("PATCH", f"{path}/site-spaces/{item['id']}", {"condition": CONDITION})
            if conditions:
                client.send("PATCH", f"{path}/sections/{section['id']}", {"condition": CONDITION})
        visitor = {}
        if conditions:
            client.send("PATCH", path, {"visibility": "visitor-auth", "adaptiveContent": {"enabled": True}})
            key = client.get(f"{path}/publishing/auth").body["privateKey"]
            visitor = {"jwtToken": signed(key, {"plan": "pro", "exp": int(time.time()) + 24 * 60 * 60})}
        published = client.post(f"{path}/publish").body
        return Site(path, published["urls"]["published"], visitor)

    def pages(self, server, visitor):
        """Pages with texts in some of the spaces."""
        found = []
        for space in spread(self.spaces, READ_SPACES):
            some = spread(documents(server, visitor, space), READ // READ_SPACES)
            found += [(space, page) for page in some]
        return found

    def addresses(self, client, site, pages):
        """The addresses of pages for readers."""
        items = client.get(f"{site.path}/site-spaces?limit=1000").body["items"]
        published = {item["space"]["id"]: item["urls"]["published"] for item in items}
        return [published[space.id] + page["path"] for space, page in pages]


def resolving(site, address):
    return {"url": address, "visitor": site.visitor} if site.visitor else {"url": address}


def signed(key, claims):
    """A JSON Web Token (HS256)."""
    part = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
    token = b".".join(part(json.dumps(value).encode()) for value in [{"alg": "HS256", "typ": "JWT"}, claims])
    return b".".join([token, part(hmac.digest(key.encode(), token, "sha256"))]).decode()
