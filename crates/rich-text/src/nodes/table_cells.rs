//! What the cells of a table refer to, and their words.

use openapi::models::{
    BlockTable, ContentRef, ContentRefFile, ContentRefUser, DocumentTableDefinition, DocumentTableObjectValue,
    DocumentTableValue,
};

use super::table_layout;
use crate::references::{Role, of_media};

use DocumentTableDefinition as Definition;
use DocumentTableValue as Value;

/// Row by row, in the order of the columns.
pub fn references(table: &BlockTable) -> Vec<(Role, ContentRef)> {
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

fn of_value(definition: &Definition, value: &Value, found: &mut Vec<(Role, ContentRef)>) {
    match (definition, value) {
        (Definition::DocumentTableDefinitionFiles(_), Value::Array(ids)) => {
            found.extend(ids.iter().map(|id| (Role::File, file(id))));
        }
        (Definition::DocumentTableDefinitionUsers(_), Value::Array(ids)) => {
            found.extend(ids.iter().map(|id| (Role::Link, user(id))));
        }
        (Definition::DocumentTableDefinitionContentRef(_), Value::Object(DocumentTableObjectValue::ContentRef(it))) => {
            found.push((Role::Link, it.clone()));
        }
        (Definition::DocumentTableDefinitionImage(_), Value::Object(value)) => {
            let picture = match value {
                DocumentTableObjectValue::ContentRef(it) => it.clone(),
                DocumentTableObjectValue::DocumentTableImageRecord(it) => of_media(&it.r#ref),
            };
            found.push((Role::Media, picture));
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

/// What a value shows that is not text; nothing if it only refers to something.
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

/// The title of a column.
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
