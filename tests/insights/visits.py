"""Random events of visitors, and random questions about them."""

import datetime

AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
]
CLAIMS = [{}, {"plan": "pro"}, {"plan": "free", "beta": True}, {"account": {"plan": "it's", "seats": 1.5}}, {"tags": ["a", "b"]}]
QUERIES = ["grip", "Wie geht's?", "100%_\\", "line\nbreak", "日本語 🦀", "\"quoted\" {p0:String}"]
COLUMNS = [
    *({"column": name} for name in (
        "url", "eventType", "siteSection", "displayContext", "page", "visitorDevice", "visitorBrowser", "visitorOS", "visitorBot",
        "visitorLanguage", "eventLinkTargetValue", "eventLinkTargetKind", "eventLinkTargetDomain", "eventLinkPosition",
        "eventAPIOperationPath", "eventSearchQuery", "eventPageFeedbackRating", "eventPageFeedbackComment", "eventAskResponseRating",
        "referrer", "referrerDomain", "utmSource", "visitorClaimProperty", "eventAdDomain", "eventLLMSVariant", "eventMarkdownSource",
    )),
    *({"column": "visitorClaim", "claim": claim} for claim in ("plan", "account.plan", "account", "tags", "none")),
]
METRICS = [{"column": name} for name in ("eventsCount", "sessionsCount", "visitorsCount", "pageFeedbackRating", "askResponseRating")]
INTERVALS = ["hour", "day", "week", "month", None]
ZONES = ["UTC", "Asia/Kathmandu", "America/St_Johns"]


def event(random, time):
    visitor = int(random.paretovariate(0.7)) % 60
    further = random.choice([
        {"type": "page_view"}, {"type": "page_view"}, {"type": "search_open"},
        {"type": "search_type_query", "query": random.choice(QUERIES)},
        {"type": "page_post_feedback", "feedback": {"rating": random.choice(["bad", "ok", "good"])}},
        {"type": "page_post_feedback_comment", "feedback": {"rating": "bad", "comment": random.choice(QUERIES)}},
        {"type": "ask_rate_response", "query": "why", "rating": random.choice([1, -1]), "responseId": "r"},
        {"type": "link_click", "link": {"target": {"kind": "url", "url": f"https://{random.choice('abc')}.example/"}, "position": "footer"}},
        {"type": "api_client_request", "operation": {"path": random.choice(["/pets", "/pets/{id}"]), "method": "get"}},
        {"type": "ask_question", "query": random.choice(QUERIES), "goal": "set up a pump"},
        {"type": random.choice(["mcp_request", "rss_request", "agent_feedback", "ask_view"])},
        {"type": "llms_request", "llmsVariant": random.choice(["standard", "full"])},
        {"type": "page_markdown_request"} | random.choice([{}, {"markdownSource": "page-action"}]),
        {"type": "ad_click", "ad": {"domain": "ads.example", "zoneId": "z", "placement": "aside"}},
    ])
    return further | {
        "timestamp": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "session": {
            "visitorId": f"visitor {visitor}", "sessionId": f"session {visitor}.{random.randrange(3)}", "cookies": {},
            "userAgent": random.choice(AGENTS), "language": random.choice(["en", "pt", None]),
            "referrer": random.choice([None, "", "https://search.example/q", f"https://{random.choice('abc')}.example/x"]),
            "visitorAuthClaims": random.choice(CLAIMS),
        },
        "location": {
            "url": f"https://docs.tidewater.example/{int(random.paretovariate(0.5)) % 40}?utm_source={random.choice(['news', 'mail'])}",
            "siteSection": random.choice([None, "section"]), "siteSpace": None, "siteShareKey": None,
            "space": random.choice([None, "space 1", "space 2"]), "revision": None, "page": random.choice([None, "page 1", "page 2"]),
        },
    }


def batch(random, size):
    """Events of the last minutes, each with its time: a batch that is sent again counts once."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"events": [event(random, now - datetime.timedelta(milliseconds=random.randrange(200_000))) for _ in range(size)]}


def question(random, values):
    """`values` has what the events have in each of COLUMNS."""
    groups = random.sample(COLUMNS, random.choice([0, 1, 1, 2, 3]))
    if random.random() < 0.4:
        interval = random.choice(INTERVALS)
        groups.append({"column": "datetime"} | ({"interval": interval} if interval else {}))
    metrics = random.sample(METRICS, random.choice([0, 1, 2, 5]))
    body = {"range": "last24Hours", "groupBy": groups, "select": groups + metrics, "timezone": random.choice(ZONES)}
    body["limit"] = random.choice([1, 5, 1000])
    body["where"] = [condition(random, *random.choice(list(zip(COLUMNS, values)))) for _ in range(random.choice([0, 0, 1, 2]))]
    if random.random() < 0.3:
        body["where"].append({"column": "eventsCount", "operator": "greaterThan", "values": [random.randrange(4)]})
    if groups and random.random() < 0.6:
        ordered = [*groups, *(metric for metric in metrics if metric["column"].endswith("sCount"))]
        body["order"] = {"by": random.choice(ordered), "direction": random.choice(["asc", "desc"])}
    return body if groups or metrics else {"range": "last24Hours"}


def condition(random, column, values):
    some = random.sample(values, min(len(values), random.choice([1, 1, 2, 5])))
    texts = [value for value in values if isinstance(value, str)]
    if texts and random.random() < 0.3:
        comparison = random.choice(["greaterThan", "greaterThanOrEqual", "lessThan", "lessThanOrEqual"])
        return column | {"operator": comparison, "values": [random.choice(texts)]}
    return column | {"operator": random.choice(["in", "notIn"]), "values": some}
