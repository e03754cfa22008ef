//! The operations of the contract as routes.

use std::{collections::HashMap, marker::PhantomData, sync::Arc};

use openapi::operations::{Areas, OPERATIONS, areas};
use poem::{
    Endpoint, Request, Response, Route, RouteMethod,
    endpoint::BoxEndpoint,
    http::{HeaderValue, Method, StatusCode, header},
};
use poem_openapi::{
    OpenApi, OpenApiService,
    registry::{MetaApi, Registry},
};

use super::errors;
use crate::app::App;

type Table = HashMap<String, HashMap<Method, BoxEndpoint<'static>>>;

/// The routes of all operations. They are mounted without the framework's own service, which reads the query of every
/// request whether it is needed or not, and does not know the methods that an address allows.
pub fn routes(app: App) -> Route {
    let mut table = Table::new();
    areas(Arc::new(app)).add_routes(&mut table);
    table.into_iter().fold(Route::new(), |route, (path, methods)| {
        route.at(as_in_contract(&path), Address::new(methods))
    })
}

/// The framework drops a slash at the end of a path, and the contract means it.
pub fn as_in_contract(path: &str) -> &str {
    let mut paths = OPERATIONS.iter().map(|operation| operation.path);
    paths
        .find(|known| known.strip_suffix('/') == Some(path))
        .unwrap_or(path)
}

/// The operations as the framework knows them, to derive their document from; they cannot be called.
pub fn described(title: &str, version: &str) -> OpenApiService<impl OpenApi, ()> {
    OpenApiService::new(Described::<Areas<App>>(PhantomData), title, version)
}

/// The methods of one address.
struct Address {
    methods: RouteMethod,
    allowed: HeaderValue,
    known: Vec<Method>,
}

impl Address {
    fn new(endpoints: HashMap<Method, BoxEndpoint<'static>>) -> Self {
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

struct Described<T>(PhantomData<fn() -> T>);

impl<T: OpenApi> OpenApi for Described<T> {
    fn meta() -> Vec<MetaApi> {
        T::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, _: &mut Table) {}
}
