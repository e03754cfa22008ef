//! The list of templates: spaces first, then those that come with the server.

use entity::{ids::NodeId, library::templates::Entity};
use openapi::{error::ApiError, list, models::Template};
use platform::db::Page;
use sea_orm::Select;
use serde::{Deserialize, Serialize};

use super::{
    built_in::{self, BuiltIn},
    store::{self, TemplateRow},
    view,
};

use crate::{
    access::node_levels::Member,
    kernel::{Kernel, lists::List},
};

/// Where a page of the list starts.
#[derive(Serialize, Deserialize)]
enum Key {
    /// After this space.
    Space(NodeId),
    /// After all spaces, and after this many templates of the server.
    BuiltIn(usize),
}

pub async fn list(
    kernel: &Kernel,
    member: &Member,
    page: Option<String>,
    limit: u32,
) -> Result<list::Page<Template>, ApiError> {
    let list = List::new(kernel, ("templates", member.organization, member.user), page, limit);
    let after = list.after::<Key>()?;
    let (db, usable) = (kernel.db.read(), store::usable_by(member));
    let load = |after| {
        let run = |query: Select<Entity>| query.into_partial_model::<TemplateRow>().all(db);
        usable.page(db, after, list.limit, run, |row: &TemplateRow| row.template.space_id)
    };
    let spaces = match &after {
        None => load(None).await?,
        Some(Key::Space(space)) => load(Some(*space)).await?,
        Some(Key::BuiltIn(_)) => Page {
            items: Vec::new(),
            next: None,
        },
    };
    let built_in = built_in::all();
    let count = list.count_scan(&usable, &spaces).await?;
    let count = count.map(|count| count.saturating_add(built_in.len().try_into().unwrap_or(u64::MAX)));
    let shown = match after {
        Some(Key::BuiltIn(shown)) => shown,
        _ => 0,
    };
    let page = with_built_in(spaces, built_in, shown, list.limit)?;
    list.answer(page, count, |item| item)
}

/// Fills the page with templates of the server, of which earlier pages have `shown`.
fn with_built_in(
    spaces: Page<TemplateRow, NodeId>,
    built_in: &[BuiltIn],
    shown: usize,
    limit: u64,
) -> Result<Page<Template, Key>, ApiError> {
    let rows = spaces.items.into_iter();
    let items = rows.map(|row| view::of_space(row.template, row.title, row.emoji));
    let mut items = items.collect::<Result<Vec<Template>, ApiError>>()?;
    if let Some(space) = spaces.next {
        let next = Some(Key::Space(space));
        return Ok(Page { items, next });
    }
    let room = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(items.len());
    let rest = built_in.get(shown..).unwrap_or_default();
    items.extend(rest.iter().take(room).map(view::of_built_in));
    let next = (limit > 0 && rest.len() > room).then(|| Key::BuiltIn(shown.saturating_add(room)));
    Ok(Page { items, next })
}
