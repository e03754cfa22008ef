//! Specifications and versions on the wire.

use entity::specifications::openapi_specs::{self, Model, OpenapiSpecVisibility, versions};
use openapi::{
    answer::Created,
    enums::Enumeration,
    error::ApiError,
    guard::OrganizationLevel,
    models::{
        self, OpenApiErrorObject, OpenApiSpec, OpenApiSpecPermissions, OpenApiSpecUrls, OpenApiSpecVersion,
        OpenApiSpecVersionUrls,
    },
};

use super::problems::StoredProblem;

use crate::{
    access::OrganizationAccess,
    kernel::{
        Kernel,
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    OpenapiSpecVisibility = models::OpenApiSpecVisibility { Private, Public }
    openapi_specs::OpenapiSpecProcessingState as models::OpenApiSpecProcessingState { Pending, Progress, Complete }
    openapi_specs::OpenapiSpecErrorCode as models::OpenApiSpecProcessingErrorCode {
        FetchTimeout, FetchError, ParseError
    }
}

/// How a caller sees the specifications of an organization.
pub struct Views<'a> {
    urls: &'a Urls,
    access: &'a OrganizationAccess,
}

impl<'a> Views<'a> {
    pub fn of(kernel: &'a Kernel, access: &'a OrganizationAccess) -> Self {
        Self {
            urls: &kernel.urls,
            access,
        }
    }

    pub fn created(&self, row: Model) -> Result<Created<OpenApiSpec>, ApiError> {
        Ok(Created {
            location: self.urls.openapi_spec(row.organization_id, &row.slug),
            body: self.spec(row)?,
        })
    }

    pub fn spec(&self, row: Model) -> Result<OpenApiSpec, ApiError> {
        let is_published = row.visibility == OpenapiSpecVisibility::Public && row.last_version_id.is_some();
        let problems: Vec<StoredProblem> = serde_json::from_value(row.errors)?;
        let code = row.error_code.map(ToWire::to_wire);
        let errors: Vec<_> = problems
            .into_iter()
            .map(|problem| error_object(code, problem))
            .collect();
        let level = self.access.level();
        Ok(OpenApiSpec {
            object: Default::default(),
            id: row.id.to_string(),
            created_at: time(row.created_at),
            updated_at: time(row.updated_at),
            source_url: row.source_url,
            processing_state: row.processing_state.to_wire(),
            visibility: Some(row.visibility.to_wire()),
            last_version: row.last_version_id.map(|id| id.to_string()),
            last_processed_at: row.last_processed_at.map(time),
            last_process_error_code: code,
            last_processed_errors: (!errors.is_empty()).then_some(errors),
            last_processed_error_count: u64::try_from(row.error_count).unwrap_or_default(),
            permissions: OpenApiSpecPermissions {
                view: level >= OrganizationLevel::Read,
                edit: level >= OrganizationLevel::Create,
            },
            urls: OpenApiSpecUrls {
                location: self.urls.openapi_spec(row.organization_id, &row.slug),
                app: self.urls.openapi_spec_page(row.organization_id, &row.slug),
                published: is_published.then(|| self.urls.published_openapi_spec(row.id)),
            },
            slug: row.slug,
        })
    }

    pub fn version(&self, slug: &str, row: versions::Model) -> OpenApiSpecVersion {
        let organization = self.access.organization;
        OpenApiSpecVersion {
            object: Default::default(),
            id: row.id.to_string(),
            created_at: time(row.created_at),
            url: self.urls.openapi_document(row.id),
            urls: OpenApiSpecVersionUrls {
                location: self.urls.openapi_spec_version(organization, slug, row.id),
            },
        }
    }
}

fn error_object(code: Option<models::OpenApiSpecProcessingErrorCode>, problem: StoredProblem) -> OpenApiErrorObject {
    OpenApiErrorObject {
        message: problem.message,
        code: code.map(|code| code.as_str().to_owned()),
        pointer: problem.pointer,
        line: problem.line,
        column: problem.column,
        document: problem.document,
    }
}
