"""A discussion about a page, from the first comment to its end."""

from bindery_client import AuthenticatedClient
from bindery_client.api.comments import (
    delete_comment_in_space,
    get_comment_in_space,
    list_comments_in_space,
    post_comment_in_space,
    post_comment_reply_in_space,
    update_comment_in_space,
    update_comment_reply_in_space,
)
from bindery_client.models.comment import Comment
from bindery_client.models.comment_list import CommentList
from bindery_client.models.comment_reply import CommentReply
from bindery_client.models.comment_status import CommentStatus
from bindery_client.models.markdown_comment import MarkdownComment
from bindery_client.models.post_comment import PostComment
from bindery_client.models.post_comment_reply import PostCommentReply
from bindery_client.models.update_comment import UpdateComment
from bindery_client.models.update_comment_reply import UpdateCommentReply
from bindery_client.models.wanted_comment_status import WantedCommentStatus
from bindery_client.types import Unset


def discuss(client: AuthenticatedClient, space: str, page: str) -> None:
    question = PostComment(page=page, body=MarkdownComment(markdown="Is this torque right?"))
    comment = post_comment_in_space.sync(space, client=client, body=question)
    assert isinstance(comment, Comment), comment

    answer = PostCommentReply(body=MarkdownComment(markdown="It is."))
    reply = post_comment_reply_in_space.sync(space, comment.id, client=client, body=answer)
    assert isinstance(reply, CommentReply), reply
    thumb = UpdateCommentReply(added_reactions=["1f44d"])
    reacted = update_comment_reply_in_space.sync(space, comment.id, reply.id, client=client, body=thumb)
    assert isinstance(reacted, CommentReply), reacted
    assert [(reaction.emoji, reaction.count) for reaction in reacted.reactions] == [("1f44d", 1)]

    for resolved, status in ((True, CommentStatus.RESOLVED), (False, CommentStatus.OPEN)):
        changed = update_comment_in_space.sync(
            space, comment.id, client=client, body=UpdateComment(resolved=resolved)
        )
        assert isinstance(changed, Comment), changed
        assert changed.status == status
        assert isinstance(changed.resolved_by, Unset) != resolved

    listed = list_comments_in_space.sync(
        space, client=client, target_page=page, status=WantedCommentStatus.OPEN
    )
    assert isinstance(listed, CommentList), listed
    assert [(item.id, item.replies) for item in listed.items] == [(comment.id, 1)]
    assert delete_comment_in_space.sync_detailed(space, comment.id, client=client).status_code == 204
    assert get_comment_in_space.sync_detailed(space, comment.id, client=client).status_code == 404
