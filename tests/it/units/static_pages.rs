//! Pages that are kept by browsers.

use bindery::http::page::StaticPage;
use poem::http::{HeaderMap, StatusCode, header};

fn status(page: &StaticPage, tags: &str) -> StatusCode {
    let mut headers = HeaderMap::new();
    headers.insert(header::IF_NONE_MATCH, tags.parse().unwrap());
    page.answer(&headers).unwrap().status()
}

#[test]
fn a_known_page_is_not_modified() {
    let page = StaticPage::new("text/plain", b"one").unwrap();
    let other = StaticPage::new("text/plain", b"two").unwrap();
    let answer = page.answer(&HeaderMap::new()).unwrap();
    let tag = answer.header(header::ETAG).unwrap();
    for tags in [tag, "*", &format!("\"x\", {tag}"), &format!("W/{tag}")] {
        assert_eq!(status(&page, tags), StatusCode::NOT_MODIFIED, "{tags}");
        assert_eq!(status(&other, tags) == StatusCode::OK, tags != "*", "{tags}");
    }
}
