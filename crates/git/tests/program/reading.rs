//! Files, blobs, differences and ancestors in the cache.

use std::{fs, os::unix::ffi::OsStrExt, time::Duration};

use git::{Ancestry, ChangeKind, GitError, Mode, Oid, RefName, TreeLimits, hash_object, is_lfs_pointer};

use crate::support::{NO_LIMITS, Origin, git, main_branch, script};

#[tokio::test]
async fn files_are_listed_before_they_are_read() {
    let large = vec![b'x'; 21 * 1024 * 1024];
    let (origin, _) = Origin::with(&[
        ("README.md", b"# Home\n"),
        ("docs/large.bin", &large),
        ("docs/\u{e4} b\n.md", b""),
    ]);
    std::os::unix::fs::symlink("README.md", origin.work().join("link")).unwrap();
    fs::write(origin.work().join(std::ffi::OsStr::from_bytes(b"bad\xff.md")), "x").unwrap();
    git(
        &origin.work(),
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            "160000,4b825dc642cb6eb9a060e54bf8d69288fbee4904,module",
        ],
    );
    fs::create_dir(origin.work().join("module")).unwrap();
    script(&origin.work(), "");
    fs::rename(origin.work().join("script"), origin.work().join("run.sh")).unwrap();
    let commit = origin.commit(&[]);
    let cache = origin.cache().await;
    assert_eq!(cache.fetch(&mut origin.remote(), &main_branch()).await.unwrap(), commit);

    let entries = cache.list(commit, "", NO_LIMITS).await.unwrap();
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.path.clone(), entry.mode, entry.size))
        .collect();
    assert_eq!(
        found,
        [
            (Ok("README.md".to_owned()), Mode::Regular, Some(7)),
            (Err("bad\u{fffd}.md".to_owned()), Mode::Regular, Some(1)),
            // Too large to be fetched.
            (Ok("docs/large.bin".to_owned()), Mode::Regular, None),
            (Ok("docs/\u{e4} b\n.md".to_owned()), Mode::Regular, Some(0)),
            (Ok("link".to_owned()), Mode::Symlink, Some(9)),
            (Ok("module".to_owned()), Mode::Submodule, None),
            (Ok("run.sh".to_owned()), Mode::Executable, Some(11)),
        ]
    );
    let below = cache.list(commit, "docs", NO_LIMITS).await.unwrap();
    assert_eq!(below[0].path.as_deref(), Ok("large.bin"));
    let missing = cache.list(commit, "none", NO_LIMITS).await;
    assert!(matches!(missing, Err(GitError::NoDirectory)), "{missing:?}");
    let unknown = cache.list(Oid([7; 20]), "docs", NO_LIMITS).await;
    assert!(matches!(unknown, Err(GitError::NotInCache)), "{unknown:?}");
    let escaped = cache.list(commit, "../docs", NO_LIMITS).await;
    assert!(matches!(escaped, Err(GitError::Path(_))), "{escaped:?}");
    let few = cache
        .list(
            commit,
            "",
            TreeLimits {
                entries: 3,
                ..NO_LIMITS
            },
        )
        .await;
    assert!(matches!(few, Err(GitError::TooManyFiles(3))), "{few:?}");
    let small = cache.list(commit, "", TreeLimits { bytes: 10, ..NO_LIMITS }).await;
    assert!(matches!(small, Err(GitError::TooLarge)), "{small:?}");

    let mut blobs = cache.blobs().await.unwrap();
    let [home, bad, large, empty, ..] = entries.as_slice() else {
        panic!("{entries:?}");
    };
    assert_eq!(blobs.read(home.oid, 7).await.unwrap().unwrap(), b"# Home\n");
    assert_eq!(blobs.read(home.oid, 6).await.unwrap(), None);
    assert_eq!(blobs.read(large.oid, u64::MAX).await.unwrap(), None);
    assert_eq!(blobs.read(bad.oid, 9).await.unwrap().unwrap(), b"x");
    assert_eq!(blobs.read(empty.oid, 9).await.unwrap().unwrap(), b"");
    // On a thread that may block.
    let (oid, runtime) = (home.oid, tokio::runtime::Handle::current());
    let read = tokio::task::spawn_blocking(move || runtime.block_on(blobs.read(oid, 7)))
        .await
        .unwrap();
    assert_eq!(hash_object(&read.unwrap().unwrap()), home.oid);
}

#[tokio::test]
async fn the_cache_may_vanish_and_be_damaged() {
    let (origin, commit) = Origin::with(&[("a.md", b"a")]);
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    let root = origin.root.path().join("cache");
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    fs::remove_dir_all(&root).unwrap();
    let listed = cache.list(commit, "", NO_LIMITS).await;
    assert!(matches!(listed, Err(GitError::NotInCache)), "{listed:?}");
    let blob = cache.blobs().await.unwrap().read(commit, 9).await;
    assert!(matches!(blob, Err(GitError::NotInCache)), "{blob:?}");
    assert!(!cache.contains(commit).await.unwrap());
    assert_eq!(cache.fetch(&mut remote, &main_branch()).await.unwrap(), commit);
    assert!(cache.contains(commit).await.unwrap());
    // A server that was killed while it fetched leaves this, and locks of git.
    drop(cache);
    fs::write(root.join("changing"), "").unwrap();
    fs::create_dir(root.join("ssh")).unwrap();
    fs::write(root.join("repository/shallow.lock"), "").unwrap();
    let cache = origin.cache().await;
    assert!(!cache.contains(commit).await.unwrap() && !root.join("ssh").exists());
    assert_eq!(cache.fetch(&mut remote, &main_branch()).await.unwrap(), commit);
    assert!(!root.join("changing").exists());
}

#[tokio::test]
async fn heads_of_requests_and_tags_are_fetched() {
    let (origin, commit) = Origin::with(&[("a.md", b"a")]);
    git(
        &origin.repository(),
        &["update-ref", "refs/pull/3/head", &commit.to_string()],
    );
    git(
        &origin.repository(),
        &["tag", "-a", "-m", "x", "v1", &commit.to_string()],
    );
    let cache = origin.cache().await;
    for name in ["refs/pull/3/head", "refs/tags/v1"] {
        let name = RefName::parse(name).unwrap();
        assert_eq!(
            cache.fetch(&mut origin.remote(), &name).await.unwrap(),
            commit,
            "{name}"
        );
    }
}

#[tokio::test]
async fn changes_know_renames() {
    let text = "line\n".repeat(50);
    let large = vec![b'x'; 21 * 1024 * 1024];
    let files: [(&str, &[u8]); 4] = [
        ("a.md", text.as_bytes()),
        ("b.md", b"b"),
        ("c.md", b"c"),
        ("d.md", b"same\n"),
    ];
    let (origin, old) = Origin::with(&files);
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    for (from, to) in [("a.md", "A/a.md"), ("d.md", "d2.md")] {
        fs::create_dir_all(origin.work().join("A")).unwrap();
        fs::rename(origin.work().join(from), origin.work().join(to)).unwrap();
    }
    fs::remove_file(origin.work().join("b.md")).unwrap();
    let changed = format!("{text}more\n");
    let new = origin.commit(&[("A/a.md", changed.as_bytes()), ("c.md", b"C"), ("e.md", b"e e e")]);
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    let renamed = |from: &str| ChangeKind::Renamed {
        from: Ok(from.to_owned()),
    };
    let kinds = |changes: Vec<git::Change>| -> Vec<_> {
        changes
            .into_iter()
            .map(|change| (change.path.unwrap(), change.kind))
            .collect()
    };
    let found = kinds(cache.changes(old, new, 100).await.unwrap());
    let expected = [
        ("A/a.md".to_owned(), renamed("a.md")),
        ("b.md".to_owned(), ChangeKind::Deleted),
        ("c.md".to_owned(), ChangeKind::Modified),
        ("d2.md".to_owned(), renamed("d.md")),
        ("e.md".to_owned(), ChangeKind::Added),
    ];
    assert_eq!(found, expected);
    assert!(matches!(
        cache.changes(old, new, 4).await,
        Err(GitError::TooManyFiles(4))
    ));

    // A file that was not fetched cannot be compared; equal files are still found.
    fs::rename(origin.work().join("d2.md"), origin.work().join("d3.md")).unwrap();
    fs::remove_file(origin.work().join("e.md")).unwrap();
    let newest = origin.commit(&[("large.bin", &large)]);
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    let found = kinds(cache.changes(new, newest, 100).await.unwrap());
    assert!(found.contains(&("d3.md".to_owned(), renamed("d2.md"))), "{found:?}");
    let unknown = cache.changes(Oid([7; 20]), newest, 100).await;
    assert!(matches!(unknown, Err(GitError::NotInCache)), "{unknown:?}");
    git(
        &origin.repository(),
        &["config", "uploadpack.allowAnySHA1InWant", "true"],
    );
    cache.fetch_commit(&mut remote, old).await.unwrap();
}

#[tokio::test]
async fn rewritten_branches_are_known() {
    let (origin, first) = Origin::with(&[("a.md", b"a")]);
    let (cache, mut remote) = (origin.cache().await, origin.remote());
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    for number in 0..70_u8 {
        git(
            &origin.work(),
            &["commit", "--quiet", "--allow-empty", "-m", &number.to_string()],
        );
    }
    let new = origin.commit(&[("b.md", b"b")]);
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    assert_eq!(
        cache.is_ancestor(&mut remote, first, new).await.unwrap(),
        Ancestry::Ancestor
    );
    assert_eq!(
        cache.is_ancestor(&mut remote, new, new).await.unwrap(),
        Ancestry::Ancestor
    );
    git(&origin.work(), &["checkout", "--quiet", "--orphan", "other"]);
    let rewritten = origin.commit(&[("c.md", b"c")]);
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    assert_eq!(
        cache.is_ancestor(&mut remote, new, rewritten).await.unwrap(),
        Ancestry::NotAncestor
    );
    // Also for a cache that is empty.
    drop(cache);
    fs::remove_dir_all(origin.root.path().join("cache")).unwrap();
    git(&origin.work(), &["checkout", "--quiet", &new.to_string()]);
    let newest = origin.commit(&[("d.md", b"d")]);
    let cache = origin.cache().await;
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    assert_eq!(
        cache.is_ancestor(&mut remote, first, newest).await.unwrap(),
        Ancestry::Ancestor
    );
}

#[test]
fn pointers_of_lfs_are_recognized() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    assert!(is_lfs_pointer(pointer));
    assert!(!is_lfs_pointer(b"# version https://git-lfs.github.com/spec/v1\n"));
    let long = [pointer.as_slice(), &[b'x'; 2000]].concat();
    assert!(!is_lfs_pointer(&long));
    assert!(git::Limits::default().query < Duration::from_secs(120));
}
