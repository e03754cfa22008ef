//! The settings as flags. Secrets have none: other users of the machine can read a process's arguments.

use std::path::PathBuf;

use clap::Args;

/// Text as it was typed; it is read together with the environment and the file.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings (also as BINDERY_… in the environment, and in bindery.toml)")]
pub struct Flags {
    /// File to read settings from [default: bindery.toml, if there is one]
    #[arg(long, global = true, value_name = "FILE", env = "BINDERY_CONFIG")]
    pub config: Option<PathBuf>,

    /// Address and port to listen on [default: 127.0.0.1:4000]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,

    /// Where the data is: sqlite://PATH or postgres://… [default: bindery.db in the data directory]
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,

    /// Directory for files that the server keeps [default: data]
    #[arg(long, global = true, value_name = "DIRECTORY")]
    pub data_dir: Option<String>,

    /// Where the bytes of files are: local (in the data directory) or s3://BUCKET/PREFIX [default: local]
    #[arg(long, global = true, value_name = "STORE")]
    pub blob_store: Option<String>,

    /// Address that clients reach the server at [default: http://<listen>]
    #[arg(long, global = true, value_name = "URL")]
    pub public_url: Option<String>,

    /// Email address of the first user [default: admin@localhost]
    #[arg(long, global = true, value_name = "EMAIL")]
    pub admin_email: Option<String>,

    /// Networks of reverse proxies whose X-Forwarded-For is believed, separated by commas [default: none]
    #[arg(long, global = true, value_name = "NETWORKS")]
    pub trusted_proxies: Option<String>,

    /// Private networks that the server may fetch from, separated by commas [default: none]
    #[arg(long, global = true, value_name = "NETWORKS")]
    pub allow_private_addresses: Option<String>,

    /// Requests that each token and each address may send, such as 100/s or 5000/m, or off [default: 1000/s]
    #[arg(long, global = true, value_name = "RATE")]
    pub rate_limit: Option<String>,

    /// How large a request body may be, such as 512KiB [default: 10MiB]
    #[arg(long, global = true, value_name = "SIZE")]
    pub body_limit: Option<String>,

    /// How long a request may take, such as 30s [default: 30s]
    #[arg(long, global = true, value_name = "TIME")]
    pub request_timeout: Option<String>,

    /// How many connections may be open at once; further ones wait [default: 10000]
    #[arg(long, global = true, value_name = "NUMBER")]
    pub max_connections: Option<String>,

    /// How long requests in flight may take to finish when the server stops [default: 30s]
    #[arg(long, global = true, value_name = "TIME")]
    pub shutdown_grace: Option<String>,

    /// auto (text on a terminal, JSON otherwise), text or json; RUST_LOG says what is logged [default: auto]
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<String>,

    /// Address that mails are from, such as 'Bindery <docs@example.com>'; needed with BINDERY_SMTP_URL
    #[arg(long, global = true, value_name = "EMAIL")]
    pub mail_from: Option<String>,
}

impl Flags {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let value = match key {
            "listen" => &self.listen,
            "database_url" => &self.database_url,
            "data_dir" => &self.data_dir,
            "blob_store" => &self.blob_store,
            "public_url" => &self.public_url,
            "admin_email" => &self.admin_email,
            "trusted_proxies" => &self.trusted_proxies,
            "allow_private_addresses" => &self.allow_private_addresses,
            "rate_limit" => &self.rate_limit,
            "body_limit" => &self.body_limit,
            "request_timeout" => &self.request_timeout,
            "max_connections" => &self.max_connections,
            "shutdown_grace" => &self.shutdown_grace,
            "log_format" => &self.log_format,
            "mail_from" => &self.mail_from,
            _ => return None,
        };
        value.as_deref()
    }
}
