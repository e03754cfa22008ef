//! Unions that are subsets of another union: the variant of a value, and the conversions between the unions.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, DecidedBy, Kind, Shape, Union};

use super::doc;

/// A union with a discriminator, and the names of its variants.
struct Choice<'a> {
    name: &'a str,
    variants: Vec<&'a str>,
}

impl<'a> Choice<'a> {
    fn of(name: &'a str, union: &'a Union) -> Option<Self> {
        let DecidedBy::Member(_) = union.decided_by else {
            return None;
        };
        let named = union.variants.iter().map(|variant| match &variant.shape {
            Shape::Named(name) => Some(name.as_str()),
            _ => None,
        });
        let variants = named.collect::<Option<_>>()?;
        Some(Self { name, variants })
    }

    fn ident(&self) -> Ident {
        format_ident!("{}", self.name)
    }

    fn idents(&self) -> Vec<Ident> {
        self.variants.iter().map(|name| format_ident!("{name}")).collect()
    }

    fn is_part_of(&self, other: &Self) -> bool {
        let others: BTreeSet<&str> = other.variants.iter().copied().collect();
        self.variants.len() < others.len() && self.variants.iter().all(|name| others.contains(name))
    }
}

fn choices(api: &Api) -> Vec<Choice<'_>> {
    let used = api.types.iter().filter(|(_, t)| t.request || t.response);
    used.filter_map(|(name, t)| match &t.kind {
        Kind::Union(union) => Choice::of(name, union),
        _ => None,
    })
    .collect()
}

/// The conversions between unions and their subsets, and the lists of variants.
pub fn families(api: &Api) -> TokenStream {
    let choices = choices(api);
    let is_widest = |choice: &&Choice<'_>| !choices.iter().any(|other| choice.is_part_of(other));
    let families = choices.iter().filter(is_widest).map(|whole| {
        let parts: Vec<&Choice<'_>> = choices.iter().filter(|part| part.is_part_of(whole)).collect();
        if parts.is_empty() {
            quote!()
        } else {
            family(whole, &parts)
        }
    });
    let lists = lists(&choices);
    quote! {
        #(#families)*
        #lists
    }
}

fn family(whole: &Choice<'_>, parts: &[&Choice<'_>]) -> TokenStream {
    let (ident, variants) = (whole.ident(), whole.idents());
    let kind = format_ident!("{}Kind", whole.name);
    let docs = doc(&format!("The variant of a [`{ident}`], or of one of its subsets."));
    let of_parts = parts.iter().map(|part| {
        let (part_ident, of_part) = (part.ident(), part.idents());
        quote! {
            part_of!(#part_ident of #ident as #kind: #(#of_part),*);
        }
    });
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum #kind<'a> {
            #(#variants(&'a #variants)),*
        }

        whole!(#ident as #kind: #(#variants),*);
        #(#of_parts)*
    }
}

/// A macro that passes the variants of a union to another macro.
fn lists(choices: &[Choice<'_>]) -> TokenStream {
    if choices.is_empty() {
        return quote!();
    }
    let arms = choices.iter().map(|choice| {
        let (ident, variants) = (choice.ident(), choice.idents());
        quote! {
            (#ident, $with:ident) => { $with!(#ident: #(#variants),*); };
        }
    });
    quote! {
        /// `variants!(Union, with)` calls `with!(Union: Variant, …)`: code for each variant without a list of them.
        #[macro_export]
        macro_rules! variants {
            #(#arms)*
        }
    }
}
