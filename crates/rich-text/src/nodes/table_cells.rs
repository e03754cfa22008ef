//! References and plain text of table cells.

use openapi::{
    models::{
        BlockTable, ContentRef, ContentRefFile, ContentRefUser, DocumentTableDefinition, DocumentTableObjectValue,
        DocumentTableValue,
    },
    values::Inner as _,
};

use super::table_layout;
use crate::resolver::{ReferenceRole, from_media};

use DocumentTableDefinition as Definition;
use DocumentTableValue as Value;

/// Returns the references row by row, in column order.
pub fn references(table: &BlockTable) -> Vec<(ReferenceRole, ContentRef)> {
    let columns = table_layout::columns(table);
    let mut references = Vec::new();
    for record in table_layout::sorted_records(table) {
        for column in &columns {
            if let (Some(definition), Some(value)) =
                (table.data.definition.get(*column), table_layout::value(record, column))
            {
                append_references(definition, value, &mut references);
            }
        }
    }
    references
}

/// Returns the references of all values, also of those that do not fit their column or have none.
pub fn stored_references(table: &BlockTable) -> Vec<(ReferenceRole, ContentRef)> {
    let mut references = Vec::new();
    for record in table.data.records.values() {
        for (column, value) in record.values.keys().zip(record.values.values()) {
            if let Some(value) = value.inner() {
                append_stored_references(table.data.definition.get(column), value, &mut references);
            }
        }
    }
    references
}

fn append_stored_references(
    definition: Option<&Definition>,
    value: &Value,
    references: &mut Vec<(ReferenceRole, ContentRef)>,
) {
    let before = references.len();
    if let Some(definition) = definition {
        append_references(definition, value, references);
    }
    if let Value::Object(value) = value
        && references.len() == before
    {
        references.push(match &**value {
            DocumentTableObjectValue::ContentRef(it) => (ReferenceRole::Link, it.clone()),
            DocumentTableObjectValue::DocumentTableImageRecord(it) => (ReferenceRole::Media, from_media(&it.r#ref)),
        });
    }
}

fn append_references(definition: &Definition, value: &Value, references: &mut Vec<(ReferenceRole, ContentRef)>) {
    match (definition, value) {
        (Definition::DocumentTableDefinitionFiles(_), Value::Array(ids)) => {
            references.extend(ids.iter().map(|id| (ReferenceRole::File, file_reference(id))));
        }
        (Definition::DocumentTableDefinitionUsers(_), Value::Array(ids)) => {
            references.extend(ids.iter().map(|id| (ReferenceRole::Link, user_reference(id))));
        }
        (Definition::DocumentTableDefinitionContentRef(_), Value::Object(value)) => {
            if let DocumentTableObjectValue::ContentRef(it) = &**value {
                references.push((ReferenceRole::Link, it.clone()));
            }
        }
        (Definition::DocumentTableDefinitionImage(_), Value::Object(value)) => {
            let image = match &**value {
                DocumentTableObjectValue::ContentRef(it) => it.clone(),
                DocumentTableObjectValue::DocumentTableImageRecord(it) => from_media(&it.r#ref),
            };
            references.push((ReferenceRole::Media, image));
        }
        _ => {}
    }
}

pub fn file_reference(id: &str) -> ContentRef {
    ContentRef::ContentRefFile(ContentRefFile {
        kind: Default::default(),
        file: id.to_owned(),
        space: None,
    })
}

fn user_reference(id: &str) -> ContentRef {
    ContentRef::ContentRefUser(ContentRefUser {
        kind: Default::default(),
        user: id.to_owned(),
    })
}

/// Returns the plain text of a value other than a text fragment; `None` if the value is only a reference.
pub fn plain_text(definition: &Definition, value: &Value) -> Option<String> {
    match (definition, value) {
        (
            Definition::DocumentTableDefinitionNumber(_) | Definition::DocumentTableDefinitionRating(_),
            Value::Number(number),
        ) => Some(number.to_string()),
        (Definition::DocumentTableDefinitionSelect(select), Value::Array(values)) => {
            let label = |value: &String| {
                let option = select.options.iter().find(|option| option.value == *value);
                option.map_or(value.clone(), |option| option.label.clone())
            };
            Some(values.iter().map(label).collect::<Vec<String>>().join(" "))
        }
        (Definition::DocumentTableDefinitionImage(_), Value::Object(value)) => match &**value {
            DocumentTableObjectValue::DocumentTableImageRecord(image) => image.alt.clone(),
            DocumentTableObjectValue::ContentRef(_) => None,
        },
        _ => None,
    }
}

/// Returns the title of a column.
pub fn title(definition: &Definition) -> &str {
    match definition {
        Definition::DocumentTableDefinitionText(it) => &it.title,
        Definition::DocumentTableDefinitionNumber(it) => &it.title,
        Definition::DocumentTableDefinitionCheckbox(it) => &it.title,
        Definition::DocumentTableDefinitionFiles(it) => &it.title,
        Definition::DocumentTableDefinitionContentRef(it) => &it.title,
        Definition::DocumentTableDefinitionImage(it) => &it.title,
        Definition::DocumentTableDefinitionUsers(it) => &it.title,
        Definition::DocumentTableDefinitionRating(it) => &it.title,
        Definition::DocumentTableDefinitionSelect(it) => &it.title,
    }
}
