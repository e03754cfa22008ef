//! The structure of sites in memory. Readers of published sites need all of it in each request, and it changes rarely.

use std::sync::Arc;

use entity::{
    ids::SiteId,
    localized::Localized,
    publishing::sites::{self, external_links, section_groups, sections, site_spaces},
};
use expressions::Holding;
use moka::sync::Cache;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

/// Approximate bytes that the cached structures of each kind may take.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// Approximate memory of a section or a site space beside its condition and description.
const ITEM_BYTES: usize = 1024;

/// The groups, sections, site spaces and links of a site with their order. A site has few of them, so that all are read and changed
/// together.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub groups: Vec<section_groups::Model>,
    pub sections: Vec<sections::Model>,
    pub site_spaces: Vec<site_spaces::Model>,
    pub links: Vec<external_links::Model>,
}

impl Layout {
    /// Four queries.
    pub async fn load(db: &impl ConnectionTrait, site: SiteId) -> Result<Self, DbErr> {
        Ok(Self {
            groups: section_groups::Entity::find()
                .filter(section_groups::Column::SiteId.eq(site))
                .all(db)
                .await?,
            sections: sections::Entity::find()
                .filter(sections::Column::SiteId.eq(site))
                .all(db)
                .await?,
            site_spaces: site_spaces::Entity::find()
                .filter(site_spaces::Column::SiteId.eq(site))
                .all(db)
                .await?,
            links: external_links::Entity::find()
                .filter(external_links::Column::SiteId.eq(site))
                .all(db)
                .await?,
        })
    }

    fn bytes(&self) -> u32 {
        let items = 1 + self.groups.len() + self.sections.len() + self.site_spaces.len() + self.links.len();
        let sections = self.sections.iter();
        let of_sections = sections.flat_map(|section| [&section.condition, &section.description]);
        let of_items = self.site_spaces.iter().map(|item| &item.condition);
        let of_links = self.links.iter().flat_map(|link| [&link.condition, &link.description]);
        let texts = of_sections.chain(of_items).chain(of_links).flatten().map(String::len);
        let of_sections = self
            .sections
            .iter()
            .flat_map(|section| [&section.localized_title, &section.localized_description]);
        let of_groups = self.groups.iter().map(|group| &group.localized_title);
        let of_items = self.site_spaces.iter().map(|item| &item.localized_title);
        let of_links = self
            .links
            .iter()
            .flat_map(|link| [&link.localized_title, &link.localized_description]);
        let localized = of_sections.chain(of_groups).chain(of_items).chain(of_links);
        let localized = localized.flatten().map(Localized::bytes);
        let urls = self.links.iter().map(|link| link.url.len());
        let texts: usize = texts.chain(localized).chain(urls).sum();
        u32::try_from(items * ITEM_BYTES + texts).unwrap_or(u32::MAX)
    }
}

/// The structure of a site, and what it is without drafts.
#[derive(Clone)]
struct Cached {
    version: i64,
    whole: Arc<Layout>,
    live: Arc<Layout>,
}

/// The structures of sites with the version of the site that they are of.
pub struct Layouts {
    whole: Cache<SiteId, Cached>,
    /// The parts that visitors see for whom these conditions hold, with or without drafts. There are fewer of these sets than visitors.
    shown: Cache<(SiteId, Drafts, Holding), (i64, Arc<Layout>)>,
}

/// A choice between the whole structure and the one without drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drafts {
    With,
    Without,
}

impl Layouts {
    /// The structure of a site in the version of this row, which changes with the structure: what is cached is never older.
    pub async fn of(
        &self,
        db: &impl ConnectionTrait,
        site: &sites::Model,
        drafts: Drafts,
    ) -> Result<Arc<Layout>, DbErr> {
        let cached = self.whole.get(&site.id).filter(|cached| cached.version == site.version);
        let cached = match cached {
            Some(cached) => cached,
            None => {
                let whole = Arc::new(Layout::load(db, site.id).await?);
                let cached = Cached {
                    version: site.version,
                    live: live(&whole),
                    whole,
                };
                self.whole.insert(site.id, cached.clone());
                cached
            }
        };
        Ok(match drafts {
            Drafts::With => cached.whole,
            Drafts::Without => cached.live,
        })
    }

    /// The part of the structure in this version of the site that follows from the conditions that hold.
    pub fn shown(
        &self,
        site: &sites::Model,
        drafts: Drafts,
        holding: &Holding,
        make: impl FnOnce() -> Layout,
    ) -> Arc<Layout> {
        let key = (site.id, drafts, Arc::clone(holding));
        let cached = self.shown.get(&key).filter(|(version, _)| *version == site.version);
        if let Some((_, layout)) = cached {
            return layout;
        }
        let layout = Arc::new(make());
        self.shown.insert(key, (site.version, Arc::clone(&layout)));
        layout
    }
}

/// The structure without drafts; the same one if there are none.
pub fn live(layout: &Arc<Layout>) -> Arc<Layout> {
    match layout.has_drafts() {
        true => Arc::new(layout.live()),
        false => Arc::clone(layout),
    }
}

impl Default for Layouts {
    fn default() -> Self {
        let whole =
            Cache::builder().weigher(|_, cached: &Cached| cached.whole.bytes().saturating_add(cached.live.bytes()));
        let shown = Cache::builder().weigher(
            |(_, _, holding): &(SiteId, Drafts, Holding), (_, layout): &(i64, Arc<Layout>)| {
                let conditions = holding.iter().map(String::len).fold(0, usize::saturating_add);
                layout
                    .bytes()
                    .saturating_add(u32::try_from(conditions).unwrap_or(u32::MAX))
            },
        );
        Self {
            whole: whole.max_capacity(CACHE_BYTES).build(),
            shown: shown.max_capacity(CACHE_BYTES).build(),
        }
    }
}
