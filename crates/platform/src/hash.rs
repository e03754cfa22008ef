//! Content hashes.

use std::{fmt, str::FromStr};

use entity::base32;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// The SHA-256 of an object of content, or of the bytes of a file. On the wire it is lower-case base32hex, as ids are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

/// Length of a hash's text form: 256 bits at 5 bits a character.
const TEXT_LENGTH: usize = 52;

impl Hash {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The beginning of the hash as an id, which no generator of ids makes.
    pub fn to_uuid(self) -> Uuid {
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(self.0) {
            *to = from;
        }
        Builder::from_custom_bytes(bytes).into_uuid()
    }

    pub fn to_vec(self) -> Vec<u8> {
        self.0.to_vec()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(base32::encode_into(&self.0, &mut [0; TEXT_LENGTH])?)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// The error for a text that is not the text form of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidHash;

impl fmt::Display for InvalidHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a hash of {TEXT_LENGTH} characters")
    }
}

impl FromStr for Hash {
    type Err = InvalidHash;

    /// Accepts exactly one text for each hash.
    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        base32::decode(text).map(Self).ok_or(InvalidHash)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(D::Error::custom)
        } else {
            <[u8; 32]>::deserialize(deserializer).map(Self)
        }
    }
}
