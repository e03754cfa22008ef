//! Answers of sites.

use bytes::Bytes;
use openapi::{conditional::EntityTag, error::ApiError};
use platform::hash::Hash;
use poem::{
    Request, Response,
    http::{HeaderValue, Method, StatusCode, header},
};

pub const HTML: &str = "text/html; charset=utf-8";

/// Scripts, styles and connections come from the site alone. Images may be addresses that authors wrote.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; font-src 'self'; \
    img-src 'self' data: https:; form-action 'self'; base-uri 'none'; frame-src 'self'; frame-ancestors 'self'";

/// The policy of a document that also connects to these origins (`connect-src`), or shows them in frames (`frame-src`).
pub fn policy(directive: &str, origins: &[String]) -> HeaderValue {
    let own = format!("{directive} 'self'");
    let policy = POLICY.replace(&own, &format!("{own} {}", origins.join(" ")));
    let policy = HeaderValue::try_from(policy).ok().filter(|_| !origins.is_empty());
    policy.unwrap_or(HeaderValue::from_static(POLICY))
}

/// An answer with a text, or 304 if the reader has it.
pub fn text(request: &Request, status: StatusCode, content_type: &'static str, text: String) -> Response {
    let tag = tag_of(&text);
    tagged(request, (status, content_type), &tag, text.into())
}

/// The tag of a text.
pub fn tag_of(text: &str) -> EntityTag {
    EntityTag::new(Hash::of(text.as_bytes()))
}

/// The same with a tag that is known.
pub fn tagged(
    request: &Request,
    (status, content_type): (StatusCode, &'static str),
    tag: &EntityTag,
    bytes: Bytes,
) -> Response {
    let kept = request.header("if-none-match");
    let response = Response::builder()
        .header(header::ETAG, tag.header())
        .header(header::CACHE_CONTROL, "private, no-cache")
        .header(header::VARY, "accept, cookie")
        .header(header::CONTENT_SECURITY_POLICY, POLICY)
        .header(header::REFERRER_POLICY, "strict-origin-when-cross-origin");
    if status == StatusCode::OK && tag.is_kept(kept) {
        return response.status(StatusCode::NOT_MODIFIED).finish();
    }
    response.status(status).content_type(content_type).body(bytes)
}

/// A page or a redirect may be another one later.
pub fn redirect(to: &str) -> Result<Response, ApiError> {
    let to = HeaderValue::try_from(to).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(Response::builder()
        .status(StatusCode::TEMPORARY_REDIRECT)
        .header(header::LOCATION, to)
        .header(header::CACHE_CONTROL, "no-store")
        .finish())
}

/// A redirect of a request with any method, which goes on with GET.
pub fn redirect_from(method: &Method, to: &str) -> Result<Response, ApiError> {
    let mut response = redirect(to)?;
    if !matches!(*method, Method::GET | Method::HEAD) {
        response.set_status(StatusCode::SEE_OTHER);
    }
    Ok(response)
}

pub fn redirect_with_cookie(to: &str, cookie: &str) -> Result<Response, ApiError> {
    let mut response = redirect(to)?;
    let cookie = HeaderValue::try_from(cookie).map_err(|e| ApiError::internal(e.to_string()))?;
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

pub fn method_not_allowed(method: &Method) -> Response {
    let status = match *method {
        Method::OPTIONS => StatusCode::NO_CONTENT,
        _ => StatusCode::METHOD_NOT_ALLOWED,
    };
    Response::builder()
        .status(status)
        .header(header::ALLOW, "GET, HEAD, OPTIONS")
        .finish()
}
