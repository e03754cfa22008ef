//! From addresses of the server to paths of files.

use platform::blobs::SignedFile;

use super::{
    Export,
    files::{NOT_FOUND, page_file},
};

use crate::web::{
    feed::NAME as FEED,
    tree::{decoded, encoded},
};

/// Redirects that are followed.
const MAX_REDIRECTS: usize = 8;

/// An address that leads to something of the site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A path in the site, decoded and without slashes around it.
    Path(String),
    Stored(SignedFile),
    /// The path of a file of a font.
    Font(String),
}

/// What is at a place.
pub enum Found {
    /// The path of a file of the export.
    File(String),
    Redirect(String),
    Missing,
}

impl Export<'_> {
    /// `None`: the address leads elsewhere.
    pub(super) fn place(&self, address: &str) -> Option<Place> {
        if address.starts_with("//") {
            return None;
        }
        let urls = &self.app.kernel.urls;
        let (address, _) = address.split_once('#').unwrap_or((address, ""));
        let stored = self.site.stored(urls, address);
        if let Some(font) = stored.and_then(|path| path.strip_prefix("fonts/")) {
            return Some(Place::Font(font.to_owned()));
        }
        if let Some((path, query)) = stored.and_then(|path| path.split_once('?')) {
            return urls.files().read(path, Some(query)).map(Place::Stored);
        }
        let (address, _) = address.split_once('?').unwrap_or((address, ""));
        let begins = [&self.site.address.canonical, &self.site.base];
        let path = begins
            .into_iter()
            .find_map(|begin| address.strip_prefix(begin.as_str()))?;
        Some(Place::Path(decoded(path)))
    }

    /// The address in a file in place of the one of the server.
    pub(super) fn address_in(&self, file: &str, address: &str) -> String {
        let (before, fragment) = match address.find('#') {
            Some(at) => address.split_at_checked(at).unwrap_or((address, "")),
            None => (address, ""),
        };
        let to = match self.follow(before) {
            Ok(to) => to,
            Err(elsewhere) => return format!("{elsewhere}{fragment}"),
        };
        let path = encoded(to);
        let canonical = &self.site.address.canonical;
        if address.starts_with(canonical) || file.ends_with(FEED) {
            // Web servers show the index of a folder at the address of the folder.
            let path = path.strip_suffix(&page_file("")).unwrap_or(&path);
            return format!("{canonical}{path}");
        }
        match file {
            // This page is shown at all addresses.
            NOT_FOUND => format!("{}{path}{fragment}", self.site.base),
            _ => {
                let up = "../".repeat(file.matches('/').count());
                format!("./{up}{path}{fragment}")
            }
        }
    }

    /// The file at an address. `None`: there is none.
    pub(super) fn file_at(&self, address: &str) -> Option<String> {
        self.follow(address).ok().filter(|file| *file != NOT_FOUND).map(encoded)
    }

    /// The file to which an address leads, or the address of another site.
    fn follow<'e>(&'e self, address: &'e str) -> Result<&'e str, &'e str> {
        let mut address = address;
        for _ in 0..MAX_REDIRECTS {
            let place = self.place(address).ok_or(address)?;
            match self.found.get(&place) {
                Some(Found::File(file)) => return Ok(file),
                Some(Found::Redirect(to)) => address = to,
                Some(Found::Missing) | None => break,
            }
        }
        Ok(NOT_FOUND)
    }
}
