//! Loaded objects, for computations.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{Hash, Object, ObjectCache, cache::weight};

/// A request that loads more bytes of objects is large.
pub(crate) const SMALL_BYTES: usize = 1024 * 1024;

/// The error for an object that is not loaded yet. [`Objects`] has noted its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing;

/// Collects values. All of them are asked for before a missing one ends it, so that what is missing is loaded together.
pub fn all<T>(values: impl IntoIterator<Item = Result<T, Missing>>) -> Result<Vec<T>, Missing> {
    let values: Vec<_> = values.into_iter().collect();
    values.into_iter().collect()
}

/// Loaded objects, and new ones that are not stored yet.
#[derive(Default)]
pub struct Objects {
    loaded: RefCell<HashMap<Hash, Arc<Object>>>,
    fresh: RefCell<HashMap<Hash, Arc<Object>>>,
    missing_hashes: RefCell<HashSet<Hash>>,
    /// The approximate bytes of the loaded objects.
    bytes: Cell<usize>,
    /// The objects may have any number of bytes.
    is_large: Cell<bool>,
    cache: Option<ObjectCache>,
}

impl Objects {
    /// Creates an empty set over the cache.
    pub(super) fn with_cache(cache: &ObjectCache) -> Self {
        Self {
            cache: Some(cache.clone()),
            ..Self::default()
        }
    }

    fn get(&self, hash: &Hash) -> Result<Arc<Object>, Missing> {
        if let Some(object) = self.loaded.borrow().get(hash) {
            return Ok(Arc::clone(object));
        }
        if let Some(object) = self.fresh.borrow().get(hash) {
            return Ok(Arc::clone(object));
        }
        let cached = self.cache.as_ref().filter(|_| !self.is_full());
        if let Some(object) = cached.and_then(|cache| cache.get(hash)) {
            self.load(*hash, Arc::clone(&object));
            return Ok(object);
        }
        self.missing_hashes.borrow_mut().insert(*hash);
        Err(Missing)
    }

    pub fn node(&self, hash: &Hash) -> Result<Arc<Object>, Missing> {
        self.get(hash)
    }

    /// The Markdown of a document.
    pub fn text(&self, hash: &Hash) -> Result<String, Missing> {
        Ok(self.get(hash)?.text().to_owned())
    }

    /// Returns many objects. All missing ones are requested at once.
    pub fn all(&self, hashes: &[Hash]) -> Result<HashMap<Hash, Arc<Object>>, Missing> {
        let found: Vec<_> = hashes.iter().map(|hash| Ok((*hash, self.get(hash)?))).collect();
        found.into_iter().collect()
    }

    /// Adds a new object, which is not stored yet.
    pub fn put(&self, object: Object) -> Hash {
        let hash = Hash::of(&object.encode());
        if !self.loaded.borrow().contains_key(&hash) {
            self.fresh.borrow_mut().entry(hash).or_insert_with(|| Arc::new(object));
        }
        hash
    }

    pub fn put_text(&self, text: impl Into<String>) -> Hash {
        self.put(Object::Text(text.into()))
    }

    /// Takes the hashes of the missing objects.
    pub(super) fn take_missing(&self) -> HashSet<Hash> {
        self.missing_hashes.take()
    }

    pub(super) fn load(&self, hash: Hash, object: Arc<Object>) {
        let bytes = weight(&object);
        if self.loaded.borrow_mut().insert(hash, object).is_none() {
            self.bytes.set(self.bytes.get().saturating_add(bytes));
        }
    }

    /// Drops loaded objects that are not needed any more.
    pub(super) fn unload(&self, hashes: &[Hash]) {
        let mut loaded = self.loaded.borrow_mut();
        for object in hashes.iter().filter_map(|hash| loaded.remove(hash)) {
            self.bytes.set(self.bytes.get().saturating_sub(weight(&object)));
        }
    }

    /// Drops all loaded objects.
    pub(super) fn unload_all(&self) {
        self.loaded.take();
        self.bytes.set(0);
    }

    /// Returns whether more objects need a permit of large requests.
    pub(super) fn is_full(&self) -> bool {
        !self.is_large.get() && self.bytes.get() > SMALL_BYTES
    }

    pub(super) fn set_large(&self) {
        self.is_large.set(true);
    }

    #[cfg(test)]
    pub fn fresh_count(&self) -> usize {
        self.fresh.borrow().len()
    }

    /// Returns the new objects that are reachable from these roots, without intermediate results of the computation.
    pub(super) fn fresh_below(&self, roots: impl IntoIterator<Item = Hash>) -> Vec<(Hash, Arc<Object>)> {
        let fresh = self.fresh.borrow();
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut next: Vec<Hash> = roots.into_iter().collect();
        while let Some(hash) = next.pop() {
            let Some(object) = fresh.get(&hash).filter(|_| seen.insert(hash)) else {
                continue;
            };
            if let Object::Node(node) = &**object {
                next.extend(node.children());
            }
            found.push((hash, Arc::clone(object)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_missing_objects_are_requested_at_once() {
        let objects = Objects::default();
        let there = objects.put_text("there");
        let missing = [b"one", b"two"].map(|text| Hash::of(text));
        let [one, two] = missing;
        assert!(objects.all(&[one, there, two]).is_err());
        assert_eq!(objects.take_missing(), HashSet::from(missing));
        let found = objects.all(&[there]).unwrap();
        assert_eq!(found.get(&there).map(|object| object.text()), Some("there"));
    }
}
