//! Who may call an operation, as the last line of its description.

use serde_json::Value;

use super::{Source, operations};

pub fn complete(bundle: &mut Value, source: Source<'_>) {
    for (_, _, operation) in operations(bundle) {
        let Some(line) = line(source, operation) else {
            continue;
        };
        let doc = operation.get("description").and_then(Value::as_str).unwrap_or_default();
        let doc = format!("{}\n\n{line}", doc.trim_end());
        operation.insert("description".to_owned(), doc.into());
    }
}

fn line(source: Source<'_>, operation: &serde_json::Map<String, Value>) -> Option<String> {
    let access = source.access(operation)?;
    let needs = access.needs()?.replace("{level}", &format!("`{}`", access.level));
    let or_self = access
        .or_self
        .map(|name| format!(", or to be the person that `{name}` names"));
    Some(format!("**Access:** needs {needs}{}.", or_self.unwrap_or_default()))
}
