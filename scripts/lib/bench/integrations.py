"""A section on integrations: their scripts, their processes, and the delivery of events."""

import statistics
import time
from pathlib import Path

from bench import say
from client import Client
from receiver import Receiver
from tables import print_table

IDLE = 100
LIVE = 16
WARM_REQUESTS = 500
WRITES = 300
INSTALLED = 10
WEBHOOKS = 16
LIMIT = 120

# Small, and with what most scripts do: the form, the event and the environment are read.
SCRIPT = """export default {
    async fetch(request) {
        const form = await request.formData();
        const event = JSON.parse(form.get('event'));
        const environment = JSON.parse(form.get('environment'));
        if (event.type !== 'fetch') return new Response('OK');
        return Response.json({ integration: environment.integration.name, url: event.request.url });
    },
};"""


class Integrations:
    def __init__(self, bench):
        self.bench, self.data = bench, bench.place("integrations")

    def integrations(self):
        bench = self.bench
        bench.first_run(self.data)
        organization = bench.organization(self.data)
        settings = {"BINDERY_ALLOW_PRIVATE_ADDRESSES": "127.0.0.1"}
        with Receiver() as receiver, bench.server(self.data, **settings) as server:
            with Client(server, bench.admin) as client:
                print("\nIntegrations; one request after the other, medians")
                for number in range(IDLE):
                    publish(client, organization, f"idle-{number}")
                print(f"{IDLE} integrations without work: {len(script_processes(server))} processes")
                self.requests(server, client)
                writer = Writer(client, organization)
                self.writes(client, receiver, organization, writer)
                self.deliveries(client, receiver, organization, writer)

    def requests(self, server, client):
        path = "/integrations/idle-{}/level?harbor=north"
        say("requests of scripts")
        cold = [client.get(path.format(number)).seconds for number in range(LIVE)]
        again = [client.get(path.format(number)).seconds for number in range(LIVE)]
        warm = [client.get(path.format(0)).seconds for _ in range(WARM_REQUESTS)]
        processes = script_processes(server)
        megabytes = [private_mb(process) for process in processes]
        rows = [
            ("first request of an integration", cold),
            ("second request", again),
            ("one integration", warm),
        ]
        columns = {"requests": ",.0f", "median ms": ".2f", "slowest ms": ".2f"}
        table = [(name, (len(some), statistics.median(some) * 1000, max(some) * 1000)) for name, some in rows]
        print_table("fetch", columns, table)
        print(
            f"{LIVE} integrations at work: {len(processes)} processes, {sum(megabytes):.0f} MB of their own, "
            f"{statistics.median(megabytes):.1f} MB the median one"
        )

    def writes(self, client, receiver, organization, writer):
        """Edits of two spaces in turns, one of them with integrations that get events of it. The events wait: only the writer is measured."""
        say("writes")
        observed = Writer(client, organization)
        receiver.hold()
        for number in range(INSTALLED):
            name = f"installed-{number}"
            publish(client, organization, name, scopes=["space:content:read"])
            client.attempt("PUT", f"/v1/integrations/{name}/dev", {"tunnelUrl": receiver.url, "all": True})
            installation = client.post(f"/v1/integrations/{name}/installations", {"organization": organization})
            location = f"/v1/integrations/{name}/installations/{installation.body['id']}"
            client.post(f"{location}/spaces", {"space": observed.space})
        pairs = [(writer.write(1), observed.write(1)) for _ in range(WRITES)]
        without, with_integrations = map(statistics.median, zip(*pairs))
        receiver.release()
        for number in range(INSTALLED):
            client.attempt("DELETE", f"/v1/integrations/installed-{number}")
        ratio = with_integrations / without
        print_table(
            "edit of a page", {"median ms": ".2f", "ratio": ".2f"},
            [("no integration", (without, 1.0)), (f"{INSTALLED} installed integrations", (with_integrations, ratio))],
        )

    def deliveries(self, client, receiver, organization, writer):
        """Events are recorded while the first of each webhook waits for its answer; then all are delivered."""
        receiver.hold()
        for number in range(WEBHOOKS):
            body = {"url": f"{receiver.url}/{number}", "eventTypes": ["space.content_updated"]}
            client.post(f"/v1/orgs/{organization}/webhooks", body)
        say("events of webhooks")
        writer.write(WRITES)
        before = receiver.arrived.value
        started = time.monotonic()
        receiver.release()
        # Those that wait have arrived already.
        expected = WEBHOOKS * (WRITES - 1)
        while receiver.arrived.value - before < expected:
            if time.monotonic() - started > LIMIT:
                raise SystemExit(f"only {receiver.arrived.value - before} of {expected} events were delivered")
            time.sleep(0.01)
        seconds = time.monotonic() - started
        print(f"\n{expected:,} events to {WEBHOOKS} webhooks on this machine: {expected / seconds:,.0f} deliveries/s")


class Writer:
    """Edits one page of a space again and again."""

    def __init__(self, client, organization):
        self.client, self.number = client, 0
        self.space = client.post(f"/v1/orgs/{organization}/spaces", {"title": "Gauges"}).body["id"]
        self.path = f"/v1/spaces/{self.space}/content"
        insert = {"operation": "insert_page", "title": "Harbor", "document": {"markdown": "High tide."}}
        client.post(self.path, {"changes": [insert]})
        pages = client.get(f"{self.path}/pages").body["pages"]
        self.page = next(page["id"] for page in pages if page["title"] == "Harbor")

    def write(self, times):
        """Returns the median of these edits, in milliseconds."""
        seconds = []
        for _ in range(times):
            self.number += 1
            document = {"markdown": f"High tide at {self.number}."}
            change = {"operation": "update_page", "page": self.page, "document": document}
            seconds.append(self.client.post(self.path, {"changes": [change]}).seconds)
        return statistics.median(seconds) * 1000


def publish(client, organization, name, **members):
    manifest = {
        "runtime": "v2", "title": "Tide gauge", "description": "Shows the water level.", "scopes": [],
        "script": SCRIPT, "organization": organization,
    }
    client.post(f"/v1/integrations/{name}", manifest | members)


def script_processes(server):
    """The ids of the processes of a server that run scripts."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = process.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            command = process.joinpath("cmdline").read_bytes()
        except OSError:
            continue
        if int(parent) == server.process.pid and b"run-scripts" in command:
            found.append(process.name)
    return found


def private_mb(process):
    """Without the program itself, which all processes share."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0
