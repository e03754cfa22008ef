//! Lower-case base32hex, the text form of ids, hashes and signatures. Its alphabet sorts like the bytes it encodes.

use std::fmt;

use data_encoding::BASE32HEX_NOPAD;

pub fn encode(bytes: &[u8]) -> String {
    let mut text = BASE32HEX_NOPAD.encode(bytes);
    text.make_ascii_lowercase();
    text
}

/// Encodes without allocating: for ids, of which a list shows thousands. The buffer has the length of the text.
pub fn encode_into<'t>(bytes: &[u8], buffer: &'t mut [u8]) -> Result<&'t str, fmt::Error> {
    if BASE32HEX_NOPAD.encode_len(bytes.len()) != buffer.len() {
        return Err(fmt::Error);
    }
    BASE32HEX_NOPAD.encode_mut(bytes, buffer);
    buffer.make_ascii_lowercase();
    std::str::from_utf8(buffer).map_err(|_| fmt::Error)
}

/// Accepts exactly one text for each `N` bytes: no upper case, no padding, no stray bits in the last character.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    if BASE32HEX_NOPAD.encode_len(N) != text.len() || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let bytes = BASE32HEX_NOPAD.decode(text.to_ascii_uppercase().as_bytes()).ok()?;
    bytes.try_into().ok()
}
