//! Head, header and footer.

use maud::{Markup, html};

use super::{
    Body, Frame, FrameLink, Menu,
    links::{link, words},
};

impl Frame {
    pub(super) fn head(&self, body: &Body<'_>) -> Markup {
        let meta = body.meta(self);
        let title = match meta.title == self.brand.title {
            true => meta.title.clone(),
            false => format!("{} | {}", meta.title, self.brand.title),
        };
        html! {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                @if let Some(description) = &meta.description {
                    meta name="description" content=(description);
                }
                @if !self.is_listed || !meta.is_listed {
                    meta name="robots" content="noindex";
                }
                @if let Some(canonical) = &meta.canonical {
                    link rel="canonical" href=(canonical);
                }
                @if let Some(markdown) = &meta.markdown {
                    link rel="alternate" type="text/markdown" href=(markdown);
                }
                @if let Some(feed) = &meta.feed {
                    link rel="alternate" type="application/rss+xml" href=(feed);
                }
                meta property="og:title" content=(meta.title);
                meta property="og:site_name" content=(self.brand.title);
                @if let Some(description) = &meta.description {
                    meta property="og:description" content=(description);
                }
                @if let Some(picture) = &meta.picture {
                    meta property="og:image" content=(picture);
                    meta name="twitter:card" content="summary_large_image";
                }
                meta name="color-scheme" content="light dark";
                @if let Some((light, dark)) = &self.brand.icon {
                    @if light == dark {
                        link rel="icon" href=(light);
                    } @else {
                        link rel="icon" href=(light) media="(prefers-color-scheme: light)";
                        link rel="icon" href=(dark) media="(prefers-color-scheme: dark)";
                    }
                } @else {
                    // Without one, browsers ask the host for `/favicon.ico`.
                    link rel="icon" href=(icon_of(self.brand.emoji.as_deref()));
                }
                @for style in &self.styles {
                    link rel="stylesheet" href=(style);
                }
                // Browsers load no modules from disks.
                @if self.index.is_some() {
                    script defer src=(self.script) {}
                } @else {
                    script type="module" src=(self.script) {}
                }
            }
        }
    }

    pub(super) fn header(&self, body: &Body<'_>) -> Markup {
        html! {
            @if let Some(announcement) = &self.announcement {
                div class={ "announcement " (announcement.style) } role="note" {
                    span dir="auto" { (announcement.message) }
                    @if let Some(to) = &announcement.link { " " (link(to)) }
                }
            }
            header.top {
                a.brand href=(self.brand.home) {
                    @if let Some((light, dark)) = &self.brand.logo {
                        @if light == dark {
                            img.logo src=(light) alt=(self.brand.title);
                        } @else {
                            img.logo.light src=(light) alt=(self.brand.title);
                            img.logo.dark src=(dark) alt=(self.brand.title);
                        }
                    } @else {
                        @if let Some(emoji) = &self.brand.emoji { span aria-hidden="true" { (emoji) " " } }
                        (self.brand.title)
                    }
                }
                (self.search_form(body.query()))
                @if !self.links.is_empty() {
                    nav.links aria-label=(self.words.links) { (menus(&self.links)) }
                }
                @if self.is_toggleable {
                    button.theme type="button" hidden aria-label=(self.words.theme) { "◐" }
                }
            }
            @if self.has_sections() || self.variants.len() > 1 {
                div.bar {
                    @if self.has_sections() {
                        nav.sections aria-label=(self.words.sections) { (menus(&self.sections)) }
                    }
                    @if self.variants.len() > 1 {
                        (variants(&self.variants, self.words.variants))
                    }
                }
            }
        }
    }

    fn has_sections(&self) -> bool {
        let links = self.sections.iter().map(|menu| menu.links.len().max(1));
        links.sum::<usize>() > 1
    }

    fn search_form(&self, query: &str) -> Markup {
        html! {
            // Without a server, it is of no use until the script is there.
            form.search role="search" action=(self.search) hidden[self.index.is_some()] {
                input type="search" name="q" value=(query) placeholder=(self.words.search) aria-label=(self.words.search)
                    autocomplete="off" maxlength="256";
                button type="submit" { (self.words.search) }
            }
        }
    }

    pub(super) fn foot(&self) -> Markup {
        html! {
            footer.bottom {
                @for group in &self.footer.groups {
                    div.group {
                        p.title { (group.title) }
                        ul { @for to in &group.links { li { (link(to)) } } }
                    }
                }
                @if let Some(copyright) = &self.footer.copyright {
                    p.copyright dir="auto" { (copyright) }
                }
            }
        }
    }
}

/// The address of an image that shows an emoji; an empty one if there is none.
fn icon_of(emoji: Option<&str>) -> String {
    let image = |emoji: &str| {
        format!(
            "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
             %3Ctext y='13' font-size='13'%3E{emoji}%3C/text%3E%3C/svg%3E"
        )
    };
    emoji.map_or_else(|| "data:,".to_owned(), image)
}

fn menus(menus: &[Menu]) -> Markup {
    html! {
        ul {
            @for menu in menus {
                li {
                    @if menu.links.is_empty() {
                        (link(&menu.link))
                    } @else {
                        details.menu {
                            summary aria-current=[menu.link.is_current.then_some("true")] { (words(&menu.link)) }
                            ul {
                                @if menu.link.href.is_some() { li { (link(&menu.link)) } }
                                @for to in &menu.links { li { (link(to)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn variants(variants: &[FrameLink], label: &str) -> Markup {
    let current = variants.iter().find(|variant| variant.is_current);
    html! {
        nav.variants aria-label=(label) {
            details.menu {
                summary { (current.map_or(label, |variant| &variant.title)) }
                ul { @for to in variants { li { (link(to)) } } }
            }
        }
    }
}
