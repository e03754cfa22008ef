//! Which coding an answer gets.

use bindery::http::compression::{CODINGS, GZIP, apply, negotiate};
use openapi::work::{RequestPermits, WorkLimits};
use poem::{
    Response,
    http::{HeaderMap, HeaderValue, header},
    web::CompressionAlgo,
};

fn coding(accepted: &'static str) -> Option<CompressionAlgo> {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
    negotiate(&headers, &CODINGS).map(|(_, algorithm)| algorithm)
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
    let coded = async |response: Response, coding| {
        let response = apply(response, coding, &RequestPermits::new(WorkLimits::new(1 << 30), 0)).await;
        let header = |name| response.header(name).unwrap_or_default().to_owned();
        (
            header("content-encoding"),
            header("vary"),
            response.into_body().into_bytes().await.unwrap().len(),
        )
    };
    let gzip = Some(GZIP);
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
