//! Changes of the structure of a site in memory.

use entity::{
    ids::{PageId, SiteExternalLinkId, SiteId, SiteSectionGroupId, SiteSectionId, SiteSpaceId},
    library::nodes,
    publishing::sites::{
        external_links::Model as Link, section_groups::Model as Group, sections::Model as Section,
        site_spaces::Model as SiteSpace,
    },
};
use openapi::error::{ApiError, ErrorRule, ErrorType};

use crate::areas::publishing::layout::{Entry, EntryId, Layout, MAX_DEPTH, level_id};

const MAX_SITE_SPACES: usize = 500;
const MAX_SECTIONS: usize = 250;
const MAX_GROUPS: usize = 250;
const MAX_LINKS: usize = 250;

/// A place among siblings: at the end, or directly before or after one of them.
#[derive(Clone, Copy, Debug)]
pub enum At<T> {
    End,
    Before(T),
    After(T),
}

impl<T> At<T> {
    /// The same place with the neighbour in another form; a neighbour without this form is refused.
    pub fn of<U>(self, form: impl FnOnce(T) -> Option<U>) -> Result<At<U>, ApiError> {
        let pointer = neighbour(&self);
        let unknown = || unknown_item(pointer);
        Ok(match self {
            At::End => At::End,
            At::Before(of) => At::Before(form(of).ok_or_else(unknown)?),
            At::After(of) => At::After(form(of).ok_or_else(unknown)?),
        })
    }
}

/// The member of the request that names the neighbour.
const fn neighbour<T>(at: &At<T>) -> &'static str {
    match at {
        At::Before(_) => "/body/position/before",
        At::End | At::After(_) => "/body/position/after",
    }
}

pub fn unknown_item(pointer: &str) -> ApiError {
    ApiError::invalid_member(pointer, ErrorRule::SiteItem, "The site has no such item in this place.")
}

impl Layout {
    /// Adds a space at the end of a section, or of a site without sections.
    pub fn add_site_space(
        &mut self,
        site: SiteId,
        id: SiteSpaceId,
        section: Option<SiteSectionId>,
        space: &nodes::Model,
        page_id: Option<PageId>,
    ) -> Result<(), ApiError> {
        if self.site_spaces.len() >= MAX_SITE_SPACES {
            return Err(too_many(format!("A site has at most {MAX_SITE_SPACES} site spaces.")));
        }
        let level_id = level_id(site, section);
        let taken = |path: &str| {
            let mut others = self.site_spaces.iter();
            others.any(|other| other.level_id == level_id && other.path == path)
        };
        let item = SiteSpace {
            id,
            site_id: site,
            section_id: section,
            level_id,
            space_id: space.id,
            position: 0,
            path: free_path(&space.title, "space", taken),
            published_path: None,
            condition: None,
            is_default: false,
            draft: false,
            hidden: false,
            page_id,
            title: None,
            localized_title: None,
        };
        self.site_spaces.push(item);
        self.place_site_space(id, section, At::End)
    }

    /// Adds a section at the end of a group, or of the top level. Its path is made from its title.
    pub fn add_section(&mut self, mut section: Section) -> Result<(), ApiError> {
        if self.sections.len() >= MAX_SECTIONS {
            return Err(too_many(format!("A site has at most {MAX_SECTIONS} sections.")));
        }
        let (id, site, group, is_first) = (section.id, section.site_id, section.group_id, !self.has_sections());
        if group.is_some_and(|group| self.group(group).is_none()) {
            return Err(unknown_item("/body/siteSectionGroupId"));
        }
        section.path = free_path(&section.title, "section", |path| {
            self.sections.iter().any(|other| other.path == path)
        });
        let draft = section.draft;
        self.sections.push(section);
        self.place_entry(EntryId::Section(id), group, At::End)?;
        if is_first {
            // A site has either sections or site spaces at its top level.
            if draft && !self.site_spaces.is_empty() {
                let message = "The first section takes over the site spaces of the site, so it cannot be a draft.";
                return Err(ApiError::invalid_member(
                    "/body/draft",
                    ErrorRule::FirstSection,
                    message,
                ));
            }
            for item in &mut self.site_spaces {
                item.section_id = Some(id);
                item.level_id = level_id(site, Some(id));
            }
        }
        Ok(())
    }

    /// Adds a group at the end of another group, or of the top level.
    pub fn add_group(&mut self, group: Group) -> Result<(), ApiError> {
        if self.groups.len() >= MAX_GROUPS {
            return Err(too_many(format!("A site has at most {MAX_GROUPS} groups of sections.")));
        }
        let (id, parent) = (group.id, group.parent_id);
        if parent.is_some_and(|parent| self.group(parent).is_none()) {
            return Err(unknown_item("/body/parent"));
        }
        self.groups.push(group);
        self.place_entry(EntryId::Group(id), parent, At::End)
    }

    /// Adds a link at the end of a group, or of the top level.
    pub fn add_link(&mut self, link: Link) -> Result<(), ApiError> {
        if self.links.len() >= MAX_LINKS {
            return Err(too_many(format!("A site has at most {MAX_LINKS} links.")));
        }
        if !self.has_sections() && !self.site_spaces.is_empty() {
            let message = "The site has site spaces that are in no section. Links stand among sections.";
            return Err(ApiError::invalid_member("/body", ErrorRule::NoSections, message));
        }
        let (id, parent) = (link.id, link.group_id);
        if parent.is_some_and(|parent| self.group(parent).is_none()) {
            return Err(unknown_item("/body/parent"));
        }
        self.links.push(link);
        self.place_entry(EntryId::Link(id), parent, At::End)
    }

    pub fn remove_link(&mut self, id: SiteExternalLinkId) {
        self.links.retain(|link| link.id != id);
    }

    /// Removes a group; what it contains takes its place.
    pub fn remove_group(&mut self, id: SiteSectionGroupId) -> Result<bool, ApiError> {
        let Some(parent) = self.group(id).map(|group| group.parent_id) else {
            return Ok(false);
        };
        let children: Vec<EntryId> = self.entries(Some(id)).iter().map(Entry::id).collect();
        for child in children {
            self.place_entry(child, parent, At::Before(EntryId::Group(id)))?;
        }
        self.groups.retain(|group| group.id != id);
        Ok(true)
    }

    /// Removes a section with its site spaces.
    pub fn remove_section(&mut self, id: SiteSectionId) -> bool {
        let before = self.sections.len();
        self.sections.retain(|section| section.id != id);
        self.site_spaces.retain(|item| item.section_id != Some(id));
        self.sections.len() < before
    }

    pub fn remove_site_space(&mut self, id: SiteSpaceId) -> bool {
        let before = self.site_spaces.len();
        self.site_spaces.retain(|item| item.id != id);
        self.site_spaces.len() < before
    }

    /// Moves a section or group directly before or after another one, or to the end of its siblings.
    pub fn move_entry(&mut self, item: EntryId, at: At<EntryId>) -> Result<(), ApiError> {
        let parent = match at {
            At::End => self.parent_of(item),
            At::Before(other) | At::After(other) if other == item => None,
            At::Before(other) | At::After(other) => self.parent_of(other),
        };
        let parent = parent.ok_or_else(|| unknown_item(neighbour(&at)))?;
        self.place_entry(item, parent, at)
    }

    /// Moves a section to the end of a group.
    pub fn move_into_group(&mut self, section: SiteSectionId, group: SiteSectionGroupId) -> Result<(), ApiError> {
        self.place_entry(EntryId::Section(section), Some(group), At::End)
    }

    /// Moves a section or group to the end of another parent. `pointer`: the member of the request that names the parent.
    pub fn move_to_parent(
        &mut self,
        item: EntryId,
        parent: Option<SiteSectionGroupId>,
        pointer: &str,
    ) -> Result<(), ApiError> {
        let is_within = |group| matches!(item, EntryId::Group(id) if self.ancestors(Some(group)).contains(&id));
        if parent.is_some_and(|group| self.group(group).is_none() || is_within(group)) {
            return Err(unknown_item(pointer));
        }
        if self.parent_of(item) == Some(parent) {
            return Ok(());
        }
        self.place_entry(item, parent, At::End)
    }

    /// Moves a site space directly before or after another one, or to the end of its section.
    pub fn move_site_space(&mut self, item: SiteSpaceId, at: At<SiteSpaceId>) -> Result<(), ApiError> {
        let sibling = match at {
            At::End => item,
            At::Before(other) | At::After(other) if other == item => return Err(unknown_item(neighbour(&at))),
            At::Before(other) | At::After(other) => other,
        };
        let section = self.site_space(sibling).map(|sibling| sibling.section_id);
        let section = section.ok_or_else(|| unknown_item(neighbour(&at)))?;
        let path = self.site_space(item).map(|item| item.path.clone()).unwrap_or_default();
        self.require_free_path(item, section, &path)?;
        self.place_site_space(item, section, at)
    }

    pub fn set_default_section(&mut self, id: SiteSectionId) {
        for section in &mut self.sections {
            section.is_default = section.id == id;
        }
    }

    /// Makes a site space the default of its section or site.
    pub fn set_default_site_space(&mut self, id: SiteSpaceId) {
        let Some(level) = self.site_space(id).map(|item| item.level_id) else {
            return;
        };
        for item in self.site_spaces.iter_mut().filter(|item| item.level_id == level) {
            item.is_default = item.id == id;
        }
    }

    /// Refuses a path that another site space of the section has.
    pub fn require_free_path(
        &self,
        item: SiteSpaceId,
        section: Option<SiteSectionId>,
        path: &str,
    ) -> Result<(), ApiError> {
        let mut others = self.site_spaces.iter().filter(|other| other.id != item);
        if others.any(|other| other.section_id == section && other.path == path) {
            return Err(path_taken());
        }
        Ok(())
    }

    fn parent_of(&self, item: EntryId) -> Option<Option<SiteSectionGroupId>> {
        match item {
            EntryId::Section(id) => self.section(id).map(|section| section.group_id),
            EntryId::Group(id) => self.group(id).map(|group| group.parent_id),
            EntryId::Link(id) => self.link(id).map(|link| link.group_id),
        }
    }

    fn place_entry(
        &mut self,
        item: EntryId,
        parent: Option<SiteSectionGroupId>,
        at: At<EntryId>,
    ) -> Result<(), ApiError> {
        if let EntryId::Group(id) = item {
            if self.ancestors(parent).contains(&id) {
                return Err(unknown_item(neighbour(&at)));
            }
            if self.depth(parent).saturating_add(self.height(id)) > MAX_DEPTH {
                let message = format!("Groups of sections nest at most {MAX_DEPTH} deep.");
                return Err(ApiError::new(ErrorType::GroupsTooDeep, message));
            }
        }
        let siblings = self.entries(parent);
        let siblings = siblings.iter().map(Entry::id).collect();
        let order = ordered(siblings, item, at)?;
        if let Some((group, _)) = self.place_of(item) {
            *group = parent;
        }
        for (id, number) in order.into_iter().zip(0..) {
            if let Some((_, position)) = self.place_of(id) {
                *position = number;
            }
        }
        Ok(())
    }

    /// The parent and the position of a section, group or link.
    fn place_of(&mut self, item: EntryId) -> Option<(&mut Option<SiteSectionGroupId>, &mut i32)> {
        Some(match item {
            EntryId::Section(id) => {
                let section = self.section_mut(id)?;
                (&mut section.group_id, &mut section.position)
            }
            EntryId::Group(id) => {
                let group = self.group_mut(id)?;
                (&mut group.parent_id, &mut group.position)
            }
            EntryId::Link(id) => {
                let link = self.link_mut(id)?;
                (&mut link.group_id, &mut link.position)
            }
        })
    }

    fn place_site_space(
        &mut self,
        item: SiteSpaceId,
        section: Option<SiteSectionId>,
        at: At<SiteSpaceId>,
    ) -> Result<(), ApiError> {
        let siblings = self.site_spaces_of(section);
        let siblings = siblings.iter().map(|sibling| sibling.id).collect();
        let order = ordered(siblings, item, at)?;
        if let Some(moved) = self.site_spaces.iter_mut().find(|other| other.id == item)
            && moved.section_id != section
        {
            moved.section_id = section;
            moved.level_id = level_id(moved.site_id, section);
            moved.is_default = false;
        }
        for (id, position) in order.into_iter().zip(0..) {
            let sibling = self.site_spaces.iter_mut().find(|other| other.id == id);
            sibling.into_iter().for_each(|sibling| sibling.position = position);
        }
        Ok(())
    }
}

/// The siblings in their order with the item in its place.
fn ordered<T: Copy + PartialEq>(siblings: Vec<T>, item: T, at: At<T>) -> Result<Vec<T>, ApiError> {
    let mut order: Vec<T> = siblings.into_iter().filter(|sibling| *sibling != item).collect();
    let place = |of: T| order.iter().position(|sibling| *sibling == of);
    let index = match at {
        At::End => Some(order.len()),
        At::Before(of) => place(of),
        At::After(of) => place(of).map(|index| index.saturating_add(1)),
    };
    let index = index.ok_or_else(|| unknown_item(neighbour(&at)))?;
    order.insert(index, item);
    Ok(order)
}

/// A path made from a title, with at most `longest` characters.
pub fn made_path(title: &str, otherwise: &str, longest: usize) -> String {
    let made: String = slug::slugify(title).chars().take(longest).collect();
    match made.trim_end_matches('-') {
        "" => otherwise.to_owned(),
        made => made.to_owned(),
    }
}

/// A path made from a title that is not taken yet.
fn free_path(title: &str, otherwise: &str, taken: impl Fn(&str) -> bool) -> String {
    const LONGEST: usize = 90;
    let made = made_path(title, otherwise, LONGEST);
    if !taken(&made) {
        return made;
    }
    let mut numbered = (2_u32..).map(|number| format!("{made}-{number}"));
    numbered.find(|path| !taken(path)).unwrap_or_default()
}

pub fn path_taken() -> ApiError {
    ApiError::new(ErrorType::PathTaken, "`path` is in use on this level of the site.")
}

fn too_many(message: String) -> ApiError {
    ApiError::new(ErrorType::TooManySiteItems, message)
}
