//! Events and their fields.

use std::sync::Arc;

/// A field of an event that has a column of its own. The numbers are stored: they never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Field {
    Type = 10,
    Url,
    DisplayContext,
    SiteSection,
    SiteSpace,
    SiteShareKey,
    Space,
    Revision,
    Page,
    /// ISO 3166 code of the country.
    Country,
    /// `latitude,longitude` in degrees.
    Point,
    Device,
    Browser,
    Os,
    Bot,
    Language,
    /// The JSON of a content reference.
    LinkTarget,
    LinkKind,
    LinkDomain,
    LinkPosition,
    OperationPath,
    OperationMethod,
    SearchQuery,
    /// `ok`, `good` or `bad`.
    PageFeedbackRating,
    PageFeedbackComment,
    /// `1` or `-1`.
    AskRating,
    Referrer,
    ReferrerDomain,
    UtmSource,
    UtmMedium,
    UtmCampaign,
    UtmTerm,
    UtmContent,
    /// A JSON object with its keys in order.
    Claims,
    AdDomain,
    AdPlacement,
    TrademarkPlacement,
    /// JSON of the members that no column asks for.
    Rest,
    LlmsVariant,
    MarkdownSource,
    /// The id of a record that was found in another source.
    SearchRecord,
}

impl Field {
    pub const ALL: [Self; 41] = [
        Self::Type,
        Self::Url,
        Self::DisplayContext,
        Self::SiteSection,
        Self::SiteSpace,
        Self::SiteShareKey,
        Self::Space,
        Self::Revision,
        Self::Page,
        Self::Country,
        Self::Point,
        Self::Device,
        Self::Browser,
        Self::Os,
        Self::Bot,
        Self::Language,
        Self::LinkTarget,
        Self::LinkKind,
        Self::LinkDomain,
        Self::LinkPosition,
        Self::OperationPath,
        Self::OperationMethod,
        Self::SearchQuery,
        Self::PageFeedbackRating,
        Self::PageFeedbackComment,
        Self::AskRating,
        Self::Referrer,
        Self::ReferrerDomain,
        Self::UtmSource,
        Self::UtmMedium,
        Self::UtmCampaign,
        Self::UtmTerm,
        Self::UtmContent,
        Self::Claims,
        Self::AdDomain,
        Self::AdPlacement,
        Self::TrademarkPlacement,
        Self::Rest,
        Self::LlmsVariant,
        Self::MarkdownSource,
        Self::SearchRecord,
    ];

    /// Number of the stored column.
    pub const fn number(self) -> u8 {
        self as u8
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL
            .get(usize::from(number.checked_sub(Self::Type.number())?))
            .copied()
    }
}

/// Something that a visitor did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Milliseconds since 1970, UTC.
    pub time: i64,
    /// Keyed hash of the visitor's id.
    pub visitor: u64,
    /// Keyed hash of the session's id.
    pub session: u64,
    /// At most one value per field; an absent field is null. Events that were decoded together share equal texts.
    pub values: Vec<(Field, Arc<str>)>,
}

/// Memory of an event without its values, and of a value without its text.
pub(crate) const EVENT_BYTES: u64 = 64;
pub(crate) const VALUE_BYTES: u64 = 24;

impl Event {
    pub fn get(&self, field: Field) -> Option<&str> {
        self.values
            .iter()
            .find(|(of, _)| *of == field)
            .map(|(_, value)| value.as_ref())
    }

    /// Bytes that the event takes if it shares no text.
    pub fn bytes(&self) -> u64 {
        let values = self.values.iter().map(|(_, text)| VALUE_BYTES + text.len() as u64);
        EVENT_BYTES + values.sum::<u64>()
    }
}
