//! Anchors of comments. The anchor has to exist when the comment is posted.

use entity::ids::PageId;
use openapi::{
    error::ApiError,
    models::{Document, TableCellTarget},
};
use rich_text::{has_block, has_cell};

use crate::{app::App, areas::authoring::reader::RevisionReader};

use super::scope::CommentedContent;

/// A page, or a part of a page. Without a page: the content as a whole.
#[derive(Clone, Default)]
pub struct CommentAnchor {
    pub page: Option<PageId>,
    /// The key of a block.
    pub node: Option<String>,
    pub cell: Option<TableCellTarget>,
}

/// Resolves the anchor that a request names in the current content.
pub async fn resolve(
    app: &App,
    place: &CommentedContent,
    page: Option<PageId>,
    node: Option<String>,
    cell: Option<TableCellTarget>,
) -> Result<CommentAnchor, ApiError> {
    let Some(id) = page else {
        if node.is_some() || cell.is_some() {
            let message = "`page` is required with `node` and with `tableCell`.";
            return Err(ApiError::invalid_member("/body/page", "page-left-out", message));
        }
        return Ok(CommentAnchor::default());
    };
    let page_not_found = || unknown_member("/body/page", "The content has no page with this id.");
    let mut reader = RevisionReader::open(app, place.space, place.revision, None).await?;
    let is_there = if node.is_none() && cell.is_none() {
        reader.has_page(id).await?
    } else {
        let document = reader.page_text(id).await?;
        document
            .map(|document| require_part(&document, node.as_deref(), cell.as_ref()))
            .transpose()?
            .is_some()
    };
    if !is_there {
        return Err(page_not_found());
    }
    Ok(CommentAnchor {
        page: Some(id),
        node,
        cell,
    })
}

fn require_part(document: &Document, node: Option<&str>, cell: Option<&TableCellTarget>) -> Result<(), ApiError> {
    if node.is_some_and(|key| !has_block(document, key)) {
        return Err(unknown_member("/body/node", "The page has no block with this key."));
    }
    if cell.is_some_and(|cell| !has_cell(document, node, &cell.record, &cell.definition)) {
        return Err(unknown_member(
            "/body/tableCell",
            "The table has no cell with this `record` and `definition`.",
        ));
    }
    Ok(())
}

fn unknown_member(pointer: &str, message: &str) -> ApiError {
    ApiError::invalid_member(pointer, "unknown", message)
}
