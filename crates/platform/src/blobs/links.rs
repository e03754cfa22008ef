//! Signed file URLs. They work without a token: the holder of a URL from the API may read the file.

use entity::{base32, ids::NodeId};
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::Sha256;

use crate::{hash::Hash, secrets::signer};

/// Bytes of the signature: 160 bits, beyond guessing.
const TAG_LENGTH: usize = 20;

/// Characters that are not percent-encoded in a path or a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The signed parts of a file URL. The media type is one of them: a caller who could choose it could make a browser run
/// a picture as a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLink<'a> {
    pub space: NodeId,
    pub hash: Hash,
    pub name: &'a str,
    pub content_type: &'a str,
}

/// A file as its URL names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SignedFile {
    pub space: NodeId,
    pub hash: Hash,
    pub name: String,
    pub content_type: String,
}

impl SignedFile {
    fn link(&self) -> FileLink<'_> {
        FileLink {
            space: self.space,
            hash: self.hash,
            name: &self.name,
            content_type: &self.content_type,
        }
    }
}

/// Signs and verifies file URLs with the server's key.
#[derive(Clone)]
pub struct FileLinks(Hmac<Sha256>);

impl FileLinks {
    pub fn new(key: [u8; 32]) -> Self {
        Self(signer(key))
    }

    /// Returns the signed path of a file, with its query.
    pub fn path(&self, link: &FileLink<'_>) -> String {
        let tag = self.sign(link).finalize().into_bytes();
        let tag: Vec<u8> = tag.into_iter().take(TAG_LENGTH).collect();
        let signature = base32::encode(&tag);
        let name = utf8_percent_encode(link.name, PLAIN);
        let content_type = utf8_percent_encode(link.content_type, PLAIN);
        format!(
            "/files/{signature}/{}/{}/{name}?type={content_type}",
            link.space, link.hash
        )
    }

    /// Reads `{signature}/{space}/{hash}/{name}` with the query `type={content type}`. `None`: it was not signed with this key.
    pub fn read(&self, path: &str, query: Option<&str>) -> Option<SignedFile> {
        let mut parts = path.split('/');
        let (signature, space, hash, name) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let content_type = query?.strip_prefix("type=")?;
        let decoded = |text| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
        let file = SignedFile {
            space: space.parse().ok()?,
            hash: hash.parse().ok()?,
            name: decoded(name)?,
            content_type: decoded(content_type)?,
        };
        let is_signed = parts.next().is_none() && self.verify(&file.link(), signature);
        is_signed.then_some(file)
    }

    /// Returns whether the signature was made with this key for this link.
    fn verify(&self, link: &FileLink<'_>, signature: &str) -> bool {
        // Only the full length is accepted: a shorter signature would be easier to guess.
        let tag = base32::decode::<TAG_LENGTH>(signature);
        // Compares in constant time.
        tag.is_some_and(|tag| self.sign(link).verify_truncated_left(&tag).is_ok())
    }

    /// Each part but the last has a fixed length or is preceded by its length, so that no two links sign the same bytes.
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

/// Hides the key.
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
        let (place, query) = path.trim_start_matches("/files/").split_once('?').unwrap();
        let read = links.read(place, Some(query)).unwrap();
        assert_eq!(read.link(), signed);
        for (place, query) in [
            (place, None),
            (place, Some("type=text%2Fhtml")),
            (&*format!("{place}/x"), Some(query)),
        ] {
            assert_eq!(links.read(place, query), None);
        }
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
