//! Why work is not done.

use std::{error::Error, fmt};

use tokio::{sync::AcquireError, task::JoinError};

#[derive(Debug)]
pub enum WorkError {
    /// Others have all permits at present.
    Overloaded,
    /// It was begun and broke off.
    Broken(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for WorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overloaded => f.write_str("too much of such work is done at present"),
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
