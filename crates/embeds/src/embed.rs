//! An embed, put together from what is known of a page.

use url::Url;

use crate::{
    frame::Frame,
    oembed::OEmbed,
    page::PageMetadata,
    text::{MAX_SITE, MAX_TITLE, one_line},
};

/// A page as others show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embed {
    pub title: String,
    /// The name of the site.
    pub site: String,
    pub icon: Option<Url>,
    pub frame: Option<Frame>,
}

impl Embed {
    /// The embed of the page at `address`.
    pub fn of(address: &Url, page: PageMetadata, oembed: OEmbed) -> Self {
        let host = address.host_str().unwrap_or_default();
        let path = address.path().trim_end_matches('/');
        let named = || match host {
            "" => one_line(address.as_str(), MAX_TITLE),
            host => one_line(&format!("{host}{path}"), MAX_TITLE),
        };
        Self {
            title: oembed.title.or(page.title).or_else(named).unwrap_or_default(),
            site: oembed
                .site
                .or(page.site)
                .or_else(|| one_line(host, MAX_SITE))
                .unwrap_or_else(|| address.scheme().to_owned()),
            icon: page.icon,
            frame: oembed.frame,
        }
    }

    /// The embed of a page of which only the address is known.
    pub fn of_address(address: &Url) -> Self {
        Self::of(address, PageMetadata::default(), OEmbed::default())
    }

    /// Approximate bytes in memory.
    pub fn bytes(&self) -> usize {
        let address = |url: Option<&Url>| url.map_or(0, |url| url.as_str().len());
        let frame = address(self.frame.as_ref().map(|frame| &frame.source));
        let texts = [self.title.len(), self.site.len(), address(self.icon.as_ref()), frame];
        texts.into_iter().fold(size_of::<Self>(), usize::saturating_add)
    }
}
