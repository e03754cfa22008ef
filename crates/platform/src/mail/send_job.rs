//! Sending a mail.

use super::{Mail, Mailer};
use crate::jobs::{JobContext, JobError, JobKind};

/// Sends mails. A process without a mail server does not register this kind, and mails wait.
pub struct SendMail(pub Mailer);

impl JobKind for SendMail {
    const NAME: &'static str = "send-mail";
    const CONCURRENCY: usize = 4;
    type Payload = Mail;

    async fn run(&self, context: &JobContext, mail: Mail) -> Result<(), JobError> {
        self.0.send(context, &mail).await
    }
}
