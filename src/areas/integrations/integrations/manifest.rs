//! The rules of manifests that the contract does not know, and their stored form.

use std::collections::BTreeSet;

use openapi::{
    error::{ApiError, ErrorRule},
    models::{
        ErrorDetail, IntegrationBlock, IntegrationConfiguration, IntegrationConfigurationSchema,
        IntegrationConfigurations, IntegrationContentSecurityPolicy, IntegrationContentSource, IntegrationExternalLink,
        IntegrationProperty,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::areas::integrations::place::PlaceKind;

/// The longest name of a property of a configuration.
const MAX_PROPERTY_NAME: usize = 100;

/// What is stored of a manifest in one column, and answered as it is.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub blocks: Vec<IntegrationBlock>,
    pub content_sources: Vec<IntegrationContentSource>,
    pub configurations: Option<IntegrationConfigurations>,
    pub external_links: Vec<IntegrationExternalLink>,
    pub content_security_policy: Option<IntegrationContentSecurityPolicy>,
}

impl Manifest {
    /// Lists every broken rule in one error.
    pub fn check(&self) -> Result<(), ApiError> {
        let mut refused = Vec::new();
        let ids = self.blocks.iter().map(|block| block.id.as_str());
        refuse_repeated(ids, |i| format!("/body/blocks/{i}/id"), &mut refused);
        let ids = self.content_sources.iter().map(|source| source.id.as_str());
        refuse_repeated(ids, |i| format!("/body/contentSources/{i}/id"), &mut refused);
        self.check_languages(&mut refused);
        self.check_addresses(&mut refused);
        self.check_configurations(&mut refused);
        ApiError::refuse(refused)
    }

    /// A block of code is a block of one integration only.
    fn check_languages(&self, refused: &mut Vec<ErrorDetail>) {
        let mut seen = BTreeSet::new();
        for (i, block) in self.blocks.iter().enumerate() {
            if let Some(markdown) = &block.markdown
                && !seen.insert(markdown.codeblock.as_str())
            {
                let pointer = format!("/body/blocks/{i}/markdown/codeblock");
                refused.push(detail(pointer, ErrorRule::Unique, "Another block has this language."));
            }
        }
    }

    fn check_addresses(&self, refused: &mut Vec<ErrorDetail>) {
        for (i, block) in self.blocks.iter().enumerate() {
            let addresses = block.url_unfurl.iter().flatten().enumerate();
            for (j, _) in addresses.filter(|(_, address)| host_of(address).is_none()) {
                let pointer = format!("/body/blocks/{i}/urlUnfurl/{j}");
                refused.push(detail(pointer, ErrorRule::Address, "The address names no host."));
            }
        }
    }

    fn check_configurations(&self, refused: &mut Vec<ErrorDetail>) {
        let Some(configurations) = &self.configurations else {
            return;
        };
        let IntegrationConfigurations { account, space, site } = configurations;
        for (level, configuration) in [("account", account), ("space", space), ("site", site)] {
            if let Some(IntegrationConfiguration::IntegrationConfigurationSchema(schema)) = configuration {
                check_schema(schema, &format!("/body/configurations/{level}"), refused);
            }
        }
    }

    /// Returns whether the defaults are a complete configuration on a space or a site.
    pub fn works_unconfigured_on(&self, kind: PlaceKind) -> bool {
        let form = self.configurations.clone().and_then(|forms| kind.form(forms));
        match form {
            None => true,
            Some(IntegrationConfiguration::IntegrationConfigurationComponent(_)) => false,
            Some(IntegrationConfiguration::IntegrationConfigurationSchema(schema)) => {
                let mut required = schema.required.iter().flatten();
                required.all(|name| schema.properties.get(name).and_then(default).is_some())
            }
        }
    }

    /// The hosts of the addresses that become blocks, each between line feeds.
    pub fn block_domains(&self) -> String {
        let addresses = self.blocks.iter().flat_map(|block| block.url_unfurl.iter().flatten());
        let hosts: BTreeSet<String> = addresses.filter_map(|address| host_of(address)).collect();
        let lines = hosts.into_iter().map(|host| format!("\n{host}\n"));
        lines.collect()
    }
}

/// The value of a property in a configuration that does not have it.
pub fn default(property: &IntegrationProperty) -> Option<Value> {
    match property {
        IntegrationProperty::IntegrationPropertyString(text) => text.default.as_ref().map(|text| json!(text)),
        IntegrationProperty::IntegrationPropertyNumber(number) => number.default.as_ref().map(|number| json!(number)),
        IntegrationProperty::IntegrationPropertyBoolean(flag) => flag.default.as_ref().map(|flag| json!(flag)),
        IntegrationProperty::IntegrationPropertyButton(_) => None,
    }
}

fn refuse_repeated<'a>(
    names: impl Iterator<Item = &'a str>,
    pointer: impl Fn(usize) -> String,
    refused: &mut Vec<ErrorDetail>,
) {
    let mut seen = BTreeSet::new();
    for (i, name) in names.enumerate() {
        if !seen.insert(name) {
            let message = format!("`{name}` is used already.");
            refused.push(detail(pointer(i), ErrorRule::Unique, message));
        }
    }
}

fn check_schema(schema: &IntegrationConfigurationSchema, pointer: &str, refused: &mut Vec<ErrorDetail>) {
    let rule = ErrorRule::ConfigurationSchema;
    for (name, property) in &schema.properties {
        if !is_property_name(name) {
            let message = "The name of a property has 1 to 100 letters, digits, `_`, `.` and `-`.";
            refused.push(detail(format!("{pointer}/properties"), rule, message));
        }
        if let IntegrationProperty::IntegrationPropertyString(text) = property
            && let (Some(default), Some(allowed)) = (&text.default, &text.r#enum)
            && !allowed.contains(default)
        {
            let pointer = format!("{pointer}/properties");
            let message = format!("The default of `{name}` is not in its `enum`.");
            refused.push(detail(pointer, rule, message));
        }
    }
    for (i, name) in schema.required.iter().flatten().enumerate() {
        if !schema.properties.contains_key(name) {
            let message = format!("There is no property `{name}`.");
            refused.push(detail(format!("{pointer}/required/{i}"), rule, message));
        }
    }
}

fn is_property_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=MAX_PROPERTY_NAME).contains(&name.len()) && name.chars().all(is_allowed)
}

/// The host of an address, or of a pattern of addresses, in lower case.
fn host_of(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty()).then(|| host.to_lowercase())
}

fn detail(pointer: String, code: ErrorRule, message: impl Into<String>) -> ErrorDetail {
    ErrorDetail {
        pointer,
        code,
        message: message.into(),
    }
}
