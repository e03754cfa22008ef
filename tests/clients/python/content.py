"""Content from the first page to a merge, as docs/tour.md does it with curl."""

from bindery_client import AuthenticatedClient
from bindery_client.api.change_request_conflicts import list_change_request_conflicts, resolve_change_request_conflict
from bindery_client.api.change_request_content import update_change_request_content
from bindery_client.api.change_requests import create_change_request, get_change_request_by_id, merge_change_request
from bindery_client.api.content import get_page_by_id, update_space_content
from bindery_client.api.reviews import submit_change_request_review
from bindery_client.api.revisions import list_revisions, restore_revision
from bindery_client.api.search import search_space_content
from bindery_client.api.spaces import create_space
from bindery_client.models.change_request import ChangeRequest
from bindery_client.models.change_request_review import ChangeRequestReview
from bindery_client.models.content_conflict_list import ContentConflictList
from bindery_client.models.create_change_request import CreateChangeRequest
from bindery_client.models.create_space import CreateSpace
from bindery_client.models.edit_page import EditPage
from bindery_client.models.insert_page import InsertPage
from bindery_client.models.merged_change_request import MergedChangeRequest
from bindery_client.models.merged_change_request_result import MergedChangeRequestResult
from bindery_client.models.resolve_conflict import ResolveConflict
from bindery_client.models.resolve_conflict_resolution import ResolveConflictResolution
from bindery_client.models.review_status import ReviewStatus
from bindery_client.models.revision_summary_list import RevisionSummaryList
from bindery_client.models.search_page_result_list import SearchPageResultList
from bindery_client.models.space import Space
from bindery_client.models.space_content_update import SpaceContentUpdate
from bindery_client.models.submit_review import SubmitReview
from bindery_client.models.markdown_text import MarkdownText
from bindery_client.models.text_format import TextFormat
from bindery_client.models.update_content import UpdateContent

from derived import derive
from discussion import discuss
from publishing import publish
from visitors import admit

TEXT = "Switch off the compressed air.\n\nLoosen four screws."


def walk(client: AuthenticatedClient, organization: str) -> None:
    space = create_space.sync(organization, client=client, body=CreateSpace(title="Gripper G4"))
    assert isinstance(space, Space), space

    fingers = InsertPage(
        operation="insert_page", title="Changing the fingers", ref="fingers", document=MarkdownText(markdown=TEXT)
    )
    start = InsertPage(
        operation="insert_page", title="Start", document=MarkdownText(markdown="Begin with [them](./fingers.md).")
    )
    written = update_space_content.sync(space.id, client=client, body=UpdateContent(changes=[fingers, start]))
    assert isinstance(written, SpaceContentUpdate), written

    found = search_space_content.sync(space.id, client=client, query="fing")
    assert isinstance(found, SearchPageResultList), found
    page = found.items[0]
    assert page.title == "Changing the fingers"

    discuss(client, space.id, page.id)
    publish(client, organization, space.id)
    admit(client, organization, space.id)
    derive(client, organization, space.id)
    propose(client, space.id, page.id)

    restored = restore_revision.sync_detailed(space.id, written.revision, client=client)
    assert restored.status_code == 201, restored.content
    assert text(client, space.id, page.id) == f"# Changing the fingers\n\n{TEXT}"


def propose(client: AuthenticatedClient, space: str, page: str) -> None:
    """A change request that is reviewed, comes into conflict with its space, is resolved and merged."""
    request = create_change_request.sync(space, client=client, body=CreateChangeRequest(subject="Say which screws"))
    assert isinstance(request, ChangeRequest), request
    better = editing(page, "Switch off the compressed air.\n\nLoosen the four screws at the back.")
    edited = update_change_request_content.sync_detailed(space, request.id, client=client, body=better)
    assert edited.status_code == 200, edited.content
    review = submit_change_request_review.sync(
        space, request.id, client=client, body=SubmitReview(status=ReviewStatus.APPROVED)
    )
    assert isinstance(review, ChangeRequestReview), review
    assert not review.outdated

    other = editing(page, "Switch off the compressed air.\n\nLoosen two screws.")
    assert isinstance(update_space_content.sync(space, client=client, body=other), SpaceContentUpdate)
    assert merge(client, space, request.id) == MergedChangeRequestResult.CONFLICTS
    conflicts = list_change_request_conflicts.sync(space, request.id, client=client)
    assert isinstance(conflicts, ContentConflictList), conflicts
    assert [conflict.page for conflict in conflicts.items] == [page]
    ours = ResolveConflict(resolution=ResolveConflictResolution.OURS)
    resolved = resolve_change_request_conflict.sync_detailed(space, request.id, page, client=client, body=ours)
    assert resolved.status_code == 200, resolved.content
    assert merge(client, space, request.id) == MergedChangeRequestResult.MERGE
    merged = get_change_request_by_id.sync(space, request.id, client=client)
    assert isinstance(merged, ChangeRequest), merged
    assert merged.status == "merged"
    assert "at the back" in text(client, space, page)

    history = list_revisions.sync(space, client=client)
    assert isinstance(history, RevisionSummaryList), history
    assert history.items[0].type_ == "merge"


def editing(page: str, markdown: str) -> UpdateContent:
    return UpdateContent(
        changes=[EditPage(operation="update_page", page=page, document=MarkdownText(markdown=markdown))]
    )


def merge(client: AuthenticatedClient, space: str, request: str) -> MergedChangeRequestResult:
    merged = merge_change_request.sync(space, request, client=client)
    assert isinstance(merged, MergedChangeRequest), merged
    return merged.result


def text(client: AuthenticatedClient, space: str, page: str) -> str:
    read = get_page_by_id.sync_detailed(space, page, client=client, format_=TextFormat.MARKDOWN)
    assert read.status_code == 200, read.content
    markdown = getattr(read.parsed, "markdown", None)
    assert isinstance(markdown, str), read.parsed
    return markdown.rstrip()
