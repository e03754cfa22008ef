//! A browser of somebody who signs in by a SAML provider.

use reqwest::{Method, Response, header, redirect::Policy};
use saml::testing::{self, FIRST};
use serde_json::Value;
use url::Url;

use super::{saml::answer_to, world::World};

/// A browser that follows no redirect by itself.
pub struct Browser {
    http: reqwest::Client,
    pub base: String,
    pub cookies: Vec<(String, String)>,
    /// What it says of where a request comes from.
    pub site: &'static str,
}

impl Browser {
    pub fn new(world: &World) -> Self {
        let builder = reqwest::Client::builder().tls_certs_only([]).redirect(Policy::none());
        Self {
            http: builder.build().unwrap(),
            base: world.nobody().base().to_owned(),
            cookies: Vec::new(),
            site: "same-origin",
        }
    }

    pub async fn send(&mut self, method: Method, url: &str, form: &[(&str, &str)]) -> Response {
        let url = if url.starts_with('/') {
            format!("{}{url}", self.base)
        } else {
            url.to_owned()
        };
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut request = self
            .http
            .request(method.clone(), url)
            .header(header::COOKIE, cookies.join("; "))
            .header("sec-fetch-site", self.site);
        if method == Method::POST {
            let body = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(form)
                .finish();
            request = request
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(body);
        }
        let response = request.send().await.unwrap();
        for cookie in response.headers().get_all(header::SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            assert!(
                cookie.contains("; HttpOnly; SameSite=Lax") && cookie.contains("Path=/"),
                "{cookie}"
            );
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            if !value.is_empty() {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        response
    }

    pub async fn get(&mut self, url: &str) -> Response {
        self.send(Method::GET, url, &[]).await
    }

    /// Goes to an address and on to the next.
    pub async fn follow(&mut self, url: &str) -> String {
        let response = self.get(url).await;
        location(&response)
    }

    /// Begins a sign-in. Returns the id of the request.
    pub async fn begin(&mut self, provider: &Value) -> String {
        let to = self.follow(provider["service"]["startURL"].as_str().unwrap()).await;
        let url = Url::parse(&to).unwrap();
        assert_eq!(url.host_str(), Some("idp.tidewater.example"));
        let state = url.query_pairs().find(|(name, _)| name == "RelayState").unwrap();
        state.1.into_owned()
    }

    pub async fn answer(&mut self, provider: &Value, response: &str, state: &str) -> Response {
        let response = testing::encode(response);
        let form = [("SAMLResponse", response.as_str()), ("RelayState", state)];
        let url = provider["service"]["acsURL"].as_str().unwrap();
        // The browser comes from the site of the identity provider, and leaves its cookies out.
        let cookies = std::mem::take(&mut self.cookies);
        let response = self.send(Method::POST, url, &form).await;
        assert_eq!(self.cookies, []);
        self.cookies = cookies;
        response
    }

    /// Signs in as somebody. Returns the last response.
    pub async fn sign_in(&mut self, world: &World, provider: &Value, person: &str) -> Response {
        let request = self.begin(provider).await;
        let answer = answer_to(world, provider, &request, person);
        let response = self.answer(provider, &answer.signed(FIRST), &request).await;
        if response.status() != 303 {
            return response;
        }
        let finish = location(&response);
        self.get(&finish).await
    }

    /// Comes back after an answer to a sign-in that began elsewhere, and says that it is wanted. Returns where it goes on.
    pub async fn confirm(&mut self, finish: &str) -> String {
        let site = std::mem::replace(&mut self.site, "same-origin");
        let page = self.page(finish, 200).await;
        assert!(page.contains("Is this you?") && page.contains("Continue as"), "{page}");
        let code = between(&page, "name=\"code\" value=\"", "\"");
        let last = self.send(Method::POST, "/saml/continue", &[("code", &code)]).await;
        self.site = site;
        location(&last)
    }

    /// Proves that an account is one's own.
    pub async fn prove(&mut self, code: &str, proof: &str) -> Response {
        let form = [("code", code), ("proof", proof)];
        self.send(Method::POST, "/saml/prove", &form).await
    }

    pub async fn page(&mut self, url: &str, status: u16) -> String {
        let response = self.get(url).await;
        assert_eq!(response.status(), status, "{url}");
        for (name, value) in [("cache-control", "no-store"), ("referrer-policy", "no-referrer")] {
            assert_eq!(response.headers()[name], value);
        }
        assert!(!response.headers().contains_key("access-control-allow-origin"));
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        response.text().await.unwrap()
    }

    /// Makes a token on the account page.
    pub async fn make_token(&mut self, label: &str) -> String {
        let made = self
            .submit("/account/tokens", &[("label", label), ("days", "30")])
            .await;
        assert_eq!(made.status(), 200);
        between(&made.text().await.unwrap(), "<code>", "</code>")
    }

    /// Sends a form of the account page.
    pub async fn submit(&mut self, url: &str, fields: &[(&str, &str)]) -> Response {
        let page = self.page("/account/", 200).await;
        let token = between(&page, "name=\"token\" value=\"", "\"");
        let mut form = vec![("token", token.as_str())];
        form.extend(fields);
        self.send(Method::POST, url, &form).await
    }
}

pub fn between(text: &str, start: &str, end: &str) -> String {
    let rest = &text[text.find(start).unwrap_or_else(|| panic!("no {start} in {text}")) + start.len()..];
    rest[..rest.find(end).unwrap()].to_owned()
}

pub fn location(response: &Response) -> String {
    assert_eq!(response.status(), 303);
    response.headers()[header::LOCATION].to_str().unwrap().to_owned()
}

/// The certificate in the metadata of the service, in base64.
pub async fn certificate(browser: &mut Browser, provider: &Value) -> Option<String> {
    let metadata = browser.get(provider["service"]["entityID"].as_str().unwrap()).await;
    let metadata = metadata.text().await.unwrap();
    let (_, rest) = metadata.split_once("<ds:X509Certificate>")?;
    Some(rest.split('<').next().unwrap().to_owned())
}
