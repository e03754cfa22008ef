//! Blocks that are shown as a card with a link.

use openapi::models::{BlockContentRef, BlockEmbed, BlockIntegration, BlockSwagger, ContentRef};
use rich_text::from_media;

use super::{Target, Writer};

use crate::Href;

impl Writer<'_> {
    /// A link with a title and a line below; text if there is no address.
    fn card(&mut self, target: &Target, title: &str, below: Option<&str>) {
        match &target.href {
            Some(href) => {
                let rel = href.is_external().then_some("noopener");
                drop(
                    self.html
                        .open("a")
                        .attribute("class", "card")
                        .href(href)
                        .optional("rel", rel),
                );
            }
            None => self.html.markup("<div class=\"card\">"),
        }
        self.html.markup("<strong>");
        self.mark_before(target);
        self.html.text(title);
        self.html.markup("</strong>");
        if let Some(below) = below.filter(|below| !below.is_empty() && *below != title) {
            self.html.markup("<small>");
            self.html.text(below);
            self.html.markup("</small>");
        }
        self.html.markup(if target.href.is_some() { "</a>" } else { "</div>" });
    }

    pub(super) fn embed(&mut self, block: &BlockEmbed) {
        let url = &block.data.url;
        let targets = self.targets;
        let (title, below) = match targets.embed(url) {
            Some((title, site)) => (title, site),
            None => (host_of(url), url.as_str()),
        };
        self.card(&Target::at(Href::link(url)), title, Some(below));
    }

    pub(super) fn content_ref(&mut self, block: &BlockContentRef) {
        let target = self.targets.target(&block.data.r#ref);
        let words = block.data.text.as_deref().filter(|words| !words.trim().is_empty());
        let address = target.href.as_ref().map(Href::as_str);
        // Words that are an address were made from it.
        let words = words.filter(|words| target.title.is_none() || !words.starts_with(['/', '.']));
        let title = words.or(target.title.as_deref()).or(address).unwrap_or_default();
        self.card(&target, title, target.description.as_deref());
    }

    pub(super) fn integration(&mut self, block: &BlockIntegration) {
        let targets = self.targets;
        if let Some(src) = targets.component(block) {
            let title = format!("{}: {}", self.words.block, block.data.block);
            let frame = self.html.open("iframe").attribute("class", "component").src(&src);
            drop(frame.attribute("title", &title).attribute("loading", "lazy"));
            self.html.markup("</iframe>");
            return;
        }
        let url = block.data.url.as_deref();
        let title = url.map_or(block.data.block.as_str(), host_of);
        self.card(&Target::at(url.and_then(Href::link)), title, url);
    }

    pub(super) fn swagger(&mut self, block: &BlockSwagger) {
        let title = format!("{} {}", block.data.method.to_uppercase(), block.data.path);
        self.specified(&from_media(&block.data.r#ref), &title);
    }

    pub(super) fn specified(&mut self, reference: &ContentRef, title: &str) {
        let target = self.targets.target(reference);
        self.card(&target, title, target.title.as_deref());
    }
}

/// The host of an address, for people.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    host.strip_prefix("www.").unwrap_or(host)
}
