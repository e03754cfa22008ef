//! Previews: addresses at which a member shows a site, a change request or a revision for an hour.

use std::mem;

use entity::{
    authoring::change_requests,
    ids::{ChangeRequestId, Id, NodeId, RevisionId, SiteId},
    library::{nodes, spaces as space_rows},
    publishing::sites::Model,
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::SitePreview,
    operations::published_content::GetSitePublishingPreviewByIdQuery,
};
use platform::db::rows::is_any;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Map, Value};
use url::Url;

use super::{
    address::Address,
    visitor::{Admission, Admitted},
};

use crate::{
    access::rows::{self, SpaceRow, matching_id_or_number},
    areas::{
        authoring::reader::RevisionReader,
        content::{
            Contents,
            content_urls::{NamedContent, NamedPage},
        },
        library::spaces::{self, store as space_store},
        publishing::{
            Publishing,
            adaptive_content::{self, known_claims},
            guard::SiteAccess,
            layout::Layout,
            structure::edit::unknown_item,
            visits::{Visit, VisitorKeys, open_site},
        },
    },
    kernel::{Kernel, urls::PREVIEW},
};

/// The parameter of an address that has the token of a preview.
const TOKEN: &str = "token";

/// The site that a member shows to others, and the time at which the visit ends.
pub struct Preview {
    visit: Visit,
    expires: Timestamp,
    /// The address of the site in the preview, and its path.
    base: String,
    base_path: String,
    rest: String,
}

impl Preview {
    /// The preview at an address `…/preview/<site>/…`, by the token of the caller or the one in the address. `None`: the address is
    /// another one, or the token has expired, is of another site, or is none that the server made.
    pub fn at(publishing: &Publishing, address: &Url, of_caller: Option<(Visit, Timestamp)>) -> Option<Self> {
        let (before, after) = address.path().split_once(&format!("/{PREVIEW}/"))?;
        let (site, rest) = after.split_once('/').unwrap_or((after, ""));
        let in_address = || {
            let (_, token) = address.query_pairs().find(|(name, _)| name == TOKEN)?;
            let now = publishing.kernel.clock.now();
            publishing.visits.keys().read_preview(&token, now)
        };
        let (visit, expires) = of_caller.or_else(in_address)?;
        if site.parse::<SiteId>().ok()? != visit.site {
            return None;
        }
        let base_path = format!("{before}/{PREVIEW}/{site}/");
        Some(Self {
            visit,
            expires,
            base: format!("{}{base_path}", address.origin().ascii_serialization()),
            base_path,
            rest: rest.to_owned(),
        })
    }

    /// Lets the visitor in while the member who made the preview may read the site. `None`: they may not.
    pub async fn admit(self, publishing: &Publishing) -> Result<Option<(Admission, Address)>, ApiError> {
        let Self { mut visit, expires, .. } = self;
        let Some(site) = open_site(publishing.kernel.db.read(), &visit).await? else {
            return Ok(None);
        };
        let mut signed = mem::take(&mut visit.claims);
        if site.adaptive_content {
            let unsigned = match signed.remove("unsigned") {
                Some(Value::Object(unsigned)) => unsigned,
                _ => Map::new(),
            };
            let schema = adaptive_content::stored(publishing.kernel.db.read(), site.id).await?;
            visit.claims = known_claims(schema.as_ref(), signed, unsigned);
        }
        let address = Address {
            site,
            base_path: self.base_path,
            canonical: self.base,
            rest: self.rest,
        };
        let admitted = Admitted {
            visit,
            ..Admitted::to(&address, expires)
        };
        Ok(Some((Admission::Granted(Box::new(admitted)), address)))
    }
}

/// The address of a new preview.
pub async fn address(
    publishing: &Publishing,
    access: SiteAccess,
    query: GetSitePublishingPreviewByIdQuery,
) -> Result<SitePreview, ApiError> {
    let GetSitePublishingPreviewByIdQuery {
        site_space,
        target,
        claims,
        draft,
    } = query;
    let visit = Visit {
        preview_of: Some(access.member.user),
        with_drafts: draft,
        ..Visit::to(&access.row)
    };
    let layout = publishing.visits.layout(&access.row, visit.drafts()).await?;
    let item = site_space.map(|id| layout.site_space(id).ok_or_else(|| unknown_item("/query/siteSpace")));
    let path = match (target, item.transpose()?) {
        (Some(target), _) => target_path(publishing, (&access.row, &*layout), &visit, &target).await?,
        (None, Some(item)) => layout.path_in_site_space(item, ""),
        (None, None) => String::new(),
    };
    // Whoever has signed in elsewhere has not proven anything to this organization.
    let is_of_organization = access.caller.identity.signed_in_to == Some(access.row.organization_id);
    let visit = Visit {
        signed_in_at: access.caller.identity.saml_provider.filter(|_| is_of_organization),
        claims: claims.map_or(Ok(Map::new()), |claims| read_claims(&claims))?,
        ..visit
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
    let base = publishing.kernel.urls.site_preview(access.row.id);
    Ok(SitePreview {
        url: format!("{base}{path}?{TOKEN}={preview}"),
    })
}

/// The path in a site of the content that an address names: the site, or a space or a page of it.
async fn target_path(
    publishing: &Publishing,
    (site, layout): (&Model, &Layout),
    visit: &Visit,
    target: &str,
) -> Result<String, ApiError> {
    let unknown = || unknown_item("/query/target");
    let urls = &publishing.kernel.urls;
    if let Some(path) = target.strip_prefix(&urls.site_for_readers(site)) {
        let end = path.find(['?', '#']).unwrap_or(path.len());
        return Ok(path.get(..end).unwrap_or_default().to_owned());
    }
    let (organization, id) = (site.organization_id, site.id);
    if [urls.site(organization, id), urls.site_page(organization, id)].contains(&target.to_owned()) {
        return Ok(String::new());
    }
    let Some(NamedContent::Space {
        space,
        change_request,
        page,
    }) = urls.named_content(target)
    else {
        return Err(unknown());
    };
    let item = layout.site_spaces.iter().find(|item| item.space_id == space);
    let item = item.ok_or_else(unknown)?;
    let row = rows::find_row::<SpaceRow>(publishing.kernel.db.read(), organization, space).await?;
    let row = row.ok_or_else(unknown)?;
    if !may_read(&publishing.kernel, visit, space).await? {
        return Err(unknown());
    }
    let (start, revision) = match change_request {
        Some(named) => {
            let found = self::change_request(&publishing.contents.kernel, space, &named).await?;
            let (request, revision) = found.ok_or_else(unknown)?;
            let id = request.map(|id| id.to_string()).unwrap_or_default();
            (format!("~/changes/{id}/"), revision)
        }
        None => (String::new(), row.space.revision_id),
    };
    let page = match page {
        None => String::new(),
        Some(NamedPage::Path(path)) => path,
        Some(NamedPage::Id(id)) => {
            let mut reader = RevisionReader::open(&publishing.authoring, space, revision, None).await?;
            let path = reader.compute(|pages| pages.page(id)?.map(|page| pages.path(&page)).transpose());
            path.await?.ok_or_else(unknown)?
        }
    };
    Ok(layout.path_in_site_space(item, &format!("{start}{page}")))
}

/// Returns whether a visit shows a space: a preview only one that the member who made it may read.
pub async fn may_read(kernel: &Kernel, visit: &Visit, space: NodeId) -> Result<bool, ApiError> {
    if visit.preview_of.is_none() {
        return Ok(true);
    }
    let these = space_store::not_deleted(visit.organization).filter(nodes::Column::Id.eq(space));
    let these = spaces::shown_to_visitor(kernel, visit.organization, visit.preview_of, these).await?;
    Ok(is_any(kernel.db.read(), these).await?)
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
    /// Whether the visit stays with the revision. In a preview, a renderer may show that of a change request instead.
    pub is_fixed: bool,
    /// The path of the page.
    pub rest: String,
}

impl Shown {
    /// The content at a path in a space.
    pub async fn at(
        contents: &Contents,
        space: &space_rows::Model,
        visit: &Visit,
        path: &str,
    ) -> Result<Self, ApiError> {
        let is_preview = visit.preview_of.is_some();
        if is_preview && let Some(named) = Self::named(contents, space.id, path).await? {
            return Ok(named);
        }
        Ok(Self {
            change_request: None,
            revision: space.revision_id,
            is_fixed: !is_preview,
            rest: path.to_owned(),
        })
    }

    /// What `~/changes/` or `~/revisions/` in a path names. `None`: the path has neither; 404: there is no such content.
    async fn named(contents: &Contents, space: NodeId, path: &str) -> Result<Option<Self>, ApiError> {
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
            is_fixed: true,
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
