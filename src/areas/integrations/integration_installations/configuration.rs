//! Configurations of installations: their form, which the integration declares, and how they are stored.

use std::collections::BTreeMap;

use entity::{
    ids::{ContentInstallationId, IntegrationInstallationId},
    integrations::{self, content_installations, installations},
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::{
        ErrorDetail, IntegrationConfiguration, IntegrationConfigurationSchema, IntegrationConfigurations,
        IntegrationProperty,
    },
};
use platform::secrets::Secrets;
use serde_json::Value;

use crate::{
    areas::integrations::{integrations::manifest::default, place::PlaceKind},
    kernel::Kernel,
};

/// A configuration by its properties.
pub type Configuration = BTreeMap<String, Value>;

/// The most bytes of a configuration as JSON.
const MAX_BYTES: usize = 32_768;

/// How deep a configuration is nested at most.
const MAX_DEPTH: usize = 16;

/// The most members and items of a configuration.
const MAX_VALUES: usize = 1_000;

/// Where a request has a configuration.
const POINTER: &str = "/body/configuration";

/// The form of a configuration. `None`: any object, which is never needed.
pub struct Form(Option<IntegrationConfiguration>);

impl Form {
    /// The form of the configuration on an organization.
    pub fn of_organization(integration: &integrations::Model) -> Result<Self, ApiError> {
        Ok(Self(configurations(integration)?.and_then(|forms| forms.account)))
    }

    /// The form of the configuration on a space or a site.
    pub fn of_place(integration: &integrations::Model, kind: PlaceKind) -> Result<Self, ApiError> {
        Ok(Self(configurations(integration)?.and_then(|forms| kind.form(forms))))
    }

    fn schema(&self) -> Option<&IntegrationConfigurationSchema> {
        match &self.0 {
            Some(IntegrationConfiguration::IntegrationConfigurationSchema(schema)) => Some(schema),
            Some(IntegrationConfiguration::IntegrationConfigurationComponent(_)) | None => None,
        }
    }

    /// A configuration with the defaults of the properties that it does not have.
    pub fn complete(&self, mut configuration: Configuration) -> Configuration {
        for (name, property) in self.schema().into_iter().flat_map(|schema| &schema.properties) {
            if let Some(default) = default(property) {
                configuration.entry(name.clone()).or_insert(default);
            }
        }
        configuration
    }

    /// Refuses a configuration that does not have the form, with everything that is wrong. It may be incomplete.
    pub fn check(&self, configuration: &Configuration) -> Result<(), ApiError> {
        check_size(configuration)?;
        let Some(schema) = self.schema() else {
            return Ok(());
        };
        let problem = |(name, value): (&String, &Value)| {
            let pointer = format!("{POINTER}/{}", name.replace('~', "~0").replace('/', "~1"));
            let message = match schema.properties.get(name) {
                Some(property) => refusal(property, value)?,
                None => format!("The configuration has no property `{name}`."),
            };
            let code = ErrorRule::Configuration;
            Some(ErrorDetail { pointer, code, message })
        };
        ApiError::refuse(configuration.iter().filter_map(problem).collect())
    }

    /// Returns whether nothing is missing: the required properties have values, or the script has written something in place of a
    /// component.
    pub fn is_complete(&self, configuration: &Configuration) -> bool {
        match &self.0 {
            None => true,
            Some(IntegrationConfiguration::IntegrationConfigurationComponent(_)) => !configuration.is_empty(),
            Some(IntegrationConfiguration::IntegrationConfigurationSchema(schema)) => {
                let mut required = schema.required.iter().flatten();
                required.all(|name| configuration.contains_key(name))
            }
        }
    }
}

fn configurations(integration: &integrations::Model) -> Result<Option<IntegrationConfigurations>, ApiError> {
    match integration.manifest.get("configurations") {
        Some(configurations) => Ok(serde_json::from_value(configurations.clone())?),
        None => Ok(None),
    }
}

/// What is wrong with the value of a property. A button has what the script writes.
fn refusal(property: &IntegrationProperty, value: &Value) -> Option<String> {
    let other_type = |name: &str| Some(format!("The value has to be a {name}."));
    match property {
        IntegrationProperty::IntegrationPropertyString(text) => match (value.as_str(), &text.r#enum) {
            (None, _) => other_type("string"),
            (Some(value), Some(allowed)) if !allowed.iter().any(|one| one == value) => {
                Some(format!("The value has to be one of: {}.", allowed.join(", ")))
            }
            (Some(_), _) => None,
        },
        IntegrationProperty::IntegrationPropertyNumber(_) if !value.is_number() => other_type("number"),
        IntegrationProperty::IntegrationPropertyBoolean(_) if !value.is_boolean() => other_type("boolean"),
        _ => None,
    }
}

fn check_size(configuration: &Configuration) -> Result<(), ApiError> {
    let refuse = |message: String| Err(ApiError::invalid_member(POINTER, ErrorRule::Configuration, message));
    let mut left = MAX_VALUES;
    for value in configuration.values() {
        if !fits(value, MAX_DEPTH - 1, &mut left) {
            return refuse(format!(
                "A configuration is nested at most {MAX_DEPTH} deep, and has at most {MAX_VALUES} members and items."
            ));
        }
    }
    if serde_json::to_vec(configuration)?.len() > MAX_BYTES {
        return refuse(format!("A configuration has at most {MAX_BYTES} bytes as JSON."));
    }
    Ok(())
}

/// Returns whether a value is nested at most `depth` deep, and has at most `left` values.
fn fits(value: &Value, depth: usize, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| fits(item, depth - 1, left)),
        Value::Object(members) => depth > 0 && members.values().all(|member| fits(member, depth - 1, left)),
        _ => true,
    }
}

/// Seals a configuration for the row of an installation on an organization.
pub fn seal(
    kernel: &Kernel,
    installation: IntegrationInstallationId,
    configuration: &Configuration,
) -> Result<Vec<u8>, ApiError> {
    seal_for(kernel, &of_organization(installation), configuration)
}

/// Seals a configuration for the row of an installation on a space or a site.
pub fn seal_at_place(
    kernel: &Kernel,
    installation: ContentInstallationId,
    configuration: &Configuration,
) -> Result<Vec<u8>, ApiError> {
    seal_for(kernel, &of_place(installation), configuration)
}

/// The configuration of an installation on an organization.
pub fn open(kernel: &Kernel, row: &installations::Model) -> Result<Configuration, ApiError> {
    open_for(&kernel.secrets, &of_organization(row.id), &row.configuration)
}

/// The configuration of an installation on a space or a site.
pub fn open_at_place(kernel: &Kernel, row: &content_installations::Model) -> Result<Configuration, ApiError> {
    open_with(&kernel.secrets, row)
}

/// The same for hooks, which have no kernel.
pub fn open_with(secrets: &Secrets, row: &content_installations::Model) -> Result<Configuration, ApiError> {
    open_for(secrets, &of_place(row.id), &row.configuration)
}

fn of_organization(installation: IntegrationInstallationId) -> String {
    format!("configuration of the installation {installation}")
}

fn of_place(installation: ContentInstallationId) -> String {
    format!("configuration of the content installation {installation}")
}

fn seal_for(kernel: &Kernel, purpose: &str, configuration: &Configuration) -> Result<Vec<u8>, ApiError> {
    let sealed = kernel.secrets.seal(purpose, &serde_json::to_vec(configuration)?);
    sealed.map_err(ApiError::internal)
}

fn open_for(secrets: &Secrets, purpose: &str, sealed: &[u8]) -> Result<Configuration, ApiError> {
    let opened = secrets.open(purpose, sealed).map_err(ApiError::internal)?;
    Ok(serde_json::from_slice(&opened)?)
}
