//! Going through maps that are too large for a computation.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, DbErr};

use super::{
    Content, Hash, Object,
    cache::weight,
    node::{Node, Trie, TrieEntry},
    store::BatchSize,
};

impl<C: ConnectionTrait> Content<'_, C> {
    /// Visits all entries of a map, in no order and with few of them in memory, and returns the objects that the map is made of.
    pub async fn walk(&mut self, map: Trie, mut visit: impl FnMut(&TrieEntry)) -> Result<Vec<Hash>, DbErr> {
        let mut waiting: Vec<Hash> = map.root().into_iter().collect();
        let (mut walked, mut batch) = (Vec::new(), BatchSize::default());
        while !waiting.is_empty() {
            let hashes = waiting.split_off(waiting.len().saturating_sub(batch.size()));
            let nodes = self.run(|objects| objects.all(&hashes)).await?;
            self.unload(&hashes);
            batch.learn(nodes.values().map(|node| weight(node)));
            let nodes: Vec<Arc<Object>> = nodes.into_values().collect();
            for node in &nodes {
                match &**node {
                    Object::Node(Node::Leaf(entries)) => entries.iter().for_each(&mut visit),
                    Object::Node(branch @ Node::Branch(_)) => waiting.extend(branch.children()),
                    Object::Text(_) => {}
                }
            }
            walked.extend(hashes);
        }
        Ok(walked)
    }
}
