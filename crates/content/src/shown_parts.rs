//! The texts, files, reusable contents and OpenAPI specifications that the pages of a revision show, by the conditions of the
//! pages and of the blocks in their texts; and the cache of these indexes.

mod building;
mod seen;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use entity::ids::{NodeId, PageId, RevisionId};
use uuid::Uuid;

pub use self::seen::SeenParts;
use crate::{
    cache::{ByteCache, Cached},
    objects::Hash,
};

/// Approximate bytes of an entry with one group.
const ENTRY_BYTES: usize = 96;

/// Parts that the same visitors see, by the index of their conditions.
type Group = u32;

/// The group of the parts that everybody sees.
const EVERYBODY: Group = 0;

/// The variables of a page, by the index in [`ShownParts::variables`].
type VariablesOfPage = usize;

/// Conditions, by what they depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conditions {
    /// The conditions that depend on the visitor and the space alone.
    pub of_space: BTreeSet<String>,
    /// The conditions that may depend on variables of a page, too.
    pub of_pages: BTreeMap<VariablesOfPage, BTreeSet<String>>,
}

impl Conditions {
    fn extend(&mut self, other: &Self) {
        self.of_space.extend(other.of_space.iter().cloned());
        for (page, conditions) in &other.of_pages {
            let known = self.of_pages.entry(*page).or_default();
            known.extend(conditions.iter().cloned());
        }
    }

    fn hold(&self, holding: &Self) -> bool {
        let mut of_pages = self.of_pages.iter();
        self.of_space.is_subset(&holding.of_space)
            && of_pages.all(|(page, conditions)| {
                let holding = holding.of_pages.get(page);
                holding.is_some_and(|holding| conditions.is_subset(holding))
            })
    }

    fn bytes(&self) -> usize {
        let all = self.of_pages.values().flatten().chain(&self.of_space);
        all.map(String::len).sum()
    }
}

/// The texts, files and reusable contents that the pages of a revision show, by group.
pub struct ShownParts {
    space: NodeId,
    /// The conditions of each group: those of a page and of the pages above it, and those of the blocks around a part.
    groups: Vec<Conditions>,
    /// The variables of the pages on which conditions may depend.
    variables: Vec<BTreeMap<String, String>>,
    /// `true`: a page has a condition, or a block with a part has one; `false`: everybody sees all of the space.
    is_conditional: bool,
    /// The texts of pages.
    texts: HashMap<Hash, Vec<Group>>,
    /// The files and reusable contents that pages show. Empty if everybody sees all of the space, like the next two.
    parts: HashMap<Uuid, Vec<Group>>,
    /// The specifications of blocks of pages, by their keys.
    specifications: HashMap<Uuid, Vec<Group>>,
    /// The placeholders for computed pages.
    placeholders: HashMap<PageId, Group>,
    /// The texts of reusable contents.
    reusable: Vec<(Uuid, Hash)>,
    /// The reusable contents that refer to files, reusable contents and specifications.
    holders: HashMap<Uuid, Vec<(Uuid, Group)>>,
    /// The files, reusable contents and specifications to which reusable contents refer.
    held: HashMap<Uuid, Vec<(Uuid, Group)>>,
}

impl ShownParts {
    /// Returns whether a page has a condition, or a block with a part has one.
    pub fn is_conditional(&self) -> bool {
        self.is_conditional
    }

    /// All conditions.
    pub fn all_conditions(&self) -> Conditions {
        self.conditions_of(0..self.groups.len())
    }

    /// The conditions on which it depends whether visitors see one of these parts or specifications.
    pub fn conditions_of_parts(&self, ids: impl IntoIterator<Item = Uuid>) -> Conditions {
        let (with_holders, edges) = self.with_holders(ids, |_| true);
        let lists = with_holders
            .iter()
            .flat_map(|id| [self.parts.get(id), self.specifications.get(id)]);
        let groups = lists.flatten().flatten().copied();
        self.conditions_of(groups.chain(edges).map(index))
    }

    /// The conditions on which it depends whether visitors see a text.
    pub fn conditions_of_text(&self, text: Hash) -> Conditions {
        let of_pages = self.texts.get(&text).into_iter().flatten();
        let mut conditions = self.conditions_of(of_pages.copied().map(index));
        conditions.extend(&self.conditions_of_parts(self.contents_with(text)));
        conditions
    }

    /// The conditions on which it depends whether visitors see one of these placeholders.
    pub fn conditions_of_placeholders(&self, ids: &[PageId]) -> Conditions {
        let groups = ids.iter().filter_map(|id| self.placeholders.get(id));
        self.conditions_of(groups.copied().map(index))
    }

    fn conditions_of(&self, groups: impl Iterator<Item = usize>) -> Conditions {
        let groups: BTreeSet<usize> = groups.collect();
        let mut conditions = Conditions::default();
        for group in groups.into_iter().filter_map(|group| self.groups.get(group)) {
            conditions.extend(group);
        }
        conditions
    }

    /// The variables of a page on which conditions may depend.
    pub fn variables(&self, of: VariablesOfPage) -> Option<&BTreeMap<String, String>> {
        self.variables.get(of)
    }

    /// The reusable contents that have a text.
    pub fn contents_with(&self, text: Hash) -> impl Iterator<Item = Uuid> {
        let all = self.reusable.iter();
        all.filter(move |(_, hash)| *hash == text).map(|(id, _)| *id)
    }

    /// These parts and the reusable contents that show them, also through others, where `shows` holds for the group of the
    /// reference; and the groups of these references.
    fn with_holders(
        &self,
        ids: impl IntoIterator<Item = Uuid>,
        shows: impl Fn(Group) -> bool,
    ) -> (HashSet<Uuid>, Vec<Group>) {
        let mut waiting: Vec<Uuid> = ids.into_iter().collect();
        let (mut found, mut groups) = (HashSet::new(), Vec::new());
        while let Some(id) = waiting.pop() {
            if found.insert(id) {
                let holders = self.holders.get(&id).into_iter().flatten();
                for (holder, group) in holders.filter(|(_, group)| shows(*group)) {
                    waiting.push(*holder);
                    groups.push(*group);
                }
            }
        }
        (found, groups)
    }
}

fn index(group: Group) -> usize {
    usize::try_from(group).unwrap_or(usize::MAX)
}

impl Cached for ShownParts {
    const CACHE_BYTES: u64 = 16 * 1024 * 1024;

    fn weight(&self) -> usize {
        let lists = self.texts.values().map(Vec::len);
        let lists = lists.chain(self.parts.values().map(Vec::len));
        let lists = lists.chain(self.specifications.values().map(Vec::len));
        let groups = lists.sum::<usize>() * size_of::<Group>();
        let references = self.holders.values().chain(self.held.values()).map(Vec::len);
        let references = references.sum::<usize>() * size_of::<(Uuid, Group)>();
        let conditions: usize = self.groups.iter().map(Conditions::bytes).sum();
        let variables = self.variables.iter().flatten();
        let variables: usize = variables.map(|(name, value)| name.len() + value.len()).sum();
        let entries = self.texts.len() + self.parts.len() + self.specifications.len() + self.placeholders.len();
        let entries = entries + self.reusable.len() + self.holders.len() + self.held.len() + self.groups.len();
        groups + references + conditions + variables + entries * ENTRY_BYTES
    }
}

/// The indexes of revisions that visitors read.
pub type ShownPartsCache = ByteCache<RevisionId, ShownParts>;
