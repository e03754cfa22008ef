//! Refusals, in the error body of the contract.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

pub struct Failure {
    status: StatusCode,
    kind: &'static str,
    message: &'static str,
}

pub const UNAUTHORIZED: Failure = Failure {
    status: StatusCode::UNAUTHORIZED,
    kind: "unauthorized",
    message: "A valid token is required.",
};

pub const FORBIDDEN: Failure = Failure {
    status: StatusCode::FORBIDDEN,
    kind: "forbidden",
    message: "This needs a role in the organization.",
};

pub const NOT_FOUND: Failure = Failure {
    status: StatusCode::NOT_FOUND,
    kind: "not-found",
    message: "There is no such organization.",
};

pub const fn invalid(message: &'static str) -> Failure {
    Failure {
        status: StatusCode::BAD_REQUEST,
        kind: "invalid-request",
        message,
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        eprintln!("{error}");
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            kind: "internal",
            message: "The server failed to answer.",
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = json!({"error": {"code": self.status.as_u16(), "type": self.kind, "message": self.message}});
        (self.status, Json(body)).into_response()
    }
}
