//! Bodies of the refusals of the HTTP library.

use bindery::http::connections::refusal::with_body;

#[test]
fn only_refusals_get_a_body() {
    let answer = |bytes: &str| with_body(bytes.as_bytes(), || "id-1".to_owned());
    let refusal = answer("HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n").unwrap();
    let refusal = std::str::from_utf8(&refusal).unwrap();
    assert!(
        refusal.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\n"),
        "{refusal}"
    );
    assert!(refusal.contains("\"requestId\":\"id-1\""), "{refusal}");
    for other in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 4",
        "\0\0\x12\x04",
    ] {
        assert!(answer(other).is_none(), "{other}");
    }
}
