//! Sources of computed pages that requests name.

use content::pages::{ComputedPages, PinnedVersion};
use entity::ids::{NodeId, OrganizationId};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{ComputedPagesProps, ComputedPagesSource, IntegrationPagesSource, PagesSource},
};
use serde_json::Value;

use super::{OPENAPI, SPECIFICATION, Specification, WantedSpecification};

use crate::areas::content::Contents;

/// A source that exists.
#[derive(Debug, Clone)]
pub struct KnownSource {
    pub pages: ComputedPages,
    pub specification: Specification,
}

impl Contents {
    /// Checks a source that a request names at `pointer`. Returns a title for its pages, and the source as placeholders have it.
    pub async fn known_pages(
        &self,
        (space, organization): (NodeId, OrganizationId),
        pointer: &str,
        source: PagesSource,
    ) -> Result<(String, ComputedPages), ApiError> {
        match source {
            PagesSource::ComputedPagesSource(source) => {
                let known = self.known_source(organization, pointer, &source).await?;
                Ok((known.specification.slug, known.pages))
            }
            PagesSource::IntegrationPagesSource(IntegrationPagesSource {
                r#type: kind, props, ..
            }) => {
                let title = match integration_of(&kind) {
                    Some((integration, source)) => {
                        let found = self
                            .integrations
                            .content_source(organization, space, integration, source);
                        found.await?
                    }
                    None => None,
                };
                let pages = ComputedPages {
                    kind,
                    props,
                    specifications: Default::default(),
                    versions: Default::default(),
                };
                Ok((title.ok_or_else(|| unknown_content_source(pointer))?, pages))
            }
        }
    }

    /// Checks a specification that a request names at `pointer`.
    pub async fn known_source(
        &self,
        organization: OrganizationId,
        pointer: &str,
        source: &ComputedPagesSource,
    ) -> Result<KnownSource, ApiError> {
        let spec = &source.dependencies.spec;
        let wanted = WantedSpecification::from(spec);
        let is_pinned = wanted.version.is_some();
        let found = self.specification(organization, wanted).await?;
        let found = found.filter(|found| found.version.is_some() || !is_pinned);
        let specification = found.ok_or_else(|| unknown_source(pointer))?;
        let pinned = specification
            .version
            .filter(|_| is_pinned)
            .map(|version| PinnedVersion {
                specification: specification.id.to_string(),
                slug: specification.slug.clone(),
                version: version.to_string(),
            });
        let pinned = pinned.into_iter();
        let pages = ComputedPages {
            versions: pinned.map(|pinned| (SPECIFICATION.to_owned(), pinned)).collect(),
            ..pages_of(spec.r#ref.spec.clone(), source.props.as_ref())?
        };
        Ok(KnownSource { pages, specification })
    }
}

/// The names of the integration and of its content source in the type of a source. `None`: the type is another one.
pub fn integration_of(kind: &str) -> Option<(&str, &str)> {
    kind.strip_prefix("integration:")?.split_once(':')
}

/// The pages of the latest version of a specification.
pub fn pages_of(slug: String, props: Option<&ComputedPagesProps>) -> Result<ComputedPages, ApiError> {
    let props = match props {
        Some(props) => serde_json::from_value(serde_json::to_value(props)?)?,
        None => [("models".to_owned(), Value::Bool(true))].into(),
    };
    Ok(ComputedPages {
        kind: OPENAPI.to_owned(),
        props,
        specifications: [(SPECIFICATION.to_owned(), slug)].into(),
        versions: Default::default(),
    })
}

/// The error for a type that is no content source in the space. `pointer` is that of the source.
pub fn unknown_content_source(pointer: &str) -> ApiError {
    let message = "`type` is not a content source of an integration that is active on the space.";
    ApiError::invalid_member(format!("{pointer}/type"), ErrorRule::UnknownSource, message)
}

/// The error for a specification or a version that the organization does not have. `pointer` is that of the source.
pub fn unknown_source(pointer: &str) -> ApiError {
    ApiError::invalid_member(
        format!("{pointer}/dependencies/spec"),
        ErrorRule::UnknownSource,
        "`dependencies.spec` is not an OpenAPI specification of the organization, or not a version of it.",
    )
}
