//! The addresses of a published site and of its sections and spaces.

use entity::sites::{self, sections, site_spaces};

use super::layout::Layout;
use crate::app::urls::Urls;

/// The address for readers, which ends with a slash.
pub fn of_site(urls: &Urls, site: &sites::Model) -> String {
    urls.published_site(site.proxy.as_deref(), site.hostname.as_deref(), &site.basename)
}

/// The address of the server itself, where another one fetches what it shows.
pub fn behind_proxy(urls: &Urls, site: &sites::Model) -> String {
    urls.sites().of(&site.basename)
}

/// The path of a section in its site: empty for the default one, otherwise with a slash at its end.
pub fn path_of_section(layout: &Layout, section: &sections::Model) -> String {
    if layout.is_default_section(section.id) {
        return String::new();
    }
    format!("{}/", section.path)
}

/// The path of a site space in its site: that of its section for the default one.
pub fn path_of_site_space(layout: &Layout, item: &site_spaces::Model) -> String {
    let section = item.section_id.and_then(|section| layout.section(section));
    let section = section
        .map(|section| path_of_section(layout, section))
        .unwrap_or_default();
    if layout.is_default_site_space(item) {
        return section;
    }
    format!("{section}{}/", item.path)
}

/// The layout in which every site space knows its path, so that the address of a space takes only the row.
pub fn with_published_paths(layout: &Layout) -> Layout {
    let mut known = layout.clone();
    for (item, known) in layout.site_spaces.iter().zip(&mut known.site_spaces) {
        known.published_path = path_of_site_space(layout, item);
    }
    known
}
