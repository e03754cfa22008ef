//! From text to values. An error says what is expected, as the end of a sentence: "… is not an email address".

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use governor::Quota;
use ipnet::IpNet;
use lettre::message::Mailbox;
use secrecy::SecretString;
use url::Url;
use wire::formats;

const TOKEN_LENGTH: std::ops::RangeInclusive<usize> = 32..=512;

/// How many requests are allowed in which time; as many may come at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub requests: NonZeroU32,
    pub per: Duration,
}

impl RateLimit {
    /// The parts into which a request is divided: there are requests that count less than others.
    pub const PARTS: NonZeroU32 = NonZeroU32::new(10).unwrap();

    /// The quota in parts. One comes back each time that one would be due.
    pub fn quota(&self) -> Option<Quota> {
        let burst = self.requests.checked_mul(Self::PARTS)?;
        Some(Quota::with_period(self.per / burst.get())?.allow_burst(burst))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON otherwise.
    #[default]
    Auto,
    Text,
    Json,
}

/// The protocols by which repositories may be reached besides HTTPS and SSH.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GitProtocols {
    pub http: bool,
    pub file: bool,
}

/// What shows the pages of sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitesMode {
    /// The server itself.
    Pages,
    /// Another program, by lookups and tokens of visitors.
    Renderer,
}

/// The people who may create organizations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrganizationCreation {
    /// Everybody but people who are only guests.
    Everyone,
    /// Admins of an organization.
    Admins,
}

/// The protocol of a translation engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranslationProtocol {
    OpenAi,
    LibreTranslate,
    DeepL,
}

pub fn translation_engine(text: &str) -> Result<Option<TranslationProtocol>, String> {
    match text {
        "openai" => Ok(Some(TranslationProtocol::OpenAi)),
        "libretranslate" => Ok(Some(TranslationProtocol::LibreTranslate)),
        "deepl" => Ok(Some(TranslationProtocol::DeepL)),
        _ => Err("`openai`, `libretranslate` or `deepl`".to_owned()),
    }
}

pub fn engine_url(text: &str) -> Result<Option<Url>, String> {
    public_url(text).map(Some)
}

pub fn model(text: &str) -> Result<Option<String>, String> {
    let valid = (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    valid
        .then(|| Some(text.to_owned()))
        .ok_or_else(|| "the name of a model, of up to 200 visible ASCII characters".to_owned())
}

/// Sent in a header.
pub fn engine_key(text: &str) -> Result<Option<SecretString>, String> {
    let valid = (1..=2000).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    valid
        .then(|| Some(text.into()))
        .ok_or_else(|| "a text of up to 2,000 visible ASCII characters".to_owned())
}

pub fn words(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000_000_000).contains(number));
    number.ok_or_else(|| "a number from 1 to 1000000000".to_owned())
}

pub fn address(text: &str) -> Result<SocketAddr, String> {
    let local = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let parsed = local.as_deref().unwrap_or(text).parse();
    parsed.map_err(|_| "an IP address with a port, such as 127.0.0.1:4000 or [::]:4000".to_owned())
}

/// The port of DNS can be left out.
pub fn dns_server(text: &str) -> Result<Option<SocketAddr>, String> {
    let with_port = text.parse().ok();
    let address = with_port.or_else(|| Some(SocketAddr::new(text.parse().ok()?, 53)));
    let expected = || "an IP address, with or without a port, such as 192.0.2.53".to_owned();
    address.map(Some).ok_or_else(expected)
}

pub fn path(text: &str) -> Result<PathBuf, String> {
    Ok(text.into())
}

/// A file that exists.
pub fn file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.is_file() {
        true => Ok(path),
        false => Err("a file that exists".to_owned()),
    }
}

/// Paths separated by commas.
pub fn paths(text: &str) -> Result<Vec<PathBuf>, String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Ok(items.map(PathBuf::from).collect())
}

pub fn public_url(text: &str) -> Result<Url, String> {
    let expected = || "an address without a query, such as https://docs.example.com".to_owned();
    let url = Url::parse(text).map_err(|_| expected())?;
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    (web && plain).then_some(url).ok_or_else(expected)
}

/// The address of a server on this machine that listens there.
pub fn url_of(listen: SocketAddr) -> anyhow::Result<Url> {
    let mut reachable = listen;
    if listen.ip().is_unspecified() {
        reachable.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    Url::parse(&format!("http://{reachable}")).context("the address to listen on makes no URL")
}

pub fn database_url(text: &str) -> Result<SecretString, String> {
    let known = ["sqlite://", "postgres://", "postgresql://"];
    let expected = || "a database address: sqlite://PATH or postgres://USER:PASSWORD@HOST/DATABASE".to_owned();
    known
        .iter()
        .any(|scheme| text.starts_with(scheme))
        .then(|| text.into())
        .ok_or_else(expected)
}

/// The default database.
pub fn sqlite_in(directory: &Path) -> String {
    sqlite_url(&directory.join("bindery.db"))
}

pub fn sqlite_url(file: &Path) -> String {
    let path = file.display().to_string();
    format!(
        "sqlite://{}",
        path.replace('%', "%25").replace('?', "%3F").replace('#', "%23")
    )
}

/// The file of a SQLite database.
pub fn sqlite_file(database_url: &str) -> Option<PathBuf> {
    let path = database_url.strip_prefix("sqlite://")?.split('?').next()?;
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    Some(path.into_owned().into())
}

pub fn without_password(database_url: &str) -> String {
    let Ok(mut url) = Url::parse(database_url) else {
        return database_url.to_owned();
    };
    let hidden = url.password().is_some() && url.set_password(Some("…")).is_ok();
    if hidden { url.into() } else { database_url.to_owned() }
}

pub fn token(text: &str) -> Result<Option<SecretString>, String> {
    let sendable = text.bytes().all(|byte| byte.is_ascii_graphic());
    let expected = || {
        format!(
            "a text of {} to {} visible ASCII characters",
            TOKEN_LENGTH.start(),
            TOKEN_LENGTH.end()
        )
    };
    (sendable && TOKEN_LENGTH.contains(&text.len()))
        .then(|| Some(text.into()))
        .ok_or_else(expected)
}

pub fn email(text: &str) -> Result<String, String> {
    formats::is_email(text)
        .then(|| text.to_lowercase())
        .ok_or_else(|| "an email address".to_owned())
}

pub fn git_protocols(text: &str) -> Result<GitProtocols, String> {
    let mut allowed = GitProtocols::default();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match name {
            "http" => allowed.http = true,
            "file" => allowed.file = true,
            _ => return Err("http, file, or both separated by a comma".to_owned()),
        }
    }
    Ok(allowed)
}

/// A single address is a network of one.
pub fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let read = |item: &str| {
        item.parse::<IpNet>()
            .or_else(|_| item.parse::<IpAddr>().map(IpNet::from))
    };
    items
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(|_| "a list of networks separated by commas, such as 10.0.0.0/8,fd00::/8".to_owned())
}

pub fn rate_limit(text: &str) -> Result<Option<RateLimit>, String> {
    if text == "off" {
        return Ok(None);
    }
    let read = || {
        let (requests, unit) = text.split_once('/')?;
        let seconds = match unit.trim() {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => return None,
        };
        let limit = RateLimit {
            requests: requests.trim().parse().ok()?,
            per: Duration::from_secs(seconds),
        };
        limit.quota().map(|_| limit)
    };
    read()
        .map(Some)
        .ok_or_else(|| "`off` or a rate such as 100/s, 5000/m or 10000/h".to_owned())
}

pub fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text.strip_prefix(digits).unwrap_or_default().trim() {
        "" | "B" => Some(1),
        "KiB" => Some(1 << 10),
        "MiB" => Some(1 << 20),
        "GiB" => Some(1 << 30),
        _ => None,
    };
    let bytes = unit.and_then(|unit| digits.parse::<usize>().ok()?.checked_mul(unit));
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "a size such as 512KiB or 10MiB".to_owned())
}

/// The memory of the server, in bytes.
pub fn memory(text: &str) -> Result<usize, String> {
    let least = 512 << 20;
    let bytes = size(text).ok().filter(|bytes| *bytes >= least);
    bytes.ok_or_else(|| "a size of at least 512MiB, such as 2GiB".to_owned())
}

pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let millis = match text.strip_prefix(digits).unwrap_or_default().trim() {
        "ms" => Some(1),
        "s" => Some(1000),
        "m" => Some(60_000),
        _ => None,
    };
    let total = millis.and_then(|unit| digits.parse::<u64>().ok()?.checked_mul(unit));
    let total = total.filter(|millis| (1..=86_400_000).contains(millis));
    total
        .map(Duration::from_millis)
        .ok_or_else(|| "a time of at most a day, such as 500ms, 30s or 2m".to_owned())
}

/// Whole days.
pub fn days(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').and_then(|days| days.trim().parse::<u64>().ok());
    let days = days.filter(|days| (1..=36_500).contains(days));
    days.map(|days| Duration::from_secs(days * 86_400))
        .ok_or_else(|| "a number of days from 1d to 36500d".to_owned())
}

/// Hours or days.
pub fn hours(text: &str) -> Result<Duration, String> {
    let hours = match text.strip_suffix('h') {
        Some(hours) => hours.trim().parse::<u64>().ok(),
        None => days(text).ok().map(|days| days.as_secs() / 3_600),
    };
    let hours = hours.filter(|hours| (1..=8_760).contains(hours));
    hours
        .map(|hours| Duration::from_secs(hours * 3_600))
        .ok_or_else(|| "a time from 1h to 365d, such as 6h or 7d".to_owned())
}

pub fn passphrase(text: &str) -> Result<Option<SecretString>, String> {
    let valid = (12..=1_000).contains(&text.len());
    valid
        .then(|| Some(text.into()))
        .ok_or_else(|| "a text of 12 to 1,000 bytes".to_owned())
}

pub fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=1_000_000).contains(count));
    count.ok_or_else(|| "a number from 1 to 1000000".to_owned())
}

pub fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "auto" => Ok(LogFormat::Auto),
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("auto, text or json".to_owned()),
    }
}

pub fn sites_mode(text: &str) -> Result<SitesMode, String> {
    match text {
        "pages" => Ok(SitesMode::Pages),
        "renderer" => Ok(SitesMode::Renderer),
        _ => Err("pages or renderer".to_owned()),
    }
}

pub fn organization_creation(text: &str) -> Result<OrganizationCreation, String> {
    match text {
        "everyone" => Ok(OrganizationCreation::Everyone),
        "admins" => Ok(OrganizationCreation::Admins),
        _ => Err("everyone or admins".to_owned()),
    }
}

pub fn smtp_url(text: &str) -> Result<Option<SecretString>, String> {
    let expected = || "a mail server, such as smtps://USER:PASSWORD@HOST or smtp://HOST:PORT".to_owned();
    let url = Url::parse(text).map_err(|_| expected())?;
    let plain = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let whole = url.username().is_empty() == url.password().is_none();
    let mail = matches!(url.scheme(), "smtp" | "smtps") && url.host_str().is_some_and(|host| !host.is_empty());
    (plain && whole && mail).then(|| Some(text.into())).ok_or_else(expected)
}

pub fn mailbox(text: &str) -> Result<Option<Mailbox>, String> {
    text.parse()
        .map(Some)
        .map_err(|_| "an email address, such as docs@example.com or Bindery <docs@example.com>".to_owned())
}
