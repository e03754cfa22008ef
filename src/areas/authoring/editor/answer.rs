//! What was done, on the wire.

use entity::ids::{NodeId, PageId};
use openapi::models::{DeletedPage, EditedPage, InsertedPage, PageLink, PageLinkUrls, RevisionFile, TouchedPage};

use super::prepare::Prepared;
use crate::{app::urls::Urls, areas::authoring::reader::view::View};

/// What was done to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch {
    /// With the name that the request gave to it.
    Inserted(Option<String>),
    Edited,
    Deleted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    pub page: PageId,
    pub touch: Touch,
}

impl Touched {
    /// A page that was added stays one that was added, unless it is deleted.
    pub(super) fn again(&mut self, touch: Touch) {
        if touch == Touch::Deleted || self.touch == Touch::Deleted {
            self.touch = touch;
        }
    }
}

pub fn wire_touched(urls: &Urls, space: NodeId, touched: Vec<Touched>) -> Vec<TouchedPage> {
    let link = |page: PageId| PageLink {
        object: Default::default(),
        id: page.to_string(),
        urls: PageLinkUrls {
            location: urls.page(space, page),
        },
    };
    let wire = |Touched { page, touch }| match touch {
        Touch::Inserted(name) => TouchedPage::InsertedPage(InsertedPage {
            object: Default::default(),
            r#ref: name,
            page: link(page),
        }),
        Touch::Edited => TouchedPage::EditedPage(EditedPage {
            object: Default::default(),
            page: link(page),
        }),
        Touch::Deleted => TouchedPage::DeletedPage(DeletedPage {
            object: Default::default(),
            page: page.to_string(),
        }),
    };
    touched.into_iter().map(wire).collect()
}

/// The files that were added; none if there were none.
pub fn wire_files(urls: &Urls, space: NodeId, prepared: &Prepared) -> Option<Vec<RevisionFile>> {
    let view = View { urls, space };
    let files: Vec<RevisionFile> = prepared.files().map(|file| view.file(file)).collect();
    (!files.is_empty()).then_some(files)
}
