//! Which objects here are copies of which there, in memory and in the database.

use std::collections::{HashMap, HashSet};

use entity::{exchange::pulled_objects::Model, ids::OrganizationId};
use platform::hash::Hash;
use serde_json::Value;

use crate::areas::exchange::{Exchange, pulled::store};

/// The longest id of the source that is kept.
const MAX_ID: usize = 128;
/// Copies that one transaction keeps.
const BATCH: usize = 200;

pub struct Copies {
    exchange: Exchange,
    organization: OrganizationId,
    source: String,
    known: HashMap<String, Copy>,
    seen: HashSet<String>,
    /// A dry run keeps nothing.
    is_kept: bool,
}

#[derive(Clone)]
pub struct Copy {
    pub own: String,
    pub state: String,
}

/// The name of an object of the source: its kind and its id.
pub fn key(kind: &str, id: &str) -> String {
    format!("{kind}:{id}")
}

/// Tells whether something has changed.
pub fn digest(value: &Value) -> String {
    Hash::of(value.to_string().as_bytes()).to_string()
}

pub fn is_usable(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_ID && !id.chars().any(char::is_control)
}

impl Copies {
    pub async fn load(
        exchange: &Exchange,
        organization: OrganizationId,
        source: &str,
        is_kept: bool,
    ) -> anyhow::Result<Self> {
        let rows = store::all(exchange, organization, source).await?;
        let known = rows.into_iter().map(|row| {
            let Model { object, own, state, .. } = row;
            (object, Copy { own, state })
        });
        Ok(Self {
            exchange: exchange.clone(),
            organization,
            source: source.to_owned(),
            known: known.collect(),
            seen: HashSet::new(),
            is_kept,
        })
    }

    pub fn find(&self, key: &str) -> Option<&Copy> {
        self.known.get(key)
    }

    /// The id of the copy of an object.
    pub fn own(&self, kind: &str, id: &str) -> Option<&str> {
        self.find(&key(kind, id)).map(|copy| copy.own.as_str())
    }

    /// The source still has the object.
    pub fn see(&mut self, key: &str) {
        self.seen.insert(key.to_owned());
    }

    /// The ids of the objects of a kind that the source does not have any more.
    pub fn gone(&self, kind: &str) -> Vec<String> {
        let prefix = key(kind, "");
        let gone = self.known.keys().filter(|key| !self.seen.contains(*key));
        let mut gone: Vec<String> = gone
            .filter_map(|key| Some(key.strip_prefix(&prefix)?.to_owned()))
            .collect();
        gone.sort_unstable();
        gone
    }

    pub async fn put(&mut self, key: String, own: String, state: String) -> anyhow::Result<()> {
        self.put_all(vec![(key, own, state)]).await
    }

    pub async fn put_all(&mut self, copies: Vec<(String, String, String)>) -> anyhow::Result<()> {
        if self.is_kept {
            for batch in copies.chunks(BATCH) {
                let rows = batch.iter().map(|(object, own, state)| Model {
                    organization_id: self.organization,
                    source: self.source.clone(),
                    object: object.clone(),
                    own: own.clone(),
                    state: state.clone(),
                });
                store::put(&self.exchange, rows.collect()).await?;
            }
        }
        let copies = copies.into_iter();
        self.known
            .extend(copies.map(|(key, own, state)| (key, Copy { own, state })));
        Ok(())
    }
}
