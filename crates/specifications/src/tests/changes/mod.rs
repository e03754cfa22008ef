//! What is told of two versions of a document.

mod hostile;
mod operations;
mod schemas;

use serde_json::{Value, json};

use crate::{Change, ChangeKind, Changes, Impact, Subject};

fn mark(impact: Impact) -> &'static str {
    match impact {
        Impact::Compatible => "",
        Impact::Unknown => "?",
        Impact::Breaking => "!",
    }
}

fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Changed => "changed",
    }
}

fn subject(change: &Change) -> String {
    match &change.subject {
        Subject::Document => "document".to_owned(),
        Subject::Operation { path, method } => format!("{} {path}", method.unwrap_or("all")),
        Subject::Webhook { name, method } => format!("webhook {} {name}", method.unwrap_or("all")),
        Subject::Definition { kind, name } => format!("{kind:?} {name}"),
    }
}

/// Each change as `kind subject`, with its details below as `kind rule pointer`. `!`: breaking, `?`: unknown.
fn lines(changes: &Changes) -> Vec<String> {
    let mut lines = Vec::new();
    for change in &changes.changes {
        let (mark, verb) = (mark(change.impact), verb(change.kind));
        lines.push(format!("{mark}{verb} {}", subject(change)));
        lines.extend(change.details.iter().map(|detail| {
            let (mark, verb) = (self::mark(detail.impact), self::verb(detail.kind));
            format!("- {mark}{verb} {:?} {}", detail.rule, detail.pointer)
        }));
    }
    lines
}

fn compare(before: &Value, after: &Value) -> Changes {
    let changes = Changes::between(before, after);
    assert!(changes.is_complete, "{changes:?}");
    assert_eq!(changes.count, changes.changes.len());
    changes
}

/// A document with one operation, the body and answer of which is `Thing`.
fn with_schemas(schemas: Value) -> Value {
    let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Thing" } } });
    json!({
        "paths": { "/things": { "post": { "requestBody": { "content": content }, "responses": { "200": { "content": content } } } } },
        "components": { "schemas": schemas },
    })
}
