//! Schemas of visitors: the claims that a site knows, in the JSON schema that the contract declares.

use serde_json::{Map, Value};

use crate::Condition;

/// The claims of one schema, with those in objects.
const MAX_CLAIMS: usize = 1000;

/// Objects within objects.
const MAX_DEPTH: usize = 8;

/// The most template conditions of a schema.
const MAX_TEMPLATES: usize = 1000;

/// The longest text of a claim in characters.
const MAX_TEXT: usize = 1024;

/// The most items of a list in a claim.
const MAX_ITEMS: usize = 1000;

/// The member with the claims that nobody has signed.
const UNSIGNED: &str = "unsigned";

/// The reason why a schema is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// JSON pointer within the schema.
    pub pointer: String,
    /// A sentence that describes the error.
    pub message: String,
}

/// A condition to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateCondition {
    pub description: String,
    pub condition: String,
}

/// The claims that a site knows of its visitors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitorSchema {
    signed: Vec<Claim>,
    unsigned: Vec<Claim>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Claim {
    name: String,
    description: String,
    kind: ClaimKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ClaimKind {
    Boolean,
    Number,
    Text,
    /// One of these texts.
    Choice(Vec<String>),
    List(Box<ClaimKind>),
    Object(Vec<Claim>),
}

impl VisitorSchema {
    /// Reads a schema that satisfies the contract.
    pub fn parse(schema: &Value) -> Result<Self, SchemaError> {
        let mut reader = SchemaReader { claims: 0 };
        let mut parsed = Self::default();
        for (name, claim) in members(schema, "")? {
            let pointer = format!("/properties/{}", escaped(name));
            if name == UNSIGNED {
                parsed.unsigned = reader.claims(claim, &pointer, 1)?;
            } else {
                parsed.signed.push(reader.claim(name, claim, &pointer, 1)?);
            }
        }
        Ok(parsed)
    }

    /// Conditions to begin with: those for the values of each claim, in the order of the schema.
    pub fn template_conditions(&self) -> Vec<TemplateCondition> {
        let mut templates = Vec::new();
        for (object, claims) in [
            ("visitor.claims", &self.signed),
            ("visitor.claims.unsigned", &self.unsigned),
        ] {
            for claim in claims {
                claim.add_templates(&member(object, ".", &claim.name), &mut templates);
            }
        }
        // Long names may give conditions that are too long.
        templates.retain(|template| Condition::parse(&template.condition).is_ok());
        templates.truncate(MAX_TEMPLATES);
        templates
    }

    /// The claims of a visitor for conditions: those that the schema knows, with values of their type. Claims that nobody
    /// has signed stand only in `unsigned`.
    pub fn claims(&self, signed: &Map<String, Value>, unsigned: &Map<String, Value>) -> Map<String, Value> {
        let mut claims = known(&self.signed, signed);
        claims.insert(UNSIGNED.to_owned(), known(&self.unsigned, unsigned).into());
        claims
    }
}

impl Claim {
    fn add_templates(&self, path: &str, templates: &mut Vec<TemplateCondition>) {
        let mut add = |condition: String, value: &str| {
            let description = match value {
                "" => self.description.clone(),
                value => format!("{}: {value}", self.description),
            };
            templates.push(TemplateCondition { description, condition });
        };
        match &self.kind {
            ClaimKind::Boolean => add(format!("{path} == true"), ""),
            ClaimKind::Number => add(format!("{path} > 0"), ""),
            ClaimKind::Text => add(format!("{path} != null"), ""),
            ClaimKind::Choice(values) => {
                for value in values {
                    add(format!("{path} == {}", quoted(value)), value);
                }
            }
            ClaimKind::List(items) => match &**items {
                ClaimKind::Choice(values) => {
                    for value in values {
                        add(format!("{path}?.includes({})", quoted(value)), value);
                    }
                }
                _ => add(format!("{path}?.length > 0"), ""),
            },
            ClaimKind::Object(claims) => {
                for claim in claims {
                    claim.add_templates(&member(path, "?.", &claim.name), templates);
                }
            }
        }
    }
}

impl ClaimKind {
    /// The value without what the schema does not know. `None`: the value has another type.
    fn known(&self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Boolean, Value::Bool(_)) | (Self::Number, Value::Number(_)) => Some(value.clone()),
            (Self::Text, Value::String(text)) => (text.chars().nth(MAX_TEXT).is_none()).then(|| value.clone()),
            (Self::Choice(values), Value::String(text)) => values.contains(text).then(|| value.clone()),
            (Self::List(kind), Value::Array(items)) => {
                let items = items.iter().take(MAX_ITEMS);
                Some(items.filter_map(|item| kind.known(item)).collect())
            }
            (Self::Object(claims), Value::Object(members)) => Some(known(claims, members).into()),
            _ => None,
        }
    }
}

fn known(claims: &[Claim], values: &Map<String, Value>) -> Map<String, Value> {
    let value = |claim: &Claim| Some((claim.name.clone(), claim.kind.known(values.get(&claim.name)?)?));
    claims.iter().filter_map(value).collect()
}

struct SchemaReader {
    /// The number of claims so far.
    claims: usize,
}

impl SchemaReader {
    /// Reads the claims of an object.
    fn claims(&mut self, schema: &Value, pointer: &str, depth: usize) -> Result<Vec<Claim>, SchemaError> {
        if depth > MAX_DEPTH {
            return Err(error(
                pointer,
                format!("Claims are nested at most {MAX_DEPTH} levels deep."),
            ));
        }
        let claims = members(schema, pointer)?.into_iter();
        let claims = claims.map(|(name, claim)| {
            let pointer = format!("{pointer}/properties/{}", escaped(name));
            self.claim(name, claim, &pointer, depth + 1)
        });
        claims.collect()
    }

    fn claim(&mut self, name: &str, schema: &Value, pointer: &str, depth: usize) -> Result<Claim, SchemaError> {
        self.claims += 1;
        if self.claims > MAX_CLAIMS {
            return Err(error(pointer, format!("A schema has at most {MAX_CLAIMS} claims.")));
        }
        let description = schema.get("description").and_then(Value::as_str);
        let kind = match schema.get("type").and_then(Value::as_str) {
            Some("object") => ClaimKind::Object(self.claims(schema, pointer, depth)?),
            Some("array") => {
                let items = schema.get("items").and_then(simple_kind);
                let items =
                    items.ok_or_else(|| error(&format!("{pointer}/items"), "This type of items is unknown."))?;
                ClaimKind::List(Box::new(items))
            }
            _ => simple_kind(schema).ok_or_else(|| error(pointer, "This type of a claim is unknown."))?,
        };
        Ok(Claim {
            name: name.to_owned(),
            description: description.unwrap_or(name).to_owned(),
            kind,
        })
    }
}

/// The kind of a claim without members and items.
fn simple_kind(schema: &Value) -> Option<ClaimKind> {
    match (schema.get("type")?.as_str()?, schema.get("enum")) {
        ("boolean", _) => Some(ClaimKind::Boolean),
        ("number", _) => Some(ClaimKind::Number),
        ("string", None) => Some(ClaimKind::Text),
        ("string", Some(values)) => {
            let values = values.as_array()?.iter().map(|value| value.as_str().map(str::to_owned));
            values.collect::<Option<_>>().map(ClaimKind::Choice)
        }
        _ => None,
    }
}

fn members<'s>(schema: &'s Value, pointer: &str) -> Result<Vec<(&'s String, &'s Value)>, SchemaError> {
    let members = schema.get("properties").and_then(Value::as_object);
    let members = members.ok_or_else(|| error(&format!("{pointer}/properties"), "The claims are missing."))?;
    Ok(members.iter().collect())
}

fn error(pointer: &str, message: impl Into<String>) -> SchemaError {
    SchemaError {
        pointer: pointer.to_owned(),
        message: message.into(),
    }
}

/// A name in a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A member of an object in an expression.
fn member(object: &str, dot: &str, name: &str) -> String {
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    let optional = if dot == "?." { dot } else { "" };
    if is_name {
        format!("{object}{dot}{name}")
    } else {
        format!("{object}{optional}[{}]", quoted(name))
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
