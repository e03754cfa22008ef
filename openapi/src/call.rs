//! Operations as they are known at run time, and calls of them.

use poem::{
    Request,
    http::{Method, StatusCode},
};

use crate::input::{self, Spec};

/// An operation of the contract.
pub struct Operation {
    pub area: &'static str,
    /// The area in the published document.
    pub tag: &'static str,
    pub id: &'static str,
    /// In lower case.
    pub method: &'static str,
    pub path: &'static str,
    /// The last parameter of the path takes the rest of the path.
    pub wildcard: bool,
    pub summary: &'static str,
    pub description: &'static str,
    pub deprecated: bool,
    /// Whether the operation changes nothing.
    pub safe: bool,
    /// `true`: the responses contain a secret, and no cache may store them.
    pub secret: bool,
    pub token_is_optional: bool,
    /// What lets integrations and their installations in. `None`: their tokens are refused.
    pub scope: Option<Scope>,
    /// Whether the level of a caller who sees the object may be too low.
    pub may_forbid: bool,
    /// `true`: requests with `Prefer: return=minimal` are answered without a body.
    pub minimal: bool,
    /// The statuses of errors that the contract declares.
    pub errors: &'static [u16],
    pub input: Spec,
}

/// What an operation asks of the token of an integration or an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nothing.
    Any,
    /// An installation with this scope.
    Named(&'static str),
}

impl Operation {
    /// The method as the router knows it.
    pub fn method(&self) -> Method {
        Method::from_bytes(self.method.to_uppercase().as_bytes()).unwrap_or_default()
    }

    /// Returns whether the contract declares an error with this status.
    pub fn may_answer(&self, status: StatusCode) -> bool {
        self.errors.contains(&status.as_u16())
    }
}

/// A request, and the operation that it calls.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub request: &'a Request,
    pub operation: &'static Operation,
}

impl<'a> Call<'a> {
    pub fn new(request: &'a Request, operation: &'static Operation) -> Self {
        Self { request, operation }
    }

    /// The path parameter with this name. `None`: the path of the operation has none.
    pub fn path_parameter(&self, name: &str) -> Option<&'a str> {
        let segments = self.operation.path.split('/');
        let mut parameters = segments.filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        input::path(self.request, parameters.position(|parameter| parameter == name)?).ok()
    }

    /// The query parameter with this name, if the operation has one and its value is valid: what is wrong with it is
    /// reported when the input is read.
    pub fn query_parameter(&self, name: &str) -> Option<String> {
        input::query_parameter(self.request, &self.operation.input, name)
    }
}
