//! The status of a commit at the host of the repository, which leads to the revision with its content.

use std::time::Duration;

use entity::{exchange::git_syncs::GitProvider, ids::RevisionId};
use git::Oid;
use platform::outbound::{FetchLimits, OnBehalf, OutgoingRequest, Oversize};
use poem::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use serde_json::json;
use url::{Url, form_urlencoded::byte_serialize};

use super::{request::Secret, sync::Sync};

const NAME: &str = "bindery";
const DESCRIPTION: &str = "The content can be read.";
/// The time for the host to answer.
const TIME: Duration = Duration::from_secs(10);

/// Tells the host that the content of a commit can be read. It may not take it: the token of an installation need not allow it.
pub async fn report(sync: &Sync<'_>, commit: Oid, revision: RevisionId) {
    let kernel = &sync.exchange.kernel;
    let page = kernel.urls.revision_page(sync.space(), revision);
    let Some(Secret::Password { password, .. }) = &sync.request.secret else {
        return;
    };
    let Some(request) = request(sync.row.provider, &sync.request.url, password, commit, &page) else {
        return;
    };
    let limits = FetchLimits {
        // Nothing of the response but its status counts.
        bytes: 0,
        oversize: Oversize::Cut,
        time: TIME,
        on_behalf: OnBehalf {
            tenant: *sync.node.organization_id.as_uuid(),
            user: None,
        },
    };
    match kernel.outbound.send(request, limits).await {
        Ok(answer) if answer.status.is_success() => {}
        Ok(answer) => tracing::info!(status = %answer.status, "the Git host did not take the status of a commit"),
        Err(error) => tracing::info!(%error, "the Git host did not take the status of a commit"),
    }
}

/// The request to a host: without a provider, the API is that of Gitea and Forgejo. `None`: the repository is not reached by HTTP.
pub fn request(
    provider: Option<GitProvider>,
    repository: &str,
    token: &str,
    commit: Oid,
    page: &str,
) -> Option<OutgoingRequest> {
    let address = Url::parse(repository)
        .ok()
        .filter(|url| url.scheme().starts_with("http"))?;
    let origin = address.origin().ascii_serialization();
    let path = address.path().trim_matches('/').trim_end_matches(".git");
    let (url, name, value) = match provider {
        Some(GitProvider::Github) => {
            let api = match address.host_str() {
                Some("github.com") => "https://api.github.com".to_owned(),
                _ => format!("{origin}/api/v3"),
            };
            let url = format!("{api}/repos/{path}/statuses/{commit}");
            (url, header::AUTHORIZATION, format!("Bearer {token}"))
        }
        Some(GitProvider::Gitlab) => {
            let project: String = byte_serialize(path.as_bytes()).collect();
            let url = format!("{origin}/api/v4/projects/{project}/statuses/{commit}");
            (url, HeaderName::from_static("private-token"), token.to_owned())
        }
        None => {
            let url = format!("{origin}/api/v1/repos/{path}/statuses/{commit}");
            (url, header::AUTHORIZATION, format!("token {token}"))
        }
    };
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    let mut headers = HeaderMap::new();
    headers.insert(name, value);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let body = json!({
        "state": "success", "target_url": page, "description": DESCRIPTION, "context": NAME, "name": NAME,
    });
    Some(OutgoingRequest {
        method: Method::POST,
        url,
        headers,
        body: body.to_string().into(),
    })
}
