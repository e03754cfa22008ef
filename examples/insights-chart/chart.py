"""Page views of a site by day, as a picture: `TOKEN=… ORG=… SITE=… python3 chart.py > views.svg`."""
import json, os, urllib.request
DAY, COUNT = {"column": "datetime", "interval": "day"}, {"column": "eventsCount"}
VIEWS = {"column": "eventType", "operator": "in", "values": ["page_view"]}
url = "{BINDERY_URL}/v1/orgs/{ORG}/sites/{SITE}/insights/events/aggregate".format(**{"BINDERY_URL": "http://127.0.0.1:4000", **os.environ})
query = {"range": "last30Days", "select": [DAY, COUNT], "groupBy": [DAY], "where": [VIEWS], "order": {"by": DAY, "direction": "asc"}}
headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"}
with urllib.request.urlopen(urllib.request.Request(url, json.dumps(query).encode(), headers)) as response:
    days, views = (column["values"] for column in json.load(response)["columns"])
bars = "".join(f'<rect x="{20 * at}" y="{200 - 180 * count / max(*views, 1):.1f}" width="16" height="200"><title>{day[:10]}: {count}</title></rect>' for at, (day, count) in enumerate(zip(days, views)))
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {20 * len(days)} 200" fill="#346ddb">{bars}</svg>')
