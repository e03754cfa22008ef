//! Wire types of link targets and link locations, loaded at once for a whole answer.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::{
    link_set::LinkTarget,
    objects::{Content, Missing},
    pages::{Forest, Pages},
    revisions::Revision,
};
use entity::ids::{NodeId, PageId, UserId};
use openapi::{
    error::ApiError,
    models::{
        ChangeRequestContext, Collection, CollectionLocation, ContentLocation, ContentPage, ContentRef, FileLocation,
        Organization, PageLocation, PlaceAtAnchor, PlaceInPage, ReusableContentLocation, RevisionContext, RevisionFile,
        RevisionReusableContent, Space, SpaceLocation, UrlLocation, User, UserLocation, VersionContext,
    },
};
use platform::db::positional;
use sea_orm::{ColumnTrait, QueryFilter, QueryTrait};

use super::{references::anchor, scope::LinkScope};

use crate::{
    access::{
        node_levels::{self, visible},
        rows::{CollectionRow, NodeRow, SpaceRow},
    },
    areas::{
        authoring::{
            change_requests,
            reader::view::{self, ContentView},
        },
        content::computed::ComputedTree,
        identity::users,
        library::{collections, spaces},
        organizations::organizations,
    },
};

/// The targets that the caller may see.
pub struct Locations {
    organization: Organization,
    spaces: HashMap<NodeId, Space>,
    collections: HashMap<NodeId, Collection>,
    users: HashMap<UserId, User>,
    versions: HashMap<NodeId, VersionContext>,
    content: HashMap<LinkTarget, ContentPart>,
}

/// A part of the content of a space.
#[derive(Clone)]
enum ContentPart {
    Page(Box<ContentPage>),
    File(RevisionFile),
    ReusableContent(RevisionReusableContent),
}

impl Locations {
    pub async fn of(scope: &LinkScope<'_>, targets: &HashSet<LinkTarget>) -> Result<Self, ApiError> {
        let (space_rows, collection_rows) = rows(scope, targets).await?;
        let ids = space_rows.iter().map(|row| row.node.id);
        let ids = ids.chain(collection_rows.iter().map(|row| row.node.id)).collect();
        let levels = node_levels::levels(scope.authoring.kernel.db.read(), &scope.member, ids).await?;
        let urls = &scope.authoring.kernel.urls;
        let held = revisions_of(scope, targets, &space_rows).await?;
        let ids: Vec<NodeId> = space_rows.iter().map(|row| row.node.id).collect();
        let space_rows = space_rows.into_iter().map(|row| {
            let level = levels.on(&row.node);
            (row, level)
        });
        let spaces = spaces::view_all(&scope.authoring.kernel, space_rows.collect()).await?;
        let collections = collection_rows.into_iter().map(|row| {
            let level = levels.on(&row.node);
            (row.node.id, collections::view::collection(urls, row, level))
        });
        let people = targets.iter().filter_map(|target| match target {
            LinkTarget::User(user) => Some(*user),
            _ => None,
        });
        Ok(Self {
            organization: organizations::load_for(&scope.authoring.kernel, &scope.member).await?,
            spaces: ids.into_iter().zip(spaces).collect(),
            collections: collections.collect(),
            users: users::views_of(&scope.authoring.kernel, people.collect()).await?,
            content: content(scope, targets, &held).await?,
            versions: versions(scope, held).await?,
        })
    }

    /// The target of a reference. `None` if the target does not exist or the caller may not see it.
    pub fn target(&self, target: LinkTarget, reference: &ContentRef) -> Option<ContentLocation> {
        Some(match target {
            LinkTarget::Page(..) | LinkTarget::File(..) | LinkTarget::ReusableContent(..) => {
                let place = anchor(reference).map(|anchor| {
                    PlaceInPage::PlaceAtAnchor(PlaceAtAnchor {
                        r#type: Default::default(),
                        anchor: anchor.to_owned(),
                    })
                });
                return self.part(target, place);
            }
            LinkTarget::Space(space) => ContentLocation::SpaceLocation(SpaceLocation {
                kind: Default::default(),
                organization: self.organization.clone(),
                space: self.spaces.get(&space)?.clone(),
            }),
            LinkTarget::Collection(collection) => ContentLocation::CollectionLocation(CollectionLocation {
                kind: Default::default(),
                organization: self.organization.clone(),
                collection: self.collections.get(&collection)?.clone(),
            }),
            LinkTarget::User(user) => ContentLocation::UserLocation(UserLocation {
                kind: Default::default(),
                user: self.users.get(&user)?.clone(),
            }),
            LinkTarget::Url | LinkTarget::InApp => match reference {
                ContentRef::ContentRefUrl(it) => ContentLocation::UrlLocation(UrlLocation {
                    kind: Default::default(),
                    url: it.url.clone(),
                }),
                _ => return None,
            },
            LinkTarget::Specification(_) | LinkTarget::NamedSpecification | LinkTarget::Nothing => return None,
        })
    }

    /// A part of the content of a space; for a page, with a place in the page.
    pub fn part(&self, target: LinkTarget, place: Option<PlaceInPage>) -> Option<ContentLocation> {
        let space = target.content()?;
        let organization = self.organization.clone();
        let version_context = self.versions.get(&space).cloned();
        let space = self.spaces.get(&space)?.clone();
        Some(match self.content.get(&target)?.clone() {
            ContentPart::Page(page) => ContentLocation::PageLocation(PageLocation {
                kind: Default::default(),
                organization,
                page: *page,
                space,
                version_context,
                internal_location: place,
            }),
            ContentPart::File(file) => ContentLocation::FileLocation(FileLocation {
                kind: Default::default(),
                organization,
                space,
                version_context,
                file,
            }),
            ContentPart::ReusableContent(reusable_content) => {
                ContentLocation::ReusableContentLocation(ReusableContentLocation {
                    kind: Default::default(),
                    organization,
                    space,
                    version_context,
                    reusable_content,
                })
            }
        })
    }
}

/// The spaces and collections that the caller may see.
async fn rows(
    scope: &LinkScope<'_>,
    targets: &HashSet<LinkTarget>,
) -> Result<(Vec<SpaceRow>, Vec<CollectionRow>), ApiError> {
    let (db, member) = (scope.authoring.kernel.db.read(), &scope.member);
    let space_of = |target: &LinkTarget| match target {
        LinkTarget::Space(space) => Some(*space),
        target => target.content(),
    };
    let ids: HashSet<NodeId> = targets.iter().filter_map(space_of).collect();
    let found = visible(spaces::store::not_deleted(member.organization), member);
    let found = found.filter(entity::library::nodes::Column::Id.is_in(ids));
    let spaces = positional::rows(db, SpaceRow::of(found).as_query()).await;
    let collection_of = |target: &LinkTarget| match target {
        LinkTarget::Collection(collection) => Some(*collection),
        _ => None,
    };
    let ids: HashSet<NodeId> = targets.iter().filter_map(collection_of).collect();
    if ids.is_empty() {
        return Ok((spaces?, Vec::new()));
    }
    let found = visible(collections::store::not_deleted(member.organization), member);
    let found = found.filter(entity::library::nodes::Column::Id.is_in(ids));
    let collections = positional::rows(db, CollectionRow::of(found).as_query()).await;
    Ok((spaces?, collections?))
}

/// The revision of each space in the answer: the requested one, and the current revisions of other spaces.
async fn revisions_of(
    scope: &LinkScope<'_>,
    targets: &HashSet<LinkTarget>,
    rows: &[SpaceRow],
) -> Result<HashMap<NodeId, Arc<Revision>>, ApiError> {
    let spaces: HashSet<NodeId> = targets.iter().filter_map(|target| target.content()).collect();
    let others = rows
        .iter()
        .filter(|row| row.node.id != scope.space && spaces.contains(&row.node.id));
    let others = others.map(|row| row.space.revision_id).collect();
    let others = scope
        .authoring
        .contents
        .state
        .revisions(&scope.authoring.kernel.db, others)
        .await?;
    let all = others.into_iter().chain([Arc::clone(&scope.revision)]);
    Ok(all.map(|revision| (revision.space, revision)).collect())
}

async fn versions(
    scope: &LinkScope<'_>,
    held: HashMap<NodeId, Arc<Revision>>,
) -> Result<HashMap<NodeId, VersionContext>, ApiError> {
    let merged = held
        .values()
        .filter_map(|revision| Some((revision.space, revision.merged_from?)));
    let mut merged = change_requests::load_many(&scope.authoring.kernel, merged.collect()).await?;
    let mut found = HashMap::new();
    for (space, revision) in held {
        let context = match &scope.request {
            Some((request, _)) if space == scope.space => VersionContext::ChangeRequestContext(ChangeRequestContext {
                r#type: Default::default(),
                change_request: change_requests::load(&scope.authoring.kernel, space, request.id).await?,
            }),
            _ => {
                let urls = &scope.authoring.kernel.urls;
                let merged = revision.merged_from.and_then(|request| merged.remove(&request));
                VersionContext::RevisionContext(RevisionContext {
                    r#type: Default::default(),
                    revision: view::revision_in_context(urls, space, &revision, merged),
                })
            }
        };
        found.insert(space, context);
    }
    Ok(found)
}

/// The targets that exist in the content of their spaces.
async fn content(
    scope: &LinkScope<'_>,
    targets: &HashSet<LinkTarget>,
    held: &HashMap<NodeId, Arc<Revision>>,
) -> Result<HashMap<LinkTarget, ContentPart>, ApiError> {
    let computed = computed(scope, targets, held).await?;
    let spaces = held.keys().copied().collect();
    let mut content = Content::of_spaces(
        scope.authoring.kernel.db.read(),
        &scope.authoring.contents.state.objects,
        spaces,
    );
    let found = content.run(|objects| {
        let mut all: HashMap<NodeId, Pages<'_>> = HashMap::new();
        for (space, revision) in held {
            let pages = match computed.get(space) {
                Some(computed) => Pages::with_computed(objects, revision.snapshot, &computed.overlay),
                None => Pages::of(objects, revision.snapshot),
            };
            all.insert(*space, pages);
        }
        let mut outcome = Ok(HashMap::new());
        for target in targets {
            let Some(space) = target.content() else { continue };
            let Some(pages) = all.get(&space) else { continue };
            let view = ContentView {
                computed: computed.get(&space),
                ..ContentView::stored(&scope.authoring.kernel.urls, space)
            };
            match (part(&view, pages, *target), &mut outcome) {
                (Ok(Some(part)), Ok(found)) => drop(found.insert(*target, part)),
                (Ok(_), _) => {}
                (Err(Missing), outcome) => *outcome = Err(Missing),
            }
        }
        outcome
    });
    Ok(found.await?)
}

/// The computed pages among the targets, with those above them. The page in the place of a placeholder is one of them.
async fn computed(
    scope: &LinkScope<'_>,
    targets: &HashSet<LinkTarget>,
    held: &HashMap<NodeId, Arc<Revision>>,
) -> Result<HashMap<NodeId, ComputedTree>, ApiError> {
    let mut pages: HashMap<NodeId, HashSet<PageId>> = HashMap::new();
    for target in targets {
        if let LinkTarget::Page(space, page) = target {
            pages.entry(*space).or_default().insert(*page);
        }
    }
    let revisions = pages.keys().filter_map(|space| held.get(space)).cloned();
    let revisions: Vec<Arc<Revision>> = revisions.collect();
    scope.authoring.contents.computed_parts(&revisions, &pages).await
}

fn part(view: &ContentView<'_>, pages: &Pages<'_>, target: LinkTarget) -> Result<Option<ContentPart>, Missing> {
    Ok(match target {
        LinkTarget::Page(_, page) => match pages.page(page)? {
            Some(page) => {
                let path = pages.path(&page)?;
                Some(ContentPart::Page(Box::new(view.page(&Forest::default(), &page, &path))))
            }
            None => None,
        },
        LinkTarget::File(_, file) => pages.file(file)?.map(|file| ContentPart::File(view.file(&file))),
        LinkTarget::ReusableContent(_, content) => {
            let content = pages.reusable_content(content)?;
            content.map(|content| ContentPart::ReusableContent(view.reusable_content(&content)))
        }
        LinkTarget::Space(_)
        | LinkTarget::Collection(_)
        | LinkTarget::User(_)
        | LinkTarget::Specification(_)
        | LinkTarget::NamedSpecification
        | LinkTarget::Url
        | LinkTarget::InApp
        | LinkTarget::Nothing => None,
    })
}
