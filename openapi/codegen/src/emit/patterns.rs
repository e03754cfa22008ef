//! Each pattern of the contract once, compiled at first use.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, Shape, StringRules};

pub fn patterns(api: &Api) -> TokenStream {
    let mut found = BTreeSet::new();
    let mut collect = |shape: &Shape| collect(shape, &mut found);
    // Members that only occur in answers are not checked.
    let taken = api.types.values().filter(|t| t.request);
    taken.flat_map(|t| t.shapes()).for_each(&mut collect);
    // Values of the path are checked by the schema alone.
    let operations = api.areas.iter().flat_map(|area| &area.operations);
    operations
        .flat_map(|o| o.query_parameters.iter().chain(&o.header_parameters))
        .for_each(|field| collect(&field.shape));
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

/// Named by a hash of the pattern (FNV-1a), so that a name does not change when others come and go.
pub fn name(pattern: &str) -> Ident {
    let hash = pattern.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format_ident!("PATTERN_{hash:016X}")
}
