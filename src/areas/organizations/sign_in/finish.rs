//! The end of a sign-in, in the browser that began it.

use entity::organizations::saml_providers::requests::Model as Answered;
use openapi::error::ApiError;
use platform::db::Tx;

use super::{
    Failure, QUESTION_LIFETIME, hash,
    question::{self, Question},
    requests::{Beginning, Keys},
    secret,
    sessions::{self, NewSession},
    store,
};

use crate::kernel::Kernel;

/// What the browser that began a sign-in gets.
pub enum Finished {
    /// A session: its secret, and the path where the person goes on.
    Session { secret: String, return_to: String },
    /// The person has to prove that an account is theirs.
    Unproven(Question),
    /// The person has to say that they want to be signed in.
    Unconfirmed(Question),
}

/// What follows from an answered request.
enum Step {
    Begin { return_to: String },
    Prove,
    Confirm,
}

/// Ends a sign-in. `confirmed`: the person has said that they want it; `session`: the secret of a session that ends with it.
pub async fn finish(
    kernel: &Kernel,
    code: &str,
    browser: &str,
    confirmed: bool,
    session: Option<&str>,
) -> Result<Finished, Failure> {
    let (keys, now) = (Keys::of(&kernel.secrets), kernel.clock.now());
    let (code, browser, next) = (hash(code), browser.to_owned(), secret()?);
    let new = NewSession {
        id: kernel.ids.next(),
        hash: hash(&next),
        replaced: session.map(hash),
    };
    let work = move |tx: Tx| async move {
        let Some(request) = store::answered(&tx, code, now).await? else {
            return Ok::<_, ApiError>(None);
        };
        let step = step(&keys, &request, &browser, confirmed);
        let asks = matches!(step, Some(Step::Prove | Step::Confirm));
        // The code is of no use any more, also to who began.
        let kept = asks.then(|| new.hash.clone());
        if !store::replace_code(&tx, &request, kept, now.plus(QUESTION_LIFETIME)).await? {
            return Ok(None);
        }
        let began = match step {
            Some(Step::Begin { .. }) => sessions::begin(&tx, new, &request, now).await?,
            Some(Step::Prove | Step::Confirm) => true,
            None => false,
        };
        Ok(step.filter(|_| began).map(|step| (step, request)))
    };
    let (step, request) = kernel.db.write(work).await?.ok_or(Failure::Expired)?;
    Ok(match step {
        Step::Begin { return_to } => Finished::Session {
            secret: next,
            return_to,
        },
        Step::Prove => Finished::Unproven(question::of(kernel, &request, next).await?),
        Step::Confirm => Finished::Unconfirmed(question::of(kernel, &request, next).await?),
    })
}

/// `None`: another browser began.
fn step(keys: &Keys, request: &Answered, browser: &str, confirmed: bool) -> Option<Step> {
    let Beginning { return_to, own } = keys.beginning(request.id, browser)?;
    Some(if request.unproven {
        Step::Prove
    } else if own || confirmed {
        Step::Begin { return_to }
    } else {
        Step::Confirm
    })
}
