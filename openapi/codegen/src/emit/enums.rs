//! Strings with allowed values.

use heck::ToPascalCase;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::{errors::Catalog, model::Type};

use super::doc;

/// The variant name of a value. A value that does not start with a letter gets a prefix.
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
    let variants: Vec<Ident> = values.iter().map(|value| variant(value)).collect();
    // A constant needs no order, but a default value: handlers write `Default::default()`.
    if let ([value], [variant]) = (values, variants.as_slice()) {
        let reading = t.request.then(|| quote!(, enumeration_in_requests));
        return quote!(constant!(#docs #ident: #variant = #value #reading););
    }
    let reading = t.request.then(|| quote!(enumeration_in_requests!(#ident);));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum #ident {
            #(#variants),*
        }

        enumeration!(#ident: #(#variants = #values),*);
        #reading
    }
}

/// The status of each kind of error.
pub fn error_statuses(errors: &Catalog) -> TokenStream {
    let arms = errors.words.iter().map(|word| {
        let (name, status) = (variant(&word.name), Literal::u16_unsuffixed(word.status));
        quote!(Self::#name => #status)
    });
    quote! {
        impl ErrorType {
            /// The status of the responses.
            pub const fn status(self) -> u16 {
                match self { #(#arms),* }
            }
        }
    }
}
