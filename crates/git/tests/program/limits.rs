//! Limits of time, size and output.

use std::{path::Path, time::Duration};

use git::{Git, GitError, Limits};
use tokio::{io::AsyncReadExt, net::TcpListener, time::timeout};

use crate::support::{NO_LIMITS, Origin, git, info, main_branch, program, remote, script};

/// Bytes that cannot be compressed.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

/// A program in place of git.
fn stand_in(root: &Path, body: &str, limits: Limits) -> Git {
    program(limits).with_program(script(root, body))
}

/// Accepts one connection, and returns when its client has gone.
async fn until_closed(listener: TcpListener) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut bytes = Vec::new();
    // Reset is an end too.
    let _ = stream.read_to_end(&mut bytes).await;
}

/// The connection is that of a grandchild, which has to end too.
#[tokio::test]
async fn servers_that_never_answer_end_the_whole_group() {
    let origin = Origin::new();
    let limits = Limits {
        query: Duration::from_secs(1),
        ..Limits::default()
    };
    let cache = origin.cache_with(limits).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut remote = remote(&format!(
        "http://127.0.0.1:{}/a.git",
        listener.local_addr().unwrap().port()
    ));
    let branch = main_branch();
    let both = async { tokio::join!(cache.ls_remote(&mut remote, &branch), until_closed(listener)) };
    let (found, ()) = timeout(Duration::from_secs(20), both).await.unwrap();
    assert!(matches!(found, Err(GitError::TooSlow)), "{found:?}");
}

#[tokio::test]
async fn a_dropped_call_ends_the_whole_group() {
    let origin = Origin::new();
    let cache = origin.cache().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut remote = remote(&format!(
        "http://127.0.0.1:{}/a.git",
        listener.local_addr().unwrap().port()
    ));
    let branch = main_branch();
    let (stream, _) = tokio::select! {
        accepted = listener.accept() => accepted.unwrap(),
        found = cache.ls_remote(&mut remote, &branch) => panic!("{found:?}"),
    };
    let mut stream = stream;
    let closed = timeout(Duration::from_secs(20), stream.read_to_end(&mut Vec::new())).await;
    assert!(closed.is_ok());
}

#[tokio::test]
async fn large_repositories_are_refused_and_leave_nothing() {
    let (origin, _) = Origin::with(&[("a.bin", &noise(3_000_000))]);
    let limits = Limits {
        cache_bytes: 2_000_000,
        ..Limits::default()
    };
    let cache = origin.cache_with(limits.clone()).await;
    let fetched = cache.fetch(&mut origin.remote(), &main_branch()).await;
    assert!(matches!(fetched, Err(GitError::TooLarge)), "{fetched:?}");
    drop(cache);
    let cache = origin.cache_with(limits).await;
    let packs = origin.root.path().join("cache/repository/objects/pack");
    assert_eq!(packs.read_dir().unwrap().count(), 0);
    // What fits is fetched, again and again: the cache is emptied when it is half full.
    for number in 0..4_u8 {
        let mut bytes = noise(600_000);
        bytes[0] = number;
        let commit = origin.commit(&[("a.bin", &bytes), ("b.md", &[number])]);
        assert_eq!(cache.fetch(&mut origin.remote(), &main_branch()).await.unwrap(), commit);
        let used = git(&packs, &["count-objects", "-v"]);
        let used = used.lines().find_map(|line| line.strip_prefix("size-pack: ")).unwrap();
        assert!(used.parse::<u64>().unwrap() < 1_800, "{used}");
    }
}

#[tokio::test]
async fn processes_have_limits() {
    let root = tempfile::tempdir().unwrap();
    let limits = Limits {
        cpu: Duration::from_secs(77),
        cache_bytes: 4_096_000,
        memory: 512 * 1024 * 1024,
        ..Limits::default()
    };
    let shown = "test $(ulimit -t) = 77 && test $(ulimit -d) = 524288 && echo git version 3.$(ulimit -f).$(ulimit -c)";
    let version = stand_in(root.path(), shown, limits).version().await.unwrap();
    // Blocks of 512 bytes, which some shells count in pairs.
    assert!([2000, 4000].contains(&version.minor) && version.patch == 0, "{version}");
}

#[tokio::test]
async fn cpu_time_ends() {
    let root = tempfile::tempdir().unwrap();
    let limits = Limits {
        cpu: Duration::from_secs(1),
        ..Limits::default()
    };
    let found = stand_in(root.path(), "while :; do :; done", limits).version().await;
    assert!(matches!(found, Err(GitError::TooSlow)), "{found:?}");
}

#[tokio::test]
async fn output_is_bounded() {
    let root = tempfile::tempdir().unwrap();
    let loud = "head -c 30000000 /dev/zero | tr '\\0' 'x' >&2; exit 1";
    let error = stand_in(root.path(), loud, Limits::default())
        .version()
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("Git failed. Its message: xxx") && error.chars().count() < 500,
        "{error}"
    );
    let endless = stand_in(root.path(), "exec yes", Limits::default()).version().await;
    assert!(matches!(endless, Err(GitError::Failed(_))), "{endless:?}");
    let hostile = "printf 'fatal: a\\033[31m\\007\\342\\200\\256b\\n' >&2; exit 1";
    let error = stand_in(root.path(), hostile, Limits::default())
        .version()
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(error, "Git failed. Its message: fatal: a [31m b");
}

/// Jobs of the server move between threads.
#[tokio::test]
async fn calls_run_in_tasks() {
    let origin = Origin::new();
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    let task = tokio::spawn(async move {
        let mut commit = cache.begin_commit(None, &info()).await?;
        commit.put("a.md", ::git::Mode::Regular, b"a").await?;
        let commit = commit.finish().await?.ok_or(GitError::NotInCache)?;
        cache.push(&mut remote, &main_branch(), None, commit).await?;
        cache.fetch(&mut remote, &main_branch()).await?;
        cache.is_ancestor(&mut remote, commit, commit).await?;
        cache.changes(commit, commit, 9).await?;
        let entries = cache.list(commit, "", NO_LIMITS).await?;
        cache.blobs().await?.read(entries[0].oid, 9).await
    });
    assert_eq!(task.await.unwrap().unwrap().unwrap(), b"a");
}
