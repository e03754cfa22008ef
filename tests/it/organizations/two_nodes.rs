//! Signing in where two nodes serve one PostgreSQL database behind one address.

mod only_postgres {
    use platform::db::Backend;
    use saml::testing::FIRST;
    use serde_json::json;

    use crate::support::{
        browser::{Browser, between, certificate, location},
        database::TestDatabase,
        saml::{answer_to, encrypted, set_up},
        service::Service,
        world::World,
    };

    /// Sends a browser to the other node from now on.
    fn move_to(browser: &mut Browser, base: &str) {
        browser.base = base.to_owned();
    }

    /// The path of an address, which either node serves.
    fn path(url: &str) -> String {
        let url = url::Url::parse(url).unwrap();
        url[url::Position::BeforePath..].to_owned()
    }

    async fn nodes() -> (World, Service) {
        let world = World::new(TestDatabase::new(Backend::Postgres)).await;
        let second = world.service.second_node().await;
        (world, second)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_sign_in_of_one_node_ends_at_the_other() {
        let (world, second) = nodes().await;
        let provider = set_up(&world, json!({})).await;
        let mut browser = Browser::new(&world);
        let request = browser.begin(&provider).await;
        // The answer, and the way back of the browser, reach the other node.
        let mut at_second = provider.clone();
        let acs = path(provider["service"]["acsURL"].as_str().unwrap());
        at_second["service"]["acsURL"] = json!(acs);
        move_to(&mut browser, &second.base);
        let answer = answer_to(&world, &provider, &request, "nadia");
        let finish = location(&browser.answer(&at_second, &answer.signed(FIRST), &request).await);
        location(&browser.get(&path(&finish)).await);
        browser.page("/account/", 200).await;
        // Both know the session; an answer counts once on either.
        move_to(&mut browser, &world.service.base);
        browser.page("/account/", 200).await;
        let again = browser.answer(&at_second, &answer.signed(FIRST), &request).await;
        assert_eq!(again.status(), 400);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn signing_out_holds_at_other_nodes() {
        let (world, second) = nodes().await;
        let provider = set_up(&world, json!({})).await;
        let mut browser = Browser::new(&world);
        location(&browser.sign_in(&world, &provider, "nadia").await);
        let cookies = browser.cookies.clone();
        let page = browser.page("/account/", 200).await;
        move_to(&mut browser, &second.base);
        // The form of one node counts at the other.
        let token = between(&page, "name=\"token\" value=\"", "\"");
        let form = [("token", token.as_str())];
        let response = browser.send(reqwest::Method::POST, "/account/sign-out", &form).await;
        assert_eq!(response.status(), 303);
        for base in [&world.service.base, &second.base] {
            move_to(&mut browser, base);
            browser.cookies.clone_from(&cookies);
            browser.page("/account/", 401).await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn removal_holds_at_other_nodes() {
        let (world, second) = nodes().await;
        let provider = set_up(&world, json!({ "defaultRole": "read" })).await;
        let mut browser = Browser::new(&world);
        location(&browser.sign_in(&world, &provider, "nadia").await);
        let token = browser.make_token("Laptop").await;
        let client = crate::support::client::Client::new(&second.base).with_token(&token);
        let user = client.call("getAuthenticatedUser").expect(200).await;
        client.call("getOrganizationById").here(&world).expect(200).await;
        move_to(&mut browser, &second.base);
        browser.page("/account/", 200).await;
        let call = world.admin.client.call("removeMemberFromOrganizationById").here(&world);
        call.path("userId", user["id"].as_str().unwrap()).expect(204).await;
        client.call("getOrganizationById").here(&world).expect(404).await;
        browser.page("/account/", 401).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_documentation_pages_of_both_have_one_token() {
        let (world, second) = nodes().await;
        let provider = set_up(&world, json!({})).await;
        let mut browser = Browser::new(&world);
        location(&browser.sign_in(&world, &provider, "nadia").await);
        let mut tokens = Vec::new();
        for base in [&world.service.base, &second.base] {
            move_to(&mut browser, base);
            let answer = browser.send(reqwest::Method::POST, "/account/docs-token", &[]).await;
            let answer: serde_json::Value = answer.json().await.unwrap();
            tokens.push(answer["token"].as_str().unwrap().to_owned());
        }
        assert_eq!(tokens[0], tokens[1]);
        for base in [&world.service.base, &second.base] {
            let client = crate::support::client::Client::new(base).with_token(&tokens[0]);
            client.call("getAuthenticatedUser").expect(200).await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_key_of_one_node_decrypts_at_the_other() {
        let (world, second) = nodes().await;
        let provider = set_up(&world, json!({ "encryption": true })).await;
        let mut browser = Browser::new(&world);
        let certificate = certificate(&mut browser, &provider).await.unwrap();
        let request = browser.begin(&provider).await;
        let response = encrypted(&world, &provider, &request, &certificate);
        let mut at_second = provider.clone();
        at_second["service"]["acsURL"] = json!(path(provider["service"]["acsURL"].as_str().unwrap()));
        move_to(&mut browser, &second.base);
        let finish = location(&browser.answer(&at_second, &response, &request).await);
        location(&browser.get(&path(&finish)).await);
        browser.page("/account/", 200).await;
    }
}
