//! The site of a new organization, with its space and, where the request names one, with the specification of the space. It
//! stands here because these contexts know sites, spaces and specifications.

use std::sync::Arc;

use entity::library::nodes::NodeKind;
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{
    error::ApiError,
    models::{
        ApplyTemplate, CreateSite, OnboardingAudience as Audience, OnboardingInterest as Interest,
        OnboardingPreferences, OnboardingSource as Source, OpenApiSpecSource, OpenApiSpecSourceUrl, SiteVisibility,
    },
};
use platform::db::Tx;
use serde_json::json;
use validator::Validate;

use super::openapi_specs::{self, NewSource};

use crate::{
    access::node_levels::Member,
    areas::{
        content::computed::pages_of,
        library::{
            spaces::{
                self,
                new_space::{FirstContent, NewSpace},
            },
            tree::{self, store::NewNode},
        },
        organizations::default_site::{CreatedSite, DefaultSites, PreparedSite, WantedSite},
        publishing::{sites::create::NewSite, structure::site},
        specifications::Specifications,
    },
};

/// The slug of the specification.
const SPECIFICATION: &str = "api";

pub struct SiteWithContent {
    owner: Member,
    specification: Option<NewSource>,
    space: NewSpace,
    site: NewSite,
}

impl Specifications {
    async fn prepare_site(&self, owner: Member, wanted: WantedSite) -> Result<SiteWithContent, ApiError> {
        let WantedSite {
            title,
            openapi_url,
            preferences,
        } = wanted;
        let specification = match openapi_url {
            Some(url) => {
                let source = OpenApiSpecSource::OpenApiSpecSourceUrl(OpenApiSpecSourceUrl { url });
                Some(NewSource::store(&self.kernel, source).await?)
            }
            None => None,
        };
        let (content, space_title) = match specification {
            Some(_) => {
                let pages = pages_of(SPECIFICATION.to_owned(), None)?;
                (FirstContent::Computed(SPECIFICATION.to_owned(), pages), "API reference")
            }
            None => (first_content(preferences.as_ref()), "Documentation"),
        };
        let node = NewNode::new(&self.kernel, NodeKind::Space, None, space_title.to_owned());
        let space = node.id;
        let row = spaces::new_row(space, None, self.kernel.ids.next())?;
        let is_adaptive = preferences.as_ref().is_some_and(is_adaptive);
        let site = CreateSite {
            visibility: visibility(preferences.and_then(|preferences| preferences.audience.0)),
            spaces: Some(vec![space]),
            ..titled(&title)?
        };
        Ok(SiteWithContent {
            owner,
            specification,
            space: NewSpace::prepare(&self.contents, &owner, (node, row), content).await?,
            site: NewSite::new(&self.kernel, owner.organization, site).with_adaptive_content(is_adaptive),
        })
    }
}

impl DefaultSites for Specifications {
    fn prepare(&self, owner: Member, wanted: WantedSite) -> BoxFuture<'_, Result<Arc<dyn PreparedSite>, ApiError>> {
        async move { Ok(Arc::new(self.prepare_site(owner, wanted).await?) as Arc<dyn PreparedSite>) }.boxed()
    }
}

impl PreparedSite for SiteWithContent {
    fn insert<'a>(&'a self, tx: &'a Tx) -> BoxFuture<'a, Result<CreatedSite, ApiError>> {
        self.insert_rows(tx).boxed()
    }
}

impl SiteWithContent {
    async fn insert_rows(&self, tx: &Tx) -> Result<CreatedSite, ApiError> {
        let Self {
            owner,
            specification,
            space,
            site,
        } = self;
        let mut targets = Vec::new();
        if let Some(source) = specification {
            let row = source.insert(tx, owner.organization, SPECIFICATION.to_owned()).await?;
            targets.push(openapi_specs::target(&row));
        }
        targets.push(tree::target(&space.insert(tx, owner).await?));
        let row = site.insert(tx, owner).await?;
        targets.push(site::target(&row));
        Ok(CreatedSite { id: row.id, targets })
    }
}

fn first_content(preferences: Option<&OnboardingPreferences>) -> FirstContent {
    match preferences.and_then(|preferences| preferences.source.0) {
        Some(Source::MarkdownInGit | Source::Import) => FirstContent::Nothing,
        Some(Source::Template) => {
            let is_api = preferences.is_some_and(|preferences| preferences.interests.contains(&Interest::ApiDocs));
            let id = if is_api {
                "builtin:api-reference"
            } else {
                "builtin:product-guide"
            };
            let template = ApplyTemplate {
                id: id.to_owned(),
                params: None,
            };
            FirstContent::Template(template, "/body/onboardingPreferences/source")
        }
        None => FirstContent::Page,
    }
}

fn visibility(audience: Option<Audience>) -> SiteVisibility {
    match audience {
        None | Some(Audience::Public | Audience::Mixed) => SiteVisibility::Public,
        Some(Audience::Protected | Audience::Internal) => SiteVisibility::VisitorAuth,
    }
}

fn is_adaptive(preferences: &OnboardingPreferences) -> bool {
    preferences.audience.0 == Some(Audience::Mixed) || preferences.interests.contains(&Interest::AdaptiveContent)
}

/// A site with this title, or with the default one if the title does not fit.
fn titled(title: &str) -> Result<CreateSite, ApiError> {
    let default: CreateSite = serde_json::from_value(json!({}))?;
    let titled = CreateSite {
        title: title.to_owned(),
        ..default.clone()
    };
    Ok(if titled.validate().is_ok() { titled } else { default })
}
