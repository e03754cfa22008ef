//! The claims that sites know of their visitors, on which conditions depend.

use entity::{
    ids::SiteId,
    publishing::sites::adaptive_schemas::{Entity, Model},
};
use expressions::VisitorSchema;
use openapi::{
    error::{ApiError, ErrorRule},
    models::{
        SiteAdaptiveSchema, SiteAdaptiveTemplateCondition, SiteAdaptiveTemplateConditions, UpdateSiteAdaptiveSchema,
    },
    operations::adaptive_content::AdaptiveContentApi,
};
use platform::db::{QueryTemplate, ReadRows, positional, rows};
use sea_orm::EntityTrait;
use serde_json::{Map, Value};

use crate::{
    areas::publishing::{
        Publishing,
        guard::SiteAccess,
        sites,
        structure::site::{lock, target},
    },
    kernel::{audit::Changed, wire::time},
};

impl AdaptiveContentApi for Publishing {
    async fn get_site_adaptive_schema(&self, access: SiteAccess) -> Result<SiteAdaptiveSchema, ApiError> {
        let row = Entity::find_by_id(access.row.id).one(self.kernel.db.read()).await?;
        view(row.ok_or_else(|| ApiError::not_found("adaptive schema"))?)
    }

    async fn update_site_adaptive_schema(
        &self,
        access: SiteAccess,
        body: UpdateSiteAdaptiveSchema,
    ) -> Result<SiteAdaptiveSchema, ApiError> {
        let payload = serde_json::to_value(&body)?;
        let schema = serde_json::to_value(body.json_schema)?;
        VisitorSchema::parse(&schema).map_err(|error| {
            let pointer = format!("/body/jsonSchema{}", error.pointer);
            ApiError::invalid_member(pointer, ErrorRule::VisitorSchema, error.message)
        })?;
        let (organization, site) = (access.member.organization, access.row.id);
        let row = Model {
            site_id: site,
            schema,
            updated_at: self.kernel.clock.now(),
        };
        let work = move |tx| async move {
            let site = lock(&tx, organization, site).await?;
            rows::put(&tx, &row).await?;
            let site = sites::store::update(&tx, site).await?;
            Changed::of(target(&site), row).with(payload)
        };
        view(self.kernel.write(&access.caller, work).await?)
    }

    async fn list_site_adaptive_template_conditions(
        &self,
        access: SiteAccess,
    ) -> Result<SiteAdaptiveTemplateConditions, ApiError> {
        let schema = stored(self.kernel.db.read(), access.row.id).await?.unwrap_or_default();
        let conditions = schema.template_conditions().into_iter();
        let items = conditions.map(|template| SiteAdaptiveTemplateCondition {
            description: template.description,
            condition: template.condition,
        });
        Ok(SiteAdaptiveTemplateConditions { items: items.collect() })
    }
}

/// The claims that conditions see: those of the schema of the site, or all if it has none. What nobody has signed stands in
/// `unsigned` alone.
pub fn known_claims(
    schema: Option<&VisitorSchema>,
    mut signed: Map<String, Value>,
    unsigned: Map<String, Value>,
) -> Map<String, Value> {
    const UNSIGNED: &str = "unsigned";
    let mut claims = match schema {
        Some(schema) => schema.claims(&signed, &unsigned),
        None => {
            signed.insert(UNSIGNED.to_owned(), unsigned.into());
            signed
        }
    };
    claims.retain(|name, value| name != UNSIGNED || value.as_object().is_some_and(|unsigned| !unsigned.is_empty()));
    claims
}

pub async fn stored(db: &impl ReadRows, site: SiteId) -> Result<Option<VisitorSchema>, ApiError> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let row = positional::by_id::<Entity>(db, &TEMPLATE, *site.as_uuid()).await?;
    let schema = row.map(|row| VisitorSchema::parse(&row.schema)).transpose();
    schema.map_err(|error| ApiError::internal(error.message))
}

fn view(row: Model) -> Result<SiteAdaptiveSchema, ApiError> {
    Ok(SiteAdaptiveSchema {
        object: Default::default(),
        json_schema: serde_json::from_value(row.schema)?,
        updated_at: time(row.updated_at),
    })
}
