//! Answers with the structure of a site, and with the whole of its profile. They are made from many rows, none of which tells by itself that
//! the answer has changed, so the entity tag is the hash of the JSON. Visitors with the same claims see the same, so one of them
//! reads for all.

use bytes::Bytes;
use entity::ids::{ShareLinkId, SiteId, UserId};
use openapi::{
    answer::{Conditional, Tagged},
    conditional::EntityTag,
    error::ApiError,
};
use platform::hash::Hash;
use serde::Serialize;

use crate::{
    areas::publishing::{
        Publishing,
        guard::{ReadableSiteAccess, Reader},
        visits::Visit,
    },
    kernel::{Kernel, recent::Recent},
};

/// Memory of all answers.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// Memory of an entry beside its texts.
const OVERHEAD: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum SitePart {
    Profile,
    Structure,
}

/// All of a visit on which an answer depends.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    part: SitePart,
    site: SiteId,
    /// Addresses have its key.
    share_link: Option<ShareLinkId>,
    preview_of: Option<UserId>,
    with_drafts: bool,
    /// As JSON.
    claims: Box<str>,
}

#[derive(Clone)]
struct Answer {
    tag: EntityTag,
    json: Bytes,
}

/// The answers that visitors were given a moment ago. A write of another process is seen after twice the time for which a site
/// counts as open, because an answer may be made from a site of that age.
pub struct SiteAnswers(Recent<Key, Answer>);

impl SiteAnswers {
    /// Answers with a part of a site, or with 304 if the caller has kept it. `load` is called unless the answer is there already.
    pub async fn answer<T: Serialize>(
        publishing: &Publishing,
        access: &ReadableSiteAccess,
        part: SitePart,
        if_none_match: Option<&str>,
        load: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<Conditional<T>, ApiError> {
        let Answer { tag, json } = match &access.reader {
            Reader::Member(_) => Answer::new(&load.await?)?,
            Reader::Visitor(visit) => {
                publishing
                    .site_answers
                    .of_visit(&publishing.kernel, part, &visit.visit, load)
                    .await?
            }
        };
        Ok(match tag.is_kept(if_none_match) {
            true => Conditional::NotModified(tag),
            false => Conditional::Written(Tagged { tag, body: json.into() }),
        })
    }

    async fn of_visit<T: Serialize>(
        &self,
        kernel: &Kernel,
        part: SitePart,
        visit: &Visit,
        load: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<Answer, ApiError> {
        let key = Key {
            part,
            site: visit.site,
            share_link: visit.share_link,
            preview_of: visit.preview_of,
            with_drafts: visit.with_drafts,
            claims: serde_json::to_string(&visit.claims)?.into(),
        };
        let load = async { Answer::new(&load.await?) };
        self.0.get(key, kernel.read_at(), load).await
    }
}

impl Default for SiteAnswers {
    fn default() -> Self {
        let weigh = |key: &Key, answer: &Answer| [key.claims.len(), answer.json.len(), OVERHEAD].iter().sum();
        Self(Recent::with_bytes(CACHE_BYTES, weigh))
    }
}

impl Answer {
    fn new(value: &impl Serialize) -> Result<Self, ApiError> {
        let json = serde_json::to_vec(value)?;
        Ok(Self {
            tag: EntityTag::new(Hash::of(&json)),
            json: json.into(),
        })
    }
}
