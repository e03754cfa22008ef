//! Why work is not done.

use std::{error::Error, fmt};

use tokio::{sync::AcquireError, task::JoinError};

#[derive(Debug)]
pub enum WorkError {
    /// There is no memory for it at present.
    NoMemory,
    /// One request may not have so much memory.
    TooLarge,
    /// It was begun and broke off.
    Broken(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for WorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMemory => f.write_str("there is no memory for the work"),
            Self::TooLarge => f.write_str("the work takes more memory than one request may have"),
            Self::Broken(cause) => write!(f, "the work broke off: {cause}"),
        }
    }
}

impl Error for WorkError {}

impl From<AcquireError> for WorkError {
    fn from(error: AcquireError) -> Self {
        Self::Broken(error.into())
    }
}

impl From<JoinError> for WorkError {
    fn from(error: JoinError) -> Self {
        Self::Broken(error.into())
    }
}
