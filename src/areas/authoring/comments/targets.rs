//! What a comment is on: it has to be there when the comment is posted.

use entity::ids::PageId;
use openapi::{
    error::ApiError,
    models::{Document, TableCellTarget},
};
use rich_text::{has_block, has_cell};

use crate::{app::App, areas::authoring::reader::Reading};

use super::scope::Place;

/// A page, or a part of one; without a page it is the content as a whole.
#[derive(Clone, Default)]
pub struct Target {
    pub page: Option<PageId>,
    /// The key of a block.
    pub node: Option<String>,
    pub cell: Option<TableCellTarget>,
}

/// What a request names, in the content that the place has at present.
pub async fn find(
    app: &App,
    place: &Place,
    page: Option<String>,
    node: Option<String>,
    cell: Option<TableCellTarget>,
) -> Result<Target, ApiError> {
    let Some(page) = page else {
        if node.is_some() || cell.is_some() {
            let message = "Has to be sent with a part of a page.";
            return Err(ApiError::invalid_member("/body/page", "page-left-out", message));
        }
        return Ok(Target::default());
    };
    let unknown = || missing("/body/page", "page");
    let id: PageId = page.parse().map_err(|_| unknown())?;
    let mut reading = Reading::of(app, place.space, place.revision, None).await?;
    let is_there = if node.is_none() && cell.is_none() {
        reading.has_page(id).await?
    } else {
        let document = reading.text_of_page(id).await?;
        document
            .map(|document| require_part(&document, node.as_deref(), cell.as_ref()))
            .transpose()?
            .is_some()
    };
    if !is_there {
        return Err(unknown());
    }
    Ok(Target {
        page: Some(id),
        node,
        cell,
    })
}

fn require_part(document: &Document, node: Option<&str>, cell: Option<&TableCellTarget>) -> Result<(), ApiError> {
    if node.is_some_and(|key| !has_block(document, key)) {
        return Err(missing("/body/node", "block on the page"));
    }
    if cell.is_some_and(|cell| !has_cell(document, node, &cell.record, &cell.definition)) {
        return Err(missing("/body/tableCell", "cell of a table there"));
    }
    Ok(())
}

fn missing(pointer: &str, what: &str) -> ApiError {
    ApiError::invalid_member(pointer, "unknown", format!("There is no such {what}."))
}
