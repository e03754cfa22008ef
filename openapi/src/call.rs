//! Operations as they are known at run time, and calls of them.

use poem::Request;

use crate::input::Spec;

/// An operation of the contract.
pub struct Operation {
    pub area: &'static str,
    pub id: &'static str,
    /// In lower case.
    pub method: &'static str,
    pub path: &'static str,
    /// Whether the last parameter of the path takes the rest of it.
    pub wildcard: bool,
    pub summary: &'static str,
    pub input: Spec,
}

impl Operation {
    /// Whether it may change something.
    pub fn writes(&self) -> bool {
        self.method != "get"
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
}
