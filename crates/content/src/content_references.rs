//! The references of the reusable contents of a revision, and their cache. They follow from the reusable contents alone, which most
//! revisions share with the one before.

use std::collections::{BTreeSet, HashMap};

use entity::ids::NodeId;
use openapi::{error::ApiError, work::WorkLimits};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use crate::{
    cache::{ByteCache, Cached},
    index::links::{self, LinkedTarget},
    objects::{Content, Hash},
    pages::ReusableContent,
};

/// Texts that are in memory at once.
const TEXTS_AT_ONCE: usize = 16;

/// Approximate bytes of a reference beside its conditions.
const REFERENCE_BYTES: usize = 96;

/// A reference of a reusable content to a target in its space.
pub struct Reference {
    pub target: LinkedTarget,
    /// The conditions of the blocks around the reference.
    pub conditions: BTreeSet<String>,
}

/// The references of the reusable contents with texts, by their ids.
#[derive(Default)]
pub struct ContentReferences(HashMap<Uuid, Vec<Reference>>);

impl ContentReferences {
    pub async fn load<C: ConnectionTrait>(
        work: &WorkLimits,
        content: &mut Content<'_, C>,
        space: NodeId,
        contents: &[ReusableContent],
    ) -> Result<Self, ApiError> {
        let mut references: HashMap<Uuid, Vec<Reference>> = HashMap::new();
        let with_text = contents.iter().filter_map(|it| Some((*it.id.as_uuid(), it.document?)));
        let with_text: Vec<(Uuid, Hash)> = with_text.collect();
        for batch in with_text.chunks(TEXTS_AT_ONCE) {
            let hashes: Vec<Hash> = batch.iter().map(|(_, hash)| *hash).collect();
            let texts = content.run(|objects| objects.all(&hashes)).await?;
            for (id, hash) in batch {
                if let Some(object) = texts.get(hash) {
                    let found = links::targets_of_text(work, space, object.text()).await?;
                    let own = found.into_iter().filter(|(of, _, _)| *of == space);
                    let own = own.map(|(_, target, conditions)| Reference { target, conditions });
                    references.insert(*id, own.collect());
                }
            }
            content.unload(&hashes);
        }
        Ok(Self(references))
    }

    pub fn iter(&self) -> impl Iterator<Item = (Uuid, &Reference)> {
        let all = self.0.iter();
        all.flat_map(|(id, references)| references.iter().map(|reference| (*id, reference)))
    }
}

impl Cached for ContentReferences {
    const CACHE_BYTES: u64 = 8 * 1024 * 1024;

    fn weight(&self) -> usize {
        let conditions = self.iter().flat_map(|(_, reference)| &reference.conditions);
        let conditions: usize = conditions.map(String::len).sum();
        conditions + (self.0.len() + self.iter().count() + 1) * REFERENCE_BYTES
    }
}

/// By the space and the reusable contents.
pub type ContentReferencesCache = ByteCache<(NodeId, Hash), ContentReferences>;
