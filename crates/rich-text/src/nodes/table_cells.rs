//! References and plain text of table cells.

use openapi::models::{
    BlockTable, ContentRef, ContentRefFile, ContentRefUser, DocumentTableDefinition, DocumentTableObjectValue,
    DocumentTableValue,
};

use super::table_layout;
use crate::resolver::{ReferenceRole, from_media};

use DocumentTableDefinition as Definition;
use DocumentTableValue as Value;

/// Returns the references row by row, in column order.
pub fn references(table: &BlockTable) -> Vec<(ReferenceRole, ContentRef)> {
    let columns = table_layout::columns(table);
    let mut found = Vec::new();
    for record in table_layout::records(table) {
        for column in &columns {
            if let (Some(definition), Some(value)) =
                (table.data.definition.get(*column), table_layout::value(record, column))
            {
                of_value(definition, value, &mut found);
            }
        }
    }
    found
}

fn of_value(definition: &Definition, value: &Value, found: &mut Vec<(ReferenceRole, ContentRef)>) {
    match (definition, value) {
        (Definition::DocumentTableDefinitionFiles(_), Value::Array(ids)) => {
            found.extend(ids.iter().map(|id| (ReferenceRole::File, file(id))));
        }
        (Definition::DocumentTableDefinitionUsers(_), Value::Array(ids)) => {
            found.extend(ids.iter().map(|id| (ReferenceRole::Link, user(id))));
        }
        (Definition::DocumentTableDefinitionContentRef(_), Value::Object(DocumentTableObjectValue::ContentRef(it))) => {
            found.push((ReferenceRole::Link, it.clone()));
        }
        (Definition::DocumentTableDefinitionImage(_), Value::Object(value)) => {
            let picture = match value {
                DocumentTableObjectValue::ContentRef(it) => it.clone(),
                DocumentTableObjectValue::DocumentTableImageRecord(it) => from_media(&it.r#ref),
            };
            found.push((ReferenceRole::Media, picture));
        }
        _ => {}
    }
}

fn file(id: &str) -> ContentRef {
    ContentRef::ContentRefFile(ContentRefFile {
        kind: Default::default(),
        file: id.to_owned(),
        space: None,
    })
}

fn user(id: &str) -> ContentRef {
    ContentRef::ContentRefUser(ContentRefUser {
        kind: Default::default(),
        user: id.to_owned(),
    })
}

/// Returns the plain text of a value other than a text fragment; `None` if the value is only a reference.
pub fn words(definition: &Definition, value: &Value) -> Option<String> {
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
        (
            Definition::DocumentTableDefinitionImage(_),
            Value::Object(DocumentTableObjectValue::DocumentTableImageRecord(image)),
        ) => image.alt.clone(),
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
