//! Lists with more rows than a page looks at.

use sea_orm::{ActiveModelBehavior, ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, ModelTrait};
use serde_json::Value;

use super::{client::Call, paths::texts, world::World};

/// Rows in one statement: SQLite binds 32,766 values at most.
const AT_ONCE: usize = 500;

/// Inserts rows.
pub async fn insert<M, A>(world: &World, rows: Vec<M>)
where
    M: ModelTrait + IntoActiveModel<A> + Send + 'static,
    M::Entity: EntityTrait<Model = M>,
    A: ActiveModelTrait<Entity = M::Entity> + ActiveModelBehavior + Send + 'static,
{
    let mut rows = rows
        .into_iter()
        .map(|row| row.into_active_model().reset_all())
        .peekable();
    while rows.peek().is_some() {
        let some: Vec<A> = rows.by_ref().take(AT_ONCE).collect();
        let work = move |tx| {
            let some = some.clone();
            async move {
                M::Entity::insert_many(some).exec_without_returning(&tx).await?;
                Ok::<_, DbErr>(())
            }
        };
        world.app().kernel.db.write(work).await.unwrap();
    }
}

/// The texts at `pointer` of the items of each page, from the first page to the last.
pub async fn pages<'w>(pointer: &str, call: impl Fn() -> Call<'w>) -> Vec<Vec<String>> {
    let mut next = None;
    let mut pages = Vec::new();
    loop {
        let call = match &next {
            None => call(),
            Some(page) => call().query("page", page),
        };
        let list = call.expect(200).await;
        if pages.is_empty() {
            assert_eq!(
                list["count"],
                Value::Null,
                "rows that no page looks at cannot be counted"
            );
        }
        pages.push(texts(&list, pointer));
        match list.pointer("/next/page") {
            Some(page) => next = Some(page.as_str().unwrap().to_owned()),
            None => return pages,
        }
    }
}
