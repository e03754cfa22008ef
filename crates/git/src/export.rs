//! Writing commits.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{Instant, timeout_at},
};

use crate::{
    Cache, GitError, Mode, Oid,
    limits::MAX_STDOUT,
    names::check_path,
    process::{Call, Running},
};

/// The tree without files.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

#[derive(Debug, Clone)]
pub struct Signature {
    pub name: String,
    pub email: String,
    /// Seconds since 1970.
    pub time: i64,
}

#[derive(Debug, Clone)]
pub struct CommitInfo {
    pub author: Signature,
    pub committer: Signature,
    pub message: String,
}

/// A commit that is being written. Dropped before [`Commit::finish`], there is none.
pub struct Commit<'a> {
    cache: &'a Cache,
    running: Running,
    parent: Option<Oid>,
    deadline: Instant,
}

impl Cache {
    /// Begins a commit on top of one in the cache, or the first of an empty repository.
    pub async fn begin_commit(&self, parent: Option<Oid>, info: &CommitInfo) -> Result<Commit<'_>, GitError> {
        self.prepare().await?;
        self.begin_change()?;
        let repository = self.repository();
        let call = Call::local(Some(&repository), ["fast-import", "--quiet", "--force", "--done"]);
        let mut commit = Commit {
            cache: self,
            running: self.git.start(&call, true).await?,
            parent,
            deadline: Instant::now() + self.git.limits.transfer,
        };
        let message = info.message.replace('\0', "");
        let mut head = String::from("commit refs/bindery/written\nmark :1\n");
        head.push_str(&format!("author {}\n", person(&info.author)));
        head.push_str(&format!("committer {}\n", person(&info.committer)));
        head.push_str(&format!("data {}\n{message}\n", message.len()));
        if let Some(parent) = parent {
            head.push_str(&format!("from {parent}\n"));
        }
        commit.write(head.as_bytes()).await?;
        Ok(commit)
    }
}

impl Commit<'_> {
    /// Writes a file. Changes apply one after the other: what is in the way is deleted before.
    pub async fn put(&mut self, path: &str, mode: Mode, bytes: &[u8]) -> Result<(), GitError> {
        let head = format!("M {} inline {}\ndata {}\n", mode.as_str(), quoted(path)?, bytes.len());
        self.write(head.as_bytes()).await?;
        self.write(bytes).await?;
        self.write(b"\n").await
    }

    /// Writes a file whose bytes are in the cache.
    pub async fn put_oid(&mut self, path: &str, mode: Mode, oid: Oid) -> Result<(), GitError> {
        let line = format!("M {} {oid} {}\n", mode.as_str(), quoted(path)?);
        self.write(line.as_bytes()).await
    }

    /// Moves a file or a directory, whose bytes need not be in the cache.
    pub async fn rename(&mut self, from: &str, to: &str) -> Result<(), GitError> {
        let line = format!("R {} {}\n", quoted(from)?, quoted(to)?);
        self.write(line.as_bytes()).await
    }

    /// Deletes a file or a directory, if it is there.
    pub async fn delete(&mut self, path: &str) -> Result<(), GitError> {
        let line = format!("D {}\n", quoted(path)?);
        self.write(line.as_bytes()).await
    }

    /// Ends the commit, and returns it. `None`: its files are those of its parent.
    pub async fn finish(mut self) -> Result<Option<Oid>, GitError> {
        self.write(b"\nget-mark :1\ndone\n").await?;
        let (cache, deadline, parent) = (self.cache, self.deadline, self.parent);
        let work = async {
            let mut output = String::new();
            (&mut self.running.stdout)
                .take(MAX_STDOUT as u64)
                .read_to_string(&mut output)
                .await?;
            let ended = self.running.end().await?;
            match ended.is_success {
                true => output.trim().parse::<Oid>(),
                false => Err(GitError::of_stderr(&ended.stderr)),
            }
        };
        let commit = timeout_at(deadline, work).await.unwrap_or(Err(GitError::TooSlow))?;
        cache.end_change()?;
        let before = match parent {
            Some(parent) => cache.tree_of(parent).await?,
            None => EMPTY_TREE.to_owned(),
        };
        Ok((cache.tree_of(commit).await? != before).then_some(commit))
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), GitError> {
        let stdin = self.running.stdin.as_mut().ok_or(GitError::NotInCache)?;
        match timeout_at(self.deadline, stdin.write_all(bytes)).await {
            Ok(Ok(())) => Ok(()),
            // It has ended, and says why.
            Ok(Err(_)) => Err(self.running.failure().await),
            Err(_) => Err(GitError::TooSlow),
        }
    }
}

impl Cache {
    async fn tree_of(&self, commit: Oid) -> Result<String, GitError> {
        let tree = format!("{commit}^{{tree}}");
        let output = self
            .read(["rev-parse", "--verify", "--quiet", "--end-of-options", &tree])
            .await?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }
}

/// `name <email> time +0000`.
fn person(signature: &Signature) -> String {
    let is_special = |character: char| character.is_control() || "<>".contains(character);
    let clean = |text: &str| text.replace(is_special, " ").trim().to_owned();
    let (name, email) = (clean(&signature.name), clean(&signature.email).replace(' ', ""));
    format!("{name} <{email}> {} +0000", signature.time.max(0))
}

/// A path in the quotes of fast-import.
fn quoted(path: &str) -> Result<String, GitError> {
    check_path(path)?;
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    Ok(format!("\"{escaped}\""))
}
