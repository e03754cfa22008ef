//! SAML providers and what they answer.

use saml::testing::{Answer, Encryption, FIRST, encrypt};
use serde_json::{Value, json};

use super::world::{DOMAIN, World};

pub const ENTITY: &str = "https://idp.tidewater.example/metadata";
pub const SSO: &str = "https://idp.tidewater.example/sso";

/// Creates a provider by which people can sign in.
pub async fn create(world: &World, certificate: &str, more: Value) -> Value {
    let mut body = json!({ "label": "Tidewater", "entityID": ENTITY, "certificate": certificate, "ssoURL": SSO });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let call = world.admin.client.call("createOrganizationSAMLProvider").here(world);
    call.json(body).expect(201).await
}

/// A provider of an organization that owns its domain.
pub async fn set_up(world: &World, more: Value) -> Value {
    let call = world.admin.client.call("updateOrganizationById").here(world);
    call.json(json!({ "emailDomains": [DOMAIN] })).expect(200).await;
    world.verify_domain(DOMAIN).await;
    create(world, FIRST.certificate, more).await
}

/// A good answer of the identity provider, about somebody with an address in the domain.
pub fn answer_to(world: &World, provider: &Value, request: &str, person: &str) -> Answer {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (service, now) = (&provider["service"], world.app().kernel.clock.now().to_utc());
    let acs = text(&service["acsURL"]);
    let mut answer = Answer::new(
        &text(&provider["entityID"]),
        &acs,
        &text(&service["entityID"]),
        Some(request),
        now,
    );
    answer.id = format!("_a{request}");
    answer.subject = person.to_owned();
    answer.email = Some(if person.contains('@') {
        person.to_owned()
    } else {
        format!("{person}@{DOMAIN}")
    });
    answer.display_name = Some(format!("{person} <b>"));
    answer
}

/// A response to a request with the signed assertion about somebody, encrypted.
pub fn encrypted(world: &World, provider: &Value, request: &str, certificate: &str) -> String {
    let answer = answer_to(world, provider, request, "nadia");
    let signed = answer.signed(FIRST);
    let start = signed.find("<saml:Assertion").unwrap();
    let assertion = &signed[start..signed.find("</samlp:Response>").unwrap()];
    answer.response(&encrypt(assertion, certificate, Encryption::default()))
}
