//! Sources of computed pages.

use std::collections::BTreeMap;

use openapi::models::{ComputedDependency, ComputedDependencyRef, ComputedSource, ContentRefOpenApi};
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
                value: Default::default(),
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
