//! A cache of answers to reads. An answer follows from the database, the address, the token and the time, so it serves the same
//! request again until the next commit, and for a second at most.
//!
//! Only what is asked twice within about a second is kept: most requests are not asked again, and keeping their answers
//! would cost a third of a small read.

mod repetitions;

use std::{sync::Arc, time::Duration};

use ahash::RandomState;
use bytes::Bytes;
use chrono::TimeDelta;
use entity::{ids::UserId, timestamp::Timestamp};
use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use moka::sync::Cache;
use openapi::error::ApiError;
use platform::{db::DbState, request_context::RequestContext};
use poem::{
    Body, Request, Response,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    web::CompressionAlgo,
};
use poem_openapi::OperationId;

use self::repetitions::Repetitions;
use super::compression;

use crate::{access::tokens::TokenHash, app::App};

/// Operations whose responses contain a secret, which neither this cache nor one of a client may store.
pub const SECRET_ANSWERS: [&str; 10] = [
    "createSiteShareLink",
    "createUserToken",
    "getPublishedContentByUrl",
    "getSitePublishingAuthById",
    "getSitePublishingPreviewById",
    "listSiteShareLinks",
    "regenerateSitePublishingAuthById",
    "resolvePublishedContentByUrl",
    "updateSitePublishingAuthById",
    "updateSiteShareLinkById",
];

/// Memory of all answers.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// Longer answers are not kept, so that none of them takes the place of many others.
const MAX_BYTES: u64 = 128 * 1024;

/// Approximate memory of an answer beside its body and its request.
const OVERHEAD: usize = 1024;

/// The time for which an answer is kept, and by which an expiry that it shows may be late.
const LIFETIME: TimeDelta = TimeDelta::seconds(1);

pub struct KeptAnswers {
    app: App,
    repetitions: Repetitions,
    answers: Cache<Key, Arc<KeptAnswer>, RandomState>,
}

/// All of a request on which its answer depends.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    token: TokenHash,
    address: String,
    if_none_match: Option<HeaderValue>,
    coding: Option<CompressionAlgo>,
}

struct KeptAnswer {
    state: DbState,
    at: Timestamp,
    operation: &'static str,
    caller: Option<UserId>,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// A read whose answer may be kept, and when it was asked.
pub struct Asked {
    key: Key,
    state: DbState,
    at: Timestamp,
}

impl KeptAnswers {
    pub fn new(app: App) -> Self {
        let weigh = |key: &Key, answer: &Arc<KeptAnswer>| {
            let tag = key.if_none_match.as_ref().map_or(0, HeaderValue::len);
            let bytes = [key.address.len(), tag, answer.body.len(), OVERHEAD];
            u32::try_from(bytes.iter().sum::<usize>()).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES);
        let lifetime = Duration::from_secs(LIFETIME.num_seconds().unsigned_abs());
        Self {
            app,
            repetitions: Repetitions::default(),
            answers: cache.time_to_live(lifetime).build_with_hasher(RandomState::new()),
        }
    }

    /// `None`: the answer to this request is not kept, because it never is or because the request is the first one for
    /// some time, or who sends it has to be looked up first.
    pub fn asked(&self, request: &Request, coding: Option<CompressionAlgo>) -> Option<Asked> {
        let headers = request.headers();
        if request.method() != Method::GET || headers.contains_key(header::RANGE) || has_body(headers) {
            return None;
        }
        let token = self.app.access.known_token(request)?;
        let address = request.uri().path_and_query()?.as_str();
        let if_none_match = headers.get(header::IF_NONE_MATCH);
        let at = self.app.kernel.clock.now();
        // The key is made for what is repeated only.
        if !self.repetitions.note(&(token, address, if_none_match, coding), at) {
            return None;
        }
        Some(Asked {
            key: Key {
                token,
                address: address.to_owned(),
                if_none_match: if_none_match.cloned(),
                coding,
            },
            at,
            state: self.app.kernel.db.state()?,
        })
    }

    /// The answer that was given to the same request a moment ago.
    pub fn find(&self, asked: &Asked, context: Option<&RequestContext>) -> Option<Response> {
        let kept = self.answers.get(&asked.key)?;
        let is_present = kept.state == asked.state && kept.at.is_recent(asked.at, LIFETIME);
        if !is_present {
            return None;
        }
        if let Some(context) = context {
            context.set_operation(kept.operation);
            kept.caller.inspect(|caller| context.set_caller(*caller));
        }
        let mut response = Response::builder().status(kept.status).body(kept.body.clone());
        *response.headers_mut() = kept.headers.clone();
        response.set_data(OperationId(kept.operation));
        Some(response)
    }

    /// Keeps an answer if it is short, and nothing was written while it was made. It is kept compressed: that costs more than
    /// all else of a long answer that is given again.
    pub async fn keep(&self, asked: Asked, context: Option<&RequestContext>, response: Response) -> Response {
        let operation = response.data::<OperationId>().map(|id| id.0);
        let Some(operation) = operation.filter(|id| is_kept(response.status()) && !SECRET_ANSWERS.contains(id)) else {
            return response;
        };
        let mut response = match asked.key.coding {
            Some(_) => compression::apply(response, asked.key.coding).await,
            None => response,
        };
        let body: BoxBody<_, _> = response.take_body().into();
        let body = match body.size_hint().exact().is_some_and(|length| length <= MAX_BYTES) {
            true => Body::from(body).into_bytes().await,
            false => {
                response.set_body(Body::from(body));
                return response;
            }
        };
        let body = match body {
            Ok(body) => body,
            Err(error) => return ApiError::internal(error).into_response(),
        };
        response.set_body(body.clone());
        if self.app.kernel.db.state() == Some(asked.state) {
            let answer = KeptAnswer {
                state: asked.state,
                at: asked.at,
                operation,
                caller: context.and_then(RequestContext::caller),
                status: response.status(),
                headers: response.headers().clone(),
                body,
            };
            self.answers.insert(asked.key, Arc::new(answer));
        }
        response
    }
}

fn is_kept(status: StatusCode) -> bool {
    matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED)
}

fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0")
}
