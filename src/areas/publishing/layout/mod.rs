//! The structure of a site in memory: its order, its defaults, its paths, and what visitors see of it.

mod cache;
pub mod paths;
pub mod visible;

use std::collections::HashSet;

use entity::{
    ids::{NodeId, SiteExternalLinkId, SiteId, SiteSectionGroupId, SiteSectionId, SiteSpaceId},
    publishing::sites::{
        external_links::Model as Link, section_groups::Model as Group, sections::Model as Section,
        site_spaces::Model as SiteSpace,
    },
};

pub use self::cache::{Drafts, Layout, Layouts, live};

/// How deep groups nest.
pub const MAX_DEPTH: usize = 4;

/// A section, a group or a link, which share an order.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    Section(&'a Section),
    Group(&'a Group),
    Link(&'a Link),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryId {
    Section(SiteSectionId),
    Group(SiteSectionGroupId),
    Link(SiteExternalLinkId),
}

impl Entry<'_> {
    pub fn id(&self) -> EntryId {
        match self {
            Self::Section(section) => EntryId::Section(section.id),
            Self::Group(group) => EntryId::Group(group.id),
            Self::Link(link) => EntryId::Link(link.id),
        }
    }

    fn position(&self) -> i32 {
        match self {
            Self::Section(section) => section.position,
            Self::Group(group) => group.position,
            Self::Link(link) => link.position,
        }
    }
}

impl Layout {
    pub fn has_sections(&self) -> bool {
        !self.sections.is_empty()
    }

    pub fn group(&self, id: SiteSectionGroupId) -> Option<&Group> {
        self.groups.iter().find(|group| group.id == id)
    }

    pub fn section(&self, id: SiteSectionId) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == id)
    }

    pub fn link(&self, id: SiteExternalLinkId) -> Option<&Link> {
        self.links.iter().find(|link| link.id == id)
    }

    pub fn site_space(&self, id: SiteSpaceId) -> Option<&SiteSpace> {
        self.site_spaces.iter().find(|item| item.id == id)
    }

    pub fn group_mut(&mut self, id: SiteSectionGroupId) -> Option<&mut Group> {
        self.groups.iter_mut().find(|group| group.id == id)
    }

    pub fn section_mut(&mut self, id: SiteSectionId) -> Option<&mut Section> {
        self.sections.iter_mut().find(|section| section.id == id)
    }

    pub fn link_mut(&mut self, id: SiteExternalLinkId) -> Option<&mut Link> {
        self.links.iter_mut().find(|link| link.id == id)
    }

    pub fn site_space_mut(&mut self, id: SiteSpaceId) -> Option<&mut SiteSpace> {
        self.site_spaces.iter_mut().find(|item| item.id == id)
    }

    /// The sections, groups and links of a group, or of the top level, in their order.
    pub fn entries(&self, parent: Option<SiteSectionGroupId>) -> Vec<Entry<'_>> {
        let sections = self.sections.iter().filter(|section| section.group_id == parent);
        let groups = self.groups.iter().filter(|group| group.parent_id == parent);
        let links = self.links.iter().filter(|link| link.group_id == parent);
        let entries = sections.map(Entry::Section).chain(groups.map(Entry::Group));
        let mut entries: Vec<Entry<'_>> = entries.chain(links.map(Entry::Link)).collect();
        entries.sort_by_key(Entry::position);
        entries
    }

    /// All sections, groups and links in their order, each group before what it contains.
    pub fn all_entries(&self) -> Vec<Entry<'_>> {
        let mut found = Vec::new();
        self.collect(None, MAX_DEPTH, &mut found);
        found
    }

    fn collect<'a>(&'a self, parent: Option<SiteSectionGroupId>, depth: usize, found: &mut Vec<Entry<'a>>) {
        for entry in self.entries(parent) {
            found.push(entry);
            if let (Entry::Group(group), Some(below)) = (entry, depth.checked_sub(1)) {
                self.collect(Some(group.id), below, found);
            }
        }
    }

    pub fn ordered_sections(&self) -> Vec<&Section> {
        let entries = self.all_entries().into_iter();
        entries
            .filter_map(|entry| match entry {
                Entry::Section(section) => Some(section),
                Entry::Group(_) | Entry::Link(_) => None,
            })
            .collect()
    }

    /// The site spaces of a section, or of a site without sections, in their order.
    pub fn site_spaces_of(&self, section: Option<SiteSectionId>) -> Vec<&SiteSpace> {
        let items = self.site_spaces.iter().filter(|item| item.section_id == section);
        let mut items: Vec<&SiteSpace> = items.collect();
        items.sort_by_key(|item| item.position);
        items
    }

    /// All site spaces, in the order of the site.
    pub fn ordered_site_spaces(&self) -> Vec<&SiteSpace> {
        if !self.has_sections() {
            return self.site_spaces_of(None);
        }
        let sections = self.ordered_sections().into_iter();
        sections
            .flat_map(|section| self.site_spaces_of(Some(section.id)))
            .collect()
    }

    /// The chosen default, or else the first section. A section without site spaces is the default only if all are empty: the
    /// address of a site shows content if the site has any.
    pub fn default_section(&self) -> Option<&Section> {
        let is_filled = |section: &&Section| self.site_spaces.iter().any(|item| item.section_id == Some(section.id));
        let chosen = self.sections.iter().find(|section| section.is_default);
        chosen.filter(is_filled).or_else(|| {
            let ordered = self.ordered_sections();
            let filled = ordered.iter().copied().find(is_filled);
            filled.or(chosen).or_else(|| ordered.first().copied())
        })
    }

    /// The chosen default of a section or of a site without sections, or else the first site space.
    pub fn default_site_space(&self, section: Option<SiteSectionId>) -> Option<&SiteSpace> {
        let items = self.site_spaces.iter().filter(|item| item.section_id == section);
        let chosen = items.clone().find(|item| item.is_default);
        chosen.or_else(|| items.min_by_key(|item| item.position))
    }

    pub fn is_default_section(&self, section: SiteSectionId) -> bool {
        self.default_section().is_some_and(|default| default.id == section)
    }

    pub fn is_default_site_space(&self, item: &SiteSpace) -> bool {
        let default = self.default_site_space(item.section_id);
        default.is_some_and(|default| default.id == item.id)
    }

    /// The layout in which every site space knows its path, so that the address of a space takes only the row.
    pub fn with_published_paths(&self) -> Self {
        let (mut known, live) = (self.clone(), self.live());
        for item in &mut known.site_spaces {
            let published = live.site_space(item.id);
            item.published_path = published.map(|published| live.path_in_site_space(published, ""));
        }
        known
    }

    pub fn has_drafts(&self) -> bool {
        self.groups.iter().any(|group| group.draft)
            || self.sections.iter().any(|section| section.draft)
            || self.site_spaces.iter().any(|item| item.draft)
            || self.links.iter().any(|link| link.draft)
    }

    /// The layout without drafts and what is in them.
    pub fn live(&self) -> Self {
        let mut live = self.clone();
        live.groups.retain(|group| self.is_live(Some(group.id)));
        live.sections
            .retain(|section| !section.draft && self.is_live(section.group_id));
        live.links.retain(|link| !link.draft && self.is_live(link.group_id));
        let sections: HashSet<SiteSectionId> = live.sections.iter().map(|section| section.id).collect();
        live.site_spaces
            .retain(|item| !item.draft && item.section_id.is_none_or(|section| sections.contains(&section)));
        live
    }

    /// Returns whether neither a group nor one around it is a draft.
    fn is_live(&self, group: Option<SiteSectionGroupId>) -> bool {
        let groups = self.ancestors(group).into_iter();
        let mut groups = groups.filter_map(|id| self.group(id));
        groups.all(|group| !group.draft)
    }

    /// The number of groups around an entry at this place.
    pub fn depth(&self, parent: Option<SiteSectionGroupId>) -> usize {
        self.ancestors(parent).len()
    }

    /// The groups that contain an entry at this place, the innermost first.
    pub fn ancestors(&self, parent: Option<SiteSectionGroupId>) -> Vec<SiteSectionGroupId> {
        let mut found = Vec::new();
        let mut next = parent;
        while let Some(group) = next.and_then(|id| self.group(id)) {
            found.push(group.id);
            if found.len() > self.groups.len() {
                break;
            }
            next = group.parent_id;
        }
        found
    }

    /// The number of groups from this group to the innermost one in it.
    pub fn height(&self, group: SiteSectionGroupId) -> usize {
        let inner = self.groups.iter().filter(|other| {
            let around = self.ancestors(Some(other.id));
            around.contains(&group)
        });
        let own = self.depth(Some(group));
        let heights = inner.map(|other| self.depth(Some(other.id)).saturating_sub(own).saturating_add(1));
        heights.max().unwrap_or(1)
    }

    pub fn spaces(&self) -> Vec<NodeId> {
        self.site_spaces.iter().map(|item| item.space_id).collect()
    }
}

/// The level of a site space, on which paths are unique.
pub fn level_id(site: SiteId, section: Option<SiteSectionId>) -> uuid::Uuid {
    section.map_or(*site.as_uuid(), |section| *section.as_uuid())
}
