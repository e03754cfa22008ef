//! Patterns of addresses: `*` stands for any characters but slashes, and `**` for any characters.

/// Returns whether a pattern matches a whole address. The time is at most the product of both lengths.
pub fn matches(pattern: &str, address: &str) -> bool {
    let literal = pattern.split('*').next().unwrap_or_default();
    if !address.starts_with(literal) {
        return false;
    }
    // The ends of the beginnings of the address that the parts so far match.
    let mut reached = vec![false; address.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    let mut rest = pattern;
    while let Some(byte) = rest.bytes().next() {
        rest = match rest.strip_prefix("**") {
            Some(after) => {
                extend(&mut reached, address, |_| true);
                after
            }
            None if byte == b'*' => {
                extend(&mut reached, address, |byte| byte != b'/');
                rest.get(1..).unwrap_or_default()
            }
            None => {
                reached = step(&reached, address, byte);
                // Bytes of one character, of which addresses have none but ASCII.
                match rest.split_at_checked(1) {
                    Some((_, after)) => after,
                    None => return false,
                }
            }
        };
    }
    reached.last() == Some(&true)
}

/// Goes on over all bytes that are allowed.
fn extend(reached: &mut [bool], address: &str, is_allowed: impl Fn(u8) -> bool) {
    let mut is_before = false;
    for (here, byte) in reached
        .iter_mut()
        .zip(std::iter::once(None).chain(address.bytes().map(Some)))
    {
        *here |= is_before && byte.is_some_and(&is_allowed);
        is_before = *here;
    }
}

/// Goes on over one byte.
fn step(reached: &[bool], address: &str, byte: u8) -> Vec<bool> {
    let next = reached
        .iter()
        .zip(address.bytes())
        .map(|(here, at)| *here && at == byte);
    std::iter::once(false).chain(next).collect()
}
