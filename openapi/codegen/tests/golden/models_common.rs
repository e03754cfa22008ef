#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct Board {
    #[serde(rename = "type")]
    pub r#type: BoardType,
}
impl objects::ReadObject for Board {
    const NAME: &'static str = "Board";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut r#type = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "type" => objects::member(&mut members_, "type", &mut r#type)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        Ok(Self {
            r#type: objects::required(r#type, "type")?,
        })
    }
}
object!(Board);
constant!(BoardType : Board = "board", enumeration_in_requests);
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct Book {
    #[serde(rename = "pages", serialize_with = "objects::or_empty")]
    #[validate(length(max = 9), custom(function = "check_book_pages"))]
    pub pages: Option<Vec<String>>,
    /// The material of the spine.
    #[serde(rename = "binding", skip_serializing_if = "Option::is_none")]
    #[validate(
        length(min = 2, max = 40),
        regex(path = *PATTERN_C182F89FDB221836),
        custom(function = "check_book_binding")
    )]
    pub binding: Option<String>,
}
impl objects::ReadObject for Book {
    const NAME: &'static str = "Book";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut pages = None;
        let mut binding = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "pages" => objects::member(&mut members_, "pages", &mut pages)?,
                "binding" => objects::member(&mut members_, "binding", &mut binding)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        Ok(Self { pages, binding })
    }
}
object!(Book);
fn check_book_pages(value: &[String]) -> Result<(), ValidationError> {
    rules::texts(
        value,
        &rules::Text {
            max: Some(9),
            ..rules::Text::NONE
        },
    )?;
    Ok(())
}
fn check_book_binding(value: &str) -> Result<(), ValidationError> {
    rules::texts(
        value,
        &rules::Text {
            format: Some(formats::is_visible),
            ..rules::Text::NONE
        },
    )?;
    Ok(())
}
/// A colour: `red`, `dark-blue` or `3d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    Red,
    DarkBlue,
    Value3d,
}
enumeration!(Colour : Red = "red", DarkBlue = "dark-blue", Value3d = "3d");
enumeration_in_requests!(Colour);
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct Crate {
    #[serde(rename = "type")]
    pub r#type: CrateType,
    #[serde(rename = "parts")]
    #[validate(length(max = 9), nested)]
    pub parts: Vec<Part>,
}
impl objects::ReadObject for Crate {
    const NAME: &'static str = "Crate";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut r#type = None;
        let mut parts = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "type" => objects::member(&mut members_, "type", &mut r#type)?,
                "parts" => objects::member(&mut members_, "parts", &mut parts)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        Ok(Self {
            r#type: objects::required(r#type, "type")?,
            parts: objects::required(parts, "parts")?,
        })
    }
}
object!(Crate);
constant!(CrateType : Crate = "crate", enumeration_in_requests);
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Error {
    #[serde(rename = "error")]
    pub error: ErrorBody,
}
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorBody {
    #[serde(rename = "code")]
    pub code: i64,
    #[serde(rename = "message")]
    pub message: String,
    /// The kind of an error.
    ///
    /// - `changed`: It changed.
    /// - `forbidden`: Not allowed.
    /// - `gone`: Gone.
    /// - `internal`: A fault.
    /// - `invalid-request`: Against the contract.
    /// - `key-reused`: The key is used.
    /// - `missing-scope`: Not in scope.
    /// - `no-json`: Not JSON.
    /// - `not-found`: Not there.
    /// - `overloaded`: Too busy.
    /// - `payload-too-large`: Too large.
    /// - `sso-required`: Not by this way.
    /// - `too-large`: Too large.
    /// - `too-many`: Too many.
    /// - `too-many-requests`: Too many.
    /// - `unauthorized`: No token.
    /// - `unavailable`: Not there now.
    /// - `unsupported-media-type`: Not JSON.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub r#type: Option<ErrorType>,
    #[serde(rename = "requestId", skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(rename = "details", skip_serializing_if = "Option::is_none")]
    pub details: Option<Vec<ErrorDetail>>,
}
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorDetail {
    #[serde(rename = "pointer")]
    pub pointer: String,
    /// A rule that a request breaks.
    ///
    /// - `const`: Another value.
    /// - `encoding`: No UTF-8.
    /// - `enum`: No choice.
    /// - `exclusive`: With another.
    /// - `format`: Another form.
    /// - `invalid`: Against a rule.
    /// - `malformed-json`: No JSON.
    /// - `max-items`: Too many items.
    /// - `max-length`: The text is too long.
    /// - `max-properties`: Too many members.
    /// - `maximum`: The number is too large.
    /// - `min-items`: Too few items.
    /// - `min-length`: Too short.
    /// - `min-properties`: Too few members.
    /// - `minimum`: Too small.
    /// - `nul-character`: With U+0000.
    /// - `pattern`: Another form.
    /// - `repeated`: Given twice.
    /// - `required`: The member is missing.
    /// - `too-many-members`: Too many members.
    /// - `torn`: The page is torn.
    /// - `type`: Another type.
    /// - `unique-items`: An item twice.
    /// - `unknown-member`: Not a member.
    /// - `unreadable`: Not read.
    #[serde(rename = "code")]
    pub code: ErrorRule,
    #[serde(rename = "message")]
    pub message: String,
}
/// A rule that a request breaks.
///
/// - `const`: Another value.
/// - `encoding`: No UTF-8.
/// - `enum`: No choice.
/// - `exclusive`: With another.
/// - `format`: Another form.
/// - `invalid`: Against a rule.
/// - `malformed-json`: No JSON.
/// - `max-items`: Too many items.
/// - `max-length`: The text is too long.
/// - `max-properties`: Too many members.
/// - `maximum`: The number is too large.
/// - `min-items`: Too few items.
/// - `min-length`: Too short.
/// - `min-properties`: Too few members.
/// - `minimum`: Too small.
/// - `nul-character`: With U+0000.
/// - `pattern`: Another form.
/// - `repeated`: Given twice.
/// - `required`: The member is missing.
/// - `too-many-members`: Too many members.
/// - `torn`: The page is torn.
/// - `type`: Another type.
/// - `unique-items`: An item twice.
/// - `unknown-member`: Not a member.
/// - `unreadable`: Not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorRule {
    Const,
    Encoding,
    Enum,
    Exclusive,
    Format,
    Invalid,
    MalformedJson,
    MaxItems,
    MaxLength,
    MaxProperties,
    Maximum,
    MinItems,
    MinLength,
    MinProperties,
    Minimum,
    NulCharacter,
    Pattern,
    Repeated,
    Required,
    TooManyMembers,
    Torn,
    Type,
    UniqueItems,
    UnknownMember,
    Unreadable,
}
enumeration!(
    ErrorRule : Const = "const", Encoding = "encoding", Enum = "enum", Exclusive =
    "exclusive", Format = "format", Invalid = "invalid", MalformedJson =
    "malformed-json", MaxItems = "max-items", MaxLength = "max-length", MaxProperties =
    "max-properties", Maximum = "maximum", MinItems = "min-items", MinLength =
    "min-length", MinProperties = "min-properties", Minimum = "minimum", NulCharacter =
    "nul-character", Pattern = "pattern", Repeated = "repeated", Required = "required",
    TooManyMembers = "too-many-members", Torn = "torn", Type = "type", UniqueItems =
    "unique-items", UnknownMember = "unknown-member", Unreadable = "unreadable"
);
/// The kind of an error.
///
/// - `changed`: It changed.
/// - `forbidden`: Not allowed.
/// - `gone`: Gone.
/// - `internal`: A fault.
/// - `invalid-request`: Against the contract.
/// - `key-reused`: The key is used.
/// - `missing-scope`: Not in scope.
/// - `no-json`: Not JSON.
/// - `not-found`: Not there.
/// - `overloaded`: Too busy.
/// - `payload-too-large`: Too large.
/// - `sso-required`: Not by this way.
/// - `too-large`: Too large.
/// - `too-many`: Too many.
/// - `too-many-requests`: Too many.
/// - `unauthorized`: No token.
/// - `unavailable`: Not there now.
/// - `unsupported-media-type`: Not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorType {
    Changed,
    Forbidden,
    Gone,
    Internal,
    InvalidRequest,
    KeyReused,
    MissingScope,
    NoJson,
    NotFound,
    Overloaded,
    PayloadTooLarge,
    SsoRequired,
    TooLarge,
    TooMany,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    UnsupportedMediaType,
}
enumeration!(
    ErrorType : Changed = "changed", Forbidden = "forbidden", Gone = "gone", Internal =
    "internal", InvalidRequest = "invalid-request", KeyReused = "key-reused",
    MissingScope = "missing-scope", NoJson = "no-json", NotFound = "not-found",
    Overloaded = "overloaded", PayloadTooLarge = "payload-too-large", SsoRequired =
    "sso-required", TooLarge = "too-large", TooMany = "too-many", TooManyRequests =
    "too-many-requests", Unauthorized = "unauthorized", Unavailable = "unavailable",
    UnsupportedMediaType = "unsupported-media-type"
);
/// What may stand in front.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Front {
    Board(Board),
}
impl<'de> Deserialize<'de> for Front {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = distinct::value(deserializer)?;
        let tag = value
            .get("type")
            .map(|tag| tag.as_str().unwrap_or_default().to_owned());
        match tag.as_deref() {
            Some("board") => {
                Deserialize::deserialize(value)
                    .map(Self::Board)
                    .map_err(de::Error::custom)
            }
            _ => Err(de::Error::custom("`type` is not one of the allowed values")),
        }
    }
}
impl Validate for Front {
    fn validate(&self) -> Result<(), ValidationErrors> {
        match self {
            Self::Board(value) => Validate::validate(value),
        }
    }
}
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Length {
    Number(f64),
    String(String),
}
impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = distinct::value(deserializer)?;
        match &value {
            Value::Number(_) => {
                Deserialize::deserialize(value)
                    .map(Self::Number)
                    .map_err(de::Error::custom)
            }
            Value::String(_) => {
                Deserialize::deserialize(value)
                    .map(Self::String)
                    .map_err(de::Error::custom)
            }
            _ => Err(de::Error::custom("a value of this type is not allowed")),
        }
    }
}
impl Validate for Length {
    fn validate(&self) -> Result<(), ValidationErrors> {
        match self {
            Self::Number(_) => Ok(()),
            Self::String(value) => {
                rules::of_variant(|| {
                    rules::texts(
                        value,
                        &rules::Text {
                            max: Some(8),
                            ..rules::Text::NONE
                        },
                    )?;
                    Ok(())
                })
            }
        }
    }
}
/// The destination.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Move {
    MoveTo(MoveTo),
    MoveUp(MoveUp),
    MoveAway(MoveAway),
}
impl objects::ReadObject for Move {
    const NAME: &'static str = "Move";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut to = None;
        let mut by = None;
        let mut up = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "to" => {
                    objects::ids::<
                        _,
                        String,
                        _,
                    >(
                        &mut members_,
                        "to",
                        &rules::Text {
                            max: Some(32),
                            ..rules::Text::NONE
                        },
                        &mut to,
                    )?
                }
                "by" => objects::member(&mut members_, "by", &mut by)?,
                "up" => objects::integer(&mut members_, "up", &mut up)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        if to.is_some() {
            if up.is_some() {
                return Err(objects::excluded("up"));
            }
            return Ok(
                Self::MoveTo(MoveTo {
                    to: objects::required(to, "to")?,
                    by,
                }),
            );
        }
        if up.is_some() {
            if to.is_some() {
                return Err(objects::excluded("to"));
            }
            return Ok(
                Self::MoveUp(MoveUp {
                    up: objects::required(up, "up")?,
                    by,
                }),
            );
        }
        if by.is_some() {
            return Err(objects::excluded("by"));
        }
        Ok(Self::MoveAway(MoveAway {}))
    }
}
object!(Move);
impl Validate for Move {
    fn validate(&self) -> Result<(), ValidationErrors> {
        match self {
            Self::MoveTo(value) => Validate::validate(value),
            Self::MoveUp(value) => Validate::validate(value),
            Self::MoveAway(value) => Validate::validate(value),
        }
    }
}
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct MoveAway {}
impl objects::ReadObject for MoveAway {
    const NAME: &'static str = "MoveAway";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        if let Some(name_) = objects::next(&mut members_)? {
            return Err(objects::unknown(&name_));
        }
        Ok(Self {})
    }
}
object!(MoveAway);
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct MoveTo {
    #[serde(rename = "to")]
    pub to: NodeId,
    #[serde(rename = "by", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 9))]
    pub by: Option<String>,
}
impl objects::ReadObject for MoveTo {
    const NAME: &'static str = "MoveTo";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut to = None;
        let mut by = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "to" => {
                    objects::ids::<
                        _,
                        String,
                        _,
                    >(
                        &mut members_,
                        "to",
                        &rules::Text {
                            max: Some(32),
                            ..rules::Text::NONE
                        },
                        &mut to,
                    )?
                }
                "by" => objects::member(&mut members_, "by", &mut by)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        Ok(Self {
            to: objects::required(to, "to")?,
            by,
        })
    }
}
object!(MoveTo);
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct MoveUp {
    #[serde(rename = "up")]
    #[validate(range(min = 1, max = 9))]
    pub up: u32,
    #[serde(rename = "by", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 9))]
    pub by: Option<String>,
}
impl objects::ReadObject for MoveUp {
    const NAME: &'static str = "MoveUp";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut up = None;
        let mut by = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "up" => objects::integer(&mut members_, "up", &mut up)?,
                "by" => objects::member(&mut members_, "by", &mut by)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        Ok(Self {
            up: objects::required(up, "up")?,
            by,
        })
    }
}
object!(MoveUp);
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextPage {
    #[serde(rename = "page")]
    pub page: String,
}
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct Note {
    #[serde(rename = "text")]
    #[validate(length(max = 50))]
    pub text: String,
    #[serde(rename = "mark", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 9))]
    pub mark: Option<String>,
    #[serde(rename = "colour", skip_serializing_if = "Maybe::is_absent")]
    #[validate(length(max = 9))]
    pub colour: Maybe<String>,
    /// Members that the contract does not declare.
    #[serde(flatten)]
    pub additional: BTreeMap<String, Value>,
}
impl objects::ReadObject for Note {
    const NAME: &'static str = "Note";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut additional = BTreeMap::new();
        let mut text = None;
        let mut mark = None;
        let mut colour = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "text" => objects::member(&mut members_, "text", &mut text)?,
                "mark" => objects::member(&mut members_, "mark", &mut mark)?,
                "colour" => objects::member(&mut members_, "colour", &mut colour)?,
                _ => drop(additional.insert(name_.into_string(), members_.next_value()?)),
            }
        }
        objects::at_most_one(
            &[mark.is_some(), matches!(colour, Some(Maybe::Value(_)))],
        )?;
        Ok(Self {
            text: objects::required(text, "text")?,
            mark,
            colour: colour.unwrap_or_default(),
            additional,
        })
    }
}
object!(Note);
/// A board or a crate; crates hold parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Part {
    Board(Board),
    Crate(Crate),
}
impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = distinct::value(deserializer)?;
        let tag = value
            .get("type")
            .map(|tag| tag.as_str().unwrap_or_default().to_owned());
        match tag.as_deref() {
            Some("board") => {
                Deserialize::deserialize(value)
                    .map(Self::Board)
                    .map_err(de::Error::custom)
            }
            Some("crate") => {
                Deserialize::deserialize(value)
                    .map(Self::Crate)
                    .map_err(de::Error::custom)
            }
            _ => Err(de::Error::custom("`type` is not one of the allowed values")),
        }
    }
}
impl Validate for Part {
    fn validate(&self) -> Result<(), ValidationErrors> {
        match self {
            Self::Board(value) => Validate::validate(value),
            Self::Crate(value) => Validate::validate(value),
        }
    }
}
/// A shelf, with everything that a member can be.
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct Shelf {
    /// What it is.
    #[serde(rename = "kind")]
    pub kind: ShelfKind,
    /// Its title.
    #[serde(rename = "title")]
    #[validate(length(min = 1, max = 20), regex(path = *PATTERN_A02D2BCECEA5CBF9))]
    pub title: String,
    #[serde(rename = "owner")]
    pub owner: Nullable<UserId>,
    #[serde(rename = "readers", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 9))]
    pub readers: Option<Vec<UserId>>,
    #[serde(rename = "colour", skip_serializing_if = "Maybe::is_absent")]
    pub colour: Maybe<Colour>,
    #[serde(rename = "site", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 100), custom(function = "check_shelf_site"))]
    pub site: Option<String>,
    #[serde(rename = "since", skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    #[serde(rename = "width", skip_serializing_if = "Option::is_none")]
    #[validate(range(min = 0.0, max = 10.0))]
    pub width: Option<f64>,
    #[serde(rename = "places", skip_serializing_if = "Option::is_none")]
    #[validate(range(min = 1, max = 500))]
    pub places: Option<u32>,
    #[serde(rename = "open")]
    pub open: bool,
    #[serde(rename = "fixed", skip_serializing_if = "Option::is_none")]
    pub fixed: Option<True>,
    #[serde(rename = "labels", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 3), custom(function = "check_shelf_labels"))]
    pub labels: Option<Vec<String>>,
    #[serde(rename = "notes", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 4), nested)]
    pub notes: Option<BTreeMap<String, Note>>,
    #[serde(rename = "book", skip_serializing_if = "Option::is_none")]
    #[validate(nested)]
    pub book: Option<Book>,
    #[serde(rename = "extra", skip_serializing_if = "Option::is_none")]
    #[validate(length(max = 9))]
    pub extra: Option<BTreeMap<String, Value>>,
    #[serde(rename = "parts")]
    #[validate(length(max = 9), nested)]
    pub parts: Vec<Part>,
    /// What may stand in front.
    #[serde(rename = "front", skip_serializing_if = "Option::is_none")]
    #[validate(nested)]
    pub front: Option<Front>,
    #[serde(rename = "size", skip_serializing_if = "Option::is_none")]
    #[validate(nested)]
    pub size: Option<ShelfSize>,
}
impl objects::ReadObject for Shelf {
    const NAME: &'static str = "Shelf";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut kind = None;
        let mut title = None;
        let mut owner = None;
        let mut readers = None;
        let mut colour = None;
        let mut site = None;
        let mut since = None;
        let mut width = None;
        let mut places = None;
        let mut open = None;
        let mut fixed = None;
        let mut labels = None;
        let mut notes = None;
        let mut book = None;
        let mut extra = None;
        let mut parts = None;
        let mut front = None;
        let mut size = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "kind" => objects::member(&mut members_, "kind", &mut kind)?,
                "title" => objects::member(&mut members_, "title", &mut title)?,
                "owner" => {
                    objects::ids::<
                        _,
                        Nullable<String>,
                        _,
                    >(
                        &mut members_,
                        "owner",
                        &rules::Text {
                            max: Some(32),
                            ..rules::Text::NONE
                        },
                        &mut owner,
                    )?
                }
                "readers" => {
                    objects::ids::<
                        _,
                        Vec<String>,
                        _,
                    >(
                        &mut members_,
                        "readers",
                        &rules::Text {
                            min: 1,
                            max: Some(32),
                            ..rules::Text::NONE
                        },
                        &mut readers,
                    )?
                }
                "colour" => objects::member(&mut members_, "colour", &mut colour)?,
                "site" => objects::member(&mut members_, "site", &mut site)?,
                "since" => objects::member(&mut members_, "since", &mut since)?,
                "width" => objects::member(&mut members_, "width", &mut width)?,
                "places" => objects::integer(&mut members_, "places", &mut places)?,
                "open" => objects::member(&mut members_, "open", &mut open)?,
                "fixed" => objects::member(&mut members_, "fixed", &mut fixed)?,
                "labels" => objects::member(&mut members_, "labels", &mut labels)?,
                "notes" => objects::member(&mut members_, "notes", &mut notes)?,
                "book" => objects::member(&mut members_, "book", &mut book)?,
                "extra" => objects::member(&mut members_, "extra", &mut extra)?,
                "parts" => objects::member(&mut members_, "parts", &mut parts)?,
                "front" => objects::member(&mut members_, "front", &mut front)?,
                "size" => objects::member(&mut members_, "size", &mut size)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        Ok(Self {
            kind: objects::required(kind, "kind")?,
            title: objects::required(title, "title")?,
            owner: objects::required(owner, "owner")?,
            readers,
            colour: colour.unwrap_or_default(),
            site,
            since,
            width,
            places,
            open: open.unwrap_or(true),
            fixed,
            labels,
            notes,
            book,
            extra,
            parts: objects::required(parts, "parts")?,
            front,
            size,
        })
    }
}
object!(Shelf);
fn check_shelf_site(value: &str) -> Result<(), ValidationError> {
    rules::texts(
        value,
        &rules::Text {
            format: Some(formats::is_uri),
            ..rules::Text::NONE
        },
    )?;
    Ok(())
}
fn check_shelf_labels(value: &[String]) -> Result<(), ValidationError> {
    rules::texts(
        value,
        &rules::Text {
            min: 2,
            max: Some(8),
            ..rules::Text::NONE
        },
    )?;
    rules::unique(value)?;
    Ok(())
}
constant!(#[doc = " What it is."] ShelfKind : Shelf = "shelf", enumeration_in_requests);
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShelfList {
    #[serde(rename = "next", skip_serializing_if = "Option::is_none")]
    pub next: Option<NextPage>,
    #[serde(rename = "count", skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(rename = "items")]
    pub items: Vec<Shelf>,
}
impl From<Page<Shelf>> for ShelfList {
    fn from(page: Page<Shelf>) -> Self {
        Self {
            next: page.next.map(|page| NextPage { page }),
            count: page.count,
            items: page.items,
        }
    }
}
#[derive(Clone, Debug, PartialEq, Serialize, Validate)]
pub struct ShelfSize {
    #[serde(rename = "height", skip_serializing_if = "Option::is_none")]
    #[validate(nested)]
    pub height: Option<Length>,
}
impl objects::ReadObject for ShelfSize {
    const NAME: &'static str = "ShelfSize";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut height = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "height" => objects::member(&mut members_, "height", &mut height)?,
                _ => return Err(objects::unknown(&name_)),
            }
        }
        Ok(Self { height })
    }
}
object!(ShelfSize);
