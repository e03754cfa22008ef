//! The one error type of the service, and the error body of the contract.

use std::{borrow::Cow, error::Error as StdError, fmt, panic::Location};

use poem::{
    IntoResponse, Response,
    http::{HeaderValue, StatusCode, header},
};
use sea_orm::DbErr;
use wire::{fault::DatabaseFault, work::WorkError};

use crate::models::{Error, ErrorBody, ErrorDetail};

pub use crate::models::{ErrorRule, ErrorType};

/// Seconds after which a database that is out of reach may be back.
const DATABASE_RETRY_AFTER: u32 = 1;

/// Seconds after which a file store that is out of reach may be back.
const FILE_STORE_RETRY_AFTER: u32 = 5;

/// Seconds after which a full disk may have room again, or a standby may have become the primary server.
const STORAGE_RETRY_AFTER: u32 = 10;

/// Seconds after which there may be a permit for a large request.
const LARGE_RETRY_AFTER: u32 = 5;

/// A failure with the status that answers it. What a client may read is in the message; the source is for the log.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    kind: ErrorType,
    message: Cow<'static, str>,
    details: Vec<ErrorDetail>,
    /// Seconds after which the caller should try again.
    retry_after: Option<u32>,
    source: Option<Source>,
}

/// The cause of an internal error, and the line of code where it became one.
#[derive(Debug)]
struct Source {
    error: Box<dyn StdError + Send + Sync>,
    location: &'static Location<'static>,
}

impl ApiError {
    /// The kind determines the status.
    pub fn new(kind: ErrorType, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status: StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            kind,
            message: message.into(),
            details: Vec::new(),
            retry_after: None,
            source: None,
        }
    }

    /// The request breaks rules of the contract.
    pub fn invalid(details: Vec<ErrorDetail>) -> Self {
        let message = match details.as_slice() {
            [single] => format!("{}: {}", single.pointer, single.message),
            many => format!("The request breaks {} rules; `details` lists them.", many.len()),
        };
        Self {
            details,
            ..Self::new(ErrorType::InvalidRequest, message)
        }
    }

    /// One member of the body names something that does not fit what is stored.
    pub fn invalid_member(pointer: impl Into<String>, code: ErrorRule, message: impl Into<String>) -> Self {
        Self::invalid(vec![ErrorDetail {
            pointer: pointer.into(),
            code,
            message: message.into(),
        }])
    }

    /// Refuses the request if there is anything to list.
    pub fn refuse(details: Vec<ErrorDetail>) -> Result<(), Self> {
        if details.is_empty() {
            Ok(())
        } else {
            Err(Self::invalid(details))
        }
    }

    pub fn unauthorized() -> Self {
        let message = "A valid token is required: `Authorization: Bearer …`.";
        Self::new(ErrorType::Unauthorized, message)
    }

    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorType::Forbidden, message)
    }

    /// Absent, or invisible to the caller: the two look the same. `what` is the noun, such as `team`.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorType::NotFound, format!("There is no such {what}."))
    }

    /// The server has too much to do at present: 503 with `Retry-After`, in seconds.
    pub fn overloaded(message: impl Into<Cow<'static, str>>, retry_after: u32) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(ErrorType::Overloaded, message)
        }
    }

    /// There are too many large requests at present.
    fn too_many_large() -> Self {
        let message = "The server has as many large requests as it can handle. Try again after the number of seconds in `Retry-After`.";
        Self::overloaded(message, LARGE_RETRY_AFTER)
    }

    /// More than the caller or the organization may do for now: 429 with `Retry-After`, in seconds.
    pub fn too_many_requests(message: impl Into<Cow<'static, str>>, retry_after: u32) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(ErrorType::TooManyRequests, message)
        }
    }

    /// Another status than that of the kind, for errors of the framework.
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Says more, for programs.
    pub fn with_details(self, details: Vec<ErrorDetail>) -> Self {
        Self { details, ..self }
    }

    /// A failure that the client cannot correct. The caller's line of code is kept for the log.
    #[track_caller]
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "The server failed to answer. The request id finds the reason in its log.";
        let source = Source {
            error: source.into(),
            location: Location::caller(),
        };
        Self {
            source: Some(source),
            ..Self::new(ErrorType::Internal, message)
        }
    }

    /// The database is out of reach for the moment. The caller's line of code is kept for the log.
    #[track_caller]
    pub fn database_unavailable(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "The database cannot be reached, or has too much to do. Retry after the number of seconds in `Retry-After`.";
        Self::unavailable(message, DATABASE_RETRY_AFTER, source)
    }

    /// The database is full or read-only for the moment. The caller's line of code is kept for the log.
    #[track_caller]
    pub fn database_not_writable(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "The database cannot be written at present, and nothing was changed. Retry after the number of seconds in \
                       `Retry-After`.";
        Self::unavailable(message, STORAGE_RETRY_AFTER, source)
    }

    /// Other writers of the same rows, or of the whole database, were first each time. The caller's line of code is kept for the log.
    #[track_caller]
    pub fn database_contended(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "Other changes of the same data were saved first each time, and nothing was changed. Retry after the number of \
                       seconds in `Retry-After`.";
        Self::unavailable(message, DATABASE_RETRY_AFTER, source)
    }

    /// The database broke off while it committed a change. The caller's line of code is kept for the log.
    #[track_caller]
    pub fn unknown_outcome(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "The database could not be reached while the change was saved: the change may have been made. Read the present \
                       state before you try again, after the number of seconds in `Retry-After`.";
        Self::unavailable(message, DATABASE_RETRY_AFTER, source)
    }

    /// The store of files is full or read-only for the moment. The caller's line of code is kept for the log.
    #[track_caller]
    pub fn file_store_not_writable(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "Files cannot be stored at present. Retry after the number of seconds in `Retry-After`.";
        Self::unavailable(message, STORAGE_RETRY_AFTER, source)
    }

    /// The store of files is out of reach for the moment. The caller's line of code is kept for the log.
    #[track_caller]
    pub fn file_store_unavailable(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let message = "The file store cannot be reached. Retry after the number of seconds in `Retry-After`.";
        Self::unavailable(message, FILE_STORE_RETRY_AFTER, source)
    }

    #[track_caller]
    fn unavailable(
        message: &'static str,
        retry_after: u32,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            kind: ErrorType::Unavailable,
            message: message.into(),
            retry_after: Some(retry_after),
            ..Self::internal(source)
        }
    }

    /// The line of code where an internal error arose.
    pub fn location(&self) -> Option<&'static Location<'static>> {
        self.source.as_ref().map(|source| source.location)
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    pub fn kind(&self) -> ErrorType {
        self.kind
    }

    /// The error body of the contract.
    pub fn body(&self, request_id: Option<&str>) -> Error {
        Error {
            error: ErrorBody {
                code: self.status.as_u16().into(),
                message: self.message.to_string(),
                r#type: Some(self.kind),
                request_id: request_id.map(str::to_owned),
                details: (!self.details.is_empty()).then(|| self.details.clone()),
            },
        }
    }

    /// What would make the request acceptable; RFC 9470 for a token that is valid and not enough.
    fn challenge(&self) -> HeaderValue {
        HeaderValue::from_static(match self.kind {
            ErrorType::SsoRequired => "Bearer error=\"insufficient_user_authentication\"",
            _ => "Bearer",
        })
    }

    pub fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.body(None)).unwrap_or_default();
        let mut response = Response::builder()
            .status(self.status)
            .content_type("application/json")
            .body(body);
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, self.challenge());
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(Failure(self.into()));
        response
    }
}

/// Kept with an error answer, so that the outermost layer can add the request's id to the body.
#[derive(Clone)]
pub struct Failure(pub std::sync::Arc<ApiError>);

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The message for clients, which points to the log, does not help a reader of the log.
        if self.source.is_some() {
            return f.write_str("something failed inside");
        }
        f.write_str(&self.message)?;
        for detail in &self.details {
            write!(f, " {}: {}", detail.pointer, detail.message)?;
        }
        Ok(())
    }
}

impl StdError for ApiError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_ref()
            .map(|source| &*source.error as &(dyn StdError + 'static))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        Self::into_response(self)
    }
}

/// Declares errors that are internal wherever `?` meets them. Errors that a request can cause are not among them: they
/// are answered where they are understood.
macro_rules! internal_errors {
    ($($error:ty),+ $(,)?) => {
        $(
            impl From<$error> for ApiError {
                #[track_caller]
                fn from(error: $error) -> Self {
                    Self::internal(error)
                }
            }
        )+
    };
}

impl From<DbErr> for ApiError {
    #[track_caller]
    fn from(error: DbErr) -> Self {
        match (&error, DatabaseFault::of(&error)) {
            (_, Some(DatabaseFault::NotWritable(cause))) => Self::database_not_writable(cause.clone()),
            (_, Some(DatabaseFault::Contended(cause))) => Self::database_contended(cause.clone()),
            (_, Some(DatabaseFault::UnknownOutcome(cause))) => Self::unknown_outcome(cause.clone()),
            (_, Some(DatabaseFault::Overloaded)) => Self::too_many_large(),
            (DbErr::ConnectionAcquire(_), None) => Self::database_unavailable(error),
            (_, None) => Self::internal(error),
        }
    }
}

impl From<WorkError> for ApiError {
    #[track_caller]
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Overloaded => Self::too_many_large(),
            WorkError::Broken(cause) => Self::internal(cause),
        }
    }
}

internal_errors![
    serde_json::Error,
    std::num::TryFromIntError,
    tokio::sync::AcquireError,
    tokio::task::JoinError,
];
