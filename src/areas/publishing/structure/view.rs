//! The structure of a site on the wire, as somebody sees it: with the spaces that they may read.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use entity::{
    ids::{NodeId, SiteExternalLinkId, SiteSectionGroupId, SiteSectionId, SiteSpaceId},
    library::nodes,
    localized::Localized,
    publishing::sites::{self, external_links, section_groups, sections, site_spaces},
};
use openapi::{
    error::ApiError,
    models::{
        SiteExternalLink, SiteItemUrls, SiteSection, SiteSectionGroup, SiteSpace, SiteSpaceTranslation, SiteStructure,
        SiteStructureEntry, SiteStructureSections, SiteStructureSiteSpaces, Space,
    },
};
use platform::db::positional;
use sea_orm::{ColumnTrait, QueryFilter, QueryTrait};

use super::languages::Languages;

use crate::{
    access::{
        node_levels::Member,
        rows::{NodeRow, SpaceRow},
    },
    areas::{
        library::spaces,
        publishing::{
            Publishing,
            guard::{ReadableSiteAccess, Reader, SiteAccess},
            layout::{Entry, Layout, MAX_DEPTH, live},
            visits::OpenVisit,
        },
    },
    kernel::{Kernel, urls::Urls},
};

pub struct StructureView<'a> {
    urls: &'a Urls,
    site: sites::Model,
    pub layout: Arc<Layout>,
    /// The layout without drafts, which have no addresses for readers.
    live: Arc<Layout>,
    spaces: HashMap<NodeId, Space>,
    languages: Languages,
    /// The part of addresses that is the key of a share link, with a slash at its end.
    share_path: String,
    /// Conditions are for those who edit the site.
    shows_conditions: bool,
}

impl<'a> StructureView<'a> {
    /// Loads the structure as a member sees it. At most eight queries, whatever its size.
    pub async fn load(kernel: &'a Kernel, access: &SiteAccess) -> Result<Self, ApiError> {
        let layout = Layout::load(kernel.db.read(), access.row.id).await?;
        Self::of_member(kernel, &access.member, access.row.clone(), Arc::new(layout)).await
    }

    /// The structure as a member or a visitor sees it.
    pub async fn load_for(publishing: &'a Publishing, access: &ReadableSiteAccess) -> Result<Self, ApiError> {
        let site = access.row.clone();
        let layout = access.layout(&publishing.visits).await?;
        match &access.reader {
            Reader::Member(member) => Self::of_member(&publishing.kernel, member, site, layout).await,
            Reader::Visitor(visit) => Self::of_visitor(publishing, visit, site, layout).await,
        }
    }

    async fn of_member(
        kernel: &'a Kernel,
        member: &Member,
        site: sites::Model,
        layout: Arc<Layout>,
    ) -> Result<Self, ApiError> {
        let mut spaces = spaces::load_visible(kernel, member, layout.spaces()).await?;
        let languages = Languages::load(kernel.db.read(), site.organization_id, &layout, &spaces).await?;
        languages.complete(&mut spaces);
        Ok(Self {
            urls: &kernel.urls,
            site,
            live: live(&layout),
            layout,
            spaces,
            languages,
            share_path: String::new(),
            shows_conditions: true,
        })
    }

    async fn of_visitor(
        publishing: &'a Publishing,
        visit: &OpenVisit,
        site: sites::Model,
        layout: Arc<Layout>,
    ) -> Result<Self, ApiError> {
        let live = live(&layout);
        let mut spaces = load_published(&publishing.kernel, visit, &layout, &live).await?;
        let languages = Languages::load(publishing.kernel.db.read(), site.organization_id, &layout, &spaces).await?;
        languages.complete(&mut spaces);
        Ok(Self {
            urls: &publishing.kernel.urls,
            site,
            layout,
            live,
            spaces,
            languages,
            share_path: visit.share_path(),
            shows_conditions: false,
        })
    }

    /// `None`: there is no such site space, or its space is invisible.
    pub fn site_space(&self, id: SiteSpaceId) -> Option<SiteSpace> {
        self.view_site_space(self.layout.site_space(id)?)
    }

    pub fn section(&self, id: SiteSectionId) -> Option<SiteSection> {
        self.layout.section(id).map(|section| self.view_section(section))
    }

    pub fn group(&self, id: SiteSectionGroupId) -> Option<SiteSectionGroup> {
        self.layout.group(id).map(|group| self.view_group(group, MAX_DEPTH))
    }

    pub fn link(&self, id: SiteExternalLinkId) -> Option<SiteExternalLink> {
        self.layout.link(id).map(|link| self.view_link(link))
    }

    pub fn structure(&self) -> SiteStructure {
        let layout = &self.layout;
        // Groups and links alone hide no spaces: those at the top level stay there until there is a section.
        let has_entries_alone = layout.site_spaces.is_empty() && !(layout.groups.is_empty() && layout.links.is_empty());
        if layout.has_sections() || has_entries_alone {
            return SiteStructure::SiteStructureSections(SiteStructureSections {
                r#type: Default::default(),
                structure: self.view_entries(None, MAX_DEPTH),
            });
        }
        SiteStructure::SiteStructureSiteSpaces(SiteStructureSiteSpaces {
            r#type: Default::default(),
            structure: self.view_site_spaces(self.layout.site_spaces_of(None)),
        })
    }

    pub fn view_site_spaces(&self, items: Vec<&site_spaces::Model>) -> Vec<SiteSpace> {
        items
            .into_iter()
            .filter_map(|item| self.view_site_space(item))
            .collect()
    }

    pub fn view_site_space(&self, item: &site_spaces::Model) -> Option<SiteSpace> {
        let space = self.spaces.get(&item.space_id)?.clone();
        Some(SiteSpace {
            object: Default::default(),
            id: item.id.to_string(),
            path: item.path.clone(),
            section: item.section_id.map(|section| section.to_string()),
            title: item.title.clone().unwrap_or_else(|| space.title.clone()),
            localized_title: texts(&item.localized_title),
            space,
            default: Some(self.layout.is_default_site_space(item)),
            draft: item.draft,
            hidden: Some(item.hidden),
            page_id: item.page_id.map(|page| page.to_string()),
            condition: self.condition(&item.condition),
            has_advanced_customization_feature: Some(true),
            translations: self.translations(item),
            urls: self.urls_of(item),
        })
    }

    /// `None`: there are none.
    fn translations(&self, item: &site_spaces::Model) -> Option<Vec<SiteSpaceTranslation>> {
        let others = self.languages.others(item).into_iter();
        let translations = others.filter_map(|other| {
            Some(SiteSpaceTranslation {
                language: self.spaces.get(&other.space_id)?.language?,
                site_space: other.id.to_string(),
                urls: self.urls_of(other),
            })
        });
        let translations: Vec<SiteSpaceTranslation> = translations.collect();
        (!translations.is_empty()).then_some(translations)
    }

    pub fn view_section(&self, section: &sections::Model) -> SiteSection {
        SiteSection {
            object: Default::default(),
            id: section.id.to_string(),
            title: section.title.clone(),
            localized_title: texts(&section.localized_title),
            description: section.description.clone(),
            localized_description: texts(&section.localized_description),
            default: Some(self.layout.is_default_section(section.id)),
            draft: section.draft,
            path: section.path.clone(),
            condition: self.condition(&section.condition),
            section_group: section.group_id.map(|group| group.to_string()),
            site_spaces: self.view_site_spaces(self.layout.site_spaces_of(Some(section.id))),
            urls: self.published(|| {
                let published = self.live.section(section.id)?;
                Some(self.live.path_in_section(published, ""))
            }),
            icon: section.icon.clone(),
        }
    }

    /// Groups nest at most `depth` deep: what the database may hold beyond that is left out.
    pub fn view_group(&self, group: &section_groups::Model, depth: usize) -> SiteSectionGroup {
        let children = match depth.checked_sub(1) {
            Some(below) => self.view_entries(Some(group.id), below),
            None => Vec::new(),
        };
        let sections = children.iter().filter_map(|child| match child {
            SiteStructureEntry::SiteSection(section) => Some(section.clone()),
            SiteStructureEntry::SiteSectionGroup(_) | SiteStructureEntry::SiteExternalLink(_) => None,
        });
        SiteSectionGroup {
            object: Default::default(),
            id: group.id.to_string(),
            title: group.title.clone(),
            localized_title: texts(&group.localized_title),
            draft: group.draft,
            sections: sections.collect(),
            section_group: group.parent_id.map(|parent| parent.to_string()),
            children,
            icon: group.icon.clone(),
        }
    }

    fn view_link(&self, link: &external_links::Model) -> SiteExternalLink {
        SiteExternalLink {
            object: Default::default(),
            id: link.id.to_string(),
            title: link.title.clone(),
            localized_title: texts(&link.localized_title),
            description: link.description.clone(),
            localized_description: texts(&link.localized_description),
            icon: link.icon.clone(),
            url: link.url.clone(),
            section_group: link.group_id.map(|group| group.to_string()),
            draft: link.draft,
            condition: self.condition(&link.condition),
        }
    }

    fn view_entries(&self, parent: Option<SiteSectionGroupId>, depth: usize) -> Vec<SiteStructureEntry> {
        let entries = self.layout.entries(parent).into_iter();
        let view = |entry| match entry {
            Entry::Section(section) => SiteStructureEntry::SiteSection(self.view_section(section)),
            Entry::Group(group) => SiteStructureEntry::SiteSectionGroup(self.view_group(group, depth)),
            Entry::Link(link) => SiteStructureEntry::SiteExternalLink(self.view_link(link)),
        };
        entries.map(view).collect()
    }

    fn urls_of(&self, item: &site_spaces::Model) -> SiteItemUrls {
        self.published(|| {
            let published = self.live.site_space(item.id)?;
            Some(self.live.path_in_site_space(published, ""))
        })
    }

    fn published(&self, path: impl FnOnce() -> Option<String>) -> SiteItemUrls {
        let path = self.site.published.then(path).flatten();
        let (site, key) = (self.urls.site_for_readers(&self.site), &self.share_path);
        SiteItemUrls {
            published: path.map(|path| format!("{site}{key}{path}")),
        }
    }

    fn condition(&self, condition: &Option<String>) -> Option<String> {
        condition.clone().filter(|_| self.shows_conditions)
    }
}

fn texts(localized: &Option<Localized>) -> Option<BTreeMap<String, String>> {
    localized.as_ref().map(|Localized(texts)| texts.clone())
}

/// The spaces of this structure that are not deleted, as a visitor sees them; in the preview of a member, only those that the
/// member may read. At most two queries.
async fn load_published(
    kernel: &Kernel,
    visit: &OpenVisit,
    layout: &Layout,
    live: &Layout,
) -> Result<HashMap<NodeId, Space>, ApiError> {
    let (db, site) = (kernel.db.read(), &visit.site);
    let these = spaces::store::not_deleted(site.organization_id).filter(nodes::Column::Id.is_in(layout.spaces()));
    let these = spaces::shown_to_visitor(kernel, site.organization_id, visit.visit.preview_of, these).await?;
    let rows: Vec<SpaceRow> = positional::rows(db, SpaceRow::of(these).as_query()).await?;
    let view = |row: SpaceRow| {
        let (space, published) = (row.node.id, visit.address_in(live, row.node.id));
        let view = spaces::view::published_space(&kernel.urls, row, published, site.visibility)?;
        Ok((space, view))
    };
    rows.into_iter().map(view).collect()
}
