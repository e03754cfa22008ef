//! A discussion about a page, from the first comment to its end.

use anyhow::{Result, bail, ensure};

use crate::generated::{
    Client, Error,
    types::{
        CommentStatus, CommentText, MarkdownComment, MarkdownCommentMarkdown, PostCommentPage,
        UpdateCommentReplyAddedReactionsItem, WantedCommentStatus,
    },
};

pub async fn discuss(client: &Client, space: &str, page: &str) -> Result<()> {
    let (question, on): (CommentText, PostCommentPage) = (text("Is this torque right?")?, page.parse()?);
    let post = client.post_comment_in_space().space_id(space);
    let comment = post
        .body_map(|body| body.body(question).page(Some(on)))
        .send()
        .await?
        .into_inner();

    let answer = text("It is.")?;
    let reply = client
        .post_comment_reply_in_space()
        .space_id(space)
        .comment_id(comment.id.as_str());
    let reply = reply.body_map(|body| body.body(answer)).send().await?.into_inner();
    let thumb: UpdateCommentReplyAddedReactionsItem = "1f44d".parse()?;
    let react = client
        .update_comment_reply_in_space()
        .space_id(space)
        .comment_id(comment.id.as_str());
    let react = react.comment_reply_id(reply.id.as_str());
    let reacted = react
        .body_map(|body| body.added_reactions(vec![thumb]))
        .send()
        .await?
        .into_inner();
    ensure!(reacted.reactions.len() == 1, "{reacted:?}");

    for (resolved, status) in [(true, CommentStatus::Resolved), (false, CommentStatus::Open)] {
        let change = client
            .update_comment_in_space()
            .space_id(space)
            .comment_id(comment.id.as_str());
        let changed = change
            .body_map(|body| body.resolved(Some(resolved)))
            .send()
            .await?
            .into_inner();
        ensure!(
            changed.status == status && changed.resolved_by.is_some() == resolved,
            "{changed:?}"
        );
    }

    let list = client.list_comments_in_space().space_id(space).target_page(page);
    let listed = list.status(WantedCommentStatus::Open).send().await?.into_inner();
    ensure!(
        listed.items.len() == 1 && listed.items.iter().all(|item| item.replies == 1),
        "{listed:?}"
    );
    client
        .delete_comment_in_space()
        .space_id(space)
        .comment_id(comment.id.as_str())
        .send()
        .await?;
    let gone = client
        .get_comment_in_space()
        .space_id(space)
        .comment_id(comment.id.as_str());
    let Err(Error::ErrorResponse(answer)) = gone.send().await else {
        bail!("the comment is still there")
    };
    ensure!(answer.status() == 404, "{answer:?}");
    Ok(())
}

fn text(markdown: &str) -> Result<CommentText> {
    let markdown: MarkdownCommentMarkdown = markdown.parse()?;
    let text = MarkdownComment::builder().markdown(markdown);
    Ok(CommentText::MarkdownComment(text.try_into()?))
}
