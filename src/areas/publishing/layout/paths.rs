//! Paths in a site: the place that a path leads to, and the shortest path to a section, a site space or a page.

use entity::publishing::sites::{sections, site_spaces};

use super::Layout;

/// The place in a site that a path leads to.
#[derive(Clone)]
pub struct Place<'a> {
    pub item: &'a site_spaces::Model,
    /// The part of the path that names the section and the site space, with a slash at its end.
    pub named: String,
    /// The path of the page, without a slash at its start.
    pub rest: String,
    /// Whether longer paths that begin with this one lead to the same site space: only the path of a page can follow.
    pub complete: bool,
}

impl<'a> Place<'a> {
    /// The first part of a path can name a section, the next one a site space in it; what is not named is the default.
    pub fn find(layout: &'a Layout, path: &str) -> Option<Self> {
        Self::read(layout, path, true, true)
    }

    /// The other places to which a path leads, if parts that name a section or a site space belong to the path of a page instead.
    pub fn others(&self, layout: &'a Layout, path: &str) -> Vec<Self> {
        let readings = [(true, false), (false, true), (false, false)];
        let places = readings
            .into_iter()
            .filter_map(|(sections, items)| Self::read(layout, path, sections, items));
        let mut others: Vec<Self> = Vec::new();
        for place in places {
            let is_known = |other: &Self| other.is_page(place.item, &place.rest);
            if !is_known(self) && !others.iter().any(is_known) {
                others.push(place);
            }
        }
        others
    }

    /// `sections`, `items`: whether parts of the path can name them.
    fn read(layout: &'a Layout, path: &str, sections: bool, items: bool) -> Option<Self> {
        let mut rest = path;
        let mut named = String::new();
        let mut section = None;
        if layout.has_sections() {
            let (first, after) = split(rest);
            let found = layout.sections.iter().find(|section| sections && section.path == first);
            if found.is_some() {
                take(&mut named, &mut rest, first, after);
            }
            section = Some(found.or_else(|| layout.default_section())?.id);
        }
        let mut in_section = layout.site_spaces.iter().filter(|item| item.section_id == section);
        // The only site space of a level has a name as well.
        let complete = !rest.is_empty();
        let (first, after) = split(rest);
        let found = in_section.find(|item| items && item.path == first);
        if found.is_some() {
            take(&mut named, &mut rest, first, after);
        }
        Some(Self {
            item: found.or_else(|| layout.default_site_space(section))?,
            named,
            rest: rest.to_owned(),
            complete,
        })
    }

    pub fn is_page(&self, item: &site_spaces::Model, page: &str) -> bool {
        self.item.id == item.id && self.rest == page
    }

    /// Returns whether the names are those of the shortest address of the site space, so that links from its home page lead here.
    pub fn has_shortest_name(&self, layout: &Layout) -> bool {
        layout.path_in_site_space(self.item, "") == self.named
    }
}

impl Layout {
    /// The shortest path to a section, or to what a path in it names.
    pub fn path_in_section(&self, section: &sections::Model, rest: &str) -> String {
        let whole = format!("{}/{rest}", section.path);
        if !self.is_default_section(section.id) {
            return whole;
        }
        let leads_to_same = match (Place::find(self, rest), Place::find(self, &whole)) {
            (Some(short), Some(whole)) => short.is_page(whole.item, &whole.rest),
            (short, whole) => short.is_none() && whole.is_none(),
        };
        if leads_to_same { rest.to_owned() } else { whole }
    }

    /// The shortest path to a site space, or to a page in it. A path can lead elsewhere without the name of a default, which the path of
    /// another section, of a site space or of a page may be as well.
    pub fn path_in_site_space(&self, item: &site_spaces::Model, page: &str) -> String {
        let [shorter @ .., whole] = self.paths_in_site_space(item, page);
        let leads_back = |path: &String| Place::find(self, path).is_some_and(|place| place.is_page(item, page));
        shorter.into_iter().find(leads_back).unwrap_or(whole)
    }

    /// The paths that can lead to a site space, or to a page in it, the shortest first.
    pub fn paths_in_site_space(&self, item: &site_spaces::Model, page: &str) -> [String; 4] {
        let section = item.section_id.and_then(|section| self.section(section));
        let section = section.map(|section| format!("{}/", section.path)).unwrap_or_default();
        [
            page.to_owned(),
            format!("{section}{page}"),
            format!("{}/{page}", item.path),
            format!("{section}{}/{page}", item.path),
        ]
    }
}

fn split(path: &str) -> (&str, &str) {
    path.split_once('/').unwrap_or((path, ""))
}

fn take<'p>(named: &mut String, rest: &mut &'p str, first: &str, after: &'p str) {
    named.push_str(first);
    named.push('/');
    *rest = after;
}
