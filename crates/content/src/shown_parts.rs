//! The texts, files, reusable contents and OpenAPI specifications that the pages of a revision show, by the conditions of the
//! pages; and the cache of these indexes.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use entity::ids::{NodeId, PageId, RevisionId};
use openapi::{error::ApiError, work::WorkBudget};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use crate::{
    cache::{ByteCache, Cached},
    index::links::{self, LinkedPart, LinkedTarget},
    objects::{Content, Hash},
    pages::{Forest, Page, PageContent, Pages, ReusableContent},
    revisions::Revision,
};

/// Texts of reusable contents that are in memory at once.
const TEXTS_AT_ONCE: usize = 16;

/// Approximate memory of an entry with one group of pages.
const ENTRY_BYTES: usize = 96;

/// Pages that the same visitors see, by the index of their conditions.
type Group = u32;

/// The group of the pages that everybody sees.
const EVERYBODY: Group = 0;

/// The texts, files and reusable contents that the pages of a revision show, by group of pages.
pub struct ShownParts {
    space: NodeId,
    /// The conditions of each group: those of a page and of the pages above it.
    conditions: Vec<BTreeSet<String>>,
    texts: HashMap<Hash, Vec<Group>>,
    /// Files and reusable contents. Empty if no page has a condition: then everybody sees all of the space.
    parts: HashMap<LinkedPart, Vec<Group>>,
    /// The specifications of blocks, by their keys. Empty if no page has a condition.
    specifications: HashMap<Uuid, Vec<Group>>,
    /// The placeholders for computed pages. Empty if no page has a condition.
    placeholders: HashMap<PageId, Group>,
    /// The texts of reusable contents.
    reusable: Vec<(Uuid, Hash)>,
    /// The reusable contents that refer to files, reusable contents and specifications. Empty if no page has a condition.
    holders: HashMap<Uuid, Vec<Uuid>>,
}

impl ShownParts {
    /// Makes the index. The queries depend on the number of pages only if a page has a condition, and then one for thousands
    /// of them.
    pub async fn load<C: ConnectionTrait>(
        (db, work): (&C, &WorkBudget),
        content: &mut Content<'_, C>,
        revision: &Revision,
    ) -> Result<Self, ApiError> {
        let found = content.run(|objects| {
            let pages = Pages::of(objects, revision.snapshot);
            let (forest, contents) = (pages.forest(), pages.all_reusable_contents());
            Ok((forest?, contents?))
        });
        let (forest, contents) = found.await?;
        let mut building = Building::of(revision.space, &contents);
        building.add_pages(&forest);
        if building.shown.is_conditional() {
            building.add_placeholders(&forest);
            building.add_links(db).await?;
            building.add_contents(work, content).await?;
        }
        building.add_texts_of_contents();
        Ok(building.shown)
    }

    /// Returns whether a page has a condition.
    pub fn is_conditional(&self) -> bool {
        self.conditions.len() > 1
    }

    /// All conditions of pages.
    pub fn conditions(&self) -> BTreeSet<String> {
        self.conditions.iter().flatten().cloned().collect()
    }
}

impl Cached for ShownParts {
    const CACHE_BYTES: u64 = 32 * 1024 * 1024;

    fn weight(&self) -> usize {
        let groups = self.texts.values().chain(self.parts.values());
        let groups = groups.chain(self.specifications.values());
        let groups: usize = groups.map(|groups| groups.len() * size_of::<Group>()).sum();
        let conditions: usize = self.conditions.iter().flatten().map(String::len).sum();
        let entries = self.texts.len() + self.parts.len() + self.reusable.len() + self.holders.len();
        let entries = entries + self.specifications.len() + self.placeholders.len();
        groups + conditions + entries * ENTRY_BYTES
    }
}

/// An index while it is made.
struct Building {
    shown: ShownParts,
    groups: HashMap<BTreeSet<String>, Group>,
    /// The pages with the sources of their links.
    pages: HashMap<PageId, (Group, Vec<Hash>)>,
}

impl Building {
    fn of(space: NodeId, contents: &[ReusableContent]) -> Self {
        let reusable = contents.iter().filter_map(|it| Some((*it.id.as_uuid(), it.document?)));
        Self {
            shown: ShownParts {
                space,
                conditions: vec![BTreeSet::new()],
                texts: HashMap::new(),
                parts: HashMap::new(),
                specifications: HashMap::new(),
                placeholders: HashMap::new(),
                reusable: reusable.collect(),
                holders: HashMap::new(),
            },
            groups: HashMap::from([(BTreeSet::new(), EVERYBODY)]),
            pages: HashMap::new(),
        }
    }

    fn add_pages(&mut self, forest: &Forest) {
        let mut waiting = vec![(None, BTreeSet::new())];
        while let Some((parent, above)) = waiting.pop() {
            for page in forest.below(parent) {
                let mut conditions = above.clone();
                conditions.extend(page.condition.clone());
                let group = self.group(&conditions);
                if let Some(text) = page.document() {
                    add(self.shown.texts.entry(text).or_default(), group);
                }
                self.pages.insert(page.id, (group, links::sources(page)));
                waiting.push((Some(page.id), conditions));
            }
        }
    }

    fn group(&mut self, conditions: &BTreeSet<String>) -> Group {
        if let Some(group) = self.groups.get(conditions) {
            return *group;
        }
        let group = Group::try_from(self.shown.conditions.len()).unwrap_or(Group::MAX);
        self.shown.conditions.push(conditions.clone());
        self.groups.insert(conditions.clone(), group);
        group
    }

    fn add_placeholders(&mut self, forest: &Forest) {
        let is_placeholder = |page: &&Page| matches!(page.content, PageContent::Computed { .. });
        for page in forest.pages().filter(is_placeholder) {
            if let Some((group, _)) = self.pages.get(&page.id) {
                self.shown.placeholders.insert(page.id, *group);
            }
        }
    }

    /// Adds what pages refer to.
    async fn add_links(&mut self, db: &impl ConnectionTrait) -> Result<(), ApiError> {
        let sources: HashSet<Hash> = self.pages.values().flat_map(|(_, sources)| sources).copied().collect();
        let sources: Vec<Hash> = sources.into_iter().collect();
        for (source, page, target) in links::targets(db, self.shown.space, &sources).await? {
            // Other pages may have, or have had, the same text.
            if let Some((group, held)) = self.pages.get(&page)
                && held.contains(&source)
            {
                let groups = match target {
                    LinkedTarget::Part(part) => self.shown.parts.entry(part).or_default(),
                    LinkedTarget::Specification(key) => self.shown.specifications.entry(key).or_default(),
                };
                add(groups, *group);
            }
        }
        Ok(())
    }

    /// Adds what reusable contents refer to that pages show.
    async fn add_contents<C: ConnectionTrait>(
        &mut self,
        work: &WorkBudget,
        content: &mut Content<'_, C>,
    ) -> Result<(), ApiError> {
        let mut references: HashMap<LinkedPart, Vec<LinkedPart>> = HashMap::new();
        let reusable = self.shown.reusable.clone();
        for batch in reusable.chunks(TEXTS_AT_ONCE) {
            let hashes: Vec<Hash> = batch.iter().map(|(_, hash)| *hash).collect();
            let texts = content.run(|objects| objects.all(&hashes)).await?;
            for (id, hash) in batch {
                if let Some(object) = texts.get(hash) {
                    let found = links::targets_of_text(work, self.shown.space, object.text()).await?;
                    self.add_holder(*id, &found);
                    let parts = found.into_iter().filter_map(LinkedTarget::into_part);
                    references.insert((self.shown.space, *id), parts.collect());
                }
            }
            content.unload(&hashes);
        }
        let shown = references.keys().filter(|part| self.shown.parts.contains_key(*part));
        let mut waiting: Vec<LinkedPart> = shown.copied().collect();
        while let Some(part) = waiting.pop() {
            let groups = self.shown.parts.get(&part).cloned().unwrap_or_default();
            for target in references.get(&part).into_iter().flatten() {
                let of_target = self.shown.parts.entry(*target).or_default();
                let before = of_target.len();
                groups.iter().for_each(|group| add(of_target, *group));
                if of_target.len() > before && references.contains_key(target) {
                    waiting.push(*target);
                }
            }
        }
        Ok(())
    }

    fn add_holder(&mut self, holder: Uuid, targets: &[LinkedTarget]) {
        for target in targets {
            let id = match target {
                LinkedTarget::Part((space, id)) if *space == self.shown.space => *id,
                LinkedTarget::Specification(key) => *key,
                LinkedTarget::Part(_) => continue,
            };
            let holders = self.shown.holders.entry(id).or_default();
            if !holders.contains(&holder) {
                holders.push(holder);
            }
        }
    }

    /// Adds the texts of the reusable contents that pages show.
    fn add_texts_of_contents(&mut self) {
        let is_conditional = self.shown.is_conditional();
        for (id, text) in &self.shown.reusable {
            let groups = match is_conditional {
                true => self.shown.parts.get(&(self.shown.space, *id)).cloned(),
                false => Some(vec![EVERYBODY]),
            };
            let of_text = self.shown.texts.entry(*text).or_default();
            groups.into_iter().flatten().for_each(|group| add(of_text, group));
        }
    }
}

/// Adds a group. A part has few of them.
fn add(groups: &mut Vec<Group>, group: Group) {
    if !groups.contains(&group) {
        groups.push(group);
    }
}

/// The parts that pages show, as one visitor sees them.
pub struct SeenParts {
    shown: Arc<ShownParts>,
    /// By group, whether its conditions hold.
    seen: Vec<bool>,
}

impl SeenParts {
    pub fn of(shown: Arc<ShownParts>, holding: &BTreeSet<String>) -> Self {
        let seen = shown.conditions.iter().map(|conditions| conditions.is_subset(holding));
        Self {
            seen: seen.collect(),
            shown,
        }
    }

    pub fn has_text(&self, text: Hash) -> bool {
        self.is_seen(self.shown.texts.get(&text))
    }

    /// Returns whether the visitor sees a file or a reusable content of the space, if there is one with this id.
    pub fn has_part(&self, id: Uuid) -> bool {
        !self.shown.is_conditional() || self.is_seen(self.shown.parts.get(&(self.shown.space, id)))
    }

    /// Returns whether the visitor sees a placeholder for computed pages of the space, if there is one with this id.
    pub fn has_placeholder(&self, id: PageId) -> bool {
        let group = self.shown.placeholders.get(&id);
        !self.shown.is_conditional() || group.is_some_and(|group| self.sees(*group))
    }

    /// Returns whether the visitor sees a block of a specification, if a page of the space has a condition.
    pub fn has_specification(&self, key: Uuid) -> bool {
        // The key itself is a part where it is only linked to.
        let mut contents = self.with_holders(key).into_iter().filter(|id| *id != key);
        let of_content = |id: Uuid| self.shown.parts.get(&(self.shown.space, id));
        self.is_seen(self.shown.specifications.get(&key)) || contents.any(|id| self.is_seen(of_content(id)))
    }

    /// The reusable contents that have a text.
    pub fn contents_with(&self, text: Hash) -> impl Iterator<Item = Uuid> {
        let all = self.shown.reusable.iter();
        all.filter(move |(_, hash)| *hash == text).map(|(id, _)| *id)
    }

    /// A file, a reusable content or a specification, and the reusable contents that show it, also through others.
    pub fn with_holders(&self, id: Uuid) -> HashSet<Uuid> {
        let (mut found, mut waiting) = (HashSet::new(), vec![id]);
        while let Some(id) = waiting.pop() {
            if found.insert(id) {
                waiting.extend(self.shown.holders.get(&id).into_iter().flatten());
            }
        }
        found
    }

    /// Returns whether the visitor sees all files and reusable contents of the space.
    pub fn has_all_parts(&self) -> bool {
        !self.shown.is_conditional()
    }

    fn is_seen(&self, groups: Option<&Vec<Group>>) -> bool {
        groups.is_some_and(|groups| groups.iter().any(|group| self.sees(*group)))
    }

    fn sees(&self, group: Group) -> bool {
        let index = usize::try_from(group).unwrap_or(usize::MAX);
        self.seen.get(index).copied().unwrap_or_default()
    }
}

/// The indexes of revisions that visitors read.
pub type ShownPartsCache = ByteCache<RevisionId, ShownParts>;
