//! Three-way merge of one page, file or shared content.

use std::collections::BTreeMap;

use entity::{authoring::change_requests::conflicts::ConflictKind, ids::PageId, timestamp::Timestamp};
use rich_text::front_matter::{PageLayout, PageTag};
use serde_json::{Map, Value};

use super::lines::{self, WorkBudget};
use crate::{
    objects::{Hash, Missing, Objects},
    pages::{Cover, File, Order, Page, PageContent, ReusableContent},
};

/// The error for a member that both sides changed in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clash;

/// The three versions of an item; `None` if absent.
#[derive(Debug, Clone)]
pub(super) struct Sides<T> {
    pub base: Option<T>,
    pub ours: Option<T>,
    pub theirs: Option<T>,
}

/// The merged item; `None` if deleted.
pub(super) type Combined<T, E> = Result<Option<T>, E>;

/// Returns the side that changed the value, or the common value.
fn one_of<T: PartialEq>(base: Option<T>, ours: T, theirs: T) -> Result<T, Clash> {
    if ours == theirs || base.as_ref() == Some(&theirs) {
        Ok(ours)
    } else if base.as_ref() == Some(&ours) {
        Ok(theirs)
    } else {
        Err(Clash)
    }
}

impl<T: PartialEq + Clone> Sides<T> {
    /// Returns the side that changed the item. `None`: both changed it in different ways.
    pub fn changed(&self) -> Option<Option<T>> {
        let sides = one_of(Some(&self.base), &self.ours, &self.theirs);
        sides.ok().cloned()
    }
}

/// The three versions of an item that exists on both sides.
struct Both<'p, T> {
    base: Option<&'p T>,
    ours: &'p T,
    theirs: &'p T,
}

impl<'p, T> Both<'p, T> {
    fn member<M: PartialEq + Clone + 'p>(&self, member: impl Fn(&'p T) -> &'p M) -> Result<M, Clash> {
        one_of(self.base.map(&member), member(self.ours), member(self.theirs)).cloned()
    }

    fn value<M: PartialEq>(&self, value: impl Fn(&'p T) -> M) -> Result<M, Clash> {
        one_of(self.base.map(&value), value(self.ours), value(self.theirs))
    }
}

/// The strongest change of a page by one side, which the other side deleted.
enum PageChange {
    /// Only the position among the siblings.
    Order,
    Parent,
    Edit,
}

fn change(base: &Page, side: &Page) -> PageChange {
    let same = Page {
        parent: side.parent,
        order: side.order.clone(),
        created_at: side.created_at,
        updated_at: side.updated_at,
        ..base.clone()
    };
    if same != *side {
        PageChange::Edit
    } else if base.parent != side.parent {
        PageChange::Parent
    } else {
        PageChange::Order
    }
}

/// Returns whether two versions of a page differ at most in their positions, so that deleting one loses no change of the
/// other.
pub(super) fn is_same_apart_from_order(one: &Page, other: &Page) -> bool {
    matches!(change(one, other), PageChange::Order)
}

/// The merge of items with texts.
pub(super) struct ItemMerge<'o> {
    objects: &'o Objects,
    budget: WorkBudget,
}

impl<'o> ItemMerge<'o> {
    pub fn of(objects: &'o Objects) -> Self {
        Self {
            objects,
            budget: WorkBudget::default(),
        }
    }

    fn load(&self, document: Option<Hash>) -> Result<String, Missing> {
        document.map_or_else(|| Ok(String::new()), |hash| self.objects.text(&hash))
    }

    /// Merges texts; an absent document is an empty text.
    fn combine(
        &self,
        base: Option<Hash>,
        ours: Option<Hash>,
        theirs: Option<Hash>,
    ) -> Result<Combined<Hash, Clash>, Missing> {
        if let Ok(document) = one_of(Some(base), ours, theirs) {
            return Ok(Ok(document));
        }
        let texts = (self.load(base), self.load(ours), self.load(theirs));
        let Some(text) = lines::merge(&self.budget, &texts.0?, &texts.1?, &texts.2?) else {
            return Ok(Err(Clash));
        };
        Ok(Ok((!text.is_empty()).then(|| self.objects.put_text(&text))))
    }

    pub fn page(&self, sides: &Sides<Page>) -> Result<Combined<Page, ConflictKind>, Missing> {
        if let Some(page) = sides.changed() {
            return Ok(Ok(page));
        }
        Ok(match (&sides.base, &sides.ours, &sides.theirs) {
            (base, Some(ours), Some(theirs)) => {
                let both = Both {
                    base: base.as_ref(),
                    ours,
                    theirs,
                };
                match self.content(&both)? {
                    Ok(content) => page(&both, content).map(Some),
                    Err(kind) => Err(kind),
                }
            }
            (Some(base), Some(ours), None) => match change(base, ours) {
                PageChange::Order => Ok(None),
                PageChange::Parent => Err(ConflictKind::MoveDelete),
                PageChange::Edit => Err(ConflictKind::EditDelete),
            },
            (Some(base), None, Some(theirs)) => match change(base, theirs) {
                PageChange::Order => Ok(None),
                PageChange::Parent => Err(ConflictKind::DeleteMove),
                PageChange::Edit => Err(ConflictKind::DeleteEdit),
            },
            // Only one side has the page, so there is no conflict.
            (None, ours, None) => Ok(ours.clone()),
            (None, None, theirs) => Ok(theirs.clone()),
            (Some(_), None, None) => Ok(None),
        })
    }

    fn content(&self, both: &Both<'_, Page>) -> Result<Result<PageContent, ConflictKind>, Missing> {
        let kept = both.member(|page| &page.content);
        let (Some(ours), Some(theirs)) = (DocumentMembers::of(both.ours), DocumentMembers::of(both.theirs)) else {
            let has_text = both.ours.document().is_some() || both.theirs.document().is_some();
            let kind = if has_text {
                ConflictKind::EditEdit
            } else {
                ConflictKind::Metadata
            };
            return Ok(kept.map_err(|Clash| kind));
        };
        let base = both.base.and_then(DocumentMembers::of);
        let document = self.combine(base.as_ref().and_then(|it| it.document), ours.document, theirs.document)?;
        let member = Both {
            base: base.as_ref(),
            ours: &ours,
            theirs: &theirs,
        };
        Ok(match document {
            Err(Clash) => Err(ConflictKind::EditEdit),
            Ok(document) => appearance(&member, document).map_err(|Clash| ConflictKind::Metadata),
        })
    }

    pub fn file(&self, sides: &Sides<File>) -> Combined<File, ConflictKind> {
        if let Some(file) = sides.changed() {
            return Ok(file);
        }
        let (Some(ours), Some(theirs)) = (&sides.ours, &sides.theirs) else {
            return Err(ConflictKind::File);
        };
        let base = sides.base.as_ref();
        let file = file(&Both { base, ours, theirs });
        file.map(Some).map_err(|Clash| ConflictKind::File)
    }

    pub fn reusable_content(
        &self,
        sides: &Sides<ReusableContent>,
    ) -> Result<Combined<ReusableContent, ConflictKind>, Missing> {
        if let Some(content) = sides.changed() {
            return Ok(Ok(content));
        }
        let (Some(ours), Some(theirs)) = (&sides.ours, &sides.theirs) else {
            return Ok(Err(ConflictKind::ReusableContent));
        };
        let base = sides.base.as_ref();
        let document = self.combine(base.and_then(|it| it.document), ours.document, theirs.document)?;
        let title = Both { base, ours, theirs }.member(|it| &it.title);
        let content = document.and_then(|document| {
            Ok(Some(ReusableContent {
                id: ours.id,
                title: title?,
                document,
            }))
        });
        Ok(content.map_err(|Clash| ConflictKind::ReusableContent))
    }
}

/// The members of a page with a text.
struct DocumentMembers<'p> {
    document: Option<Hash>,
    layout: &'p Option<PageLayout>,
    cover: &'p Option<Cover>,
    variables: &'p BTreeMap<String, String>,
    tags: &'p Vec<PageTag>,
    other: &'p Map<String, Value>,
}

impl<'p> DocumentMembers<'p> {
    fn of(page: &'p Page) -> Option<Self> {
        match &page.content {
            PageContent::Document {
                document,
                layout,
                cover,
                variables,
                tags,
                other,
            } => Some(Self {
                document: *document,
                layout,
                cover,
                variables,
                tags,
                other,
            }),
            PageContent::Group | PageContent::Link { .. } | PageContent::Computed { .. } => None,
        }
    }
}

/// Merges the appearance, every member by itself. `document` is the merged text.
fn appearance(both: &Both<'_, DocumentMembers<'_>>, document: Option<Hash>) -> Result<PageContent, Clash> {
    Ok(PageContent::Document {
        document,
        layout: both.member(|it| it.layout)?,
        cover: both.member(|it| it.cover)?,
        variables: both.member(|it| it.variables)?,
        tags: both.member(|it| it.tags)?,
        other: both.member(|it| it.other)?,
    })
}

/// Merges the members of a page, every member by itself. `content` is the merged content.
fn page(both: &Both<'_, Page>, content: PageContent) -> Result<Page, ConflictKind> {
    let parent = both
        .member(|page| &page.parent)
        .map_err(|Clash| ConflictKind::MoveMove)?;
    metadata(both, parent, content).map_err(|Clash| ConflictKind::Metadata)
}

fn metadata(both: &Both<'_, Page>, parent: Option<PageId>, content: PageContent) -> Result<Page, Clash> {
    let times = |time: fn(&Page) -> Option<Timestamp>| [time(both.ours), time(both.theirs)];
    Ok(Page {
        id: both.ours.id,
        parent,
        order: order(both, parent),
        title: both.member(|page| &page.title)?,
        link_title: both.member(|page| &page.link_title)?,
        slug: both.member(|page| &page.slug)?,
        emoji: both.member(|page| &page.emoji)?,
        icon: both.member(|page| &page.icon)?,
        description: both.member(|page| &page.description)?,
        hidden: both.member(|page| &page.hidden)?,
        no_index: both.member(|page| &page.no_index)?,
        no_robots_index: both.member(|page| &page.no_robots_index)?,
        condition: both.member(|page| &page.condition)?,
        created_at: times(|page| page.created_at).into_iter().flatten().min(),
        updated_at: times(|page| page.updated_at).into_iter().flatten().max(),
        content,
    })
}

/// Returns the position among the siblings of the merged parent: ours, if both sides have the page there.
fn order(both: &Both<'_, Page>, parent: Option<PageId>) -> Order {
    let (ours, theirs) = (both.ours, both.theirs);
    let moved_there = ours.parent != parent;
    let only_theirs = ours.parent == theirs.parent && both.base.is_some_and(|base| base.order == ours.order);
    let page = if moved_there || only_theirs { theirs } else { ours };
    page.order.clone()
}

fn file(both: &Both<'_, File>) -> Result<File, Clash> {
    // The description of the bytes is merged together with them.
    let bytes = both.value(|file| (file.blob, file.size, &file.content_type, file.dimensions))?;
    Ok(File {
        id: both.ours.id,
        name: both.member(|file| &file.name)?,
        content_type: bytes.2.clone(),
        size: bytes.1,
        dimensions: bytes.3,
        blob: bytes.0,
    })
}
