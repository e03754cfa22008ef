//! Links of change requests to other addresses, such as tickets.

use std::collections::HashSet;

use entity::{authoring::change_requests::Model, ids::ChangeRequestLinkId};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ChangeRequestLink, EditChangeRequestLink, ErrorDetail},
};
use rich_text::{ReferenceRole, is_safe_target};
use serde_json::Value;

use crate::kernel::Kernel;

/// All links that a change request shall have.
#[derive(Clone)]
pub struct NewLinks(Vec<(EditChangeRequestLink, ChangeRequestLinkId)>);

impl NewLinks {
    /// `links` is the member of this name of the body.
    pub fn parse(kernel: &Kernel, links: Vec<EditChangeRequestLink>) -> Result<Self, ApiError> {
        let has_unsafe_target =
            |(_, link): &(usize, &EditChangeRequestLink)| !is_safe_target(ReferenceRole::Link, &link.r#ref.url);
        let refused = links.iter().enumerate().filter(has_unsafe_target);
        let details = refused.map(|(index, _)| ErrorDetail {
            pointer: format!("/body/links/{index}/ref/url"),
            code: ErrorRule::UnsafeTarget,
            message: "The address could run in a browser.".to_owned(),
        });
        ApiError::refuse(details.collect())?;
        Ok(Self(links.into_iter().map(|link| (link, kernel.ids.next())).collect()))
    }

    /// The links as stored. `None`: no links.
    pub fn stored(self, request: &Model) -> Result<Option<Value>, ApiError> {
        let present = load(request.links.clone())?;
        let mut present: HashSet<String> = present.into_iter().filter_map(|link| link.id).collect();
        let mut unknown = Vec::new();
        let mut links = Vec::new();
        for (index, (link, new_id)) in self.0.into_iter().enumerate() {
            if let Some(id) = link.id.as_ref().filter(|id| !present.remove(*id)) {
                unknown.push(ErrorDetail {
                    pointer: format!("/body/links/{index}/id"),
                    code: ErrorRule::Unknown,
                    message: format!("The change request has no link `{id}`, or an earlier one of `links` has the id."),
                });
            }
            let id = link.id.or_else(|| Some(new_id.to_string()));
            links.push(EditChangeRequestLink { id, ..link });
        }
        ApiError::refuse(unknown)?;
        Ok((!links.is_empty()).then(|| serde_json::to_value(links)).transpose()?)
    }
}

fn load(stored: Option<Value>) -> Result<Vec<EditChangeRequestLink>, ApiError> {
    Ok(stored.map(serde_json::from_value).transpose()?.unwrap_or_default())
}

/// The stored links in the form of answers. `None`: no links.
pub fn view(stored: Option<Value>) -> Result<Option<Vec<ChangeRequestLink>>, ApiError> {
    let links = load(stored)?.into_iter().map(|link| ChangeRequestLink {
        id: link.id.unwrap_or_default(),
        r#ref: link.r#ref,
        title: link.title,
    });
    Ok(Some(links.collect()).filter(|links: &Vec<_>| !links.is_empty()))
}
