//! Addresses, credentials and remotes.

use git::{Cache, Credentials, Git, GitError, Limits, Protocols, PushOutcome, RefName, Rejection};
use hyper::StatusCode;
use secrecy::SecretString;
use tokio::net::TcpListener;

use crate::{
    server::{Rules, Server},
    support::{ALL, Origin, info, launcher, main_branch, program, remote},
};

async fn serve(origin: &Origin) -> Server {
    let root = origin.root.path().to_owned();
    Server::start(Rules {
        root,
        ..Rules::default()
    })
    .await
}

#[tokio::test]
async fn refs_are_asked_for_and_fetched_over_http() {
    let (origin, commit) = Origin::with(&[("README.md", b"# Home\n")]);
    let server = serve(&origin).await;
    let (cache, mut remote) = (origin.cache().await, remote(&server.url("git.example.com")));
    assert_eq!(
        cache.ls_remote(&mut remote, &main_branch()).await.unwrap(),
        Some(commit)
    );
    assert_eq!(
        cache
            .ls_remote(&mut remote, &RefName::branch("mai").unwrap())
            .await
            .unwrap(),
        None
    );
    assert_eq!(cache.default_branch(&mut remote).await.unwrap(), Some(main_branch()));
    assert_eq!(cache.fetch(&mut remote, &main_branch()).await.unwrap(), commit);
    let missing = cache.fetch(&mut remote, &RefName::branch("other").unwrap()).await;
    assert!(matches!(missing, Err(GitError::NoRef)), "{missing:?}");
}

/// The name `git.example.com` leads nowhere here, and `localhost` to the server: both are decided by the pins alone.
#[tokio::test]
async fn only_pinned_addresses_are_connected_to() {
    let (origin, commit) = Origin::with(&[("a.md", b"a")]);
    let server = serve(&origin).await;
    let cache = origin.cache().await;
    let mut pinned = remote(&server.url("git.example.com"));
    assert_eq!(
        cache.ls_remote(&mut pinned, &main_branch()).await.unwrap(),
        Some(commit)
    );
    let mut elsewhere = remote(&server.url("localhost"));
    elsewhere.pinned = vec!["127.0.0.2".parse().unwrap()];
    let count = server.requests().len();
    let found = cache.ls_remote(&mut elsewhere, &main_branch()).await;
    assert!(matches!(found, Err(GitError::Unreachable)), "{found:?}");
    let mut literal = remote(&server.url("127.0.0.1"));
    literal.pinned = vec!["127.0.0.2".parse().unwrap()];
    let found = cache.ls_remote(&mut literal, &main_branch()).await;
    assert!(matches!(found, Err(GitError::NotPinned)), "{found:?}");
    literal.pinned.clear();
    let found = cache.ls_remote(&mut literal, &main_branch()).await;
    assert!(matches!(found, Err(GitError::NotPinned)), "{found:?}");
    assert_eq!(server.requests().len(), count);
}

#[tokio::test]
async fn ssh_connects_to_the_pinned_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let origin = Origin::new();
    let (cache, mut remote) = (
        origin.cache().await,
        remote(&format!("ssh://git.example.com:{port}/a.git")),
    );
    remote.credentials = Some(Credentials::SshKey("key".into()));
    let (branch, key) = (main_branch(), origin.root.path().join("cache/ssh/key"));
    // The connection is closed at once.
    let accept = async { listener.accept().await.map(|_| key.exists()) };
    let (found, accepted) = tokio::join!(cache.ls_remote(&mut remote, &branch), accept);
    assert!(matches!(found, Err(GitError::Unreachable)), "{found:?}");
    assert!(accepted.unwrap());
    assert!(!key.exists());
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (origin, _) = Origin::with(&[("a.md", b"a")]);
    let server = serve(&origin).await;
    let (cache, mut remote) = (
        origin.cache().await,
        remote(&format!("http://127.0.0.1:{}/moved/origin.git", server.port)),
    );
    let found = cache.ls_remote(&mut remote, &main_branch()).await;
    assert!(matches!(found, Err(GitError::Redirected)), "{found:?}");
    assert_eq!(server.requests(), ["GET /moved/origin.git/info/refs"]);
}

#[tokio::test]
async fn protocols_are_allowed_one_by_one() {
    let (origin, _) = Origin::with(&[("a.md", b"a")]);
    let server = serve(&origin).await;
    let git = Git::new(launcher(), Protocols::default(), Limits::default());
    let cache = Cache::open(git, origin.root.path().join("cache")).await.unwrap();
    for mut remote in [origin.remote(), remote(&server.url("127.0.0.1"))] {
        let found = cache.fetch(&mut remote, &main_branch()).await;
        assert!(matches!(found, Err(GitError::Protocol)), "{found:?}");
    }
    assert_eq!(server.requests(), [""; 0]);
}

#[tokio::test]
async fn passwords_are_given_by_a_pipe_and_shown_nowhere() {
    let (origin, commit) = Origin::with(&[("a.md", b"a")]);
    let rules = Rules {
        root: origin.root.path().to_owned(),
        credentials: Some("ann:s3cret-w0rd".to_owned()),
        ..Rules::default()
    };
    let server = Server::start(rules).await;
    let cache = origin.cache().await;
    let mut known = remote(&server.url("ann:s3cret-w0rd@git.example.com"));
    assert!(!format!("{known:?}").contains("s3cret"), "{known:?}");
    assert_eq!(cache.fetch(&mut known, &main_branch()).await.unwrap(), commit);
    let mut writing = cache.begin_commit(Some(commit), &info()).await.unwrap();
    writing.put("b.md", git::Mode::Regular, b"b").await.unwrap();
    let written = writing.finish().await.unwrap().unwrap();
    let pushed = cache
        .push(&mut known, &main_branch(), Some(commit), written)
        .await
        .unwrap();
    assert_eq!(pushed, PushOutcome::Pushed);
    assert_eq!(server.seen.lock().unwrap().leaks, [""; 0]);
    let config = std::fs::read_to_string(origin.root.path().join("cache/repository/config")).unwrap();
    assert!(!config.contains("s3cret"), "{config}");

    let token = |token: &str| Some(Credentials::token(SecretString::from(token)));
    for credentials in [None, token("wrong"), token("")] {
        known.credentials = credentials;
        let found = cache.ls_remote(&mut known, &main_branch()).await;
        assert!(matches!(found, Err(GitError::Authentication)), "{found:?}");
    }
    known.credentials = token("two\nlines");
    let found = cache.ls_remote(&mut known, &main_branch()).await;
    assert!(matches!(found, Err(GitError::InvalidSecret)), "{found:?}");
    known.credentials = Some(Credentials::SshKey("key".into()));
    let found = cache.ls_remote(&mut known, &main_branch()).await;
    assert!(matches!(found, Err(GitError::CredentialsKind)), "{found:?}");
}

#[tokio::test]
async fn refused_pushes_say_why() {
    let (origin, commit) = Origin::with(&[("a.md", b"a")]);
    let rules = Rules {
        root: origin.root.path().to_owned(),
        credentials: Some("ann:s3cret-w0rd".to_owned()),
        push: Some((StatusCode::FORBIDDEN, "You sent s3cret-w0rd,\nand may only read.")),
    };
    let server = Server::start(rules).await;
    let (cache, mut remote) = (origin.cache().await, remote(&server.url("ann:s3cret-w0rd@127.0.0.1")));
    cache.fetch(&mut remote, &main_branch()).await.unwrap();
    let mut writing = cache.begin_commit(Some(commit), &info()).await.unwrap();
    writing.delete("a.md").await.unwrap();
    let written = writing.finish().await.unwrap().unwrap();
    let pushed = cache
        .push(&mut remote, &main_branch(), Some(commit), written)
        .await
        .unwrap();
    let message = "You sent ***, and may only read.".to_owned();
    assert_eq!(pushed, PushOutcome::Rejected(Rejection::Denied(message)));
}

#[tokio::test]
async fn messages_name_what_is_wrong_and_no_paths() {
    let (origin, _) = Origin::with(&[("a.md", b"a")]);
    let server = serve(&origin).await;
    let cache = origin.cache().await;
    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for (address, expected) in [
        (
            format!("http://127.0.0.1:{}/none.git", server.port),
            "There is no repository at this address",
        ),
        (format!("http://127.0.0.1:{closed}/none.git"), "could not be reached"),
        (
            format!("https://127.0.0.1:{}/origin.git", server.port),
            "could not be reached",
        ),
        (
            origin.root.path().join("none.git").to_str().unwrap().to_owned(),
            "There is no repository at this address",
        ),
    ] {
        let error = cache
            .ls_remote(&mut remote(&address), &main_branch())
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{address}: {error}");
    }
    let root = origin.root.path().to_str().unwrap();
    let broken = std::fs::write(origin.root.path().join("cache/repository/config"), "[").and(Ok(()));
    broken.unwrap();
    let error = cache
        .ls_remote(&mut remote(&server.url("127.0.0.1")), &main_branch())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("Git failed. Its message: fatal: bad config") && !error.contains(root),
        "{error}"
    );
}

#[tokio::test]
async fn one_task_works_in_a_cache_at_a_time() {
    let origin = Origin::new();
    let open = || Cache::open(program(Limits::default()), origin.root.path().join("cache"));
    let cache = open().await.unwrap();
    assert!(matches!(open().await, Err(GitError::Busy)));
    let blobs = cache.blobs().await.unwrap();
    drop(cache);
    assert!(matches!(open().await, Err(GitError::Busy)));
    drop(blobs);
    assert!(open().await.is_ok());
    assert_eq!(program(Limits::default()).protocols(), ALL);
}
