//! Calls by operation id, each answer checked against the contract.

use std::collections::BTreeSet;

use reqwest::{Method, Response, header};
use serde_json::Value;

use super::{
    contract::{self, Operation},
    record,
};

/// Calls without a token, in the record.
pub const NOBODY: &str = "nobody";

/// What a call says by itself. Embeds are of addresses that the server fetches: it refuses this one without asking the network.
fn without_network(operation: &str, example: String) -> String {
    if operation.starts_with("getEmbedByUrl") {
        "http://192.0.2.1/".to_owned()
    } else {
        example
    }
}

/// A caller: nobody, or whoever a token stands for.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    pub(super) base: String,
    pub(super) token: Option<String>,
    /// The name of the caller in the record; `None`: the calls are not recorded.
    caller: Option<String>,
}

impl Client {
    pub fn new(base: &str) -> Self {
        platform::tls::init();
        // Without the certificates of the system, which take time to read and which no test needs.
        let http = reqwest::Client::builder().tls_certs_only([]).build().unwrap();
        Self {
            http,
            base: base.to_owned(),
            token: None,
            caller: Some(NOBODY.to_owned()),
        }
    }

    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            caller: Some("somebody".to_owned()),
            ..self.clone()
        }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    /// The `Authorization` header of this caller.
    pub fn authorization(&self) -> String {
        format!("Bearer {}", self.token.as_deref().unwrap_or_default())
    }

    pub fn named(self, caller: &str) -> Self {
        Self {
            caller: Some(caller.to_owned()),
            ..self
        }
    }

    /// For calls that are no part of any test.
    pub fn unrecorded(self) -> Self {
        Self { caller: None, ..self }
    }

    pub fn call(&self, operation_id: &str) -> Call<'_> {
        self.operation(contract::operation(operation_id))
    }

    pub fn operation(&self, operation: Operation) -> Call<'_> {
        let required = operation.header_parameters().into_iter();
        let required =
            required.filter_map(|parameter| Some((parameter.name.to_owned(), parameter.required_example()?)));
        let required = required.collect();
        Call {
            client: self,
            path: operation.path.to_owned(),
            operation,
            query: Vec::new(),
            headers: required,
            body: None,
            content_type: "application/json",
        }
    }

    /// A request that is no operation of the contract.
    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }
}

/// A call in the making.
pub struct Call<'a> {
    pub(super) client: &'a Client,
    pub(super) operation: Operation,
    pub(super) path: String,
    query: Vec<(String, String)>,
    /// At the start, what the contract requires, as in its examples.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
    pub(super) content_type: &'static str,
}

impl Call<'_> {
    pub fn path(mut self, name: &str, value: impl ToString) -> Self {
        let place = format!("{{{name}}}");
        assert!(self.path.contains(&place), "{} has no {place}", self.operation.id);
        let value: String = url::form_urlencoded::byte_serialize(value.to_string().as_bytes()).collect();
        self.path = self.path.replace(&place, &value.replace('+', "%20"));
        self
    }

    pub fn query(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub fn json(self, body: Value) -> Self {
        self.raw(body.to_string())
    }

    pub fn raw(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    pub fn content_type(mut self, content_type: &'static str) -> Self {
        self.content_type = content_type;
        self
    }

    pub async fn send(self) -> Answer {
        assert!(!self.path.contains('{'), "a parameter is missing in {}", self.path);
        let method: Method = self.operation.method.to_uppercase().parse().unwrap();
        let query = self.query_with_required();
        let mut request = self.client.request(method, &self.path).query(&query);
        for (name, value) in self.headers {
            request = request.header(name, value.into_bytes());
        }
        if let Some(body) = self.body {
            request = request.header(header::CONTENT_TYPE, self.content_type).body(body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await.unwrap();
        self.operation.check_answer(status, &text);
        self.operation.check_headers(status, &headers);
        let words = if status < 400 {
            Vec::new()
        } else {
            check_error(&self.operation, &text)
        };
        if let Some(caller) = &self.client.caller {
            record::add(record::Call {
                operation: self.operation.id.to_owned(),
                caller: caller.clone(),
                status,
                words,
            });
        }
        Answer {
            what: format!("{} {}", self.operation.id, self.path),
            status,
            headers,
            text,
        }
    }

    /// With what the contract requires, as in its examples, where the test says nothing about it.
    fn query_with_required(&self) -> Vec<(String, String)> {
        let mut query = self.query.clone();
        for parameter in self.operation.query_parameters() {
            let said = query.iter().any(|(name, _)| name == parameter.name);
            query.extend(
                parameter
                    .required_example()
                    .filter(|_| !said)
                    .map(|example| (parameter.name.to_owned(), without_network(self.operation.id, example))),
            );
        }
        query
    }

    /// Sends, and panics unless the answer has this status. Returns its body, `null` for none.
    pub async fn expect(self, status: u16) -> Value {
        self.send().await.expect(status)
    }
}

/// Panics unless the contract allows the error. Returns its words, for the record.
fn check_error(operation: &Operation, body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&body["error"]["type"]);
    let details = body["error"]["details"].as_array().into_iter().flatten();
    let details = details.map(|detail| {
        // Every item of a list is called 0.
        let pointer = text(&detail["pointer"]);
        let steps = pointer.split('/');
        let steps = steps.map(|step| if step.parse::<usize>().is_ok() { "0" } else { step });
        (text(&detail["code"]), steps.collect::<Vec<_>>().join("/"))
    });
    let details: Vec<(String, String)> = details.collect();
    operation.check_error(&kind, &details);
    let details: BTreeSet<String> = details
        .into_iter()
        .map(|(code, pointer)| format!("{code}@{}", pointer.replace(char::is_whitespace, "")))
        .collect();
    [kind].into_iter().chain(details).collect()
}

pub struct Answer {
    what: String,
    pub status: u16,
    pub headers: header::HeaderMap,
    pub text: String,
}

impl Answer {
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.what, self.text);
        if self.text.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.text).unwrap()
    }

    /// The pointers and codes of an error's details.
    pub fn details(&self) -> Vec<(String, String)> {
        let body: Value = serde_json::from_str(&self.text).unwrap();
        let details = body["error"]["details"].as_array().cloned().unwrap_or_default();
        let text = |detail: &Value, member: &str| detail[member].as_str().unwrap().to_owned();
        details.iter().map(|d| (text(d, "pointer"), text(d, "code"))).collect()
    }

    #[track_caller]
    pub fn has_detail(&self, pointer: &str, code: &str) -> &Self {
        self.expect(400);
        let wanted = (pointer.to_owned(), code.to_owned());
        assert!(
            self.details().contains(&wanted),
            "{}: no {wanted:?} in {}",
            self.what,
            self.text
        );
        self
    }
}

/// The names that an answer says were ignored.
pub fn ignored(answer: &Answer) -> Vec<&str> {
    let header = answer.headers.get("x-ignored-parameters");
    let names = header.map_or("", |header| header.to_str().unwrap());
    names.split(", ").filter(|name| !name.is_empty()).collect()
}
