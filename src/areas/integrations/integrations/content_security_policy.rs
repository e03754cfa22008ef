//! Content security policies, as manifests write them and as headers carry them.

use openapi::{
    error::{ApiError, ErrorRule},
    models::IntegrationContentSecurityPolicy,
};
use serde_json::{Map, Value};

/// A policy in one line, without a semicolon at its end. The contract allows no characters but those of headers and line breaks.
pub fn normalize(policy: IntegrationContentSecurityPolicy) -> Result<IntegrationContentSecurityPolicy, ApiError> {
    let normalized = match serde_json::to_value(policy)? {
        Value::String(policy) => Value::String(one_line(&policy)),
        Value::Object(directives) => Value::Object(normalize_directives(directives)?),
        other => other,
    };
    Ok(serde_json::from_value(normalized)?)
}

fn normalize_directives(directives: Map<String, Value>) -> Result<Map<String, Value>, ApiError> {
    let normalized = directives.into_iter().map(|(name, value)| {
        let value = one_line(value.as_str().unwrap_or_default());
        if value.contains(';') {
            let message = format!("`{name}` has a semicolon, which would begin another directive.");
            let pointer = format!("/body/contentSecurityPolicy/{name}");
            return Err(ApiError::invalid_member(
                pointer,
                ErrorRule::ContentSecurityPolicy,
                message,
            ));
        }
        Ok((name, Value::String(value)))
    });
    normalized.collect()
}

fn one_line(text: &str) -> String {
    let line = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_end_matches([';', ' ']).to_owned()
}

/// The value of the header `Content-Security-Policy` for a stored policy.
pub fn header(policy: &IntegrationContentSecurityPolicy) -> Result<String, ApiError> {
    Ok(match serde_json::to_value(policy)? {
        Value::Object(directives) => {
            let directives = directives.iter().map(|(name, value)| {
                let directive = format!("{name} {}", value.as_str().unwrap_or_default());
                directive.trim_end().to_owned()
            });
            directives.collect::<Vec<_>>().join("; ")
        }
        policy => policy.as_str().unwrap_or_default().to_owned(),
    })
}
