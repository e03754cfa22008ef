//! Addresses of files that work without a token: whoever got one from the API may read the file.

use data_encoding::BASE32HEX_NOPAD;
use entity::ids::NodeId;
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;

use crate::{hash::Hash, secrets::signer};

/// Bytes of the signature: 160 bits, beyond guessing.
const TAG_LENGTH: usize = 20;

/// Left as they are in a path or a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What an address says, and its signature vouches for. The media type is a part of it: a caller who could choose it
/// could make a browser run a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLink<'a> {
    pub space: NodeId,
    pub hash: Hash,
    pub name: &'a str,
    pub content_type: &'a str,
}

/// Makes and checks addresses with the server's key.
#[derive(Clone)]
pub struct FileLinks(Hmac<Sha256>);

impl FileLinks {
    pub fn new(key: [u8; 32]) -> Self {
        Self(signer(key))
    }

    /// The path of a file, with its query.
    pub fn path(&self, link: &FileLink<'_>) -> String {
        let tag = self.sign(link).finalize().into_bytes();
        let tag: Vec<u8> = tag.into_iter().take(TAG_LENGTH).collect();
        let signature = BASE32HEX_NOPAD.encode(&tag).to_ascii_lowercase();
        let name = utf8_percent_encode(link.name, PLAIN);
        let content_type = utf8_percent_encode(link.content_type, PLAIN);
        format!(
            "/files/{signature}/{}/{}/{name}?type={content_type}",
            link.space, link.hash
        )
    }

    /// Whether the signature was made here for this link.
    pub fn verify(&self, link: &FileLink<'_>, signature: &str) -> bool {
        if signature.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return false;
        }
        let tag = BASE32HEX_NOPAD.decode(signature.to_ascii_uppercase().as_bytes());
        // A shorter one would be easier to guess. Compares in constant time.
        tag.is_ok_and(|tag| tag.len() == TAG_LENGTH && self.sign(link).verify_truncated_left(&tag).is_ok())
    }

    /// All but the last part are of fixed length or come with it, so that no other link has the same bytes.
    fn sign(&self, link: &FileLink<'_>) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(link.space.as_uuid().as_bytes());
        mac.update(link.hash.as_bytes());
        mac.update(&link.name.len().to_be_bytes());
        mac.update(link.name.as_bytes());
        mac.update(link.content_type.as_bytes());
        mac
    }
}

/// Without the key.
impl std::fmt::Debug for FileLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FileLinks")
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn link<'a>(name: &'a str, content_type: &'a str) -> FileLink<'a> {
        FileLink {
            space: NodeId::from_uuid(Uuid::from_u128(7)),
            hash: Hash::of(b"bytes"),
            name,
            content_type,
        }
    }

    fn signature(path: &str) -> &str {
        path.split('/').nth(2).unwrap()
    }

    #[test]
    fn only_what_was_signed_is_accepted() {
        let links = FileLinks::new([1; 32]);
        let signed = link("a b/ü.png", "image/png");
        let path = links.path(&signed);
        let good = signature(&path);
        assert!(path.ends_with("/a%20b%2F%C3%BC.png?type=image%2Fpng"), "{path}");
        assert!(links.verify(&signed, good));
        let other_space = FileLink {
            space: NodeId::from_uuid(Uuid::from_u128(8)),
            ..signed
        };
        let other_bytes = FileLink {
            hash: Hash::of(b"others"),
            ..signed
        };
        let others = [
            other_space,
            other_bytes,
            link("a b/ü.svg", "image/png"),
            link("a b/ü.png", "image/svg+xml"),
            link("a b/ü.pngimage", "/png"),
        ];
        assert!(others.iter().all(|other| !links.verify(other, good)));
        assert!(!FileLinks::new([2; 32]).verify(&signed, good));
    }

    #[test]
    fn a_signature_has_one_spelling_and_all_its_length() {
        let links = FileLinks::new([1; 32]);
        let signed = link("a.png", "image/png");
        let path = links.path(&signed);
        let good = signature(&path);
        for bad in [
            "",
            "0",
            &good.to_uppercase(),
            good.get(..16).unwrap(),
            &format!("{good}00"),
        ] {
            assert!(!links.verify(&signed, bad), "{bad}");
        }
    }
}
