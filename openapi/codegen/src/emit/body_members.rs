//! The members of a body that name the target of the operation, for the access check.

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::{Api, Body, Field, Kind, Operation, Shape};

use super::fields;

/// A member of a body, with the name of the variant that has it if the body is a union.
pub fn find<'a>(api: &'a Api, body: &'a Body, member: &'a str) -> impl Iterator<Item = (Option<&'a str>, &'a Field)> {
    let forms = match api.types.get(&body.type_name).map(|t| &t.kind) {
        Some(Kind::Struct(_)) => vec![(None, body.type_name.as_str())],
        Some(Kind::Union(union)) => {
            let named = union.variants.iter().filter_map(|variant| match &variant.shape {
                Shape::Named(name) => Some((Some(name.as_str()), name.as_str())),
                _ => None,
            });
            named.collect()
        }
        _ => Vec::new(),
    };
    forms.into_iter().filter_map(move |(variant, form)| {
        let Some(Kind::Struct(form)) = api.types.get(form).map(|t| &t.kind) else {
            return None;
        };
        let field = form.fields.iter().find(|field| field.name == member)?;
        Some((variant, field))
    })
}

/// The value of a member as an `Option`; `body` is the parsed body, or an `Option` of it.
pub fn value(api: &Api, operation: &Operation, member: &str) -> TokenStream {
    let Some(body) = &operation.body else {
        return quote!(None);
    };
    let name = format_ident!("{}", member.to_snake_case());
    let found: Vec<(Option<&str>, &Field)> = find(api, body, member).collect();
    let of_field = |field: &Field| match fields::presence(field) {
        fields::Presence::Required => quote!(Some(body.#name)),
        _ => quote!(body.#name),
    };
    let value = match found.as_slice() {
        [(None, field)] => of_field(field),
        variants => {
            let union = format_ident!("{}", body.type_name);
            let arms = variants.iter().map(|(variant, field)| {
                let (variant, value) = (format_ident!("{}", variant.unwrap_or_default()), of_field(field));
                quote!(#union::#variant(body) => #value,)
            });
            quote!(match body { #(#arms)* _ => None })
        }
    };
    if body.required {
        let bound = found.iter().all(|(variant, _)| variant.is_none());
        return if bound {
            value
        } else {
            quote!({ let body = &body; #value })
        };
    }
    quote!(body.as_ref().and_then(|body| #value))
}
