//! The access line at the end of each description, and the `security` of operations that need no token.

use serde_json::{Value, json};

use crate::{
    implied::SCOPE,
    model::{ANY_SCOPE, ANYONE},
};

use super::{Source, operations};

pub fn complete(bundle: &mut Value, source: Source<'_>) {
    for (_, _, operation) in operations(bundle) {
        let Some(line) = line(source, operation) else {
            continue;
        };
        let doc = operation.get("description").and_then(Value::as_str).unwrap_or_default();
        let doc = format!("{}\n\n{line}", doc.trim_end());
        operation.insert("description".to_owned(), doc.into());
        if source.access(operation).is_some_and(|access| access.level == ANYONE) {
            operation.insert("security".to_owned(), json!([{}, { "bearer": [] }]));
        }
    }
}

fn line(source: Source<'_>, operation: &serde_json::Map<String, Value>) -> Option<String> {
    let access = source.access(operation)?;
    let needs = access.needs()?.replace("{level}", &format!("`{}`", access.level));
    let or_self = access
        .or_self
        .map(|name| format!(", or to be the person that `{name}` names"));
    let of_integrations = match operation.get(SCOPE).and_then(Value::as_str) {
        None => String::new(),
        Some(ANY_SCOPE) => " Tokens of integrations and of their installations need no scope.".to_owned(),
        Some(scope) => format!(" An installation of an integration needs the scope `{scope}`."),
    };
    Some(format!(
        "**Access:** needs {needs}{}.{of_integrations}",
        or_self.unwrap_or_default()
    ))
}
