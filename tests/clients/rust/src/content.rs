//! Content from the first page to a merge, as docs/tour.md does it with curl.

use anyhow::{Context, Result, bail, ensure};

use crate::{
    derived::derive,
    discussion::discuss,
    generated::{
        Client,
        types::{
            ContentChange, ContentPage, CreateChangeRequestSubject, CreateSpaceTitle, EditPage, EditPageOperation,
            InsertPage, InsertPageOperation, InsertPageRef, InsertPageTitle, MarkdownText, MarkdownTextMarkdown,
            MergedChangeRequestResult, ResolveConflictResolution, ReviewStatus, RevisionType, TextBody, TextFormat,
        },
    },
};

const TEXT: &str = "Switch off the compressed air.\n\nLoosen four screws.";

pub async fn walk(client: &Client, organization: &str) -> Result<()> {
    let create = client.create_space().organization_id(organization);
    let title: CreateSpaceTitle = "Gripper G4".parse()?;
    let space = create
        .body_map(|body| body.title(Some(title)).extra(serde_json::Map::new()))
        .send()
        .await?
        .into_inner();
    let pages = vec![
        insert("Changing the fingers", "fingers", TEXT)?,
        insert("Start", "start", "Begin with [them](./fingers.md).")?,
    ];
    let write = client.update_space_content().space_id(space.id.as_str());
    let written = write.body_map(|body| body.changes(pages)).send().await?.into_inner();

    let search = client.search_space_content().space_id(space.id.as_str()).query("fing");
    let found = search.send().await?.into_inner();
    let page = found.items.first().context("the page is not found")?;
    ensure!(page.title == "Changing the fingers", "{page:?}");

    discuss(client, &space.id, &page.id).await?;
    derive(client, organization, &space.id).await?;
    propose(client, &space.id, &page.id).await?;

    let restore = client.restore_revision().space_id(space.id.as_str());
    restore.revision_id(written.revision.as_str()).send().await?;
    ensure!(
        text(client, &space.id, &page.id).await? == format!("# Changing the fingers\n\n{TEXT}"),
        "the text is not restored"
    );
    Ok(())
}

/// A change request that is reviewed, comes into conflict with its space, is resolved and merged.
async fn propose(client: &Client, space: &str, page: &str) -> Result<()> {
    let create = client.create_change_request().space_id(space);
    let subject: CreateChangeRequestSubject = "Say which screws".parse()?;
    let request = create.body_map(|body| body.subject(Some(subject)).extra(serde_json::Map::new()));
    let request = request.send().await?.into_inner().id;
    let better = edit(
        page,
        "Switch off the compressed air.\n\nLoosen the four screws at the back.",
    )?;
    let write = client.update_change_request_content().space_id(space);
    let write = write.change_request_id(request.as_str());
    write.body_map(|body| body.changes(vec![better])).send().await?;
    let review = client.submit_change_request_review().space_id(space);
    let review = review.change_request_id(request.as_str());
    let review = review
        .body_map(|body| body.status(ReviewStatus::Approved))
        .send()
        .await?;
    ensure!(!review.outdated, "{review:?}");

    let other = edit(page, "Switch off the compressed air.\n\nLoosen two screws.")?;
    let write = client.update_space_content().space_id(space);
    write.body_map(|body| body.changes(vec![other])).send().await?;
    let result = merge(client, space, &request).await?;
    ensure!(result == MergedChangeRequestResult::Conflicts, "{result}");
    let conflicts = client.list_change_request_conflicts().space_id(space);
    let conflicts = conflicts.change_request_id(request.as_str()).send().await?.into_inner();
    ensure!(
        conflicts
            .items
            .iter()
            .map(|conflict| conflict.page.as_deref())
            .eq([Some(page)]),
        "{conflicts:?}"
    );
    let resolve = client.resolve_change_request_conflict().space_id(space);
    let resolve = resolve.change_request_id(request.as_str()).conflict_id(page);
    let resolve = resolve.body_map(|body| body.resolution(ResolveConflictResolution::Ours));
    resolve.send().await?;
    let result = merge(client, space, &request).await?;
    ensure!(result == MergedChangeRequestResult::Merge, "{result}");
    ensure!(
        text(client, space, page).await?.contains("at the back"),
        "the merge is not seen"
    );

    let history = client.list_revisions().space_id(space).send().await?.into_inner();
    let newest = history.items.first().context("there is no history")?;
    ensure!(newest.type_ == RevisionType::Merge, "{newest:?}");
    Ok(())
}

async fn merge(client: &Client, space: &str, request: &str) -> Result<MergedChangeRequestResult> {
    let merge = client.merge_change_request().space_id(space);
    Ok(merge.change_request_id(request).send().await?.result)
}

async fn text(client: &Client, space: &str, page: &str) -> Result<String> {
    let read = client.get_page_by_id().space_id(space).page_id(page);
    let ContentPage::DocumentPage(page) = read.format(TextFormat::Markdown).send().await?.into_inner() else {
        bail!("the page is no document")
    };
    let text = page.markdown.context("the page has no text")?;
    Ok(text.trim_end().to_owned())
}

fn insert(title: &str, name: &str, text: &str) -> Result<ContentChange> {
    let page = InsertPage::builder()
        .operation(InsertPageOperation::InsertPage)
        .title(Some(title.parse::<InsertPageTitle>()?))
        .ref_(Some(name.parse::<InsertPageRef>()?))
        .document(body(text)?);
    Ok(ContentChange::InsertPage(page.try_into()?))
}

fn edit(page: &str, text: &str) -> Result<ContentChange> {
    let page = EditPage::builder()
        .operation(EditPageOperation::UpdatePage)
        .page(page)
        .document(body(text)?);
    Ok(ContentChange::EditPage(page.try_into()?))
}

fn body(text: &str) -> Result<TextBody> {
    let markdown: MarkdownTextMarkdown = text.parse()?;
    let text = MarkdownText::builder().markdown(markdown);
    Ok(TextBody::MarkdownText(text.try_into()?))
}
