use crate::{models::*, prelude::*};
/// The query parameters `limit`, `colour`, `tag`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct ListShelvesQuery {
    /// How many.
    #[serde(
        rename = "limit",
        default = "default_list_shelves_query_limit",
        deserialize_with = "integer"
    )]
    #[validate(range(min = 0, max = 100))]
    pub limit: u32,
    #[serde(
        rename = "colour",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    pub colour: Option<Colour>,
    #[serde(
        rename = "tag",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    #[validate(length(max = 5), custom(function = "check_list_shelves_query_tag"))]
    pub tag: Option<Vec<String>>,
}
fn default_list_shelves_query_limit() -> u32 {
    20
}
fn check_list_shelves_query_tag(value: &[String]) -> Result<(), ValidationError> {
    rules::texts(
        value,
        &rules::Text {
            max: Some(10),
            ..Default::default()
        },
    )?;
    Ok(())
}
/// The query parameters `limit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct ReadFileQuery {
    #[serde(
        rename = "limit",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present_integer"
    )]
    #[validate(range(min = 0, max = 100))]
    pub limit: Option<u32>,
}
/// The header parameters `If-None-Match`, `X-Reason`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct ReadFileHeaders {
    /// What is kept.
    #[serde(
        rename = "If-None-Match",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    #[validate(length(max = 64))]
    pub if_none_match: Option<String>,
    #[serde(rename = "X-Reason")]
    #[validate(length(max = 9), regex(path = *PATTERN_A02D2BCECEA5CBF9))]
    pub x_reason: String,
}
/// The header parameters `If-Match`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct WriteFileHeaders {
    #[serde(
        rename = "If-Match",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    #[validate(length(max = 64))]
    pub if_match: Option<String>,
}
/// The rules of the parameter `limit`.
pub struct LimitRules;
impl Rules for LimitRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            default: serde_json::to_value(20).ok(),
            minimum: Some(0.0),
            maximum: Some(100.0),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `colour`.
pub struct ColourRules;
impl Rules for ColourRules {
    fn rules() -> MetaSchema {
        MetaSchema { ..MetaSchema::ANY }
    }
}
/// The rules of the parameter `tag`.
pub struct TagRules;
impl Rules for TagRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_items: Some(5),
            items: Some(
                Box::new(
                    MetaSchemaRef::Inline(
                        Box::new(MetaSchema {
                            max_length: Some(10),
                            ..MetaSchema::ANY
                        }),
                    ),
                ),
            ),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `shelfId`.
pub struct ShelfIdRules;
impl Rules for ShelfIdRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(32),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `bookId`.
pub struct BookIdRules;
impl Rules for BookIdRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(32),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `filePath`.
pub struct FilePathRules;
impl Rules for FilePathRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(99),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `limit`.
pub struct ReadFileLimitRules;
impl Rules for ReadFileLimitRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            minimum: Some(0.0),
            maximum: Some(100.0),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `If-None-Match`.
pub struct IfNoneMatchRules;
impl Rules for IfNoneMatchRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(64),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `X-Reason`.
pub struct XReasonRules;
impl Rules for XReasonRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(9),
            pattern: Some("^[A-Z]".to_owned()),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `If-Match`.
pub struct IfMatchRules;
impl Rules for IfMatchRules {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(64),
            ..MetaSchema::ANY
        }
    }
}
