//! Events of pull requests. The content of a pull request becomes a revision beside that of the space.

use poem::http::HeaderMap;
use serde::Deserialize;

/// The actions after which a pull request has new commits. GitHub says `synchronize`, Gitea `synchronized`, GitLab `open`, `reopen` and `update`.
const NEW_COMMITS: [&str; 7] = [
    "opened",
    "reopened",
    "synchronize",
    "synchronized",
    "open",
    "reopen",
    "update",
];

pub struct PullRequest {
    /// The reference with its commits.
    pub reference: String,
    /// The commits are of another repository: anybody may have written them.
    pub is_of_fork: bool,
}

/// GitHub and Gitea.
#[derive(Deserialize)]
struct PullRequestEvent {
    action: String,
    number: u64,
    pull_request: Ends,
}

#[derive(Deserialize)]
struct Ends {
    head: End,
    base: End,
}

#[derive(Deserialize)]
struct End {
    /// `None`: the repository was deleted.
    repo: Option<EndRepository>,
}

#[derive(Deserialize)]
struct EndRepository {
    id: u64,
}

/// GitLab.
#[derive(Deserialize)]
struct MergeRequestEvent {
    object_attributes: MergeRequest,
}

#[derive(Deserialize)]
struct MergeRequest {
    action: String,
    iid: u64,
    source_project_id: Option<u64>,
    target_project_id: u64,
}

/// Reads the body of a webhook. `None`: it says nothing of a pull request with new commits.
pub fn read(headers: &HeaderMap, body: &[u8]) -> Option<PullRequest> {
    let is = |header: &str, event: &str| headers.get(header).is_some_and(|value| value == event);
    let (action, reference, is_of_fork) = if is("x-gitlab-event", "Merge Request Hook") {
        let event: MergeRequestEvent = serde_json::from_slice(body).ok()?;
        let request = event.object_attributes;
        let is_of_fork = request.source_project_id != Some(request.target_project_id);
        (
            request.action,
            format!("refs/merge-requests/{}/head", request.iid),
            is_of_fork,
        )
    } else if is("x-github-event", "pull_request") || is("x-gitea-event", "pull_request") {
        let event: PullRequestEvent = serde_json::from_slice(body).ok()?;
        let id = |end: &End| end.repo.as_ref().map(|repository| repository.id);
        let (head, base) = (id(&event.pull_request.head), id(&event.pull_request.base));
        let is_of_fork = head.is_none() || head != base;
        (event.action, format!("refs/pull/{}/head", event.number), is_of_fork)
    } else {
        return None;
    };
    NEW_COMMITS
        .contains(&action.as_str())
        .then_some(PullRequest { reference, is_of_fork })
}
