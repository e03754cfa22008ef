//! Compression of responses.

use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::{
    Body, IntoResponse, Response,
    http::{HeaderMap, HeaderValue, header},
    web::{Compress, CompressionAlgo, CompressionLevel},
};

/// The least size in bytes: below it, compression costs more than it saves.
const MIN_SIZE: u64 = 1024;

/// Chooses the content coding with the greatest weight; of equal ones, the cheapest.
pub fn negotiate(headers: &HeaderMap) -> Option<CompressionAlgo> {
    const KNOWN: [(&str, CompressionAlgo); 3] = [
        ("br", CompressionAlgo::BR),
        ("gzip", CompressionAlgo::GZIP),
        ("zstd", CompressionAlgo::ZSTD),
    ];
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    let offers = accepted.split(',').filter_map(|offer| {
        let (coding, weight) = offer.split_once(';').unwrap_or((offer, "q=1"));
        let weight = weight.trim().strip_prefix("q=")?.parse::<f32>().ok()?;
        let at = KNOWN
            .iter()
            .position(|(name, _)| coding.trim().eq_ignore_ascii_case(name))?;
        (weight > 0.0).then_some((weight, at))
    });
    let (_, best) = offers.max_by(|(a, i), (b, j)| a.total_cmp(b).then(i.cmp(j)))?;
    KNOWN.get(best).map(|(_, algorithm)| *algorithm)
}

/// Compresses a response that is a text of at least `MIN_SIZE` bytes.
pub async fn apply(mut response: Response, algorithm: Option<CompressionAlgo>) -> Response {
    let body: BoxBody<_, _> = response.take_body().into();
    let exact = body.size_hint().exact();
    response.set_body(Body::from(body));
    let headers = response.headers_mut();
    // Ranges refer to the bytes as sent, so a response with ranges stays uncompressed.
    let whole = !headers.contains_key(header::ACCEPT_RANGES);
    if !whole
        || exact.is_some_and(|length| length < MIN_SIZE)
        || headers.contains_key(header::CONTENT_ENCODING)
        || !is_text(headers)
    {
        return response;
    }
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    let Some(algorithm) = algorithm else {
        return response;
    };
    let mut compressed = Compress::new(response, algorithm)
        .with_quality(CompressionLevel::Fastest)
        .into_response();
    // A body that is in memory already is sent with its length.
    if exact.is_some()
        && let Ok(bytes) = compressed.take_body().into_bytes().await
    {
        compressed.set_body(bytes);
    }
    compressed
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let textual = [
        "application/json",
        "application/yaml",
        "application/openmetrics-text",
        "text/",
        "image/svg+xml",
    ];
    textual.iter().any(|prefix| kind.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coding(accepted: &'static str) -> Option<CompressionAlgo> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
        negotiate(&headers)
    }

    #[test]
    fn the_weight_decides_then_the_cost() {
        assert_eq!(coding("gzip"), Some(CompressionAlgo::GZIP));
        assert_eq!(coding("gzip, deflate, br, zstd"), Some(CompressionAlgo::ZSTD));
        assert_eq!(coding("gzip, deflate, br"), Some(CompressionAlgo::GZIP));
        assert_eq!(coding("br;q=0.5, gzip;q=0.9"), Some(CompressionAlgo::GZIP));
        assert_eq!(coding("GZIP; q=0.1"), Some(CompressionAlgo::GZIP));
        assert_eq!(coding("gzip;q=0"), None);
        assert_eq!(coding("identity, compress"), None);
        assert_eq!(coding(""), None);
    }

    #[tokio::test]
    async fn only_large_text_is_compressed() {
        let answer = |kind: &str, size: usize| Response::builder().content_type(kind).body(vec![b'a'; size]);
        let coded = async |response: Response, algorithm| {
            let response = apply(response, algorithm).await;
            let header = |name| response.header(name).unwrap_or_default().to_owned();
            (
                header("content-encoding"),
                header("vary"),
                response.into_body().into_bytes().await.unwrap().len(),
            )
        };
        let gzip = Some(CompressionAlgo::GZIP);
        let (encoding, vary, length) = coded(answer("application/json", 5000), gzip).await;
        assert!(
            encoding == "gzip" && vary == "accept-encoding" && length < 100,
            "{encoding} {vary} {length}"
        );
        assert_eq!(
            coded(answer("application/json", 100), gzip).await,
            (String::new(), String::new(), 100)
        );
        assert_eq!(
            coded(answer("image/png", 5000), gzip).await,
            (String::new(), String::new(), 5000)
        );
        let mut in_parts = answer("text/plain", 5000);
        in_parts
            .headers_mut()
            .insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        assert_eq!(coded(in_parts, gzip).await, (String::new(), String::new(), 5000));
        let plain = coded(answer("application/json", 5000), None).await;
        assert_eq!(plain, (String::new(), "accept-encoding".to_owned(), 5000));
    }
}
