"""Pages of a site as readers open them, beside nginx with what mdBook makes of the same book."""

import getpass
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import book
from bench import ROUNDS, SECONDS, in_turns, say
from client import Client
from content import Space
from load import Scenario
from processes import TICK_MS, Server, measured
from tables import print_figures, print_ratios

PAGES, MANY = 200, 5_000
# Readers at the same time.
READERS = 64
IMPORT_LIMIT = 300
# Of a page in a browser that has kept nothing.
CODING = "gzip"
NGINX = """
daemon off; user {user}; pid {directory}/nginx.pid; error_log {directory}/nginx.log; worker_processes auto;
events {{ worker_connections 1024; }}
http {{
    types {{ text/html html; text/css css; application/javascript js; }}
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=10000;
    gzip on; gzip_types text/css application/javascript;
    client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
    server {{ listen {address}; root {root}; location = /readyz {{ return 200; }} }}
}}
"""


class Pages:
    def __init__(self, bench):
        self.bench = bench

    def pages(self):
        bench, directory = self.bench, self.bench.place("book-of-pages")
        given = os.environ.get("BENCH_BOOK")
        if given:
            book.repeat(given, directory, PAGES)
        else:
            book.write(directory, PAGES)
        data, many = bench.place("pages"), bench.place("many-pages")
        bench.first_run(data)
        space = self.imported(data, directory)
        with bench.server(data) as server, self.nginx(directory) as nginx:
            paths = self.publish(server, data, space)
            static = [str(path.relative_to(nginx.root)) for path in nginx.root.rglob("*.html")]
            own = Scenario.reading("page", "", paths, connections=READERS)
            theirs = Scenario.reading("page", "", [f"/{path}" for path in static], connections=READERS)
            one = Scenario.reading("page, one reader", "", paths, connections=1)
            runs = [(server, own), (server, own.compressed(CODING)), (server, one)]
            runs += [(nginx, theirs), (nginx, theirs.compressed(CODING))]
            figures = in_turns(runs)
        names = [f"{subject.name}, {scenario.name}" for subject, scenario in runs]
        rows = dict(zip(names, figures))
        bench.first_run(many)
        large = bench.place("book-of-many-pages")
        book.write(large, MANY)
        space = self.imported(many, large)
        with bench.server(many) as server:
            paths = self.publish(server, many, space)
            anew = Scenario.reading("page", "", paths, connections=READERS)
            (rows[f"bindery, {MANY:,} pages in turn"],) = in_turns([(server, anew)])
        print(
            f"\nA site of {PAGES} pages, {READERS} readers at the same time; medians of {ROUNDS} runs of {SECONDS} s each"
        )
        print_figures("server, request", rows)
        pairs = [("page", names[0], names[3]), (f"page, {CODING}", names[1], names[4])]
        print_ratios("bindery : nginx", [(name, rows[ours], rows[others]) for name, ours, others in pairs])

    def imported(self, data, directory):
        say(f"import of {directory.name}")
        arguments = [
            self.bench.program, "import", directory, "--org", self.bench.organization(data), "--title", "Manual",
        ]
        ended = measured(arguments, self.bench.place("import.log"), IMPORT_LIMIT, **self.bench.settings(data))
        return Space.printed(data, ended)

    def publish(self, server, data, space):
        """The paths of the pages."""
        organization = f"/v1/orgs/{self.bench.organization(data)}"
        with Client(server, self.bench.admin) as client:
            site = client.post(f"{organization}/sites", {"title": "Manual", "spaces": [space.id]}).body
            published = client.post(f"{organization}/sites/{site['id']}/publish").body["urls"]["published"]
        sitemap = server.get(f"{urlsplit(published).path}sitemap-pages.xml")[1].decode()
        return [urlsplit(address).path for address in re.findall("<loc>(.*?)</loc>", sitemap)]

    def nginx(self, directory):
        home = self.bench.place("nginx")
        home.mkdir()
        summary = [f"- [{path.stem}]({path.relative_to(directory)})" for path in sorted(directory.rglob("*.md"))]
        (directory / "SUMMARY.md").write_text("\n".join(summary))
        root = home / "pages"
        config = home / "book.toml"
        config.write_text(f'[book]\ntitle = "Manual"\nsrc = "{directory}"\n[build]\nbuild-dir = "{root}"\n')
        subprocess.run([os.environ["BENCH_MDBOOK"], "build", home], check=True, capture_output=True)
        return Nginx(home, root)


class Nginx(Server):
    """One worker for each core."""

    def __init__(self, home, root):
        self.root = Path(root)
        config = home / "nginx.conf"
        # The server needs its port before it starts.
        super().__init__(
            "nginx", ["sh", "-c", f"printf '%s' \"$CONFIG\" > {config}; exec nginx -c {config}"], home / "log",
            CONFIG=NGINX.replace("{directory}", str(home)).replace("{root}", str(root)).replace("{user}", getpass.getuser()),
        )

    def workers(self):
        return Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()

    def cpu_ms(self):
        fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.workers()]
        return sum(int(one[11]) + int(one[12]) for one in fields) * TICK_MS

    def memory_mb(self, field):
        lines = [line for pid in self.workers() for line in Path(f"/proc/{pid}/status").read_text().splitlines()]
        return sum(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / 1024

    def forget_peak(self):
        for pid in self.workers():
            Path(f"/proc/{pid}/clear_refs").write_text("5")
