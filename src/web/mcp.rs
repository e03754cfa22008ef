//! The site for agents, by the Model Context Protocol over HTTP: each request is answered by itself, with JSON.
//!
//! Revision 2026-07-28 has no handshake. Clients of earlier revisions get the answer to theirs, and no session.

use openapi::error::ApiError;
use poem::{
    Request, Response,
    http::{Method, StatusCode, header},
};
use serde_json::{Value, json};

use super::{
    events::{self, Seen},
    lists::is_listed,
    site::Site,
    tools::{self, CallError},
};

use crate::app::App;

/// Bytes of a message.
const MAX_MESSAGE: usize = 64 * 1024;

const STATELESS: &str = "2026-07-28";

/// Revisions with a handshake, the newest first.
const WITH_HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// The member of `_meta` with the revision of a request.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// Milliseconds for which clients may keep what the server offers.
const OFFER_TTL: u32 = 300_000;

/// Errors of JSON-RPC, and those of the protocol.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const UNSUPPORTED_REVISION: i32 = -32022;

pub async fn answer(app: &App, mut request: Request, site: &Site) -> Result<Response, ApiError> {
    if *request.method() != Method::POST {
        return Ok(Response::builder()
            .status(StatusCode::METHOD_NOT_ALLOWED)
            .header(header::ALLOW, "POST")
            .finish());
    }
    let Ok(body) = request.take_body().into_bytes_limit(MAX_MESSAGE).await else {
        let message = "The message is longer than 64 KiB.";
        return Ok(refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            &Value::Null,
            INVALID_REQUEST,
            message,
        ));
    };
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        let message = "The body is not JSON.";
        return Ok(refusal(StatusCode::BAD_REQUEST, &Value::Null, PARSE_ERROR, message));
    };
    let (Some(method), true) = (
        message.get("method").and_then(Value::as_str),
        message.get("jsonrpc") == Some(&json!("2.0")),
    ) else {
        let message = "The message is not a request of JSON-RPC 2.0.";
        return Ok(refusal(StatusCode::BAD_REQUEST, &Value::Null, INVALID_REQUEST, message));
    };
    // Nobody waits for an answer to a notification.
    let Some(id) = message.get("id").filter(|id| id.is_string() || id.is_number()) else {
        return Ok(Response::builder().status(StatusCode::ACCEPTED).finish());
    };
    let params = message.get("params").unwrap_or(&Value::Null);
    if method == "tools/call" {
        let seen = Seen {
            kind: "mcp_request",
            context: "mcp",
            here: None,
            page: None,
            members: Value::Null,
        };
        events::note(app, &request, site, seen);
    }
    respond(app, site, id, (method, params)).await
}

async fn respond(app: &App, site: &Site, id: &Value, (method, params): (&str, &Value)) -> Result<Response, ApiError> {
    let revision = params
        .get("_meta")
        .and_then(|meta| meta.get(REVISION))
        .and_then(Value::as_str);
    if let Some(revision) = revision.filter(|revision| *revision != STATELESS) {
        let error = json!({ "code": UNSUPPORTED_REVISION, "message": "Unsupported protocol version",
            "data": { "supported": [STATELESS], "requested": revision } });
        return Ok(send(
            StatusCode::BAD_REQUEST,
            &json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        ));
    }
    let result = match method {
        "initialize" => initialized(params, site),
        "server/discover" => discovered(site),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": tools::list(), "ttlMs": OFFER_TTL, "cacheScope": scope(site) }),
        "tools/call" => match tools::call(app, site, params).await {
            Ok(result) => result,
            Err(CallError::Invalid(message)) => return Ok(refusal(StatusCode::OK, id, INVALID_PARAMS, &message)),
            Err(CallError::Server(error)) => return Err(error),
        },
        _ => {
            let message = format!("The method `{method}` is not one of this server.");
            return Ok(refusal(StatusCode::OK, id, METHOD_NOT_FOUND, &message));
        }
    };
    let mut result = result;
    if let Some(members) = result.as_object_mut().filter(|_| revision.is_some()) {
        members.insert("resultType".to_owned(), json!("complete"));
    }
    Ok(send(
        StatusCode::OK,
        &json!({ "jsonrpc": "2.0", "id": id, "result": result }),
    ))
}

fn initialized(params: &Value, site: &Site) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let known = WITH_HANDSHAKE.into_iter().find(|revision| Some(*revision) == asked);
    json!({
        "protocolVersion": known.unwrap_or(WITH_HANDSHAKE[0]),
        "capabilities": { "tools": {} },
        "serverInfo": server(site),
        "instructions": instructions(site),
    })
}

fn discovered(site: &Site) -> Value {
    let mut supported = vec![STATELESS];
    supported.extend(WITH_HANDSHAKE);
    json!({
        "supportedVersions": supported,
        "capabilities": { "tools": {} },
        "instructions": instructions(site),
        "ttlMs": OFFER_TTL,
        "cacheScope": scope(site),
        "_meta": { SERVER: server(site) },
    })
}

/// Whether caches of several clients may keep what the server offers: it names the site.
fn scope(site: &Site) -> &'static str {
    if is_listed(site) { "public" } else { "private" }
}

fn server(site: &Site) -> Value {
    json!({ "name": "bindery", "title": site.visit.site.title, "version": env!("CARGO_PKG_VERSION") })
}

fn instructions(site: &Site) -> String {
    format!(
        "Answers come from the documentation {}. Search first, then read pages by their addresses.",
        site.canonical()
    )
}

fn refusal(status: StatusCode, id: &Value, code: i32, message: &str) -> Response {
    send(
        status,
        &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }),
    )
}

fn send(status: StatusCode, message: &Value) -> Response {
    Response::builder()
        .status(status)
        .header(header::CACHE_CONTROL, "no-store")
        .content_type("application/json")
        .body(message.to_string())
}
