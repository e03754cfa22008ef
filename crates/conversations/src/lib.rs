//! Issues in support conversations: how they are found in a text, and grouped by what they are about.
//!
//! Nothing here knows a database or a network. [`extract`] finds issues by itself; [`chat`] is the same question to a
//! language model: the body of the request, and the check of the response. [`clusters`] groups issues by their words.

pub mod chat;
mod clean;
pub mod clusters;
mod cues;
mod extract;
mod language;
mod mail;
mod mask;
mod sentences;

pub use self::{
    extract::extract,
    mail::{MailPart, mail_parts, own_text},
};

/// The most characters of a title.
pub const MAX_TITLE: usize = 100;

/// The most characters of a summary.
pub const MAX_SUMMARY: usize = 1000;

/// The most issues of a conversation.
pub const MAX_ISSUES: usize = 5;

/// The author of a part of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
    TeamMember,
}

/// A part of a conversation. The text is plain: Markdown and HTML are converted before.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    pub role: Role,
    pub text: &'a str,
}

/// Something that the user could not do, did not find or did not understand.
///
/// Both texts are one line each, without control characters and invisible ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundIssue {
    /// 1 to [`MAX_TITLE`] characters.
    pub title: String,
    /// 1 to [`MAX_SUMMARY`] characters.
    pub summary: String,
}
