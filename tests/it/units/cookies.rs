//! The cookies of people who sign in.

use bindery::{
    areas::organizations::sign_in::sessions,
    http::sign_in::cookies::{Cookies, MAX_SESSION},
};
use poem::{Request, Response, http::header};

fn set(secure: bool) -> String {
    let mut response = Response::default();
    Cookies::new(secure).set_session(&mut response, "secret").unwrap();
    response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned()
}

/// No other host sets a cookie with this prefix, and no path or network without TLS sees it.
#[test]
fn cookies_belong_to_this_host_alone() {
    let seconds = sessions::LIFETIME.num_seconds();
    let shared = format!("secret; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax");
    assert_eq!(set(true), format!("__Host-bindery={shared}; Secure"));
    assert_eq!(set(false), format!("bindery={shared}"));
}

#[test]
fn one_cookie_of_a_name_counts() {
    let session = |cookies: &str| {
        let request = Request::builder().header(header::COOKIE, cookies).finish();
        Cookies::new(true).session(&request).map(str::to_owned)
    };
    assert_eq!(session("a=b; __Host-bindery=x").as_deref(), Some("x"));
    let long = format!("__Host-bindery={}", "x".repeat(MAX_SESSION + 1));
    for none in [
        "__Host-bindery=x; __Host-bindery=y",
        "bindery=x",
        "__Host-bindery=",
        &long,
    ] {
        assert_eq!(session(none), None, "{none}");
    }
}
