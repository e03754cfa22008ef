//! What stands within the frame: a page, results of a search, or that there is no such page.

use maud::{Markup, html};

use super::{
    Frame, FrameLink,
    links::{link, mark},
};

use crate::{Content, Heading, Href, Icon, Words};

/// What a page of the site shows.
pub enum Body<'p> {
    Page(&'p Page),
    Search(&'p SearchPage),
    NotFound(&'p NotFound),
    Notice(&'p Notice),
}

/// A page of a space.
#[derive(Debug, Default)]
pub struct Page {
    pub title: String,
    pub emoji: Option<String>,
    /// Shown if there is no emoji.
    pub icon: Option<Icon>,
    pub description: Option<String>,
    pub content: Content,
    pub breadcrumbs: Vec<FrameLink>,
    pub previous: Option<FrameLink>,
    pub next: Option<FrameLink>,
    pub cover: Option<Cover>,
    /// The absolute address that search engines list.
    pub canonical: Option<String>,
    /// The address of the page as Markdown.
    pub markdown: Option<Href>,
    /// The address of the feed with the updates of the page.
    pub feed: Option<Href>,
    /// The address of the picture for links to the page.
    pub picture: Option<String>,
    /// The addresses of the page and of all pages as PDF.
    pub pdf: Option<Href>,
    pub book: Option<Href>,
    /// The address at which the page is edited in a Git repository.
    pub edit: Option<Href>,
    /// The day of the last change, as in ISO 8601.
    pub updated: Option<String>,
    pub tags: Vec<String>,
    pub is_listed: bool,
    pub is_wide: bool,
    /// Whether the page has a link to its Markdown.
    pub shows_markdown: bool,
    pub shows_title: bool,
    pub shows_description: bool,
    pub shows_outline: bool,
    pub shows_contents: bool,
    pub shows_pagination: bool,
}

/// An image above a page, for light and dark pages.
#[derive(Clone, Debug)]
pub struct Cover {
    pub light: Href,
    pub dark: Option<Href>,
}

/// Results of a search.
#[derive(Debug, Default)]
pub struct SearchPage {
    pub query: String,
    pub found: Vec<Found>,
    /// The address of further results.
    pub more: Option<Href>,
}

/// A page with the words that were looked for.
#[derive(Debug)]
pub struct Found {
    pub link: FrameLink,
    /// The titles of the space and of the pages above.
    pub place: String,
    pub text: Option<String>,
    pub sections: Vec<(FrameLink, Option<String>)>,
}

/// There is no page at an address.
#[derive(Debug, Default)]
pub struct NotFound {
    /// Pages that could be meant.
    pub nearest: Vec<FrameLink>,
}

/// A page that says something.
#[derive(Debug)]
pub struct Notice {
    pub title: String,
    pub text: String,
}

/// What the head of a page says.
pub(super) struct Meta {
    pub title: String,
    pub description: Option<String>,
    pub canonical: Option<String>,
    pub markdown: Option<Href>,
    pub feed: Option<Href>,
    pub picture: Option<String>,
    pub is_listed: bool,
}

impl Body<'_> {
    pub(super) fn meta(&self, frame: &Frame) -> Meta {
        let other = |title: &str| Meta {
            title: title.to_owned(),
            description: None,
            canonical: None,
            markdown: None,
            feed: None,
            picture: None,
            is_listed: false,
        };
        match self {
            Self::Page(page) => Meta {
                title: page.title.clone(),
                description: page.description.as_ref().or(page.content.summary.as_ref()).cloned(),
                canonical: page.canonical.clone(),
                markdown: page.markdown.clone(),
                feed: page.feed.clone(),
                picture: page.picture.clone(),
                is_listed: page.is_listed,
            },
            Self::Search(_) => other(frame.words.search),
            Self::NotFound(_) => other(frame.words.not_found),
            Self::Notice(notice) => other(&notice.title),
        }
    }

    pub(super) fn query(&self) -> &str {
        match self {
            Self::Search(search) => &search.query,
            Self::Page(_) | Self::NotFound(_) | Self::Notice(_) => "",
        }
    }

    pub(super) fn has_contents(&self) -> bool {
        match self {
            Self::Page(page) => page.shows_contents,
            Self::Search(_) | Self::NotFound(_) | Self::Notice(_) => true,
        }
    }

    pub(super) fn main(&self, frame: &Frame) -> Markup {
        match self {
            Self::Page(page) => page.main(frame),
            Self::Search(search) => search.main(frame),
            Self::Notice(notice) => html! {
                h1 { (notice.title) }
                p role="status" { (notice.text) }
            },
            Self::NotFound(not_found) => html! {
                h1 { (frame.words.not_found) }
                @if !not_found.nearest.is_empty() {
                    p { (frame.words.nearest) }
                    ul { @for to in &not_found.nearest { li { (link(to)) } } }
                }
            },
        }
    }

    /// The outline of a page.
    pub(super) fn aside(&self, frame: &Frame) -> Markup {
        match self {
            Self::Page(page) if page.shows_outline && !page.content.headings.is_empty() => html! {
                nav.outline aria-label=(frame.words.outline) {
                    p.title { (frame.words.outline) }
                    ul { @for heading in &page.content.headings { (outlined(heading)) } }
                }
            },
            Self::Page(_) | Self::Search(_) | Self::NotFound(_) | Self::Notice(_) => html! {},
        }
    }
}

fn outlined(heading: &Heading) -> Markup {
    html! {
        li class={ "level-" (heading.level) } { a href=(Href::anchor(&heading.id)) { bdi { (heading.title) } } }
    }
}

impl Page {
    /// The page in other forms.
    fn forms(&self, words: &Words) -> Markup {
        let forms = [
            (
                &self.markdown.clone().filter(|_| self.shows_markdown),
                "Markdown",
                "text/markdown",
            ),
            (&self.pdf, "PDF", "application/pdf"),
            (&self.book, words.whole_pdf, "application/pdf"),
            (&self.feed, "RSS", "application/rss+xml"),
            (&self.edit, words.edit, "text/html"),
        ];
        html! {
            ul.forms {
                @for (href, title, kind) in forms {
                    @if let Some(href) = href { li { a href=(href) type=(kind) rel="nofollow" { (title) } } }
                }
            }
        }
    }

    fn main(&self, frame: &Frame) -> Markup {
        html! {
            article class=[self.is_wide.then_some("wide")] {
                @if let Some(cover) = &self.cover {
                    @match &cover.dark {
                        Some(dark) => {
                            img.cover.light src=(cover.light) alt="";
                            img.cover.dark src=(dark) alt="";
                        }
                        None => { img.cover src=(cover.light) alt=""; }
                    }
                }
                @if !self.breadcrumbs.is_empty() {
                    nav.breadcrumbs aria-label=(frame.words.breadcrumbs) {
                        ol { @for to in &self.breadcrumbs { li { (link(to)) } } }
                    }
                }
                h1 dir="auto" class=[(!self.shows_title).then_some("hidden")] {
                    (mark(self.emoji.as_deref(), self.icon.as_ref()))
                    (self.title)
                }
                @if let Some(description) = self.description.as_ref().filter(|_| self.shows_description) {
                    p.description dir="auto" { (description) }
                }
                (self.forms(frame.words))
                @if !self.tags.is_empty() {
                    p.tags { @for tag in &self.tags { span.tag { (tag) } " " } }
                }
                div.text { (self.content.html) }
                @if frame.asks_for_feedback {
                    (feedback(frame.words))
                }
                @if let Some(day) = &self.updated {
                    p.updated { (frame.words.updated) " " time datetime=(day) { (day) } }
                }
                @if frame.paginates && self.shows_pagination && (self.previous.is_some() || self.next.is_some()) {
                    nav.pagination aria-label=(frame.words.pagination) {
                        @if let Some(to) = &self.previous {
                            span.previous { small { (frame.words.previous) } (link(to)) }
                        }
                        @if let Some(to) = &self.next {
                            span.next { small { (frame.words.next) } (link(to)) }
                        }
                    }
                }
            }
        }
    }
}

/// A form that is sent to the address of the page.
fn feedback(words: &Words) -> Markup {
    html! {
        form.feedback method="post" aria-label=(words.helpful) {
            fieldset {
                legend { (words.helpful) }
                @for (value, label) in [("good", words.good), ("ok", words.fair), ("bad", words.bad)] {
                    label { input type="radio" name="rating" value=(value) required; " " (label) }
                }
            }
            details {
                summary { (words.comment) }
                textarea name="comment" rows="3" maxlength="512" aria-label=(words.comment) {}
            }
            button.button type="submit" { (words.send) }
        }
        p.thanks id="~thanks" role="status" { (words.thanks) }
    }
}

impl SearchPage {
    fn main(&self, frame: &Frame) -> Markup {
        html! {
            h1 { (frame.words.search) @if !self.query.is_empty() { ": " bdi { (self.query) } } }
            @if self.found.is_empty() && !self.query.is_empty() {
                p role="status" { (frame.words.nothing_found) }
            }
            ol.results {
                @for found in &self.found {
                    li {
                        p.place { (found.place) }
                        h2 { (link(&found.link)) }
                        @if let Some(text) = &found.text { p dir="auto" { (text) } }
                        @if !found.sections.is_empty() {
                            ul {
                                @for (to, text) in &found.sections {
                                    li { (link(to)) @if let Some(text) = text { p dir="auto" { (text) } } }
                                }
                            }
                        }
                    }
                }
            }
            @if let Some(more) = &self.more {
                p { a.button href=(more) { (frame.words.more) } }
            }
        }
    }
}
