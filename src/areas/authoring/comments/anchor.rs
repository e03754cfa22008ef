//! Anchors of comments. The anchor has to exist when the comment is posted.

use content::reading::read_stored;
use entity::ids::PageId;
use openapi::{
    error::{ApiError, ErrorRule},
    models::TableCellTarget,
};
use rich_text::{DocumentLimits, DocumentStream, IdPathResolver, has_block, has_cell};

use super::scope::CommentedContent;
use crate::{
    areas::authoring::{Authoring, reader::RevisionReader},
    kernel::Kernel,
};

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
    authoring: &Authoring,
    place: &CommentedContent,
    page: Option<PageId>,
    node: Option<String>,
    cell: Option<TableCellTarget>,
) -> Result<CommentAnchor, ApiError> {
    let Some(id) = page else {
        if node.is_some() || cell.is_some() {
            let message = "`page` is required with `node` and with `tableCell`.";
            return Err(ApiError::invalid_member("/body/page", ErrorRule::PageLeftOut, message));
        }
        return Ok(CommentAnchor::default());
    };
    let page_not_found = || unknown_member("/body/page", "The content has no page with this id.");
    let mut reader = RevisionReader::open(authoring, place.space, place.revision, None).await?;
    let is_there = if node.is_none() && cell.is_none() {
        reader.has_page(id).await?
    } else {
        match reader.page_text(id).await? {
            Some(text) => {
                require_part(&authoring.kernel, text, node.clone(), cell.clone()).await?;
                true
            }
            None => false,
        }
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

async fn require_part(
    kernel: &Kernel,
    text: String,
    node: Option<String>,
    cell: Option<TableCellTarget>,
) -> Result<(), ApiError> {
    let find = |limits: &DocumentLimits| {
        let (mut is_block, mut is_cell) = (node.is_none(), cell.is_none());
        let mut document = DocumentStream::new(text.as_str(), limits, &IdPathResolver)?;
        document.for_each(&mut |block| {
            is_block |= node.as_deref().is_some_and(|key| has_block(&block, key));
            let has_cell = |cell: &TableCellTarget| has_cell(&block, node.as_deref(), &cell.record, &cell.definition);
            is_cell |= cell.as_ref().is_some_and(has_cell);
        })?;
        Ok((is_block, is_cell))
    };
    let found = read_stored(&kernel.work, &text, find).await?;
    match found.map_err(ApiError::internal)? {
        (false, _) => Err(unknown_member("/body/node", "The page has no block with this key.")),
        (_, false) => Err(unknown_member(
            "/body/tableCell",
            "The table has no cell with this `record` and `definition`.",
        )),
        (true, true) => Ok(()),
    }
}

fn unknown_member(pointer: &str, message: &str) -> ApiError {
    ApiError::invalid_member(pointer, ErrorRule::Unknown, message)
}
