//! One trait and one stub for each area.

use heck::{ToKebabCase, ToPascalCase, ToShoutySnakeCase, ToSnakeCase};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::model::{ANY_SCOPE, ANYONE, Api, Area, Body, Field, Form, Operation};

use super::{
    body_members, doc, fields, guard,
    parameters::{self, Parameters, Read},
};

pub fn area<'a>(api: &Api, parameters: &Parameters<'a>, area: &'a Area) -> TokenStream {
    let trait_name = format_ident!("{}Api", area.name.to_pascal_case());
    let stub_name = format_ident!("{}Stub", area.name.to_pascal_case());
    let methods = area.operations.iter().map(|operation| method(api, operation));
    let service = guard::service_trait(&area.context);
    let stubs = area.operations.iter().map(|operation| stub(api, operation));
    let entries = area.operations.iter().map(entry);
    let tag = format_ident!("{}", area.name.to_pascal_case());
    let aliases = area.operations.iter().map(|operation| parameters.aliases(operation));
    let statics = area.operations.iter().map(|operation| described(&area.name, operation));
    let trait_docs = doc(&format!("The handlers of the operations of the area `{}`.", area.name));
    let stub_docs = doc(&format!("The HTTP side of [`{trait_name}`]."));
    quote! {
        use crate::{guard::*, models::*, prelude::*};

        #trait_docs
        pub trait #trait_name: #service {
            #(#methods)*
        }

        #stub_docs
        pub struct #stub_name<S>(pub Arc<S>);

        impl<S: #trait_name> #stub_name<S> {
            #(#stubs)*

            fn stubs() -> Vec<Stub<S>> {
                vec![#(#entries),*]
            }
        }

        impl<S: #trait_name> OpenApi for #stub_name<S> {
            fn meta() -> Vec<MetaApi> {
                endpoint::meta(&Self::stubs())
            }

            fn register(registry: &mut Registry) {
                Tags::register(&crate::operations::Tag::#tag, registry);
                endpoint::register(&Self::stubs(), registry);
            }

            fn add_routes(self, routes: &mut Routes) {
                endpoint::add_routes(&self.0, Self::stubs(), routes);
            }
        }

        #(#aliases)*
        #(#statics)*
    }
}

/// The path parameters of the handler, which are not part of the access check.
fn handed_on(operation: &Operation, used: &[String]) -> Vec<Field> {
    let rest = operation.path_parameters.iter();
    rest.filter(|field| !used.contains(&field.name)).cloned().collect()
}

/// The success type of a handler.
fn success_type(operation: &Operation) -> TokenStream {
    let Some(name) = &operation.success.type_name else {
        return quote!(());
    };
    let name = format_ident!("{name}");
    match operation.success.form {
        Form::Plain if operation.success.is_list => quote!(Vec<#name>),
        Form::Plain => quote!(#name),
        Form::Created => quote!(Created<#name>),
        Form::Upserted => quote!(Upserted<#name>),
        Form::Tagged => {
            let status = status(operation);
            quote!(Tagged<#name, #status>)
        }
        Form::Conditional => quote!(Conditional<#name>),
    }
}

fn status(operation: &Operation) -> Literal {
    Literal::u16_unsuffixed(operation.success.status)
}

fn method(api: &Api, operation: &Operation) -> TokenStream {
    let docs = doc(&format!(
        "{} ({} {})\n\n{}",
        operation.summary,
        operation.method.to_uppercase(),
        operation.path,
        operation.doc
    ));
    let name = format_ident!("{}", operation.id.to_snake_case());
    let access = guard::proof_for_service(api, &operation.access.resource);
    let parameters = handed_on(operation, &operation.access.parameters)
        .into_iter()
        .map(|field| {
            let name = fields::ident(&field.name);
            match field.shape.ids() {
                Some(_) => {
                    let id = fields::shape_type(&field.shape);
                    quote!(#name: #id,)
                }
                None => quote!(#name: String,),
            }
        });
    let read = Read::of(operation).map(|read| {
        let (name, of) = (read.argument(), read.type_name());
        quote!(#name: #of,)
    });
    let body = operation.body.as_ref().map(|body| {
        let name = format_ident!("{}", body.type_name);
        if body.required {
            quote!(body: #name,)
        } else {
            quote!(body: Option<#name>,)
        }
    });
    let success = success_type(operation);
    quote! {
        #docs
        fn #name(
            &self,
            access: #access,
            #(#parameters)*
            #(#read)*
            #body
        ) -> impl Future<Output = Result<#success, ApiError>> + Send;
    }
}

/// The name of the static of [`described`].
pub fn static_name(operation: &Operation) -> Ident {
    format_ident!("{}", operation.id.to_shouty_snake_case())
}

/// The description of an operation at run time.
fn described(area: &str, operation: &Operation) -> TokenStream {
    let name = static_name(operation);
    let Operation {
        id,
        method,
        path,
        summary,
        wildcard,
        deprecated,
        safe,
        secret,
        may_forbid,
        minimal,
        ..
    } = operation;
    let scope = match operation.scope.as_deref() {
        None => quote!(None),
        Some(ANY_SCOPE) => quote!(Some(Scope::Any)),
        Some(scope) => quote!(Some(Scope::Named(#scope))),
    };
    let token_is_optional = operation.access.level == ANYONE;
    let description = operation.doc.trim();
    let tag = area.to_kebab_case();
    let errors = statuses(operation);
    let pointer = format!("/paths/{}/{}", path.replace('~', "~0").replace('/', "~1"), method);
    quote! {
        pub static #name: Operation = Operation {
            area: #area,
            tag: #tag,
            id: #id,
            method: #method,
            path: #path,
            wildcard: #wildcard,
            summary: #summary,
            description: #description,
            deprecated: #deprecated,
            safe: #safe,
            secret: #secret,
            token_is_optional: #token_is_optional,
            scope: #scope,
            may_forbid: #may_forbid,
            minimal: #minimal,
            errors: &[#(#errors),*],
            input: Spec::new(#pointer),
        };
    }
}

/// The HTTP side of an operation.
fn stub(api: &Api, operation: &Operation) -> TokenStream {
    let name = format_ident!("{}", operation.id.to_snake_case());
    let docs = doc(&operation.summary);
    let (answer, wrap) = answer_type(operation);
    let steps = steps(api, operation, &wrap);
    let body = match &operation.body {
        Some(_) => quote!(body: RequestBody),
        None => quote!(_: RequestBody),
    };
    quote! {
        #docs
        async fn #name(service: &S, request: &Request, #body) -> #answer {
            let call = async { #steps };
            call.await.into()
        }
    }
}

/// The entry of an operation in the stub of its area.
fn entry(operation: &Operation) -> TokenStream {
    let (name, stub) = (
        static_name(operation),
        format_ident!("{}", operation.id.to_snake_case()),
    );
    let parameters = parameters::descriptions(operation);
    let body = operation
        .body
        .as_ref()
        .map(|Body { required, .. }| quote!(it.body(#required);));
    let (answer, _) = answer_type(operation);
    quote! {
        Stub {
            operation: &#name,
            describe: |it| {
                #parameters
                #body
                it.answer::<#answer>();
            },
            answer: |service, request, body| {
                endpoint::answering(async move { Self::#stub(&service, &request, body).await })
            },
        }
    }
}

fn late_body(body: &Body) -> TokenStream {
    let (name, required) = (format_ident!("{}", body.type_name), body.required);
    quote!(LateBody::<#name, #required>)
}

fn statuses(operation: &Operation) -> impl Iterator<Item = Literal> {
    operation.errors.iter().flatten().copied().map(Literal::u16_unsuffixed)
}

fn answer_type(operation: &Operation) -> (TokenStream, TokenStream) {
    let statuses = statuses(operation);
    let success = success_type(operation);
    let status = status(operation);
    let (payload, wrap) = match (&operation.success.type_name, operation.success.form) {
        (None, _) => (quote!(Empty<#status>), quote!(.map(|()| Empty))),
        (Some(_), Form::Plain) => (quote!(Json<#success, #status>), quote!(.map(Json))),
        (Some(_), _) => (success, quote!()),
    };
    let payload = match operation.idempotency_key {
        Some(_) => quote!(Once<#payload>),
        None => payload,
    };
    (quote!(Answer<#payload, { errors(&[#(#statuses),*]) }>), wrap)
}

/// The framework identifies path parameters by position.
fn place_in_path(operation: &Operation, name: &str) -> Literal {
    let at = operation.path_parameters.iter().position(|field| field.name == name);
    Literal::usize_unsuffixed(at.unwrap_or_default())
}

fn path_value(operation: &Operation, name: &str) -> TokenStream {
    let at = place_in_path(operation, name);
    let field = operation.path_parameter(name);
    match field.and_then(|field| field.shape.ids()) {
        Some(_) => quote!(path_id(request, #at)?),
        None => quote!(path(request, #at)?),
    }
}

/// The checks of access before the body is read, and the check of a target that the body names.
fn access_checks(api: &Api, operation: &Operation) -> (TokenStream, TokenStream) {
    let Some(resource) = api.resources.get(&operation.access.resource) else {
        return Default::default();
    };
    let operation_name = static_name(operation);
    let call = quote!(Call::new(request, &#operation_name));
    let (name, level) = (&operation.access.resource, &operation.access.level);
    let Some(within) = &resource.within else {
        return (access_check(api, operation, (name, level), &call), quote!());
    };
    let outer = access_check(api, operation, (&within.resource, &within.level), &call);
    let own = access_check(api, operation, (name, level), &quote!(access));
    if resource.body_members.is_empty() {
        return (quote!(#outer #own), quote!());
    }
    (outer, own)
}

/// The resource whose check comes before the body is read.
fn decided_before_body<'a>(api: &'a Api, operation: &'a Operation) -> &'a str {
    let resource = &operation.access.resource;
    let named_by_body = api
        .resources
        .get(resource)
        .filter(|named| !named.body_members.is_empty());
    let outer = named_by_body.and_then(|named| named.within.as_ref());
    outer.map_or(resource, |within| &within.resource)
}

/// The check of a level on a resource.
fn access_check(api: &Api, operation: &Operation, (name, level): (&str, &str), first: &TokenStream) -> TokenStream {
    let Some(resource) = api.resources.get(name) else {
        return quote!();
    };
    let method = format_ident!("{}", name.to_snake_case());
    let guard = guard::guard_method(&resource.context);
    let level_name = format_ident!("{}", level.to_pascal_case());
    let level = guard::level_type(resource).map(|level| quote!(#level::#level_name,));
    let named = guard::own_parameters(api, resource).map(|name| path_value(operation, name));
    let members = resource
        .body_members
        .iter()
        .map(|member| body_members::value(api, operation, member));
    let or_self = resource.takes_self.then(|| match &operation.access.or_self {
        Some(other) if name == operation.access.resource => {
            let value = path_value(operation, other);
            quote!(Some(#value),)
        }
        _ => quote!(None,),
    });
    quote! {
        let access = guarded(service.#guard().#method(#first, #(#named,)* #(#members,)* #level #or_self)).await?;
    }
}

/// The call of a handler, which a request with an idempotency key does only once.
fn once(api: &Api, operation: &Operation, call: TokenStream) -> TokenStream {
    if operation.idempotency_key.is_none() {
        return call;
    }
    let guard = guard::guard_method(guard::context_of(api, &operation.access.resource));
    quote!(once(service.#guard(), access, keyed, |access| async move { #call }).await)
}

/// Access first, then every violation together, then the handler.
fn steps(api: &Api, operation: &Operation, wrap: &TokenStream) -> TokenStream {
    let operation_name = static_name(operation);
    let used = &operation.access.parameters;
    let (before_body, after_reading) = access_checks(api, operation);
    let rest = handed_on(operation, used);
    let handler = format_ident!("{}", operation.id.to_snake_case());
    let mut reads = Vec::new();
    let mut arguments = Vec::new();
    for field in &rest {
        let (ident, name) = (fields::ident(&field.name), &field.name);
        let at = place_in_path(operation, name);
        let read = match field.shape.ids() {
            Some(_) => quote!(path_id),
            None => quote!(path),
        };
        reads.push((ident.clone(), quote!(input.#read(#at, #name)?)));
        arguments.push(ident);
    }
    for read in Read::of(operation) {
        let name = read.argument();
        reads.push((name.clone(), quote!(input.#name())));
        arguments.push(name);
    }
    if let Some(body) = &operation.body {
        let late = late_body(body);
        let read = if body.required {
            quote!(input.body(#late::taken(body)?).await?)
        } else {
            quote!(input.optional_body(#late::taken(body)?).await?)
        };
        reads.push((format_ident!("body"), read));
        arguments.push(format_ident!("body"));
    }
    if operation.idempotency_key.is_some() {
        // After the body, which is part of what the key names.
        reads.push((format_ident!("keyed"), quote!(input.keyed())));
    }
    let reading = (!reads.is_empty()).then(|| {
        let names: Vec<&Ident> = reads.iter().map(|(name, _)| name).collect();
        let values: Vec<&TokenStream> = reads.iter().map(|(_, value)| value).collect();
        quote! {
            let mut input = Input::new(request, &#operation_name.input);
            #(let #names = #values;)*
            let (#(Some(#names),)*) = (#(#names,)*) else {
                return Err(input.refused());
            };
        }
    });
    let after_body = operation.body.as_ref().map(|_| {
        let guard = guard::guard_method(guard::context_of(api, decided_before_body(api, operation)));
        quote!(service.#guard().after_body(access.as_ref()).await?;)
    });
    let handled = quote!(service.#handler(access, #(#arguments),*).await #wrap);
    let handled = once(api, operation, handled);
    quote! {
        #before_body
        #reading
        #after_body
        #after_reading
        #handled
    }
}
