//! Names of objects, refs and files.

use std::{fmt, str::FromStr};

use data_encoding::HEXLOWER;

use crate::{GitError, text::clean};

const MAX_REF: usize = 1000;
const MAX_PATH: usize = 4096;

/// Components that git keeps for itself, in lower case.
const RESERVED: [&str; 5] = ["", ".", "..", ".git", "git~1"];

/// The name of an object, a SHA-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(pub [u8; 20]);

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl FromStr for Oid {
    type Err = GitError;

    fn from_str(text: &str) -> Result<Self, GitError> {
        let bytes = HEXLOWER.decode(text.as_bytes()).ok();
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(GitError::ObjectFormat)
    }
}

/// A full name of a branch, a tag, or the head of a pull or merge request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RefName(String);

impl RefName {
    /// `refs/heads/…`, `refs/tags/…`, `refs/pull/N/head` or `refs/merge-requests/N/head`.
    pub fn parse(name: &str) -> Result<Self, GitError> {
        let known = match name.strip_prefix("refs/") {
            Some(rest) => match rest.split_once('/') {
                Some(("heads" | "tags", rest)) => !rest.is_empty(),
                Some(("pull" | "merge-requests", rest)) => rest.strip_suffix("/head").is_some_and(is_number),
                _ => false,
            },
            None => false,
        };
        match known && is_well_formed(name) {
            true => Ok(Self(name.to_owned())),
            false => Err(GitError::Ref),
        }
    }

    /// The branch of this short name.
    pub fn branch(name: &str) -> Result<Self, GitError> {
        Self::parse(&format!("refs/heads/{name}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The short name, if this is a branch.
    pub fn as_branch(&self) -> Option<&str> {
        self.0.strip_prefix("refs/heads/")
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 10 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The rules of `git check-ref-format`. A part that begins with `-` is refused too: elsewhere it would be an option.
fn is_well_formed(name: &str) -> bool {
    let is_forbidden = |character: char| character.is_control() || " ~^:?*[\\".contains(character);
    let is_part = |part: &str| {
        !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock") && !part.contains(is_forbidden)
    };
    name.len() <= MAX_REF
        && name.split('/').all(is_part)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
}

/// Refuses a path that git refuses, or that other systems would take for one of git.
pub(crate) fn check_path(path: &str) -> Result<(), GitError> {
    let is_reserved = |part: &str| RESERVED.contains(&part.to_ascii_lowercase().as_str());
    match path.len() > MAX_PATH || path.contains('\0') || path.split('/').any(is_reserved) {
        true => Err(GitError::Path(clean(path, 200))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn refs_follow_the_rules_of_git() {
        for branch in [
            "main", "a/b", "ä", "a.b", "a@b", "@", "a{b", ".a", "a/.b", "a.", "a..b", "a.lock", "a.lock/b", "a b",
            "a~", "a^", "a:b", "a?", "a*", "a[", "a\\b", "a//b", "/a", "a/", "a@{b", "a\u{7f}", "a\tb", "",
        ] {
            let name = format!("refs/heads/{branch}");
            let status = Command::new("git").args(["check-ref-format", &name]).status().unwrap();
            assert_eq!(RefName::branch(branch).is_ok(), status.success(), "{name:?}");
        }
    }

    #[test]
    fn only_branches_tags_and_requests_are_refs() {
        for name in [
            "refs/heads/main",
            "refs/tags/v1",
            "refs/pull/12/head",
            "refs/merge-requests/3/head",
        ] {
            assert!(RefName::parse(name).is_ok(), "{name}");
        }
        for name in [
            "main",
            "HEAD",
            "-main",
            "--upload-pack=x",
            "refs/heads/",
            "refs/heads/-x",
            "refs/notes/x",
            "refs/pull/x/head",
            "refs/pull/1/merge",
            "refs/pull//head",
            "+refs/heads/main",
            "refs/heads/a:refs/heads/b",
            "refs/heads/a\nb",
        ] {
            assert!(matches!(RefName::parse(name), Err(GitError::Ref)), "{name}");
        }
    }

    #[test]
    fn oids_are_forty_digits() {
        let text = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(text.parse::<Oid>().unwrap().to_string(), text);
        for wrong in [
            "",
            "4b82",
            &text.replace('4', "-"),
            &format!("{text}00"),
            &text.to_uppercase(),
        ] {
            assert!(wrong.parse::<Oid>().is_err(), "{wrong}");
        }
    }
}
