//! Objects.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::{Additional, Api, Kind, Shape, Struct, Type};

use super::{
    doc, fields,
    reading::{Further, reading},
};

pub fn structure(api: &Api, name: &str, t: &Type, s: &Struct) -> TokenStream {
    let ident = format_ident!("{name}");
    let docs = doc(&t.doc);
    let mut functions = Vec::new();
    let mut members = Vec::new();
    for field in &s.fields {
        let serde = if s.always_answered.contains(&field.name) {
            fields::always_serialized(field)
        } else {
            fields::serde_attributes(field)
        };
        let (validate, function) = if t.request {
            fields::validation(field, name, is_nested(api, &field.shape))
        } else {
            Default::default()
        };
        functions.extend(function);
        let (field_docs, field_ident, field_type) =
            (doc(&field.doc), fields::ident(&field.name), fields::field_type(field));
        members.push(quote! {
            #field_docs
            #serde
            #validate
            pub #field_ident: #field_type
        });
    }
    let open = s.additional == Additional::Allowed;
    if open {
        members.push(quote! {
            /// Members that the contract does not declare.
            #[serde(flatten)]
            pub additional: BTreeMap<String, Value>
        });
    }
    let derives = t.request.then(|| quote!(Validate,));
    let further = if open { Further::Kept } else { Further::Refused };
    let reading = t.request.then(|| reading(&ident, &s.fields, &s.at_most_one, further));
    let list = list_envelope(name, s);
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq, Serialize, #derives)]
        pub struct #ident {
            #(#members),*
        }

        #reading

        #list
        #(#functions)*
    }
}

/// Returns whether validator has to check the value of a member.
pub fn is_nested(api: &Api, shape: &Shape) -> bool {
    match shape {
        Shape::Named(name) => !matches!(api.types.get(name).map(|t| &t.kind), Some(Kind::Enum(_)) | None),
        Shape::Array(inner, _) | Shape::Map(inner, _) | Shape::Nullable(inner) => is_nested(api, inner),
        _ => false,
    }
}

/// The limits on the work for a list.
pub fn list_limits(api: &Api) -> TokenStream {
    let structs = api.types.values().filter_map(|t| match &t.kind {
        Kind::Struct(s) => Some(s),
        _ => None,
    });
    let mut fields = structs.flat_map(|s| &s.fields);
    let rules = fields.find_map(|field| match &field.shape {
        Shape::Integer(rules) if rules.counted_to.is_some() => Some(rules),
        _ => None,
    });
    let counted_to = rules.and_then(|rules| rules.counted_to).map(|limit| {
        quote! {
            /// The number up to which the items of a list are counted.
            pub const COUNTED_TO: u64 = #limit;
        }
    });
    let scanned_to = rules.and_then(|rules| rules.scanned_to).map(|limit| {
        quote! {
            /// The number of rows that a page of a filtered list looks at.
            pub const SCANNED_TO: u64 = #limit;
        }
    });
    quote! { #counted_to #scanned_to }
}

/// The conversion from a page of a list, for objects with exactly the members `items` and, optionally, `next` and `count`.
fn list_envelope(name: &str, s: &Struct) -> Option<TokenStream> {
    let mut names: Vec<&str> = s.fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    let items = s.fields.iter().find(|field| field.name == "items")?;
    if s.fields.iter().any(|field| field.name == "count" && field.required) {
        return None;
    }
    let Shape::Array(item, _) = &items.shape else {
        return None;
    };
    if names != ["count", "items", "next"] {
        return None;
    }
    let (ident, item) = (format_ident!("{name}"), fields::shape_type(item));
    Some(quote! {
        impl From<Page<#item>> for #ident {
            fn from(page: Page<#item>) -> Self {
                Self {
                    next: page.next.map(|page| NextPage { page }),
                    count: page.count,
                    items: page.items,
                }
            }
        }
    })
}
