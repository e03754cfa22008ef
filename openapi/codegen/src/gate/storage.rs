//! Comparison of database columns with the contract: `x-stored` names the column of a member.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use syn::{Field, Item, Meta, Token, punctuated::Punctuated};

use crate::{
    finding::{Findings, Place},
    model::{self, Api, Kind, Shape},
};

use super::{Source, sources};

/// The checked attributes of an entity column.
struct Column {
    place: Place,
    /// The width of a text column; `None` if unbounded.
    width: Option<u64>,
    /// The last segment of the type path, for finding stored enums.
    rust_type: String,
}

#[derive(Default)]
struct Storage {
    /// The columns, by `table.column`.
    columns: BTreeMap<String, Column>,
    /// The stored values of enums, by type name.
    enums: BTreeMap<String, (Place, BTreeSet<String>)>,
}

/// Compares the members with `x-stored` with the entities below a folder.
pub fn check(api: &Api, folder: &Path, findings: &mut Findings) {
    let mut storage = Storage::default();
    for source in sources(folder, findings) {
        storage.read(&source);
    }
    let members = api.types.iter().flat_map(|(owner, t)| match &t.kind {
        Kind::Struct(s) => s.fields.iter().map(|field| (owner, field)).collect::<Vec<_>>(),
        _ => vec![],
    });
    for (owner, field) in members {
        if let Some(stored) = &field.stored {
            storage.check(api, &format!("{owner}.{}", field.name), stored, field, findings);
        }
    }
}

impl Storage {
    fn check(&self, api: &Api, member: &str, stored: &str, field: &model::Field, findings: &mut Findings) {
        let Some(column) = self.columns.get(stored) else {
            return findings.add(
                &field.place,
                format!("no entity has the column `{stored}` of `{member}`"),
                "Correct x-stored, or add the column to the entity and to a migration.",
            );
        };
        let mut shape = field.shape.inner();
        if let Shape::Array(item, _) = shape {
            shape = item.inner();
        }
        match shape {
            Shape::String(rules) => {
                let Some(width) = column.width else {
                    return;
                };
                if rules.max.is_none_or(|max| max > width) {
                    let allowed = rules
                        .max
                        .map_or("any length".to_owned(), |max| format!("{max} characters"));
                    findings.add(
                        &column.place,
                        format!("column `{stored}` holds {width} characters, `{member}` allows {allowed}"),
                        format!(
                            "Widen the column in the entity and in a migration, or lower maxLength at {}.",
                            field.place
                        ),
                    );
                }
            }
            Shape::Named(name) => self.check_enum(api, member, name, column, findings),
            _ => {}
        }
    }

    fn check_enum(&self, api: &Api, member: &str, name: &str, column: &Column, findings: &mut Findings) {
        let Some(Kind::Enum(values)) = api.types.get(name).map(|t| &t.kind) else {
            return;
        };
        let Some((place, stored)) = self.enums.get(&column.rust_type) else {
            return findings.add(
                &column.place,
                format!(
                    "`{member}` has the enum type `{name}`, but the column type `{}` is not a stored enum",
                    column.rust_type
                ),
                "Use an enum that derives DeriveActiveEnum as the column type.",
            );
        };
        let wanted: BTreeSet<String> = values.iter().cloned().collect();
        for missing in wanted.difference(stored) {
            findings.add(
                place,
                format!(
                    "stored enum `{}` lacks the value `{missing}` of `{name}`",
                    column.rust_type
                ),
                "Add the value to the enum and to the check constraint in a migration.",
            );
        }
        for extra in stored.difference(&wanted) {
            findings.add(
                place,
                format!(
                    "stored enum `{}` has the value `{extra}`, which `{name}` of the contract lacks",
                    column.rust_type
                ),
                "Remove the value from the enum, or add the value to the contract.",
            );
        }
    }

    fn read(&mut self, source: &Source) {
        for item in &source.file.items {
            match item {
                Item::Struct(entity) => {
                    let Some(table) = value(&entity.attrs, "table_name") else {
                        continue;
                    };
                    for field in &entity.fields {
                        self.read_column(source, &table, field);
                    }
                }
                Item::Enum(stored) => {
                    let values: BTreeSet<String> = stored
                        .variants
                        .iter()
                        .filter_map(|v| value(&v.attrs, "string_value"))
                        .collect();
                    if !values.is_empty() {
                        let place = source.place(stored.ident.span());
                        self.enums.insert(stored.ident.to_string(), (place, values));
                    }
                }
                _ => {}
            }
        }
    }

    fn read_column(&mut self, source: &Source, table: &str, field: &Field) {
        let Some(ident) = &field.ident else {
            return;
        };
        let name = ident.to_string();
        let name = value(&field.attrs, "column_name").unwrap_or_else(|| name.trim_start_matches("r#").to_owned());
        let declared = value(&field.attrs, "column_type").unwrap_or_default();
        let column = Column {
            place: source.place(ident.span()),
            width: width(&declared),
            rust_type: last_name(&field.ty),
        };
        self.columns.insert(format!("{table}.{name}"), column);
    }
}

/// The length in `String(StringLen::N(64))`.
fn width(declared: &str) -> Option<u64> {
    let (_, rest) = declared.split_once("StringLen::N(")?;
    rest.split_once(')')?.0.trim().parse().ok()
}

/// `MemberRole` of `Option<MemberRole>` or `super::MemberRole`.
fn last_name(ty: &syn::Type) -> String {
    let syn::Type::Path(path) = ty else {
        return String::new();
    };
    let Some(segment) = path.path.segments.last() else {
        return String::new();
    };
    if let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments
        && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
    {
        return last_name(inner);
    }
    segment.ident.to_string()
}

/// The value of `name = "…"` in a `#[sea_orm(…)]` attribute.
fn value(attributes: &[syn::Attribute], wanted: &str) -> Option<String> {
    let metas = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("sea_orm"));
    let metas = metas.filter_map(|a| a.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok());
    metas.flatten().find_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident(wanted) => match pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}
