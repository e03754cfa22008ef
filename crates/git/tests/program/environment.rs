//! What git takes from the server and the user: nothing.

use std::{fs, process::Command};

use git::{Git, GitError, Limits, MINIMUM};

use crate::support::{ALL, Origin, git, launcher, main_branch, program, remote, script};

#[tokio::test]
async fn the_version_is_checked() {
    assert!(program(Limits::default()).version().await.unwrap() >= MINIMUM);
    let missing = program(Limits::default())
        .with_program("/nonexistent/git".into())
        .version()
        .await
        .unwrap_err();
    assert!(matches!(missing, GitError::Missing), "{missing:?}");
    assert!(missing.to_string().contains("package `git`"), "{missing}");
    let root = tempfile::tempdir().unwrap();
    let old = script(root.path(), "echo git version 2.38.9");
    let old = program(Limits::default())
        .with_program(old)
        .version()
        .await
        .unwrap_err();
    assert_eq!(
        old.to_string(),
        "The program git of the server is too old: 2.38.9 instead of 2.39.0."
    );
    let none = Git::new("/nonexistent/launcher".into(), ALL, Limits::default())
        .version()
        .await;
    assert!(matches!(none, Err(GitError::Server(_))), "{none:?}");
}

/// Hostile variables, files of the user and hooks, in a process of its own.
#[test]
fn variables_configuration_and_hooks_of_others_have_no_effect() {
    let (origin, commit) = Origin::with(&[("a.md", b"a")]);
    let root = origin.root.path();
    let marker = root.join("ran");
    let run = script(root, &format!("touch {}", marker.display()));
    let config = format!(
        "[url \"file:///nonexistent/\"]\n insteadOf = file://\n[core]\n fsmonitor = {0}\n sshCommand = {0}\n hooksPath = {1}",
        run.display(),
        root.display()
    );
    fs::write(root.join(".gitconfig"), config).unwrap();
    fs::copy(&run, root.join("reference-transaction")).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture", "environment::fetches"])
        .env("ORIGIN", root)
        .env("HOME", root)
        .env("GIT_CONFIG_GLOBAL", root.join(".gitconfig"))
        .env("GIT_DIR", root.join("none"))
        .env("GIT_SSH_COMMAND", &run)
        .env("GIT_EXEC_PATH", root)
        .env("GIT_TRACE", root.join("trace"))
        .env("GIT_ALLOW_PROTOCOL", "none")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains(&format!("fetched {commit}")),
        "{text}"
    );
    assert!(!marker.exists() && !root.join("trace").exists());
}

#[tokio::test]
#[ignore = "needs the variables of the test above"]
async fn fetches() {
    let root = std::env::var_os("ORIGIN").unwrap();
    let cache = git::Cache::open(program(Limits::default()), std::path::Path::new(&root).join("cache"))
        .await
        .unwrap();
    // A hook that somebody put where git looks for hooks if nothing else is said.
    let hooks = std::path::Path::new(&root).join("cache/repository/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::copy(
        std::path::Path::new(&root).join("script"),
        hooks.join("reference-transaction"),
    )
    .unwrap();
    let mut remote = remote(std::path::Path::new(&root).join("origin.git").to_str().unwrap());
    let fetched = cache.fetch(&mut remote, &main_branch()).await.unwrap();
    println!("fetched {fetched}");
}

/// A program that prints what it is given, in place of git.
#[tokio::test]
async fn git_has_only_listed_variables() {
    let root = tempfile::tempdir().unwrap();
    let print = script(root.path(), "env >&2; exit 1");
    let error = program(Limits::default())
        .with_program(print)
        .version()
        .await
        .unwrap_err();
    drop(error);
    let list = script(root.path(), &format!("env > {}/env", root.path().display()));
    assert!(program(Limits::default()).with_program(list).version().await.is_err());
    let found = fs::read_to_string(root.path().join("env")).unwrap();
    for line in [
        "GIT_CONFIG_NOSYSTEM=1",
        "GIT_CONFIG_GLOBAL=/dev/null",
        "GIT_ALLOW_PROTOCOL=",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_NO_LAZY_FETCH=1",
        "HOME=/dev/null",
    ] {
        assert!(found.lines().any(|found| found == line), "{line}\n{found}");
    }
    let has = |name: &str, value: &str| {
        let key = found
            .lines()
            .find_map(|line| line.strip_suffix(&format!("={name}"))?.strip_prefix("GIT_CONFIG_KEY_"));
        found
            .lines()
            .any(|line| line == format!("GIT_CONFIG_VALUE_{}={value}", key.unwrap()))
    };
    for (name, value) in [
        ("core.hooksPath", "/dev/null"),
        ("core.fsmonitor", "false"),
        ("submodule.recurse", "false"),
        ("gc.auto", "0"),
        ("transfer.fsckObjects", "true"),
        ("transfer.bundleURI", "false"),
        ("http.followRedirects", "false"),
    ] {
        assert!(has(name, value), "{name}\n{found}");
    }
    let known = [
        "HOME",
        "LC_ALL",
        "TZ",
        "PATH",
        "PWD",
        "SHLVL",
        "_",
        "OLDPWD",
        "SSH_ASKPASS_REQUIRE",
        "MIMALLOC_ARENA_RESERVE",
    ];
    let others = found
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name);
    let others =
        others.filter(|name| !known.contains(name) && !name.starts_with("GIT_") && !name.starts_with("BINDERY_"));
    assert_eq!(others.collect::<Vec<_>>(), [""; 0]);
}

#[tokio::test]
async fn broken_objects_are_refused() {
    let (origin, _) = Origin::with(&[("a.md", b"a")]);
    let tree = git(&origin.work(), &["rev-parse", "HEAD^{tree}"]);
    let broken = origin.root.path().join("broken");
    fs::write(
        &broken,
        format!("tree {tree}\nauthor A <a@example.com> 0 +0000\ncommitter\n\nx\n"),
    )
    .unwrap();
    let words = [
        "hash-object",
        "-w",
        "-t",
        "commit",
        "--literally",
        broken.to_str().unwrap(),
    ];
    let commit = git(&origin.repository(), &words);
    fs::write(origin.repository().join("refs/heads/main"), format!("{commit}\n")).unwrap();
    let fetched = origin.cache().await.fetch(&mut origin.remote(), &main_branch()).await;
    assert!(matches!(fetched, Err(GitError::Corrupt(_))), "{fetched:?}");
}

#[test]
fn the_launcher_does_nothing_by_itself() {
    assert!(git::run_if_child().is_none());
    assert_eq!(Command::new(launcher()).status().unwrap().code(), Some(1));
}
