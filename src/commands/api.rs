//! Calls of the API within the process.

use std::sync::Arc;

use anyhow::{Context, ensure};
use poem::{
    Body, Endpoint, Request, Response,
    endpoint::BoxEndpoint,
    http::{Method, StatusCode},
};
use serde_json::Value;

/// Calls operations as a user.
pub struct Caller {
    service: Arc<BoxEndpoint<'static, Response>>,
    token: String,
}

impl Caller {
    pub fn new(service: &Arc<BoxEndpoint<'static, Response>>, token: &str) -> Self {
        Self {
            service: Arc::clone(service),
            token: token.to_owned(),
        }
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.call(Method::GET, path, Value::Null).await
    }

    pub async fn post(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.call(Method::POST, path, body).await
    }

    pub async fn put(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.call(Method::PUT, path, body).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.call(Method::PATCH, path, body).await
    }

    /// Calls the operation at a path below `/v1/`. `null`: no body.
    async fn call(&self, method: Method, path: &str, body: Value) -> anyhow::Result<Value> {
        let what = format!("{method} /v1/{path}");
        let (status, answer) = self.send(method, path, body).await?;
        ensure!(status.is_success(), "{what} failed with {status}: {answer}");
        Ok(answer)
    }

    /// The same, with the answer to a request that failed.
    pub async fn send(&self, method: Method, path: &str, body: Value) -> anyhow::Result<(StatusCode, Value)> {
        let what = format!("{method} /v1/{path}");
        let request = Request::builder()
            .method(method)
            .uri(format!("/v1/{path}").parse()?)
            .header("Authorization", format!("Bearer {}", self.token));
        let request = match body {
            Value::Null => request.finish(),
            body => request.content_type("application/json").body(Body::from_json(body)?),
        };
        let mut response = self.service.get_response(request).await;
        let status = response.status();
        let text = response.take_body().into_string().await;
        let text = text.with_context(|| format!("cannot read the response to {what}"))?;
        if text.is_empty() {
            return Ok((status, Value::Null));
        }
        let answer = serde_json::from_str(&text);
        Ok((
            status,
            answer.with_context(|| format!("the response to {what} is not JSON"))?,
        ))
    }
}

/// Returns a member of a response that is a text.
pub fn text<'a>(response: &'a Value, pointer: &str) -> anyhow::Result<&'a str> {
    let found = response.pointer(pointer).and_then(Value::as_str);
    found.with_context(|| format!("the response has no text at {pointer}"))
}

pub fn id(response: &Value) -> anyhow::Result<&str> {
    text(response, "/id")
}
