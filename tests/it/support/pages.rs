//! A reader of the pages of sites.

use reqwest::{Method, RequestBuilder, Response, header, redirect::Policy};
use url::Url;

use super::world::World;

/// A browser that opens addresses of sites, and follows no redirect by itself.
pub struct Reader {
    http: reqwest::Client,
    server: String,
    pub cookies: Vec<(String, String)>,
}

/// An answer as the browser got it.
pub struct Opened {
    pub status: u16,
    pub headers: header::HeaderMap,
    pub text: String,
}

impl Reader {
    pub fn new(world: &World) -> Self {
        let builder = reqwest::Client::builder().tls_certs_only([]).redirect(Policy::none());
        Self {
            http: builder.build().unwrap(),
            server: world.nobody().base().to_owned(),
            cookies: Vec::new(),
        }
    }

    pub async fn get(&mut self, address: &str) -> Opened {
        self.send(Method::GET, address, &[]).await
    }

    /// Sends a request to the server, as the host of the address.
    pub async fn send(&mut self, method: Method, address: &str, headers: &[(&str, &str)]) -> Opened {
        let mut request = self.request(method, address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.open(request).await
    }

    pub async fn send_body(&mut self, method: Method, address: &str, content_type: &str, body: &str) -> Opened {
        let request = self.request(method, address).header(header::CONTENT_TYPE, content_type);
        self.open(request.body(body.to_owned())).await
    }

    fn request(&self, method: Method, address: &str) -> RequestBuilder {
        let url = Url::parse(address).unwrap();
        let (host, path) = (url.authority(), &url[url::Position::BeforePath..]);
        let cookies = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        let cookies: Vec<String> = cookies.collect();
        let request = self.http.request(method, format!("{}{path}", self.server));
        request
            .header(header::HOST, host)
            .header(header::COOKIE, cookies.join("; "))
    }

    async fn open(&mut self, request: RequestBuilder) -> Opened {
        let response = request.send().await.unwrap();
        self.keep_cookies(&response);
        Opened {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        }
    }

    fn keep_cookies(&mut self, response: &Response) {
        for cookie in response.headers().get_all(header::SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Opens a page that is there.
    pub async fn page(&mut self, address: &str) -> String {
        let opened = self.get(address).await;
        assert_eq!(opened.status, 200, "{address}: {}", opened.text);
        opened.text
    }
}

impl Opened {
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map(|value| value.to_str().unwrap())
            .unwrap_or_default()
    }
}
