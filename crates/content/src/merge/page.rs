//! One page, as both sides have it.

use std::collections::BTreeMap;

use entity::{change_requests::conflicts::ConflictKind, ids::PageId, timestamp::Timestamp};

use super::lines::{self, Effort};
use crate::{
    objects::{Hash, Missing, Objects},
    pages::{Cover, File, Layout, Order, Page, PageContent, ReusableContent},
};

/// Both sides changed the same thing in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clash;

/// Something in the base, here and there; none is that it is not there.
#[derive(Debug, Clone)]
pub(super) struct Sides<T> {
    pub base: Option<T>,
    pub ours: Option<T>,
    pub theirs: Option<T>,
}

/// What takes the place of both sides, or none if there it is gone.
pub(super) type Combined<T, E> = Result<Option<T>, E>;

/// The side that changed it, or both if they agree.
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
    /// The side that changed it, unless both did in different ways.
    fn changed(&self) -> Option<Option<T>> {
        let sides = one_of(Some(&self.base), &self.ours, &self.theirs);
        sides.ok().cloned()
    }
}

/// Three states of something that is there on both sides.
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

/// How a side changed a page, as far as that matters to a side that deleted it.
enum Change {
    /// Its place among its siblings at most.
    Order,
    Parent,
    Edit,
}

fn change(base: &Page, side: &Page) -> Change {
    let same = Page {
        parent: side.parent,
        order: side.order.clone(),
        created_at: side.created_at,
        updated_at: side.updated_at,
        ..base.clone()
    };
    if same != *side {
        Change::Edit
    } else if base.parent != side.parent {
        Change::Parent
    } else {
        Change::Order
    }
}

/// Whether somebody who deletes one takes nothing away that somebody else did to the other.
pub(super) fn alike(one: &Page, other: &Page) -> bool {
    matches!(change(one, other), Change::Order)
}

/// The texts that a merge combines.
pub(super) struct Texts<'o> {
    objects: &'o Objects,
    effort: Effort,
}

impl<'o> Texts<'o> {
    pub fn of(objects: &'o Objects) -> Self {
        Self {
            objects,
            effort: Effort::default(),
        }
    }

    fn load(&self, document: Option<Hash>) -> Result<String, Missing> {
        document.map_or_else(|| Ok(String::new()), |hash| self.objects.text(&hash))
    }

    /// No document is an empty text.
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
        let Some(text) = lines::combine(&self.effort, &texts.0?, &texts.1?, &texts.2?) else {
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
                Change::Order => Ok(None),
                Change::Parent => Err(ConflictKind::MoveDelete),
                Change::Edit => Err(ConflictKind::EditDelete),
            },
            (Some(base), None, Some(theirs)) => match change(base, theirs) {
                Change::Order => Ok(None),
                Change::Parent => Err(ConflictKind::DeleteMove),
                Change::Edit => Err(ConflictKind::DeleteEdit),
            },
            // One side alone has it, or none: that is no change of both.
            (None, ours, None) => Ok(ours.clone()),
            (None, None, theirs) => Ok(theirs.clone()),
            (Some(_), None, None) => Ok(None),
        })
    }

    fn content(&self, both: &Both<'_, Page>) -> Result<Result<PageContent, ConflictKind>, Missing> {
        let kept = both.member(|page| &page.content);
        let (Some(ours), Some(theirs)) = (Parts::of(both.ours), Parts::of(both.theirs)) else {
            let has_text = both.ours.document().is_some() || both.theirs.document().is_some();
            let kind = if has_text {
                ConflictKind::EditEdit
            } else {
                ConflictKind::Metadata
            };
            return Ok(kept.map_err(|Clash| kind));
        };
        let base = both.base.and_then(Parts::of);
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

/// What a page has because it is one with a text.
struct Parts<'p> {
    document: Option<Hash>,
    layout: &'p Option<Layout>,
    cover: &'p Option<Cover>,
    variables: &'p BTreeMap<String, String>,
}

impl<'p> Parts<'p> {
    fn of(page: &'p Page) -> Option<Self> {
        match &page.content {
            PageContent::Document {
                document,
                layout,
                cover,
                variables,
            } => Some(Self {
                document: *document,
                layout,
                cover,
                variables,
            }),
            PageContent::Group | PageContent::Link { .. } => None,
        }
    }
}

/// How a page looks, every member by itself, with a text that is combined already.
fn appearance(both: &Both<'_, Parts<'_>>, document: Option<Hash>) -> Result<PageContent, Clash> {
    Ok(PageContent::Document {
        document,
        layout: both.member(|it| it.layout)?,
        cover: both.member(|it| it.cover)?,
        variables: both.member(|it| it.variables)?,
    })
}

/// Every member by itself, with a content that is combined already.
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

/// Its place among the siblings that it has in the end: ours, if both sides put it among them.
fn order(both: &Both<'_, Page>, parent: Option<PageId>) -> Order {
    let (ours, theirs) = (both.ours, both.theirs);
    let moved_there = ours.parent != parent;
    let only_theirs = ours.parent == theirs.parent && both.base.is_some_and(|base| base.order == ours.order);
    let page = if moved_there || only_theirs { theirs } else { ours };
    page.order.clone()
}

fn file(both: &Both<'_, File>) -> Result<File, Clash> {
    // What describes the bytes goes with them.
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
