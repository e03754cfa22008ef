//! One trait and one stub for each area.

use heck::{ToPascalCase, ToShoutySnakeCase, ToSnakeCase};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::model::{Api, Area, Field, Operation};

use super::{doc, fields, guard, structs};

pub fn area(api: &Api, area: &Area) -> TokenStream {
    let trait_name = format_ident!("{}Api", area.name.to_pascal_case());
    let stub = format_ident!("{}Stub", area.name.to_pascal_case());
    let methods = area.operations.iter().map(method);
    let endpoints = area.operations.iter().map(|operation| endpoint(&area.name, operation));
    let queries = area.operations.iter().map(|operation| query(api, operation));
    let statics = area.operations.iter().map(|operation| described(&area.name, operation));
    let rules = area.operations.iter().map(parameter_rules);
    let trait_docs = doc(&format!(
        "What the service does for the operations of the area `{}`.",
        area.name
    ));
    let stub_docs = doc(&format!("The HTTP side of [`{trait_name}`]."));
    quote! {
        use crate::{guard::*, models::*, prelude::*};

        #trait_docs
        pub trait #trait_name: Guard {
            #(#methods)*
        }

        #stub_docs
        pub struct #stub<S>(pub Arc<S>);

        #[OpenApi]
        impl<S: #trait_name> #stub<S> {
            #(#endpoints)*
        }

        #(#queries)*
        #(#statics)*
        #(#rules)*
    }
}

/// The path parameters that access does not use up: the handler takes them.
fn handed_on(operation: &Operation, used: &[String]) -> Vec<Field> {
    let rest = operation.path_parameters.iter();
    rest.filter(|field| !used.contains(&field.name)).cloned().collect()
}

fn query_type(operation: &Operation) -> Ident {
    format_ident!("{}Query", operation.id.to_pascal_case())
}

fn success_type(operation: &Operation) -> TokenStream {
    match (&operation.success.type_name, operation.success.location) {
        (None, _) => quote!(()),
        (Some(name), false) => {
            let name = format_ident!("{name}");
            quote!(#name)
        }
        (Some(name), true) => {
            let name = format_ident!("{name}");
            quote!(Created<#name>)
        }
    }
}

fn method(operation: &Operation) -> TokenStream {
    let docs = doc(&format!(
        "{} ({} {})\n\n{}",
        operation.summary,
        operation.method.to_uppercase(),
        operation.path,
        operation.doc
    ));
    let name = format_ident!("{}", operation.id.to_snake_case());
    let access = guard::access_type(&operation.access.resource);
    let parameters = handed_on(operation, &operation.access.parameters)
        .into_iter()
        .map(|field| {
            let name = fields::ident(&field.name);
            quote!(#name: String,)
        });
    let query = (!operation.query_parameters.is_empty()).then(|| {
        let query = query_type(operation);
        quote!(query: #query,)
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
            access: Self::#access,
            #(#parameters)*
            #query
            #body
        ) -> impl Future<Output = Result<#success, ApiError>> + Send;
    }
}

/// The query parameters of an operation as a struct.
fn query(api: &Api, operation: &Operation) -> Option<TokenStream> {
    if operation.query_parameters.is_empty() {
        return None;
    }
    let ident = query_type(operation);
    let name = ident.to_string();
    let docs = doc(&format!("The query parameters of `{}`.", operation.id));
    let mut functions = Vec::new();
    let members = operation.query_parameters.iter().map(|field| {
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
    Some(quote! {
        #docs
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
        pub struct #ident {
            #(#members),*
        }

        #(#functions)*
    })
}

/// The name of what [`described`] writes.
pub fn static_name(operation: &Operation) -> Ident {
    format_ident!("{}", operation.id.to_shouty_snake_case())
}

/// What the contract says about an operation as far as it matters at run time.
fn described(area: &str, operation: &Operation) -> TokenStream {
    let name = static_name(operation);
    let Operation {
        id,
        method,
        path,
        summary,
        ..
    } = operation;
    let pointer = format!("/paths/{}/{}", path.replace('~', "~0").replace('/', "~1"), method);
    quote! {
        pub static #name: Operation = Operation {
            area: #area,
            id: #id,
            method: #method,
            path: #path,
            summary: #summary,
            input: Spec::new(#pointer),
        };
    }
}

fn endpoint(area: &str, operation: &Operation) -> TokenStream {
    let name = format_ident!("{}", operation.id.to_snake_case());
    let (id, method) = (&operation.id, &operation.method);
    let path = operation.path.replace('{', ":").replace('}', "");
    let tag = syn::parse_str::<syn::Path>(&format!("crate::operations::Tag::{}", area.to_pascal_case()));
    let tag = tag.map(|tag| {
        let tag = quote!(#tag).to_string().replace(' ', "");
        quote!(, tag = #tag)
    });
    let tag = tag.unwrap_or_default();
    let deprecated = operation.deprecated.then(|| quote!(, deprecated));
    let docs = doc(&format!("{}\n\n{}", operation.summary, operation.doc));
    let parameters = parameter_arguments(operation);
    let body = operation.body.as_ref().map(|body| {
        let name = format_ident!("{}", body.type_name);
        let required = body.required;
        quote!(body: LateBody<#name, #required>,)
    });
    let (answer, wrap) = answer_type(operation);
    let steps = steps(operation, &wrap);
    quote! {
        #docs
        #[oai(path = #path, method = #method, operation_id = #id #tag #deprecated)]
        async fn #name(
            &self,
            request: &Request,
            _bearer: Bearer,
            #parameters
            #body
        ) -> #answer {
            let call = async { #steps };
            call.await.into()
        }
    }
}

/// Parameters appear in the signature for the derived document only; they are read after access is decided.
fn parameter_arguments(operation: &Operation) -> TokenStream {
    let arguments = parameters(operation).map(|(field, extractor)| {
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

fn parameters(operation: &Operation) -> impl Iterator<Item = (&Field, TokenStream)> {
    let path = operation
        .path_parameters
        .iter()
        .map(|field| (field, quote!(PathParameter)));
    path.chain(
        operation
            .query_parameters
            .iter()
            .map(|field| (field, quote!(QueryParameter))),
    )
}

/// A parameter with a default may be left out.
fn described_type(field: &Field) -> TokenStream {
    let shape = fields::shape_type(&field.shape);
    if field.required { shape } else { quote!(Option<#shape>) }
}

fn rules_name(operation: &Operation, field: &Field) -> Ident {
    format_ident!("{}{}", operation.id.to_pascal_case(), field.name.to_pascal_case())
}

/// What the contract says about each parameter beyond its type.
fn parameter_rules(operation: &Operation) -> TokenStream {
    let rules = parameters(operation).map(|(field, _)| {
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

fn answer_type(operation: &Operation) -> (TokenStream, TokenStream) {
    let statuses = operation
        .errors
        .iter()
        .flatten()
        .copied()
        .map(proc_macro2::Literal::u16_unsuffixed);
    let status = proc_macro2::Literal::u16_unsuffixed(operation.success.status);
    let (payload, wrap) = match (&operation.success.type_name, operation.success.location) {
        (None, _) => (quote!(Empty<#status>), quote!(.map(|()| Empty))),
        (Some(name), false) => {
            let name = format_ident!("{name}");
            (quote!(Json<#name, #status>), quote!(.map(Json)))
        }
        (Some(name), true) => {
            let name = format_ident!("{name}");
            (quote!(Created<#name>), quote!())
        }
    };
    (quote!(Answer<#payload, { errors(&[#(#statuses),*]) }>), wrap)
}

/// The framework keeps path parameters by their place.
fn place_in_path(operation: &Operation, name: &str) -> proc_macro2::Literal {
    let at = operation.path_parameters.iter().position(|field| field.name == name);
    proc_macro2::Literal::usize_unsuffixed(at.unwrap_or_default())
}

fn path_value(operation: &Operation, name: &str) -> TokenStream {
    let at = place_in_path(operation, name);
    quote!(path(request, #at)?)
}

/// Access first, then every violation together, then the handler.
fn steps(operation: &Operation, wrap: &TokenStream) -> TokenStream {
    let operation_name = static_name(operation);
    let guard_method = format_ident!("{}", operation.access.resource.to_snake_case());
    let level_type = guard::level_type(&operation.access.resource);
    let level = format_ident!("{}", operation.access.level.to_pascal_case());
    let used = &operation.access.parameters;
    let named = used.iter().map(|name| path_value(operation, name));
    let or_self = match &operation.access.or_self {
        Some(name) => {
            let value = path_value(operation, name);
            quote!(Some(#value))
        }
        None => quote!(None),
    };
    let rest = handed_on(operation, used);
    let handler = format_ident!("{}", operation.id.to_snake_case());
    let mut reads = Vec::new();
    let mut arguments = Vec::new();
    for field in &rest {
        let (ident, name) = (fields::ident(&field.name), &field.name);
        let at = place_in_path(operation, name);
        reads.push((ident.clone(), quote!(input.path(#at, #name)?)));
        arguments.push(ident);
    }
    if !operation.query_parameters.is_empty() {
        reads.push((format_ident!("query"), quote!(input.query())));
        arguments.push(format_ident!("query"));
    }
    if let Some(body) = &operation.body {
        let read = if body.required {
            quote!(input.body(body).await?)
        } else {
            quote!(input.optional_body(body).await?)
        };
        reads.push((format_ident!("body"), read));
        arguments.push(format_ident!("body"));
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
    quote! {
        let access = self.0.#guard_method(
            Call::new(request, &#operation_name),
            #(#named,)*
            #level_type::#level,
            #or_self,
        ).await?;
        #reading
        self.0.#handler(access, #(#arguments),*).await #wrap
    }
}
