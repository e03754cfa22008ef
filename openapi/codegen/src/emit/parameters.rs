//! Parameters: the structs for handlers, and what the stubs say of them. Operations with the same parameters share one struct.

use heck::ToPascalCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, Field, Operation};

use super::{
    doc, fields,
    reading::{Further, reading},
    structs,
};

/// Parameters that are parsed into one struct.
#[derive(Clone, Copy)]
pub struct Read<'a> {
    operation: &'a Operation,
    /// The location of the parameters: `query` or `headers`.
    place: &'static str,
    fields: &'a [Field],
}

/// The structs of all operations.
pub struct Parameters<'a> {
    /// The distinct lists of parameters, each with the first operation and the name of the struct.
    lists: Vec<(Read<'a>, String)>,
}

impl<'a> Read<'a> {
    /// The structs of an operation, in the order of the arguments of the handler.
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

    /// The name of the argument, and of the method that parses the argument.
    pub fn argument(&self) -> Ident {
        format_ident!("{}", self.place)
    }

    /// The name of the struct in the operation.
    pub fn type_name(&self) -> Ident {
        format_ident!("{}{}", self.operation.id.to_pascal_case(), self.place.to_pascal_case())
    }

    /// Returns whether both lists of parameters need the same struct.
    fn equals(&self, other: &Self) -> bool {
        let mut pairs = self.fields.iter().zip(other.fields);
        self.place == other.place
            && self.fields.len() == other.fields.len()
            && pairs.all(|(field, other)| is_equal(field, other) && field.required == other.required)
    }

    /// The name of a shared struct, made from the names of its members, or from the response type of the operations if there are
    /// many members.
    fn shared_name(&self) -> String {
        const MAX_NAMED: usize = 4;
        let place = self.place.to_pascal_case();
        let answer = self.operation.success.type_name.as_ref();
        match answer.filter(|_| self.fields.len() > MAX_NAMED) {
            Some(answer) => format!("{answer}{place}"),
            None => self
                .fields
                .iter()
                .map(|field| field.name.to_pascal_case())
                .chain([place])
                .collect(),
        }
    }

    fn structure(&self, api: &Api, name: &str) -> TokenStream {
        let ident = format_ident!("{name}");
        let what = if self.place == "query" { "query" } else { "header" };
        let names: Vec<String> = self.fields.iter().map(|field| format!("`{}`", field.name)).collect();
        let docs = doc(&format!("The {what} parameters {}.", names.join(", ")));
        let mut functions = Vec::new();
        let members = self.fields.iter().map(|field| {
            let (validate, function) = fields::validation(field, name, structs::is_nested(api, &field.shape));
            functions.extend(function);
            let (docs, member, member_type) = (doc(&field.doc), fields::ident(&field.name), fields::field_type(field));
            quote! {
                #docs
                #validate
                pub #member: #member_type
            }
        });
        let members: Vec<TokenStream> = members.collect();
        let reading = reading(&ident, self.fields, &[], Further::Ignored);
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq, Validate)]
            pub struct #ident {
                #(#members),*
            }

            #reading
            #(#functions)*
        }
    }
}

impl<'a> Parameters<'a> {
    pub fn of(api: &'a Api) -> Self {
        let operations = || api.areas.iter().flat_map(|area| &area.operations);
        let mut lists: Vec<(Read<'a>, String)> = Vec::new();
        let all: Vec<Read<'a>> = operations().flat_map(Read::of).collect();
        for read in &all {
            if lists.iter().any(|(known, _)| known.equals(read)) {
                continue;
            }
            let is_shared = all.iter().filter(|other| other.equals(read)).count() > 1;
            let shared = read.shared_name();
            let is_free = lists.iter().all(|(_, name)| *name != shared);
            let name = if is_shared && is_free {
                shared
            } else {
                read.type_name().to_string()
            };
            lists.push((*read, name));
        }
        Self { lists }
    }

    pub fn code(&self, api: &Api) -> TokenStream {
        let structs = self.lists.iter().map(|(read, name)| read.structure(api, name));
        quote! {
            use crate::{models::*, prelude::*};

            #(#structs)*
        }
    }

    /// The names of the structs in the operations of an area.
    pub fn aliases(&self, operation: &'a Operation) -> TokenStream {
        let aliases = Read::of(operation).map(|read| {
            let (alias, name) = (read.type_name(), self.list_name(&read));
            let docs = doc(&format!("The {} parameters of `{}`.", read.place, operation.id));
            match alias == name {
                true => quote!(pub use crate::parameters::#name;),
                false => quote!(#docs pub type #alias = crate::parameters::#name;),
            }
        });
        quote!(#(#aliases)*)
    }

    fn list_name(&self, read: &Read<'_>) -> Ident {
        let found = self.lists.iter().find(|(known, _)| known.equals(read));
        found.map_or_else(|| read.type_name(), |(_, name)| format_ident!("{name}"))
    }
}

/// The parameters in the derived document.
pub fn descriptions(operation: &Operation) -> TokenStream {
    let key = operation.idempotency_key.as_slice();
    let places = [
        (operation.path_parameters.as_slice(), quote!(Path)),
        (&operation.query_parameters, quote!(Query)),
        (&operation.header_parameters, quote!(Header)),
        (key, quote!(Header)),
    ];
    let all = places
        .iter()
        .flat_map(|(fields, place)| fields.iter().map(move |field| (field, place)));
    let descriptions = all.map(|(field, place)| {
        let (name, required) = (&field.name, field.required);
        quote!(it.parameter(MetaParamIn::#place, #name, #required);)
    });
    quote!(#(#descriptions)*)
}

/// Returns whether both parameters allow the same values.
fn is_equal(field: &Field, other: &Field) -> bool {
    field.name == other.name && field.shape == other.shape && field.default == other.default
}
