//! Objects in the database.

use std::{collections::HashSet, sync::Arc};

use entity::{content_objects, ids::NodeId};
use moka::sync::Cache;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Set, sea_query::OnConflict};

use super::{Hash, Missing, Object, Objects};
use crate::content::trie::Node;

/// How much memory the objects read last may take.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// Rows of one statement: SQLite binds at most 32,766 values.
const ROWS: usize = 500;
/// Levels of tries and steps of a path that one computation may discover one after another. More is a fault of the data.
const ROUNDS: usize = 10_000;

/// Objects that were read, by their hash: they never change.
#[derive(Clone)]
pub struct ObjectCache(Cache<Hash, Arc<Object>>);

impl ObjectCache {
    pub fn new() -> Self {
        let weigh = |_: &Hash, object: &Arc<Object>| u32::try_from(weight(object)).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }
}

impl Default for ObjectCache {
    fn default() -> Self {
        Self::new()
    }
}

/// About the bytes that an object takes in memory.
fn weight(object: &Object) -> usize {
    const EACH: usize = 64;
    match object {
        Object::Text(text) => text.len() + EACH,
        Object::Node(Node::Leaf(entries)) => {
            let entries = entries.iter().map(|entry| entry.key.len() + entry.value.len() + EACH);
            entries.sum::<usize>() + EACH
        }
        Object::Node(branch @ Node::Branch(_)) => branch.children().count() * EACH + EACH,
    }
}

/// The content of one space, and the connection to read it from.
pub struct Content<'c, C> {
    db: &'c C,
    cache: &'c ObjectCache,
    space: NodeId,
    objects: Objects,
}

impl<'c, C: ConnectionTrait> Content<'c, C> {
    pub fn new(db: &'c C, cache: &'c ObjectCache, space: NodeId) -> Self {
        Self {
            db,
            cache,
            space,
            objects: Objects::default(),
        }
    }

    /// Runs a computation until nothing is missing.
    pub async fn run<T>(&mut self, compute: impl Fn(&Objects) -> Result<T, Missing>) -> Result<T, DbErr> {
        for _ in 0..ROUNDS {
            if let Ok(result) = compute(&self.objects) {
                return Ok(result);
            }
            self.load_wanted().await?;
        }
        Err(DbErr::Custom("content is nested too deep".to_owned()))
    }

    async fn load_wanted(&mut self) -> Result<(), DbErr> {
        let mut wanted = self.objects.take_wanted();
        let cached: Vec<_> = wanted
            .iter()
            .filter_map(|hash| Some((*hash, self.cache.0.get(hash)?)))
            .collect();
        for (hash, object) in cached {
            wanted.remove(&hash);
            self.objects.load(hash, object);
        }
        for (hash, object) in read(self.db, self.space, &wanted).await? {
            wanted.remove(&hash);
            self.cache.0.insert(hash, Arc::clone(&object));
            self.objects.load(hash, object);
        }
        match wanted.iter().next() {
            Some(hash) => Err(DbErr::RecordNotFound(format!("content object {hash}"))),
            None => Ok(()),
        }
    }

    /// The new objects below these roots, ready to be stored.
    pub fn fresh(&self, roots: impl IntoIterator<Item = Hash>) -> Fresh {
        Fresh::below(&self.objects, roots)
    }
}

/// New objects on their way into the database.
#[derive(Clone)]
pub struct Fresh(Arc<Vec<(Hash, Arc<Object>)>>);

impl Fresh {
    pub fn below(objects: &Objects, roots: impl IntoIterator<Item = Hash>) -> Self {
        Self(Arc::new(objects.fresh_below(roots)))
    }

    pub async fn store(&self, db: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
        for chunk in self.0.chunks(ROWS) {
            let rows = chunk.iter().map(|(hash, object)| content_objects::ActiveModel {
                space_id: Set(space),
                hash: Set(hash.to_vec()),
                data: Set(object.encode()),
            });
            // What is there already is the same.
            content_objects::Entity::insert_many(rows)
                .on_conflict(OnConflict::new().do_nothing().to_owned())
                .exec_without_returning(db)
                .await?;
        }
        Ok(())
    }
}

async fn read(
    db: &impl ConnectionTrait,
    space: NodeId,
    hashes: &HashSet<Hash>,
) -> Result<Vec<(Hash, Arc<Object>)>, DbErr> {
    use content_objects::Column;
    let all: Vec<Vec<u8>> = hashes.iter().map(|hash| hash.to_vec()).collect();
    let mut found = Vec::with_capacity(all.len());
    for chunk in all.chunks(ROWS) {
        let rows = content_objects::Entity::find()
            .select_only()
            .columns([Column::Hash, Column::Data])
            .filter(Column::SpaceId.eq(space))
            .filter(Column::Hash.is_in(chunk.iter().cloned()))
            .into_tuple::<(Vec<u8>, Vec<u8>)>()
            .all(db)
            .await?;
        for (hash, data) in rows {
            let object = Hash::from_bytes(&hash).zip(Object::decode(&data));
            let (hash, object) = object.ok_or_else(|| DbErr::Custom("a content object is damaged".to_owned()))?;
            found.push((hash, Arc::new(object)));
        }
    }
    Ok(found)
}
