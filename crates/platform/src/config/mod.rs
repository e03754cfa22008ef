//! The settings: command line flags first, then the environment, then `bindery.toml`, then defaults.

mod blobs;
mod flags;
mod secret_key;
mod sources;
mod values;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::bail;
use ipnet::IpNet;
use lettre::message::Mailbox;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

pub use self::{
    blobs::BlobAddress,
    flags::Flags,
    secret_key::SecretKey,
    values::{LogFormat, RateLimit, email},
};
use self::{sources::Sources, values as parse};

/// Everything an operator decides. Its `Debug` form shows no secret.
#[derive(Debug, Clone)]
pub struct Settings {
    pub listen: SocketAddr,
    /// `sqlite://` or `postgres://`; secret because it may hold a password.
    pub database_url: SecretString,
    pub data_dir: PathBuf,
    /// Where the bytes of files are.
    pub blobs: BlobAddress,
    pub public_url: Url,
    /// Whether `public_url` follows from `listen`.
    public_url_is_default: bool,
    pub secret_key: SecretKey,
    /// The token of the first run, instead of a random one.
    pub admin_token: Option<SecretString>,
    pub admin_email: String,
    pub trusted_proxies: Vec<IpNet>,
    /// Networks that are reserved, and that the server may fetch from all the same.
    pub allow_private_addresses: Vec<IpNet>,
    /// Requests that one token, and one address, may send; none is no limit.
    pub rate_limit: Option<RateLimit>,
    /// How many bytes a request body may have.
    pub body_limit: usize,
    pub request_timeout: Duration,
    pub max_connections: usize,
    /// How long a stopping server waits for requests in flight.
    pub shutdown_grace: Duration,
    pub log_format: LogFormat,
    /// How mails are sent; without it they wait.
    pub mail: Option<MailSettings>,
}

/// The mail server, and whom mails are from.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// `smtp://` or `smtps://`; secret because it may hold a password.
    pub smtp_url: SecretString,
    pub from: Mailbox,
}

/// What to do while no secret key is stored yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingKey {
    /// Make one and store it in the data directory.
    Create,
    /// Go on with one that is forgotten afterwards.
    Pretend,
}

impl Settings {
    /// The settings in effect for this process.
    pub fn load(flags: &Flags, missing_key: MissingKey) -> anyhow::Result<Self> {
        Self::read(Sources::of_process(flags)?, missing_key)
    }

    /// What the flags say and the defaults, whatever the environment holds.
    pub fn of_flags(flags: &Flags) -> anyhow::Result<Self> {
        Self::read(Sources::of_flags(flags), MissingKey::Create)
    }

    fn read(mut sources: Sources, missing_key: MissingKey) -> anyhow::Result<Self> {
        let listen = sources.get("listen", parse::address).unwrap_or(DEFAULT_LISTEN);
        let data_dir = sources
            .get("data_dir", parse::path)
            .unwrap_or_else(|| PathBuf::from("data"));
        let public_url = sources.get("public_url", parse::public_url);
        let key = sources.secret("secret_key", SecretKey::parse);
        let database_url = sources.secret("database_url", parse::database_url);
        let mut settings = Self {
            public_url_is_default: public_url.is_none(),
            public_url: public_url.map_or_else(|| parse::url_of(listen), Ok)?,
            listen,
            database_url: database_url.unwrap_or_else(|| parse::sqlite_in(&data_dir).into()),
            blobs: sources
                .get("blob_store", |text| BlobAddress::parse(text, &data_dir))
                .unwrap_or_else(|| BlobAddress::in_directory(&data_dir)),
            secret_key: SecretKey::default(),
            admin_token: sources.secret("admin_token", parse::token),
            admin_email: sources
                .get("admin_email", email)
                .unwrap_or_else(|| "admin@localhost".to_owned()),
            trusted_proxies: sources.get("trusted_proxies", parse::networks).unwrap_or_default(),
            allow_private_addresses: sources
                .get("allow_private_addresses", parse::networks)
                .unwrap_or_default(),
            rate_limit: sources
                .get("rate_limit", parse::rate_limit)
                .unwrap_or(Some(RateLimit::DEFAULT)),
            body_limit: sources.get("body_limit", parse::size).unwrap_or(DEFAULT_BODY_LIMIT),
            request_timeout: sources
                .get("request_timeout", parse::duration)
                .unwrap_or(DEFAULT_REQUEST_TIMEOUT),
            max_connections: sources
                .get("max_connections", parse::count)
                .unwrap_or(DEFAULT_MAX_CONNECTIONS),
            shutdown_grace: sources
                .get("shutdown_grace", parse::duration)
                .unwrap_or(DEFAULT_SHUTDOWN_GRACE),
            log_format: sources.get("log_format", parse::log_format).unwrap_or_default(),
            mail: mail(&mut sources),
            data_dir,
        };
        let problems = sources.problems();
        if !problems.is_empty() {
            bail!("these settings cannot be used:\n  {}", problems.join("\n  "));
        }
        settings.secret_key = match key {
            Some(key) => key,
            None => SecretKey::of_directory(&settings.data_dir, missing_key)?,
        };
        Ok(settings)
    }

    /// Notes the address that was really bound; it differs when the port was left to the system.
    pub fn bound_to(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        self.listen = address;
        if self.public_url_is_default {
            self.public_url = parse::url_of(address)?;
        }
        Ok(())
    }

    /// The address of a page of this server. `path` starts without a slash.
    pub fn page(&self, path: &str) -> String {
        format!("{}/{path}", self.public_url.as_str().trim_end_matches('/'))
    }

    /// The database address for people: without its password.
    pub fn database_for_display(&self) -> String {
        parse::without_password(self.database_url.expose_secret())
    }
}

/// Mails need both a server and a sender.
fn mail(sources: &mut Sources) -> Option<MailSettings> {
    let smtp_url = sources.secret("smtp_url", parse::smtp_url)?;
    match sources.get("mail_from", parse::mailbox) {
        Some(from) => Some(MailSettings { smtp_url, from }),
        None => {
            sources.refuse("BINDERY_SMTP_URL needs BINDERY_MAIL_FROM, the address that mails are from".to_owned());
            None
        }
    }
}

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 4000);
const DEFAULT_BODY_LIMIT: usize = 10 * 1024 * 1024;
const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const DEFAULT_MAX_CONNECTIONS: usize = 10_000;
const DEFAULT_SHUTDOWN_GRACE: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
