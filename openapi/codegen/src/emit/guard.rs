//! The access resources of the contract: a guard per context.

use std::collections::{BTreeMap, BTreeSet};

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

/// The trait of the guard of a context.
pub fn guard_trait(context: &str) -> Ident {
    format_ident!("{}Guard", context.to_pascal_case())
}

/// The method of a service that returns the guard of a context.
pub fn guard_method(context: &str) -> Ident {
    format_ident!("{}_guard", context)
}

/// The type of the proof of access to a resource, for the guard of a context.
fn proof(api: &Api, context: &str, resource: &str) -> TokenStream {
    match context_of(api, resource) {
        own if own == context => {
            let access = access_type(resource);
            quote!(Self::#access)
        }
        _ => proof_for_service(api, resource),
    }
}

/// The type of the proof of access to a resource, for the service of an operation.
pub fn proof_for_service(api: &Api, resource: &str) -> TokenStream {
    let (access, guard) = (access_type(resource), guard_trait(context_of(api, resource)));
    quote!(<Self::#guard as #guard>::#access)
}

pub fn context_of<'a>(api: &'a Api, resource: &str) -> &'a str {
    api.resources
        .get(resource)
        .map_or("", |resource| resource.context.as_str())
}

pub fn guard(api: &Api) -> TokenStream {
    let scales: BTreeMap<&String, &Resource> = api
        .resources
        .values()
        .filter_map(|resource| Some((resource.scale.as_ref()?, resource)))
        .collect();
    let levels = scales.into_iter().map(|(scale, resource)| levels(scale, resource));
    let contexts: BTreeSet<&String> = api.resources.values().map(|resource| &resource.context).collect();
    let guards = contexts.into_iter().map(|context| context_guard(api, context));
    let services = api.contexts.iter().map(|context| service(api, &context.name));
    quote! {
        use crate::prelude::*;

        #(#levels)*

        /// The common part of the guards of all contexts.
        pub trait Guard: Send + Sync + 'static {
            /// The caller of an operation, which is part of every proof.
            type Caller: Clone + Send + Sync;

            /// Refuses the call if access was revoked while the body was received.
            fn after_body(&self, caller: &Self::Caller) -> impl Future<Output = Result<(), ApiError>> + Send;

            /// Handles a request with an idempotency key, or repeats the answer to the first one with this key.
            fn once(
                &self,
                caller: &Self::Caller,
                request: KeyedRequest,
                handling: Handling<'_>,
            ) -> impl Future<Output = Result<Response, ApiError>> + Send;
        }

        #(#guards)*

        #(#services)*
    }
}

/// The access resources of a context as a trait.
fn context_guard(api: &Api, context: &str) -> TokenStream {
    let ident = guard_trait(context);
    let own = api.resources.iter().filter(|(_, resource)| resource.context == context);
    let members = own.map(|(name, resource)| member(api, name, resource));
    let outer = outer_contexts(api, context).into_iter().map(|outer| {
        let outer = guard_trait(outer);
        let docs = doc("The guard whose decision comes first.");
        quote! {
            #docs
            type #outer: #outer<Caller = Self::Caller>;
        }
    });
    let docs = doc(&format!(
        "Decides access to the resources of the context `{context}` before a handler runs. Only stubs call the guard, which \
         returns the proof that the handler needs."
    ));
    quote! {
        #docs
        pub trait #ident: Guard {
            #(#outer)*

            #(#members)*
        }
    }
}

/// The other contexts that have resources in which resources of a context are.
fn outer_contexts<'a>(api: &'a Api, context: &str) -> BTreeSet<&'a str> {
    let own = api.resources.values().filter(|resource| resource.context == context);
    let within = own.filter_map(|resource| resource.within.as_ref());
    let outer = within.map(|within| context_of(api, &within.resource));
    outer.filter(|outer| *outer != context).collect()
}

fn service(api: &Api, context: &str) -> TokenStream {
    let ident = service_trait(context);
    let guards = guards_of(api, context);
    let used = guards.iter().map(|guard| {
        let (trait_name, method) = (guard_trait(guard), guard_method(guard));
        // Only what the operations of this context ask has to be one with it.
        let outer = outer_contexts(api, guard).into_iter();
        let outer = outer.filter(|outer| guards.contains(outer)).map(guard_trait);
        quote! {
            type #trait_name: #trait_name<#(#outer = Self::#outer),*>;

            fn #method(&self) -> &Self::#trait_name;
        }
    });
    let docs = doc(&format!(
        "The service that implements the operations of the context `{context}`, and the guards that they ask."
    ));
    quote! {
        #docs
        pub trait #ident: Send + Sync + 'static {
            #(#used)*
        }
    }
}

pub fn service_trait(context: &str) -> Ident {
    format_ident!("{}Service", context.to_pascal_case())
}

/// The contexts on whose resources the operations of a context declare access.
fn guards_of<'a>(api: &'a Api, context: &str) -> BTreeSet<&'a str> {
    let areas = api.areas.iter().filter(|area| area.context == context);
    let resources = areas
        .flat_map(|area| &area.operations)
        .filter_map(|operation| api.resources.get(&operation.access.resource));
    let with_outer = resources.flat_map(|resource| {
        let outer = resource.within.as_ref();
        [
            Some(resource),
            outer.and_then(|within| api.resources.get(&within.resource)),
        ]
    });
    with_outer.flatten().map(|resource| resource.context.as_str()).collect()
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
            let outer = proof(api, &resource.context, &within.resource);
            quote!(within: #outer)
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
