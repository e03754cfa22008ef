"""scripts/bench after its builds: `python3 scripts/lib/bench SERVER PEER DIRECTORY [SECTION…]`; before them, only the
check of the names: `python3 scripts/lib/bench --check [SECTION…]`."""

import os
import sys

from bench import Bench
from comments import Comments
from content import Content
from crates import Crates
from growth import Growth
from insights import Insights
from integrations import Integrations
from load import CONNECTIONS
from pages import Pages
from repositories import Repositories
from sign_in import SignIns
from sites import Sites
from structure import Structure

STRUCTURE = {
    "requests": Structure.requests,
    "log": Structure.log,
    "growth": Structure.growth,
    "starts": Structure.starts,
}
# What changes the spaces comes after what reads them.
CONTENT = {
    "import": Content.imports,
    "reading": Content.reading,
    "search": Content.search,
    "links": Content.links,
    "edits": Content.edits,
    "merges": Content.merges,
    "revisions": Content.revisions,
}
COMMENTS = {"comments": Comments.comments}
SITES = {"sites": Sites.sites}
PAGES = {"pages": Pages.pages}
GIT = {"git": Repositories.git}
SIGN_INS = {"sign-ins": SignIns.sign_ins}
INTEGRATIONS = {"integrations": Integrations.integrations}
INSIGHTS = {"insights": Insights.insights}
LISTS = {"lists": Growth.lists}
CRATES = {"rich-text": Crates.rich_text, "expressions": Crates.expressions}
SECTIONS = STRUCTURE | CONTENT | COMMENTS | SITES | PAGES | GIT | SIGN_INS | INTEGRATIONS | INSIGHTS | LISTS | CRATES
GROUPS = {
    "structure": STRUCTURE, "content": CONTENT, "comments": COMMENTS, "sites": SITES, "pages": PAGES, "git": GIT, "sign-ins": SIGN_INS,
    "integrations": INTEGRATIONS, "insights": INSIGHTS, "crates": CRATES,
}


def chosen(names):
    """The sections that the names stand for, in their order; all without a name."""
    known = {name: [name] for name in SECTIONS} | {name: list(group) for name, group in GROUPS.items()}
    for name in names:
        if name not in known:
            raise SystemExit(f"scripts/bench: there is no section {name}, only {', '.join(known)}")
    wanted = {section for name in names or GROUPS for section in known[name]}
    return [section for section in SECTIONS if section in wanted]


def main():
    if sys.argv[1] == "--check":
        chosen(sys.argv[2:])
        return
    program, peer, directory, *names = sys.argv[1:]
    print(
        f"{os.cpu_count()} cores, shared with wrk (1 thread, {CONNECTIONS} connections); SQLite; "
        f"load average at the start {os.getloadavg()[0]:.1f}"
    )
    bench = Bench(program, peer, directory)
    structure, content, comments = Structure(bench), Content(bench), Comments(bench)
    subjects = dict.fromkeys(STRUCTURE, structure) | dict.fromkeys(CONTENT, content) | dict.fromkeys(COMMENTS, comments)
    subjects |= dict.fromkeys(SITES, Sites(bench)) | dict.fromkeys(PAGES, Pages(bench)) | dict.fromkeys(GIT, Repositories(bench)) | dict.fromkeys(SIGN_INS, SignIns(bench)) | dict.fromkeys(LISTS, Growth(bench)) | dict.fromkeys(CRATES, Crates())
    subjects |= dict.fromkeys(INTEGRATIONS, Integrations(bench)) | dict.fromkeys(INSIGHTS, Insights(bench))
    for section in chosen(names):
        SECTIONS[section](subjects[section])


main()
