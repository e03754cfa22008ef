//! The members of a body that name the target of the operation, for the access check. A member is named by its name, or as
//! `outer.inner` if it is in a member of the body.

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::{Api, Body, Field, Kind, Operation, Shape};

use super::fields;

/// A member of a body, with the name of the variant that has it if the object around the member is a union.
pub fn find<'a>(api: &'a Api, body: &'a Body, member: &str) -> impl Iterator<Item = (Option<&'a str>, &'a Field)> {
    let inner = inner_name(member).to_owned();
    let forms = owner(api, body, member).map_or_else(Vec::new, |owner| forms(api, owner));
    forms.into_iter().filter_map(move |(variant, form)| {
        let field = fields_of(api, form).find(|field| field.name == inner)?;
        Some((variant, field))
    })
}

/// The name of a member without that of the member around it.
pub fn inner_name(member: &str) -> &str {
    member.split_once('.').map_or(member, |(_, inner)| inner)
}

/// The type of the object that has the member: the body, or the required member of the body around the member.
fn owner<'a>(api: &'a Api, body: &'a Body, member: &str) -> Option<&'a str> {
    let Some((outer, _)) = member.split_once('.') else {
        return Some(&body.type_name);
    };
    let field = fields_of(api, &body.type_name).find(|field| field.name == outer)?;
    match (&field.shape, fields::presence(field)) {
        (Shape::Named(name), fields::Presence::Required) => Some(name),
        _ => None,
    }
}

fn fields_of<'a>(api: &'a Api, name: &str) -> impl Iterator<Item = &'a Field> {
    let fields = match api.types.get(name).map(|t| &t.kind) {
        Some(Kind::Struct(form)) => form.fields.as_slice(),
        _ => &[],
    };
    fields.iter()
}

/// The structs that a type stands for, each with the name of its variant if the type is a union.
fn forms<'a>(api: &'a Api, name: &'a str) -> Vec<(Option<&'a str>, &'a str)> {
    match api.types.get(name).map(|t| &t.kind) {
        Some(Kind::Struct(_)) => vec![(None, name)],
        Some(Kind::Union(union)) => {
            let named = union.variants.iter().filter_map(|variant| match &variant.shape {
                Shape::Named(name) => Some((Some(name.as_str()), name.as_str())),
                _ => None,
            });
            named.collect()
        }
        _ => Vec::new(),
    }
}

/// The value of a member as an `Option`; `body` is the parsed body, or an `Option` of it.
pub fn value(api: &Api, operation: &Operation, member: &str) -> TokenStream {
    let Some(body) = &operation.body else {
        return quote!(None);
    };
    let name = format_ident!("{}", inner_name(member).to_snake_case());
    let outer = member.split_once('.').map(|(outer, _)| {
        let outer = format_ident!("{}", outer.to_snake_case());
        quote!(.#outer)
    });
    let found: Vec<(Option<&str>, &Field)> = find(api, body, member).collect();
    // Ids are copied; the handler needs texts again.
    let of_field = |field: &Field| match (fields::presence(field), field.shape.ids().is_some()) {
        (fields::Presence::Required, true) => quote!(Some(body.#name)),
        (fields::Presence::Required, false) => quote!(Some(body.#name.clone())),
        (_, true) => quote!(body.#name),
        (_, false) => quote!(body.#name.clone()),
    };
    let value = match found.as_slice() {
        [(None, field)] => of_field(field),
        variants => {
            let union = format_ident!("{}", owner(api, body, member).unwrap_or_default());
            let arms = variants.iter().map(|(variant, field)| {
                let (variant, value) = (format_ident!("{}", variant.unwrap_or_default()), of_field(field));
                quote!(#union::#variant(body) => #value,)
            });
            quote!(match body { #(#arms)* _ => None })
        }
    };
    if body.required {
        let bound = outer.is_none() && found.iter().all(|(variant, _)| variant.is_none());
        return if bound {
            value
        } else {
            quote!({ let body = &body #outer; #value })
        };
    }
    let inner = outer.map(|outer| quote!(let body = &body #outer;));
    match inner {
        Some(inner) => quote!(body.as_ref().and_then(|body| { #inner #value })),
        None => quote!(body.as_ref().and_then(|body| #value)),
    }
}
