//! Reading of stored texts.

use openapi::{error::ApiError, work::WorkBudget};
use rich_text::{DocumentError, DocumentLimits, stored_limits};

/// Reads a stored text piece by piece. A text from before the limits of new texts takes more memory, and is read once more with
/// its own limits.
pub async fn read_stored<T>(
    work: &WorkBudget,
    text: &str,
    read: impl Fn(&DocumentLimits) -> Result<T, DocumentError>,
) -> Result<Result<T, DocumentError>, ApiError> {
    let [(of_new, memory), (of_all, more_memory)] = stored_limits(text);
    let computation = work.start(memory).await?;
    let outcome = computation.run(|| read(&of_new));
    if outcome.is_ok() {
        return Ok(outcome);
    }
    drop((computation, outcome));
    let computation = work.start(more_memory).await?;
    Ok(computation.run(|| read(&of_all)))
}

#[cfg(test)]
mod tests {
    use rich_text::IdPathResolver;

    use super::*;

    #[tokio::test]
    async fn texts_from_before_the_limits_are_read_with_their_own() {
        // Lines of code in containers count in new texts only.
        let code = format!("```\n{}```\n\n", "a\n".repeat(85_000));
        let (code, too_long) = (
            format!("{{% hint style=\"info\" %}}\n{code}{code}{{% endhint %}}\n"),
            "* a\n".repeat(20_000),
        );
        let read = |text: &str, limits: &DocumentLimits| rich_text::extract(text, limits, &IdPathResolver, &mut drop);
        assert!(read(&code, &DocumentLimits::of_new_texts()).is_err());
        let work = WorkBudget::new();
        let sections = read_stored(&work, &code, |limits| read(&code, limits)).await.unwrap();
        assert_eq!(sections.unwrap().len(), 1);
        let refused = read_stored(&work, &too_long, |limits| read(&too_long, limits))
            .await
            .unwrap();
        assert!(refused.is_err());
    }
}
