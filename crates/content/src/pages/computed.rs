//! Sources of computed pages.

use std::collections::BTreeMap;

use openapi::models::{
    ComputedDependency, ComputedDependencyRef, ComputedDependencyValue, ComputedSource, ContentRefOpenApi,
    OpenApiDependencyState,
};
use openapi::values::Maybe;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The source from which pages are computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComputedPages {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub props: BTreeMap<String, Value>,
    /// The OpenAPI specifications that the pages depend on, by the names of the dependencies.
    #[serde(default)]
    pub specifications: BTreeMap<String, String>,
    /// The versions that the pages are computed from, by the names of the dependencies. Others follow the latest version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, PinnedVersion>,
}

/// A version of an OpenAPI specification that stays when there is a newer one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedVersion {
    pub specification: String,
    pub slug: String,
    pub version: String,
}

impl From<&PinnedVersion> for ComputedDependencyValue {
    fn from(pinned: &PinnedVersion) -> Self {
        Self::OpenApiDependencyState(OpenApiDependencyState {
            object: Default::default(),
            id: pinned.specification.clone(),
            slug: pinned.slug.clone(),
            last_version: Some(pinned.version.clone()),
        })
    }
}

impl From<&ComputedPages> for ComputedSource {
    fn from(source: &ComputedPages) -> Self {
        let dependencies = source.specifications.iter().map(|(name, spec)| {
            let reference = ContentRefOpenApi {
                kind: Default::default(),
                spec: spec.clone(),
            };
            let dependency = ComputedDependency {
                r#ref: ComputedDependencyRef::ContentRefOpenApi(reference),
                value: source
                    .versions
                    .get(name)
                    .map_or(Maybe::Absent, |it| Maybe::Value(it.into())),
            };
            (name.clone(), dependency)
        });
        Self {
            r#type: source.kind.clone(),
            props: source.props.clone(),
            dependencies: Some(dependencies.collect()).filter(|all: &BTreeMap<_, _>| !all.is_empty()),
        }
    }
}
