//! `oneOf` as enums.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, DecidedBy, Kind, Shape, Type, Union, Variant};

use super::{doc, fields, reading::reading_choice, sizes, structs::is_nested};

pub fn union(api: &Api, name: &str, t: &Type, u: &Union) -> TokenStream {
    let ident = format_ident!("{name}");
    let docs = doc(&t.doc);
    let variants: Vec<Ident> = u.variants.iter().map(|v| variant_name(api, v, u)).collect();
    let types: Vec<TokenStream> = u.variants.iter().map(|v| fields::shape_type(&v.shape)).collect();
    let of_variant = |(variant, shape): (&Variant, &TokenStream)| match is_boxed(api, u, variant) {
        true => quote!(Box<#shape>),
        false => shape.clone(),
    };
    let fields: Vec<TokenStream> = u.variants.iter().zip(&types).map(of_variant).collect();
    let reading = t.request.then(|| match u.decided_by {
        DecidedBy::Presence => by_presence(api, &ident, u, &variants),
        DecidedBy::Member(_) | DecidedBy::JsonType => reading(&ident, u, &variants),
    });
    let validate = t.request.then(|| validate(api, &ident, u, &variants));
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum #ident {
            #(#variants(#fields)),*
        }

        #reading
        #validate
    }
}

/// Most values of a union decided by the JSON type are scalars, and each would take the memory of an object. Most nodes of a
/// document are small ones, and each would take the memory of the largest.
fn is_boxed(api: &Api, union: &Union, variant: &Variant) -> bool {
    match union.decided_by {
        DecidedBy::JsonType => variant_name(api, variant, union) == "Object",
        DecidedBy::Member(_) => sizes::is_large_node(api, &variant.shape),
        DecidedBy::Presence => false,
    }
}

fn variant_name(api: &Api, variant: &Variant, union: &Union) -> Ident {
    let is_enum = |name: &str| matches!(api.types.get(name).map(|t| &t.kind), Some(Kind::Enum(_)));
    match (&variant.shape, &union.decided_by) {
        (Shape::Named(name), DecidedBy::Member(_) | DecidedBy::Presence) => format_ident!("{name}"),
        (Shape::Named(name), DecidedBy::JsonType) if is_enum(name) => format_ident!("String"),
        (Shape::String(_), _) => format_ident!("String"),
        (Shape::Integer(_) | Shape::Number(_), _) => format_ident!("Number"),
        (Shape::Boolean | Shape::Constant(_), _) => format_ident!("Boolean"),
        (Shape::Array(..), _) => format_ident!("Array"),
        _ => format_ident!("Object"),
    }
}

/// The variants are objects, told apart by their members.
fn by_presence(api: &Api, ident: &Ident, u: &Union, variants: &[Ident]) -> TokenStream {
    let objects = u.variants.iter().zip(variants).filter_map(|(variant, name)| {
        let Shape::Named(of) = &variant.shape else {
            return None;
        };
        match &api.types.get(of)?.kind {
            Kind::Struct(object) => Some((name, variant.tags.first().map(String::as_str), object.fields.as_slice())),
            _ => None,
        }
    });
    reading_choice(ident, &objects.collect::<Vec<_>>())
}

/// Parses the value as JSON first. Checking the discriminator before other members keeps parsing linear in the size.
fn reading(ident: &Ident, u: &Union, variants: &[Ident]) -> TokenStream {
    let mut choices: Vec<_> = u.variants.iter().zip(variants).collect();
    choices.sort_by_key(|(variant, _)| variant.has_other_tags);
    let arms: Vec<TokenStream> = choices.into_iter().map(|(v, name)| arm(u, v, name)).collect();
    let decided = match &u.decided_by {
        DecidedBy::Member(member) if u.variants.iter().any(|variant| variant.has_other_tags) => quote! {
            let tag = value.get(#member).map(|tag| tag.as_str().unwrap_or_default().to_owned());
            match tag.as_deref() {
                #(#arms)*
            }
        },
        DecidedBy::Member(member) => {
            let problem = format!("`{member}` is not one of the allowed values");
            quote! {
                let tag = value.get(#member).map(|tag| tag.as_str().unwrap_or_default().to_owned());
                match tag.as_deref() {
                    #(#arms)*
                    _ => Err(de::Error::custom(#problem)),
                }
            }
        }
        DecidedBy::Presence | DecidedBy::JsonType => quote! {
            match &value {
                #(#arms)*
                _ => Err(de::Error::custom("a value of this type is not allowed")),
            }
        },
    };
    quote! {
        impl<'de> Deserialize<'de> for #ident {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = distinct::value(deserializer)?;
                #decided
            }
        }
    }
}

fn arm(u: &Union, v: &Variant, name: &Ident) -> TokenStream {
    let read = quote! {
        Deserialize::deserialize(value).map(Self::#name).map_err(de::Error::custom)
    };
    if u.decided_by != DecidedBy::JsonType {
        let tags = &v.tags;
        return if v.has_other_tags {
            quote!(_ => #read,)
        } else if tags.is_empty() {
            quote!(None => #read,)
        } else {
            quote!(#(Some(#tags))|* => #read,)
        };
    }
    match name.to_string().as_str() {
        "String" => quote!(Value::String(_) => #read,),
        "Number" => quote!(Value::Number(_) => #read,),
        "Boolean" => quote!(Value::Bool(_) => #read,),
        "Array" => quote!(Value::Array(_) => #read,),
        _ => quote!(Value::Object(_) => #read,),
    }
}

fn validate(api: &Api, ident: &Ident, u: &Union, variants: &[Ident]) -> TokenStream {
    let arms = u.variants.iter().zip(variants).map(|(v, name)| {
        if matches!(v.shape, Shape::Named(_)) && is_nested(api, &v.shape) {
            let value = if is_boxed(api, u, v) {
                quote!(&**value)
            } else {
                quote!(value)
            };
            return quote!(Self::#name(value) => Validate::validate(#value),);
        }
        let rules = fields::standalone_rules(&v.shape);
        let own = quote!(rules::of_variant(|| { #rules Ok(()) }));
        match &v.shape {
            Shape::Array(item, _) if matches!(**item, Shape::Named(_)) && is_nested(api, item) => quote! {
                Self::#name(value) => #own.and_then(|()| value.iter().try_for_each(Validate::validate)),
            },
            _ if rules.is_empty() => quote!(Self::#name(_) => Ok(()),),
            _ => quote!(Self::#name(value) => #own,),
        }
    });
    quote! {
        impl Validate for #ident {
            fn validate(&self) -> Result<(), ValidationErrors> {
                match self {
                    #(#arms)*
                }
            }
        }
    }
}
