//! The content at a path of an open site.

use entity::{
    ids::{ChangeRequestId, NodeId, PageId, RevisionId, SiteSectionId, SiteSpaceId},
    publishing::sites::Model,
};
use openapi::error::ApiError;
use sea_orm::ActiveEnum;

use super::{
    preview::{self, Shown},
    shared_paths::{Resolved, VisitorPages},
};

use crate::{
    access::rows::{self, SpaceRow},
    areas::publishing::{
        Publishing,
        layout::{Layout, paths::Place},
        visits::Visit,
    },
};

pub enum Located {
    Here(Box<Here>),
    /// A page of another site space, by its path in the site.
    Elsewhere(String),
}

/// A place in the content of a space of the site.
pub struct Here {
    pub item: SiteSpaceId,
    pub section: Option<SiteSectionId>,
    /// The page that the address of the site space shows. `None`: the first one.
    pub home: Option<PageId>,
    pub space: NodeId,
    pub title: String,
    pub language: Option<String>,
    pub change_request: Option<ChangeRequestId>,
    pub revision: RevisionId,
    /// Whether the visit stays with the revision.
    pub is_fixed: bool,
    /// The part of the path that names the section and the site space, with a slash at its end.
    pub named: String,
    /// The part of the path that names a change request or a revision, with a slash at its end.
    pub content: String,
    /// The path of the page.
    pub rest: String,
    /// The shortest path in the site to the page.
    pub path_in_site: String,
    /// Whether longer paths lead to pages of the same site space.
    pub complete: bool,
}

impl Located {
    /// The content at a path as a visitor sees it. `None`: there is none.
    pub async fn at(
        publishing: &Publishing,
        site: &Model,
        visit: &Visit,
        layout: &Layout,
        path: &str,
    ) -> Result<Option<Self>, ApiError> {
        let Some(place) = Place::find(layout, path) else {
            return Ok(None);
        };
        let db = publishing.kernel.db.read();
        let found = rows::find_row::<SpaceRow>(db, site.organization_id, place.item.space_id);
        let Some(SpaceRow { space, node, .. }) = found.await? else {
            return Ok(None);
        };
        if !preview::may_read(&publishing.kernel, visit, space.id).await? {
            return Ok(None);
        }
        let claims = visit.claims_on(site);
        let pages = VisitorPages {
            publishing,
            site,
            layout,
            preview_of: visit.preview_of,
            claims: Some(&claims),
        };
        let (place, complete) = match pages.resolve(place, path).await? {
            Resolved::Here { place, complete } => (place, complete),
            Resolved::Elsewhere(path) => return Ok(Some(Self::Elsewhere(path))),
        };
        let shown = Shown::at(&publishing.contents, &space, visit, &place.rest).await?;
        let path_in_site = pages.path_of(place.item, &shown.rest).await?;
        let content = place.rest.strip_suffix(shown.rest.as_str()).unwrap_or_default();
        Ok(Some(Self::Here(Box::new(Here {
            item: place.item.id,
            section: place.item.section_id,
            home: place.item.page_id,
            space: space.id,
            title: place.item.title.clone().unwrap_or(node.title),
            language: space.language.map(|language| language.to_value()),
            change_request: shown.change_request,
            revision: shown.revision,
            is_fixed: shown.is_fixed,
            content: match content.is_empty() || content.ends_with('/') {
                true => content.to_owned(),
                false => format!("{content}/"),
            },
            named: place.named,
            rest: shown.rest,
            path_in_site,
            complete,
        }))))
    }
}
