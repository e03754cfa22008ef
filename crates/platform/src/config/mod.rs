//! The settings: command line flags first, then the environment, then `bindery.toml`, then defaults.

mod blobs;
mod declare;
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
    secret_key::SecretKey,
    values::{LogFormat, RateLimit, email},
};
use self::{
    declare::{Kind, Setting, settings},
    sources::Sources,
    values as parse,
};

settings! {
    with_flags {
        listen: SocketAddr = Plain parse::address, "127.0.0.1:4000",
            "ADDRESS" "Address and port to listen on";
        data_dir: PathBuf = Plain parse::path, "data",
            "DIRECTORY" "Directory for files that the server keeps";
        database_url: SecretString = Secret parse::database_url,
            "bindery.db in the data directory" => parse::sqlite_in(&data_dir).into(),
            "URL" "Where the data is: sqlite://PATH or postgres://…";
        blob_store: BlobAddress = Plain |text: &str| BlobAddress::parse(text, &data_dir), "local",
            "STORE" "Where the bytes of files are: local (in the data directory) or s3://BUCKET/PREFIX";
        public_url: Url = Plain parse::public_url, "http://<listen>" => parse::url_of(listen)?,
            "URL" "Address that clients reach the server at";
        admin_email: String = Plain email, "admin@localhost",
            "EMAIL" "Email address of the first user";
        trusted_proxies: Vec<IpNet> = Plain parse::networks, "none" => Vec::new(),
            "NETWORKS" "Networks of reverse proxies whose X-Forwarded-For is believed, separated by commas";
        allow_private_addresses: Vec<IpNet> = Plain parse::networks, "none" => Vec::new(),
            "NETWORKS" "Private networks that the server may fetch from, separated by commas";
        rate_limit: Option<RateLimit> = Plain parse::rate_limit, "1000/s",
            "RATE" "Requests that each token and each address may send, such as 100/s or 5000/m, or off";
        body_limit: usize = Plain parse::size, "10MiB",
            "SIZE" "How large a request body may be, such as 512KiB";
        request_timeout: Duration = Plain parse::duration, "30s",
            "TIME" "How long a request may take, such as 30s";
        max_connections: usize = Plain parse::count, "10000",
            "NUMBER" "How many connections may be open at once; further ones wait";
        shutdown_grace: Duration = Plain parse::duration, "30s",
            "TIME" "How long requests in flight may take to finish when the server stops";
        log_format: LogFormat = Plain parse::log_format, "auto",
            "FORMAT" "auto (text on a terminal, JSON otherwise), text or json; RUST_LOG says what is logged";
        mail_from: Option<Mailbox> = Plain parse::mailbox, "none" => None,
            "EMAIL" "Address that mails are from, such as 'Bindery <docs@example.com>'; needed with BINDERY_SMTP_URL";
    }
    without_flags {
        // Signs cursors and links; without it, the one that is kept in the data directory.
        secret_key: SecretKey = Secret SecretKey::parse, SecretKey::unset();
        // The token of the first run, instead of a random one.
        admin_token: Option<SecretString> = Secret parse::token, None;
        // The mail server; without it mails wait.
        smtp_url: Option<SecretString> = Secret parse::smtp_url, None;
    }
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
        let mut settings = Self::collect(&mut sources)?;
        if settings.smtp_url.is_some() && settings.mail_from.is_none() {
            sources.refuse("BINDERY_SMTP_URL needs BINDERY_MAIL_FROM, the address that mails are from".to_owned());
        }
        let problems = sources.problems();
        if !problems.is_empty() {
            bail!("these settings cannot be used:\n  {}", problems.join("\n  "));
        }
        if settings.secret_key.is_unset() {
            settings.secret_key = SecretKey::of_directory(&settings.data_dir, missing_key)?;
        }
        Ok(settings)
    }

    /// Notes the address that was really bound; it differs when the port was left to the system.
    pub fn bound_to(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        if self.public_url == parse::url_of(self.listen)? {
            self.public_url = parse::url_of(address)?;
        }
        self.listen = address;
        Ok(())
    }

    /// How mails are sent; without it they wait.
    pub fn mail(&self) -> Option<MailSettings> {
        Some(MailSettings {
            smtp_url: self.smtp_url.clone()?,
            from: self.mail_from.clone()?,
        })
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

#[cfg(test)]
mod tests;
