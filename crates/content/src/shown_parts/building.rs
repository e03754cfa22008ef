//! Making the index of the parts that pages show.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use entity::ids::{NodeId, PageId};
use openapi::{error::ApiError, work::WorkLimits};
use sea_orm::ConnectionTrait;
use uuid::Uuid;

use super::{Conditions, EVERYBODY, Group, ShownParts, VariablesOfPage, index};
use crate::{
    content_references::{ContentReferences, ContentReferencesCache},
    index::links::{self, LinkedTarget},
    objects::{Content, Hash},
    pages::{Forest, Page, PageContent, Pages, ReusableContent},
    revisions::Revision,
};

/// Texts of pages that are in memory at once.
const TEXTS_AT_ONCE: usize = 16;

impl ShownParts {
    /// Makes the index. The queries depend on the number of pages only if there are conditions, and then one for thousands of
    /// them; texts of pages are read only for conditions that are not stored.
    pub async fn load<C: ConnectionTrait>(
        (db, work): (&C, &WorkLimits),
        content: &mut Content<'_, C>,
        revision: &Revision,
        known: &ContentReferencesCache,
    ) -> Result<Self, ApiError> {
        let found = content.run(|objects| {
            let pages = Pages::of(objects, revision.snapshot);
            let (forest, contents) = (pages.forest(), pages.all_reusable_contents());
            Ok((forest?, contents?))
        });
        let (forest, contents) = found.await?;
        let references = references(work, content, revision, &contents, known).await?;
        let mut building = Building::of(revision.space, &contents);
        building.add_pages(&forest);
        building.add_references(&references);
        if building.has_conditions() || building.has_conditional_links(db).await? {
            building.add_placeholders(&forest);
            building.add_links((db, work), content).await?;
        }
        Ok(building.finish())
    }
}

/// Returns the references of the reusable contents of a revision.
async fn references<C: ConnectionTrait>(
    work: &WorkLimits,
    content: &mut Content<'_, C>,
    revision: &Revision,
    contents: &[ReusableContent],
    known: &ContentReferencesCache,
) -> Result<Arc<ContentReferences>, ApiError> {
    let space = revision.space;
    let Some(root) = revision.snapshot.reusable_contents.root() else {
        return Ok(Arc::default());
    };
    if let Some(references) = known.get(&(space, root)) {
        return Ok(references);
    }
    let references = ContentReferences::load(work, content, space, contents).await?;
    let references = Arc::new(references);
    known.insert((space, root), Arc::clone(&references));
    Ok(references)
}

/// A page, as far as the index depends on it.
struct PageEntry {
    group: Group,
    /// The sources of its links.
    sources: Vec<Hash>,
    variables: BTreeMap<String, String>,
}

/// An index while it is made.
struct Building {
    shown: ShownParts,
    groups: HashMap<Conditions, Group>,
    variables: HashMap<BTreeMap<String, String>, VariablesOfPage>,
    pages: HashMap<PageId, PageEntry>,
}

impl Building {
    fn of(space: NodeId, contents: &[ReusableContent]) -> Self {
        let reusable = contents.iter().filter_map(|it| Some((*it.id.as_uuid(), it.document?)));
        Self {
            shown: ShownParts {
                space,
                groups: vec![Conditions::default()],
                variables: Vec::new(),
                is_conditional: false,
                texts: HashMap::new(),
                parts: HashMap::new(),
                specifications: HashMap::new(),
                placeholders: HashMap::new(),
                reusable: reusable.collect(),
                holders: HashMap::new(),
                held: HashMap::new(),
            },
            groups: HashMap::from([(Conditions::default(), EVERYBODY)]),
            variables: HashMap::new(),
            pages: HashMap::new(),
        }
    }

    fn add_pages(&mut self, forest: &Forest) {
        let mut waiting = vec![(None, BTreeSet::new())];
        while let Some((parent, above)) = waiting.pop() {
            for page in forest.below(parent) {
                let mut conditions = above.clone();
                conditions.extend(page.condition.clone());
                let group = self.group(Conditions {
                    of_space: conditions.clone(),
                    of_pages: BTreeMap::new(),
                });
                if let Some(text) = page.document() {
                    self.shown.texts.entry(text).or_default().push(group);
                }
                let entry = PageEntry {
                    group,
                    sources: links::sources(page),
                    variables: variables(page).cloned().unwrap_or_default(),
                };
                self.pages.insert(page.id, entry);
                waiting.push((Some(page.id), conditions));
            }
        }
    }

    fn group(&mut self, conditions: Conditions) -> Group {
        if let Some(group) = self.groups.get(&conditions) {
            return *group;
        }
        let group = Group::try_from(self.shown.groups.len()).unwrap_or(Group::MAX);
        self.shown.groups.push(conditions.clone());
        self.groups.insert(conditions, group);
        group
    }

    /// The group of what stands on a page within blocks with these conditions.
    fn group_on_page(&mut self, page: PageId, conditions: &BTreeSet<String>) -> Option<Group> {
        let entry = self.pages.get(&page)?;
        if conditions.is_empty() {
            return Some(entry.group);
        }
        let mut all = self.shown.groups.get(index(entry.group))?.clone();
        let (of_page, of_space): (Vec<&String>, Vec<&String>) = conditions
            .iter()
            .partition(|condition| !entry.variables.is_empty() && may_depend_on_page(condition));
        all.of_space.extend(of_space.into_iter().cloned());
        if !of_page.is_empty() {
            let variables = match self.variables.get(&entry.variables) {
                Some(known) => *known,
                None => {
                    let new = self.shown.variables.len();
                    self.shown.variables.push(entry.variables.clone());
                    self.variables.insert(entry.variables.clone(), new);
                    new
                }
            };
            all.of_pages.insert(variables, of_page.into_iter().cloned().collect());
        }
        Some(self.group(all))
    }

    /// Adds what reusable contents refer to. Their conditions have no page.
    fn add_references(&mut self, references: &ContentReferences) {
        for (holder, reference) in references.iter() {
            let group = self.group(Conditions {
                of_space: reference.conditions.clone(),
                of_pages: BTreeMap::new(),
            });
            let (LinkedTarget::Part(id) | LinkedTarget::Specification(id)) = reference.target;
            self.shown.holders.entry(id).or_default().push((holder, group));
            self.shown.held.entry(holder).or_default().push((id, group));
        }
    }

    fn has_conditions(&self) -> bool {
        self.shown.groups.len() > 1
    }

    /// Returns whether a page has a link within a block with a condition. A link to a page does not count: the page has
    /// conditions of its own.
    async fn has_conditional_links(&self, db: &impl ConnectionTrait) -> Result<bool, ApiError> {
        let mut links = links::conditional(db, self.shown.space).await?.into_iter();
        Ok(links.any(|(page, source, target)| self.holds(page, source) && !self.is_page(target)))
    }

    /// Returns whether a page has this source of links now.
    fn holds(&self, page: PageId, source: Hash) -> bool {
        let entry = self.pages.get(&page);
        entry.is_some_and(|entry| entry.sources.contains(&source))
    }

    fn is_page(&self, id: Uuid) -> bool {
        self.pages.contains_key(&PageId::from_uuid(id))
    }

    fn add_placeholders(&mut self, forest: &Forest) {
        let is_placeholder = |page: &&Page| matches!(page.content, PageContent::Computed { .. });
        for page in forest.pages().filter(is_placeholder) {
            if let Some(entry) = self.pages.get(&page.id) {
                self.shown.placeholders.insert(page.id, entry.group);
            }
        }
    }

    /// Adds what pages refer to.
    async fn add_links<C: ConnectionTrait>(
        &mut self,
        (db, work): (&C, &WorkLimits),
        content: &mut Content<'_, C>,
    ) -> Result<(), ApiError> {
        let sources: HashSet<Hash> = self.pages.values().flat_map(|page| &page.sources).copied().collect();
        let sources: Vec<Hash> = sources.into_iter().collect();
        let mut untold: HashMap<Hash, BTreeSet<PageId>> = HashMap::new();
        for link in links::targets(db, self.shown.space, &sources).await? {
            // Other pages may have, or have had, the same text.
            if !self.holds(link.page, link.source) {
                continue;
            }
            match link.conditions {
                Some(conditions) => self.add_target(link.page, link.target, &conditions),
                None => {
                    untold.entry(link.source).or_default().insert(link.page);
                }
            }
        }
        self.add_untold(work, content, untold).await
    }

    /// Adds what these texts refer to, whose conditions are not stored, on the pages that have the texts.
    async fn add_untold<C: ConnectionTrait>(
        &mut self,
        work: &WorkLimits,
        content: &mut Content<'_, C>,
        untold: HashMap<Hash, BTreeSet<PageId>>,
    ) -> Result<(), ApiError> {
        let hashes: Vec<Hash> = untold.keys().copied().collect();
        for batch in hashes.chunks(TEXTS_AT_ONCE) {
            let texts = content.run(|objects| objects.all(batch)).await?;
            for hash in batch {
                let Some(text) = texts.get(hash) else { continue };
                let found = links::targets_of_text(work, self.shown.space, text.text()).await?;
                let own = found.iter().filter(|(of, _, _)| *of == self.shown.space);
                let own: Vec<_> = own.map(|(_, target, conditions)| (*target, conditions)).collect();
                for page in untold.get(hash).into_iter().flatten() {
                    for (target, conditions) in &own {
                        self.add_target(*page, *target, conditions);
                    }
                }
            }
            content.unload(batch);
        }
        Ok(())
    }

    fn add_target(&mut self, page: PageId, target: LinkedTarget, conditions: &BTreeSet<String>) {
        if matches!(target, LinkedTarget::Part(id) if self.is_page(id)) {
            return;
        }
        if let Some(group) = self.group_on_page(page, conditions) {
            let groups = match target {
                LinkedTarget::Part(id) => self.shown.parts.entry(id).or_default(),
                LinkedTarget::Specification(key) => self.shown.specifications.entry(key).or_default(),
            };
            groups.push(group);
        }
    }

    fn finish(self) -> ShownParts {
        let is_conditional = self.has_conditions();
        let mut shown = ShownParts {
            is_conditional,
            ..self.shown
        };
        if !is_conditional {
            shown.parts = HashMap::new();
            shown.specifications = HashMap::new();
            shown.placeholders = HashMap::new();
        }
        let lists = shown.texts.values_mut().chain(shown.parts.values_mut());
        for groups in lists.chain(shown.specifications.values_mut()) {
            groups.sort_unstable();
            groups.dedup();
            // A part that everybody sees depends on no other group.
            if groups.first() == Some(&EVERYBODY) {
                groups.truncate(1);
            }
            groups.shrink_to_fit();
        }
        for references in shown.holders.values_mut().chain(shown.held.values_mut()) {
            references.sort_unstable();
            references.dedup();
        }
        shown
    }
}

fn variables(page: &Page) -> Option<&BTreeMap<String, String>> {
    match &page.content {
        PageContent::Document { variables, .. } => Some(variables),
        PageContent::Group | PageContent::Link { .. } | PageContent::Computed { .. } => None,
    }
}

/// Returns whether the value of a condition may depend on variables of a page: whether it has the name, or could have it in
/// other words.
fn may_depend_on_page(condition: &str) -> bool {
    condition.contains("page") || condition.contains('\\')
}
