//! Parsing of objects in requests.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::model::{Field, Shape};

use super::fields::{self, Presence};

/// The treatment of unknown members.
#[derive(Clone, Copy, PartialEq)]
pub enum Further {
    Refused,
    /// Unknown members are stored in the field `additional`.
    Kept,
    Ignored,
}

/// The implementation that parses a struct from the members of an object.
pub fn reading(ident: &Ident, fields: &[Field], further: Further) -> TokenStream {
    let name = ident.to_string();
    let idents: Vec<Ident> = fields.iter().map(|field| fields::ident(&field.name)).collect();
    let arms = fields.iter().zip(&idents).map(|(field, place)| {
        let name = &field.name;
        if let Some(rules) = field.shape.ids() {
            let (texts, rules) = (fields::present_type(field), fields::text(rules));
            let rules = rules.unwrap_or_else(|| quote!(rules::Text::default()));
            return quote!(#name => objects::ids::<_, #texts, _>(&mut members_, #name, &#rules, &mut #place)?,);
        }
        let is_integer = matches!(field.shape, Shape::Integer(_));
        let read = if is_integer { quote!(integer) } else { quote!(member) };
        quote!(#name => objects::#read(&mut members_, #name, &mut #place)?,)
    });
    let values = fields.iter().zip(&idents).map(|(field, place)| value(field, place));
    let (additional, rest) = match further {
        Further::Refused => (None, quote!(_ => return Err(objects::unknown(&name_)),)),
        Further::Ignored => (None, quote!(_ => objects::skip(&mut members_)?,)),
        Further::Kept => (
            Some(quote!(let mut additional = BTreeMap::new();)),
            quote!(_ => drop(additional.insert(name_.into_string(), members_.next_value()?)),),
        ),
    };
    // An object without known members refuses the first member.
    let members = if fields.is_empty() && further == Further::Refused {
        quote! {
            if let Some(name_) = objects::next(&mut members_)? {
                return Err(objects::unknown(&name_));
            }
        }
    } else {
        quote! {
            while let Some(name_) = objects::next(&mut members_)? {
                match name_.as_str() {
                    #(#arms)*
                    #rest
                }
            }
        }
    };
    let kept = additional.is_some().then(|| quote!(additional,));
    quote! {
        impl objects::ReadObject for #ident {
            const NAME: &'static str = #name;

            fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
                #(let mut #idents = None;)*
                #additional
                #members
                Ok(Self { #(#values,)* #kept })
            }
        }

        object!(#ident);
    }
}

fn value(field: &Field, place: &Ident) -> TokenStream {
    let name = &field.name;
    match fields::presence(field) {
        Presence::Required => quote!(#place: objects::required(#place, #name)?),
        Presence::Optional => quote!(#place),
        Presence::ThreeStates => quote!(#place: #place.unwrap_or_default()),
        Presence::Defaulted => {
            let default = fields::default_value(field);
            match field.shape {
                Shape::String(_) => quote!(#place: #place.unwrap_or_else(|| #default)),
                _ => quote!(#place: #place.unwrap_or(#default)),
            }
        }
    }
}
