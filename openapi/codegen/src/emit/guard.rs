//! The access resources of the contract as one trait.

use std::collections::BTreeMap;

use heck::{ToPascalCase, ToSnakeCase};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Access, Api, Resource};

use super::{body_members, doc, fields};

/// The type of the levels on a resource; `None` for a single level.
pub fn level_type(resource: &Resource) -> Option<Ident> {
    let scale = resource.scale.as_ref()?;
    Some(format_ident!("{}Level", scale.to_pascal_case()))
}

pub fn access_type(resource: &str) -> Ident {
    format_ident!("{}Access", resource.to_pascal_case())
}

pub fn guard(api: &Api) -> TokenStream {
    let scales: BTreeMap<&String, &Resource> = api
        .resources
        .values()
        .filter_map(|resource| Some((resource.scale.as_ref()?, resource)))
        .collect();
    let levels = scales.into_iter().map(|(scale, resource)| levels(scale, resource));
    let members = api.resources.iter().map(|(name, resource)| member(api, name, resource));
    quote! {
        use crate::prelude::*;

        #(#levels)*

        /// Decides access before a handler runs. Only stubs call the guard, which returns the proof that the handler needs.
        pub trait Guard: Send + Sync + 'static {
            /// The caller of an operation, which is part of every proof.
            type Caller;

            /// Refuses the call if access was revoked while the body was received.
            fn after_body(&self, caller: &Self::Caller) -> impl Future<Output = Result<(), ApiError>> + Send;

            #(#members)*
        }

        /// The service that implements the operations of every area.
        pub trait Service: Send + Sync + 'static {
            type Guard: Guard;

            fn guard(&self) -> &Self::Guard;
        }
    }
}

fn levels(scale: &str, resource: &Resource) -> TokenStream {
    let ident = level_type(resource);
    let text = format!("The levels of access on the scale `{scale}`, lowest first.");
    let docs = doc(&text);
    let variants = resource
        .levels
        .iter()
        .map(|level| format_ident!("{}", level.to_pascal_case()));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum #ident {
            #(#variants),*
        }
    }
}

fn member(api: &Api, name: &str, resource: &Resource) -> TokenStream {
    let access = access_type(name);
    let level = level_type(resource).map(|level| quote!(level: #level,));
    let first = match &resource.within {
        Some(within) => {
            let outer = access_type(&within.resource);
            quote!(within: Self::#outer)
        }
        None => quote!(call: Call<'_>),
    };
    let or_self = resource.takes_self.then(|| {
        let named = parameter_type(api, name, |access| access.or_self.as_deref());
        quote!(or_self: Option<#named>,)
    });
    let method = format_ident!("{}", name.to_snake_case());
    let parameters = own_parameters(api, resource).map(|parameter| {
        let named = parameter_type(api, name, |_| Some(parameter));
        let parameter = format_ident!("{}", parameter.to_snake_case());
        quote!(#parameter: #named)
    });
    let members = resource.body_members.iter().map(|member| {
        let id = member_type(api, name, member);
        let member = format_ident!("{}", body_members::inner_name(member).to_snake_case());
        quote!(#member: Option<#id>)
    });
    let proof = doc(&format!("Proof of access to the resource `{name}`."));
    let docs = doc(&resource.doc);
    quote! {
        #proof
        type #access: AsRef<Self::Caller> + Send + Sync;

        #docs
        fn #method(
            &self,
            #first,
            #(#parameters,)*
            #(#members,)*
            #level
            #or_self
        ) -> impl Future<Output = Result<Self::#access, ApiError>> + Send;
    }
}

/// The path parameters of a resource besides those of the resource that it is within.
pub fn own_parameters<'a>(api: &'a Api, resource: &'a Resource) -> impl Iterator<Item = &'a String> {
    let outer = resource.within.as_ref();
    let outer = outer.and_then(|within| api.resources.get(&within.resource));
    let is_own = move |name: &&String| outer.is_none_or(|outer| !outer.parameters.contains(name));
    resource.parameters.iter().filter(is_own)
}

/// The type of a member of the body that access on a resource uses, as the first such operation declares it.
fn member_type(api: &Api, resource: &str, member: &str) -> TokenStream {
    let operations = api.areas.iter().flat_map(|area| &area.operations);
    let mut used = operations
        .filter(|operation| operation.access.resource == resource)
        .filter_map(|operation| body_members::find(api, operation.body.as_ref()?, member).next());
    match used.next() {
        Some((_, field)) => fields::shape_type(&field.shape),
        None => quote!(()),
    }
}

/// The type of a path parameter that access on a resource uses, as the first such operation declares it.
fn parameter_type<'a>(api: &'a Api, resource: &str, used: impl Fn(&'a Access) -> Option<&'a str>) -> TokenStream {
    let operations = api.areas.iter().flat_map(|area| &area.operations);
    let mut used = operations
        .filter(|operation| operation.access.resource == resource)
        .filter_map(|operation| operation.path_parameter(used(&operation.access)?));
    match used.next().filter(|field| field.shape.ids().is_some()) {
        Some(field) => fields::shape_type(&field.shape),
        None => quote!(&str),
    }
}
