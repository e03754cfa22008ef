//! Repositories on disk, and spaces that are synchronized with them.

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use bindery::{
    app::App,
    areas::{
        content::search_jobs::IndexPages,
        exchange::git::{automatic::PollGitBranches, job::RunGitOperation},
    },
};
use entity::ids::NodeId;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use super::{
    import::{directory, put},
    world::World,
};

/// Longer than any operation of a test takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A bare repository, and a clone of it in which people write.
pub struct Repository {
    bare: TempDir,
    pub clone: TempDir,
}

impl Repository {
    /// With one commit of these files on the branch `main`.
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self::of_directory(directory(files))
    }

    pub fn of_directory(clone: TempDir) -> Self {
        let bare = tempfile::tempdir().unwrap();
        git(bare.path(), &["init", "--quiet", "--bare", "--initial-branch=main"]);
        git(clone.path(), &["init", "--quiet", "--initial-branch=main"]);
        git(
            clone.path(),
            &["remote", "add", "origin", bare.path().to_str().unwrap()],
        );
        let repository = Self { bare, clone };
        repository.commit("Begin");
        repository
    }

    /// Without any commit.
    pub fn empty() -> Self {
        let bare = tempfile::tempdir().unwrap();
        git(bare.path(), &["init", "--quiet", "--bare", "--initial-branch=main"]);
        let clone = tempfile::tempdir().unwrap();
        git(clone.path(), &["init", "--quiet", "--initial-branch=main"]);
        git(
            clone.path(),
            &["remote", "add", "origin", bare.path().to_str().unwrap()],
        );
        Self { bare, clone }
    }

    pub fn url(&self) -> String {
        format!("file://{}", self.bare.path().display())
    }

    pub fn write(&self, path: &str, text: &str) {
        put(&self.clone, path, text.as_bytes());
    }

    pub fn read(&self, path: &str) -> String {
        let file = self.clone.path().join(path);
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(self.clone.path(), arguments)
    }

    /// Runs git in the bare repository.
    pub fn at_host(&self, arguments: &[&str]) -> String {
        git(self.bare.path(), arguments)
    }

    /// Commits and pushes what was written.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["push", "--quiet", "--set-upstream", "origin", "main"]);
    }

    pub fn pull(&self) {
        self.git(&["pull", "--quiet", "--rebase", "origin", "main"]);
    }

    /// Nobody finds the repository until [`Self::show`].
    pub fn hide(&self) {
        fs::rename(self.bare.path().join("HEAD"), self.bare.path().join("AWAY")).unwrap();
    }

    pub fn show(&self) {
        fs::rename(self.bare.path().join("AWAY"), self.bare.path().join("HEAD")).unwrap();
    }

    /// The newest commit of the branch.
    pub fn tip(&self) -> String {
        self.at_host(&["rev-parse", "main"])
    }

    /// The files that the newest commit changed.
    pub fn changed(&self) -> Vec<String> {
        let names = self.at_host(&["diff-tree", "-r", "-M", "--no-commit-id", "--name-status", "main"]);
        names.lines().map(|line| line.replace('\t', " ")).collect()
    }

    pub fn diff(&self) -> String {
        self.at_host(&["show", "--format=", "--unified=0", "main"])
    }
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(directory)
        .args([
            "-c",
            "user.name=Wren",
            "-c",
            "user.email=wren@example.com",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {message}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Asks for an import of the branch `main`, with further members, and runs it.
pub async fn import(world: &World, space: NodeId, repository: &Repository, more: Value) -> Value {
    operation(world, space, "importGitRepository", repository, more).await
}

/// The same for an export.
pub async fn export(world: &World, space: NodeId, repository: &Repository, mut more: Value) -> Value {
    if more.get("commitMessage").is_none() {
        more["commitMessage"] = json!("Write the pages");
    }
    operation(world, space, "exportToGitRepository", repository, more).await
}

async fn operation(world: &World, space: NodeId, operation: &str, repository: &Repository, more: Value) -> Value {
    let mut body = json!({ "url": repository.url(), "ref": "refs/heads/main" });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let call = world.admin.client.call(operation).space(space);
    call.json(body).expect(204).await;
    run_operations(world).await;
    last_operation(world, space).await
}

pub async fn last_operation(world: &World, space: NodeId) -> Value {
    let call = world.admin.client.call("getSpaceGitInfo").space(space);
    call.expect(200).await["operation"].clone()
}

/// Runs what is due, and looks at the branches that are due.
pub async fn follow(world: &World) {
    run(
        world.app(),
        Kinds::default().with_periodic(PollGitBranches(Arc::clone(&world.app().exchange))),
    )
    .await;
}

pub async fn run_operations(world: &World) {
    run_operations_on(world.app()).await;
}

/// Runs what is due on one of several nodes.
pub async fn run_operations_on(node: &App) {
    run(node, Kinds::default()).await;
}

async fn run(node: &App, kinds: Kinds) {
    let kinds = kinds
        .with(RunGitOperation(Arc::clone(&node.exchange)))
        .with(IndexPages(Arc::clone(&node.contents)));
    let mut runner = Runner::new(node.kernel.jobs.clone(), kinds);
    timeout(PATIENCE, runner.run_due()).await.unwrap().unwrap();
}

/// Fails unless an operation was carried out.
pub fn succeeded(operation: &Value) {
    assert_eq!(operation["state"], "success", "{operation}");
}

pub fn problem(operation: &Value) -> &str {
    assert_eq!(operation["state"], "failure", "{operation}");
    operation["error"].as_str().unwrap()
}
