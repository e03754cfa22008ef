//! Pages of lists that are in memory as a whole.

use openapi::{error::ApiError, list};
use platform::db::Page;
use serde::{Serialize, de::DeserializeOwned};

use crate::kernel::lists::List;

/// A page of `items`, which are all that the list has. The key of an item is its id, and its number for an item that is
/// removed between two pages.
pub fn page<S, T, K>(list: &List<'_, S>, items: Vec<T>, id: impl Fn(&T) -> K) -> Result<list::Page<T>, ApiError>
where
    S: Serialize,
    K: Serialize + DeserializeOwned + PartialEq,
{
    let count = u64::try_from(items.len()).ok();
    let start = match list.after::<(K, usize)>()? {
        None => 0,
        Some((after, number)) => {
            let found = items.iter().position(|item| id(item) == after);
            found.map_or(number, |index| index.saturating_add(1))
        }
    };
    let limit = usize::try_from(list.limit).unwrap_or(usize::MAX);
    let end = start.saturating_add(limit).min(items.len());
    let more = limit > 0 && end < items.len();
    let items: Vec<T> = items.into_iter().take(end).skip(start).collect();
    let next = items.last().filter(|_| more).map(|last| (id(last), end));
    list.answer(Page { items, next }, count, |item| item)
}
