//! Generation of Rust code from the model.

pub mod body_members;
mod enums;
mod families;
mod fields;
mod guard;
mod operations;
mod parameters;
mod patterns;
mod reading;
mod sizes;
mod structs;
mod texts;
mod unions;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    lower::ERROR,
    model::{Api, Kind},
};
use parameters::Parameters;

/// The generated files, by name.
pub fn emit(api: &Api) -> Vec<(String, String)> {
    let parameters = Parameters::of(api);
    let mut files = vec![
        ("parameters.rs".to_owned(), format(parameters.code(api))),
        ("models.rs".to_owned(), format(models(api))),
        ("guard.rs".to_owned(), format(guard::guard(api))),
        ("operations.rs".to_owned(), format(operations_index(api))),
    ];
    for (folder, code) in types(api) {
        files.push((models_file(folder), format(code)));
    }
    for area in &api.areas {
        let code = operations::area(api, &parameters, area);
        files.push((format!("operations_{}.rs", area.name), format(code)));
    }
    files
}

fn models(api: &Api) -> TokenStream {
    let patterns = patterns::patterns(api);
    let texts = texts::texts(api);
    let families = families::families(api);
    let list_limits = structs::list_limits(api);
    let statuses = enums::error_statuses(&api.errors);
    let files = types(api).into_keys().map(|folder| format!("/{}", models_file(folder)));
    // The others are described as parts of these.
    let answered: BTreeSet<&str> = api
        .areas
        .iter()
        .flat_map(|area| &area.operations)
        .filter_map(|operation| operation.success.type_name.as_deref())
        .chain([ERROR])
        .collect();
    let answered = answered.into_iter().map(|name| format_ident!("{name}"));
    quote! {
        use crate::{describe::described, list::Page, prelude::*};

        #list_limits
        #patterns
        #(include!(concat!(env!("OUT_DIR"), #files));)*
        #statuses
        described!(#(#answered),*);
        #families
        #texts
    }
}

/// The types, by the folder in which the contract declares them.
fn types(api: &Api) -> BTreeMap<&str, TokenStream> {
    let mut folders: BTreeMap<&str, TokenStream> = BTreeMap::new();
    for (name, t) in api.types.iter().filter(|(_, t)| t.request || t.response) {
        folders.entry(folder(&t.place.file)).or_default().extend(match &t.kind {
            Kind::Struct(s) => structs::structure(api, name, t, s),
            Kind::Enum(values) => enums::enumeration(name, t, values),
            Kind::Union(u) => unions::union(api, name, t, u),
        });
    }
    folders
}

/// As in `components/<folder>/areas.yaml`; files outside of such folders have what several contexts use.
fn folder(file: &str) -> &str {
    match file.split('/').collect::<Vec<_>>()[..] {
        [_, folder, _] => folder,
        _ => "common",
    }
}

fn models_file(folder: &str) -> String {
    format!("models_{folder}.rs")
}

fn operations_index(api: &Api) -> TokenStream {
    let modules = api.areas.iter().map(|area| {
        let name = format_ident!("{}", area.name);
        let file = format!("/operations_{}.rs", area.name);
        let doc = doc(&format!("The operations of the area `{}`.", area.name));
        quote! {
            #doc
            pub mod #name {
                include!(concat!(env!("OUT_DIR"), #file));
            }
        }
    });
    let tags = api.tags.iter().map(|tag| {
        let variant = format_ident!("{}", heck::AsPascalCase(&tag.name).to_string());
        let (name, doc) = (heck::AsKebabCase(&tag.name).to_string(), doc(&tag.doc));
        quote! {
            #doc
            #[oai(rename = #name)]
            #variant
        }
    });
    let operations = api.areas.iter().flat_map(|area| {
        let module = format_ident!("{}", area.name);
        let statics = area.operations.iter().map(operations::static_name);
        statics.map(move |name| quote!(&#module::#name))
    });
    let areas = areas(api);
    quote! {
        #(#modules)*

        /// The areas, for the derived document.
        #[derive(poem_openapi::Tags)]
        pub enum Tag {
            #(#tags),*
        }

        /// All operations.
        pub static OPERATIONS: &[&crate::call::Operation] = &[#(#operations),*];

        #areas
    }
}

/// The number of arguments that Clippy allows.
const CLIPPYS_ARGUMENTS: usize = 7;

/// The stubs of all areas as one API. The stubs are nested in pairs, because the framework does not support long tuples.
fn areas(api: &Api) -> TokenStream {
    let (mut bounds, mut types, mut values) = (BTreeMap::<_, Vec<_>>::new(), quote!(()), quote!(()));
    for area in &api.areas {
        let module = format_ident!("{}", area.name);
        let name = heck::AsPascalCase(&area.name);
        let (trait_name, stub) = (format_ident!("{name}Api"), format_ident!("{name}Stub"));
        let context = format_ident!("{}", area.context);
        let service = format_ident!("{}", heck::AsPascalCase(&area.context).to_string());
        types = quote!((#module::#stub<#service>, #types));
        values = quote!((#module::#stub(std::sync::Arc::clone(&#context)), #values));
        bounds
            .entry((context, service))
            .or_default()
            .push(quote!(#module::#trait_name));
    }
    let services: Vec<_> = bounds.keys().map(|(_, service)| service).collect();
    let parameters = bounds
        .keys()
        .map(|(context, service)| quote!(#context: std::sync::Arc<#service>));
    let bounds = bounds
        .iter()
        .map(|((_, service), traits)| quote!(#service: #(#traits)+*));
    let many = (services.len() > CLIPPYS_ARGUMENTS).then(|| quote!(#[expect(clippy::too_many_arguments)]));
    quote! {
        /// All areas, each of the service of its context.
        pub type Areas<#(#services),*> = #types;

        /// The stubs of all areas; the services are in the order of the names of their contexts.
        #many
        pub fn areas<#(#bounds),*>(#(#parameters),*) -> Areas<#(#services),*> {
            #values
        }
    }
}

pub fn doc(text: &str) -> TokenStream {
    let lines = text.trim().lines().map(|line| format!(" {line}"));
    quote!(#(#[doc = #lines])*)
}

/// Returns the code formatted like rustfmt. Invalid Rust code is returned unformatted, so that rustc reports the location.
fn format(code: TokenStream) -> String {
    match syn::parse2(code.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => code.to_string(),
    }
}
