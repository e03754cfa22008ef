//! From failures of the database to answers.

use openapi::error::ApiError;
use sea_orm::DbErr;

/// A failure that the client cannot mend.
pub fn database(error: DbErr) -> ApiError {
    ApiError::internal(error)
}

/// The error of a write: an answer that the write decided on, or a failure of the database.
#[derive(Debug)]
pub enum WriteError {
    Refused(ApiError),
    Database(DbErr),
}

impl From<DbErr> for WriteError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<ApiError> for WriteError {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused(error) => error,
            WriteError::Database(error) => database(error),
        }
    }
}
