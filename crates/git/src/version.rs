//! The version of git.

use std::fmt;

/// The oldest version that works: that of Debian 12.
pub const MINIMUM: Version = Version {
    major: 2,
    minor: 39,
    patch: 0,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// `git version 2.39.5 (Apple Git-154)`, `git version 2.40.0.rc1`.
pub(crate) fn parse(text: &str) -> Option<Version> {
    let mut numbers = text.strip_prefix("git version ")?.split(['.', ' ', '\n', '-']);
    let mut number = || numbers.next()?.parse().ok();
    Some(Version {
        major: number()?,
        minor: number()?,
        patch: number().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_systems_are_read() {
        for (text, expected) in [
            ("git version 2.39.5\n", Some("2.39.5")),
            ("git version 2.50.1 (Apple Git-155)\n", Some("2.50.1")),
            ("git version 2.45.1.windows.1", Some("2.45.1")),
            ("git version 3.0-rc1", Some("3.0.0")),
            ("zsh: command not found", None),
        ] {
            assert_eq!(
                parse(text).map(|version| version.to_string()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
