//! What references lead to, and what of it a member may see.

mod resolve;
mod store;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::{
    link_set::LinkTarget,
    objects::{Content, Missing, Objects},
    pages::{Pages, Snapshot},
    revisions::Revision,
};
use entity::ids::{NodeId, OpenapiSpecId, PageId, UserId};
use openapi::error::ApiError;

pub use self::resolve::{resolve, slug};

use crate::{
    access::node_levels::Member,
    areas::content::{Contents, computed::is_computed},
};

#[derive(Default)]
pub struct ExternalTargets {
    spaces: HashMap<NodeId, Arc<Revision>>,
    collections: HashSet<NodeId>,
    users: HashSet<UserId>,
    specifications: HashSet<OpenapiSpecId>,
    /// The slugs of specifications.
    slugs: HashSet<String>,
    /// Pages, files and reusable content.
    content: HashSet<LinkTarget>,
}

impl ExternalTargets {
    /// Loads which of the targets exist. Targets that the member may not see count as missing. The name of a target is the slug
    /// of a specification.
    pub async fn of<'n>(
        contents: &Contents,
        member: &Member,
        targets: impl Iterator<Item = (LinkTarget, Option<&'n str>)>,
    ) -> Result<Self, ApiError> {
        let (mut spaces, mut collections) = (HashSet::new(), HashSet::new());
        let (mut users, mut content) = (HashSet::new(), HashSet::new());
        let (mut specifications, mut slugs) = (HashSet::new(), HashSet::new());
        for (target, name) in targets {
            match target {
                LinkTarget::Space(space) => drop(spaces.insert(space)),
                LinkTarget::Collection(collection) => drop(collections.insert(collection)),
                LinkTarget::User(user) => drop(users.insert(user)),
                LinkTarget::Specification(specification) => drop(specifications.insert(specification)),
                LinkTarget::NamedSpecification => slugs.extend(name.map(str::to_owned)),
                LinkTarget::Page(space, _) | LinkTarget::File(space, _) | LinkTarget::ReusableContent(space, _) => {
                    spaces.insert(space);
                    content.insert(target);
                }
                LinkTarget::Url | LinkTarget::InApp | LinkTarget::Nothing => {}
            }
        }
        let mut found = Self {
            spaces: seen(contents, member, spaces).await?,
            ..Self::default()
        };
        let db = contents.kernel.db.read();
        let collections: Vec<NodeId> = collections.into_iter().collect();
        let collections = store::collections_seen(db, member, &collections).await;
        found.collections = collections?.into_iter().collect();
        let users: Vec<UserId> = users.into_iter().collect();
        let users = store::members_of(db, member, &users).await;
        found.users = users?.into_iter().collect();
        let specifications: Vec<OpenapiSpecId> = specifications.into_iter().collect();
        let specifications = store::specifications_seen(db, member, &specifications).await;
        found.specifications = specifications?.into_iter().collect();
        let slugs: Vec<String> = slugs.into_iter().collect();
        found.slugs = store::slugs_seen(db, member, &slugs).await?.into_iter().collect();
        found.content = found.existing(contents, content).await?;
        Ok(found)
    }

    /// The targets that exist in the current content of their spaces.
    async fn existing(
        &self,
        contents: &Contents,
        targets: HashSet<LinkTarget>,
    ) -> Result<HashSet<LinkTarget>, ApiError> {
        let spaces = self.spaces.keys().copied().collect();
        let mut content = Content::of_spaces(contents.kernel.db.read(), &contents.state.objects, spaces);
        let snapshot = |target: LinkTarget| {
            let revision = self.spaces.get(&target.content()?)?;
            Some(revision.snapshot)
        };
        let mut found = content.run(|objects| existing(objects, &targets, snapshot)).await?;
        let revisions: Vec<Arc<Revision>> = self.spaces.values().cloned().collect();
        found.extend(existing_computed(contents, &revisions, targets.iter()).await?);
        Ok(found)
    }

    pub fn has(&self, target: LinkTarget, name: Option<&str>) -> bool {
        match target {
            LinkTarget::Page(..) | LinkTarget::File(..) | LinkTarget::ReusableContent(..) => {
                self.content.contains(&target)
            }
            LinkTarget::Space(space) => self.spaces.contains_key(&space),
            LinkTarget::Collection(collection) => self.collections.contains(&collection),
            LinkTarget::User(user) => self.users.contains(&user),
            LinkTarget::Specification(specification) => self.specifications.contains(&specification),
            LinkTarget::NamedSpecification => name.is_some_and(|slug| self.slugs.contains(slug)),
            LinkTarget::Url | LinkTarget::InApp => true,
            LinkTarget::Nothing => false,
        }
    }
}

/// The current revisions of those spaces that a member may see.
async fn seen(
    contents: &Contents,
    member: &Member,
    spaces: HashSet<NodeId>,
) -> Result<HashMap<NodeId, Arc<Revision>>, ApiError> {
    let spaces: Vec<NodeId> = spaces.into_iter().collect();
    let found = store::spaces_seen(contents.kernel.db.read(), member, &spaces).await;
    let ids = found?.into_iter().map(|(_, revision)| revision).collect();
    let found = contents.state.revisions(&contents.kernel.db, ids).await?;
    Ok(found.into_iter().map(|revision| (revision.space, revision)).collect())
}

/// The computed page that a target is, if it exists.
pub fn computed_page(target: LinkTarget) -> Option<(NodeId, PageId)> {
    match target {
        LinkTarget::Page(space, page) if is_computed(page) => Some((space, page)),
        _ => None,
    }
}

/// The targets that are computed pages of revisions of different spaces of one organization.
pub async fn existing_computed<'t>(
    contents: &Contents,
    revisions: &[Arc<Revision>],
    targets: impl Iterator<Item = &'t LinkTarget>,
) -> Result<HashSet<LinkTarget>, ApiError> {
    let mut pages: HashMap<NodeId, HashSet<PageId>> = HashMap::new();
    for (space, page) in targets.filter_map(|target| computed_page(*target)) {
        pages.entry(space).or_default().insert(page);
    }
    let found = contents.existing_computed_pages(revisions, pages).await?;
    Ok(found
        .into_iter()
        .map(|(space, page)| LinkTarget::Page(space, page))
        .collect())
}

/// The targets that exist, each in the snapshot that `state` answers. The search goes on after a missing object, so
/// that all missing objects are loaded at once.
pub fn existing(
    objects: &Objects,
    targets: &HashSet<LinkTarget>,
    state: impl Fn(LinkTarget) -> Option<Snapshot>,
) -> Result<HashSet<LinkTarget>, Missing> {
    let mut outcome = Ok(HashSet::new());
    for target in targets {
        let Some(snapshot) = state(*target) else { continue };
        match (has(objects, snapshot, *target), &mut outcome) {
            (Ok(true), Ok(found)) => drop(found.insert(*target)),
            (Ok(_), _) => {}
            (Err(Missing), outcome) => *outcome = Err(Missing),
        }
    }
    outcome
}

fn has(objects: &Objects, snapshot: Snapshot, target: LinkTarget) -> Result<bool, Missing> {
    let pages = Pages::of(objects, snapshot);
    Ok(match target {
        LinkTarget::Page(_, page) => pages.has_page(page)?,
        LinkTarget::File(_, file) => pages.file(file)?.is_some(),
        LinkTarget::ReusableContent(_, content) => pages.reusable_content(content)?.is_some(),
        LinkTarget::Space(_)
        | LinkTarget::Collection(_)
        | LinkTarget::User(_)
        | LinkTarget::Specification(_)
        | LinkTarget::NamedSpecification
        | LinkTarget::Url
        | LinkTarget::InApp
        | LinkTarget::Nothing => false,
    })
}
