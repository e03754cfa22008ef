//! Names made of what they name: contents, and the bytes of files.

use std::{fmt, str::FromStr};

use data_encoding::BASE32HEX_NOPAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

/// The SHA-256 of what it names. On the wire it is lower-case base32hex, as ids are.
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

    pub fn to_vec(self) -> Vec<u8> {
        self.0.to_vec()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE32HEX_NOPAD.encode(&self.0).to_ascii_lowercase())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// The text is not the text form of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidHash;

impl fmt::Display for InvalidHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a hash")
    }
}

impl FromStr for Hash {
    type Err = InvalidHash;

    /// Accepts exactly one text for each hash.
    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        if text.len() != TEXT_LENGTH || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(InvalidHash);
        }
        let bytes = BASE32HEX_NOPAD.decode(text.to_ascii_uppercase().as_bytes());
        bytes.ok().and_then(|bytes| Self::from_bytes(&bytes)).ok_or(InvalidHash)
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
