//! Sending mails through a mail server.

use std::{net::IpAddr, time::Duration};

use anyhow::{Context, ensure};
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
    transport::smtp::{
        authentication::Credentials,
        client::{Tls, TlsParameters},
    },
};
use percent_encoding::percent_decode_str;
use secrecy::ExposeSecret;
use tokio::time::timeout;
use url::Url;

use super::Mail;
use crate::{
    config::MailSettings,
    jobs::{JobContext, JobError},
};

/// The longest time that sending one mail may take.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The longest time that a check of the server may take.
const CHECK_TIME_LIMIT: Duration = Duration::from_secs(10);

/// The ports of mail servers: for other servers, for users with a password, and for TLS from the start.
const PORT: u16 = 25;
const SUBMISSION_PORT: u16 = 587;
const TLS_PORT: u16 = 465;

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// Sends mails through the server of the settings.
pub struct Mailer {
    transport: Transport,
    from: Mailbox,
}

impl Mailer {
    pub fn new(settings: &MailSettings) -> anyhow::Result<Self> {
        let url = Url::parse(settings.smtp_url.expose_secret()).context("invalid mail server URL")?;
        Ok(Self {
            transport: transport(&url).context("the mail server URL cannot be used")?,
            from: settings.from.clone(),
        })
    }

    /// Sends a mail. Every refusal of the server is worth another attempt: many come from settings that an operator corrects.
    pub async fn send(&self, job: &JobContext, mail: &Mail) -> Result<(), JobError> {
        let message = self.message(job, mail);
        let message = message.map_err(|e| JobError::Permanent(format!("the mail cannot be written: {e:#}")))?;
        match timeout(TIME_LIMIT, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(JobError::Retryable(format!(
                "the mail server did not take the mail: {error}"
            ))),
            Err(_) => Err(JobError::Retryable(format!(
                "the mail server did not answer within {} s",
                TIME_LIMIT.as_secs()
            ))),
        }
    }

    /// Connects to the server and signs in, and sends nothing.
    pub async fn check(&self) -> anyhow::Result<()> {
        let connected = timeout(CHECK_TIME_LIMIT, self.transport.test_connection()).await;
        let connected = connected.context("the mail server does not answer")?;
        ensure!(
            connected.context("the mail server refuses the connection")?,
            "the mail server ended the connection"
        );
        Ok(())
    }

    /// A mail that is sent twice has the same id and date, so that mailboxes recognise it.
    fn message(&self, job: &JobContext, mail: &Mail) -> anyhow::Result<Message> {
        let recipient: Address = mail.recipient.parse()?;
        let message = Message::builder()
            .message_id(Some(format!("<{}@{}>", job.id, self.from.email.domain())))
            .date(job.created_at.to_utc().into())
            .from(self.from.clone())
            .to(Mailbox::new(None, recipient))
            .subject(mail.subject.clone())
            .header(ContentType::TEXT_PLAIN)
            .body(mail.body.clone())?;
        Ok(message)
    }
}

/// `smtps` is TLS from the start. With `smtp`, TLS begins when the server offers it; before a password goes to another
/// machine it has to.
fn transport(url: &Url) -> anyhow::Result<Transport> {
    let host = url.host_str().context("the URL has no host")?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let credentials = match url.password() {
        Some(password) => Some(Credentials::new(decoded(url.username())?, decoded(password)?)),
        None => None,
    };
    let parameters = TlsParameters::new(host.to_owned())?;
    let (port, tls) = match (url.scheme(), &credentials) {
        ("smtps", _) => (TLS_PORT, Tls::Wrapper(parameters)),
        (_, Some(_)) if !is_this_machine(host) => (SUBMISSION_PORT, Tls::Required(parameters)),
        (_, Some(_)) => (SUBMISSION_PORT, Tls::Opportunistic(parameters)),
        (_, None) => (PORT, Tls::Opportunistic(parameters)),
    };
    let mut builder = Transport::builder_dangerous(host)
        .port(url.port().unwrap_or(port))
        .tls(tls);
    if let Some(credentials) = credentials {
        builder = builder.credentials(credentials);
    }
    Ok(builder.build())
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn decoded(text: &str) -> anyhow::Result<String> {
    let text = percent_decode_str(text)
        .decode_utf8()
        .context("the user name or password is not UTF-8")?;
    Ok(text.into_owned())
}
