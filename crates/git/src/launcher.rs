//! The side of the child: the launcher, which limits itself and becomes git, and the program that git asks for a password.
//!
//! Both are the program of the server, told apart by an environment variable: git takes no arguments for the program
//! that it asks.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    os::{fd::IntoRawFd, unix::process::CommandExt},
    process::{Command, ExitCode},
};

use rustix::process::{Resource, Rlimit, nice, setrlimit};

/// What this process is to do.
pub(crate) const ROLE: &str = "BINDERY_GIT_ROLE";
pub(crate) const LAUNCH: &str = "launch";
const ANSWER: &str = "answer";

/// In the launcher: that standard input has the password. In git and below: the file descriptor that has it.
pub(crate) const PASSWORD: &str = "BINDERY_GIT_PASSWORD";

/// The exit code if there is no git, as shells have it.
pub(crate) const NOT_FOUND: u8 = 127;
pub(crate) const NOT_FOUND_MESSAGE: &str = "cannot start git";

/// Requests of the server come first.
const PRIORITY: i32 = 10;

/// The longest password, in bytes.
const MAX_PASSWORD: usize = 16 * 1024;

/// Acts for git if this process was started for that, and returns the exit code. `main` calls this before anything else.
pub fn run_if_child() -> Option<ExitCode> {
    let done = match env::var(ROLE).ok()?.as_str() {
        LAUNCH => launch(env::args_os().skip(1)),
        ANSWER => answer(),
        _ => return None,
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            eprintln!("{NOT_FOUND_MESSAGE}: {error}");
            NOT_FOUND.into()
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

/// The arguments: limits of CPU seconds, bytes of a file and of memory, then git and its arguments.
fn launch(mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    for resource in [Resource::Cpu, Resource::Fsize, Resource::Data] {
        let value = arguments
            .next()
            .and_then(|value| value.into_string().ok()?.parse().ok());
        limit(resource, value.ok_or(io::ErrorKind::InvalidInput)?)?;
    }
    limit(Resource::Core, 0)?;
    nice(PRIORITY)?;
    let mut git = Command::new(arguments.next().ok_or(io::ErrorKind::InvalidInput)?);
    git.args(arguments).env(ROLE, ANSWER);
    if env::var_os(PASSWORD).is_some() {
        // Without close-on-exec, and open until the process of git ends.
        let descriptor = rustix::io::dup(rustix::stdio::stdin())?.into_raw_fd();
        git.env(PASSWORD, descriptor.to_string());
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    }
    Err(git.exec())
}

fn limit(resource: Resource, value: u64) -> io::Result<()> {
    // At the first limit of CPU time the process ends with a signal that tells the reason; at the second it would be killed.
    let grace = if resource == Resource::Cpu { 5 } else { 0 };
    let limit = Rlimit {
        current: Some(value),
        maximum: Some(value.saturating_add(grace)),
    };
    Ok(setrlimit(resource, limit)?)
}

/// Takes one line out of the pipe, byte by byte: the rest is for the next question.
fn answer() -> io::Result<()> {
    let descriptor = env::var(PASSWORD).ok().and_then(|number| number.parse::<u32>().ok());
    let mut pipe = File::open(format!("/dev/fd/{}", descriptor.ok_or(io::ErrorKind::InvalidInput)?))?;
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.last() != Some(&b'\n') && line.len() < MAX_PASSWORD && pipe.read(&mut byte)? > 0 {
        line.extend(byte);
    }
    io::stdout().write_all(&line)
}
