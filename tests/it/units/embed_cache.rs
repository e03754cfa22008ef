//! Who waits for whom when pages are read for embeds.

use std::{
    future::{pending, ready},
    pin::pin,
    sync::Arc,
};

use bindery::areas::publishing::embed_cache::{CachedEmbed, EmbedCache};
use embeds::Embed;
use futures_util::FutureExt;
use platform::outbound::OnBehalf;
use url::Url;
use uuid::Uuid;

const ADDRESS: &str = "https://pages.example/a";

type Read = Result<CachedEmbed, ()>;

#[tokio::test]
async fn nobody_waits_in_the_queue_of_others() {
    let cache = EmbedCache::default();
    let [one, other] = [1, 2].map(|n| OnBehalf {
        tenant: Uuid::from_u128(n),
        user: None,
    });
    let read = || -> Read {
        Ok(CachedEmbed {
            embed: Arc::new(Embed::of_address(&Url::parse(ADDRESS).unwrap())),
            was_read: true,
        })
    };
    let mut waiting = pin!(cache.get(one, ADDRESS, pending::<Read>()));
    assert!(waiting.as_mut().now_or_never().is_none());
    let mut joined = pin!(cache.get(one, ADDRESS, ready(read())));
    assert!(joined.as_mut().now_or_never().is_none());
    let found = cache
        .get(other, ADDRESS, ready(read()))
        .now_or_never()
        .unwrap()
        .unwrap();
    // What was read is there for all.
    let known = cache.get(one, ADDRESS, pending::<Read>()).now_or_never().unwrap();
    assert!(Arc::ptr_eq(&found, &known.unwrap()));
}
