//! Commits and pushes.

use std::fs;

use git::{GitError, Mode, Oid, PushOutcome, RefName, Rejection, hash_object};

use crate::support::{NO_LIMITS, Origin, git, info, main_branch, script};

#[tokio::test]
async fn commits_are_written_on_top_of_a_shallow_tip() {
    let large = vec![b'x'; 21 * 1024 * 1024];
    let files: [(&str, &[u8]); 4] = [
        ("a.md", b"a"),
        ("docs/b.md", b"b"),
        ("large.bin", &large),
        ("run.sh", b"x"),
    ];
    let (origin, _) = Origin::with(&files);
    let tip = origin.commit(&[("a.md", b"a2")]);
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    let mut commit = cache.begin_commit(Some(tip), &info()).await.unwrap();
    commit
        .put("docs/\u{e4} \"q\" \\\n.md", Mode::Regular, b"data 3\nabc\n")
        .await
        .unwrap();
    commit.put("run.sh", Mode::Executable, b"y").await.unwrap();
    commit
        .put_oid("copy.md", Mode::Regular, hash_object(b"b"))
        .await
        .unwrap();
    // Never fetched.
    commit.rename("large.bin", "assets/large.bin").await.unwrap();
    commit.delete("a.md").await.unwrap();
    commit.delete("none.md").await.unwrap();
    let written = commit.finish().await.unwrap().unwrap();
    let pushed = cache
        .push(&mut remote, &main_branch(), Some(tip), written)
        .await
        .unwrap();
    assert_eq!(pushed, PushOutcome::Pushed);

    let repository = origin.repository();
    assert_eq!(git(&repository, &["rev-parse", "main"]), written.to_string());
    assert_eq!(git(&repository, &["rev-parse", "main^"]), tip.to_string());
    let listed = git(&repository, &["ls-tree", "-r", "-z", "main"]);
    let listed = listed.split_terminator('\0').map(|line| {
        let (head, path) = line.split_once('\t').unwrap();
        format!("{} {path}", &head[..6])
    });
    let expected = [
        "100644 assets/large.bin",
        "100644 copy.md",
        "100644 docs/b.md",
        "100644 docs/\u{e4} \"q\" \\\n.md",
        "100755 run.sh",
    ];
    assert_eq!(listed.collect::<Vec<_>>(), expected);
    assert_eq!(
        git(&repository, &["show", "main:docs/\u{e4} \"q\" \\\n.md"]),
        "data 3\nabc"
    );
    let person = git(&repository, &["log", "-1", "--format=%an %ae %at %cn|%B", "main"]);
    assert_eq!(
        person,
        "Änn  x ann@example.com 1700000000 Bindery|First line\n\nChange-Request: 1"
    );
    git(&repository, &["fsck", "--strict"]);

    // Equal files make no commit.
    let mut commit = cache.begin_commit(Some(written), &info()).await.unwrap();
    commit.put("run.sh", Mode::Executable, b"y").await.unwrap();
    assert_eq!(commit.finish().await.unwrap(), None);
}

#[tokio::test]
async fn empty_repositories_get_a_first_commit() {
    let origin = Origin::new();
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    assert_eq!(cache.ls_remote(&mut remote, &main_branch()).await.unwrap(), None);
    assert_eq!(
        cache.begin_commit(None, &info()).await.unwrap().finish().await.unwrap(),
        None
    );
    let mut commit = cache.begin_commit(None, &info()).await.unwrap();
    commit.put("README.md", Mode::Regular, b"# Home\n").await.unwrap();
    let first = commit.finish().await.unwrap().unwrap();
    assert_eq!(
        cache.push(&mut remote, &main_branch(), None, first).await.unwrap(),
        PushOutcome::Pushed
    );
    assert_eq!(cache.ls_remote(&mut remote, &main_branch()).await.unwrap(), Some(first));
    assert_eq!(cache.list(first, "", NO_LIMITS).await.unwrap().len(), 1);
    let tag = cache
        .push(&mut remote, &RefName::parse("refs/tags/v1").unwrap(), None, first)
        .await;
    assert!(matches!(tag, Err(GitError::Ref)), "{tag:?}");
}

#[tokio::test]
async fn nothing_unseen_is_overwritten() {
    let (origin, tip) = Origin::with(&[("a.md", b"a")]);
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    let mut commit = cache.begin_commit(Some(tip), &info()).await.unwrap();
    commit.put("a.md", Mode::Regular, b"ours").await.unwrap();
    let ours = commit.finish().await.unwrap().unwrap();
    let theirs = origin.commit(&[("a.md", b"theirs")]);
    for expected in [Some(tip), None, Some(Oid([7; 20]))] {
        let pushed = cache.push(&mut remote, &main_branch(), expected, ours).await.unwrap();
        assert_eq!(pushed, PushOutcome::Rejected(Rejection::Stale), "{expected:?}");
    }
    assert_eq!(
        cache.ls_remote(&mut remote, &main_branch()).await.unwrap(),
        Some(theirs)
    );
}

#[tokio::test]
async fn messages_of_hooks_are_shown() {
    let (origin, tip) = Origin::with(&[("a.md", b"a")]);
    let hooks = origin.repository().join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    let hook = script(&hooks, "printf 'GH006: \\033[1mProtected branch.\\n' >&2; exit 1");
    fs::rename(hook, hooks.join("pre-receive")).unwrap();
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    let mut commit = cache.begin_commit(Some(tip), &info()).await.unwrap();
    commit.delete("a.md").await.unwrap();
    let written = commit.finish().await.unwrap().unwrap();
    let pushed = cache
        .push(&mut remote, &main_branch(), Some(tip), written)
        .await
        .unwrap();
    let message = "pre-receive hook declined. GH006: [1mProtected branch.".to_owned();
    assert_eq!(pushed, PushOutcome::Rejected(Rejection::Denied(message)));
}

#[tokio::test]
async fn unsafe_paths_and_unknown_blobs_are_refused() {
    let origin = Origin::new();
    let cache = origin.cache().await;
    for path in [
        "",
        "/a",
        "a/",
        "a//b",
        "../a",
        "a/./b",
        ".git/config",
        "a/.GIT/x",
        "git~1",
        "a\0b",
    ] {
        let mut commit = cache.begin_commit(None, &info()).await.unwrap();
        let put = commit.put(path, Mode::Regular, b"x").await;
        assert!(matches!(put, Err(GitError::Path(_))), "{path:?}: {put:?}");
    }
    let mut commit = cache.begin_commit(None, &info()).await.unwrap();
    commit.put_oid("a.md", Mode::Regular, Oid([7; 20])).await.unwrap();
    let finished = commit.finish().await;
    assert!(matches!(finished, Err(GitError::NotInCache)), "{finished:?}");
    let unknown = cache
        .begin_commit(Some(Oid([7; 20])), &info())
        .await
        .unwrap()
        .finish()
        .await;
    assert!(matches!(unknown, Err(GitError::NotInCache)), "{unknown:?}");
}

/// Without a lease the first push would be fast-forward, and the second would make the branch again.
#[tokio::test]
async fn a_push_over_a_withdrawn_commit_is_refused() {
    let (origin, first) = Origin::with(&[("a.md", b"a")]);
    let tip = origin.commit(&[("a.md", b"a secret")]);
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    let mut commit = cache.begin_commit(Some(tip), &info()).await.unwrap();
    commit.put("b.md", Mode::Regular, b"b").await.unwrap();
    let ours = commit.finish().await.unwrap().unwrap();
    git(
        &origin.repository(),
        &["update-ref", "refs/heads/main", &first.to_string()],
    );
    let pushed = cache.push(&mut remote, &main_branch(), Some(tip), ours).await.unwrap();
    assert_eq!(pushed, PushOutcome::Rejected(Rejection::Stale));
    git(&origin.repository(), &["update-ref", "-d", "refs/heads/main"]);
    let pushed = cache.push(&mut remote, &main_branch(), Some(tip), ours).await.unwrap();
    assert_eq!(pushed, PushOutcome::Rejected(Rejection::Stale));
}
