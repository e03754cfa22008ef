//! The frame of a site: from its structure and its customization.

use std::collections::BTreeMap;

use entity::ids::SiteSectionId;
use openapi::{
    models::{
        ContentRef, CustomizationAnnouncementStyle, CustomizationContentLink, CustomizationFavicon,
        CustomizationHeaderItem, CustomizationHeaderItemStyle, CustomizationLocale, CustomizationThemeMode,
        CustomizationThemedUrl, PublishedContentSite, SiteCustomizationSettings, SiteSection, SiteSpace, SiteStructure,
        SiteStructureEntry,
    },
    values::Inner,
};
use web::{
    Announcement, Brand, Footer, FooterGroup, Frame, FrameLink, Href, Icon, Menu, Theme, is_right_to_left,
    style::{SCRIPT, STYLE},
    words,
};

use super::{
    assets::theme_name,
    lists::is_listed,
    site::Site,
    tree::{Tree, emoji},
};

use crate::areas::publishing::published_content::Here;

/// The path of the index of a static site, two folders below the address of the site.
pub const INDEX: &str = "~/search/pages.js";

/// Makes the frame around a page. `current`: the id of the page, if there is one.
pub fn make(site: &Site, here: &Here, profile: &PublishedContentSite, (tree, current): (&Tree, &str)) -> Frame {
    let (item, settings) = (here.item.to_string(), settings(profile, here));
    let maker = Maker {
        site,
        here,
        tree,
        current,
        language: language(here, settings),
    };
    let theme = site.href(&format!("~/assets/{}", theme_name(site, &item, settings)));
    Frame {
        words: words(&maker.language),
        is_right_to_left: is_right_to_left(&maker.language),
        brand: maker.brand(profile, settings),
        theme: match settings.themes.default {
            CustomizationThemeMode::Light => Theme::Light,
            CustomizationThemeMode::Dark => Theme::Dark,
            CustomizationThemeMode::System => Theme::System,
        },
        is_toggleable: settings.themes.toggeable,
        styles: vec![site.href(&format!("~/assets/{}", STYLE.name)), theme],
        script: site.href(&format!("~/assets/{}", SCRIPT.name)),
        search: site.search(),
        index: site.is_static.then(|| site.href(INDEX)),
        announcement: maker.announcement(settings),
        links: settings
            .header
            .links
            .iter()
            .map(|item| maker.header_item(item))
            .collect(),
        sections: maker.sections(&profile.structure),
        variants: maker.variants(&profile.structure),
        contents: tree.contents(current, &|reference| maker.target(reference)),
        footer: maker.footer(settings),
        is_listed: is_listed(site),
        paginates: settings.pagination.enabled,
        asks_for_feedback: settings.feedback.enabled && !site.is_static && site.visit.visit.preview_of.is_none(),
        language: maker.language,
    }
}

/// The customization of a site space.
pub fn settings<'p>(profile: &'p PublishedContentSite, here: &Here) -> &'p SiteCustomizationSettings {
    let customizations = &profile.customizations;
    let own = customizations.site_spaces.get(&here.item.to_string());
    own.unwrap_or(&customizations.site)
}

struct Maker<'a> {
    site: &'a Site,
    here: &'a Here,
    tree: &'a Tree,
    /// The id of the page, if there is one.
    current: &'a str,
    language: String,
}

impl Maker<'_> {
    /// The text in the language of the space, if it is there in it.
    fn localized<'t>(&self, text: &'t str, others: Option<&'t BTreeMap<String, String>>) -> &'t str {
        others
            .and_then(|others| others.get(&self.language.to_lowercase()))
            .map_or(text, String::as_str)
    }

    fn brand(&self, profile: &PublishedContentSite, settings: &SiteCustomizationSettings) -> Brand {
        let title = title(profile, settings);
        let images = |urls: &CustomizationThemedUrl| Some((self.image(&urls.light)?, self.image(&urls.dark)?));
        let favicon = &settings.favicon;
        Brand {
            title: title.to_owned(),
            home: self.site.href(""),
            emoji: match favicon {
                CustomizationFavicon::CustomizationFaviconEmoji(it) => emoji(&it.emoji),
                _ => None,
            },
            logo: settings.header.logo.as_ref().and_then(images),
            icon: match favicon {
                CustomizationFavicon::CustomizationFaviconImage(it) => images(&it.icon),
                _ => None,
            },
        }
    }

    fn image(&self, url: &str) -> Option<Href> {
        match self.site.own_path(url) {
            Some(path) => Some(Href::path(&path)),
            None => Href::image(url),
        }
    }

    fn announcement(&self, settings: &SiteCustomizationSettings) -> Option<Announcement> {
        let announcement = settings
            .announcement
            .as_ref()
            .filter(|announcement| announcement.enabled)?;
        let message = self.localized(&announcement.message, announcement.localized_message.as_ref());
        Some(Announcement {
            style: match announcement.style {
                CustomizationAnnouncementStyle::Info => "info",
                CustomizationAnnouncementStyle::Warning => "warning",
                CustomizationAnnouncementStyle::Danger => "danger",
                CustomizationAnnouncementStyle::Success => "success",
            },
            message: message.to_owned(),
            link: announcement.link.as_ref().map(|link| self.content_link(link)),
        })
    }

    fn content_link(&self, link: &CustomizationContentLink) -> FrameLink {
        let title = self.localized(&link.title, link.localized_title.as_ref());
        FrameLink::new(title, self.target(&link.to))
    }

    fn header_item(&self, item: &CustomizationHeaderItem) -> Menu {
        let title = self.localized(&item.title, item.localized_title.as_ref());
        let href = item.to.inner().and_then(|to| self.target(to));
        let is_button = item
            .style
            .is_some_and(|style| style != CustomizationHeaderItemStyle::Link);
        Menu {
            link: FrameLink {
                is_button,
                ..FrameLink::new(title, href)
            },
            links: item
                .links
                .iter()
                .flatten()
                .map(|link| self.content_link(link))
                .collect(),
        }
    }

    fn footer(&self, settings: &SiteCustomizationSettings) -> Footer {
        let groups = settings.footer.groups.iter().map(|group| FooterGroup {
            title: self.localized(&group.title, group.localized_title.as_ref()).to_owned(),
            links: group.links.iter().map(|link| self.content_link(link)).collect(),
        });
        Footer {
            groups: groups.collect(),
            copyright: settings.footer.copyright.clone().filter(|text| !text.trim().is_empty()),
        }
    }

    /// The address of a reference of the frame. `None`: it is none that the frame knows.
    fn target(&self, reference: &ContentRef) -> Option<Href> {
        match reference {
            ContentRef::ContentRefUrl(url) => Href::link(&self.site.local(&url.url)),
            ContentRef::ContentRefPage(it) => self.page(it.space.as_deref(), &it.page),
            ContentRef::ContentRefAnchor(it) => {
                Some(self.page(it.space.as_deref(), it.page.as_deref()?)?.at(&it.anchor))
            }
            ContentRef::ContentRefSpace(it) => self.site.in_space(it.space.parse().ok()?, ""),
            _ => None,
        }
    }

    fn page(&self, space: Option<&str>, page: &str) -> Option<Href> {
        match space.filter(|space| *space != self.here.space.to_string()) {
            None => Some(self.tree.by_id(page)?.href.clone()),
            // Pages of other spaces are not loaded for the frame: this address leads on.
            Some(space) => Some(self.site.href(&format!("~/pages/{space}/{page}"))),
        }
    }

    fn sections(&self, structure: &SiteStructure) -> Vec<Menu> {
        match structure {
            SiteStructure::SiteStructureSections(sections) => sections
                .structure
                .iter()
                .filter_map(|entry| self.section_entry(entry))
                .collect(),
            SiteStructure::SiteStructureSiteSpaces(_) => Vec::new(),
        }
    }

    fn section_entry(&self, entry: &SiteStructureEntry) -> Option<Menu> {
        let menu = |link| Menu {
            link,
            links: Vec::new(),
        };
        match entry {
            SiteStructureEntry::SiteSection(section) => self.section(section).map(menu),
            SiteStructureEntry::SiteExternalLink(link) => {
                let title = self.localized(&link.title, link.localized_title.as_ref());
                Some(menu(FrameLink {
                    icon: link.icon.as_deref().and_then(Icon::named),
                    ..FrameLink::new(title, Href::link(&link.url))
                }))
            }
            SiteStructureEntry::SiteSectionGroup(group) => {
                let below: Vec<Menu> = group
                    .children
                    .iter()
                    .filter_map(|entry| self.section_entry(entry))
                    .collect();
                let links = below.into_iter().flat_map(|menu| match menu.links.is_empty() {
                    true => vec![menu.link],
                    false => menu.links,
                });
                let links: Vec<FrameLink> = links.collect();
                let title = self.localized(&group.title, group.localized_title.as_ref());
                let is_current = links.iter().any(|link| link.is_current);
                (!links.is_empty()).then(|| Menu {
                    link: FrameLink {
                        is_current,
                        icon: group.icon.as_deref().and_then(Icon::named),
                        ..FrameLink::new(title, None)
                    },
                    links,
                })
            }
        }
    }

    fn section(&self, section: &SiteSection) -> Option<FrameLink> {
        let id: SiteSectionId = section.id.parse().ok()?;
        let layout = &self.site.layout;
        let path = layout.path_in_section(layout.section(id)?, "");
        let title = self.localized(&section.title, section.localized_title.as_ref());
        Some(FrameLink {
            is_current: self.here.section == Some(id),
            icon: section.icon.as_deref().and_then(Icon::named),
            ..FrameLink::new(title, Some(self.site.href(&path)))
        })
    }

    /// The site spaces beside the current one.
    fn variants(&self, structure: &SiteStructure) -> Vec<FrameLink> {
        let items = variants(structure, self.here);
        let current = items.iter().find(|item| item.id == self.here.item.to_string());
        let translations = current
            .and_then(|item| item.translations.as_deref())
            .unwrap_or_default();
        let is_translation = |item: &SiteSpace| translations.iter().any(|other| other.site_space == item.id);
        let shown = items.iter().filter(|item| item.hidden != Some(true));
        shown
            .filter_map(|item| self.variant(item, is_translation(item)))
            .collect()
    }

    fn variant(&self, item: &SiteSpace, is_translation: bool) -> Option<FrameLink> {
        let id = item.id.parse().ok()?;
        let layout = &self.site.layout;
        let path = match is_translation && !self.current.is_empty() {
            // A page has the same id in all languages.
            true => format!("~/pages/{}/{}", item.space.id, self.current),
            false => layout.path_in_site_space(layout.site_space(id)?, ""),
        };
        let title = self.localized(&item.title, item.localized_title.as_ref());
        Some(FrameLink {
            is_current: id == self.here.item,
            ..FrameLink::new(title, Some(self.site.href(&path)))
        })
    }
}

/// The language of the words around the content.
pub fn language(here: &Here, settings: &SiteCustomizationSettings) -> String {
    let own = here.language.clone();
    own.unwrap_or_else(|| locale(settings.internationalization.locale).to_owned())
}

/// The title of the site.
pub fn title<'t>(profile: &'t PublishedContentSite, settings: &'t SiteCustomizationSettings) -> &'t str {
    settings.title.as_deref().unwrap_or(&profile.site.title)
}

/// The site spaces of the section at a place, or those of a site without sections.
pub fn variants<'s>(structure: &'s SiteStructure, here: &Here) -> &'s [SiteSpace] {
    match structure {
        SiteStructure::SiteStructureSiteSpaces(items) => &items.structure,
        SiteStructure::SiteStructureSections(sections) => {
            let current = here.section.map(|section| section.to_string());
            let items = current.and_then(|current| items_of(&sections.structure, &current));
            items.unwrap_or_default()
        }
    }
}

/// The site spaces of a section.
fn items_of<'s>(entries: &'s [SiteStructureEntry], section: &str) -> Option<&'s [SiteSpace]> {
    entries.iter().find_map(|entry| match entry {
        SiteStructureEntry::SiteSection(found) => (found.id == section).then_some(found.site_spaces.as_slice()),
        SiteStructureEntry::SiteSectionGroup(group) => items_of(&group.children, section),
        SiteStructureEntry::SiteExternalLink(_) => None,
    })
}

/// The language of the words around the content, for spaces without a language.
fn locale(locale: CustomizationLocale) -> &'static str {
    match locale {
        CustomizationLocale::En => "en",
        CustomizationLocale::Fr => "fr",
        CustomizationLocale::Es => "es",
        CustomizationLocale::Zh => "zh",
        CustomizationLocale::Ja => "ja",
        CustomizationLocale::De => "de",
        CustomizationLocale::Nl => "nl",
        CustomizationLocale::No => "no",
        CustomizationLocale::PtBr => "pt-br",
        CustomizationLocale::Ru => "ru",
    }
}
