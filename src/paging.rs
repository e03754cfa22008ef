//! From the query of a list to a page, and back to its cursor.

use openapi::{error::ApiError, list};
use serde::{Serialize, de::DeserializeOwned};

use crate::{app::App, db};

/// The key that a list continues after, out of the query parameter `page`; a text that was not made for this list is 400.
pub fn after<K: DeserializeOwned>(
    app: &App,
    scope: &impl Serialize,
    page: Option<&str>,
) -> Result<Option<K>, ApiError> {
    let Some(page) = page else {
        return Ok(None);
    };
    let key = app.cursors.decode(scope, page);
    let problem = || ApiError::invalid_member("/query/page", "page", "Is not the `next.page` of this list.");
    key.map(Some).ok_or_else(problem)
}

/// A page of rows as the page of an answer.
pub fn answer<T, K: Serialize, W>(
    app: &App,
    scope: &impl Serialize,
    page: db::Page<T, K>,
    count: u64,
    view: impl Fn(T) -> W,
) -> Result<list::Page<W>, ApiError> {
    let next = page.next.map(|key| app.cursors.encode(scope, &key));
    Ok(list::Page {
        items: page.items.into_iter().map(view).collect(),
        count,
        next: next.transpose().map_err(ApiError::internal)?,
    })
}
