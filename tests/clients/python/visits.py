"""What a visitor of a site does, and a conversation in which somebody asks for help."""

from bindery_client import AuthenticatedClient
from bindery_client.api.conversations import ingest_conversation, list_conversations
from bindery_client.api.site_insights import aggregate_site_events, track_events_in_site_by_id
from bindery_client.api.sites import create_site
from bindery_client.models.conversation_input import ConversationInput
from bindery_client.models.conversation_list import ConversationList
from bindery_client.models.create_site import CreateSite
from bindery_client.models.query_site_insights import QuerySiteInsights
from bindery_client.models.site import Site
from bindery_client.models.site_insights_answer import SiteInsightsAnswer
from bindery_client.models.track_site_insights_events import TrackSiteInsightsEvents

SESSION: dict[str, object] = {"visitorId": "v", "sessionId": "s", "cookies": {}, "userAgent": "Python", "language": "en", "referrer": None}
LOCATION = dict.fromkeys(["siteSection", "siteSpace", "siteShareKey", "space", "revision", "page"])


def visit(client: AuthenticatedClient, organization: str) -> None:
    site = create_site.sync(organization, client=client, body=CreateSite(title="Visited"))
    assert isinstance(site, Site), site
    view = {"type": "page_view", "session": SESSION, "location": {**LOCATION, "url": "https://docs.tidewater.example/"}}
    events = TrackSiteInsightsEvents.from_dict({"events": [view, view]})
    tracked = track_events_in_site_by_id.sync_detailed(organization, site.id, client=client, body=events)
    assert tracked.status_code == 204, tracked.content

    query = QuerySiteInsights.from_dict({"range": "last24Hours", "groupBy": [{"column": "eventType"}]})
    answer = aggregate_site_events.sync(organization, site.id, client=client, body=query)
    assert isinstance(answer, SiteInsightsAnswer), answer
    assert [column.to_dict()["values"] for column in answer.columns] == [["page_view"], [2]], answer


def ask_for_help(client: AuthenticatedClient, organization: str) -> None:
    question = {"type": "message", "role": "user", "body": "The gripper does not open. What can I do?"}
    body = ConversationInput.from_dict({"id": "made-in-python", "subject": "Gripper", "parts": [question]})
    ingested = ingest_conversation.sync_detailed(organization, client=client, body=body)
    assert ingested.status_code == 204, ingested.content
    conversations = list_conversations.sync(organization, client=client)
    assert isinstance(conversations, ConversationList), conversations
    assert "Gripper" in [conversation.subject for conversation in conversations.items]
