//! Lookups of DNS records.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::OnceLock,
    time::Duration,
};

use hickory_resolver::{
    TokioResolver,
    config::{NameServerConfig, ResolverConfig},
    lookup::Lookup,
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::{RData, RecordType},
};
use tokio::time::timeout;

/// The longest time of one lookup with its repetitions.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Asks the name servers of the system, or one that is given.
pub struct Dns {
    server: Option<SocketAddr>,
    resolver: OnceLock<TokioResolver>,
}

/// The reason of a failed lookup.
#[derive(Debug)]
pub enum DnsError {
    TooSlow,
    Failed(NetError),
}

impl fmt::Display for DnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSlow => write!(f, "no answer within {} seconds", TIME_LIMIT.as_secs()),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DnsError {}

impl From<NetError> for DnsError {
    fn from(error: NetError) -> Self {
        Self::Failed(error)
    }
}

impl Dns {
    pub fn new(server: Option<SocketAddr>) -> Self {
        Self {
            server,
            resolver: OnceLock::new(),
        }
    }

    /// The TXT records of a domain name. A name without any has none.
    pub async fn texts(&self, name: &str) -> Result<Vec<String>, DnsError> {
        let lookup = self.resolver()?.txt_lookup(fully_qualified(name));
        let found = self.found(lookup).await?;
        let answers = found.iter().flat_map(|found| found.answers());
        let texts = answers.filter_map(|record| match &record.data {
            RData::TXT(text) => Some(text.txt_data.iter().map(|part| String::from_utf8_lossy(part)).collect()),
            _ => None,
        });
        Ok(texts.collect())
    }

    /// The name that the CNAME record of a domain name leads to, in lower case and without a dot at its end.
    pub async fn alias(&self, name: &str) -> Result<Option<String>, DnsError> {
        let asked = fully_qualified(name).to_lowercase();
        let found = self.resolver()?.lookup(asked.clone(), RecordType::CNAME);
        let found = self.found(found).await?;
        let mut records = found.iter().flat_map(|found| found.answers());
        // A server may answer the whole chain.
        let own = records.find_map(|record| match &record.data {
            RData::CNAME(alias) if record.name.to_lowercase().to_string() == asked => Some(alias.0.to_lowercase()),
            _ => None,
        });
        Ok(own.map(|alias| alias.to_string().trim_end_matches('.').to_owned()))
    }

    /// The addresses of a domain name.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let lookup = self.resolver()?.lookup_ip(fully_qualified(name));
        match timeout(TIME_LIMIT, lookup).await.map_err(|_| DnsError::TooSlow)? {
            Ok(found) => Ok(found.iter().collect()),
            Err(error) if error.is_no_records_found() => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// The answer to a lookup. `None`: the name has no such records.
    async fn found(&self, lookup: impl Future<Output = Result<Lookup, NetError>>) -> Result<Option<Lookup>, DnsError> {
        match timeout(TIME_LIMIT, lookup).await.map_err(|_| DnsError::TooSlow)? {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_no_records_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Created at the first use, because most processes do not need it.
    fn resolver(&self) -> Result<&TokioResolver, NetError> {
        if let Some(resolver) = self.resolver.get() {
            return Ok(resolver);
        }
        let mut builder = match self.server {
            Some(server) => TokioResolver::builder_with_config(only(server), TokioRuntimeProvider::default()),
            None => TokioResolver::builder_tokio()?,
        };
        // A name is asked for again in order to see its new records.
        builder.options_mut().cache_size = 0;
        let resolver = builder.build()?;
        Ok(self.resolver.get_or_init(|| resolver))
    }
}

/// With a dot at its end, no domain of the system is appended to a name.
fn fully_qualified(name: &str) -> String {
    format!("{name}.")
}

fn only(server: SocketAddr) -> ResolverConfig {
    let mut config = NameServerConfig::udp_and_tcp(server.ip());
    for connection in &mut config.connections {
        connection.port = server.port();
    }
    ResolverConfig::from_name_servers(vec![config])
}
