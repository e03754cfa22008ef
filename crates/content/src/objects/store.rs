//! Objects in the database.

use std::{collections::HashSet, sync::Arc};

use entity::{content_objects, ids::NodeId};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Set, sea_query::OnConflict};

use super::{Hash, Missing, Object, ObjectCache, Objects, cache::weight};

/// Rows of one statement: SQLite binds at most 32,766 values.
const BATCH_SIZE: usize = 500;
/// Approximate bytes of one statement, unless a single object has more.
const BATCH_BYTES: usize = 8 * 1024 * 1024;
/// The most rounds of loading for one computation. Damaged data could need more.
const MAX_ROUNDS: usize = 10_000;

/// The content of a space, or of several, and the connection to read it from.
pub struct Content<'c, C> {
    db: &'c C,
    cache: &'c ObjectCache,
    spaces: Vec<NodeId>,
    objects: Objects,
}

impl<'c, C: ConnectionTrait> Content<'c, C> {
    pub fn new(db: &'c C, cache: &'c ObjectCache, space: NodeId) -> Self {
        Self::of_spaces(db, cache, vec![space])
    }

    /// Reads from several spaces at once. The caller has checked access to all of them.
    pub fn of_spaces(db: &'c C, cache: &'c ObjectCache, spaces: Vec<NodeId>) -> Self {
        Self {
            db,
            cache,
            spaces,
            objects: Objects::with_cache(cache),
        }
    }

    /// Runs a computation until nothing is missing.
    pub async fn run<T>(&mut self, compute: impl Fn(&Objects) -> Result<T, Missing>) -> Result<T, DbErr> {
        for _ in 0..MAX_ROUNDS {
            if let Ok(result) = compute(&self.objects) {
                return Ok(result);
            }
            self.load_missing().await?;
        }
        Err(DbErr::Custom(format!(
            "content needs more than {MAX_ROUNDS} rounds of loading; its objects may be damaged"
        )))
    }

    async fn load_missing(&mut self) -> Result<(), DbErr> {
        let mut missing = self.objects.take_missing();
        for (hash, object) in read(self.db, &self.spaces, &missing).await? {
            missing.remove(&hash);
            self.cache.insert(hash, Arc::clone(&object));
            self.objects.load(hash, object);
        }
        match missing.iter().next() {
            Some(hash) => Err(DbErr::RecordNotFound(format!("content object {hash}"))),
            None => Ok(()),
        }
    }

    /// Returns the new objects below these roots, ready to be stored.
    pub fn fresh(&self, roots: impl IntoIterator<Item = Hash>) -> Fresh {
        Fresh::below(&self.objects, roots)
    }
}

/// New objects on their way into the database.
#[derive(Clone)]
pub struct Fresh(Arc<Vec<(Hash, Arc<Object>)>>);

impl Fresh {
    /// Adds the stored objects to the cache.
    pub fn keep(&self, cache: &ObjectCache) {
        for (hash, object) in self.0.iter() {
            cache.insert(*hash, Arc::clone(object));
        }
    }

    pub fn below(objects: &Objects, roots: impl IntoIterator<Item = Hash>) -> Self {
        Self(Arc::new(objects.fresh_below(roots)))
    }

    pub async fn store(&self, db: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
        let mut rest = self.0.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let fitting = rest.iter().take(BATCH_SIZE).take_while(|(_, object)| {
                bytes += weight(object);
                bytes <= BATCH_BYTES
            });
            let (chunk, further) = rest.split_at(fitting.count().max(1));
            rest = further;
            let rows = chunk.iter().map(|(hash, object)| content_objects::ActiveModel {
                space_id: Set(space),
                hash: Set(hash.to_vec()),
                data: Set(object.encode()),
            });
            // An existing row of the same hash has the same data.
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
    spaces: &[NodeId],
    hashes: &HashSet<Hash>,
) -> Result<Vec<(Hash, Arc<Object>)>, DbErr> {
    use content_objects::Column;
    let all: Vec<Vec<u8>> = hashes.iter().map(|hash| hash.to_vec()).collect();
    let mut found = Vec::with_capacity(all.len());
    for chunk in all.chunks(BATCH_SIZE) {
        let rows = content_objects::Entity::find()
            .select_only()
            .columns([Column::Hash, Column::Data])
            .filter(Column::SpaceId.is_in(spaces.iter().copied()))
            .filter(Column::Hash.is_in(chunk.iter().cloned()))
            .into_tuple::<(Vec<u8>, Vec<u8>)>()
            .all(db)
            .await?;
        for (hash, data) in rows {
            let object = Hash::from_bytes(&hash).zip(Object::decode(&data));
            let (hash, object) =
                object.ok_or_else(|| DbErr::Custom("a content object in the database is damaged".to_owned()))?;
            found.push((hash, Arc::new(object)));
        }
    }
    Ok(found)
}

/// Loads a text of a space by its hash.
pub async fn stored_text(db: &impl ConnectionTrait, space: NodeId, hash: Hash) -> Result<Option<String>, DbErr> {
    let found = read(db, &[space], &HashSet::from([hash])).await?;
    let texts = found
        .into_iter()
        .filter_map(|(_, object)| match Arc::unwrap_or_clone(object) {
            Object::Text(text) => Some(text),
            Object::Node(_) => None,
        });
    Ok(texts.last())
}
