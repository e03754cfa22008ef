//! Previews: addresses at which a member shows a site, a change request or a revision for an hour.

use std::mem;

use entity::{
    authoring::change_requests,
    ids::{ChangeRequestId, Id, NodeId, RevisionId, SiteSpaceId},
    library::spaces,
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::SitePreview,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Map, Value};
use url::Url;

use super::{
    address::Address,
    visitor::{self, Admission, Admitted},
};

use crate::{
    access::rows::matching_id_or_number,
    areas::{
        content::Contents,
        publishing::{
            Publishing,
            adaptive_content::known_claims,
            guard::SiteAccess,
            structure::edit::unknown_item,
            visits::{Visit, VisitorKeys, open_site},
        },
    },
    kernel::Kernel,
};

/// The parameter of an address that shows a preview.
const PARAMETER: &str = "preview";

/// A visit that a member shows to others, and the time at which it ends.
pub struct Preview {
    pub visit: Visit,
    pub expires: Timestamp,
}

impl Preview {
    /// The preview that an address shows. `None`: none, or one that has expired or that the server did not make.
    pub fn of(publishing: &Publishing, address: &Url) -> Option<Self> {
        let (_, text) = address.query_pairs().find(|(name, _)| name == PARAMETER)?;
        let (visit, expires) = publishing
            .visits
            .keys()
            .read_preview(&text, publishing.kernel.clock.now())?;
        Some(Self { visit, expires })
    }
}

/// The address of a new preview.
pub async fn address(
    publishing: &Publishing,
    access: SiteAccess,
    item: Option<SiteSpaceId>,
    claims: Option<String>,
) -> Result<SitePreview, ApiError> {
    let path = match item {
        Some(item) => {
            let layout = publishing.visits.whole_layout(&access.row).await?;
            let item = layout
                .site_space(item)
                .ok_or_else(|| unknown_item("/query/siteSpace"))?;
            layout.path_in_site_space(item, "")
        }
        None => String::new(),
    };
    // Whoever has signed in elsewhere has not proven anything to this organization.
    let is_of_organization = access.caller.identity.signed_in_to == Some(access.row.organization_id);
    let visit = Visit {
        preview_of: Some(access.member.user),
        signed_in_at: access.caller.identity.saml_provider.filter(|_| is_of_organization),
        claims: claims.map_or(Ok(Map::new()), |claims| read_claims(&claims))?,
        ..Visit::to(&access.row)
    };
    let preview = publishing
        .visits
        .keys()
        .preview(visit, VisitorKeys::end(publishing.kernel.clock.now()));
    let preview = preview.ok_or_else(|| {
        ApiError::invalid_member(
            "/query/claims",
            ErrorRule::TooLong,
            "The claims are too long for an address.",
        )
    })?;
    let site = publishing.kernel.urls.sites().of(&access.row.basename);
    Ok(SitePreview {
        url: format!("{site}{path}?{PARAMETER}={preview}"),
    })
}

/// Lets a preview in while the member who made it may read the site.
pub async fn admit(publishing: &Publishing, address: &Address, preview: Preview) -> Result<Admission, ApiError> {
    let Preview { mut visit, expires } = preview;
    if open_site(publishing.kernel.db.read(), &visit).await?.is_none() {
        return Ok(Admission::Refused);
    }
    let mut signed = mem::take(&mut visit.claims);
    if address.site.adaptive_content {
        let unsigned = match signed.remove("unsigned") {
            Some(Value::Object(unsigned)) => unsigned,
            _ => Map::new(),
        };
        let rules = visitor::rules(publishing, address.site.id).await?;
        visit.claims = known_claims(rules.schema.as_ref(), signed, unsigned);
    }
    Ok(Admission::Granted(Box::new(Admitted {
        visit,
        ..Admitted::to(address, expires)
    })))
}

fn read_claims(claims: &str) -> Result<Map<String, Value>, ApiError> {
    serde_rison::from_str(claims).map_err(|_| {
        let message = "The claims are not an object in Rison, such as `(plan:pro)`.";
        ApiError::invalid_member("/query/claims", ErrorRule::Rison, message)
    })
}

/// The content that a preview shows instead of the published content.
pub struct Shown {
    pub change_request: Option<ChangeRequestId>,
    pub revision: RevisionId,
    /// The path of the page.
    pub rest: String,
}

impl Shown {
    pub fn published(space: &spaces::Model, path: &str) -> Self {
        Self {
            change_request: None,
            revision: space.revision_id,
            rest: path.to_owned(),
        }
    }

    /// What `~/changes/` or `~/revisions/` in a path names. `None`: the path has neither; 404: there is no such content.
    pub async fn find(contents: &Contents, space: NodeId, path: &str) -> Result<Option<Self>, ApiError> {
        let mut segments = path.splitn(4, '/');
        if segments.next() != Some("~") {
            return Ok(None);
        }
        let (kind, id, rest) = (segments.next(), segments.next(), segments.next());
        let (id, rest) = (id.unwrap_or_default(), rest.unwrap_or_default().to_owned());
        let unknown = || ApiError::not_found("published content");
        let found = match kind {
            Some("changes") => change_request(&contents.kernel, space, id).await?,
            Some("revisions") => revision(contents, space, id).await?,
            _ => None,
        };
        let (change_request, revision) = found.ok_or_else(unknown)?;
        Ok(Some(Self {
            change_request,
            revision,
            rest,
        }))
    }
}

async fn change_request(
    kernel: &Kernel,
    space: NodeId,
    id: &str,
) -> Result<Option<(Option<ChangeRequestId>, RevisionId)>, ApiError> {
    let Some(named) = matching_id_or_number(id) else {
        return Ok(None);
    };
    let found = change_requests::Entity::find()
        .filter(change_requests::Column::SpaceId.eq(space))
        .filter(named)
        .one(kernel.db.read())
        .await?;
    Ok(found.map(|request| (Some(request.id), request.revision_id)))
}

async fn revision(
    contents: &Contents,
    space: NodeId,
    id: &str,
) -> Result<Option<(Option<ChangeRequestId>, RevisionId)>, ApiError> {
    let found = contents
        .state
        .revision(&contents.kernel.db, space, RevisionId::parse_or_nil(id))
        .await?;
    Ok(found.map(|revision| (None, revision.id)))
}
