//! An identity provider for tests: writes responses and signs them.

#![expect(clippy::expect_used, reason = "tests stop at what is unexpected")]

use std::io::Read;

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, RandomizedNonceKey},
    cipher::{AES_256, PaddedBlockEncryptingKey, UnboundCipherKey},
    rsa::{OAEP_SHA1_MGF1SHA1, OaepPublicEncryptingKey, PublicEncryptingKey},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use flate2::read::DeflateDecoder;
use hmac::{Hmac, Mac};
use p256::ecdsa::signature::hazmat::PrehashSigner;
use rsa::{Pkcs1v15Sign, RsaPrivateKey, pkcs8::DecodePrivateKey};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use url::Url;
use x509_cert::der::{Decode, Encode};
use xml_sec::c14n::{C14nAlgorithm, C14nMode};

use crate::{
    signature::canonical,
    xml::{ASSERTION, PROTOCOL, SIGNATURE, escape},
};

const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";

/// Certificates and keys; both stand for identity providers.
pub const FIRST: Keys = Keys {
    certificate: include_str!("../test-keys/first.crt"),
    key: include_str!("../test-keys/first.key"),
};
pub const SECOND: Keys = Keys {
    certificate: include_str!("../test-keys/second.crt"),
    key: include_str!("../test-keys/second.key"),
};
pub const ELLIPTIC: Keys = Keys {
    certificate: include_str!("../test-keys/elliptic.crt"),
    key: include_str!("../test-keys/elliptic.key"),
};

/// Certificates that are refused.
pub const EXPIRED: &str = include_str!("../test-keys/expired.crt");
pub const WEAK: &str = include_str!("../test-keys/weak.crt");

/// A certificate and its key, in PEM.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    pub certificate: &'static str,
    pub key: &'static str,
}

/// The members of a response, any of which a test may change.
#[derive(Debug, Clone)]
pub struct Answer {
    pub issuer: String,
    pub acs_url: String,
    pub destination: String,
    pub audience: String,
    pub request: Option<String>,
    pub subject: String,
    pub subject_format: &'static str,
    pub email: Option<String>,
    pub display_name: Option<String>,
    /// More attributes, in XML.
    pub attributes: String,
    pub now: DateTime<Utc>,
    pub lifetime: TimeDelta,
    pub id: String,
}

impl Answer {
    /// A good answer to a request.
    pub fn new(issuer: &str, acs_url: &str, audience: &str, request: Option<&str>, now: DateTime<Utc>) -> Self {
        Self {
            issuer: issuer.to_owned(),
            acs_url: acs_url.to_owned(),
            destination: acs_url.to_owned(),
            audience: audience.to_owned(),
            request: request.map(str::to_owned),
            subject: "ines".to_owned(),
            subject_format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
            email: Some("ines@tidewater.example".to_owned()),
            display_name: Some("Ines Okafor".to_owned()),
            attributes: String::new(),
            now,
            lifetime: TimeDelta::minutes(5),
            id: format!("_assertion{}", now.timestamp_micros()),
        }
    }

    pub fn assertion(&self) -> String {
        let (now, end) = (time(self.now), time(self.now + self.lifetime));
        let request = self
            .request
            .as_ref()
            .map_or(String::new(), |id| format!(" InResponseTo=\"{}\"", escape(id)));
        let attribute = |name: &str, value: &Option<String>| {
            value.as_ref().map_or(String::new(), |value| {
                format!(
                    "<saml:Attribute Name=\"{name}\"><saml:AttributeValue>{}</saml:AttributeValue></saml:Attribute>",
                    escape(value)
                )
            })
        };
        format!(
            "<saml:Assertion xmlns:saml=\"{ASSERTION}\" ID=\"{id}\" Version=\"2.0\" IssueInstant=\"{now}\">\
             <saml:Issuer>{issuer}</saml:Issuer><!--signature of {id}-->\
             <saml:Subject><saml:NameID Format=\"{format}\">{subject}</saml:NameID>\
             <saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\">\
             <saml:SubjectConfirmationData Recipient=\"{acs}\" NotOnOrAfter=\"{end}\"{request}/>\
             </saml:SubjectConfirmation></saml:Subject>\
             <saml:Conditions NotBefore=\"{now}\" NotOnOrAfter=\"{end}\">\
             <saml:AudienceRestriction><saml:Audience>{audience}</saml:Audience></saml:AudienceRestriction>\
             </saml:Conditions>\
             <saml:AuthnStatement AuthnInstant=\"{now}\" SessionIndex=\"_session\"><saml:AuthnContext>\
             <saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>\
             </saml:AuthnContext></saml:AuthnStatement>\
             <saml:AttributeStatement>{email}{name}{attributes}</saml:AttributeStatement></saml:Assertion>",
            id = self.id,
            issuer = escape(&self.issuer),
            format = self.subject_format,
            subject = escape(&self.subject),
            acs = escape(&self.acs_url),
            audience = escape(&self.audience),
            email = attribute("email", &self.email),
            name = attribute("displayName", &self.display_name),
            attributes = self.attributes,
        )
    }

    /// A response around an assertion, without signatures.
    pub fn response(&self, assertion: &str) -> String {
        let request = self
            .request
            .as_ref()
            .map_or(String::new(), |id| format!(" InResponseTo=\"{}\"", escape(id)));
        format!(
            "<samlp:Response xmlns:samlp=\"{PROTOCOL}\" xmlns:saml=\"{ASSERTION}\" ID=\"_response\" Version=\"2.0\" \
             IssueInstant=\"{}\" Destination=\"{}\"{request}><saml:Issuer>{}</saml:Issuer>\
             <!--signature of _response--><samlp:Status><samlp:StatusCode \
             Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"/></samlp:Status>{assertion}</samlp:Response>",
            time(self.now),
            escape(&self.destination),
            escape(&self.issuer),
        )
    }

    /// The usual response: the assertion is signed.
    pub fn signed(&self, keys: Keys) -> String {
        sign(&self.response(&self.assertion()), &self.id, keys)
    }
}

fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The algorithms that encrypt an assertion.
#[derive(Debug, Clone, Copy)]
pub struct Encryption {
    pub content: &'static str,
    pub transport: &'static str,
}

impl Default for Encryption {
    fn default() -> Self {
        Self {
            content: "http://www.w3.org/2009/xmlenc11#aes256-gcm",
            transport: "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
        }
    }
}

/// An encrypted assertion with this text in it, for the service with this certificate in base64. AES of 256 bits alone.
pub fn encrypt(text: &str, certificate: &str, how: Encryption) -> String {
    let der = STANDARD.decode(certificate).expect("base64");
    let certificate = x509_cert::Certificate::from_der(&der).expect("a certificate");
    let public = certificate.tbs_certificate.subject_public_key_info;
    let public = PublicEncryptingKey::from_der(&public.to_der().expect("a key")).expect("an RSA key");
    let public = OaepPublicEncryptingKey::new(public).expect("a key");
    let key = [7; 32];
    let mut sealed_key = vec![0; public.ciphertext_size()];
    let sealed_key = public.encrypt(&OAEP_SHA1_MGF1SHA1, &key, &mut sealed_key, None);
    let mut bytes = text.as_bytes().to_vec();
    let sealed = if how.content.ends_with("cbc") {
        let key = UnboundCipherKey::new(&AES_256, &key).expect("a key");
        let key = PaddedBlockEncryptingKey::cbc_pkcs7(key).expect("a key");
        let context = key.encrypt(&mut bytes).expect("encrypted");
        let first: &[u8] = (&context).try_into().expect("a first block");
        [first, &bytes].concat()
    } else {
        let key = RandomizedNonceKey::new(&AES_256_GCM, &key).expect("a key");
        let nonce = key.seal_in_place_append_tag(Aad::empty(), &mut bytes).expect("sealed");
        [nonce.as_ref().as_slice(), &bytes].concat()
    };
    format!(
        "<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\" \
         Type=\"http://www.w3.org/2001/04/xmlenc#Element\"><xenc:EncryptionMethod Algorithm=\"{}\"/>\
         <ds:KeyInfo xmlns:ds=\"{SIGNATURE}\"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm=\"{}\"/>\
         <xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>\
         <xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>\
         </saml:EncryptedAssertion>",
        how.content,
        how.transport,
        STANDARD.encode(sealed_key.expect("an encrypted key")),
        STANDARD.encode(sealed),
    )
}

/// The id of the request in an address at the identity provider.
pub fn request_id(address: &Url) -> String {
    let mut query = address.query_pairs();
    let (_, request) = query.find(|(name, _)| name == "SAMLRequest").expect("a request");
    let request = STANDARD.decode(request.as_bytes()).expect("base64");
    let mut xml = String::new();
    let read = DeflateDecoder::new(request.as_slice()).read_to_string(&mut xml);
    read.expect("deflated");
    let (_, id) = xml.split_once(" ID=\"").expect("an id");
    id.split('"').next().unwrap_or_default().to_owned()
}

/// The form in which browsers carry a response.
pub fn encode(response: &str) -> String {
    STANDARD.encode(response)
}

/// Signs the element with an id, with the algorithm that fits the key. The signature takes the place of the comment.
pub fn sign(text: &str, id: &str, keys: Keys) -> String {
    let method = if RsaPrivateKey::from_pkcs8_pem(keys.key).is_ok() {
        RSA_SHA256
    } else {
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"
    };
    let transform = "http://www.w3.org/2001/10/xml-exc-c14n#";
    sign_with(
        text,
        id,
        keys,
        method,
        "http://www.w3.org/2001/04/xmlenc#sha256",
        transform,
    )
}

/// Signs with any algorithms, also with those that are refused.
pub fn sign_with(text: &str, id: &str, keys: Keys, method: &str, digest: &str, transform: &str) -> String {
    let placeholder = format!("<!--signature of {id}-->");
    let value = {
        let with_comments = transform.ends_with("WithComments");
        let without = text.replace(&placeholder, "");
        STANDARD.encode(hash(digest, &canonical_form(&without, id, with_comments)))
    };
    let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
    let info = format!(
        "<ds:SignedInfo xmlns:ds=\"{SIGNATURE}\"><ds:CanonicalizationMethod Algorithm=\"{exclusive}\">\
         </ds:CanonicalizationMethod><ds:SignatureMethod Algorithm=\"{method}\"></ds:SignatureMethod>\
         <ds:Reference URI=\"#{id}\"><ds:Transforms>\
         <ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform>\
         <ds:Transform Algorithm=\"{transform}\"></ds:Transform></ds:Transforms>\
         <ds:DigestMethod Algorithm=\"{digest}\"></ds:DigestMethod><ds:DigestValue>{value}</ds:DigestValue>\
         </ds:Reference></ds:SignedInfo>"
    );
    let signature = STANDARD.encode(signature(method, info.as_bytes(), keys));
    let signature = format!(
        "<ds:Signature xmlns:ds=\"{SIGNATURE}\">{}<ds:SignatureValue>{signature}</ds:SignatureValue></ds:Signature>",
        info.replacen(&format!(" xmlns:ds=\"{SIGNATURE}\""), "", 1)
    );
    text.replacen(&placeholder, &signature, 1)
}

fn canonical_form(text: &str, id: &str, with_comments: bool) -> Vec<u8> {
    let document = roxmltree::Document::parse(text).expect("XML");
    let element = document.descendants().find(|node| node.attribute("ID") == Some(id));
    let method = C14nAlgorithm::new(C14nMode::Exclusive1_0, with_comments);
    canonical(element.expect("the element to sign"), None, &method).expect("canonical form")
}

fn hash(uri: &str, bytes: &[u8]) -> Vec<u8> {
    match uri.rsplit('#').next() {
        Some("sha1") => Sha1::digest(bytes).to_vec(),
        Some("sha512") => Sha512::digest(bytes).to_vec(),
        _ => Sha256::digest(bytes).to_vec(),
    }
}

fn signature(method: &str, bytes: &[u8], keys: Keys) -> Vec<u8> {
    let rsa = || RsaPrivateKey::from_pkcs8_pem(keys.key).expect("an RSA key");
    match method.rsplit('#').next() {
        Some("rsa-sha1") => rsa()
            .sign(Pkcs1v15Sign::new::<Sha1>(), &Sha1::digest(bytes))
            .expect("signature"),
        Some("rsa-sha512") => rsa()
            .sign(Pkcs1v15Sign::new::<Sha512>(), &Sha512::digest(bytes))
            .expect("signature"),
        // The public certificate as the secret key: what a verifier would use that lets the message choose.
        Some("hmac-sha256") => {
            let mut mac = Hmac::<Sha256>::new_from_slice(keys.certificate.as_bytes()).expect("a key");
            mac.update(bytes);
            mac.finalize().into_bytes().to_vec()
        }
        Some("ecdsa-sha256") => {
            let key = p256::ecdsa::SigningKey::from_pkcs8_pem(keys.key).expect("a key on P-256");
            let signed: p256::ecdsa::Signature = key.sign_prehash(&Sha256::digest(bytes)).expect("signature");
            signed.to_vec()
        }
        _ => rsa()
            .sign(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(bytes))
            .expect("signature"),
    }
}
