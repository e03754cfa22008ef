//! The pages of results.

use std::collections::{HashMap, HashSet};

use content::{
    objects::{Content, Hash, Missing},
    pages::{Page, Pages, Snapshot, Variable},
};
use entity::{
    ids::{NodeId, PageId, RevisionId},
    library::spaces::{self, Language},
};
use openapi::error::ApiError;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::areas::content::{Contents, computed::ComputedTree};

/// The pages of results by their space and id.
#[derive(Default)]
pub struct FoundPages {
    pub pages: HashMap<(NodeId, PageId), FoundPage>,
    pub languages: HashMap<NodeId, Option<Language>>,
    /// The variables of the spaces, for visitors.
    pub variables: HashMap<NodeId, Vec<Variable>>,
}

/// A page with its path and its ancestors.
pub struct FoundPage {
    pub page: Page,
    pub path: String,
    pub above: Vec<Page>,
    /// The text of a computed page, for visitors.
    computed: Option<String>,
}

/// Loads pages of spaces, without their texts.
pub async fn load(
    contents: &Contents,
    found: &[(NodeId, Vec<PageId>)],
    for_visitor: bool,
) -> Result<FoundPages, ApiError> {
    let spaces: Vec<NodeId> = found.iter().map(|(space, _)| *space).collect();
    let pages = found
        .iter()
        .map(|(space, pages)| (*space, pages.iter().copied().collect()));
    let (snapshots, computed) = snapshots(contents, &spaces, &pages.collect()).await?;
    let mut content = Content::of_spaces(contents.kernel.db.read(), &contents.state.objects, spaces);
    let loaded = content.run(|objects| {
        let mut loaded = FoundPages::default();
        // All that is missing is asked for before it is loaded together.
        let mut outcome = Ok(());
        for (space, ids) in found {
            let Some((snapshot, language)) = snapshots.get(space) else {
                continue;
            };
            loaded.languages.insert(*space, *language);
            let computed = computed.get(space);
            let pages = match computed {
                Some(computed) => Pages::with_computed(objects, *snapshot, &computed.overlay),
                None => Pages::of(objects, *snapshot),
            };
            for id in ids {
                match load_page((&pages, computed), *id, for_visitor) {
                    Ok(Some(found_page)) => drop(loaded.pages.insert((*space, *id), found_page)),
                    Ok(None) => {}
                    Err(missing) => outcome = Err(missing),
                }
            }
            if for_visitor {
                match pages.stored_variables() {
                    Ok(variables) => drop(loaded.variables.insert(*space, variables)),
                    Err(missing) => outcome = Err(missing),
                }
            }
        }
        outcome.map(|()| loaded)
    });
    Ok(loaded.await?)
}

fn load_page(
    (pages, computed): (&Pages<'_>, Option<&ComputedTree>),
    id: PageId,
    for_visitor: bool,
) -> Result<Option<FoundPage>, Missing> {
    let Some(page) = pages.page(id)? else { return Ok(None) };
    let above = pages.ancestors(&page)?;
    let path = pages.path(&page)?;
    let computed = computed
        .filter(|_| for_visitor)
        .and_then(|computed| computed.markdown(id));
    Ok(Some(FoundPage {
        page,
        path,
        above,
        computed,
    }))
}

impl FoundPages {
    /// Adds further pages.
    pub fn extend(&mut self, further: Self) {
        self.pages.extend(further.pages);
        self.languages.extend(further.languages);
        self.variables.extend(further.variables);
    }

    /// The texts of these pages, all in memory at once.
    pub async fn texts(
        &self,
        contents: &Contents,
        of: &[(NodeId, PageId)],
    ) -> Result<HashMap<(NodeId, PageId), String>, ApiError> {
        let pages = of.iter().filter_map(|key| Some((*key, self.pages.get(key)?)));
        let pages: Vec<((NodeId, PageId), &FoundPage)> = pages.collect();
        let spaces: HashSet<NodeId> = of.iter().map(|(space, _)| *space).collect();
        let documents = pages.iter().filter_map(|(_, found)| found.page.document());
        let documents: Vec<Hash> = documents.collect();
        let mut content = Content::of_spaces(
            contents.kernel.db.read(),
            &contents.state.objects,
            spaces.into_iter().collect(),
        );
        let objects = content.run(|objects| objects.all(&documents)).await?;
        let texts = pages.into_iter().filter_map(|(key, found)| {
            let stored = found.page.document().and_then(|hash| objects.get(&hash));
            let stored = stored.map(|object| object.text().to_owned());
            Some((key, stored.or_else(|| found.computed.clone())?))
        });
        Ok(texts.collect())
    }
}

type Snapshots = HashMap<NodeId, (Snapshot, Option<Language>)>;
type ComputedTrees = HashMap<NodeId, ComputedTree>;

/// The current content of spaces of one organization, with their languages, and the computed ones of these pages.
async fn snapshots(
    contents: &Contents,
    of: &[NodeId],
    pages: &HashMap<NodeId, HashSet<PageId>>,
) -> Result<(Snapshots, ComputedTrees), ApiError> {
    let found = spaces::Entity::find()
        .select_only()
        .columns([spaces::Column::Id, spaces::Column::RevisionId, spaces::Column::Language])
        .filter(spaces::Column::Id.is_in(of.iter().copied()))
        .into_tuple::<(NodeId, RevisionId, Option<Language>)>()
        .all(contents.kernel.db.read())
        .await?;
    let languages: HashMap<NodeId, Option<Language>> = found.iter().map(|(space, _, it)| (*space, *it)).collect();
    let revisions = found.iter().map(|(_, revision, _)| *revision).collect();
    let revisions = contents.state.revisions(&contents.kernel.db, revisions).await?;
    let computed = contents.computed_parts(&revisions, pages).await?;
    let snapshots = revisions.into_iter().map(|revision| {
        let language = languages.get(&revision.space).copied().flatten();
        (revision.space, (revision.snapshot, language))
    });
    Ok((snapshots.collect(), computed))
}
