//! XML signatures, as far as SAML uses them, and nothing of them besides.

use p256::ecdsa::signature::hazmat::PrehashVerifier;
use p256::pkcs8::DecodePublicKey;
use roxmltree::{Document, Node, NodeId};
use rsa::{Pkcs1v15Sign, RsaPublicKey};
use sha2::{Digest, Sha256, Sha384, Sha512};
use subtle::ConstantTimeEq;
use xml_sec::c14n::{C14nAlgorithm, canonicalize};

use crate::{
    Certificate, Refusal,
    certificate::Key,
    xml::{self, SIGNATURE, children, only_child},
};

const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

#[derive(Debug, Clone, Copy)]
enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

#[derive(Debug, Clone, Copy)]
enum Family {
    Rsa,
    Elliptic,
}

/// Verifies the signature of an element, and returns the bytes that are signed: the element in canonical form.
pub fn signed_text(element: Node<'_, '_>, signature: Node<'_, '_>, trusted: &[Certificate]) -> Result<String, Refusal> {
    let info = part(signature, "SignedInfo")?;
    let method = canonicalization(part(info, "CanonicalizationMethod")?)?;
    let signed_info = canonical(info, None, &method)?;
    let value = decode(part(signature, "SignatureValue")?)?;
    // What is believed is what was signed, not where it came from.
    let text = String::from_utf8(signed_info).map_err(|_| wrong("SignedInfo is not UTF-8"))?;
    let document = xml::parse(&text)?;
    let info = document.root_element();
    let (family, hash) = signature_method(algorithm(part(info, "SignatureMethod")?)?)?;
    let digest = hash.of(text.as_bytes());
    if !trusted
        .iter()
        .any(|certificate| verify(certificate.key(), family, hash, &digest, &value))
    {
        return Err(wrong("no certificate of the identity provider made it"));
    }
    referenced_text(element, signature, part(info, "Reference")?)
}

/// Returns the element in canonical form, if its digest is the one of the reference.
fn referenced_text(element: Node<'_, '_>, signature: Node<'_, '_>, reference: Node<'_, '_>) -> Result<String, Refusal> {
    let id = element
        .attribute("ID")
        .ok_or(Refusal::Structure("the signed element has no id"))?;
    if reference.attribute("URI").and_then(|uri| uri.strip_prefix('#')) != Some(id) {
        return Err(wrong("the reference is not to the element around the signature"));
    }
    let method = transforms(part(reference, "Transforms")?)?;
    let hash = digest_method(algorithm(part(reference, "DigestMethod")?)?)?;
    let expected = decode(part(reference, "DigestValue")?)?;
    let bytes = canonical(element, Some(signature.id()), &method)?;
    if !bool::from(hash.of(&bytes).ct_eq(&expected)) {
        return Err(wrong("the digest is another one"));
    }
    String::from_utf8(bytes).map_err(|_| wrong("the element is not UTF-8"))
}

/// The only child of a name in a signature.
fn part<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> Result<Node<'a, 'i>, Refusal> {
    only_child(node, SIGNATURE, name).ok_or_else(|| wrong(format!("it needs one {name}")))
}

fn algorithm<'a>(node: Node<'a, '_>) -> Result<&'a str, Refusal> {
    xml::algorithm(node).map_err(wrong)
}

fn wrong(what: impl Into<String>) -> Refusal {
    Refusal::Signature(what.into())
}

/// The method of canonicalization, and its prefixes. Only the exclusive one without comments.
fn canonicalization(node: Node<'_, '_>) -> Result<C14nAlgorithm, Refusal> {
    let uri = algorithm(node)?;
    let method = C14nAlgorithm::from_uri(uri).filter(|_| uri == EXCLUSIVE);
    let method = method.ok_or_else(|| Refusal::Algorithm(uri.to_owned()))?;
    let mut elements = node.children().filter(Node::is_element);
    let (prefixes, further) = (elements.next(), elements.next());
    match prefixes {
        None => Ok(method),
        Some(list) if xml::is(list, EXCLUSIVE, "InclusiveNamespaces") && further.is_none() => {
            Ok(method.with_prefix_list(list.attribute("PrefixList").unwrap_or_default()))
        }
        Some(_) => Err(wrong("an unknown parameter of the canonicalization")),
    }
}

/// Exactly the two transforms of SAML: the signature is left out, and the rest is canonicalized.
fn transforms(node: Node<'_, '_>) -> Result<C14nAlgorithm, Refusal> {
    let mut transforms = children(node, SIGNATURE, "Transform");
    match (transforms.next(), transforms.next(), transforms.next()) {
        (Some(first), Some(second), None) if algorithm(first)? == ENVELOPED => canonicalization(second),
        (Some(first), ..) if algorithm(first)? != ENVELOPED => Err(Refusal::Algorithm(algorithm(first)?.to_owned())),
        _ => Err(wrong(
            "it needs the transforms enveloped-signature and exclusive canonicalization",
        )),
    }
}

fn signature_method(uri: &str) -> Result<(Family, Hash), Refusal> {
    match uri {
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" => Ok((Family::Rsa, Hash::Sha256)),
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384" => Ok((Family::Rsa, Hash::Sha384)),
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512" => Ok((Family::Rsa, Hash::Sha512)),
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256" => Ok((Family::Elliptic, Hash::Sha256)),
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384" => Ok((Family::Elliptic, Hash::Sha384)),
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512" => Ok((Family::Elliptic, Hash::Sha512)),
        other => Err(Refusal::Algorithm(other.to_owned())),
    }
}

fn digest_method(uri: &str) -> Result<Hash, Refusal> {
    match uri {
        "http://www.w3.org/2001/04/xmlenc#sha256" => Ok(Hash::Sha256),
        "http://www.w3.org/2001/04/xmldsig-more#sha384" => Ok(Hash::Sha384),
        "http://www.w3.org/2001/04/xmlenc#sha512" => Ok(Hash::Sha512),
        other => Err(Refusal::Algorithm(other.to_owned())),
    }
}

impl Hash {
    fn of(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha384 => Sha384::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }

    fn padding(self) -> Pkcs1v15Sign {
        match self {
            Self::Sha256 => Pkcs1v15Sign::new::<Sha256>(),
            Self::Sha384 => Pkcs1v15Sign::new::<Sha384>(),
            Self::Sha512 => Pkcs1v15Sign::new::<Sha512>(),
        }
    }
}

/// Returns whether the key made the signature. The kind of the key decides, not the message: a key of another kind never
/// verifies anything.
fn verify(key: &Key, family: Family, hash: Hash, digest: &[u8], value: &[u8]) -> bool {
    match (key, family) {
        (Key::Rsa(info), Family::Rsa) => {
            RsaPublicKey::from_public_key_der(info).is_ok_and(|key| key.verify(hash.padding(), digest, value).is_ok())
        }
        (Key::P256(info), Family::Elliptic) => {
            let key = p256::ecdsa::VerifyingKey::from_public_key_der(info);
            let value = p256::ecdsa::Signature::from_slice(value);
            matches!((key, value), (Ok(key), Ok(value)) if key.verify_prehash(digest, &value).is_ok())
        }
        (Key::P384(info), Family::Elliptic) => {
            let key = p384::ecdsa::VerifyingKey::from_public_key_der(info);
            let value = p384::ecdsa::Signature::from_slice(value);
            matches!((key, value), (Ok(key), Ok(value)) if key.verify_prehash(digest, &value).is_ok())
        }
        _ => false,
    }
}

fn decode(node: Node<'_, '_>) -> Result<Vec<u8>, Refusal> {
    xml::base64(node).map_err(wrong)
}

/// Writes an element in canonical form, without one of the elements in it.
pub(crate) fn canonical(
    element: Node<'_, '_>,
    without: Option<NodeId>,
    method: &C14nAlgorithm,
) -> Result<Vec<u8>, Refusal> {
    let document: &Document<'_> = element.document();
    let (top, mut bytes) = (element.id(), Vec::new());
    let within = |node: Node<'_, '_>| {
        let mut ancestors = node.ancestors().map(|ancestor| ancestor.id());
        let mut left_out = false;
        let inside = ancestors.any(|id| {
            left_out |= Some(id) == without;
            id == top
        });
        inside && !left_out
    };
    canonicalize(document, Some(&within), method, &mut bytes).map_err(|e| wrong(e.to_string()))?;
    Ok(bytes)
}
