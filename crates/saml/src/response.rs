//! Responses of identity providers: their structure, and which part of them is signed.

use base64::{Engine, engine::general_purpose::STANDARD};
use roxmltree::{Document, Namespace, Node};

use crate::{
    Assertion, Expected, Refusal, conditions, signature,
    xml::{self, ASSERTION, PROTOCOL, SIGNATURE, only_child},
    xml_limits,
};

/// The most characters of a response in base64.
pub const MAX_ENCODED_BYTES: usize = 384 * 1024;

const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";

/// A response of which nothing but the start of its first element was parsed.
pub struct Response {
    text: String,
    in_response_to: Option<String>,
}

impl Response {
    /// Decodes a response of the HTTP-POST binding. Costs little: the request that the response names can be looked at before the rest
    /// is parsed.
    pub fn decode(encoded: &str) -> Result<Self, Refusal> {
        if encoded.len() > MAX_ENCODED_BYTES {
            return Err(Refusal::TooLarge);
        }
        let dense: String = encoded.split_ascii_whitespace().collect();
        let bytes = STANDARD.decode(dense).map_err(|_| Refusal::Encoding)?;
        let text = String::from_utf8(bytes).map_err(|_| Refusal::Encoding)?;
        let element = xml_limits::first_element(&text).ok_or(Refusal::Structure("there is no element"))?;
        let document = xml::parse(&element)?;
        let in_response_to = response(&document)?.attribute("InResponseTo").map(str::to_owned);
        Ok(Self { text, in_response_to })
    }

    /// The id of the request that the response says to answer, which nobody has verified.
    pub fn in_response_to(&self) -> Option<&str> {
        self.in_response_to.as_deref()
    }

    /// Verifies the response, and returns the assertion in it.
    pub fn verify(&self, expected: &Expected<'_>) -> Result<Assertion, Refusal> {
        let document = xml::parse(&self.text)?;
        xml::check_ids(&document)?;
        let response = response(&document)?;
        check_envelope(response, expected)?;
        let assertion = only_assertion(response)?;
        let signatures = Signatures::of(response, assertion)?;
        let mut signed = None;
        // Each signature that is there has to be right, and the one around less says what is believed.
        if let Some(around_response) = signatures.response {
            signed = Some(signature::signed_text(
                response,
                around_response,
                expected.certificates,
            )?);
        }
        if is_encrypted(assertion) {
            return match &signed {
                Some(signed) => read(signed, expected),
                None => read_encrypted(assertion, false, expected),
            };
        }
        if let Some(around_assertion) = signatures.assertion {
            signed = Some(signature::signed_text(
                assertion,
                around_assertion,
                expected.certificates,
            )?);
        }
        read(&signed.ok_or(Refusal::Unsigned)?, expected)
    }
}

/// Reads the assertion from the text that was signed.
fn read(signed: &str, expected: &Expected<'_>) -> Result<Assertion, Refusal> {
    let document = xml::parse(signed)?;
    let root = document.root_element();
    let assertion = if xml::is(root, ASSERTION, "Assertion") {
        root
    } else {
        let response = response(&document)?;
        check_envelope(response, expected)?;
        only_assertion(response)?
    };
    if is_encrypted(assertion) {
        return read_encrypted(assertion, true, expected);
    }
    conditions::check(assertion, expected)
}

/// Reads an encrypted assertion. `is_signed`: it is in a response whose signature was verified; otherwise, it has to have a
/// signature of its own.
fn read_encrypted(encrypted: Node<'_, '_>, is_signed: bool, expected: &Expected<'_>) -> Result<Assertion, Refusal> {
    let key = expected.key.ok_or(Refusal::Encrypted)?;
    let text = key.decrypt(encrypted, is_signed)?;
    // Its prefixes are those of the place where it stood.
    let prefixes: String = encrypted.namespaces().filter_map(declaration).collect();
    let text = format!("<decrypted{prefixes}>{text}</decrypted>");
    let document = xml::parse(&text)?;
    xml::check_ids(&document)?;
    let place = document.root_element();
    let mut nodes = place.children().filter(|node| !is_blank(*node));
    let (Some(_), None) = (nodes.next(), nodes.next()) else {
        return Err(Refusal::Structure("what is encrypted is not one assertion"));
    };
    let assertion = only_assertion(place)?;
    if is_encrypted(assertion) {
        return Err(Refusal::Structure("what is encrypted is not one assertion"));
    }
    match Signatures::of(place, assertion)?.assertion {
        Some(signature) => {
            let signed = signature::signed_text(assertion, signature, expected.certificates)?;
            read(&signed, expected)
        }
        None if is_signed => conditions::check(assertion, expected),
        None => Err(Refusal::Unsigned),
    }
}

/// The declaration of a prefix. The prefix `xml` needs none.
fn declaration(namespace: &Namespace<'_>) -> Option<String> {
    match namespace.name() {
        Some("xml") => None,
        Some(prefix) => Some(format!(" xmlns:{prefix}=\"{}\"", xml::escape(namespace.uri()))),
        None => Some(format!(" xmlns=\"{}\"", xml::escape(namespace.uri()))),
    }
}

fn is_blank(node: Node<'_, '_>) -> bool {
    node.is_text() && node.text().unwrap_or_default().trim().is_empty()
}

fn is_encrypted(assertion: Node<'_, '_>) -> bool {
    xml::is(assertion, ASSERTION, "EncryptedAssertion")
}

fn response<'a, 'i>(document: &'a Document<'i>) -> Result<Node<'a, 'i>, Refusal> {
    let root = document.root_element();
    if !xml::is(root, PROTOCOL, "Response") {
        return Err(Refusal::Structure("the document is not a `Response`"));
    }
    match root.attribute("Version") {
        Some("2.0") => Ok(root),
        _ => Err(Refusal::Structure("the version is not 2.0")),
    }
}

/// Checks what stands around the assertion. None of it lets anybody in; it is signed only if the whole response is.
fn check_envelope(response: Node<'_, '_>, expected: &Expected<'_>) -> Result<(), Refusal> {
    let status = only_child(response, PROTOCOL, "Status").ok_or(Refusal::Structure("it needs one `Status`"))?;
    let code = only_child(status, PROTOCOL, "StatusCode").and_then(|code| code.attribute("Value"));
    if code != Some(SUCCESS) {
        let code: String = code.unwrap_or_default().chars().take(100).collect();
        return Err(Refusal::Status(code));
    }
    if response
        .attribute("Destination")
        .is_some_and(|address| address != expected.acs_url)
    {
        return Err(Refusal::Destination);
    }
    if response.attribute("InResponseTo") != expected.request {
        return Err(Refusal::Request);
    }
    match only_child(response, ASSERTION, "Issuer") {
        Some(issuer) => conditions::check_issuer(issuer, expected),
        None => Ok(()),
    }
}

/// The assertion, of which there may be only one, and only directly in the response.
fn only_assertion<'a, 'i>(response: Node<'a, 'i>) -> Result<Node<'a, 'i>, Refusal> {
    let mut assertions = response.descendants().filter(|node| {
        let name = node.tag_name().name();
        node.is_element() && matches!(name, "Assertion" | "EncryptedAssertion")
    });
    let assertion = assertions.next().ok_or(Refusal::Structure("there is no assertion"))?;
    if assertions.next().is_some() {
        return Err(Refusal::Structure("there is more than one assertion"));
    }
    let is_known = xml::is(assertion, ASSERTION, "Assertion") || is_encrypted(assertion);
    if !is_known || assertion.parent() != Some(response) {
        return Err(Refusal::Structure("the assertion is not directly in the response"));
    }
    Ok(assertion)
}

/// The signatures of a response, each at its place.
struct Signatures<'a, 'i> {
    response: Option<Node<'a, 'i>>,
    assertion: Option<Node<'a, 'i>>,
}

impl<'a, 'i> Signatures<'a, 'i> {
    fn of(response: Node<'a, 'i>, assertion: Node<'a, 'i>) -> Result<Self, Refusal> {
        let mut found = Self {
            response: None,
            assertion: None,
        };
        for node in response
            .descendants()
            .filter(|node| xml::is(*node, SIGNATURE, "Signature"))
        {
            let place = match node.parent() {
                Some(parent) if parent == response => &mut found.response,
                Some(parent) if parent == assertion => &mut found.assertion,
                _ => return Err(Refusal::Structure("a signature is not directly in what it signs")),
            };
            if place.replace(node).is_some() {
                return Err(Refusal::Structure("an element has two signatures"));
            }
        }
        Ok(found)
    }
}
