//! Compression of responses.

use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use openapi::work::RequestPermits;
use poem::{
    Body, IntoResponse, Response,
    http::{HeaderMap, HeaderValue, header},
    web::{Compress, CompressionAlgo, CompressionLevel},
};

use crate::web::Compressed;

/// The least size in bytes: below it, compression costs more than it saves.
const MIN_SIZE: u64 = 1024;

/// The most memory of an encoder of the fastest level, which an answer has that is compressed while it is sent.
const ENCODER_BYTES: usize = 1536 * 1024;

/// A content coding by its name.
pub type Coding = (&'static str, CompressionAlgo);

pub const GZIP: Coding = ("gzip", CompressionAlgo::GZIP);

/// The content codings, the cheapest last.
pub const CODINGS: [Coding; 3] = [("br", CompressionAlgo::BR), GZIP, ("zstd", CompressionAlgo::ZSTD)];

/// Chooses of these content codings the one with the greatest weight; of equal ones, the last.
pub fn negotiate(headers: &HeaderMap, known: &[Coding]) -> Option<Coding> {
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    let offers = accepted.split(',').filter_map(|offer| {
        let (coding, weight) = offer.split_once(';').unwrap_or((offer, "q=1"));
        let weight = weight.trim().strip_prefix("q=")?.parse::<f32>().ok()?;
        let at = known
            .iter()
            .position(|(name, _)| coding.trim().eq_ignore_ascii_case(name))?;
        (weight > 0.0).then_some((weight, at))
    });
    let (_, best) = offers.max_by(|(a, i), (b, j)| a.total_cmp(b).then(i.cmp(j)))?;
    known.get(best).copied()
}

/// Compresses a response that is a text of at least `MIN_SIZE` bytes, if there is room for that.
pub async fn apply(mut response: Response, coding: Option<Coding>, permits: &RequestPermits) -> Response {
    let algorithm = coding.map(|(_, algorithm)| algorithm);
    let exact = exact_length(&mut response);
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
    if !headers
        .get_all(header::VARY)
        .iter()
        .any(|names| names == "accept-encoding")
    {
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    let forms = response.extensions().get::<Arc<Compressed>>().cloned();
    if let Some((bytes, coding)) = forms
        .as_ref()
        .zip(algorithm)
        .and_then(|(forms, algorithm)| forms.get(algorithm))
    {
        response.headers_mut().insert(header::CONTENT_ENCODING, coding);
        response.set_body(bytes);
        return response;
    }
    let Some(algorithm) = algorithm.filter(|_| exact.is_some() || permits.try_acquire(ENCODER_BYTES)) else {
        return response;
    };
    let mut compressed = Compress::new(response, algorithm)
        .with_quality(CompressionLevel::Fastest)
        .into_response();
    // A body that is in memory already is sent with its length, and its encoder is gone by then.
    if exact.is_some()
        && let Ok(bytes) = compressed.take_body().into_bytes().await
    {
        if let Some(forms) = forms {
            forms.keep(algorithm, &bytes, compressed.headers());
        }
        compressed.set_body(bytes);
    }
    compressed
}

/// Returns the bytes of a body that is in memory as a whole.
pub fn exact_length(response: &mut Response) -> Option<u64> {
    let body: BoxBody<_, _> = response.take_body().into();
    let exact = body.size_hint().exact();
    response.set_body(Body::from(body));
    exact
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
