//! Instructions of an organization for agents that work on its content.

use entity::{
    ids::OrganizationId,
    organizations::agent_instructions::{ActiveModel, Entity, Model},
};
use openapi::{
    error::ApiError,
    models::{AgentInstructions, AgentInstructionsUrls, UpdateAgentInstructions},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::{
    access::OrganizationAccess,
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        document_targets,
        wire::time,
    },
};

/// The document of an organization without instructions.
pub fn empty() -> Value {
    json!({ "object": "document", "data": {}, "nodes": [] })
}

pub async fn get(kernel: &Kernel, organization: OrganizationId) -> Result<AgentInstructions, ApiError> {
    let found = Entity::find_by_id(organization).one(kernel.db.read()).await?;
    view(kernel, found.ok_or_else(|| ApiError::not_found("organization"))?)
}

pub async fn put(
    kernel: &Kernel,
    access: &OrganizationAccess,
    body: UpdateAgentInstructions,
) -> Result<AgentInstructions, ApiError> {
    let organization = access.organization;
    let UpdateAgentInstructions { instructions } = body;
    document_targets::require_safe("/body/instructions", &instructions)?;
    let row = ActiveModel {
        organization_id: Set(organization),
        instructions: Set(serde_json::to_value(instructions)?),
        updated_at: Set(kernel.clock.now()),
        updated_by: Set(access.caller.user_id),
    };
    let work = move |tx| async move {
        let row = row.update(&tx).await?;
        let target = AuditTarget::in_organization(organization, "agent-instructions", organization);
        Ok(Changed::of(target, row))
    };
    view(kernel, kernel.write(&access.caller, work).await?)
}

fn view(kernel: &Kernel, row: Model) -> Result<AgentInstructions, ApiError> {
    Ok(AgentInstructions {
        object: Default::default(),
        instructions: serde_json::from_value(row.instructions)?,
        updated_at: time(row.updated_at),
        updated_by: row.updated_by.to_string(),
        urls: AgentInstructionsUrls {
            location: kernel.urls.agent_instructions(row.organization_id),
        },
    })
}
