//! The operations of the contract as routes.

use std::{collections::HashMap, marker::PhantomData};

use openapi::{document, operations::areas};
use poem::{
    Endpoint, EndpointExt, Request, Response, Route, RouteMethod,
    endpoint::BoxEndpoint,
    error::NotFoundError,
    http::{HeaderValue, Method, StatusCode, header},
};
use poem_openapi::{
    OpenApi, OpenApiService,
    registry::{MetaApi, Registry},
};
use serde_json::Value;

use super::errors;
use crate::app::App;

type Table = HashMap<String, HashMap<Method, BoxEndpoint<'static>>>;

/// Returns the routes of all operations. The framework's own service is not used, because it parses the query of every
/// request and does not know the allowed methods of a path.
pub fn routes(app: App) -> Route {
    let mut table = Table::new();
    operations(app).add_routes(&mut table);
    add_not_offered(&mut table);
    table.into_iter().fold(Route::new(), |route, (path, methods)| {
        let address = Address::new(methods);
        match path.rsplit_once("/*").map(|(_, name)| name.to_owned()) {
            Some(rest) => route.at(path, Wildcard { rest, address }),
            None => route.at(path, address),
        }
    })
}

/// Adds the operations of the public API that this server does not have.
fn add_not_offered(table: &mut Table) {
    let operations = document::contract().get("x-not-offered").and_then(Value::as_array);
    for operation in operations.into_iter().flatten() {
        let text = |name: &str| operation.get(name).and_then(Value::as_str).unwrap_or_default();
        let Ok(method) = text("method").to_uppercase().parse::<Method>() else {
            continue;
        };
        let path = text("path").replace('{', ":").replace('}', "");
        let endpoint = NotOffered(text("operationId").to_owned());
        table.entry(path).or_default().insert(method, endpoint.boxed());
    }
}

/// The operations of all contexts, in the order of their names.
fn operations(app: App) -> impl OpenApi {
    areas(
        app.authoring,
        app.conversations,
        app.exchange,
        app.identity,
        app.insights,
        app.integrations,
        app.languages,
        app.library,
        app.organizations,
        app.publishing,
        app.specifications,
    )
}

/// Returns the operations as the framework describes them, for the derived document. They cannot be called.
pub fn described(title: &str, version: &str) -> OpenApiService<impl OpenApi, ()> {
    OpenApiService::new(Described::of(operations), title, version)
}

/// The methods of one path.
pub struct Address {
    methods: RouteMethod,
    allowed: HeaderValue,
    known: Vec<Method>,
}

impl Address {
    pub fn new(endpoints: HashMap<Method, BoxEndpoint<'static>>) -> Self {
        let mut known: Vec<_> = endpoints.keys().cloned().collect();
        known.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        let mut names: Vec<_> = known.iter().map(Method::as_str).collect();
        if known.contains(&Method::GET) {
            names.push("HEAD");
        }
        names.push("OPTIONS");
        let allowed = HeaderValue::try_from(names.join(", ")).unwrap_or(HeaderValue::from_static(""));
        let methods = endpoints
            .into_iter()
            .fold(RouteMethod::new(), |all, (method, one)| all.method(method, one));
        Self {
            methods,
            allowed,
            known,
        }
    }
}

impl Endpoint for Address {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        if self.known.contains(request.method()) {
            return self.methods.call(request).await;
        }
        if request.method() == Method::OPTIONS {
            let allow = self.allowed.clone();
            return Ok(Response::builder()
                .status(StatusCode::NO_CONTENT)
                .header(header::ALLOW, allow)
                .finish());
        }
        Ok(errors::method_not_allowed(self.allowed.clone()))
    }
}

/// An operation of the public API that this server does not have.
struct NotOffered(String);

impl Endpoint for NotOffered {
    type Output = Response;

    async fn call(&self, _: Request) -> poem::Result<Response> {
        Ok(errors::not_offered(&self.0).into_response())
    }
}

/// A path whose last parameter takes the rest of the path. An empty rest is not found.
pub struct Wildcard {
    pub rest: String,
    pub address: Address,
}

impl Endpoint for Wildcard {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        if request.raw_path_param(&self.rest).is_none_or(str::is_empty) {
            return Err(NotFoundError.into());
        }
        self.address.call(request).await
    }
}

struct Described<T>(PhantomData<fn() -> T>);

impl<T> Described<T> {
    fn of(_: fn(App) -> T) -> Self {
        Self(PhantomData)
    }
}

impl<T: OpenApi> OpenApi for Described<T> {
    fn meta() -> Vec<MetaApi> {
        T::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, _: &mut Table) {}
}
