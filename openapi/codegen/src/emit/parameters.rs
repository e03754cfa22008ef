//! Parameters: their rules for the derived document, and the structs that handlers get.

use heck::{ToPascalCase, ToSnakeCase};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, Field, Operation};

use super::{doc, fields, structs};

/// Parameters that are read together, into one struct.
pub struct Read<'a> {
    operation: &'a Operation,
    /// Where they stand: `query` or `headers`.
    place: &'static str,
    fields: &'a [Field],
}

impl<'a> Read<'a> {
    /// What an operation reads, in the order in which handlers take it.
    pub fn of(operation: &'a Operation) -> impl Iterator<Item = Self> {
        let places = [
            ("query", &operation.query_parameters),
            ("headers", &operation.header_parameters),
        ];
        let read = places.into_iter().map(move |(place, fields)| Self {
            operation,
            place,
            fields,
        });
        read.filter(|read| !read.fields.is_empty())
    }

    /// The name of the argument, and of the method that reads it.
    pub fn argument(&self) -> Ident {
        format_ident!("{}", self.place)
    }

    pub fn type_name(&self) -> Ident {
        format_ident!("{}{}", self.operation.id.to_pascal_case(), self.place.to_pascal_case())
    }

    fn structure(&self, api: &Api) -> TokenStream {
        let ident = self.type_name();
        let name = ident.to_string();
        let what = if self.place == "query" { "query" } else { "header" };
        let docs = doc(&format!("The {what} parameters of `{}`.", self.operation.id));
        let mut functions = Vec::new();
        let members = self.fields.iter().map(|field| {
            let default_name = format!("default_{}", fields::function_suffix(field, &name));
            let serde = fields::serde_attributes(field, true, &default_name);
            let (validate, function) = fields::validation(field, &name, structs::is_nested(api, &field.shape));
            functions.extend(function);
            functions.extend(structs::default_function(field, true, &default_name));
            let (docs, member, member_type) = (doc(&field.doc), fields::ident(&field.name), fields::field_type(field));
            quote! {
                #docs
                #serde
                #validate
                pub #member: #member_type
            }
        });
        let members: Vec<TokenStream> = members.collect();
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
            pub struct #ident {
                #(#members),*
            }

            #(#functions)*
        }
    }
}

/// The structs that an operation's parameters are read into.
pub fn structs(api: &Api, operation: &Operation) -> TokenStream {
    let structs = Read::of(operation).map(|read| read.structure(api));
    quote!(#(#structs)*)
}

/// Parameters appear in the signature for the derived document only; they are read after access is decided.
pub fn arguments(operation: &Operation) -> TokenStream {
    let arguments = extracted(operation).map(|(field, extractor)| {
        let (name, docs) = (&field.name, doc(&field.doc));
        let ident = format_ident!("_{}", field.name.to_snake_case());
        let (member_type, rules) = (described_type(field), rules_name(operation, field));
        let deprecated = field.deprecated.then(|| quote!(, deprecated));
        quote! {
            #docs
            #[oai(name = #name #deprecated)]
            #ident: #extractor<#member_type, #rules>,
        }
    });
    quote!(#(#arguments)*)
}

fn extracted(operation: &Operation) -> impl Iterator<Item = (&Field, TokenStream)> {
    let places = [
        (&operation.path_parameters, quote!(PathParameter)),
        (&operation.query_parameters, quote!(QueryParameter)),
        (&operation.header_parameters, quote!(HeaderParameter)),
    ];
    places
        .into_iter()
        .flat_map(|(fields, extractor)| fields.iter().map(move |field| (field, extractor.clone())))
}

/// A parameter with a default may be left out.
fn described_type(field: &Field) -> TokenStream {
    let shape = fields::shape_type(&field.shape);
    if field.required { shape } else { quote!(Option<#shape>) }
}

fn rules_name(operation: &Operation, field: &Field) -> Ident {
    format_ident!(
        "{}{}Parameter",
        operation.id.to_pascal_case(),
        field.name.to_pascal_case()
    )
}

/// What the contract says about each parameter beyond its type.
pub fn rules(operation: &Operation) -> TokenStream {
    let rules = operation.parameters().map(|field| {
        let name = rules_name(operation, field);
        let docs = doc(&format!(
            "The rules of the parameter `{}` of `{}`.",
            field.name, operation.id
        ));
        let undocumented = Field {
            doc: String::new(),
            deprecated: false,
            ..field.clone()
        };
        let meta = fields::meta(&undocumented, fields::default_value(field));
        quote! {
            #docs
            pub struct #name;

            impl Rules for #name {
                fn rules() -> MetaSchema {
                    #meta
                }
            }
        }
    });
    quote!(#(#rules)*)
}
