//! Connections to remotes.

use std::{net::IpAddr, time::Duration};

use secrecy::ExposeSecret;
use url::Host;

use crate::{
    Cache, Credentials, GitError, Protocol, RemoteAddress,
    limits::SILENCE_SECONDS,
    process::{Call, Ended, Transport},
    ssh::SshFiles,
};

/// The name of the remote in the configuration of a run: its address is in no command line.
pub(crate) const REMOTE: &str = "origin";

/// A repository elsewhere.
#[derive(Debug, Clone)]
pub struct Remote {
    pub address: RemoteAddress,
    pub credentials: Option<Credentials>,
    /// The addresses of the host, which the caller resolved and checked. Nothing else is connected to; SSH tries the first.
    pub pinned: Vec<IpAddr>,
    /// The keys of an SSH host, in the format of `known_hosts`. `None`: the key of the next connection is taken, and is
    /// here afterwards for the caller to store.
    pub known_hosts: Option<String>,
}

impl Cache {
    /// Runs a command that connects, and returns its output if it succeeds.
    pub(crate) async fn connect<'a>(
        &self,
        remote: &mut Remote,
        words: impl IntoIterator<Item = &'a str>,
        time: Duration,
    ) -> Result<Vec<u8>, GitError> {
        let (output, ended) = self.try_connect(remote, words, time).await?;
        match ended.is_success {
            true => Ok(output),
            false => Err(GitError::of_stderr(&ended.stderr)),
        }
    }

    /// The same, with the output also if it fails.
    pub(crate) async fn try_connect<'a>(
        &self,
        remote: &mut Remote,
        words: impl IntoIterator<Item = &'a str>,
        time: Duration,
    ) -> Result<(Vec<u8>, Ended), GitError> {
        self.prepare().await?;
        let (transport, files) = self.transport(remote)?;
        let repository = self.repository();
        let call = Call {
            transport,
            time: Some(time),
            ..Call::local(Some(&repository), words)
        };
        let (output, mut ended) = self.git.run_to_end(call).await?;
        if let Some(known_hosts) = files.and_then(|files| files.learned()) {
            remote.known_hosts = Some(known_hosts);
        }
        // A remote may say what it was sent.
        if let Some(Credentials::Password { password, .. }) = &remote.credentials
            && !password.expose_secret().is_empty()
        {
            ended.stderr = ended.stderr.replace(password.expose_secret(), "***");
        }
        Ok((output, ended))
    }

    fn transport(&self, remote: &Remote) -> Result<(Transport, Option<SshFiles>), GitError> {
        let mut transport = Transport {
            config: vec![setting("remote.origin.url", remote.address.as_str())],
            ..Transport::default()
        };
        let allowed = self.git.protocols;
        transport.protocols = match remote.address.protocol() {
            Protocol::Https => "https",
            Protocol::Ssh => "ssh",
            Protocol::Http if allowed.http => "http",
            Protocol::File if allowed.file => "file",
            Protocol::Http | Protocol::File => "",
        };
        let Some((host, port)) = remote.address.host() else {
            return Ok((transport, None));
        };
        let first = check_pins(host, &remote.pinned)?;
        if remote.address.protocol() != Protocol::Ssh {
            http(&mut transport, remote, host, port)?;
            return Ok((transport, None));
        }
        let key = match &remote.credentials {
            Some(Credentials::Password { .. }) => return Err(GitError::CredentialsKind),
            Some(Credentials::SshKey(key)) => Some(key),
            None => None,
        };
        let files = SshFiles::write(self.ssh(), key, remote.known_hosts.as_deref())?;
        // Without the brackets of IPv6.
        let name = host.to_string();
        transport.ssh_command = Some(files.command(name.trim_matches(['[', ']']), first));
        Ok((transport, Some(files)))
    }
}

fn http(transport: &mut Transport, remote: &Remote, host: &Host, port: u16) -> Result<(), GitError> {
    let addresses: Vec<String> = remote.pinned.iter().map(|address| bracketed(*address)).collect();
    let pin = format!("{host}:{port}:{}", addresses.join(","));
    if matches!(host, Host::Domain(_)) {
        transport.config.push(setting("http.curloptResolve", &pin));
    }
    transport
        .config
        .push(setting("http.lowSpeedTime", &SILENCE_SECONDS.to_string()));
    match &remote.credentials {
        Some(Credentials::Password { user, password }) => {
            if password
                .expose_secret()
                .contains(|character: char| character.is_control())
            {
                return Err(GitError::InvalidSecret);
            }
            // With a name, git asks for the password only.
            transport.config.push(setting("credential.username", user));
            transport.password = Some(password.clone());
            Ok(())
        }
        Some(Credentials::SshKey(_)) => Err(GitError::CredentialsKind),
        None => Ok(()),
    }
}

/// Returns the first address. An address in place of a name must be among those that were checked.
fn check_pins(host: &Host, pinned: &[IpAddr]) -> Result<IpAddr, GitError> {
    let literal = match host {
        Host::Ipv4(address) => Some(IpAddr::from(*address)),
        Host::Ipv6(address) => Some(IpAddr::from(*address)),
        Host::Domain(_) => None,
    };
    match (literal, pinned.first()) {
        (None, Some(first)) => Ok(*first),
        (Some(literal), Some(_)) if pinned.contains(&literal) => Ok(literal),
        _ => Err(GitError::NotPinned),
    }
}

fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

fn setting(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
