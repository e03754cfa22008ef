//! Running git: process groups, time, and output within limits.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use secrecy::{ExposeSecret, SecretString};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};

use crate::{
    Git, GitError, environment, launcher,
    limits::{END_TIME, MAX_STDERR, MAX_STDOUT},
};

/// Questions for the password that are answered in one run: each transport of a run asks once.
const ANSWERS: usize = 4;

/// What connections of a run may use.
#[derive(Debug, Default)]
pub(crate) struct Transport {
    /// Names of protocols, separated by colons.
    pub protocols: &'static str,
    pub config: Vec<(String, String)>,
    pub ssh_command: Option<OsString>,
    pub password: Option<SecretString>,
}

/// One run of git.
pub(crate) struct Call<'a> {
    pub repository: Option<&'a Path>,
    pub arguments: Vec<String>,
    pub transport: Transport,
    /// `None`: that of local commands.
    pub time: Option<Duration>,
    pub max_stdout: usize,
}

impl<'a> Call<'a> {
    /// A command without a connection.
    pub fn local<T: Into<String>>(repository: Option<&'a Path>, arguments: impl IntoIterator<Item = T>) -> Self {
        Self {
            repository,
            arguments: arguments.into_iter().map(Into::into).collect(),
            transport: Transport::default(),
            time: None,
            max_stdout: MAX_STDOUT,
        }
    }
}

/// A process of git. Its process group is killed when this is dropped before its end.
pub(crate) struct Running {
    child: Child,
    pub stdin: Option<ChildStdin>,
    pub stdout: BufReader<ChildStdout>,
    stderr: JoinHandle<String>,
    repository: Option<PathBuf>,
}

/// What a process that ended left.
pub(crate) struct Ended {
    pub is_success: bool,
    pub stderr: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        // `None` once the process has been waited for: until then no other group can have its number.
        let id = self.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(id) = id {
            // Should it fail, the group has ended.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }
}

impl Running {
    /// Waits for the end of a process whose output has been read.
    pub async fn end(&mut self) -> Result<Ended, GitError> {
        drop(self.stdin.take());
        let stderr = (&mut self.stderr).await.unwrap_or_default();
        let status = self.child.wait().await?;
        let code = i32::from(launcher::NOT_FOUND);
        if status.code() == Some(code) && stderr.starts_with(launcher::NOT_FOUND_MESSAGE) {
            return Err(GitError::Missing);
        }
        // Paths of the server are nobody's business.
        let path = self.repository.as_ref().map(|path| path.display().to_string());
        let mut stderr = path.map_or_else(|| stderr.clone(), |path| stderr.replace(&path, "the cache"));
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            stderr.push_str(&format!("fatal: git died of signal {signal}\n"));
        }
        Ok(Ended {
            is_success: status.success(),
            stderr,
        })
    }

    /// The error of a process that ended too early.
    pub async fn failure(&mut self) -> GitError {
        match timeout(END_TIME, self.end()).await {
            Ok(Ok(ended)) => GitError::of_stderr(&ended.stderr),
            Ok(Err(error)) => error,
            Err(_) => GitError::TooSlow,
        }
    }
}

impl Git {
    /// Runs git to its end and returns its output. Fails if git fails.
    pub(crate) async fn run(&self, call: Call<'_>) -> Result<Vec<u8>, GitError> {
        let (output, ended) = self.run_to_end(call).await?;
        match ended.is_success {
            true => Ok(output),
            false => Err(GitError::of_stderr(&ended.stderr)),
        }
    }

    /// The same, where a failure has an output too.
    pub(crate) async fn run_to_end(&self, call: Call<'_>) -> Result<(Vec<u8>, Ended), GitError> {
        let time = call.time.unwrap_or(self.limits.local);
        let work = async {
            let mut running = self.start(&call, false).await?;
            let mut output = Vec::new();
            let mut stdout = (&mut running.stdout).take(call.max_stdout as u64 + 1);
            stdout.read_to_end(&mut output).await?;
            if output.len() > call.max_stdout {
                return Err(GitError::failed("The output of git is too long."));
            }
            Ok((output, running.end().await?))
        };
        timeout(time, work).await.unwrap_or(Err(GitError::TooSlow))
    }

    /// Starts git. `takes_input`: standard input is open.
    pub(crate) async fn start(&self, call: &Call<'_>, takes_input: bool) -> Result<Running, GitError> {
        let Call { transport, .. } = call;
        let mut command = Command::new(&self.launcher);
        command
            .arg(self.limits.cpu.as_secs().max(1).to_string())
            .arg((self.limits.cache_bytes / 2).to_string())
            .arg(self.limits.memory.to_string())
            .arg(&self.program)
            .args(&call.arguments)
            // The secrets of the server are in its environment.
            .env_clear()
            .envs(environment::variables(
                call.repository,
                transport.protocols,
                &transport.config,
            ))
            .env(launcher::ROLE, launcher::LAUNCH)
            .env("GIT_ASKPASS", &self.launcher)
            .current_dir("/")
            .process_group(0)
            .kill_on_drop(true)
            .stdin(if takes_input || transport.password.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(ssh_command) = &transport.ssh_command {
            command.env("GIT_SSH_COMMAND", ssh_command);
        }
        if transport.password.is_some() {
            command.env(launcher::PASSWORD, "0");
        }
        let mut child = command.spawn()?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        };
        let mut running = Running {
            stdin: child.stdin.take(),
            child,
            stdout: BufReader::new(stdout),
            stderr: tokio::spawn(read_beginning(stderr)),
            repository: call.repository.map(Path::to_owned),
        };
        if let (Some(password), Some(mut stdin)) = (&transport.password, running.stdin.take_if(|_| !takes_input)) {
            for _ in 0..ANSWERS {
                stdin.write_all(password.expose_secret().as_bytes()).await?;
                stdin.write_all(b"\n").await?;
            }
        }
        Ok(running)
    }
}

/// Reads to the end, and keeps the beginning.
async fn read_beginning(mut input: impl AsyncRead + Unpin) -> String {
    let (mut kept, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = input.read(&mut chunk).await {
        let room = MAX_STDERR.saturating_sub(kept.len()).min(length);
        kept.extend(chunk.iter().take(room));
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_are_read_to_the_end_and_kept_in_part() {
        let text = vec![b'x'; MAX_STDERR * 3];
        let mut input = text.as_slice();
        assert_eq!(read_beginning(&mut input).await.len(), MAX_STDERR);
        assert!(input.is_empty());
    }
}
