//! Operations as endpoints of the framework: what the derived document says of each, from the types of its stub, and the
//! route that calls the stub. Everything here is shared; generated code has one entry for an operation.

use std::{collections::HashMap, pin::Pin, sync::Arc};

use futures_util::FutureExt;
use heck::ToPascalCase;
use poem::{
    Endpoint, EndpointExt, IntoResponse, Request, RequestBody, Response,
    endpoint::BoxEndpoint,
    http::{HeaderValue, Method, header},
};
use poem_openapi::{
    ApiExtractor, OperationId,
    registry::{
        MetaApi, MetaMediaType, MetaOperation, MetaOperationParam, MetaParamIn, MetaPath, MetaRequest, MetaResponse,
        MetaResponses, Registry,
    },
};
use serde_json::Value;
use tracing::{Instrument, instrument::Instrumented};

use crate::{
    answer::Answers,
    call::Operation,
    describe::Describer,
    error::ApiError,
    ignored::{self, IgnoredMembers},
    input, preference,
    security::Bearer,
    skipped,
};

/// Endpoints by path and method.
pub type Routes = HashMap<String, HashMap<Method, BoxEndpoint<'static>>>;

pub type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The decision of a guard.
pub type Guarding<'a, T> = Pin<Box<dyn Future<Output = Result<T, ApiError>> + Send + 'a>>;

/// One operation of a service.
pub struct Stub<S> {
    pub operation: &'static Operation,
    pub describe: fn(&mut Description<'_>),
    pub answer: fn(Arc<S>, Request, RequestBody) -> Answering,
}

/// What the derived document says of an operation.
pub struct Description<'a> {
    operation: &'static Operation,
    schemas: Describer<'a>,
    parameters: Vec<MetaOperationParam>,
    body: Option<MetaRequest>,
    responses: Vec<MetaResponse>,
}

impl<'a> Description<'a> {
    fn of<S>(stub: &Stub<S>, schemas: Describer<'a>) -> Self {
        let mut description = Self {
            operation: stub.operation,
            schemas,
            parameters: Vec::new(),
            body: None,
            responses: Vec::new(),
        };
        (stub.describe)(&mut description);
        description
    }

    pub fn parameter(&mut self, place: MetaParamIn, name: &str, required: bool) {
        let within = match place {
            MetaParamIn::Query => "query",
            MetaParamIn::Header => "header",
            _ => "path",
        };
        let declared = self.operation.input.declared_parameter(within, name);
        let Some(schema) = declared.and_then(|declared| declared.get("schema")) else {
            return;
        };
        let said = |key: &str| declared.and_then(|declared| declared.get(key));
        let description = said("description").and_then(Value::as_str);
        let type_name = format!("{}{}", self.operation.id.to_pascal_case(), name.to_pascal_case());
        self.parameters.push(MetaOperationParam {
            name: name.to_owned(),
            schema: self.schemas.parameter(schema, &type_name),
            in_type: place,
            description: description.map(|text| text.trim().to_owned()),
            required,
            deprecated: said("deprecated").is_some_and(|deprecated| *deprecated == true),
            explode: true,
            style: None,
        });
    }

    pub fn body(&mut self, required: bool) {
        self.body = self.operation.input.body_schema().map(|schema| MetaRequest {
            description: None,
            content: vec![MetaMediaType {
                content_type: "application/json",
                schema: self.schemas.body(schema),
            }],
            required,
        });
    }

    pub fn answer<A: Answers>(&mut self) {
        self.responses.extend(A::responses(&mut self.schemas));
    }
}

/// The operations of an area, for the derived document.
pub fn meta<S>(stubs: &[Stub<S>]) -> Vec<MetaApi> {
    let mut paths: Vec<MetaPath> = Vec::new();
    for stub in stubs {
        let operation = stub.operation;
        let described = described(stub);
        match paths.iter_mut().find(|path| path.path == operation.path) {
            Some(path) => path.operations.push(described),
            None => paths.push(MetaPath {
                path: operation.path.to_owned(),
                operations: vec![described],
            }),
        }
    }
    vec![MetaApi { paths }]
}

fn described<S>(stub: &Stub<S>) -> MetaOperation {
    let operation = stub.operation;
    let description = Description::of(stub, Describer::default());
    let schemes = <Bearer as ApiExtractor>::security_schemes().into_iter();
    let without_token = operation.token_is_optional.then(HashMap::new);
    MetaOperation {
        method: operation.method(),
        tags: vec![operation.tag],
        summary: Some(operation.summary),
        description: Some(operation.description),
        external_docs: None,
        params: description.parameters,
        request: description.body,
        responses: MetaResponses {
            responses: description.responses,
        },
        deprecated: operation.deprecated,
        security: without_token
            .into_iter()
            .chain(schemes.map(|scheme| HashMap::from([(scheme, Vec::new())])))
            .collect(),
        operation_id: Some(operation.id),
        code_samples: Vec::new(),
    }
}

/// The types of an area, for the derived document.
pub fn register<S>(stubs: &[Stub<S>], registry: &mut Registry) {
    <Bearer as ApiExtractor>::register(registry);
    for stub in stubs {
        let schemas = Describer {
            registry: Some(registry),
        };
        Description::of(stub, schemas);
    }
}

pub fn add_routes<S: Send + Sync + 'static>(service: &Arc<S>, stubs: Vec<Stub<S>>, routes: &mut Routes) {
    for stub in stubs {
        let endpoint = Route {
            service: Arc::clone(service),
            operation: stub.operation,
            answer: stub.answer,
        };
        let methods = routes.entry(route(stub.operation)).or_default();
        methods.insert(stub.operation.method(), endpoint.boxed());
    }
}

/// The path of an operation as the router writes it: parameters are called by their place, and one that takes the rest of
/// the path begins with `*`.
fn route(operation: &Operation) -> String {
    let last = operation.path.split('/').count() - 1;
    let mut place = 0;
    let parts = operation.path.split('/').enumerate().map(|(at, part)| {
        if !part.starts_with('{') {
            return part.to_owned();
        }
        place += 1;
        let sign = if operation.wildcard && at == last { '*' } else { ':' };
        format!("{sign}param{}", place - 1)
    });
    parts.collect::<Vec<_>>().join("/")
}

struct Route<S> {
    service: Arc<S>,
    operation: &'static Operation,
    answer: fn(Arc<S>, Request, RequestBody) -> Answering,
}

impl<S: Send + Sync + 'static> Endpoint for Route<S> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let (mut request, body) = request.split();
        let (uri, members) = (request.uri().clone(), IgnoredMembers::default());
        let is_minimal = self.operation.minimal && preference::is_minimal(request.headers());
        let is_lenient = self.operation.input.lenient_items().is_some();
        if self.operation.safe || is_lenient {
            request.extensions_mut().insert(members.clone());
        }
        let answer = (self.answer)(Arc::clone(&self.service), request, body);
        let mut response = match is_lenient {
            true => skipped::counting(answer).await,
            false => answer.await,
        };
        let unknown = input::unknown_parameters(&uri, &self.operation.input);
        ignored::announce(unknown, &members, response.headers_mut());
        response.set_data(OperationId(self.operation.id));
        if is_minimal {
            preference::apply(&mut response);
        }
        if self.operation.secret {
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        Ok(response)
    }
}

/// Decides whether a call has access, in a span of its own; the future is boxed here, so that it is not part of each stub.
pub fn guarded<'a, T>(guard: impl Future<Output = Result<T, ApiError>> + Send + 'a) -> Instrumented<Guarding<'a, T>> {
    let guard: Guarding<'a, T> = Box::pin(guard);
    guard.instrument(tracing::info_span!("guard"))
}

/// Runs the steps of a stub; the future is boxed here, so that its type is not part of every layer above.
pub fn answering<A: IntoResponse + 'static>(steps: impl Future<Output = A> + Send + 'static) -> Answering {
    // A block that awaits the steps would move them once more.
    Box::pin(steps.map(A::into_response))
}

#[cfg(test)]
mod tests {
    use crate::operations::OPERATIONS;

    use super::*;

    #[test]
    fn routes_say_what_the_paths_of_the_contract_say() {
        let route_of = |id: &str| {
            let operation = OPERATIONS.iter().find(|operation| operation.id == id);
            route(operation.unwrap())
        };
        for (id, expected) in [
            ("getApiInformation", "/v1/"),
            ("getPageById", "/v1/spaces/:param0/content/page/:param1"),
            ("getPageByPath", "/v1/spaces/:param0/content/path/*param1"),
        ] {
            assert_eq!(route_of(id), expected, "{id}");
        }
    }
}
