//! Addresses that links and images may have.

use maud::Render;
use rich_text::{ReferenceRole, is_safe_target};

/// An address to which a page may lead: one that no browser runs as a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Href(String);

impl Href {
    /// An address of a link. `None`: browsers could run it.
    pub fn link(address: &str) -> Option<Self> {
        is_safe_target(ReferenceRole::Link, address).then(|| Self(address.to_owned()))
    }

    /// An address of an image. `None`: it is none that a page may load.
    pub fn image(address: &str) -> Option<Self> {
        is_safe_target(ReferenceRole::Media, address).then(|| Self(address.to_owned()))
    }

    /// The path of an address in the site itself.
    pub fn path(path: &str) -> Self {
        // Two slashes would begin the name of another host.
        Self(format!("/{}", path.trim_start_matches(['/', '\\'])))
    }

    /// A place on the page.
    pub fn anchor(anchor: &str) -> Self {
        Self(format!("#{anchor}"))
    }

    /// The same address, at a place on its page.
    pub fn at(&self, anchor: &str) -> Self {
        let (address, _) = self.0.split_once('#').unwrap_or((&self.0, ""));
        Self(format!("{address}#{anchor}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the address is one of another server.
    pub fn is_external(&self) -> bool {
        !self.0.starts_with(['/', '#'])
    }
}

impl Render for Href {
    fn render_to(&self, buffer: &mut String) {
        self.0.as_str().render_to(buffer);
    }
}
