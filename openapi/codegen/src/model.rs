//! The intermediate model between the document and the Rust code.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{errors::Catalog, finding::Place};

/// The contexts of areas. Each context may use the contexts before itself in this list, and no others.
pub const CONTEXTS: [&str; 12] = [
    "identity",
    "organizations",
    "conversations",
    "content",
    "library",
    "authoring",
    "publishing",
    "exchange",
    "languages",
    "specifications",
    "integrations",
    "insights",
];

/// The value of `x-scope` of operations that take every token of an integration or an installation.
pub const ANY_SCOPE: &str = "any";

/// The level of operations that need no token.
pub const ANYONE: &str = "anyone";

/// The contexts without operations, which those above them use.
pub const WITHOUT_OPERATIONS: [&str; 1] = ["content"];

#[derive(Debug, Default)]
pub struct Api {
    pub tags: Vec<Tag>,
    /// The contexts that have areas, in order.
    pub contexts: Vec<Context>,
    pub areas: Vec<Area>,
    /// Named types, sorted by name.
    pub types: BTreeMap<String, Type>,
    /// The rules of the components that are strings, by name.
    pub texts: BTreeMap<String, StringRules>,
    pub resources: BTreeMap<String, Resource>,
    pub errors: Catalog,
    /// The whole contract as one JSON document.
    pub bundle: Value,
}

#[derive(Debug)]
pub struct Tag {
    pub place: Place,
    pub name: String,
    pub doc: String,
}

/// A group of tags.
#[derive(Debug)]
pub struct Context {
    /// In snake case.
    pub name: String,
    /// The title in the documentation.
    pub title: String,
    pub tags: Vec<String>,
}

/// The operations of one tag.
#[derive(Debug)]
pub struct Area {
    pub name: String,
    /// The name of its context.
    pub context: String,
    pub operations: Vec<Operation>,
}

#[derive(Debug)]
pub struct Operation {
    pub place: Place,
    pub id: String,
    pub method: String,
    pub path: String,
    pub summary: String,
    pub doc: String,
    pub deprecated: bool,
    /// Changes nothing.
    pub safe: bool,
    /// The responses contain a secret.
    pub secret: bool,
    /// The scope that lets an installation of an integration in, or [`ANY_SCOPE`]. `None`: tokens of integrations are refused.
    pub scope: Option<String>,
    /// `forbidden` is among the errors.
    pub may_forbid: bool,
    /// Answers without a body where the request prefers that.
    pub minimal: bool,
    pub access: Access,
    pub path_parameters: Vec<Field>,
    /// The last path parameter matches the rest of the path.
    pub wildcard: bool,
    pub query_parameters: Vec<Field>,
    pub header_parameters: Vec<Field>,
    /// The header that names a request which may be sent again; no handler gets it.
    pub idempotency_key: Option<Field>,
    pub body: Option<Body>,
    pub success: Success,
    /// Declared error statuses; `None` is `default`.
    pub errors: Vec<Option<u16>>,
}

#[derive(Debug)]
pub struct Body {
    pub type_name: String,
    pub required: bool,
}

#[derive(Debug)]
pub struct Success {
    pub status: u16,
    pub type_name: Option<String>,
    /// The body is a list of the type.
    pub is_list: bool,
    pub form: Form,
    pub doc: String,
}

/// The headers of a response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Plain,
    /// `Location`, the address of a new object.
    Created,
    /// 200 for an object that existed, or 201 with `Location` for a new one.
    Upserted,
    /// `ETag`, the tag of the returned state.
    Tagged,
    /// `ETag`, and 304 if the request has the current tag.
    Conditional,
}

/// The access that an operation requires: a level on a resource, or being the user of a path parameter.
#[derive(Debug, Default)]
pub struct Access {
    pub resource: String,
    pub level: String,
    /// The path parameters that identify the resource.
    pub parameters: Vec<String>,
    /// The members of the body that identify the resource.
    pub body_members: Vec<String>,
    pub or_self: Option<String>,
}

/// A resource on which access is declared.
#[derive(Debug)]
pub struct Resource {
    pub place: Place,
    /// The context that declares the resource, and whose guard decides access to it.
    pub context: String,
    pub doc: String,
    /// The access that is decided first; its proof is part of the decision on this resource.
    pub within: Option<Within>,
    /// The path parameters, including those of the resource that this one is within.
    pub parameters: Vec<String>,
    /// The members of the body that name the resource: access is decided after the body is read.
    pub body_members: Vec<String>,
    /// Lowest first.
    pub levels: Vec<String>,
    /// The name of the levels, shared by all resources with the same levels. `None` for a single level.
    pub scale: Option<String>,
    /// Whether an operation on the resource also allows the user of a path parameter.
    pub takes_self: bool,
}

/// A level on another resource.
#[derive(Debug)]
pub struct Within {
    pub resource: String,
    pub level: String,
}

#[derive(Debug)]
pub struct Type {
    pub place: Place,
    pub doc: String,
    pub kind: Kind,
    /// Whether the type occurs in a request body.
    pub request: bool,
    /// Whether the type occurs in a response.
    pub response: bool,
}

#[derive(Debug)]
pub enum Kind {
    Struct(Struct),
    Enum(Vec<String>),
    Union(Union),
}

#[derive(Debug)]
pub struct Struct {
    pub fields: Vec<Field>,
    pub additional: Additional,
    /// Optional members that every answer has.
    pub always_answered: Vec<String>,
    /// Members of which a request has at most one.
    pub at_most_one: Vec<String>,
}

/// The meaning of `additionalProperties`.
#[derive(Clone, Debug, PartialEq)]
pub enum Additional {
    Unstated,
    Refused,
    Allowed,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub place: Place,
    pub name: String,
    pub doc: String,
    pub shape: Shape,
    pub required: bool,
    pub default: Option<Value>,
    pub deprecated: bool,
    /// The `table.column` that stores the member.
    pub stored: Option<String>,
}

/// A `oneOf`, discriminated by a member, by the members that are present, or by the JSON type.
#[derive(Debug)]
pub struct Union {
    pub decided_by: DecidedBy,
    pub variants: Vec<Variant>,
}

#[derive(Debug, PartialEq)]
pub enum DecidedBy {
    Member(String),
    /// Each variant is an object with a required member that no other variant has.
    Presence,
    JsonType,
}

#[derive(Debug)]
pub struct Variant {
    pub shape: Shape,
    /// The values of the discriminator, or the member whose presence decides; empty for the variant that is used if the
    /// discriminator or all such members are absent.
    pub tags: Vec<String>,
    /// The variant is used for all other values of the discriminator, whose form it declares.
    pub has_other_tags: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    String(StringRules),
    Integer(NumberRules),
    Number(NumberRules),
    Boolean,
    /// A boolean with one allowed value.
    Constant(bool),
    Any,
    Array(Box<Shape>, ArrayRules),
    Map(Box<Shape>, MapRules),
    Named(String),
    Nullable(Box<Shape>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StringRules {
    /// The kind of id, as in `changeRequest`. Each kind has its own Rust type.
    pub id: Option<String>,
    pub format: Option<String>,
    pub pattern: Option<String>,
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// The text hides nothing beyond U+FFFF.
    pub visible: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberRules {
    pub min: Option<i64>,
    pub max: Option<i64>,
    /// The number up to which the items of a list are counted.
    pub counted_to: Option<u64>,
    /// The number of rows that a page of a filtered list looks at.
    pub scanned_to: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrayRules {
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub unique: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapRules {
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// The map is a member of the values of another map, so there are many of it, most of them small.
    pub is_within_map: bool,
}

impl Operation {
    pub fn path_parameter(&self, name: &str) -> Option<&Field> {
        self.path_parameters.iter().find(|field| field.name == name)
    }

    /// The path, query and header parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &Field> {
        let read = self.query_parameters.iter().chain(&self.header_parameters);
        self.path_parameters.iter().chain(read).chain(&self.idempotency_key)
    }
}

impl Shape {
    /// The shape without `null`.
    pub fn inner(&self) -> &Self {
        match self {
            Self::Nullable(inner) => inner.inner(),
            other => other,
        }
    }

    pub fn is_nullable(&self) -> bool {
        matches!(self, Self::Nullable(_))
    }

    /// The rules of the id, or of the ids in a list.
    pub fn ids(&self) -> Option<&StringRules> {
        match self {
            Self::String(rules) => rules.id.is_some().then_some(rules),
            Self::Array(inner, _) | Self::Map(inner, _) | Self::Nullable(inner) => inner.ids(),
            _ => None,
        }
    }

    /// The same shape with plain strings for ids, as in JSON.
    pub fn without_ids(&self) -> Self {
        let within = |inner: &Self| Box::new(inner.without_ids());
        match self {
            Self::String(rules) => Self::String(StringRules {
                id: None,
                ..rules.clone()
            }),
            Self::Array(inner, rules) => Self::Array(within(inner), rules.clone()),
            Self::Map(inner, rules) => Self::Map(within(inner), rules.clone()),
            Self::Nullable(inner) => Self::Nullable(within(inner)),
            other => other.clone(),
        }
    }

    /// The named types that the shape refers to.
    pub fn names<'a>(&'a self, into: &mut Vec<&'a str>) {
        match self {
            Self::Named(name) => into.push(name),
            Self::Array(inner, _) | Self::Map(inner, _) | Self::Nullable(inner) => inner.names(into),
            _ => {}
        }
    }
}

impl Type {
    pub fn shapes(&self) -> Vec<&Shape> {
        match &self.kind {
            Kind::Struct(s) => s.fields.iter().map(|field| &field.shape).collect(),
            Kind::Union(u) => u.variants.iter().map(|variant| &variant.shape).collect(),
            Kind::Enum(_) => Vec::new(),
        }
    }
}
