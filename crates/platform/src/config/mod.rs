//! The settings: command line flags first, then the environment, then `bindery.toml`, then defaults.

mod blobs;
mod clickhouse;
mod declare;
mod secret_key;
mod sites;
mod sources;
mod values;

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::bail;
use ipnet::IpNet;
use lettre::message::Mailbox;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

pub use self::{
    blobs::BlobAddress,
    clickhouse::ClickHouseAddress,
    secret_key::SecretKey,
    sites::{MAX_LABEL, SitesAddress},
    values::{GitProtocols, LogFormat, OrganizationCreation, RateLimit, SitesMode, TranslationProtocol, email},
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
        sites_url: Option<SitesAddress> = Plain |text: &str| SitesAddress::parse(text).map(Some),
            "<public url>/sites/{site}/" => None,
            "URL" "Address of sites, with {site} for the name of a site, such as https://{site}.docs.example.com";
        sites: SitesMode = Plain parse::sites_mode, "pages",
            "MODE" "pages (this server shows the sites) or renderer (another program does)";
        admin_email: String = Plain email, "admin@localhost",
            "EMAIL" "Email address of the first user";
        trusted_proxies: Vec<IpNet> = Plain parse::networks, "none" => Vec::new(),
            "NETWORKS" "Networks of reverse proxies whose X-Forwarded-For is believed, separated by commas";
        allow_private_addresses: Vec<IpNet> = Plain parse::networks, "none" => Vec::new(),
            "NETWORKS" "Private networks that the server may fetch from, separated by commas";
        dns_server: Option<SocketAddr> = Plain parse::dns_server, "the servers of the system" => None,
            "ADDRESS" "Name server that the server asks for DNS records";
        rate_limit: Option<RateLimit> = Plain parse::rate_limit, "1000/s",
            "RATE" "Requests that each token and each address may send, such as 100/s or 5000/m, or off";
        body_limit: usize = Plain parse::size, "10MiB",
            "SIZE" "How large a request body may be, such as 512KiB";
        request_timeout: Duration = Plain parse::duration, "30s",
            "TIME" "How long a request may take, such as 30s";
        max_connections: usize = Plain parse::count, "10000",
            "NUMBER" "How many connections may be open at once; further ones wait";
        memory: usize = Plain parse::memory, "2GiB",
            "SIZE" "How much memory the server may take, at least 512MiB";
        organization_creation: OrganizationCreation = Plain parse::organization_creation, "everyone",
            "WHO" "Who may create organizations: everyone, or admins of an organization; guests may not";
        translation_engine: Option<TranslationProtocol> = Plain parse::translation_engine, "none" => None,
            "ENGINE" "What translates spaces: openai, libretranslate or deepl; needs --translation-url";
        translation_url: Option<Url> = Plain parse::engine_url, "none" => None,
            "URL" "Address of the translation engine, such as https://api.openai.com/v1";
        translation_model: Option<String> = Plain parse::model, "none" => None,
            "MODEL" "Model of the translation engine; needed with openai";
        translation_requests: usize = Plain parse::count, "2",
            "NUMBER" "How many requests the translation engine gets at once";
        translation_words_per_run: u64 = Plain parse::words, "1000000",
            "NUMBER" "How many words a run of a translation may send to the engine";
        translation_words_per_day: u64 = Plain parse::words, "5000000",
            "NUMBER" "How many words each organization may have translated in a day";
        conversations_url: Option<Url> = Plain parse::engine_url, "none" => None,
            "URL" "Endpoint of the OpenAI chat form that finds issues in conversations, such as https://api.openai.com/v1";
        conversations_model: Option<String> = Plain parse::model, "none" => None,
            "MODEL" "Language model that finds issues in conversations; needed with --conversations-url";
        conversations_tokens_per_day: u64 = Plain parse::words, "1000000",
            "NUMBER" "How many tokens of the language model the conversations of each organization may take in a day";
        pdf_fonts: Vec<PathBuf> = Plain parse::paths, "/usr/share/fonts,/usr/local/share/fonts",
            "DIRECTORIES" "Directories with fonts for PDFs, separated by commas";
        pdf_processes: usize = Plain parse::count, "1",
            "NUMBER" "How many PDFs the server makes at once";
        pdf_memory: usize = Plain parse::size, "2GiB",
            "SIZE" "How much memory the process that makes a PDF may take";
        pdf_timeout: Duration = Plain parse::duration, "120s",
            "TIME" "How long the process that makes a PDF may take";
        pdf_wait: Duration = Plain parse::duration, "10s",
            "TIME" "How long a response waits for a PDF";
        pdf_program: Option<PathBuf> = Plain |text: &str| parse::path(text).map(Some), "the program itself" => None,
            "FILE" "Program that makes PDFs, such as a script that starts `bindery` in a sandbox";
        integration_processes: usize = Plain parse::count, "16",
            "NUMBER" "How many processes may run scripts of integrations at once";
        integration_program: Option<PathBuf> = Plain |text: &str| parse::path(text).map(Some), "the program itself" => None,
            "FILE" "Program that runs scripts of integrations, such as a script that starts `bindery` in a sandbox";
        git_allow: GitProtocols = Plain parse::git_protocols, "none" => GitProtocols::default(),
            "PROTOCOLS" "What repositories may be reached by besides https and ssh: http, file, separated by commas";
        git_program: Option<PathBuf> = Plain |text: &str| parse::path(text).map(Some), "the program itself" => None,
            "FILE" "Program that starts git within limits, such as a script that starts `bindery` in a sandbox";
        insights_retention: Duration = Plain parse::days, "730d",
            "DAYS" "How long insight events of sites are kept, such as 90d";
        geoip_database: Option<PathBuf> = Plain |text: &str| parse::file(text).map(Some), "none" => None,
            "FILE" "File in the MaxMind DB format that tells the places of IP addresses for insights";
        invitations_per_day: usize = Plain parse::count, "500",
            "NUMBER" "How many invitations each organization may mail in a day";
        backup_to: Option<BlobAddress> = Plain BlobAddress::parse_directory, "none" => None,
            "PLACE" "Where periodic backups are written: a directory, or s3://BUCKET/PREFIX; needs BINDERY_BACKUP_PASSPHRASE";
        backup_interval: Duration = Plain parse::hours, "24h",
            "TIME" "How often periodic backups are made, such as 6h or 7d";
        backup_keep: usize = Plain parse::count, "7",
            "NUMBER" "How many periodic backups are kept";
        shutdown_grace: Duration = Plain parse::duration, "30s",
            "TIME" "How long requests in flight may take to finish when the server stops";
        log_format: LogFormat = Plain parse::log_format, "auto",
            "FORMAT" "auto (text on a terminal, JSON otherwise), text or json; RUST_LOG says what is logged";
        otlp_url: Option<Url> = Plain parse::engine_url, "none" => None,
            "URL" "OpenTelemetry collector that gets the spans of requests and jobs, such as http://localhost:4318";
        mail_from: Option<Mailbox> = Plain parse::mailbox, "none" => None,
            "EMAIL" "Address that mails are from, such as 'Bindery <docs@example.com>'; needed with BINDERY_SMTP_URL";
    }
    without_flags {
        // Signs cursors and links; without it, the one that is kept in the data directory.
        secret_key: SecretKey = Secret SecretKey::parse, SecretKey::unset();
        // The token of the first run, instead of a random one.
        admin_token: Option<SecretString> = Secret parse::token, None;
        // Seals the secret key in backups, and opens it.
        backup_passphrase: Option<SecretString> = Secret parse::passphrase, None;
        // The mail server; without it mails wait.
        smtp_url: Option<SecretString> = Secret parse::smtp_url, None;
        // The ClickHouse server for the events of visitors; without it, they stay in the database.
        insights_url: Option<ClickHouseAddress> = Secret |text: &str| ClickHouseAddress::parse(text).map(Some), None;
        // The key of the translation engine.
        translation_key: Option<SecretString> = Secret parse::engine_key, None;
        // The key of the endpoint that finds issues in conversations.
        conversations_key: Option<SecretString> = Secret parse::engine_key, None;
    }
}

/// The mail server, and whom mails are from.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// `smtp://` or `smtps://`; secret because it may hold a password.
    pub smtp_url: SecretString,
    pub from: Mailbox,
}

/// The translation engine of the operator.
#[derive(Debug, Clone)]
pub struct TranslationSettings {
    pub protocol: TranslationProtocol,
    pub url: Url,
    pub key: Option<SecretString>,
    /// Empty for engines without models.
    pub model: String,
}

/// The language model of the operator that finds issues in conversations.
#[derive(Debug, Clone)]
pub struct ConversationsSettings {
    pub url: Url,
    pub key: Option<SecretString>,
    pub model: String,
}

/// What to do while no secret key is stored yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingKey {
    /// Make one and store it in the data directory.
    Create,
    /// Go on with one that is forgotten afterwards.
    Pretend,
    /// Leave it out: a restore is to bring it, and the database.
    Restore,
    /// Leave it out until the database is known to which it belongs: see [`Settings::complete_secret_key`].
    Wait,
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
        if settings.backup_to.is_some() && settings.backup_passphrase.is_none() {
            sources.refuse(
                "BINDERY_BACKUP_TO needs BINDERY_BACKUP_PASSPHRASE, which seals the secret key in the backups"
                    .to_owned(),
            );
        }
        settings.check_translation(&mut sources);
        if settings.conversations_url.is_some() && settings.conversations_model.is_none() {
            sources
                .refuse("BINDERY_CONVERSATIONS_URL needs BINDERY_CONVERSATIONS_MODEL, the name of a model".to_owned());
        }
        let problems = sources.problems();
        if !problems.is_empty() {
            bail!("these settings cannot be used:\n  {}", problems.join("\n  "));
        }
        if settings.secret_key.is_unset() {
            settings.secret_key = SecretKey::of_directory(&settings.data_dir, missing_key)?;
            if !matches!(missing_key, MissingKey::Create | MissingKey::Restore) {
                settings.check_database_of_key()?;
            }
        }
        Ok(settings)
    }

    /// A stored key belongs to a database; one that is gone is not to be made anew in silence.
    fn check_database_of_key(&self) -> anyhow::Result<()> {
        let Some(file) = self.missing_sqlite_file() else {
            return Ok(());
        };
        let key = SecretKey::path_in(&self.data_dir);
        if self.restore_marker().exists() {
            bail!(self.restore_is_unfinished());
        }
        if key.exists() {
            bail!(
                "{} is there, but the database {} is not; restore it from a backup or correct BINDERY_DATABASE_URL. To \
                 begin with a new database, delete {0} first",
                key.display(),
                file.display()
            );
        }
        Ok(())
    }

    /// Returns whether there is neither a given nor a stored key yet.
    pub fn lacks_secret_key(&self) -> bool {
        self.secret_key.is_unset()
    }

    /// Makes the key, unless another process has made it in the meantime or the database `is_used`: then links and cursors
    /// have been signed with a key that is missing.
    pub fn complete_secret_key(&mut self, is_used: bool) -> anyhow::Result<()> {
        let missing = if is_used { MissingKey::Wait } else { MissingKey::Create };
        self.secret_key = SecretKey::of_directory(&self.data_dir, missing)?;
        if self.lacks_secret_key() {
            bail!(
                "the database {} is in use, but its secret key is missing: {} does not exist. Restore the file from a \
                 backup, or set BINDERY_SECRET_KEY to the key of the other nodes. To go on with a new key, with which \
                 signed links of the past stop working, put 64 random hexadecimal digits into that file",
                self.database_for_display(),
                SecretKey::path_in(&self.data_dir).display()
            );
        }
        Ok(())
    }

    /// The file of a SQLite database.
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        parse::sqlite_file(self.database_url.expose_secret())
    }

    /// The file of a SQLite database that does not exist yet.
    pub fn missing_sqlite_file(&self) -> Option<PathBuf> {
        // The driver makes an empty file of one that is not there.
        self.sqlite_file()
            .filter(|file| !fs::metadata(file).is_ok_and(|file| file.len() > 0))
    }

    /// The URL of a SQLite database.
    pub fn sqlite_url(file: &Path) -> String {
        parse::sqlite_url(file)
    }

    /// The file of the secret key, if it is not given.
    pub fn secret_key_file(&self) -> PathBuf {
        SecretKey::path_in(&self.data_dir)
    }

    /// The file that is there while a restore has not filled the database.
    pub fn restore_marker(&self) -> PathBuf {
        self.data_dir.join("restoring")
    }

    /// The reason for not using an empty database beside the marker of a restore.
    pub fn restore_is_unfinished(&self) -> String {
        format!(
            "a restore runs or was interrupted: {} exists, and the database {} is empty. Run `bindery restore` again. To begin \
             with an empty installation instead, empty the data directory and the file store",
            self.restore_marker().display(),
            self.database_for_display()
        )
    }

    /// The files that hold secrets or everything else, whether they exist or not.
    pub fn private_files(&self) -> Vec<PathBuf> {
        let mut files = vec![SecretKey::path_in(&self.data_dir)];
        if let Some(file) = self.sqlite_file() {
            let beside = |suffix: &str| {
                let mut name = file.clone().into_os_string();
                name.push(suffix);
                name.into()
            };
            files.extend(["", "-wal", "-shm"].map(beside));
        }
        files
    }

    /// Notes the address that was really bound; it differs when the port was left to the system.
    pub fn bound_to(&mut self, address: SocketAddr) -> anyhow::Result<()> {
        if self.public_url == parse::url_of(self.listen)? {
            self.public_url = parse::url_of(address)?;
        }
        self.listen = address;
        Ok(())
    }

    /// The mail server. `None`: mails wait.
    pub fn mail(&self) -> Option<MailSettings> {
        Some(MailSettings {
            smtp_url: self.smtp_url.clone()?,
            from: self.mail_from.clone()?,
        })
    }

    /// The engine for translations. `None`: the server has none.
    pub fn translation(&self) -> Option<TranslationSettings> {
        Some(TranslationSettings {
            protocol: self.translation_engine?,
            url: self.translation_url.clone()?,
            key: self.translation_key.clone(),
            model: self.translation_model.clone().unwrap_or_default(),
        })
    }

    /// The language model for conversations. `None`: the server finds issues by itself.
    pub fn conversations(&self) -> Option<ConversationsSettings> {
        Some(ConversationsSettings {
            url: self.conversations_url.clone()?,
            key: self.conversations_key.clone(),
            model: self.conversations_model.clone()?,
        })
    }

    fn check_translation(&self, sources: &mut Sources) {
        match self.translation_engine {
            Some(_) if self.translation_url.is_none() => sources.refuse(
                "BINDERY_TRANSLATION_ENGINE needs BINDERY_TRANSLATION_URL, the address of the engine".to_owned(),
            ),
            Some(TranslationProtocol::OpenAi) if self.translation_model.is_none() => sources.refuse(
                "BINDERY_TRANSLATION_ENGINE=openai needs BINDERY_TRANSLATION_MODEL, the name of a model".to_owned(),
            ),
            _ => {}
        }
    }

    /// The addresses of sites.
    pub fn sites_address(&self) -> SitesAddress {
        let given = self.sites_url.clone();
        given.unwrap_or_else(|| SitesAddress::below(&self.public_url))
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
