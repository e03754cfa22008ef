//! The specifications that computed content depends on.

use std::collections::{BTreeSet, HashMap, HashSet};

use content::pages::ComputedPages;
use entity::{
    ids::{NodeId, OpenapiSpecId, OpenapiSpecVersionId, OrganizationId},
    library::nodes,
    specifications::openapi_specs::{Column, Entity, versions},
};
use openapi::{
    models::{OpenApiDependency, OpenApiDependencyState},
    values::Maybe,
};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use serde::Serialize;

use super::SPECIFICATION;

/// A specification as a source names it.
#[derive(Debug, Clone)]
pub struct WantedSpecification {
    /// The slug or the id.
    pub reference: String,
    /// The id of a version. `None`: the latest one.
    pub version: Option<String>,
}

impl WantedSpecification {
    pub fn of(source: &ComputedPages) -> Self {
        let reference = source.specifications.get(SPECIFICATION).cloned().unwrap_or_default();
        let version = source.versions.get(SPECIFICATION).map(|pinned| pinned.version.clone());
        Self { reference, version }
    }
}

impl From<&OpenApiDependency> for WantedSpecification {
    fn from(dependency: &OpenApiDependency) -> Self {
        let version = match &dependency.value {
            Maybe::Value(OpenApiDependencyState { last_version, .. }) => last_version.clone(),
            Maybe::Absent | Maybe::Null => None,
        };
        Self {
            reference: dependency.r#ref.spec.clone(),
            version,
        }
    }
}

/// A specification with the version that content is computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Specification {
    pub id: OpenapiSpecId,
    pub slug: String,
    /// `None`: there is no such version.
    pub version: Option<OpenapiSpecVersionId>,
}

/// The specifications of an organization.
pub fn in_organization(organization: OrganizationId) -> Condition {
    Condition::all().add(Column::OrganizationId.eq(organization))
}

/// The specifications of the organization of spaces.
pub fn in_organization_of(spaces: &[NodeId]) -> Condition {
    let organization = nodes::Entity::find()
        .filter(nodes::Column::Id.is_in(spaces.iter().copied()))
        .select_only()
        .column(nodes::Column::OrganizationId)
        .into_query();
    Condition::all().add(Column::OrganizationId.in_subquery(organization))
}

/// Loads specifications, in the order in which they are wanted.
pub async fn load(
    db: &impl ConnectionTrait,
    scope: Condition,
    wanted: &[WantedSpecification],
) -> Result<Vec<Option<Specification>>, DbErr> {
    // PostgreSQL refuses texts with NUL, which no slug has.
    let names = wanted.iter().map(|wanted| wanted.reference.as_str());
    let names: BTreeSet<&str> = names.filter(|name| !name.is_empty() && !name.contains('\0')).collect();
    if names.is_empty() {
        return Ok(vec![None; wanted.len()]);
    }
    let ids = names.iter().filter_map(|name| name.parse::<OpenapiSpecId>().ok());
    let ids: Vec<OpenapiSpecId> = ids.collect();
    // One after the other: for both at once SQLite reads all specifications of the organization.
    let mut rows = select(db, scope.clone().add(Column::Slug.is_in(names))).await?;
    if !ids.is_empty() {
        rows.extend(select(db, scope.add(Column::Id.is_in(ids))).await?);
    }
    let mut found: HashMap<String, Specification> = HashMap::new();
    // A slug may look like the id of another specification; the slug counts.
    found.extend(rows.iter().map(|row| (row.id.to_string(), row.clone())));
    found.extend(rows.into_iter().map(|row| (row.slug.clone(), row)));
    let pinned = load_pinned(db, wanted, &found).await?;
    Ok(wanted
        .iter()
        .map(|wanted| in_version(&found, &pinned, wanted))
        .collect())
}

async fn select(db: &impl ConnectionTrait, found: Condition) -> Result<Vec<Specification>, DbErr> {
    let rows = Entity::find()
        .select_only()
        .columns([Column::Id, Column::Slug, Column::LastVersionId])
        .filter(found)
        .into_tuple::<(OpenapiSpecId, String, Option<OpenapiSpecVersionId>)>()
        .all(db)
        .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|(id, slug, version)| Specification { id, slug, version })
        .collect())
}

type Versions = HashSet<(OpenapiSpecId, OpenapiSpecVersionId)>;

/// The wanted versions that exist.
async fn load_pinned(
    db: &impl ConnectionTrait,
    wanted: &[WantedSpecification],
    found: &HashMap<String, Specification>,
) -> Result<Versions, DbErr> {
    let ids = wanted
        .iter()
        .filter_map(|wanted| wanted.version.as_deref()?.parse().ok());
    let ids: Vec<OpenapiSpecVersionId> = ids.collect();
    if ids.is_empty() {
        return Ok(Versions::new());
    }
    let of = found.values().map(|specification| specification.id);
    let rows = versions::Entity::find()
        .select_only()
        .columns([versions::Column::SpecId, versions::Column::Id])
        .filter(versions::Column::Id.is_in(ids))
        .filter(versions::Column::SpecId.is_in(of))
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

fn in_version(
    found: &HashMap<String, Specification>,
    pinned: &Versions,
    wanted: &WantedSpecification,
) -> Option<Specification> {
    let latest = found.get(&wanted.reference)?.clone();
    let Some(version) = &wanted.version else {
        return Some(latest);
    };
    let version = version
        .parse()
        .ok()
        .filter(|version| pinned.contains(&(latest.id, *version)));
    Some(Specification { version, ..latest })
}
