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
pub fn reading(ident: &Ident, fields: &[Field], at_most_one: &[String], further: Further) -> TokenStream {
    let places: Vec<Ident> = fields.iter().map(|field| fields::ident(&field.name)).collect();
    let values = fields.iter().zip(&places).map(|(field, place)| value(field, place));
    let (additional, kept) = match further {
        Further::Kept => (
            Some(quote!(let mut additional = BTreeMap::new();)),
            Some(quote!(additional,)),
        ),
        Further::Refused | Further::Ignored => (None, None),
    };
    let members = members(fields, &places, further);
    let exclusive = exclusive(fields, at_most_one);
    let steps = quote! {
        #additional
        #members
        #exclusive
        Ok(Self { #(#values,)* #kept })
    };
    implementation(ident, &steps)
}

/// Refuses an object with several of the members that exclude each other.
fn exclusive(fields: &[Field], names: &[String]) -> Option<TokenStream> {
    let excluding = fields.iter().filter(|field| names.contains(&field.name));
    let counted = excluding.map(|field| {
        let place = fields::ident(&field.name);
        match fields::presence(field) {
            Presence::ThreeStates => quote!(matches!(#place, Some(Maybe::Value(_)))),
            _ => quote!(#place.is_some()),
        }
    });
    (!names.is_empty()).then(|| quote!(objects::at_most_one(&[#(#counted),*])?;))
}

/// The implementation that parses a union of objects, which the members tell apart that are present. Reads the members of
/// all variants at once, so that the value is not kept in another form.
pub fn reading_choice(ident: &Ident, variants: &[(&Ident, Option<&str>, &[Field])]) -> TokenStream {
    let mut all: Vec<Field> = Vec::new();
    for field in variants.iter().flat_map(|(_, _, fields)| *fields) {
        if all.iter().all(|other| other.name != field.name) {
            all.push(field.clone());
        }
    }
    let places: Vec<Ident> = all.iter().map(|field| fields::ident(&field.name)).collect();
    let members = members(&all, &places, Further::Refused);
    let keyed = variants.iter().filter_map(|(variant, key, fields)| {
        let key = fields::ident((*key)?);
        let (refused, made) = choice(variant, fields, &all);
        Some(quote!(if #key.is_some() { #(#refused)* return Ok(#made); }))
    });
    let other = variants.iter().find(|(_, key, _)| key.is_none());
    let other = match other {
        Some((variant, _, fields)) => {
            let is_key = |name: &str| variants.iter().any(|(_, key, _)| *key == Some(name));
            let rest: Vec<Field> = all.iter().filter(|field| !is_key(&field.name)).cloned().collect();
            let (refused, made) = choice(variant, fields, &rest);
            quote!(#(#refused)* Ok(#made))
        }
        None => quote!(Err(de::Error::custom("none of the forms of this object"))),
    };
    implementation(
        ident,
        &quote! {
            #members
            #(#keyed)*
            #other
        },
    )
}

/// The refusals of members of other variants, and the variant.
fn choice(variant: &Ident, fields: &[Field], all: &[Field]) -> (Vec<TokenStream>, TokenStream) {
    let others = all
        .iter()
        .filter(|field| fields.iter().all(|own| own.name != field.name));
    let refused = others.map(|field| {
        let (place, name) = (fields::ident(&field.name), &field.name);
        quote!(if #place.is_some() { return Err(objects::excluded(#name)); })
    });
    let values = fields.iter().map(|field| value(field, &fields::ident(&field.name)));
    (refused.collect(), quote!(Self::#variant(#variant { #(#values,)* })))
}

fn implementation(ident: &Ident, steps: &TokenStream) -> TokenStream {
    let name = ident.to_string();
    quote! {
        impl objects::ReadObject for #ident {
            const NAME: &'static str = #name;

            fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
                #steps
            }
        }

        object!(#ident);
    }
}

/// Reads the members of an object into a variable each.
fn members(fields: &[Field], places: &[Ident], further: Further) -> TokenStream {
    let arms = fields.iter().zip(places).map(|(field, place)| {
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
    let rest = match further {
        Further::Refused => quote!(_ => return Err(objects::unknown(&name_)),),
        Further::Ignored => quote!(_ => objects::skip(&mut members_)?,),
        Further::Kept => quote!(_ => drop(additional.insert(name_.into_string(), members_.next_value()?)),),
    };
    // An object without known members refuses the first member.
    if fields.is_empty() && further == Further::Refused {
        return quote! {
            if let Some(name_) = objects::next(&mut members_)? {
                return Err(objects::unknown(&name_));
            }
        };
    }
    quote! {
        #(let mut #places = None;)*
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                #(#arms)*
                #rest
            }
        }
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
                Shape::String(_) | Shape::Array(..) => quote!(#place: #place.unwrap_or_else(|| #default)),
                _ => quote!(#place: #place.unwrap_or(#default)),
            }
        }
    }
}
