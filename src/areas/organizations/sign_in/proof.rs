//! Proving that an account is one's own, by a token that was made otherwise, or by a code that is mailed to its address.

use entity::{
    ids::UserId,
    organizations::saml_providers::{Model as Provider, requests::Model as Answered},
};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs,
    mail::{Mail, SendMail},
};

use super::{
    Failure, active, hash, person,
    question::{self, Question},
    requests::Keys,
    secret,
    sessions::{self, NewSession},
    store,
};

use crate::{
    areas::organizations::Organizations,
    kernel::{
        Kernel,
        audit::{Changed, SystemAction},
    },
};

/// Codes that are mailed to an account in about twenty minutes, for which answered requests are kept.
const MAX_MAILED: u64 = 3;

/// What comes of a proof.
pub enum Proof {
    /// A session: its secret, and the path where the person goes on.
    Session { secret: String, return_to: String },
    /// It is none, and the person may try again.
    Wrong(Question),
}

/// An answer whose account is not proven yet, in the browser that began.
struct Unproven {
    request: Answered,
    provider: Provider,
    return_to: String,
}

async fn unproven(kernel: &Kernel, code: &str, browser: &str) -> Result<Unproven, Failure> {
    let (keys, now) = (Keys::of(&kernel.secrets), kernel.clock.now());
    let request = store::answered(kernel.db.read(), hash(code), now).await?;
    let request = request.filter(|request| request.unproven).ok_or(Failure::Expired)?;
    let beginning = keys.beginning(request.id, browser).ok_or(Failure::Expired)?;
    Ok(Unproven {
        provider: active(kernel, request.provider_id).await?,
        return_to: beginning.return_to,
        request,
    })
}

/// Mails a code to the address of the account, once for each sign-in, while not many are on their way to it.
pub async fn mail_code(kernel: &Kernel, code: &str, browser: &str) -> Result<Question, Failure> {
    let Unproven { request, .. } = unproven(kernel, code, browser).await?;
    let question = question::of(kernel, &request, code.to_owned()).await?;
    let mail = Mail {
        recipient: question.email.clone(),
        subject: format!("Your code for {}", question.organization),
        body: format!(
            "Somebody who signed in by {} of {} says that your account is theirs.\n\nIf that is you, enter this code on the page \
             that asked for it:\n\n{}\n\nIf it is not you, do nothing, and give the code to nobody.\n",
            question.provider,
            question.organization,
            Keys::of(&kernel.secrets).mailed(request.id)
        ),
    };
    let (job, now) = (kernel.ids.next(), kernel.clock.now());
    let work = move |tx: Tx| async move {
        if store::mailed_to(&tx, request.user_id).await? < MAX_MAILED && store::note_mail(&tx, request.id).await? {
            jobs::enqueue::<SendMail>(&tx, vec![(job, mail)], now).await?;
        }
        Ok::<_, ApiError>(())
    };
    kernel.db.write(work).await?;
    kernel.jobs.wake();
    Ok(question)
}

/// Makes the user of an answer a member, if they are none yet, and signs them in. `session`: the secret of a session that
/// ends with it.
pub async fn prove(
    organizations: &Organizations,
    code: &str,
    browser: &str,
    proof: &str,
    session: Option<&str>,
) -> Result<Proof, Failure> {
    let Unproven {
        request,
        provider,
        return_to,
    } = unproven(&organizations.kernel, code, browser).await?;
    if !is_proof(organizations, &request, &provider, proof).await? {
        return Ok(Proof::Wrong(
            question::of(&organizations.kernel, &request, code.to_owned()).await?,
        ));
    }
    let (now, secret) = (organizations.kernel.clock.now(), secret()?);
    let new = NewSession {
        id: organizations.kernel.ids.next(),
        hash: hash(&secret),
        replaced: session.map(hash),
    };
    let work = move |tx: Tx| async move {
        let active = store::provider(&tx, provider.id).await?.filter(Provider::is_active);
        let Some(provider) = active else {
            return Ok(Changed::nothing(None));
        };
        if !store::replace_code(&tx, &request, None, now).await? {
            return Ok(Changed::nothing(None));
        }
        let Some(person) = person::join_proven(&tx, &provider, &request, now).await? else {
            return Ok(Changed::nothing(None));
        };
        if !sessions::begin(&tx, new, &request, now).await? {
            return Ok(Changed::nothing(None));
        }
        person.changed(&provider).map(|changed| changed.map(Some))
    };
    let user: Option<UserId> = organizations.kernel.write(SystemAction::SignIn, work).await?;
    organizations.access.forget_tokens();
    user.ok_or(Failure::Expired)?;
    Ok(Proof::Session { secret, return_to })
}

/// A token that was made by signing in to the organization proves no more than signing in does: who was removed has some.
async fn is_proof(
    organizations: &Organizations,
    request: &Answered,
    provider: &Provider,
    proof: &str,
) -> Result<bool, ApiError> {
    if request.mailed && Keys::of(&organizations.kernel.secrets).is_mailed(request.id, proof) {
        return Ok(true);
    }
    let identity = organizations.access.identify(proof).await?;
    Ok(identity.is_some_and(|identity| {
        identity.user_id == request.user_id && identity.signed_in_to != Some(provider.organization_id)
    }))
}
