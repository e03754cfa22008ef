//! Reading of stored texts.

use openapi::{error::ApiError, work::WorkLimits};
use rich_text::{DocumentError, DocumentLimits};

/// Reads a stored text, which may be from before the limits of new texts.
pub async fn read_stored<T>(
    work: &WorkLimits,
    text: &str,
    read: impl Fn(&DocumentLimits) -> Result<T, DocumentError>,
) -> Result<Result<T, DocumentError>, ApiError> {
    let computation = work.start(text.len()).await?;
    Ok(computation.run(|| read(&DocumentLimits::default())))
}
