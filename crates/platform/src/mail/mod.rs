//! Mails: written in the transaction of the change that they tell about, and sent by a job.

mod mailer;
mod send_job;

use serde::{Deserialize, Serialize};

pub use self::{mailer::Mailer, send_job::SendMail};

/// A mail from the sender of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    pub recipient: String,
    pub subject: String,
    pub body: String,
}
