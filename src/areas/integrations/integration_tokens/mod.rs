//! Tokens of installations, for the integration itself.

use entity::{
    ids::IntegrationInstallationId,
    integrations::installations::{Column, Entity},
};
use openapi::{
    error::ApiError, models::IntegrationInstallationToken, operations::integration_tokens::IntegrationTokensApi,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::{
    access::integration_tokens::TokenSubject,
    areas::integrations::{Integrations, integration_access::IntegrationAccess},
};

impl IntegrationTokensApi for Integrations {
    async fn create_integration_installation_token(
        &self,
        access: IntegrationAccess,
        installation_id: IntegrationInstallationId,
    ) -> Result<IntegrationInstallationToken, ApiError> {
        let found = Entity::find_by_id(installation_id).filter(Column::IntegrationId.eq(access.row.id));
        let found = found.one(self.kernel.db.read()).await?;
        let installation = found.ok_or_else(|| ApiError::not_found("installation"))?;
        let subject = TokenSubject::Installation(installation.id);
        let token = self.access.integration_tokens.sign(subject, self.kernel.clock.now());
        Ok(IntegrationInstallationToken { token })
    }
}
