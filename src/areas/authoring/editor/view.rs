//! Wire types of applied changes.

use entity::ids::{NodeId, PageId};
use openapi::models::{DeletedPage, EditedPage, InsertedPage, PageLink, PageLinkUrls, RevisionFile, TouchedPage};

use super::parse::ParsedChanges;

use crate::{areas::authoring::reader::view::ContentView, kernel::urls::Urls};

/// The effect of a request on one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageEffect {
    /// With the `ref` that the request gave to the page.
    Inserted(Option<String>),
    Edited,
    Deleted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedPage {
    pub page: PageId,
    pub effect: PageEffect,
}

impl AffectedPage {
    /// An inserted page stays an inserted page when it is edited; a deletion replaces every earlier effect.
    pub(super) fn update(&mut self, effect: PageEffect) {
        if effect == PageEffect::Deleted || self.effect == PageEffect::Deleted {
            self.effect = effect;
        }
    }
}

pub fn affected_pages(urls: &Urls, space: NodeId, affected: Vec<AffectedPage>) -> Vec<TouchedPage> {
    let link = |page: PageId| PageLink {
        object: Default::default(),
        id: page.to_string(),
        urls: PageLinkUrls {
            location: urls.page(space, page),
        },
    };
    let wire = |AffectedPage { page, effect }| match effect {
        PageEffect::Inserted(name) => TouchedPage::InsertedPage(InsertedPage {
            object: Default::default(),
            r#ref: name,
            page: link(page),
        }),
        PageEffect::Edited => TouchedPage::EditedPage(EditedPage {
            object: Default::default(),
            page: link(page),
        }),
        PageEffect::Deleted => TouchedPage::DeletedPage(DeletedPage {
            object: Default::default(),
            page: page.to_string(),
        }),
    };
    affected.into_iter().map(wire).collect()
}

/// The inserted files. `None` if the request inserted no files.
pub fn inserted_files(urls: &Urls, space: NodeId, parsed: &ParsedChanges) -> Option<Vec<RevisionFile>> {
    let view = ContentView::stored(urls, space);
    let files: Vec<RevisionFile> = parsed.files().map(|file| view.file(file)).collect();
    (!files.is_empty()).then_some(files)
}
