//! Wire types of templates.

use content::template::{Kind, Parameter};
use entity::library::templates::Model;
use openapi::{
    error::ApiError,
    models::{Template, TemplateParameter, TemplateParameterKind},
};
use platform::db::count;

use super::built_in::BuiltIn;

use crate::kernel::wire::time;

pub fn of_space(row: Model, title: String, emoji: Option<String>) -> Result<Template, ApiError> {
    let parameters: Vec<Parameter> = serde_json::from_value(row.parameters)?;
    Ok(Template {
        object: Default::default(),
        id: row.space_id.to_string(),
        title,
        emoji,
        description: None,
        built_in: false,
        space: Some(row.space_id.to_string()),
        revision: Some(row.revision_id.to_string()),
        pages: count(row.pages),
        parameters: parameters.into_iter().map(parameter).collect(),
        created_at: Some(time(row.created_at)),
        updated_at: Some(time(row.updated_at)),
    })
}

pub fn of_built_in(template: &BuiltIn) -> Template {
    Template {
        object: Default::default(),
        id: template.id.to_owned(),
        title: template.title.to_owned(),
        emoji: Some(template.emoji.to_owned()),
        description: Some(template.description.to_owned()),
        built_in: true,
        space: None,
        revision: None,
        pages: u64::try_from(template.content.page_count()).unwrap_or(u64::MAX),
        parameters: template.parameters.iter().cloned().map(parameter).collect(),
        created_at: None,
        updated_at: None,
    }
}

fn parameter(parameter: Parameter) -> TemplateParameter {
    TemplateParameter {
        name: parameter.name,
        kinds: parameter.kinds.into_iter().map(kind).collect(),
        description: parameter.description,
    }
}

fn kind(kind: Kind) -> TemplateParameterKind {
    match kind {
        Kind::File => TemplateParameterKind::File,
        Kind::Url => TemplateParameterKind::Url,
        Kind::Page => TemplateParameterKind::Page,
        Kind::Anchor => TemplateParameterKind::Anchor,
        Kind::User => TemplateParameterKind::User,
        Kind::Collection => TemplateParameterKind::Collection,
        Kind::Space => TemplateParameterKind::Space,
        Kind::ReusableContent => TemplateParameterKind::ReusableContent,
        Kind::Openapi => TemplateParameterKind::Openapi,
    }
}
