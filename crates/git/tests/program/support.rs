//! What the tests share.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    process::Command,
};

use git::{Cache, CommitInfo, Git, Limits, Oid, Protocols, RefName, Remote, RemoteAddress, Signature, TreeLimits};
use tempfile::TempDir;

pub const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
pub const ALL: Protocols = Protocols { http: true, file: true };
pub const NO_LIMITS: TreeLimits = TreeLimits {
    entries: 1000,
    bytes: u64::MAX,
};

pub fn launcher() -> PathBuf {
    env!("CARGO_BIN_EXE_run-git").into()
}

pub fn program(limits: Limits) -> Git {
    Git::new(launcher(), ALL, limits)
}

/// Runs git as a user would, in a directory.
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let fixed = [
        "-c",
        "user.name=Ann",
        "-c",
        "user.email=ann@example.com",
        "-c",
        "init.defaultBranch=main",
    ];
    let output = Command::new("git")
        .current_dir(directory)
        .args(fixed)
        .args(arguments)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository that others push to, a work tree of somebody who does, and a place for the cache.
pub struct Origin {
    pub root: TempDir,
}

impl Origin {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        git(root.path(), &["init", "--quiet", "--bare", "origin.git"]);
        git(root.path(), &["init", "--quiet", "work"]);
        let origin = Self { root };
        git(&origin.repository(), &["config", "uploadpack.allowFilter", "true"]);
        git(&origin.repository(), &["config", "http.receivepack", "true"]);
        origin
    }

    /// With one commit.
    pub fn with(files: &[(&str, &[u8])]) -> (Self, Oid) {
        let origin = Self::new();
        let commit = origin.commit(files);
        (origin, commit)
    }

    pub fn repository(&self) -> PathBuf {
        self.root.path().join("origin.git")
    }

    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// Writes files, commits all of the work tree, and pushes.
    pub fn commit(&self, files: &[(&str, &[u8])]) -> Oid {
        for (path, bytes) in files {
            let path = self.work().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        git(&self.work(), &["add", "--all"]);
        git(&self.work(), &["commit", "--quiet", "--allow-empty", "-m", "change"]);
        git(
            &self.work(),
            &["push", "--quiet", "--force", "../origin.git", "HEAD:refs/heads/main"],
        );
        git(&self.work(), &["rev-parse", "HEAD"]).parse().unwrap()
    }

    pub fn remote(&self) -> Remote {
        remote(self.repository().to_str().unwrap())
    }

    pub async fn cache(&self) -> Cache {
        self.cache_with(Limits::default()).await
    }

    pub async fn cache_with(&self, limits: Limits) -> Cache {
        Cache::open(program(limits), self.root.path().join("cache"))
            .await
            .unwrap()
    }
}

/// A remote at an address, whose host is this machine.
pub fn remote(address: &str) -> Remote {
    let (address, credentials) = RemoteAddress::parse(address, ALL).unwrap();
    Remote {
        address,
        credentials,
        pinned: vec![LOOPBACK],
        known_hosts: None,
    }
}

pub fn main_branch() -> RefName {
    RefName::branch("main").unwrap()
}

pub fn info() -> CommitInfo {
    let person = |name: &str| Signature {
        name: name.to_owned(),
        email: "ann@example.com".to_owned(),
        time: 1_700_000_000,
    };
    CommitInfo {
        author: person("Änn <x>\n"),
        committer: person("Bindery"),
        message: "First line\n\nChange-Request: 1\n".to_owned(),
    }
}

/// An executable that stands for git.
pub fn script(directory: &Path, body: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = directory.join("script");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}
