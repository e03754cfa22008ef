//! The place in a site that a path leads to.

use entity::sites::site_spaces;

use crate::app::site_layout::Layout;

pub struct Place<'a> {
    pub item: &'a site_spaces::Model,
    /// The part of the path that names the section and the site space, with a slash at its end.
    pub named: String,
    /// The path of the page, without a slash at its start.
    pub rest: String,
    /// No further part of the path can name a section or a site space.
    pub complete: bool,
}

impl<'a> Place<'a> {
    /// The first part of a path can name a section, the next one a site space in it; what is not named is the default.
    pub fn find(layout: &'a Layout, path: &str) -> Option<Self> {
        let mut rest = path;
        let mut named = String::new();
        let mut complete = true;
        let mut section = None;
        if layout.has_sections() {
            let (first, after) = split(rest);
            let found = layout.sections.iter().find(|section| section.path == first);
            if found.is_some() {
                take(&mut named, &mut rest, first, after);
            }
            complete &= found.is_some() || layout.sections.len() == 1;
            section = Some(found.or_else(|| layout.default_section())?.id);
        }
        let items = layout.site_spaces_of(section);
        let (first, after) = split(rest);
        let found = items.iter().find(|item| item.path == first).copied();
        if found.is_some() {
            take(&mut named, &mut rest, first, after);
        }
        complete &= found.is_some() || items.len() == 1;
        Some(Self {
            item: found.or_else(|| layout.default_site_space(section))?,
            named,
            rest: rest.to_owned(),
            complete,
        })
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
