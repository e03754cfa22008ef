//! The outermost layer, which applies to every request: request ids, rate limits, CORS, time limits, compression, logs.

use std::{
    borrow::Cow,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::BoxFuture};
use http_body_util::{BodyExt, combinators::BoxBody};
use hyper::body::Body as _;
use openapi::{
    error::{ApiError, Failure},
    idempotency,
    input::BodyLimit,
    operations::published_content::RESOLVE_PUBLISHED_CONTENT_BY_URL,
    work::{RequestPermits, WorkLimits},
};
use percent_encoding::percent_decode_str;
use platform::request_context::RequestContext;
use poem::{
    Body, Endpoint, Request, Response, Route,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
};
use poem_openapi::OperationId;
use tracing::Instrument;

use super::{
    client::{TrustedProxies, network_of},
    compression,
    connections::{Refused, UploadStatus},
    detached, errors, git_webhooks, integration_endpoints,
    limits::{self, RateLimits, Standing},
    metrics::Metrics,
    pages::Pages,
    sign_in::SignIn,
    slow_requests::{self, SLOW},
    uploads,
};

use crate::{
    access::{
        request_context::{self, ClientAddress, REQUEST_ID, RequestIds},
        tokens,
    },
    app::App,
    areas::integrations::{
        endpoints,
        running::{OwnRequest, Serve},
    },
    web::{Answered, Web},
};

/// Paths without a rate limit.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The end of the paths to which pages of sites send events by `navigator.sendBeacon`.
const BEACONS: &str = "/insights/events";

/// The most bytes that are still read of a body that was refused: a client that is cut off while it sends does not get to
/// read the answer.
const MAX_DISCARDED: u64 = 16 * 1024 * 1024;

pub const EXPOSED: &str = "Content-Range, ETag, Location, Preference-Applied, Retry-After, X-Ignored-Parameters, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Skipped-Items";

pub struct Edge {
    pub app: App,
    pub api: Arc<Route>,
    pub web: Web,
    pub pages: Pages,
    pub sign_in: SignIn,
    pub ids: RequestIds,
    pub proxies: TrustedProxies,
    pub limits: Option<RateLimits>,
    pub metrics: Arc<Metrics>,
    pub body_limit: BodyLimit,
    pub time_limit: Duration,
    pub work: WorkLimits,
}

/// The logged parts of a request, copied before a handler consumes it.
struct RequestSummary {
    started: Instant,
    method: Method,
    uri: Uri,
    context: Arc<RequestContext>,
}

impl Endpoint for Edge {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let _in_flight = self.metrics.enter();
        let seen = RequestSummary {
            started: Instant::now(),
            method: request.method().clone(),
            uri: request.uri().clone(),
            context: Arc::new(self.ids.context(request.headers())),
        };
        let coding = compression::negotiate(request.headers(), &compression::CODINGS);
        let address = match request.data::<OwnRequest>() {
            Some(own) => own.sender,
            None => {
                let client = self.proxies.client(&request);
                request.extensions_mut().insert(ClientAddress(client));
                network_of(client)
            }
        };
        let standing = self.limits.as_ref().map(|limits| {
            let token = tokens::bearer(&request).map(str::as_bytes);
            let cost = match request.uri().path() == RESOLVE_PUBLISHED_CONTENT_BY_URL.path {
                true => limits::LOOKUP,
                false => limits::REQUEST,
            };
            limits.count(address, token, cost)
        });
        if seen.method == Method::HEAD {
            request.set_method(Method::GET);
            // A response to HEAD has no body of which a range could be sent.
            request.headers_mut().remove(header::RANGE);
        }
        request.extensions_mut().insert(Arc::clone(&seen.context));
        request.extensions_mut().insert(self.body_limit);
        // Held until the answer is sent.
        let permits = RequestPermits::new(self.work.clone(), address);
        request.extensions_mut().insert(permits.clone());
        let context = Arc::clone(&seen.context);
        // On the heap, because each scope around it would move it, and stacks are small.
        let answer = Box::pin(self.answer(request, standing));
        let answer = permits.scope(answer.instrument(context.span().clone()));
        let mut response = Arc::clone(&context).scope(answer).await;
        // The answer to a committed write is sent without them: a caller who got 503 would make the change twice.
        let operation = response.data::<OperationId>().map(|id| id.0);
        if !seen.context.has_committed() {
            response = keep(response, &permits).await;
        }
        context.span().record("status", response.status().as_u16());

        errors::add_request_id(&mut response, &seen.context);
        add_headers(operation, &seen, response.headers_mut());
        if let (Some(limits), Some(standing)) = (&self.limits, standing) {
            limits.announce(standing, response.headers_mut());
        }
        let mut response = compression::apply(response, coding, &permits).await;
        if seen.method == Method::HEAD {
            keep_head(&mut response);
        }
        self.note(&seen, operation.unwrap_or("none"), &response);
        Ok(response)
    }
}

impl Serve for Edge {
    fn serve(&self, request: Request) -> BoxFuture<'_, Response> {
        self.get_response(request).boxed()
    }
}

impl Edge {
    async fn answer(&self, request: Request, standing: Option<Standing>) -> Response {
        let path = request.uri().path();
        if standing.is_some_and(|standing| standing.refused()) && !PROBES.contains(&path) {
            return errors::too_many_requests().into_response();
        }
        if is_preflight(&request) {
            return preflight(&request);
        }
        if !is_well_formed(path) {
            return errors::malformed_path().into_response();
        }
        let request = match self.check_head(request) {
            Ok(request) => request,
            Err(refusal) => return refusal.into_response(),
        };
        let upload = request.data::<UploadStatus>().cloned().unwrap_or_default();
        // Unwind safe: a panic destroys the request's own state. Shared state is in the database and in locks that detect
        // panics.
        let answer = AssertUnwindSafe(self.route(request)).catch_unwind();
        match tokio::time::timeout(self.time_limit, answer).await {
            Ok(Ok(_)) if upload.is_overdue() => errors::timed_out().into_response(),
            Ok(Ok(response)) => response,
            Ok(Err(_)) => errors::panicked().into_response(),
            Err(_) => errors::timed_out().into_response(),
        }
    }

    /// Refuses what the head alone tells, before anything of the body is asked for.
    fn check_head(&self, mut request: Request) -> Result<Request, ApiError> {
        if request.data::<Refused>().is_some() && !PROBES.contains(&request.uri().path()) {
            return Err(errors::no_room_for_request());
        }
        let headers = request.headers();
        if !is_plain(headers) {
            return Err(errors::unsupported_encoding());
        }
        let mut expectations = headers.get_all(header::EXPECT).iter();
        if expectations.any(|expected| !expected.as_bytes().eq_ignore_ascii_case(b"100-continue")) {
            return Err(errors::unknown_expectation());
        }
        let length = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        let limit = self.body_limit.0;
        if length.is_none_or(|length| length <= limit as u64) {
            return Ok(request);
        }
        if !headers.contains_key(header::EXPECT) {
            discard(request.take_body());
        }
        Err(errors::payload_too_large(limit))
    }

    /// The large futures of rare routes are boxed: each layer around this future moves all of it.
    async fn route(&self, request: Request) -> Response {
        if request.uri().path().starts_with("/v1/") {
            let answer = match request.data::<RequestPermits>().filter(|_| is_keyed(&request)) {
                Some(permits) => {
                    let (api, permits) = (Arc::clone(&self.api), permits.clone());
                    let answer = async move { api.call(request).await };
                    Box::pin(detached::run(permits, self.time_limit, answer)).await
                }
                None => self.api.call(request).await,
            };
            return answer.unwrap_or_else(|e| errors::of_framework(e).into_response());
        }
        let request = match Box::pin(self.web.answer(request)).await {
            Ok(Answered::Not(request)) => *request,
            Ok(Answered::By(page)) => return page,
            Err(error) => return error.into_response(),
        };
        if SignIn::owns(request.uri().path()) {
            Box::pin(self.sign_in.answer(request))
                .await
                .unwrap_or_else(|e| e.into_response())
        } else if integration_endpoints::owns(request.uri().path()) {
            Box::pin(integration_endpoints::answer(&self.app, request))
                .await
                .unwrap_or_else(|e| e.into_response())
        } else if git_webhooks::owns(request.uri().path()) {
            Box::pin(git_webhooks::answer(&self.app, request))
                .await
                .unwrap_or_else(|e| e.into_response())
        } else if uploads::owns(request.uri().path()) {
            Box::pin(uploads::answer(&self.app, request))
                .await
                .unwrap_or_else(|e| e.into_response())
        } else {
            Box::pin(self.pages.answer(&request))
                .await
                .unwrap_or_else(|e| e.into_response())
        }
    }

    fn note(&self, seen: &RequestSummary, operation: &'static str, response: &Response) {
        let (status, duration) = (response.status(), seen.started.elapsed());
        self.metrics.answered(operation, &seen.method, status, duration);
        let request_id = seen.context.request_id();
        if let Some(Failure(error)) = response.data::<Failure>().filter(|_| status.is_server_error()) {
            let cause = std::error::Error::source(error.as_ref()).map(tracing::field::display);
            let location = error.location().map(tracing::field::display);
            tracing::error!(request_id, operation, location, cause, "a request failed: {error}");
        }
        tracing::info!(
            target: "bindery::access",
            request_id,
            method = seen.method.as_str(),
            path = shown(seen.uri.path()).as_ref(),
            operation,
            status = status.as_u16(),
            milliseconds = milliseconds(duration),
            caller = seen.context.caller().map(tracing::field::display),
        );
        if duration >= SLOW {
            let within = slow_requests::within(seen.context.span());
            tracing::warn!(
                request_id,
                operation,
                milliseconds = milliseconds(duration),
                within,
                "slow request"
            );
        }
    }
}

/// To the microsecond: more digits would say nothing.
fn milliseconds(duration: Duration) -> f64 {
    f64::from(u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)) / 1000.0
}

/// Removes what gives access from a path, the signature of a file, document or upload, the id of an invite, the key of a share link, and what
/// a script takes at its endpoint: readers of the log must not gain it.
pub fn shown(path: &str) -> Cow<'_, str> {
    for signed in ["/exports/", "/files/", "/openapi/", "/pdf/", "/uploads/"] {
        if let Some((_, rest)) = path.strip_prefix(signed).and_then(|rest| rest.split_once('/')) {
            return format!("{signed}…/{rest}").into();
        }
    }
    if let Some((name, _)) = path
        .strip_prefix(endpoints::PREFIX)
        .and_then(|rest| rest.split_once('/'))
    {
        return format!("{}{name}/…", endpoints::PREFIX).into();
    }
    if let Some(end) = end_of_site(path).filter(|end| path.len() > *end) {
        let (site, _) = path.split_at_checked(end).unwrap_or_default();
        return format!("{site}…").into();
    }
    if !names_invites(&decoded(path)) {
        return path.into();
    }
    // Wherever the id stands, however it is written, because the log also shows paths that lead nowhere.
    let mut is_after_invites = false;
    let segments = path.split('/').map(|segment| {
        let name = decoded(segment);
        let is_name = name.ends_with("invites") || name == "join";
        let is_invites = names_invites(&name);
        let is_shown = !is_after_invites && (is_name || !is_invites);
        is_after_invites |= is_invites;
        if is_shown || segment.is_empty() { segment } else { "…" }
    });
    segments.collect::<Vec<_>>().join("/").into()
}

/// Returns where the address of a site ends in a path, `/sites/{name}/`. `None`: the path is of no site.
fn end_of_site(path: &str) -> Option<usize> {
    let mut end = 0;
    let mut parts = path.split_inclusive('/').filter_map(|part| {
        end += part.len();
        (part != "/").then(|| (end, decoded(part.trim_end_matches('/'))))
    });
    let (end_of_prefix, prefix) = parts.next()?;
    let (end_of_name, name) = parts.next().unwrap_or((end_of_prefix, "".into()));
    match prefix.trim_start_matches(['/', '\\']).strip_prefix("sites")? {
        "" if name.contains(['/', '\\']) => Some(end_of_prefix),
        "" => Some(end_of_name),
        rest => rest.starts_with(['/', '\\', ';']).then_some(0),
    }
}

fn names_invites(text: &str) -> bool {
    text.contains("invites") || text.contains("join")
}

/// Decodes a part of a path as often as it is encoded, in lower case.
fn decoded(part: &str) -> Cow<'_, str> {
    const MAX_TIMES: usize = 4;
    if part.bytes().all(|byte| byte != b'%' && !byte.is_ascii_uppercase()) {
        return part.into();
    }
    let mut text = part.to_lowercase();
    for _ in 0..MAX_TIMES {
        let decoded = percent_decode_str(&text).decode_utf8_lossy().to_lowercase();
        if decoded == text {
            break;
        }
        text = decoded;
    }
    text.into()
}

fn add_headers(operation: Option<&str>, seen: &RequestSummary, headers: &mut HeaderMap) {
    headers.insert(
        HeaderName::from_static(REQUEST_ID),
        request_context::header_of(&seen.context),
    );
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Where cookies count, pages of other origins read nothing.
    if !SignIn::owns(seen.uri.path()) {
        if !headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    if operation.is_some() {
        // What a caller sees depends on who they are.
        headers.append(header::VARY, HeaderValue::from_static("authorization"));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        let max_age = seen.context.max_age();
        let kept = max_age.and_then(|seconds| HeaderValue::try_from(format!("private, max-age={seconds}")).ok());
        headers.insert(
            header::CACHE_CONTROL,
            kept.unwrap_or(HeaderValue::from_static("private, no-cache")),
        );
    }
}

/// Returns whether the body has no coding besides `identity`.
fn is_plain(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let plain = |coding: &str| coding.trim().is_empty() || coding.trim().eq_ignore_ascii_case("identity");
    codings
        .map(|value| value.to_str().ok())
        .all(|value| value.is_some_and(|value| value.split(',').all(plain)))
}

/// Takes in, beside the answer, what a client goes on sending.
fn discard(body: Body) {
    let mut body: BoxBody<_, _> = body.into();
    tokio::spawn(async move {
        let mut left = MAX_DISCARDED;
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
            match left.checked_sub(bytes) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    });
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Returns whether the answer is kept for when the client sends the request again.
fn is_keyed(request: &Request) -> bool {
    request.method() == Method::POST && request.headers().contains_key(idempotency::HEADER)
}

/// Allows pages of any origin: browsers never send the token by themselves.
///
/// `navigator.sendBeacon` asks whether cookies may be sent along, and sends events only then. No operation reads cookies.
fn preflight(request: &Request) -> Response {
    let path = request.uri().path();
    let origin = request.headers().get(header::ORIGIN);
    let response = match origin.filter(|_| path.starts_with("/v1/") && path.ends_with(BEACONS)) {
        Some(origin) => Response::builder()
            .header(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin)
            .header(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true"),
        None => Response::builder(),
    };
    response
        .status(StatusCode::NO_CONTENT)
        .header(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
        )
        .header(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id",
        )
        .header(header::ACCESS_CONTROL_MAX_AGE, "86400")
        .finish()
}

pub fn is_well_formed(path: &str) -> bool {
    let escape = |text: &str| {
        text.as_bytes()
            .first_chunk::<2>()
            .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    };
    !path.contains('%') || (path.split('%').skip(1).all(escape) && percent_decode_str(path).decode_utf8().is_ok())
}

/// Keeps an answer with permits for its bytes until it is sent.
async fn keep(mut response: Response, permits: &RequestPermits) -> Response {
    let length = compression::exact_length(&mut response).unwrap_or_default();
    match permits
        .keep_for_answer(usize::try_from(length).unwrap_or(usize::MAX))
        .await
    {
        Ok(()) => {
            response.set_data(permits.clone());
            response
        }
        Err(refused) => {
            tracing::warn!("answers that clients have not read take up the room for answers");
            ApiError::from(refused).into_response()
        }
    }
}

/// Removes the body of the response to GET and keeps its length.
fn keep_head(response: &mut Response) {
    let body: BoxBody<_, _> = response.take_body().into();
    let bodiless = matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if let Some(length) = body.size_hint().exact().filter(|_| !bodiless) {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    response.set_body(Body::empty());
}
