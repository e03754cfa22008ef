//! Public endpoints of integrations.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    published::{id, now, resolve},
    scripts::{Scripted, ask, get, headers, publish, told},
    world::World,
};

on_each_database![
    scripts_answer_on_every_level,
    bodies_and_cookies_reach_the_script,
    cookies_of_scripts_stay_at_their_endpoint,
    scripts_without_an_answer_are_told_apart,
    missing_objects_are_404,
    policies_are_headers_of_one_line,
    sites_get_their_script,
    visitors_sign_in_by_an_integration,
];

async fn scripts_answer_on_every_level(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let (space, site) = (world.space.to_string(), id(&gauge.published.site));
    for (endpoint, installation, space, site) in [
        (gauge.endpoint(), None, None, None),
        (gauge.of_installation(), Some(gauge.installation.as_str()), None, None),
        (
            gauge.on_space(&world),
            Some(gauge.installation.as_str()),
            Some(space.as_str()),
            None,
        ),
        (gauge.on_site(), Some(gauge.installation.as_str()), None, Some(site)),
    ] {
        let path = format!("{endpoint}/a%20b/echo?tide=high&tide=low");
        let told = told(&world, &path).await;
        let event = &told["event"];
        assert_eq!(event["type"], "fetch");
        assert_eq!(event["request"]["method"], "get");
        assert_eq!(event["request"]["url"], format!("{}{path}", world.service.base));
        for (member, id) in [("installationId", installation), ("spaceId", space), ("siteId", site)] {
            assert_eq!(event.get(member).and_then(Value::as_str), id, "{endpoint} {member}");
        }
        assert_eq!(told["installation"].as_str(), installation);
        assert_eq!(told["space"].as_str(), space);
        assert_eq!(told["site"].as_str(), site);
        assert_eq!(told["body"], Value::Null);
        assert_eq!(told["secrets"], json!({ "GAUGE_KEY": "tide-3417" }));
        assert_eq!(told["network"], json!({ "proxy": false }));
    }
}

async fn bodies_and_cookies_reach_the_script(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let path = format!("{}/echo", gauge.of_installation());
    for (method, named) in [(Method::POST, "post"), (Method::PUT, "put"), (Method::DELETE, "delete")] {
        let request = ask(&world, method, &path).body("high tide at 7");
        let request = request.header("Cookie", "one=1; bindery=session; two=2; __Host-bindery=session");
        let response = request.header("X-Harbor", "north").send().await.unwrap();
        let told: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        assert_eq!(told["body"], "high tide at 7");
        let request = &told["event"]["request"];
        assert_eq!(request["method"], named);
        assert_eq!(request["headers"]["x-harbor"], "north");
        assert_eq!(request["headers"]["cookie"], "one=1; two=2");
    }
    let patch = ask(&world, Method::PATCH, &path).send().await.unwrap();
    assert_eq!(patch.status(), 405);
    let long = "x".repeat(world.service.body_limit + 1);
    let refused = ask(&world, Method::POST, &path).body(long).send().await.unwrap();
    assert_eq!(refused.status(), 413);
}

async fn cookies_of_scripts_stay_at_their_endpoint(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let endpoint = gauge.on_site();
    let response = get(&world, &format!("{endpoint}/cookies")).await;
    assert_eq!(
        headers(&response, "set-cookie"),
        [
            format!("one=1; HttpOnly; SameSite=Lax; Path={endpoint}"),
            format!("two=2; Max-Age=60; Path={endpoint}"),
        ]
    );
    assert_eq!(headers(&response, "content-language"), ["nl"]);
    // What counts for the whole host, and what speaks to a proxy, is not up to a script.
    assert!(!response.headers().contains_key("clear-site-data"));
    let of_script = response.headers().iter().find(|(_, value)| *value == "/of/a/script");
    assert_eq!(of_script, None);
    assert!(headers(&response, "content-security-policy")[0].starts_with("sandbox "));
    assert_eq!(headers(&response, "x-content-type-options"), ["nosniff"]);
    assert_eq!(response.text().await.unwrap(), "two cookies");
}

async fn scripts_without_an_answer_are_told_apart(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let response = get(&world, &format!("{}/other", gauge.endpoint())).await;
    assert_eq!(response.status(), 406);
    let response = get(&world, &format!("{}/throw", gauge.endpoint())).await;
    assert_eq!(response.status(), 502);
    let text = response.text().await.unwrap();
    assert!(
        text.contains("integration-failed") && !text.contains("what the script knows"),
        "{text}"
    );
}

async fn missing_objects_are_404(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    publish(&world, "other", json!({})).await;
    let of_other = format!("/integrations/other/installations/{}/echo", gauge.installation);
    let foreign = format!("{}/spaces/{}/echo", gauge.of_installation(), world.other_space);
    for path in ["/integrations/Gauge/echo", "/integrations//echo", &of_other, &foreign] {
        assert_eq!(get(&world, path).await.status(), 404, "{path}");
    }
    let remove = world.admin.client.call("uninstallIntegration");
    let remove = remove
        .path("integrationName", &gauge.name)
        .path("installationId", &gauge.installation);
    remove.expect(204).await;
    assert_eq!(get(&world, &format!("{}/echo", gauge.on_site())).await.status(), 404);
    assert_eq!(get(&world, &format!("{}/echo", gauge.endpoint())).await.status(), 200);
}

async fn policies_are_headers_of_one_line(database: TestDatabase) {
    let world = World::new(database).await;
    let policy = "default-src 'self';\r\n  img-src *\nX-Injected: 1;";
    let gauge = Scripted::new(&world, "gauge", json!({ "contentSecurityPolicy": policy })).await;
    let response = get(&world, &format!("{}/echo", gauge.endpoint())).await;
    let policies = headers(&response, "content-security-policy");
    assert_eq!(policies[0], "default-src 'self'; img-src * X-Injected: 1");
    assert!(policies[1].starts_with("sandbox "), "{policies:?}");
    assert!(!response.headers().contains_key("x-injected"));
}

async fn sites_get_their_script(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let scripts = world.on_site(&world.admin, "listSiteIntegrationScripts", &gauge.published.site);
    let scripts = scripts.expect(200).await;
    let address = scripts[0]["script"].as_str().unwrap();
    let response = get(&world, address.strip_prefix(&world.service.base).unwrap()).await;
    assert_eq!(headers(&response, "content-type"), ["application/javascript"]);
    assert_eq!(headers(&response, "cache-control"), ["max-age=604800"]);
    assert_eq!(response.text().await.unwrap(), "console.info(\"on the site\");");
}

async fn visitors_sign_in_by_an_integration(database: TestDatabase) {
    let world = World::new(database).await;
    let gauge = Scripted::new(&world, "gauge", json!({})).await;
    let published = &gauge.published;
    published.set(&world, json!({ "visibility": "visitor-auth" })).await;
    let auth = world.on_site(&world.admin, "updateSitePublishingAuthById", &published.site);
    let auth = auth.json(json!({ "backend": "integration" })).expect(200).await;
    assert_eq!(auth["integration"], "gauge");
    let space = world.admin.client.call("getSpaceById").space(id(&published.spaces[0]));
    assert_eq!(
        space.expect(200).await["visitorAuth"],
        json!({ "backend": "integration", "integration": "gauge" })
    );
    let address = format!("{}start", published.address);
    let found = resolve(&world, &address, json!({})).expect(200).await;
    let sign_in = format!(
        "{}{}/~visitor-auth?location=%2Fstart",
        world.service.base,
        gauge.on_site()
    );
    assert_eq!(found["redirect"], sign_in);

    let path = sign_in.strip_prefix(&world.service.base).unwrap();
    let response = get(&world, &format!("{path}&exp={}", now(&world) + 60)).await;
    assert_eq!(
        headers(&response, "set-cookie"),
        [format!("verifier=1; Path={}", gauge.on_site())]
    );
    let signed: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert_eq!(signed["location"], "/start");
    let token = &signed["token"];
    let found = resolve(&world, &address, json!({ "jwtToken": token }))
        .expect(200)
        .await;
    assert_eq!(found["site"], published.site["id"]);
    assert_eq!(
        told(&world, &format!("{path}&action=logout&exp=1")).await["action"],
        "logout"
    );

    let uninstall = world.admin.client.call("uninstallIntegration");
    let uninstall = uninstall.path("integrationName", "gauge");
    uninstall.path("installationId", &gauge.installation).expect(204).await;
    let auth = world.on_site(&world.admin, "getSitePublishingAuthById", &published.site);
    let auth = auth.expect(200).await;
    assert_eq!(
        (&auth["backend"], auth.get("integration")),
        (&json!("integration"), None)
    );
}
