//! Typed identifiers.
//!
//! Stored as a native UUID (16 bytes), shown as 26 characters of base32hex (see [`base32`]), so that ids made later sort
//! later in the database, in URLs and in logs.
//!
//! The ids of some types are shown with a prefix. Without it they name the same.

pub mod base32;

use std::{fmt, str::FromStr};

use uuid::Uuid;

/// Length of an id's text form: 128 bits at 5 bits a character.
pub const TEXT_LENGTH: usize = 26;

/// The error for a text that is not the text form of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidId;

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an id")
    }
}

impl std::error::Error for InvalidId {}

fn write_text(prefix: &str, id: &Uuid, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [0; TEXT_LENGTH];
    let text = base32::encode_into(id.as_bytes(), &mut text)?;
    match prefix {
        "" => f.pad(text),
        prefix => f.pad(&format!("{prefix}{text}")),
    }
}

fn parse_text(prefix: &str, text: &str) -> Result<Uuid, InvalidId> {
    let text = text.strip_prefix(prefix).unwrap_or(text);
    base32::decode(text).map(Uuid::from_bytes).ok_or(InvalidId)
}

/// An id of any type.
pub trait Id: Copy + From<Uuid> + FromStr<Err = InvalidId> {
    /// Reads an id that a request names. An id that cannot be parsed becomes the nil id: no row has it, so it matches nothing.
    fn parse_or_nil(text: &str) -> Self {
        text.parse().unwrap_or_else(|_| Self::from(Uuid::nil()))
    }
}

/// Reads an id with this prefix.
struct IdVisitor(&'static str);

impl serde::de::Visitor<'_> for IdVisitor {
    type Value = Uuid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an id of {TEXT_LENGTH} characters")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Uuid, E> {
        parse_text(self.0, text).map_err(E::custom)
    }
}

/// Declares id types with everything that they need on the wire and in the database.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $(with prefix $prefix:literal)?,)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, sea_orm::DeriveValueType)]
        pub struct $name(Uuid);

        impl $name {
            const PREFIX: &'static str = concat!($($prefix)?);

            pub const fn from_uuid(id: Uuid) -> Self {
                Self(id)
            }

            pub const fn as_uuid(&self) -> &Uuid {
                &self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl Id for $name {}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_text(Self::PREFIX, &self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                parse_text(Self::PREFIX, text).map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(IdVisitor(Self::PREFIX)).map(Self)
            }
        }

        // Required of primary keys; only databases that number rows themselves call it.
        impl sea_orm::TryFromU64 for $name {
            fn try_from_u64(_: u64) -> Result<Self, sea_orm::DbErr> {
                Err(sea_orm::DbErr::ConvertFromU64(stringify!($name)))
            }
        }
    )+};
}

ids! {
    /// Names a user.
    UserId,
    /// Names an API token of a user; not the secret itself.
    TokenId,
    /// Names an organization.
    OrganizationId,
    /// Names a team of an organization.
    TeamId,
    /// Names a space or a collection.
    NodeId,
    /// Names a revision of content.
    RevisionId,
    /// Names a page, in every revision that holds it.
    PageId,
    /// Names a file, in every revision that holds it.
    FileId,
    /// Names one storing of the bytes of files.
    BlobId,
    BackupId,
    /// Names content that several pages share.
    ReusableContentId,
    /// Names a change request.
    ChangeRequestId,
    /// Names a link of a change request to another address.
    ChangeRequestLinkId,
    /// Names a review of a change request.
    ReviewId,
    /// Names a comment, or a reply to one.
    CommentId,
    /// Names a permission of a user or a team on a space or collection.
    PermissionId,
    /// Names an event of the audit log.
    AuditEventId,
    /// Names an invite link. Whoever knows it can join.
    InviteId,
    /// Names a site.
    SiteId,
    /// Names a section of a site. It begins with a letter, because pages use it as the name of an element, which style sheets and
    /// scripts select.
    SiteSectionId with prefix "section_",
    /// Names a group of sections of a site.
    SiteSectionGroupId,
    /// Names a link to another address in the structure of a site.
    SiteExternalLinkId,
    /// Names the place of a space in a site.
    SiteSpaceId,
    /// Names a share link of a site. Only its key, which the server signs, opens the site.
    ShareLinkId,
    /// Names a redirect of a site.
    SiteRedirectId,
    /// Names an MCP server of a site.
    SiteMcpServerId,
    /// Names a font of an organization.
    CustomFontId,
    /// Names an uploaded file of a font.
    UploadId,
    /// Names a SAML identity provider of an organization.
    SamlProviderId,
    /// Names a request to a SAML identity provider to let a person in.
    SamlRequestId,
    /// Names a session of a person who signed in.
    SessionId,
    /// Names an OpenAPI specification of an organization.
    OpenapiSpecId,
    /// Names a version of an OpenAPI specification.
    OpenapiSpecVersionId,
    /// Names an entry of the glossary of an organization.
    GlossaryEntryId,
    /// Names a translation of a space.
    TranslationId,
    /// Names an import from a Git repository, or an export to one.
    GitOperationId,
    /// Names an installation by which a space follows a branch.
    GitInstallationId,
    /// Names an import of a website, an archive or a repository.
    ImportRunId,
    /// Names a PDF of a space, or of a part of it.
    PdfExportId,
    /// Names an integration; on the wire its name does.
    IntegrationId,
    /// Names the installation of an integration on an organization.
    IntegrationInstallationId,
    /// Names the place of an installation on one space or site.
    ContentInstallationId,
    /// Names an endpoint of an organization that receives events.
    WebhookId,
    /// Names an event of one integration or webhook.
    DeliveryId,
    /// Names a queue of the events of one installation, integration or webhook.
    DeliveryQueueId,
    /// Names a change of the content of a space.
    ContentChangeId,
    /// Names a batch of events of visitors that waits to be put into the queues of integrations.
    VisitorBatchId,
    /// Names a job of the background.
    JobId,
    /// Names the claim of one process on the jobs that it runs.
    LeaseId,
    /// Names a batch of insight events that waits for the engine.
    InsightBatchId,
    /// Names the batches that the engine takes together.
    InsightChunkId,
    /// Names a segment of insight events of one site and day.
    InsightSegmentId,
    /// Names a conversation with a customer.
    ConversationId,
    /// Names an issue that was found in a conversation.
    ConversationIssueId,
    /// Names a cluster of similar issues.
    IssuesClusterId,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(value: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(value))
    }

    #[test]
    fn text_form_is_short_and_round_trips() {
        for value in [0, 1, u128::MAX, 0x0197_c0ff_ee00_7abc_8def_0123_4567_89ab] {
            let text = id(value).to_string();
            assert_eq!(text.len(), TEXT_LENGTH);
            assert!(
                text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'v')),
                "{text}"
            );
            assert_eq!(text.parse(), Ok(id(value)));
            assert_eq!(UserId::parse_or_nil(&text), id(value));
        }
    }

    #[test]
    fn a_prefix_is_shown_and_may_be_left_out() {
        let section = SiteSectionId::from_uuid(Uuid::from_u128(7));
        let text = section.to_string();
        let plain = id(7).to_string();
        assert_eq!(text, format!("section_{plain}"));
        for named in [&text, &plain] {
            assert_eq!(named.parse(), Ok(section));
            assert_eq!(
                serde_json::from_value::<SiteSectionId>(named.as_str().into()).unwrap(),
                section
            );
        }
        for bad in [
            format!("section_{text}"),
            format!("site_{plain}"),
            "section_".to_owned(),
        ] {
            assert_eq!(bad.parse::<SiteSectionId>(), Err(InvalidId), "{bad}");
        }
        assert_eq!(text.parse::<UserId>(), Err(InvalidId));
    }

    #[test]
    fn text_sorts_like_the_bytes() {
        let mut ids: Vec<_> = (0..128).map(|bit| id(1 << bit)).collect();
        ids.sort_unstable_by_key(UserId::to_string);
        assert!(ids.is_sorted());
    }

    #[test]
    fn every_other_spelling_is_refused() {
        let good = id(0x0197_c0ff_ee00_7abc_8def_0123_4567_89ab).to_string();
        let stray_bits = format!("{}1", "0".repeat(TEXT_LENGTH - 1));
        let bad = [
            good.to_uppercase(),
            format!("{good}0"),
            good.chars().skip(1).collect(),
            format!("{good}===="),
            good.replacen('0', "w", 1),
            good.replacen('0', "é", 1),
            Uuid::nil().to_string(),
            String::new(),
            stray_bits,
        ];
        for text in bad {
            assert_eq!(text.parse::<UserId>(), Err(InvalidId), "{text}");
            assert_eq!(UserId::parse_or_nil(&text), id(0), "{text}");
        }
    }
}
