use crate::{models::*, prelude::*};
/// The query parameters `limit`, `colour`, `tag`, `reader`.
#[derive(Clone, Debug, PartialEq, Validate)]
pub struct ListShelvesQuery {
    /// How many.
    #[validate(range(min = 0, max = 100))]
    pub limit: u32,
    pub colour: Option<Colour>,
    #[validate(length(max = 5), custom(function = "check_list_shelves_query_tag"))]
    pub tag: Option<Vec<String>>,
    pub reader: Option<UserId>,
}
impl objects::ReadObject for ListShelvesQuery {
    const NAME: &'static str = "ListShelvesQuery";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut limit = None;
        let mut colour = None;
        let mut tag = None;
        let mut reader = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "limit" => objects::integer(&mut members_, "limit", &mut limit)?,
                "colour" => objects::member(&mut members_, "colour", &mut colour)?,
                "tag" => objects::member(&mut members_, "tag", &mut tag)?,
                "reader" => {
                    objects::ids::<
                        _,
                        String,
                        _,
                    >(
                        &mut members_,
                        "reader",
                        &rules::Text {
                            max: Some(32),
                            ..rules::Text::NONE
                        },
                        &mut reader,
                    )?
                }
                _ => objects::skip(&mut members_)?,
            }
        }
        Ok(Self {
            limit: limit.unwrap_or(20),
            colour,
            tag,
            reader,
        })
    }
}
object!(ListShelvesQuery);
fn check_list_shelves_query_tag(value: &[String]) -> Result<(), ValidationError> {
    rules::texts(
        value,
        &rules::Text {
            max: Some(10),
            ..rules::Text::NONE
        },
    )?;
    Ok(())
}
/// The query parameters `limit`.
#[derive(Clone, Debug, PartialEq, Validate)]
pub struct ReadFileQuery {
    #[validate(range(min = 0, max = 100))]
    pub limit: Option<u32>,
}
impl objects::ReadObject for ReadFileQuery {
    const NAME: &'static str = "ReadFileQuery";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut limit = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "limit" => objects::integer(&mut members_, "limit", &mut limit)?,
                _ => objects::skip(&mut members_)?,
            }
        }
        Ok(Self { limit })
    }
}
object!(ReadFileQuery);
/// The header parameters `If-None-Match`, `X-Reason`.
#[derive(Clone, Debug, PartialEq, Validate)]
pub struct ReadFileHeaders {
    /// What is kept.
    #[validate(length(max = 64))]
    pub if_none_match: Option<String>,
    #[validate(length(max = 9), regex(path = *PATTERN_A02D2BCECEA5CBF9))]
    pub x_reason: String,
}
impl objects::ReadObject for ReadFileHeaders {
    const NAME: &'static str = "ReadFileHeaders";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut if_none_match = None;
        let mut x_reason = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "If-None-Match" => {
                    objects::member(&mut members_, "If-None-Match", &mut if_none_match)?
                }
                "X-Reason" => objects::member(&mut members_, "X-Reason", &mut x_reason)?,
                _ => objects::skip(&mut members_)?,
            }
        }
        Ok(Self {
            if_none_match,
            x_reason: objects::required(x_reason, "X-Reason")?,
        })
    }
}
object!(ReadFileHeaders);
/// The header parameters `If-Match`.
#[derive(Clone, Debug, PartialEq, Validate)]
pub struct WriteFileHeaders {
    #[validate(length(max = 64))]
    pub if_match: Option<String>,
}
impl objects::ReadObject for WriteFileHeaders {
    const NAME: &'static str = "WriteFileHeaders";
    fn read<'de, A: de::MapAccess<'de>>(mut members_: A) -> Result<Self, A::Error> {
        let mut if_match = None;
        while let Some(name_) = objects::next(&mut members_)? {
            match name_.as_str() {
                "If-Match" => objects::member(&mut members_, "If-Match", &mut if_match)?,
                _ => objects::skip(&mut members_)?,
            }
        }
        Ok(Self { if_match })
    }
}
object!(WriteFileHeaders);
