//! Strings with allowed values.

use heck::ToPascalCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::Type;

use super::doc;

/// The variant of a value; what starts with no letter gets one.
pub fn variant(value: &str) -> Ident {
    let signed = value.replace('$', "Dollar-").replace('@', "At-");
    let name = signed.to_pascal_case();
    match name.chars().next() {
        Some(first) if first.is_alphabetic() && name != "Self" => format_ident!("{name}"),
        _ => format_ident!("Value{name}"),
    }
}

pub fn enumeration(name: &str, t: &Type, values: &[String]) -> TokenStream {
    let ident = format_ident!("{name}");
    let docs = doc(&t.doc);
    let description = t.doc.trim();
    let variants: Vec<Ident> = values.iter().map(|value| variant(value)).collect();
    let deserialize = t.request.then(|| quote!(Deserialize,));
    // A single value needs no choice: handlers write `Default::default()`.
    let default = (values.len() == 1).then(|| quote!(Default,));
    let mark = (values.len() == 1).then(|| quote!(#[default]));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, #default Serialize, #deserialize)]
        pub enum #ident {
            #(#mark #[serde(rename = #values)] #variants),*
        }

        impl Described for #ident {
            const NAME: &'static str = #name;

            fn describe(_: &mut Registry) -> MetaSchema {
                enumeration(Self::NAME, #description, &[#(#values),*])
            }
        }

        named_type!(#ident);
    }
}
