//! The rules of the components that are strings.

use heck::ToShoutySnakeCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::model::Api;

use super::{doc, fields};

pub fn texts(api: &Api) -> TokenStream {
    let statics = api.texts.iter().filter_map(|(name, rules)| {
        let doc = doc(&format!("The rules of `{name}`."));
        let ident = format_ident!("{}", name.to_shouty_snake_case());
        let rules = fields::text(rules)?;
        Some(quote! {
            #doc
            pub static #ident: rules::Text = #rules;
        })
    });
    let statics: Vec<TokenStream> = statics.collect();
    if statics.is_empty() {
        return quote!();
    }
    quote! {
        /// The rules of texts, for those that do not come in a request.
        pub mod texts {
            use super::*;

            #(#statics)*
        }
    }
}
