//! Files and options of `ssh`.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File},
    io::Write,
    net::IpAddr,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use secrecy::{ExposeSecret, SecretString};

use crate::{GitError, cache::remove};

/// Options of each connection. `-F none`: neither the user's configuration nor the system's.
const OPTIONS: [&str; 14] = [
    "BatchMode=yes",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "PreferredAuthentications=publickey",
    "ForwardAgent=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "GlobalKnownHostsFile=none",
    "HashKnownHosts=no",
    "UpdateHostKeys=no",
    "CheckHostIP=no",
    "ConnectTimeout=20",
    "ServerAliveInterval=20",
    "ServerAliveCountMax=3",
];

/// A private directory with the key and the known host keys, removed when this is dropped.
pub(crate) struct SshFiles {
    directory: PathBuf,
    is_first: bool,
}

impl Drop for SshFiles {
    fn drop(&mut self) {
        // What is left is removed when the cache is opened.
        let _ = remove(&self.directory);
    }
}

impl SshFiles {
    pub fn write(directory: PathBuf, key: Option<&SecretString>, known_hosts: Option<&str>) -> Result<Self, GitError> {
        remove(&directory)?;
        DirBuilder::new().mode(0o700).create(&directory)?;
        let files = Self {
            directory,
            is_first: known_hosts.is_none(),
        };
        let key = key.map(ExposeSecret::expose_secret).unwrap_or_default();
        write(&files.key(), key)?;
        write(&files.known_hosts(), known_hosts.unwrap_or_default())?;
        Ok(files)
    }

    fn key(&self) -> PathBuf {
        self.directory.join("key")
    }

    fn known_hosts(&self) -> PathBuf {
        self.directory.join("known_hosts")
    }

    /// The key of a host that was seen for the first time.
    pub fn learned(&self) -> Option<String> {
        let text = fs::read_to_string(self.known_hosts()).ok().filter(|_| self.is_first);
        text.filter(|text| !text.is_empty())
    }

    /// The command line of ssh, which git gives to a shell. Connects to `address`, and knows the host by `host`.
    pub fn command(&self, host: &str, address: IpAddr) -> OsString {
        let mut command = OsString::from("ssh -F none");
        let mut option = |name: &str, value: &std::ffi::OsStr| {
            command.push(" -o ");
            command.push(name);
            command.push(value);
        };
        for fixed in OPTIONS {
            option(fixed, "".as_ref());
        }
        let checking = if self.is_first { "accept-new" } else { "yes" };
        option("StrictHostKeyChecking=", checking.as_ref());
        // A host has only letters, digits and `.:-_`.
        option("HostKeyAlias=", host.as_ref());
        option("HostName=", address.to_string().as_ref());
        option("UserKnownHostsFile=", &quote(&self.known_hosts()));
        option("IdentityFile=", &quote(&self.key()));
        command
    }
}

/// Quotes a path for the shell, and in that for ssh, which expands `%`.
fn quote(path: &Path) -> OsString {
    let path = path.to_string_lossy().replace('%', "%%").replace('"', "\\\"");
    format!("'\"{}\"'", path.replace('\'', "'\\''")).into()
}

fn write(path: &Path, text: &str) -> Result<(), GitError> {
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        file.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{os::unix::fs::PermissionsExt, process::Command};

    use super::*;

    /// The configuration that OpenSSH reads out of the command line.
    fn configuration(files: &SshFiles) -> String {
        let command = files.command("example.com", [192, 0, 2, 7].into());
        let script = format!("{} -G git@example.com", command.to_str().unwrap());
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn ssh_connects_to_the_checked_address_and_knows_the_host() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("it's 100% \"odd\"");
        let files = SshFiles::write(
            directory.clone(),
            Some(&"key".into()),
            Some("example.com ssh-ed25519 AAAA"),
        )
        .unwrap();
        let found = configuration(&files);
        let path = directory.display();
        for line in [
            "hostname 192.0.2.7",
            "hostkeyalias example.com",
            "stricthostkeychecking true",
            "batchmode yes",
            "identitiesonly yes",
            "identityagent none",
            "globalknownhostsfile none",
            "permitlocalcommand no",
            &format!("userknownhostsfile {path}/known_hosts"),
            &format!("identityfile {path}/key"),
        ] {
            assert!(
                found.lines().any(|found| found.replace("%%", "%") == line),
                "{line}\n{found}"
            );
        }
        assert_eq!(files.learned(), None);
    }

    #[test]
    fn the_first_key_of_a_host_is_returned() {
        let root = tempfile::tempdir().unwrap();
        let files = SshFiles::write(root.path().join("ssh"), None, None).unwrap();
        assert!(configuration(&files).contains("\nstricthostkeychecking accept-new\n"));
        assert_eq!(files.learned(), None);
        fs::write(files.known_hosts(), "example.com ssh-ed25519 AAAA\n").unwrap();
        assert_eq!(files.learned().as_deref(), Some("example.com ssh-ed25519 AAAA\n"));
    }

    #[test]
    fn keys_are_private_and_removed() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("ssh");
        let files = SshFiles::write(directory.clone(), Some(&"key".into()), None).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&files.key())), (0o700, 0o600));
        assert_eq!(fs::read_to_string(files.key()).unwrap(), "key\n");
        drop(files);
        assert!(!directory.exists());
    }
}
