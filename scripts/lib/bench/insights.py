"""A section on insights: events of visitors come in while others ask, and questions about many of them.

The server takes the time of events from the last minutes only, so that all of them are of one or two days: what is asked for
30 days reads as many events as it would if they were spread. A thousand batches are sent again and again, without times, so that each
counts. `BENCH_EVENTS="1000000 10000000"` are the numbers of events."""

import json
import os
import random
import statistics
import threading
import time

from bench import SECONDS, database, say
from client import Client
from load import Scenario, wrk
from stored import Stored
from tables import print_table

EVENTS = [int(number) for number in os.environ.get("BENCH_EVENTS", "1000000 10000000").split()]
BATCH, BATCHES = 100, 1_000
PAGES, SEARCHES, VISITORS = 5_000, 20_000, 500_000
# The number of times that a question is asked.
ANSWERS = 5
# Connections of those who track, and of those who ask.
TRACKING, READING = 8, 2
# How much is tracked between two looks at the numbers.
STEP_SECONDS = 20
AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
]
DAY = {"column": "datetime", "interval": "day"}
COUNT = {"column": "eventsCount"}
VISITORS_COUNT = {"column": "visitorsCount"}
METRICS = ["eventsCount", "sessionsCount", "visitorsCount", "pageFeedbackRating", "askResponseRating"]
COLUMNS = [
    "url", "eventType", "siteSection", "siteSpace", "siteShareKey", "displayContext", "page", "visitorGeoCountry", "visitorGeoPoint",
    "visitorDevice", "visitorBrowser", "visitorOS", "visitorBot", "visitorLanguage", "eventLinkTargetValue", "eventLinkTargetKind",
    "eventLinkTargetDomain", "eventLinkPosition", "eventAPIOperationPath", "eventAPIOperationMethod", "eventSearchQuery",
    "eventPageFeedbackRating", "eventPageFeedbackComment", "eventAskResponseRating", "referrer", "referrerDomain", "utmSource",
    "utmMedium", "utmCampaign", "utmTerm", "utmContent", "visitorClaimProperty", "eventAdDomain", "eventAdPlacement",
    "eventTrademarkPlacement",
]


def of_type(name):
    return {"column": "eventType", "operator": "in", "values": [name]}


def top(column, *where):
    return {
        "range": "last30Days", "groupBy": [column], "select": [column, COUNT], "where": list(where),
        "order": {"by": COUNT, "direction": "desc"}, "limit": 10,
    }


USUAL = {
    "views by day": {"range": "last30Days", "groupBy": [DAY], "select": [DAY, COUNT], "where": [of_type("page_view")]},
    "top pages": top({"column": "page"}, of_type("page_view")),
    "top searches": top({"column": "eventSearchQuery"}, of_type("search_type_query")),
    "visitors by day": {"range": "last30Days", "groupBy": [DAY], "select": [DAY, VISITORS_COUNT]},
}


def questions():
    """Every column of the contract, as a group or as a number."""
    asked = {f"by {name}": top({"column": name}) for name in COLUMNS}
    asked["by visitorClaim"] = top({"column": "visitorClaim", "claim": "plan"})
    for interval in ("hour", "day", "week", "month"):
        asked[f"by {interval}"] = top({"column": "datetime", "interval": interval})
    return asked | {name: {"range": "last30Days", "select": [{"column": name}]} for name in METRICS}


class Insights:
    def __init__(self, bench):
        self.bench, self.data = bench, bench.place("insights")
        # For each number of events that was wanted, how many there were.
        self.counted = {}

    def insights(self):
        bench = self.bench
        bench.first_run(self.data)
        organization = f"/v1/orgs/{bench.organization(self.data)}"
        with bench.server(self.data) as server, Client(server, bench.admin) as client:
            site = f"{organization}/sites/{client.post(f'{organization}/sites', {'title': 'Manual'}).body['id']}"
            self.path = f"{site}/insights/events"
            tracking = Scenario("track", bench.admin, list(batches(self.path)), connections=TRACKING)
            self.beside_reads(server, tracking)
            found, sizes = {}, {}
            for events in EVENTS:
                sizes[events] = self.fill(server, client, tracking, events)
                server.forget_peak()
                found[events] = {name: self.milliseconds(client, body) for name, body in (USUAL | questions()).items()}
                sizes[events] += (server.memory_mb("VmHWM"),)
        print_table(
            "Events of a site", {"events": ",", "events/s": ",.0f", "peak MB, tracking": ",.0f", "database MB": ",.0f", "peak MB, asking": ",.0f"},
            [(f"{events:,}", (self.counted[events], *of)) for events, of in sizes.items()],
        )
        headings = {f"{events:,} events: ms": ",.1f" for events in EVENTS}
        print_table("Questions", headings, [(name, [found[events][name] for events in EVENTS]) for name in found[EVENTS[0]]])

    def beside_reads(self, server, tracking):
        """Batches, while others ask for each column in turn, each time for another number of rows."""
        bodies = [body | {"limit": limit} for limit in range(1, 1001) for body in questions().values()]
        random.Random(1).shuffle(bodies)
        reads = [f"POST {self.path}/aggregate {json.dumps(body)}" for body in bodies[:5_000]]
        reading = Scenario("ask", self.bench.admin, reads, connections=READING)
        reports = {}
        server.forget_peak()
        threads = [
            threading.Thread(target=lambda one=one: reports.update({one.name: wrk(server, one, SECONDS)}))
            for one in (tracking, reading)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name, report in reports.items():
            if report["refused"] or report["broken"]:
                raise SystemExit(f"{server.name}, {name}: unexpected answers: {report}")
        rows = []
        for name, of_each in (("track", BATCH), ("ask", 1)):
            report = reports[name]
            per_second = report["requests"] / report["microseconds"] * 1e6
            rows.append((name, (per_second, per_second * of_each, report["p50"] / 1000, report["p99"] / 1000)))
        print_table(
            f"Batches of {BATCH} beside reads, {SECONDS} s", {"requests/s": ",.0f", "events/s": ",.0f", "p50 ms": ".1f", "p99 ms": ".1f"}, rows
        )
        print(f"peak {server.memory_mb('VmHWM'):.0f} MB")

    def fill(self, server, client, tracking, events):
        """Tracks until there are so many. Returns the events per second, the peak of memory and the size of the database."""
        server.forget_peak()
        started, before = time.monotonic(), self.count(client)
        count, seconds = before, 0
        while count < events:
            report = wrk(server, tracking, STEP_SECONDS)
            if report["broken"]:
                raise SystemExit(f"{server.name}: unexpected answers: {report}")
            seconds += report["microseconds"] / 1e6
            count = self.count(client)
            say(f"{count:,} of {events:,} events after {time.monotonic() - started:.0f} s, {report['refused']} batches refused")
        self.wait_until_stored()
        self.counted[events] = self.count(client)
        peak = server.memory_mb("VmHWM")
        return (count - before) / max(seconds, 1), peak, Stored.of(database(self.data)).file_bytes / 1e6

    def wait_until_stored(self):
        """Until no batch waits in the inbox."""
        while Stored.rows(database(self.data), "insight_batches"):
            time.sleep(1)

    def count(self, client):
        body = {"range": "last24Hours", "select": [COUNT]}
        return client.post(f"{self.path}/aggregate", body).body["columns"][0]["values"][0]

    def milliseconds(self, client, body):
        """The median time of an answer; each question is another one."""
        times = []
        for number in range(ANSWERS + 1):
            asked = body | {"limit": body.get("limit", 1000) - number}
            times.append(client.post(f"{self.path}/aggregate", asked).seconds * 1000)
        return statistics.median(times[1:])


def batches(path):
    chosen = random.Random(42)
    for _ in range(BATCHES):
        yield f"POST {path} {json.dumps({'events': [event(chosen) for _ in range(BATCH)]})}"


def event(chosen):
    """Without a time, so that a batch that is sent again counts again."""
    few = lambda bound: int(bound ** chosen.random()) - 1
    visitor = few(VISITORS)
    page = few(PAGES)
    kind = chosen.choices(["page_view", "search_type_query", "page_post_feedback", "link_click", "ask_rate_response"], [70, 15, 4, 8, 3])[0]
    further = {
        "page_view": {},
        "search_type_query": {"query": f"how to grease bearing {few(SEARCHES)}"},
        "page_post_feedback": {"feedback": {"rating": chosen.choice(["bad", "ok", "good"])}},
        "link_click": {"link": {"target": {"kind": "url", "url": f"https://parts{few(50)}.example/{few(300)}"}, "position": "content"}},
        "ask_rate_response": {"query": f"why {few(SEARCHES)}", "rating": chosen.choice([1, -1]), "responseId": "r"},
    }[kind]
    claims = {"plan": chosen.choice(["pro", "free"])} if chosen.random() < 0.2 else {}
    return {
        "type": kind, **further,
        "session": {
            "visitorId": f"visitor-{visitor}", "sessionId": f"session-{visitor}-{chosen.randrange(5)}", "cookies": {},
            "userAgent": chosen.choice(AGENTS), "language": chosen.choice(["en", "de", "pt", "ja"]),
            "referrer": f"https://search{few(20)}.example/" if chosen.random() < 0.5 else None, "visitorAuthClaims": claims,
        },
        "location": {
            "url": f"https://docs.tidewater.example/page-{page}" + (f"?utm_source=mail&utm_campaign={few(20)}" if page % 7 == 0 else ""),
            "siteSection": None, "siteSpace": f"space-{page % 20}", "siteShareKey": None, "space": f"space-{page % 20}",
            "revision": None, "page": f"page-{page}",
        },
    }
