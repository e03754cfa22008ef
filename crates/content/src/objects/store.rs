//! Objects in the database.

use std::{collections::HashSet, sync::Arc};

use entity::{content::content_objects, ids::NodeId};
use openapi::{
    error::ApiError,
    work::{WorkLimits, acquire_large},
};
use platform::db::Db;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Set,
    sea_query::{Expr, OnConflict},
};
use wire::fault::DatabaseFault;

use super::{Hash, Missing, Object, ObjectCache, Objects, cache::weight};

/// Rows of one statement: SQLite binds at most 32,766 values.
const BATCH_SIZE: usize = 500;
/// Approximate bytes of one statement, unless a single object has more.
const BATCH_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of objects that are stored in the transaction that refers to them, and in each transaction ahead of that one.
const AHEAD_BYTES: usize = 256 * 1024;
/// Objects, and their approximate bytes, that one transaction removes with a space.
const REMOVED_ROWS: u64 = 500;
const REMOVED_BYTES: i64 = 1024 * 1024;
/// The most rounds of loading for one computation. Damaged data could need more.
const MAX_ROUNDS: usize = 10_000;

/// Rows of the first statement of a load, when their sizes are unknown, and bytes that further ones are to read.
const FIRST_BATCH: usize = 32;
const READ_BYTES: usize = 4 * 1024 * 1024;

/// The content of a space, or of several, and the connection to read it from. A request that loads many objects takes a permit of large
/// requests.
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
        Err(too_many_rounds())
    }

    /// Like [`Self::run`], for a computation over texts of so many bytes.
    pub async fn run_heavy<T>(
        &mut self,
        (work, text_bytes): (&WorkLimits, usize),
        compute: impl Fn(&Objects) -> Result<T, Missing>,
    ) -> Result<T, ApiError> {
        for _ in 0..MAX_ROUNDS {
            let computation = work.start(text_bytes).await?;
            if let Ok(result) = computation.run(|| compute(&self.objects)) {
                return Ok(result);
            }
            drop(computation);
            self.load_missing().await?;
        }
        Err(too_many_rounds().into())
    }

    async fn load_missing(&mut self) -> Result<(), DbErr> {
        if self.objects.is_full() {
            return self.acquire_large().await;
        }
        let mut missing: Vec<Hash> = self.objects.take_missing().into_iter().collect();
        missing.retain(|hash| match self.cache.get(hash) {
            Some(object) => {
                self.objects.load(*hash, object);
                false
            }
            None => true,
        });
        let mut batch = BatchSize::default();
        while !missing.is_empty() {
            let hashes: HashSet<Hash> = missing.drain(missing.len().saturating_sub(batch.size())..).collect();
            let found = read(self.db, &self.spaces, &hashes).await?;
            if found.len() < hashes.len() {
                return Err(absent(hashes, &found));
            }
            batch.learn(found.iter().map(|(_, object)| weight(object)));
            for (hash, object) in found {
                self.cache.insert(hash, Arc::clone(&object));
                self.objects.load(hash, object);
            }
            if self.objects.is_full() {
                return self.acquire_large().await;
            }
        }
        Ok(())
    }

    /// Drops all loaded objects before the wait. The computation asks for them again.
    async fn acquire_large(&mut self) -> Result<(), DbErr> {
        self.objects.unload_all();
        acquire_large().await.map_err(|_| DatabaseFault::Overloaded)?;
        self.objects.set_large();
        Ok(())
    }

    /// Drops loaded objects that are not needed any more.
    pub fn unload(&mut self, hashes: &[Hash]) {
        self.objects.unload(hashes);
    }

    /// Drops all loaded objects, before something that takes long.
    pub fn unload_all(&mut self) {
        self.objects.unload_all();
    }

    /// Adds a new text, which is not stored yet, and returns its hash.
    pub fn put_text(&self, text: impl Into<String>) -> Hash {
        self.objects.put_text(text)
    }

    /// Returns the new objects below these roots, ready to be stored.
    pub fn fresh(&self, roots: impl IntoIterator<Item = Hash>) -> Fresh {
        Fresh::below(&self.objects, roots)
    }
}

/// The error for an object that is not in the database.
fn absent(mut hashes: HashSet<Hash>, found: &[(Hash, Arc<Object>)]) -> DbErr {
    for (hash, _) in found {
        hashes.remove(hash);
    }
    let names: Vec<String> = hashes.iter().map(Hash::to_string).collect();
    DbErr::RecordNotFound(format!("content objects {}", names.join(", ")))
}

/// The number of objects that are read at once, by the sizes of those before.
pub(super) struct BatchSize(usize);

impl Default for BatchSize {
    fn default() -> Self {
        Self(FIRST_BATCH)
    }
}

impl BatchSize {
    pub fn size(&self) -> usize {
        self.0
    }

    pub fn learn(&mut self, sizes: impl ExactSizeIterator<Item = usize>) {
        let count = sizes.len();
        let bytes = sizes.sum::<usize>().max(1);
        self.0 = (READ_BYTES.saturating_mul(count) / bytes).clamp(1, BATCH_SIZE);
    }
}

fn too_many_rounds() -> DbErr {
    DbErr::Custom(format!(
        "content needs more than {MAX_ROUNDS} rounds of loading; its objects may be damaged"
    ))
}

/// New objects on their way into the database.
#[derive(Clone)]
pub struct Fresh {
    objects: Arc<Vec<(Hash, Arc<Object>)>>,
    is_stored: bool,
}

impl Fresh {
    /// Adds the stored objects to the cache.
    pub fn keep(&self, cache: &ObjectCache) {
        for (hash, object) in self.objects.iter() {
            cache.insert(*hash, Arc::clone(object));
        }
    }

    pub fn below(objects: &Objects, roots: impl IntoIterator<Item = Hash>) -> Self {
        Self {
            objects: Arc::new(objects.fresh_below(roots)),
            is_stored: false,
        }
    }

    /// Stores large objects ahead, in small transactions, so that other writers do not wait for all of them. Objects have
    /// no effect before a revision refers to them, and storing them again changes nothing.
    pub async fn store_ahead(&mut self, db: &Db, space: NodeId) -> Result<(), DbErr> {
        let bytes: usize = self.objects.iter().map(|(_, object)| weight(object)).sum();
        if self.is_stored || bytes <= AHEAD_BYTES {
            return Ok(());
        }
        let mut from = 0;
        while let Some(rest) = self.objects.get(from..).filter(|rest| !rest.is_empty()) {
            let to = from + batch_length(rest, AHEAD_BYTES);
            let batch: Vec<_> = rest.iter().take(to - from).cloned().collect();
            store_absent(db, space, batch).await?;
            from = to;
        }
        self.is_stored = true;
        Ok(())
    }

    pub async fn store(&self, db: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
        if self.is_stored {
            return Ok(());
        }
        let mut rest = self.objects.as_slice();
        while !rest.is_empty() {
            let (batch, further) = rest.split_at(batch_length(rest, BATCH_BYTES));
            insert(db, space, batch).await?;
            rest = further;
        }
        Ok(())
    }
}

/// Stores objects in a transaction, unless all of them are stored: a write that is repeated after it was killed keeps
/// nobody waiting for what it stored before.
async fn store_absent(db: &Db, space: NodeId, mut objects: Vec<(Hash, Arc<Object>)>) -> Result<(), DbErr> {
    let hashes = objects.iter().map(|(hash, _)| hash.to_vec());
    let stored: HashSet<Vec<u8>> = content_objects::Entity::find()
        .select_only()
        .column(content_objects::Column::Hash)
        .filter(content_objects::Column::SpaceId.eq(space))
        .filter(content_objects::Column::Hash.is_in(hashes))
        .into_tuple::<Vec<u8>>()
        .all(db.read())
        .await?
        .into_iter()
        .collect();
    objects.retain(|(hash, _)| !stored.contains(hash.as_bytes()));
    if objects.is_empty() {
        return Ok(());
    }
    db.write(move |tx| async move { insert(&tx, space, &objects).await })
        .await
}

/// Returns how many of the objects one statement stores, at least one.
fn batch_length(objects: &[(Hash, Arc<Object>)], limit: usize) -> usize {
    let mut bytes = 0;
    let fitting = objects.iter().take(BATCH_SIZE).take_while(|(_, object)| {
        bytes += weight(object);
        bytes <= limit
    });
    fitting.count().max(1)
}

async fn insert(db: &impl ConnectionTrait, space: NodeId, objects: &[(Hash, Arc<Object>)]) -> Result<(), DbErr> {
    let rows = objects.iter().map(|(hash, object)| content_objects::ActiveModel {
        space_id: Set(space),
        hash: Set(hash.to_vec()),
        data: Set(object.encode()),
    });
    // An existing row of the same hash has the same data.
    content_objects::Entity::insert_many(rows)
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .exec_without_returning(db)
        .await?;
    Ok(())
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

/// Deletes some objects of a space that is gone.
pub async fn remove_some(tx: &impl ConnectionTrait, space: NodeId) -> Result<(), DbErr> {
    use content_objects::{Column, Entity};
    let of_space = || Column::SpaceId.eq(space);
    let sizes: Vec<(Vec<u8>, i64)> = Entity::find()
        .select_only()
        .column(Column::Hash)
        .expr_as(Expr::cust("CAST(length(data) AS bigint)"), "size")
        .filter(of_space())
        .limit(REMOVED_ROWS)
        .into_tuple()
        .all(tx)
        .await?;
    let mut bytes = 0;
    // At least one, however large.
    let some = sizes.iter().take_while(|(_, size)| {
        let fits = bytes <= REMOVED_BYTES;
        bytes += size;
        fits
    });
    let some: Vec<Vec<u8>> = some.map(|(hash, _)| hash.clone()).collect();
    let removed = Entity::delete_many()
        .filter(of_space())
        .filter(Column::Hash.is_in(some));
    removed.exec(tx).await.map(drop)
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
