//! Members: the Rust type, the serde attributes, and the rules for validator.

use heck::{ToPascalCase, ToSnakeCase};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Field, Shape, StringRules};

use super::patterns;

const KEYWORDS: &[&str] = &[
    "default", "enum", "for", "if", "in", "match", "move", "ref", "static", "type", "use", "where",
];

/// The number of members of `rules::Text`.
const TEXT_RULES: usize = 4;

/// The Rust name of a member.
pub fn ident(name: &str) -> Ident {
    let snake = name.to_snake_case();
    match snake.as_str() {
        "default" => format_ident!("default"),
        keyword if KEYWORDS.contains(&keyword) => Ident::new_raw(keyword, proc_macro2::Span::call_site()),
        other => format_ident!("{other}"),
    }
}

/// The kinds of optional members.
#[derive(Clone, Copy, PartialEq)]
pub enum Presence {
    Required,
    /// Absent or present: `Option`.
    Optional,
    /// Absent, null or present: `Maybe`.
    ThreeStates,
    /// The default of the contract if absent.
    Defaulted,
}

pub fn presence(field: &Field) -> Presence {
    match field {
        Field { required: true, .. } => Presence::Required,
        Field { default: Some(_), .. } => Presence::Defaulted,
        Field { shape, .. } if shape.is_nullable() => Presence::ThreeStates,
        _ => Presence::Optional,
    }
}

pub fn field_type(field: &Field) -> TokenStream {
    match presence(field) {
        Presence::Required | Presence::Defaulted => shape_type(&field.shape),
        Presence::Optional => {
            let inner = shape_type(&field.shape);
            quote!(Option<#inner>)
        }
        Presence::ThreeStates => {
            let inner = shape_type(field.shape.inner());
            quote!(Maybe<#inner>)
        }
    }
}

/// The JSON type of a member that is present.
pub fn present_type(field: &Field) -> TokenStream {
    let shape = field.shape.without_ids();
    match presence(field) {
        Presence::ThreeStates => {
            let inner = shape_type(shape.inner());
            quote!(Maybe<#inner>)
        }
        _ => shape_type(&shape),
    }
}

pub fn shape_type(shape: &Shape) -> TokenStream {
    match shape {
        Shape::String(StringRules { id: Some(kind), .. }) => {
            let name = format_ident!("{}Id", kind.to_pascal_case());
            quote!(#name)
        }
        Shape::String(rules) if rules.format.as_deref() == Some("date-time") => quote!(Timestamp),
        Shape::String(_) => quote!(String),
        Shape::Integer(rules) => match (rules.min, rules.max) {
            (Some(0..), Some(max)) if max <= i64::from(u32::MAX) => quote!(u32),
            (Some(0..), _) => quote!(u64),
            _ => quote!(i64),
        },
        Shape::Number(_) => quote!(f64),
        Shape::Boolean => quote!(bool),
        Shape::Constant(true) => quote!(True),
        Shape::Constant(false) => quote!(False),
        Shape::Any => quote!(Value),
        Shape::Array(item, _) => {
            let item = shape_type(item);
            quote!(Vec<#item>)
        }
        Shape::Map(value, rules) => {
            let value = shape_type(value);
            match rules.is_within_map {
                true => quote!(SmallMap<#value>),
                false => quote!(BTreeMap<String, #value>),
            }
        }
        Shape::Named(name) => {
            let name = format_ident!("{name}");
            quote!(#name)
        }
        Shape::Nullable(inner) => {
            let inner = shape_type(inner);
            quote!(Nullable<#inner>)
        }
    }
}

/// The serde attributes of a member.
pub fn serde_attributes(field: &Field) -> TokenStream {
    let name = &field.name;
    let skip = match presence(field) {
        Presence::Required | Presence::Defaulted => None,
        Presence::Optional => Some(quote!(, skip_serializing_if = "Option::is_none")),
        Presence::ThreeStates => Some(quote!(, skip_serializing_if = "Maybe::is_absent")),
    };
    quote!(#[serde(rename = #name #skip)])
}

/// The serde attributes of an optional list that every answer has.
pub fn always_serialized(field: &Field) -> TokenStream {
    let name = &field.name;
    quote!(#[serde(rename = #name, serialize_with = "objects::or_empty")])
}

/// The attributes for validator, and functions for rules without a validator attribute.
pub fn validation(field: &Field, owner: &str, nested: bool) -> (TokenStream, Option<TokenStream>) {
    let mut attributes = Vec::new();
    let shape = field.shape.inner();
    match shape {
        // The rules of ids are checked while parsing, because parsed ids are not strings.
        Shape::String(rules) if rules.id.is_none() && rules.format.as_deref() != Some("date-time") => {
            attributes.extend(length(rules.min, rules.max));
            if let Some(pattern) = &rules.pattern {
                let pattern = format!("*{}", patterns::name(pattern));
                let pattern: syn::Expr = match syn::parse_str(&pattern) {
                    Ok(pattern) => pattern,
                    Err(_) => syn::Expr::PLACEHOLDER,
                };
                attributes.push(quote!(regex(path = #pattern)));
            }
        }
        Shape::Integer(rules) | Shape::Number(rules) => {
            let is_float = matches!(shape, Shape::Number(_));
            attributes.extend(range(rules.min, rules.max, is_float));
        }
        Shape::Array(_, rules) => attributes.extend(length(rules.min, rules.max)),
        Shape::Map(_, rules) => attributes.extend(length(rules.min, rules.max)),
        _ => {}
    }
    if nested {
        attributes.push(quote!(nested));
    }
    let function = custom(field, shape, owner);
    if function.is_some() {
        let name = custom_name(field, owner).to_string();
        attributes.push(quote!(custom(function = #name)));
    }
    let attributes = (!attributes.is_empty()).then(|| quote!(#[validate(#(#attributes),*)]));
    (attributes.unwrap_or_default(), function)
}

fn length(min: Option<u64>, max: Option<u64>) -> Option<TokenStream> {
    let min = min.filter(|min| *min > 0).map(proc_macro2::Literal::u64_unsuffixed);
    let max = max.map(proc_macro2::Literal::u64_unsuffixed);
    match (min, max) {
        (None, None) => None,
        (Some(min), None) => Some(quote!(length(min = #min))),
        (None, Some(max)) => Some(quote!(length(max = #max))),
        (Some(min), Some(max)) => Some(quote!(length(min = #min, max = #max))),
    }
}

fn range(min: Option<i64>, max: Option<i64>, float: bool) -> Option<TokenStream> {
    // The derived code also names the limits where their type is not given, and there it is `i32`.
    let is_small = [min, max]
        .into_iter()
        .flatten()
        .all(|limit| i32::try_from(limit).is_ok());
    let literal = |value: i64| match (u64::try_from(value), u32::try_from(value)) {
        _ if float => proc_macro2::Literal::f64_unsuffixed(value as f64),
        _ if is_small => proc_macro2::Literal::i64_unsuffixed(value),
        (_, Ok(value)) if min >= Some(0) && max <= Some(u32::MAX.into()) => proc_macro2::Literal::u32_suffixed(value),
        (Ok(value), _) if min >= Some(0) => proc_macro2::Literal::u64_suffixed(value),
        _ => proc_macro2::Literal::i64_suffixed(value),
    };
    match (min.map(literal), max.map(literal)) {
        (None, None) => None,
        (Some(min), None) => Some(quote!(range(min = #min))),
        (None, Some(max)) => Some(quote!(range(max = #max))),
        (Some(min), Some(max)) => Some(quote!(range(min = #min, max = #max))),
    }
}

/// The suffix of the functions for a member.
pub fn function_suffix(field: &Field, owner: &str) -> String {
    format!("{}_{}", owner.to_snake_case(), field.name.to_snake_case())
}

fn custom_name(field: &Field, owner: &str) -> Ident {
    format_ident!("check_{}", function_suffix(field, owner))
}

/// The rules of formats, of the strings in lists and maps, and of `uniqueItems`.
fn custom(field: &Field, shape: &Shape, owner: &str) -> Option<TokenStream> {
    let mut checks = Vec::new();
    match shape {
        Shape::String(rules) if rules.id.is_none() => {
            let format = StringRules {
                format: rules.format.clone(),
                visible: rules.visible,
                ..StringRules::default()
            };
            checks.extend(text_rules(&format));
        }
        Shape::Array(item, rules) => {
            checks.extend(leaf_rules(item));
            if rules.unique {
                checks.push(quote!(rules::unique(value)?;));
            }
        }
        Shape::Map(value, _) => checks.extend(leaf_rules(value)),
        _ => {}
    }
    if checks.is_empty() {
        return None;
    }
    let name = custom_name(field, owner);
    let value = shape_type(shape);
    let wrapped = match (presence(field), field.shape.is_nullable()) {
        (Presence::ThreeStates, _) => Some(quote!(Maybe<#value>)),
        (_, true) => Some(quote!(Nullable<#value>)),
        _ => None,
    };
    let argument = match shape {
        Shape::Array(item, _) => {
            let item = shape_type(item);
            quote!(&[#item])
        }
        Shape::String(_) => quote!(&str),
        _ => quote!(&#value),
    };
    let body = quote! { #(#checks)* Ok(()) };
    Some(match wrapped {
        Some(wrapper) => quote! {
            fn #name(wrapped: &#wrapper) -> Result<(), ValidationError> {
                rules::inner(wrapped, |value| { #body })
            }
        },
        None => quote! {
            fn #name(value: #argument) -> Result<(), ValidationError> { #body }
        },
    })
}

/// The rules of the strings in a list or map, at any depth.
fn leaf_rules(shape: &Shape) -> Option<TokenStream> {
    match shape {
        Shape::String(rules) if rules.id.is_none() => text_rules(rules),
        Shape::Array(inner, _) | Shape::Map(inner, _) | Shape::Nullable(inner) => leaf_rules(inner),
        _ => None,
    }
}

fn text_rules(rules: &StringRules) -> Option<TokenStream> {
    let text = text(rules)?;
    Some(quote!(rules::texts(value, &#text)?;))
}

/// The rules of a string; `None` if there are none.
pub fn text(rules: &StringRules) -> Option<TokenStream> {
    let mut members = Vec::new();
    if let Some(min) = rules.min.filter(|min| *min > 0) {
        let min = proc_macro2::Literal::u64_unsuffixed(min);
        members.push(quote!(min: #min));
    }
    if let Some(max) = rules.max {
        let max = proc_macro2::Literal::u64_unsuffixed(max);
        members.push(quote!(max: Some(#max)));
    }
    if let Some(pattern) = &rules.pattern {
        let pattern = patterns::name(pattern);
        members.push(quote!(pattern: Some(&#pattern)));
    }
    match rules.format.as_deref() {
        Some("uri") => members.push(quote!(format: Some(formats::is_uri))),
        Some("email") => members.push(quote!(format: Some(formats::is_email))),
        _ if rules.visible => members.push(quote!(format: Some(formats::is_visible))),
        _ => {}
    }
    if members.is_empty() {
        return None;
    }
    let others = (members.len() < TEXT_RULES).then(|| quote!(..rules::Text::NONE));
    Some(quote!(rules::Text { #(#members,)* #others }))
}

/// The rules of a choice without a named type, as statements that check `value`.
pub fn standalone_rules(shape: &Shape) -> TokenStream {
    let size = |min: Option<u64>, max: Option<u64>| {
        let min = proc_macro2::Literal::u64_unsuffixed(min.unwrap_or_default());
        let max = max.map(proc_macro2::Literal::u64_unsuffixed);
        let max = max.map_or(quote!(None), |max| quote!(Some(#max)));
        quote!(rules::size(value.len(), #min, #max)?;)
    };
    let leaves = leaf_rules(shape);
    match shape {
        Shape::Array(_, rules) => {
            let size = size(rules.min, rules.max);
            quote!(#size #leaves)
        }
        Shape::Map(_, rules) => {
            let size = size(rules.min, rules.max);
            quote!(#size #leaves)
        }
        _ => quote!(#leaves),
    }
}

/// A default of the contract as a Rust expression of the member's type.
pub fn default_value(field: &Field) -> Option<TokenStream> {
    value_of(&field.shape, field.default.as_ref()?)
}

fn value_of(shape: &Shape, value: &serde_json::Value) -> Option<TokenStream> {
    use serde_json::Value;
    Some(match (shape, value) {
        (Shape::Array(item, _), Value::Array(values)) => {
            let values: Option<Vec<TokenStream>> = values.iter().map(|value| value_of(item, value)).collect();
            let values = values?;
            quote!(vec![#(#values),*])
        }
        (Shape::Named(name), Value::String(value)) => {
            let (name, variant) = (format_ident!("{name}"), super::enums::variant(value));
            quote!(#name::#variant)
        }
        (_, Value::String(value)) => quote!(#value.to_owned()),
        (Shape::Number(_), value) => {
            let literal = proc_macro2::Literal::f64_unsuffixed(value.as_f64()?);
            quote!(#literal)
        }
        (_, Value::Number(value)) => {
            let literal = proc_macro2::Literal::i64_unsuffixed(value.as_i64()?);
            quote!(#literal)
        }
        (_, Value::Bool(value)) => quote!(#value),
        _ => return None,
    })
}
