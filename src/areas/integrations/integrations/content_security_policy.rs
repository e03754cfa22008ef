//! Content security policies, as manifests write them and as headers carry them.

use openapi::{error::ApiError, models::IntegrationContentSecurityPolicy};
use serde_json::Value;

/// A policy in one line, without a semicolon at its end. The contract allows no characters but those of headers and line breaks.
pub fn normalize(policy: IntegrationContentSecurityPolicy) -> Result<IntegrationContentSecurityPolicy, ApiError> {
    let normalized = match serde_json::to_value(policy)? {
        Value::String(policy) => Value::String(one_line(&policy)),
        Value::Object(directives) => {
            let directives = directives.into_iter().map(|(name, value)| {
                // A semicolon would begin another directive.
                let value = value.as_str().unwrap_or_default().replace(';', " ");
                (name, Value::String(one_line(&value)))
            });
            Value::Object(directives.collect())
        }
        other => other,
    };
    Ok(serde_json::from_value(normalized)?)
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
