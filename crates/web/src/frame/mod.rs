//! The page around a text: head, header, table of contents, outline and footer.

mod chrome;
mod contents;
mod links;
mod pages;

use maud::{DOCTYPE, Markup, html};

pub use self::{
    contents::ContentsEntry,
    pages::{Body, Cover, Found, NotFound, Notice, Page, SearchPage},
};

use crate::{Href, Icon, Words, icons::sprite};

/// A link of the frame.
#[derive(Clone, Debug)]
pub struct FrameLink {
    pub title: String,
    /// `None`: the words are no link.
    pub href: Option<Href>,
    pub emoji: Option<String>,
    /// Shown if there is no emoji.
    pub icon: Option<Icon>,
    pub is_current: bool,
    pub is_button: bool,
}

impl FrameLink {
    pub fn new(title: impl Into<String>, href: Option<Href>) -> Self {
        Self {
            title: title.into(),
            href,
            emoji: None,
            icon: None,
            is_current: false,
            is_button: false,
        }
    }
}

/// Links below a common title; a link by itself if there are none.
#[derive(Clone, Debug)]
pub struct Menu {
    pub link: FrameLink,
    pub links: Vec<FrameLink>,
}

/// The name of the site, and its pictures.
#[derive(Clone, Debug)]
pub struct Brand {
    pub title: String,
    pub home: Href,
    pub emoji: Option<String>,
    /// The logo for light and dark pages.
    pub logo: Option<(Href, Href)>,
    /// The icon for light and dark pages.
    pub icon: Option<(Href, Href)>,
}

#[derive(Clone, Debug)]
pub struct Announcement {
    /// `info`, `warning`, `danger` or `success`.
    pub style: &'static str,
    pub message: String,
    pub link: Option<FrameLink>,
}

#[derive(Clone, Debug, Default)]
pub struct Footer {
    pub groups: Vec<FooterGroup>,
    pub copyright: Option<String>,
}

#[derive(Clone, Debug)]
pub struct FooterGroup {
    pub title: String,
    pub links: Vec<FrameLink>,
}

/// The colors that a site begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
    System,
}

/// Everything around the pages of a site space.
#[derive(Clone, Debug)]
pub struct Frame {
    pub words: &'static Words,
    /// The language of the content, as in HTML.
    pub language: String,
    pub is_right_to_left: bool,
    pub brand: Brand,
    pub theme: Theme,
    /// Whether readers choose between light and dark colors.
    pub is_toggleable: bool,
    /// Style sheets, the general one first.
    pub styles: Vec<Href>,
    pub script: Href,
    pub search: Href,
    /// The index in which the script of a static site searches. `None`: the server searches.
    pub index: Option<Href>,
    pub announcement: Option<Announcement>,
    pub links: Vec<Menu>,
    pub sections: Vec<Menu>,
    pub variants: Vec<FrameLink>,
    pub contents: Vec<ContentsEntry>,
    pub footer: Footer,
    /// Whether search engines may list the pages.
    pub is_listed: bool,
    /// Whether pages ask readers if they help.
    pub asks_for_feedback: bool,
    /// Whether pages lead to the previous and the next one.
    pub paginates: bool,
}

/// The page for an address of which nothing is told.
pub fn bare_not_found(words: &Words) -> String {
    let page: Markup = html! {
        (DOCTYPE)
        html lang=(words.language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (words.not_found) }
            }
            body { main { h1 { (words.not_found) } } }
        }
    };
    page.into_string()
}

impl Frame {
    /// Makes a page of the site.
    pub fn page(&self, body: &Body<'_>) -> String {
        let theme = match self.theme {
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
            Theme::System => None,
        };
        let shown: Markup = html! {
            a.skip href="#~content" { (self.words.skip) }
            (self.header(body))
            div.page {
                @if body.has_contents() {
                    (contents::table(&self.contents, self.words))
                }
                main id="~content" tabindex="-1" { (body.main(self)) }
                (body.aside(self))
            }
            (self.foot())
        };
        let page: Markup = html! {
            (DOCTYPE)
            html lang=(self.language) dir=(if self.is_right_to_left { "rtl" } else { "ltr" }) data-theme=[theme] {
                (self.head(body))
                body data-copy=(self.words.copy) data-index=[&self.index]
                    data-nothing=[self.index.as_ref().map(|_| self.words.nothing_found)] { (shown) (sprite(&shown.0)) }
            }
        };
        page.into_string()
    }
}
