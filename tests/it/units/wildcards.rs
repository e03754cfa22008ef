//! Paths with a rest.

use std::collections::HashMap;

use bindery::http::api::{Address, Wildcard};
use poem::{
    Endpoint, EndpointExt, Request, Route,
    endpoint::make_sync,
    http::{Method, StatusCode},
};

/// Returns the value of the wildcard, or the status.
async fn rest(path: &str) -> Result<String, StatusCode> {
    let echo = make_sync(|request: Request| request.raw_path_param("param1").unwrap_or_default().to_owned());
    let one = echo.map_to_response().boxed();
    let address = Address::new(HashMap::from([(Method::GET, one)]));
    let rest = "param1".to_owned();
    let route = Route::new().at("/a/:param0/path/*param1", Wildcard { rest, address });
    let request = Request::builder().uri(path.parse().unwrap()).finish();
    match route.call(request).await {
        Ok(answer) => Ok(answer.into_body().into_string().await.unwrap()),
        Err(e) => Err(e.status()),
    }
}

#[tokio::test]
async fn a_wildcard_takes_the_rest_decoded_once() {
    for (path, expected) in [
        ("/a/1/path/guides", "guides"),
        ("/a/1/path/guides/first/steps", "guides/first/steps"),
        ("/a/1/path/guides%2Ffirst", "guides/first"),
        ("/a/1/path/100%2525/%C3%BC", "100%25/ü"),
        ("/a/1/path/../x", "../x"),
        ("/a/1/path/guides/", "guides/"),
        ("/a/1/path//", "/"),
    ] {
        assert_eq!(rest(path).await.as_deref(), Ok(expected), "{path}");
    }
    for path in ["/a/1/path/", "/a/1/path"] {
        assert_eq!(rest(path).await, Err(StatusCode::NOT_FOUND), "{path}");
    }
}
