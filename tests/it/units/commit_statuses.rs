//! Requests for the status of a commit.

use bindery::areas::exchange::git::commit_status::request;
use entity::exchange::git_syncs::GitProvider;
use git::Oid;

const COMMIT: &str = "abababababababababababababababababababab";

#[test]
fn each_host_has_its_address_and_its_header() {
    let (github, gitlab) = (Some(GitProvider::Github), Some(GitProvider::Gitlab));
    let commit = Oid([0xab; 20]);
    for (provider, repository, api, header, value) in [
        (
            github,
            "https://github.com/tide/manual.git",
            "https://api.github.com/repos/tide/manual",
            "authorization",
            "Bearer secret",
        ),
        (
            github,
            "https://git.example/tide/manual",
            "https://git.example/api/v3/repos/tide/manual",
            "authorization",
            "Bearer secret",
        ),
        (
            gitlab,
            "https://gitlab.example:8443/tide/docs/manual.git",
            "https://gitlab.example:8443/api/v4/projects/tide%2Fdocs%2Fmanual",
            "private-token",
            "secret",
        ),
        (
            None,
            "http://gitea.example/tide/manual/",
            "http://gitea.example/api/v1/repos/tide/manual",
            "authorization",
            "token secret",
        ),
    ] {
        let request = request(provider, repository, "secret", commit, "https://bindery.example/x").unwrap();
        assert_eq!(request.url, format!("{api}/statuses/{COMMIT}"));
        assert_eq!(request.headers[header], value);
        assert!(request.headers[header].is_sensitive());
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(
            (&body["state"], &body["target_url"]),
            (&"success".into(), &"https://bindery.example/x".into())
        );
    }
    assert!(request(github, "ssh://git@github.com/tide/manual.git", "secret", commit, "x").is_none());
}
