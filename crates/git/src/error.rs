//! Why git could not do what it was asked.

use std::{fmt, io};

use crate::{
    AddressError, MINIMUM, Version,
    limits::MAX_MESSAGE,
    text::{clean, remote_lines},
};

/// The text is a sentence for users: without secrets, and without paths of the server.
#[derive(Debug)]
pub enum GitError {
    /// The program is not installed.
    Missing,
    TooOld(Version),
    Address(AddressError),
    /// A ref that is not well-formed, or none that may be read.
    Ref,
    /// A path that no repository may have.
    Path(String),
    /// The address was not resolved, or names an IP address that was not checked.
    NotPinned,
    /// A password for SSH, or a key for HTTPS.
    CredentialsKind,
    /// The password or the key has characters that it cannot have.
    InvalidSecret,
    /// Another task works in the cache.
    Busy,
    Unreachable,
    Certificate,
    Redirected,
    /// Credentials are missing or wrong. Some servers answer so where there is no repository.
    Authentication,
    /// The remote knows who asks, and refuses. With its message.
    Forbidden(String),
    NotFound,
    /// The repository has no such ref.
    NoRef,
    HostKeyChanged,
    TooSlow,
    /// More bytes than a limit.
    TooLarge,
    TooManyFiles(usize),
    /// The commit has no such directory.
    NoDirectory,
    /// An object that is not, or no longer, in the cache.
    NotInCache,
    /// Objects that git refuses. With its message.
    Corrupt(String),
    /// The repository does not use SHA-1.
    ObjectFormat,
    /// A protocol that is not allowed.
    Protocol,
    /// Anything else. With the message of git.
    Failed(String),
    Server(io::Error),
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("The program git is not installed on the server. Install the package `git`."),
            Self::TooOld(version) => write!(f, "The program git of the server is too old: {version} instead of {MINIMUM}."),
            Self::Address(error) => write!(f, "The address of the repository {error}."),
            Self::Ref => f.write_str("The ref must be like `refs/heads/main`, a tag, or the head of a pull or merge request."),
            Self::Path(path) => write!(f, "A repository cannot have a file with the path `{path}`."),
            Self::NotPinned => f.write_str("The host of the repository could not be resolved, or is not public."),
            Self::CredentialsKind => f.write_str("HTTPS needs a password or a token, and SSH needs a private key."),
            Self::InvalidSecret => f.write_str("The password or the key has characters that it cannot have."),
            Self::Busy => f.write_str("The server is at work on this repository. Try again later."),
            Self::Unreachable => f.write_str("The server of the repository could not be reached."),
            Self::Certificate => f.write_str("The server of the repository has no valid certificate."),
            Self::Redirected => f.write_str("The address redirects. Use the address that it redirects to."),
            Self::Authentication => f.write_str("The server of the repository asks for credentials, or does not accept those given."),
            Self::Forbidden(message) => f.write_str("The server of the repository refuses access.").and_then(|()| quote(f, message)),
            Self::NotFound => f.write_str("There is no repository at this address, or no permission to read it."),
            Self::NoRef => f.write_str("The repository has no such branch, tag or request."),
            Self::HostKeyChanged => f.write_str("The server of the repository has another host key than before. If that is right, remove the stored key."),
            Self::TooSlow => f.write_str("The repository took too long."),
            Self::TooLarge => f.write_str("The repository is too large."),
            Self::TooManyFiles(limit) => write!(f, "The repository has more than {limit} files."),
            Self::NoDirectory => f.write_str("The repository has no such directory."),
            Self::NotInCache => f.write_str("Something of the repository is not there any more. Try again."),
            Self::Corrupt(message) => f.write_str("The repository has objects that git refuses.").and_then(|()| quote(f, message)),
            Self::ObjectFormat => f.write_str("The repository uses another object format than SHA-1."),
            Self::Protocol => f.write_str("The protocol of the address is not allowed."),
            Self::Failed(message) => f.write_str("Git failed.").and_then(|()| quote(f, message)),
            Self::Server(_) => f.write_str("Git could not be run. The log of the server has the reason."),
        }
    }
}

fn quote(f: &mut fmt::Formatter<'_>, message: &str) -> fmt::Result {
    match message {
        "" => Ok(()),
        _ => write!(f, " Its message: {message}"),
    }
}

impl std::error::Error for GitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Server(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for GitError {
    fn from(error: io::Error) -> Self {
        Self::Server(error)
    }
}

impl From<AddressError> for GitError {
    fn from(error: AddressError) -> Self {
        Self::Address(error)
    }
}

/// Texts between bars, and the error that they tell of, with the message.
type Known = (&'static str, fn(String) -> GitError);

/// What git, curl and ssh say in the language `C`; the first that matches counts.
const MESSAGES: [Known; 16] = [
    ("Host key verification failed", |_| GitError::HostKeyChanged),
    ("died of signal 25|File too large|Out of memory|out of memory", |_| {
        GitError::TooLarge
    }),
    ("died of signal 24|Operation too slow", |_| GitError::TooSlow),
    ("fsck error|object corrupt|invalid object|is corrupt", GitError::Corrupt),
    ("mismatched algorithms|object format", |_| GitError::ObjectFormat),
    ("' not allowed|unsupported protocol", |_| GitError::Protocol),
    ("couldn't find remote ref", |_| GitError::NoRef),
    ("unable to update url base|returned error: 30", |_| GitError::Redirected),
    ("returned error: 403|HTTP 403", GitError::Forbidden),
    (AUTHENTICATION, |_| GitError::Authentication),
    ("certificate", |_| GitError::Certificate),
    (
        "returned error: 404|Repository not found|does not appear to be a git|' not found",
        |_| GitError::NotFound,
    ),
    (UNREACHABLE, |_| GitError::Unreachable),
    (NOT_IN_CACHE, |_| GitError::NotInCache),
    ("No space left", GitError::Failed),
    // Of a process that says nothing else: it was killed where its file reached the limit.
    ("invalid index-pack output", |_| GitError::TooLarge),
];

const AUTHENTICATION: &str = "Authentication failed|could not read Username|could not read Password|Permission denied (|\
    returned error: 401|terminal prompts";

const UNREACHABLE: &str = "Could not resolve|timed out|Failed to connect|Couldn't connect|Connection refused|\
    Connection closed|Connection reset|No route to host|Network is unreachable|returned error: 5|Empty reply|\
    Could not read from remote|hung up unexpectedly|early EOF|unable to access";

const NOT_IN_CACHE: &str = "ot a valid object name|ad object|ot a tree object|Blob not found|not a git repo|\
    could not fetch|ot a valid commit|unknown revision|unable to read";

impl GitError {
    pub(crate) fn failed(message: &str) -> Self {
        Self::Failed(clean(message, MAX_MESSAGE))
    }

    /// Reads what a git that failed wrote.
    pub(crate) fn of_stderr(stderr: &str) -> Self {
        let own: Vec<&str> = stderr.lines().filter(|line| !line.starts_with("remote:")).collect();
        let is_said = |text| own.iter().any(|line| line.contains(text));
        let known = MESSAGES.iter().find(|(texts, _)| texts.split('|').any(is_said));
        let remote = remote_lines(stderr);
        let said = own
            .iter()
            .find(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
        let said = said.or(own.last()).copied().unwrap_or_default();
        match known {
            Some((_, error)) => match error(String::new()) {
                GitError::Forbidden(_) => error(clean(&remote, MAX_MESSAGE)),
                _ => error(clean(said, MAX_MESSAGE)),
            },
            None => Self::failed(&format!("{said} {remote}")),
        }
    }
}
