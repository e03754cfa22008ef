//! The structure of sites in memory. Readers of published sites need all of it in each request, and it changes rarely.

use std::sync::Arc;

use entity::{
    ids::SiteId,
    publishing::sites::{self, section_groups, sections, site_spaces},
};
use expressions::Holding;
use moka::sync::Cache;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

/// Approximate memory that the cached structures of each kind may take.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// Approximate memory of a section or a site space beside its condition and description.
const ITEM_BYTES: usize = 1024;

/// The groups, sections and site spaces of a site with their order. A site has few of them, so that all are read and changed
/// together.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub groups: Vec<section_groups::Model>,
    pub sections: Vec<sections::Model>,
    pub site_spaces: Vec<site_spaces::Model>,
}

impl Layout {
    /// Three queries.
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
        })
    }

    fn bytes(&self) -> u32 {
        let items = 1 + self.groups.len() + self.sections.len() + self.site_spaces.len();
        let of_sections = self
            .sections
            .iter()
            .flat_map(|section| [&section.condition, &section.description]);
        let texts = of_sections.chain(self.site_spaces.iter().map(|site_space| &site_space.condition));
        let texts: usize = texts.flatten().map(String::len).sum();
        u32::try_from(items * ITEM_BYTES + texts).unwrap_or(u32::MAX)
    }
}

/// The structures of sites with the version of the site that they are of.
pub struct Layouts {
    whole: Cache<SiteId, (i64, Arc<Layout>)>,
    /// The parts that visitors see for whom these conditions hold. There are fewer of these sets than visitors.
    shown: Cache<(SiteId, Holding), (i64, Arc<Layout>)>,
}

impl Layouts {
    /// The structure of a site in the version of this row, which changes with the structure: what is cached is never older.
    pub async fn of(&self, db: &impl ConnectionTrait, site: &sites::Model) -> Result<Arc<Layout>, DbErr> {
        let cached = self.whole.get(&site.id).filter(|(version, _)| *version == site.version);
        if let Some((_, layout)) = cached {
            return Ok(layout);
        }
        let layout = Arc::new(Layout::load(db, site.id).await?);
        self.whole.insert(site.id, (site.version, Arc::clone(&layout)));
        Ok(layout)
    }

    /// The part of the structure in this version of the site that follows from the conditions that hold.
    pub fn shown(&self, site: &sites::Model, holding: &Holding, make: impl FnOnce() -> Layout) -> Arc<Layout> {
        let key = (site.id, Arc::clone(holding));
        let cached = self.shown.get(&key).filter(|(version, _)| *version == site.version);
        if let Some((_, layout)) = cached {
            return layout;
        }
        let layout = Arc::new(make());
        self.shown.insert(key, (site.version, Arc::clone(&layout)));
        layout
    }
}

impl Default for Layouts {
    fn default() -> Self {
        let whole = Cache::builder().weigher(|_, (_, layout): &(i64, Arc<Layout>)| layout.bytes());
        let shown = Cache::builder().weigher(|(_, holding): &(SiteId, Holding), (_, layout): &(i64, Arc<Layout>)| {
            let conditions = holding.iter().map(String::len).fold(0, usize::saturating_add);
            layout
                .bytes()
                .saturating_add(u32::try_from(conditions).unwrap_or(u32::MAX))
        });
        Self {
            whole: whole.max_capacity(CACHE_BYTES).build(),
            shown: shown.max_capacity(CACHE_BYTES).build(),
        }
    }
}
