//! Anchors that links of new texts name: an older form of the anchor of a heading becomes the present one.

use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
};

use content::{objects::Missing, pages::Pages};
use entity::ids::PageId;
use percent_encoding::percent_decode_str;
use rich_text::{DocumentAnchors, DocumentLimits, extract_anchors};

use super::parsed::PageText;

/// The most pages of a request whose anchors are read. Links to further pages keep the anchors that they are written with.
const MAX_PAGES: usize = 1000;

/// The anchors of the pages that links name with an anchor. Each text is parsed once.
pub struct PageAnchors<'a> {
    texts: &'a HashMap<PageId, &'a PageText>,
    known: HashMap<PageId, DocumentAnchors>,
}

impl<'a> PageAnchors<'a> {
    /// `texts` has the new texts of pages, which `pages` may not have yet.
    pub fn new(texts: &'a HashMap<PageId, &'a PageText>) -> Self {
        Self {
            texts,
            known: HashMap::new(),
        }
    }

    /// The target of a link on the page `here` with the present form of its anchor. `None`: the target stays as it is.
    pub fn present_form(&mut self, pages: &Pages<'_>, here: PageId, target: &str) -> Result<Option<String>, Missing> {
        let Some((path, anchor)) = target.split_once('#').filter(|(_, anchor)| !anchor.is_empty()) else {
            return Ok(None);
        };
        let page = match path.strip_prefix("/pages/") {
            Some(id) => id.parse().ok(),
            None => path.is_empty().then_some(here),
        };
        let Some(page) = page else { return Ok(None) };
        let anchor = percent_decode_str(anchor).decode_utf8_lossy();
        let found = self.of_page(pages, page)?.and_then(|known| known.find(&anchor));
        Ok(found
            .filter(|found| *found != anchor)
            .map(|found| format!("{path}#{found}")))
    }

    fn of_page(&mut self, pages: &Pages<'_>, page: PageId) -> Result<Option<&DocumentAnchors>, Missing> {
        let is_full = self.known.len() >= MAX_PAGES;
        let slot = match self.known.entry(page) {
            Entry::Occupied(known) => return Ok(Some(known.into_mut())),
            Entry::Vacant(_) if is_full => return Ok(None),
            Entry::Vacant(slot) => slot,
        };
        let text = match self.texts.get(&page) {
            Some(text) => Cow::Borrowed(text.markdown.as_str()),
            None => match pages.page(page)?.and_then(|page| page.document()) {
                Some(document) => pages.objects().text(&document)?.into(),
                None => Cow::default(),
            },
        };
        // A text that cannot be parsed has no anchors.
        let anchors = extract_anchors(&text, &DocumentLimits::default()).unwrap_or_default();
        Ok(Some(slot.insert(anchors)))
    }
}
