//! Reading pages and their oEmbed responses from the web.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use embeds::{Embed, OEmbed, PageMetadata};
use platform::outbound::{FetchError, FetchLimits, Fetched, OnBehalf, Oversize};
use url::Url;

use crate::{areas::publishing::embed_cache::CachedEmbed, kernel::Kernel};

/// How much of a page is read: pages state what they are at their beginning.
const PAGE_BYTES: usize = 1024 * 1024;

/// The maximum size of an oEmbed response.
const OEMBED_BYTES: usize = 256 * 1024;

/// The time to read both: less than the timeout of requests.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// Reads what a page says about itself. Of a page that cannot be read, only the address is known.
pub async fn read(kernel: &Kernel, on_behalf: OnBehalf, address: &Url) -> Result<CachedEmbed, Arc<FetchError>> {
    let until = Instant::now() + TIME_LIMIT;
    match page(kernel, on_behalf, address, until).await {
        Ok(embed) => Ok(CachedEmbed {
            embed: Arc::new(embed),
            was_read: true,
        }),
        // Not the fault of the page.
        Err(error @ (FetchError::Busy | FetchError::Client(_))) => Err(Arc::new(error)),
        Err(_) => Ok(CachedEmbed {
            embed: Arc::new(Embed::of_address(address)),
            was_read: false,
        }),
    }
}

async fn page(kernel: &Kernel, on_behalf: OnBehalf, address: &Url, until: Instant) -> Result<Embed, FetchError> {
    let limits = |bytes, oversize| FetchLimits {
        bytes,
        oversize,
        time: until.saturating_duration_since(Instant::now()),
        on_behalf,
    };
    let fetched = kernel
        .outbound
        .get(address.as_str(), limits(PAGE_BYTES, Oversize::Cut))
        .await?;
    if !is_html(fetched.content_type.as_deref()) {
        return Ok(Embed::of_address(address));
    }
    let page = PageMetadata::read(&fetched.bytes, fetched.content_type.as_deref(), &fetched.url);
    drop(fetched);
    let oembed = match &page.oembed {
        None => None,
        // The page has been read, and is shown without a frame if its oEmbed response cannot be.
        Some(link) => match kernel
            .outbound
            .get(link.as_str(), limits(OEMBED_BYTES, Oversize::Refuse))
            .await
        {
            Ok(Fetched { bytes, .. }) => OEmbed::read(&bytes),
            Err(_) => None,
        },
    };
    let mut embed = Embed::of(address, page, oembed.unwrap_or_default());
    embed.frame = embed.frame.filter(|frame| {
        frame
            .source
            .host_str()
            .is_none_or(|host| !kernel.urls.is_own_host(host))
    });
    Ok(embed)
}

/// Pages without a type are read like HTML, as browsers do.
fn is_html(content_type: Option<&str>) -> bool {
    let Some(content_type) = content_type else { return true };
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"]
        .iter()
        .any(|html| essence.eq_ignore_ascii_case(html))
}
