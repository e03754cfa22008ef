//! The distinct patterns of the contract, compiled at first use.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, Shape, StringRules};

pub fn patterns(api: &Api) -> TokenStream {
    let mut found = BTreeSet::new();
    // Members that only occur in responses are not checked.
    let taken = api.types.values().filter(|t| t.request);
    taken
        .flat_map(|t| t.shapes())
        .for_each(|shape| collect(shape, &mut found));
    // Path parameters are only checked by the schema.
    let operations = api.areas.iter().flat_map(|area| &area.operations);
    operations
        .flat_map(|o| o.query_parameters.iter().chain(&o.header_parameters))
        .for_each(|field| collect(&field.shape, &mut found));
    let texts = api.texts.values().filter_map(|rules| rules.pattern.clone());
    found.extend(texts);
    let statics = found.iter().map(|pattern| {
        let name = name(pattern);
        quote! {
            pub(crate) static #name: LazyLock<Regex> =
                LazyLock::new(|| rules::pattern(#pattern));
        }
    });
    quote!(#(#statics)*)
}

fn collect(shape: &Shape, into: &mut BTreeSet<String>) {
    match shape {
        Shape::String(StringRules {
            pattern: Some(pattern), ..
        }) => {
            into.insert(pattern.clone());
        }
        Shape::Array(inner, _) | Shape::Map(inner, _) | Shape::Nullable(inner) => collect(inner, into),
        _ => {}
    }
}

/// The name of a pattern, a hash (FNV-1a) of the pattern. Names do not change when other patterns are added or removed.
pub fn name(pattern: &str) -> Ident {
    let hash = pattern.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format_ident!("PATTERN_{hash:016X}")
}
